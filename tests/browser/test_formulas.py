import re
from pathlib import Path

from test_figure_drawing import fits

HEIGHTS = """() => [...document.querySelectorAll('math')].slice(-2).map((formula) => {
  const bracket = [...formula.querySelectorAll('mo')].find((mo) => mo.textContent === '(');
  return bracket.getBoundingClientRect().height;
})"""


def own_font_only(static_folder: Path) -> str:
    """Our style sheet as a machine without any mathematical font sees it."""
    style = (static_folder / "assets/ffnsite.css").read_text(encoding="utf-8")
    return re.sub(r'local\("[^"]*"\),\s*', "", style)


def test_brackets_grow_with_their_fraction_in_the_font_that_we_bring(
    reader_of, static_home, static_folder
):
    reader = reader_of(static_home)
    reader.page.route(
        "**/ffnsite.css",
        lambda route: route.fulfill(body=own_font_only(static_folder), content_type="text/css"),
    )
    page = reader.visit("index.html")
    page.evaluate("document.fonts.ready")
    plain, grown = page.evaluate(HEIGHTS)
    assert any("math.woff2" in url for url in reader.requests)
    assert grown > 1.8 * plain


def test_a_page_without_formulas_does_not_fetch_the_font(reader_of, static_home):
    reader = reader_of(static_home)
    page = reader.visit("ledger.html")
    page.evaluate("document.fonts.ready")
    assert not any("woff2" in url for url in reader.requests)


def test_a_formula_wider_than_a_phone_scrolls_in_its_own_box(reader_of, static_home):
    page = reader_of(static_home, width=360).visit("index.html")
    wide = page.locator("math").first
    assert wide.evaluate("box => box.scrollWidth > box.clientWidth + 300")
    wide.evaluate("box => box.scrollBy(200, 0)")
    assert wide.evaluate("box => box.scrollLeft") == 200
    assert fits(page)
