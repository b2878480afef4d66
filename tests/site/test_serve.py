"""`mkdocs serve`: a wrong number is red where it stands, the server lives on, prose runs no model."""

import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import tiny

PATIENCE = 60


@dataclass
class Server:
    root: Path
    home: str
    log: Path

    def read(self) -> str:
        try:
            with urllib.request.urlopen(self.home, timeout=10) as answer:
                return answer.read().decode("utf-8")
        except (urllib.error.URLError, ConnectionError):
            return ""

    def wait_for(self, wanted: str) -> str:
        """The page once it says what is wanted."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            html = self.read()
            if re.search(wanted, html):
                return html
            time.sleep(0.2)
        raise AssertionError(f"never saw {wanted!r}; the server said:\n{self.log.read_text()}")

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")

    def drawn(self) -> int:
        """How often a child ran."""
        return self.log.read_text(encoding="utf-8").count("ffnsite  block")


@pytest.fixture
def server(tmp_path) -> Iterator[Server]:
    root = tmp_path / "site"
    tiny.write_tiny(root)
    yield from serve(root, tmp_path)


@pytest.fixture
def broken(tmp_path) -> Iterator[Server]:
    """A server that starts while a figure is no Python."""
    root = tmp_path / "site"
    tiny.write_tiny(root)
    (root / "figures/block.py").write_text("def draw(:\n", encoding="utf-8")
    yield from serve(root, tmp_path)


def serve(root, tmp_path) -> Iterator[Server]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path / "log.txt"
    command = [sys.executable, "-m", "mkdocs", "serve", "--livereload", "-a", f"127.0.0.1:{port}"]
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=root, stdout=output, stderr=output)
        try:
            yield Server(root, f"http://127.0.0.1:{port}/", log)
        finally:
            process.terminate()
            process.wait(timeout=20)


def test_an_author_sees_what_is_wrong_and_mends_it_without_a_restart(server):
    server.wait_for("三分之二</a>")
    assert server.drawn() == 1

    server.write("docs/index.md", tiny.PAGE.replace("三分之二", "四分之三"))
    wrong = server.wait_for("四分之三")
    number = re.search(r'<a class="ffn-number ffn-wrong".*?</a>', wrong)[0]
    assert 'data-verdict="disagrees"' in number
    assert "应为 66.6667%" in number
    assert "1 处不对" in wrong

    server.write("docs/index.md", tiny.PAGE.replace("一层里", "每一层里有 37 行，"))
    assert 'class="ffn-unbound"' in server.wait_for("37 行")

    server.write("docs/index.md", tiny.PAGE)
    assert "ffn-wrong" not in server.wait_for(r"一层里 FFN 占<a class=\"ffn-number\"")
    assert server.drawn() == 1, "editing prose ran a generator"

    server.write("figures/block.py", tiny.FIGURE.replace("8, 12", "9, 12"))
    server.wait_for("应为 75%")
    server.write("widths.py", "WIDTH = 'broad'\n")
    server.wait_for("int、float 或 Fraction")
    server.write("widths.py", "WIDTH = 2048\n")
    server.write("figures/block.py", "def draw(:\n")
    server.wait_for("不是合法的 Python")
    server.write("figures/block.py", tiny.FIGURE)
    assert "ffn-faults" not in server.wait_for(r"一层里 FFN 占<a class=\"ffn-number\"")


def test_the_server_starts_on_a_broken_figure_and_sees_it_mended(broken):
    broken.wait_for("不是合法的 Python")
    broken.write("figures/block.py", tiny.FIGURE)
    broken.wait_for("三分之二</a>")
