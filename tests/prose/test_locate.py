"""Line and column of a loose number and of a formula, also where the same words stand elsewhere."""

import pytest
from one_page import faults, places


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<!-- 37 个 -->\n\n37 个", ["3:1"]),
        ("`37 个` 有 37 个", ["1:10"]),
        ("```\n37 个\n```\n\n37 个", ["5:1"]),
        ("[x](37.md) 37 个", ["1:12"]),
        ("---\nauthor: 37 个\n---\n\n37 个", ["5:1"]),
        ("占 [三分之二](fact:block.share) 三分之二", ["1:28"]),
        ("$37$ 与 37 个", ["1:8"]),
        ("共 **37 个** 与 *38* 个", ["1:5", "1:15"]),
        ("3**7** 个", ["1:1"]),
        ("A&amp;B 38 个", ["1:9"]),
        ("38&nbsp;个", ["1:1"]),
        ("a\\_b 37 个", ["1:6"]),
        ("37 个，37 个\n37 个", ["1:1", "1:6", "2:1"]),
        (" ".join(["37 个"] * 40), [f"1:{column}" for column in range(1, 200, 5)]),
        ("有 37 个[^1]。\n\n[^1]: 也有 37 个。\n\n再 37 个", ["1:3", "3:10", "5:3"]),
        ("文[^37]再[^37]\n\n[^37]: 注 37 个", ["3:10"]),
        ("|a|37 个|\n|-|-|\n|37 个|37 个|", ["1:4", "3:2", "3:7"]),
        ('=== "37 个"\n    甲 38 个\n=== "乙"\n    39 个', ["1:6", "2:7", "4:5"]),
        ('!!! note "题 37 个"\n    里', ["1:13"]),
        ('??? note "题 37 个"\n    里 38 个', ["1:13", "2:7"]),
        ("> - 甲\n>     1. 乙 37 个", ["2:12"]),
        ("1. 甲\n2. 有 37 个", ["2:6"]),
        ("词 37 个\n:   义 38 个", ["1:3", "2:7"]),
        ("## 第一 37 个 {#s37}", ["1:7"]),
        ("[TOC]\n\n## 共 38 个\n", ["3:6"]),
        ("<p>37 个</p>", ["1:4"]),
        ("<details><summary>37 个</summary>38 个</details>", ["1:19", "1:33"]),
        ('<div markdown="1">\n甲 37 个\n</div>', ["2:3"]),
        ("\t甲\n\n-\t乙 37 个", ["3:5"]),
        ("字" * 9000 + "37 个", ["1:9001"]),
        ("价 \\$37 与 \\$5", ["1:5", "1:12"]),
    ],
)
def test_a_loose_number_is_found_where_it_stands(source, expected):
    assert places(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("$\\frob{x}$ 与 $\\frob{x}$", ["1:1", "1:14"]),
        ("`$\\frob{x}$` 与 $\\frob{x}$", ["1:16"]),
        ("甲\n\n$$\ny = \\frob{x}\n$$", ["4:1"]),
        ("d 与 d\n\n## 宽 $d$ {#w}", ["3:6"]),
    ],
)
def test_a_wrong_formula_is_found_where_it_stands(source, expected):
    assert places(source) == expected


def test_two_rows_with_a_cell_too_many_are_two_places():
    row = "| $P(A|B)$ | 二 |"
    found = [(place, kind) for place, kind, _ in faults(f"| 甲 | 乙 |\n|---|---|\n{row}\n{row}")]
    assert ("3:1", "misplaced") in found
    assert ("4:1", "misplaced") in found
