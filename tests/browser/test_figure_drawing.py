import pytest
from contrast import contrast
from demo_site import DARK, LIBRARY, LIGHT
from playwright.sync_api import expect

DRAWN = ".ffn-chart svg.main-svg:first-of-type"
BAR = "#figure-params .bars .point path"


def drawn(page, figure="#figure-params"):
    chart = page.locator(f"{figure} .ffn-chart")
    chart.locator("svg.main-svg").first.wait_for()
    return chart


def fill(page, selector):
    return page.locator(selector).first.evaluate("mark => getComputedStyle(mark).fill")


def rgb(colour):
    return f"rgb({int(colour[1:3], 16)}, {int(colour[3:5], 16)}, {int(colour[5:], 16)})"


def bar_lengths(page):
    return page.evaluate(
        f"[...document.querySelectorAll('{BAR}')].map(bar => Math.round(bar.getBBox().width))"
    )


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1200, 360])
def test_figures_fill_the_column_and_the_page_never_scrolls_sideways(
    reader_of, static_home, width, dark
):
    page = reader_of(static_home, width=width).visit("index-dark.html" if dark else "index.html")
    for figure in ("#figure-params", "#figure-trace"):
        page.locator(figure).scroll_into_view_if_needed()
        chart = drawn(page, figure).bounding_box()
        picture = page.locator(f"{figure} svg.main-svg").first.bounding_box()
        assert picture["width"] == chart["width"] == width - 32
        assert picture["height"] == chart["height"] == 340
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert fits(page)
    table = page.locator("#figure-params .ffn-scroll")
    assert table.evaluate("box => box.scrollWidth > box.clientWidth") == (width == 360)


def test_a_figure_is_drawn_once_and_only_when_it_nears_the_view(reader_of, static_home):
    reader = reader_of(static_home)
    page = reader.visit("far.html")
    page.wait_for_timeout(300)
    assert not any(LIBRARY in url for url in reader.requests)
    page.locator("#figure-trace").scroll_into_view_if_needed()
    drawn(page, "#figure-params")
    drawn(page, "#figure-trace")
    page.evaluate("window.scrollTo(0, 0)")
    page.locator("#figure-trace").scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    assert reader.count("newPlot") == 2
    assert sum(LIBRARY in url for url in reader.requests) == 1


def test_a_page_that_is_announced_twice_is_set_up_once(reader_of, static_home):
    reader = reader_of(static_home)
    reader.page.add_init_script("window.document$ = { subscribe: (enter) => [enter(), enter()] }")
    page = reader.visit("index.html")
    drawn(page, "#figure-params")
    drawn(page, "#figure-trace")
    page.get_by_role("button", name="整模型").click()
    assert (reader.count("newPlot"), reader.count("react")) == (2, 1)


def test_nothing_on_the_page_moves_while_figures_are_drawn(reader_of, static_home):
    page = reader_of(static_home).visit("index.html")
    drawn(page, "#figure-params")
    drawn(page, "#figure-trace")
    page.wait_for_timeout(300)
    assert page.evaluate("window.shifted") == 0


def test_a_switch_shows_the_chosen_chart_and_says_which_is_pressed(reader_of, static_home):
    page = reader_of(static_home).visit("index.html")
    drawn(page)
    before = bar_lengths(page)
    page.get_by_role("button", name="整模型").click()
    expect(page.get_by_role("button", name="整模型")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="一层")).to_have_attribute("aria-pressed", "false")
    after = bar_lengths(page)
    # GPT-2 small, FFN, is the fourth bar: two thirds of a block, 0.455 of the whole model
    assert after[3] / before[3] == pytest.approx(0.455 / (2 / 3), abs=0.01)


def test_a_switch_works_by_keyboard(reader_of, static_home):
    page = reader_of(static_home).visit("index.html")
    drawn(page)
    page.get_by_role("button", name="一层").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="整模型")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="整模型")).to_have_attribute("aria-pressed", "true")


def test_a_chart_chosen_before_it_is_drawn_is_the_one_that_is_drawn(reader_of, static_home):
    page = reader_of(static_home).visit("far.html")
    page.evaluate("document.querySelectorAll('.ffn-switch button')[1].click()")
    page.locator("#figure-params").scroll_into_view_if_needed()
    drawn(page)
    first, fourth = (bar_lengths(page)[k] for k in (0, 3))
    assert fourth / first == pytest.approx(0.455 / 0.55, abs=0.01)


