"""What ffnsite costs on top of plain mkdocs-material: the same pages, with and without it.

    python tests/bench/bench_build.py

Builds the real site warm (every figure drawn), then the same docs with the plugin taken out of
mkdocs.yml (bindings are plain links then). Reports the ratio; asserts nothing.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent.parent
RUNS = 3


class Loader(yaml.SafeLoader):
    """YAML whose unknown tags (!ENV) are read as nothing."""


Loader.add_multi_constructor("!", lambda _loader, _tag, _node: "")


def plain(folder: Path) -> Path:
    """The project without ffnsite, in a folder of its own."""
    shutil.copytree(ROOT / "docs", folder / "docs")
    settings = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader)
    settings["plugins"] = [
        plugin
        for plugin in settings["plugins"]
        if not (isinstance(plugin, dict) and "ffnsite" in plugin)
    ]
    for part in ("nav", "validation"):
        settings.pop(part, None)
    (folder / "mkdocs.yml").write_text(
        yaml.safe_dump(settings, allow_unicode=True), encoding="utf-8"
    )
    return folder


def seconds(folder: Path) -> float:
    """The quickest of a few builds."""
    spent = []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as site:
            command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "-d", site]
            environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
            started = time.perf_counter()
            subprocess.run(command, cwd=folder, check=True, env=environment, capture_output=True)
            spent.append(time.perf_counter() - started)
    return min(spent)


if __name__ == "__main__":
    subprocess.run([sys.executable, "-m", "ffnsite", "draw"], cwd=ROOT, check=True)
    with tempfile.TemporaryDirectory() as empty:
        without = seconds(plain(Path(empty)))
    ours = seconds(ROOT)
    print(f"ffnsite {ours:.2f} 秒，朴素的 Material {without:.2f} 秒，{ours / without:.2f} 倍")
