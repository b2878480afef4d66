"""A real browser for the tests, and folders served on localhost for it to read.

A missing browser is an error that says what to do, never a skipped test.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from demo_site import write_material_site, write_static_site
from install import find_browser
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

# Counts what is asked of plotly, from outside: the library is wrapped when it arrives.
COUNT_DRAWS = """(() => {
  let wrapped;
  window.draws = { newPlot: 0, react: 0, purge: 0 };
  const counted = (plotly) => Object.fromEntries(Object.keys(window.draws).map((name) =>
    [name, (...given) => { window.draws[name] += 1; return plotly[name](...given); }]));
  Object.defineProperty(window, "Plotly", {
    get: () => wrapped,
    set: (plotly) => { wrapped = { ...plotly, ...counted(plotly) }; },
  });
})();"""

# Sums the layout shifts that no reader's action explains (the browser's own measure).
COUNT_SHIFTS = """(() => {
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
})();"""


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    downloaded = Path(playwright.chromium.executable_path)
    executable = find_browser(os.environ, os.environ.get("PATH"), downloaded)
    launched = playwright.chromium.launch(executable_path=executable, args=list(QUIET))
    yield launched
    launched.close()


@dataclass
class Reader:
    """One reader with an empty profile: a page, and everything that went wrong in it."""

    page: Page
    home: str
    requests: list[str] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)

    def visit(self, address: str = "") -> Page:
        self.page.goto(self.home + address)
        return self.page

    def count(self, name: str) -> int:
        return self.page.evaluate(f"window.draws.{name}")

    def watch(self) -> None:
        self.page.on("console", lambda message: self._heard(message.type, message.text))
        self.page.on("pageerror", lambda error: self.trouble.append(f"exception: {error}"))
        self.page.on("request", lambda request: self._asked(request.url))

    def _heard(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.trouble.append(f"console {kind}: {text}")

    def _asked(self, url: str) -> None:
        self.requests.append(url)
        if not url.startswith((self.home, "data:", "blob:")):
            self.trouble.append(f"foreign request: {url}")


@pytest.fixture
def reader_of(browser: Browser) -> Iterator:
    """Makes readers; at the end of the test none may have met an error or a foreign request."""
    contexts: list[BrowserContext] = []
    readers: list[Reader] = []

    def make(home: str, *, width: int = 1200, height: int = 800, dark: bool = False, **more):
        contexts.append(
            browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if dark else "light",
                **more,
            )
        )
        contexts[-1].add_init_script(COUNT_DRAWS)
        contexts[-1].add_init_script(COUNT_SHIFTS)
        reader = Reader(contexts[-1].new_page(), home)
        reader.watch()
        readers.append(reader)
        return reader

    yield make
    trouble = [line for reader in readers for line in reader.trouble]
    for context in contexts:
        context.close()
    assert trouble == []


class Folder(SimpleHTTPRequestHandler):
    """Serves a folder quietly, with the headers it is given."""

    def __init__(self, *given, headers: Mapping[str, str], **named):
        self.extra = headers
        super().__init__(*given, **named)

    def end_headers(self):
        for name, value in self.extra.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *given):
        pass


@contextmanager
def served(folder: Path, headers: Mapping[str, str] | None = None) -> Iterator[str]:
    handler = partial(Folder, directory=str(folder), headers=headers or {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def static_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_static_site(tmp_path_factory.mktemp("static"))


@pytest.fixture(scope="session")
def static_home(static_folder: Path) -> Iterator[str]:
    with served(static_folder) as address:
        yield address


@pytest.fixture(scope="session")
def strict_home(static_folder: Path) -> Iterator[str]:
    """The same pages under a policy that allows scripts from this host alone."""
    with served(static_folder, {"Content-Security-Policy": "script-src 'self'"}) as address:
        yield address


@pytest.fixture(scope="session")
def material_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("material")
    with served(folder / "site") as address:
        write_material_site(folder, address)
        yield address