def test_the_scheme_toggle_recolours_marks_text_and_scale_at_once(reader_of, static_home):
    reader = reader_of(static_home)
    page = reader.visit("index.html")
    drawn(page, "#figure-trace")
    page.get_by_role("button", name="整模型").click()
    lengths = bar_lengths(page)
    heat = page.locator("#figure-trace image").first.get_attribute("href")
    assert fill(page, BAR) == rgb(LIGHT["ffn"])
    assert contrast(fill(page, ".ytick text"), "#ffffff") >= 4.5
    page.evaluate("document.body.dataset.mdColorScheme = 'slate'")
    page.wait_for_function(f"getComputedStyle(document.querySelector('{BAR}')).fill "
                           f"=== '{rgb(DARK[LIGHT['ffn']])}'")  # fmt: skip
    assert contrast(fill(page, ".ytick text"), "#1e2129") >= 4.5
    assert page.locator("#figure-trace image").first.get_attribute("href") != heat
    assert bar_lengths(page) == lengths
    assert reader.count("newPlot") == 2
    page.evaluate("document.body.dataset.mdColorScheme = 'default'")
    page.wait_for_function(f"getComputedStyle(document.querySelector('{BAR}')).fill "
                           f"=== '{rgb(LIGHT['ffn'])}'")  # fmt: skip


def test_a_page_that_opens_in_the_dark_scheme_draws_in_its_colours(reader_of, static_home):
    page = reader_of(static_home).visit("index-dark.html")
    drawn(page)
    assert fill(page, BAR) == rgb(DARK[LIGHT["ffn"]])


def test_a_figure_in_a_hidden_tab_or_closed_details_is_drawn_at_full_width_when_shown(
    reader_of, static_home
):
    reader = reader_of(static_home)
    page = reader.visit("hidden.html")
    page.wait_for_timeout(300)
    assert page.locator("svg.main-svg").count() == 0
    page.evaluate("document.getElementById('tab').hidden = false")
    page.locator("#more > summary").click()
    for figure in ("#figure-params", "#figure-trace"):
        page.locator(figure).scroll_into_view_if_needed()
        drawn(page, figure)
        assert page.locator(f"{figure} svg.main-svg").first.bounding_box()["width"] == 1168
    assert reader.count("newPlot") == 2


def test_a_figure_follows_the_width_of_its_column(reader_of, static_home):
    reader = reader_of(static_home)
    page = reader.visit("index.html")
    drawn(page)
    page.set_viewport_size({"width": 700, "height": 800})
    page.wait_for_function(f"document.querySelector('{DRAWN}').clientWidth === 668")
    assert reader.count("newPlot") == 2


def test_hiding_and_showing_a_drawn_figure_draws_nothing_anew(reader_of, static_home):
    reader = reader_of(static_home)
    page = reader.visit("index.html")
    drawn(page)
    for display in ("none", "block"):
        page.evaluate(f"document.querySelector('#figure-params').style.display = '{display}'")
        page.wait_for_timeout(100)
    assert (reader.count("newPlot"), reader.count("react")) == (2, 0)


def test_a_figure_hidden_while_the_scheme_changes_is_in_its_colours_when_shown(
    reader_of, static_home
):
    page = reader_of(static_home).visit("index.html")
    drawn(page)
    page.evaluate("document.querySelector('#figure-params').style.display = 'none'")
    page.wait_for_timeout(100)
    page.evaluate("document.body.dataset.mdColorScheme = 'slate'")
    page.wait_for_timeout(100)
    page.evaluate("document.querySelector('#figure-params').style.display = 'block'")
    page.wait_for_function(f"getComputedStyle(document.querySelector('{BAR}')).fill "
                           f"=== '{rgb(DARK[LIGHT['ffn']])}'")  # fmt: skip


