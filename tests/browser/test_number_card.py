import pytest
from contrast import contrast
from playwright.sync_api import expect

NUMBER = "a.ffn-number"


def card_of(page):
    return page.get_by_role("dialog", name="这个数的来历")


def test_a_click_shows_value_kind_definition_and_source(reader_of, static_home):
    page = reader_of(static_home).visit("index.html")
    page.locator(NUMBER).first.click()
    for text in ("80.77%", "现算", "不含归一化", "figures/params.py:38"):
        expect(card_of(page)).to_contain_text(text)
    href = page.locator(NUMBER).first.evaluate("number => number.href")
    link = card_of(page).get_by_role("link", name="在数字台账里看")
    assert link.evaluate("link => link.href") == href
    page.locator(NUMBER).nth(1).click()
    expect(card_of(page)).to_have_count(1)
    expect(card_of(page)).to_contain_text("文献")
    assert page.url.endswith("index.html")


@pytest.mark.parametrize("how", ["click", "keyboard"])
def test_the_second_time_follows_the_link(reader_of, static_home, how):
    page = reader_of(static_home).visit("index.html")
    number = page.locator(NUMBER).first
    for _ in range(2):
        if how == "click":
            number.click()
        elif card_of(page).count():
            page.keyboard.press("Enter")
        else:
            number.press("Enter")
    page.wait_for_url("**/numbers/#params.share")


def test_escape_closes_the_card_and_gives_the_focus_back(reader_of, static_home):
    page = reader_of(static_home).visit("index.html")
    page.locator(NUMBER).first.press("Enter")
    expect(card_of(page).get_by_role("link")).to_be_focused()
    page.keyboard.press("Escape")
    expect(card_of(page)).to_have_count(0)
    expect(page.locator(NUMBER).first).to_be_focused()


def test_tab_goes_on_to_the_next_number(reader_of, static_home):
    page = reader_of(static_home).visit("index.html")
    page.locator(NUMBER).first.press("Enter")
    page.keyboard.press("Tab")
    expect(card_of(page)).to_have_count(0)
    expect(page.locator(NUMBER).nth(1)).to_be_focused()


def test_a_click_elsewhere_closes_the_card_and_one_inside_does_not(reader_of, static_home):
    page = reader_of(static_home).visit("index.html")
    page.locator(NUMBER).first.click()
    card_of(page).get_by_text("80.77%").click()
    expect(card_of(page)).to_be_visible()
    page.mouse.click(5, 5)
    expect(card_of(page)).to_have_count(0)


def test_a_click_with_control_opens_a_new_tab_and_no_card(reader_of, static_home):
    reader = reader_of(static_home)
    page = reader.visit("index.html")
    with page.context.expect_page() as opened:
        page.locator(NUMBER).first.click(modifiers=["Control"])
    assert opened.value.url.endswith("numbers/#params.share")
    expect(card_of(page)).to_have_count(0)


@pytest.mark.parametrize("k", range(4))
def test_on_a_phone_a_tap_shows_the_card_inside_the_view(reader_of, static_home, k):
    page = reader_of(static_home, width=360, height=640, has_touch=True).visit("index.html")
    page.locator(NUMBER).nth(k).tap()
    box = card_of(page).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 640
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_wrong_number_shows_what_is_wrong_and_copies_what_would_be_right(reader_of, static_home):
    reader = reader_of(static_home, permissions=["clipboard-read", "clipboard-write"])
    page = reader.visit("index.html")
    page.locator("a.ffn-wrong").click()
    expect(card_of(page)).to_contain_text("应为 80.77%，这里写的是 85%。")
    card_of(page).get_by_role("button", name="约八成").click()
    expect(card_of(page).get_by_role("button", name="约八成 ✓")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "约八成"


def test_neither_card_nor_mark_comes_along_when_text_is_copied(reader_of, static_home):
    reader = reader_of(static_home, permissions=["clipboard-read", "clipboard-write"])
    page = reader.visit("index.html")
    page.locator(NUMBER).first.click()
    page.evaluate("getSelection().selectAllChildren(document.body); document.execCommand('copy')")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "占约 81%，文献里 SwiGLU 是 1.944" in copied
    assert "在数字台账里看" not in copied
    assert "可写 81%" not in copied


@pytest.mark.parametrize("page_name", ["index.html", "index-dark.html"])
def test_numbers_marks_and_card_have_a_contrast_of_at_least_four_and_a_half(
    reader_of, static_home, page_name
):
    page = reader_of(static_home).visit(page_name)
    page.locator(NUMBER).first.click()
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    texts = "a.ffn-number, .ffn-fault, figcaption, .ffn-switch button, .ffn-card :is(p, a, span)"
    colours = page.evaluate(
        """([texts]) => [...document.querySelectorAll(texts)].map((text) => {
          const style = getComputedStyle(text);
          return [text.className, style.color, style.backgroundColor];
        })""",
        [texts],
    )
    assert len(colours) > 12
    for name, ink, behind in colours:
        back = paper if behind == "rgba(0, 0, 0, 0)" else behind
        assert contrast(ink, back) >= 4.5, name
