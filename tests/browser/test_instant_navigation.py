import pytest
from playwright.sync_api import expect
from test_figure_drawing import drawn, fits


def loads(page):
    """A mark that a full page load would wipe away."""
    return page.evaluate("window.sameDocument === true")


def go(page, name):
    page.evaluate(
        "name => [...document.querySelectorAll('.md-nav a')]"
        ".find(link => link.textContent.trim() === name).click()",
        name,
    )


@pytest.fixture
def visitor(reader_of, material_home):
    reader = reader_of(material_home)
    with reader.page.expect_response("**/sitemap.xml"):
        page = reader.visit()
    page.wait_for_timeout(100)
    page.evaluate("window.sameDocument = true")
    return reader


def test_a_figure_reached_by_an_internal_link_is_drawn_once_and_again_after_going_back(visitor):
    page = visitor.page
    page.get_by_role("link", name="参数", exact=True).last.click()
    drawn(page, "#figure-params")
    drawn(page, "#figure-trace")
    assert (visitor.count("newPlot"), visitor.count("purge")) == (2, 0)
    page.go_back()
    expect(page.get_by_role("heading", name="首页")).to_be_visible()
    page.wait_for_function("window.draws.purge === 2")
    page.go_forward()
    drawn(page, "#figure-params")
    drawn(page, "#figure-trace")
    page.wait_for_timeout(300)
    assert visitor.count("newPlot") == 4
    assert sum("plotly" in url for url in visitor.requests) == 1
    assert loads(page)


def test_the_toggle_of_the_page_recolours_a_figure_reached_by_an_internal_link(visitor):
    page = visitor.page
    go(page, "参数")
    drawn(page)
    ink = "getComputedStyle(document.querySelector('.ytick text')).fill"
    light = page.evaluate(ink)
    page.locator("label[for='__palette_1']").click()
    page.wait_for_function(f"{ink} !== '{light}'")
    assert page.evaluate(ink) == "rgb(228, 232, 238)"
    assert loads(page)


def test_a_figure_in_the_second_tab_and_in_closed_details_fills_its_column(visitor):
    page = visitor.page
    go(page, "追踪")
    expect(page.get_by_role("heading", name="追踪")).to_be_visible()
    page.get_by_text("乙", exact=True).click()
    page.get_by_text("更多", exact=True).click()
    for figure in ("#figure-in-tab", "#figure-in-details"):
        page.locator(figure).scroll_into_view_if_needed()
        chart = drawn(page, figure).bounding_box()
        assert chart["width"] > 500
        picture = page.locator(f"{figure} svg.main-svg").first.bounding_box()
        assert picture["width"] == chart["width"]


def test_the_card_closes_when_the_page_changes_and_its_link_goes_to_the_row(visitor):
    page = visitor.page
    go(page, "参数")
    expect(page.get_by_role("heading", name="参数的账")).to_be_visible()
    page.locator("a.ffn-number").first.click()
    page.get_by_role("link", name="在数字台账里看").click()
    expect(page.get_by_role("heading", name="台账")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.url.endswith("/numbers/#params.share")
    row = page.locator("tr[id='params.share']")
    expect(row).to_be_in_viewport()
    page.wait_for_function("document.querySelector('tr:target')?.id === 'params.share'")
    assert loads(page)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("address", ["", "ffn/params/", "ffn/trace/", "numbers/"])
def test_no_page_of_a_material_site_scrolls_sideways_at_360_pixels(
    reader_of, material_home, address, dark
):
    page = reader_of(material_home, width=360, height=740, dark=dark).visit(address)
    page.evaluate("document.querySelectorAll('details').forEach(box => box.open = true)")
    page.wait_for_timeout(300)
    assert fits(page)
