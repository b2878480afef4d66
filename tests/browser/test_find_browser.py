from pathlib import Path
from subprocess import CompletedProcess

import pytest
from contrast import contrast
from install import DEBIAN, DOWNLOAD, find_browser, install


def executable(folder: Path, name: str) -> Path:
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


def test_the_named_browser_comes_before_an_installed_one(tmp_path):
    mine, chromium = executable(tmp_path, "mine"), executable(tmp_path, "chromium")
    nothing = tmp_path / "nothing"
    assert find_browser({"FFNSITE_BROWSER": str(mine)}, str(tmp_path), nothing) == mine
    assert find_browser({}, str(tmp_path), nothing) == chromium


def test_a_downloaded_browser_serves_where_none_is_installed(tmp_path):
    downloaded = executable(tmp_path, "headless_shell")
    assert find_browser({}, str(tmp_path), downloaded) == downloaded


def test_no_browser_is_an_error_that_names_make_test(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"没有浏览器.*make test.*FFNSITE_BROWSER"):
        find_browser({}, str(tmp_path), tmp_path / "nothing")


def test_a_named_browser_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"FFNSITE_BROWSER 指向 .*nowhere"):
        find_browser({"FFNSITE_BROWSER": str(tmp_path / "nowhere")}, None, tmp_path / "nothing")


def test_black_on_white_has_contrast_21_and_777777_has_4_48():
    assert contrast("rgb(0, 0, 0)", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "rgb(255, 255, 255)") == pytest.approx(4.48, abs=0.005)


class Shell:
    """Stands for the machine: remembers what it was asked to run, and fails what it is told to."""

    def __init__(self, *failing):
        self.failing, self.asked = failing, []

    def __call__(self, command, *, check):
        self.asked.append(command)
        return CompletedProcess(command, returncode=1 if command in self.failing else 0)


def test_playwrights_own_download_is_tried_first():
    shell = Shell()
    assert install(shell, root=True)
    assert shell.asked == [DOWNLOAD]


def test_debians_package_is_installed_only_by_root():
    shell = Shell(DOWNLOAD)
    assert not install(shell, root=False)
    assert shell.asked == [DOWNLOAD]


def test_debians_package_follows_where_the_download_fails(monkeypatch):
    monkeypatch.setattr("install.shutil.which", lambda name: f"/usr/bin/{name}")
    shell = Shell(DOWNLOAD)
    assert install(shell, root=True)
    assert shell.asked == [DOWNLOAD, *DEBIAN]
    assert not install(Shell(DOWNLOAD, DEBIAN[1]), root=True)
