"""What the Markdown extension makes of bindings: right ones, strange ones, and those in wrong places."""

import re

import pytest
from one_page import faults, places, read, shelf

ALT = "![条形图：FFN 的那一条最长](figure:block)"


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("- 甲\n    - 乙 [八成](fact:block.share)", "2:9"),
        ("> > 引 [八成](fact:block.share)", "1:7"),
        ('=== "甲"\n    里\n=== "乙 [八成](fact:block.share)"\n    里', "3:8"),
        ('!!! note "题 [八成](fact:block.share)"\n    里', "1:13"),
        ("词\n:   义 [八成](fact:block.share)", "2:7"),
        ("文[^1]再[^1]\n\n[^1]: 注 [八成](fact:block.share)", "3:9"),
        ('<div markdown="1">\n甲 [八成](fact:block.share)\n</div>', "2:3"),
        ('[八成](fact:block.share "题")', "1:1"),
        ("[八成]( fact:block.share )", "1:1"),
        ("[八成](<fact:block.share>)", "1:1"),
        ("甲\n[八成](\nfact:block.share)", "2:1"),
        ("甲 [八\n成](fact:block.share)", "1:3"),
        ("[**八成**](fact:block.share)", "1:1"),
        ("“[八成](fact:block.share)”", "1:2"),
    ],
)
def test_a_wrong_number_is_judged_once_where_its_link_begins(source, place):
    assert [(where, kind) for where, kind, _ in faults(source)] == [(place, "disagrees")]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("[多](facts:block.share)", "请写成 [字](fact:名字)"),
        ("[多](Fact:block.share)", "请写成 [字](fact:名字)"),
        ("[多](fact：block.share)", "请写成 [字](fact:名字)"),
        ("[多](site:block.share)", "请写成 [字](cite:名字)"),
        ("![条形图](figures:block)", "写成 ![替代文字](figure:名字)"),
        ("[多](figure:block)", "图前面要有感叹号"),
        ("![多](fact:block.share)", "数前面没有感叹号"),
        ("*[FFN]: 前馈 [多](fact:block.share)\n\nFFN", "不生效"),
        ("\\[多](fact:block.share)", "不生效"),
        ("[甲 [多](fact:block.share) 乙](x.md)", "不生效"),
    ],
)
def test_what_is_nearly_a_binding_is_a_fault_that_says_how_to_write_it(source, said):
    _, kind, message = faults(source)[0]
    assert kind == "misplaced"
    assert said in message


def test_ordinary_links_are_left_alone():
    source = "[甲](http://a.b) [乙](mailto:a@b.c) [丙](x.md#y) [丁](tel:1) [戊](file:///a) [己](facetime:a) ![图](data:image/png;base64,AA)"
    assert faults(source) == []


@pytest.mark.parametrize(
    "words",
    ["10<sup>3</sup>", "2<del>0</del>48", "20<br>48", "2048[^1]"],
)
def test_markup_that_changes_a_number_is_never_read_as_digits(words):
    assert [kind for _, kind, _ in faults(f"[{words}](fact:block.width)\n\n[^1]: 注")] == [
        "unreadable"
    ]


@pytest.mark.parametrize("words", ["2048&nbsp;个", "**2048** 个", "`2048`", "*2,048*"])
def test_markup_that_says_the_same_is_read_through(words):
    assert faults(f"[{words}](fact:block.width)") == []


def test_a_commented_out_binding_is_no_fault():
    assert faults("<!-- [八成](fact:block.share) 37 个 -->\n\n文") == []
    assert faults("文 <!-- [八成](fact:block.share) --> 字") == []


@pytest.mark.parametrize(
    ("source", "column"),
    [
        ("![有 37 个点的图](a.png)", "1:5"),
        ('![点](a.png "37 个")', "1:13"),
        ('[甲](b.md "37 个")', "1:11"),
        ("FFN\n\n*[FFN]: 前馈，37 个", "3:12"),
        ('<img alt="37 个" src="a.png">', "1:11"),
        ('<div aria-label="37 个">x</div>', "1:18"),
        ("<svg><text>37 个</text></svg>", "1:12"),
        ("<noscript>37 个</noscript>", "1:11"),
    ],
)
def test_what_pictures_hovering_and_raw_html_say_is_searched_too(source, column):
    assert [(place, kind) for place, kind, _ in faults(source)] == [(column, "unbound")]


def test_a_number_in_an_attribute_is_bound_in_the_front_matter():
    matter = "---\nfacts:\n  三分之二: fact:block.share\n---\n\n"
    assert faults(f"{matter}![FFN 占三分之二](a.png)") == []
    assert [kind for _, kind, _ in faults(f"{matter}占三分之二")] == ["unbound"]
    assert "facts: 下写" in faults("![FFN 占三分之二](a.png)")[0][2]


def test_facts_of_the_front_matter_that_are_no_mapping_are_a_fault():
    assert faults("---\nfacts: [三分之二]\n---\n\n文")[0][:2] == ("2:1", "misplaced")


def test_ids_are_unique_on_a_page():
    source = f"# N1\n\n[三分之二](fact:block.share)，[2048](fact:block.width)[^1][^1]\n\n{ALT}\n\n{ALT}\n\n[^1]: 注"
    html, sheet = read(source)
    ids = re.findall(r'\bid="([^"]*)"', html)
    assert len(ids) == len(set(ids))
    assert {quote.anchor for quote in sheet.quotes if quote.anchor} <= set(ids)


@pytest.mark.parametrize(
    "source",
    [
        "[三分之二](fact:block.share)",
        "$[8](fact:block.ffn)$",
        '<a href="fact:block.share">甲</a>',
        "[甲]: fact:block.share\n\n[甲]",
        "```\n[八成](fact:no.name)\n```",
        f"- {ALT}",
        "[TOC]\n\n## 节 [三分之二](fact:block.share)",
    ],
)
def test_no_mark_is_left_on_the_page(source):
    assert not re.search("[\U00017000-\U000187ff]", read(source)[0])


HOSTILE = "<script>alert('x')</script> & \"q\" </template>"


def test_hostile_words_in_alternative_text_and_caption_stay_words():
    html, _ = read(f"![{HOSTILE} 的条形图](figure:block)", shelf(caption=HOSTILE))
    assert "<script" not in html
    assert html.count("</template>") == 1


def test_a_hostile_reason_of_an_exemption_stays_a_word():
    html, sheet = read("[42](plain:<script>alert`x`</script>&)")
    assert sheet.quotes[0].name.startswith("<script>")
    assert "<script" not in html


def test_windows_line_ends_and_a_byte_order_mark_move_no_place():
    source = "\ufeff第一行\r\n第二 [八成](fact:block.share)\r\n\r\n37 个\r\n"
    assert places(source) == ["2:4", "4:1"]


def test_a_page_with_nothing_to_say_has_no_fault():
    for source in ("", "\n\n", "---\ntitle: 空\n---\n", "---\n---\n", ALT):
        assert faults(source) == []
