from pathlib import Path

import pytest
from conftest import find_browser
from contrast import contrast


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


def test_no_browser_is_an_error_that_names_make_setup(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"没有浏览器.*make setup.*FFNSITE_BROWSER"):
        find_browser({}, str(tmp_path), tmp_path / "nothing")


def test_a_named_browser_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"FFNSITE_BROWSER 指向 .*nowhere"):
        find_browser({"FFNSITE_BROWSER": str(tmp_path / "nowhere")}, None, tmp_path / "nothing")


def test_black_on_white_has_contrast_21_and_777777_has_4_48():
    assert contrast("rgb(0, 0, 0)", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "rgb(255, 255, 255)") == pytest.approx(4.48, abs=0.005)