def test_a_diagram_switches_and_recolours_without_the_plotly_library(reader_of, static_home):
    reader = reader_of(static_home, width=360)
    page = reader.visit("diagram.html")
    chart = page.get_by_role("img", name="flow 的图")
    expect(chart.locator("text")).to_have_text("第一张")
    assert chart.locator("svg").bounding_box()["width"] == 328
    page.get_by_role("button", name="乙").click()
    expect(chart.locator("text")).to_have_text("第二张")
    assert fill(page, "#figure-flow rect") == rgb(LIGHT["ffn"])
    page.evaluate("document.body.dataset.mdColorScheme = 'slate'")
    expect(chart.locator("rect")).to_have_attribute("fill", DARK[LIGHT["ffn"]])
    expect(chart.locator("text")).to_have_text("第二张")
    assert not any(LIBRARY in url for url in reader.requests)


def test_a_diagram_is_seen_without_javascript(reader_of, static_home):
    page = reader_of(static_home, java_script_enabled=False).visit("diagram.html")
    expect(page.locator("#figure-flow svg")).to_be_visible()


def test_a_library_that_does_not_come_is_said_in_chinese_and_opens_the_data_table(
    reader_of, static_home
):
    reader = reader_of(static_home)
    page = reader.visit("missing.html")
    expect(page.get_by_role("alert")).to_contain_text("这张图没有画出来")
    expect(page.get_by_role("alert")).to_contain_text("assets/nowhere.js")
    expect(page.locator("#figure-params table")).to_be_visible()
    assert any("404" in line for line in reader.trouble)
    reader.trouble.clear()


def test_a_figure_is_drawn_under_a_policy_of_own_scripts_only(reader_of, strict_home):
    page = reader_of(strict_home).visit("index.html")
    drawn(page, "#figure-params")
    drawn(page, "#figure-trace")
    page.locator("a.ffn-number").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_pages_work_from_the_disk(reader_of, static_folder):
    page = reader_of(static_folder.as_uri() + "/").visit("index.html")
    drawn(page, "#figure-params")
    page.locator("a.ffn-number").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("figures/params.py:38")


def test_a_vertical_swipe_over_a_figure_scrolls_the_page(reader_of, static_home):
    page = reader_of(static_home, width=360, height=640, has_touch=True).visit("index.html")
    drawn(page)
    box = page.locator("#figure-params .ffn-chart").bounding_box()
    finger = page.context.new_cdp_session(page)
    for step in range(15):
        kind = "touchMove" if step else "touchStart"
        at = {"x": box["x"] + 200, "y": box["y"] + 250 - 10 * step}
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function("window.scrollY > 80")


def test_without_javascript_the_data_table_and_the_numbers_remain(reader_of, static_home):
    page = reader_of(static_home, java_script_enabled=False).visit("index.html")
    expect(page.locator(".ffn-switch")).to_be_hidden()
    page.locator("#figure-params summary").click()
    expect(page.locator("#figure-params table")).to_be_visible()
    page.locator("a.ffn-number").first.click()
    assert page.url.endswith("numbers/#params.share")


def test_paper_gets_every_figure_in_light_colours_within_the_sheet(reader_of, static_home):
    reader = reader_of(static_home)
    page = reader.visit("far-dark.html")
    page.evaluate("window.scrollTo(0, 3000)")
    drawn(page, "#figure-params")
    page.evaluate(
        f"""addEventListener('beforeprint', () => {{
          const bar = document.querySelector('{BAR}');
          window.seen = [getComputedStyle(bar).fill, document.querySelector('{DRAWN}').clientWidth];
        }})"""
    )
    page.pdf()
    colour, width = page.evaluate("window.seen")
    assert colour == rgb(LIGHT["ffn"])
    assert width <= 640
    assert fill(page, BAR) == rgb(DARK[LIGHT["ffn"]])
    assert page.locator(DRAWN).first.evaluate("svg => svg.clientWidth") == 1168
    assert reader.count("newPlot") == 2


def test_paper_gets_the_data_tables_where_the_library_has_not_come(reader_of, static_home):
    page = reader_of(static_home).visit("far.html")
    tables = "[...document.querySelectorAll('details.ffn-table')].map(table => table.open)"
    page.evaluate(f"addEventListener('beforeprint', () => {{ window.seen = {tables}; }})")
    page.pdf()
    assert page.evaluate("window.seen") == [True, True]
    assert page.evaluate(tables) == [False, False]
