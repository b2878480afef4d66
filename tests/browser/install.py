"""Finds a browser for the tests, or installs one: an installed Chrome or Chromium, else Playwright's
own download, else Debian's package where we are root. Run by `make test`.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from playwright.sync_api import sync_playwright

INSTALLED = ("google-chrome", "google-chrome-stable", "chromium", "chromium-browser")
MACS = (Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),)
DOWNLOAD = (sys.executable, "-m", "playwright", "install", "chromium")
DEBIAN = (("apt-get", "update", "-qq"), ("apt-get", "install", "-y", "-qq", "chromium"))


def find_browser(environment: Mapping[str, str], path: str | None, downloaded: Path) -> Path:
    """The executable to drive: FFNSITE_BROWSER, an installed one, or Playwright's own."""
    if named := environment.get("FFNSITE_BROWSER"):
        if Path(named).is_file():
            return Path(named)
        raise FileNotFoundError(f"FFNSITE_BROWSER 指向 {named}，那里没有文件；改正它或去掉它")
    for name in INSTALLED:
        if found := shutil.which(name, path=path):
            return Path(found)
    for candidate in (*MACS, downloaded):
        if candidate.is_file():
            return candidate
    raise FileNotFoundError(
        f"没有浏览器：PATH 里没有 {'、'.join(INSTALLED)}，Playwright 也没有下载过（{downloaded}）；"
        "先运行 make test，它会装一个，或用 FFNSITE_BROWSER=/路径/chrome 指定一个"
    )


def browser_here() -> Path:
    """The browser of this machine."""
    with sync_playwright() as playwright:
        downloaded = Path(playwright.chromium.executable_path)
    return find_browser(os.environ, os.environ.get("PATH"), downloaded)


def install(run=subprocess.run, *, root: bool | None = None) -> bool:
    """Tries Playwright's download, then Debian's package as root; whether one of them worked."""
    if run(DOWNLOAD, check=False).returncode == 0:
        return True
    may_install = os.geteuid() == 0 if root is None else root
    if not may_install or shutil.which("apt-get") is None:
        return False
    return all(run(command, check=False).returncode == 0 for command in DEBIAN)


def main() -> int:
    """0 when there is a browser at the end, else 1 with what to do."""
    try:
        browser_here()
    except FileNotFoundError as missing:
        if os.environ.get("FFNSITE_BROWSER") or not install():
            sys.stderr.write(f"{missing}\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
