"""The real site in a real browser: every page, wide and narrow, light and dark."""

import gzip
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import served
from playwright.sync_api import expect
from test_figure_drawing import drawn, fits

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted(
    path.relative_to(ROOT / "docs").with_suffix("").as_posix()
    for path in (ROOT / "docs").rglob("*.md")
)
# One worker builds the site and reads all of it.
pytestmark = pytest.mark.xdist_group("articles-in-a-browser")


def address(page: str) -> str:
    return "" if page == "index" else f"{page}/"


@pytest.fixture(scope="session")
def articles(tmp_path_factory):
    """The built site, at the address that it was built for: instant navigation depends on it."""
    folder = tmp_path_factory.mktemp("articles") / "site"
    folder.mkdir()
    with served(folder) as home:
        command = [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--strict",
            "--quiet",
            "-d",
            str(folder),
        ]
        subprocess.run(
            command,
            cwd=ROOT,
            check=True,
            env=os.environ | {"SITE_URL": home, "NO_MKDOCS_2_WARNING": "1"},
        )
        yield home


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1440, 360])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_draws_its_figures_and_asks_nobody_else(reader_of, articles, name, width, dark):
    reader = reader_of(articles, width=width, height=900, dark=dark)
    page = reader.visit(address(name))
    assert page.evaluate("document.body.dataset.mdColorScheme") == ("slate" if dark else "default")
    figures = page.locator("figure.ffn-figure:has(.ffn-chart[style])")
    for index in range(figures.count()):
        figures.nth(index).scroll_into_view_if_needed()
        drawn(page, f"#{figures.nth(index).get_attribute('id')}")
    assert reader.count("newPlot") == figures.count()
    assert fits(page)
    assert page.evaluate("window.shifted") < 0.1
    assert page.locator(".ffn-wrong, .ffn-unbound, .ffn-fault").count() == 0
    assert "\\(" not in page.locator("article").inner_text()


def test_a_figure_is_reached_by_instant_navigation_and_drawn_once(reader_of, articles):
    reader = reader_of(articles, width=1440)
    with reader.page.expect_response("**/sitemap.xml"):
        page = reader.visit()
    page.wait_for_timeout(200)
    page.evaluate("window.sameDocument = true")
    page.locator("article a[href*='03-params']").first.click()
    page.wait_for_url("**/03-params/")
    page.locator("#figure-params").scroll_into_view_if_needed()
    drawn(page, "#figure-params")
    page.wait_for_timeout(300)
    assert (reader.count("newPlot"), page.evaluate("window.sameDocument")) == (1, True)


def test_the_scheme_toggle_recolours_a_drawn_figure(reader_of, articles):
    page = reader_of(articles, width=1440).visit("ffn/03-params/")
    page.locator("#figure-params").scroll_into_view_if_needed()
    drawn(page, "#figure-params")
    ink = "getComputedStyle(document.querySelector('#figure-params .ytick text')).fill"
    light = page.evaluate(ink)
    page.locator("label[for='__palette_1']").click()
    page.wait_for_function(f"{ink} !== '{light}'")


def test_a_number_opens_its_card_and_leads_to_its_row(reader_of, articles):
    page = reader_of(articles, width=360).visit("ffn/03-params/")
    number = page.locator("a.ffn-number[data-kind=fact]").first
    name = number.get_attribute("data-name")
    number.click()
    card = page.locator(".ffn-card")
    expect(card).to_contain_text(number.get_attribute("data-source"))
    card.get_by_role("link").last.click()
    page.wait_for_url(f"**/numbers/#{name}")
    expect(page.locator(f"[id='{name}']")).to_be_in_viewport()


@pytest.mark.parametrize("word", ["热力图", "残差流", "前馈网络", "SwiGLU"])
def test_a_word_stands_in_the_search_index_as_one_token(reader_of, articles, word):
    reader = reader_of(articles)
    reader.visit()
    index = reader.page.request.get(f"{articles}search/search_index.json").json()
    tokens = {token for doc in index["docs"] for token in re.split(r"[\s\u200b<>]+", doc["text"])}
    assert index["config"]["lang"] == ["zh"]
    assert word in tokens


def test_the_search_index_holds_no_figures_and_no_ledger(reader_of, articles):
    reader = reader_of(articles)
    reader.visit()
    index = reader.page.request.get(f"{articles}search/search_index.json").text()
    assert "figures/params.py" not in index
    assert "colorway" not in index
    assert len(gzip.compress(index.encode())) < 150_000
    assert not any(0x17000 <= ord(character) <= 0x18AFF for character in index)


def test_the_pages_work_from_disk(reader_of, articles, tmp_path, browser):
    folder = tmp_path / "site"
    environment = os.environ | {"SITE_URL": "", "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, env=environment)
    page = browser.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((folder / "ffn/03-params/index.html").as_uri())
    page.locator("#figure-params").scroll_into_view_if_needed()
    drawn(page, "#figure-params")
    assert [url for url in asked if not url.startswith("file://")] == []
    shutil.rmtree(folder)
