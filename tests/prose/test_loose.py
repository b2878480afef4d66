"""Loose numbers: what must be bound, what is excused, and by which class."""

import re
import time
from itertools import pairwise
from pathlib import Path

import pytest

from ffnsite.prose.exempt import EXEMPTIONS, names_of
from ffnsite.prose.loose import Loose, find_loose

NOTHING = names_of([])

# One row is a text and, numeral by numeral, the class that excuses it; "bind" where nothing may.
EXCUSED = [
    # names of models, chips, formats, data sets
    ("Llama-3-8B 是开放权重的", "name name"),
    ("GPT-2 和 GPT-3 都是如此", "name name"),
    ("GPT-3 175B 用的也是它", "name name"),
    ("T5-Base 与 T5-11B", "name name name"),
    ("Mixtral 8×7B 的路由", "name name"),
    ("FP8、INT8、bf16、fp32、float64", "name name name name name"),
    ("在 H100 与 A100 上", "name name"),
    ("取 top-25 的前缀，top-k 也行", "name"),
    ("SmolLM2-135M-Instruct", "name name"),
    ("Qwen2.5-0.5B 也一样", "name name idiom"),
    ("Llama-2/3-70B", "name name"),
    ("Llama 2 与 LLaMA 2 70B", "name name name"),
    ("C4、E4M3、W8A8、Q4_1", "name name name name name name name"),
    ("WikiText-103 和 CIFAR-10", "name name"),
    ("UTF-8 编码", "name"),
    ("RTX 4090 显卡", "name"),
    ("4-bit 量化与 5-shot 评测", "name name"),
    ("2D 卷积", "name"),
    ("IEEE 754 与 RFC 2119", "name name"),
    ("C++17", "name"),
    ("变量 llama3_8b_block_share", "name name"),
    ("pass@10 与 ROUGE-2", "name name"),
    ("GPT\u20114o 用的是不断行连字符", "name"),
    # versions
    ("mkdocs 1.6.1 之后", "version"),
    ("v2.13.0 发布", "version"),
    ("Python 3.11 起支持", "version"),
    ("Python 3.11+ 与 torch 2.13.0", "version version"),
    ("SMT-LIB 2.6 标准", "version"),
    ("CUDA 12.4 和 TPU v4", "version version"),
    ("1.6.1rc1", "version version"),
    ("版本 3.2 修好了", "version"),
    ("2.0 版本里改名", "version"),
    # dates
    ("2017 年的论文", "date"),
    ("2026-11-29 测的", "date date date"),
    ("2026/11/29 测的", "date"),
    ("2020 年 12 月", "date date"),
    ("5 月 21 日", "date date"),
    ("（2021）", "date"),
    ("（Shazeer，2020；Geva 等，2021）", "date date"),
    ("Vaswani et al. 2017", "date"),
    ("Shazeer 2020 的表", "date"),
    ("NeurIPS 2022 与 ICLR 2023", "date date"),
    ("2016 年前后", "date"),
    ("2019–2021 年间", "date date"),
    ("二〇二六年十一月", "date date"),
    ("90 年代与九十年代", "date date"),
    ("二十世纪与 21 世纪", "date date"),
    ("星期三下午 3 点", "date date"),
    ("21 May 2015 的博客", "date date"),
    ("Shazeer, N. GLU Variants. arXiv:2002.05202, 2020.", "identifier date"),
    # references
    ("第五节与第 3 章", "reference reference"),
    ("见图 3、图 4 与表 1", "reference reference reference"),
    ("图 3–5 与图 3a", "reference reference reference"),
    ("§6.2 与 §3.1-3.2", "reference reference reference"),
    ("#17 讲过", "reference"),
    ("由式 (2) 与式（3）", "reference reference"),
    ("附录 B.1 与脚注 4", "reference reference"),
    ("第 12 页，第 3、4 条", "reference reference reference"),
    ("Table 3、Figure 2、Eq. 5、Fig. 1k", "reference reference reference reference"),
    ("pp. 5484-5495", "reference reference"),
    ("03 章里讲过", "reference"),
    ("见 3.2 节", "reference"),
    ("图一与表二", "reference reference"),
    ("定理 2 与引理 3.1", "reference reference"),
    ("第十二章", "reference"),
    ("早有人做过 [17]", "reference"),
    # indices
    ("第 15 层", "index"),
    ("第一个、第三步", "index index"),
    ("第 1 到 10 层", "index index"),
    ("第 15 / 17 / 18 层", "index index index"),
    ("W₁ 与 h₂、b₁", "index index index"),
    ("W_1 与 x_i", "index"),
    ("h2 与 L0", "index index"),
    ("±3\u03c3 的带子与 3\u03c3", "index index"),
    ("在 t+1 与 n−1 处", "index index"),
    ("layer 15 与 head 3", "index index"),
    ("位置 0 与位置 5", "index index"),
    ("随机种子 42", "index"),
    ("3 号专家", "index"),
    ("下标从 0 开始", "index"),
    ("第一天与第三秒", "index index"),
    ("第二，它变宽了", "index"),
    # numbers of lists and headings
    ("1. 先训练", "list"),
    ("1) 先训练", "list"),
    ("一、从头说起", "list"),
    ("（三）结论", "list"),
    ("12、附录", "list"),
    ("① 先量 ② 后算", "list list"),
    ("分两步：（1）量，（2）算", "small_count list list"),
    ("误解二：它很窄", "list"),
    ("坑 1：溢出", "list"),
    ("一是快，二是省", "list list"),
    # identifiers
    ("1706.03762", "identifier"),
    ("arXiv:2202.05262v3", "identifier identifier"),
    ("arXiv 2510.27400.", "identifier"),
    ("doi 10.1145/3442188.3445922", "identifier"),
    ("见 https://example.org/2024/11/ffn 一文", "identifier idiom"),
    ("写信到 ffn2026@example.org", "identifier"),
    ("shazeer2020 与 geva2021a.keys_3", "identifier identifier identifier"),
    ("提交 9fceb02d", "identifier identifier"),
    ("ISBN 978-7-111-54742-6", "identifier identifier identifier identifier identifier"),
    # shapes
    ("形状 (1, 9, 576)", "shape shape shape"),
    ("形状 (批, 9, 宽)", "shape"),
    ("权重 4096×14336", "shape shape"),
    ("16 × 16 的核与 3x3 的核", "shape shape shape shape"),
    ("从 d×4d 变成 4d×d", "shape shape"),
    # small counts
    ("一个、两条路、三件事", "small_count small_count small_count"),
    ("四种、五次、六层、七步、八维、九篇、十行", " ".join(["small_count"] * 7)),
    ("几个与两三个", "small_count small_count"),
    ("两 token 之间", "small_count"),
    ("三个 token", "small_count"),
    ("两矩阵的乘积", "small_count"),
    # words
    ("统一口径，一致同意，唯一的一点", "idiom idiom idiom idiom"),
    ("万一失败，千万别慌", "idiom idiom"),
    ("十分重要，十足的把握", "idiom idiom"),
    ("二进制与十六进制", "idiom idiom"),
    ("百分比与百分点不同，千瓦也是", "idiom idiom idiom"),
    ("半导体与后半部分", "idiom idiom"),
    ("归零、清零、从零写起", "idiom idiom idiom"),
    ("参数百科与函数一样", "idiom idiom"),
    ("统一成一种格式", "idiom idiom"),
    ("有一天，每一秒都算数", "idiom idiom"),
    ("二选一", "idiom idiom"),
    ("三角形与四面八方", "idiom idiom idiom"),
    ("一成不变", "idiom"),
    ("两两之间的夹角", "idiom"),
    ("乱七八糟的三言两语", "idiom idiom idiom"),
]

MUST_BE_BOUND = [
    # shares, ratios, orders of magnitude
    ("八成", "bind"),
    ("三分之二的参数", "bind"),
    ("四分之一、千分之一", "bind bind"),
    ("一万一", "bind"),
    ("近一半的单元", "bind"),
    ("容量翻倍", "bind"),
    ("误差减半", "bind"),
    ("翻了一番", "bind"),
    ("占了大半", "bind"),
    ("过半", "bind"),
    ("百分之八十", "bind"),
    ("百分之 81", "bind"),
    ("放大三倍", "bind"),
    ("增加一倍", "bind"),
    ("一倍半", "bind"),
    ("几倍与数倍", "bind bind"),
    ("近四个数量级", "bind"),
    ("低了三个百分点", "bind"),
    ("0.3 个百分点", "bind"),
    ("3:1 的比例", "bind"),
    ("8/3 与 2/3", "bind bind"),
    ("⅔ 的参数", "bind"),
    ("100%", "bind"),
    ("占 81％", "bind"),
    # Arabic numbers with and without units
    ("65,536 个 key", "bind"),
    ("12 层", "bind"),
    ("2 个", "bind"),
    ("2.7 万", "bind"),
    ("16.4亿", "bind"),
    ("6.5d 时追上", "bind"),
    ("参数 8d²", "bind"),
    ("学习率 3e-4", "bind"),
    ("3.4×10^38", "bind"),
    ("10⁻⁶", "bind"),
    ("宽 576", "bind"),
    ("d=4096", "bind"),
    ("FFN占81%的参数", "bind"),
    ("约2.67倍", "bind"),
    ("损失降了 0.041 nats", "bind"),
    ("要 4.8 毫秒", "bind"),
    ("一共 16 GB", "idiom bind"),
    ("\uff13\uff12 层", "bind"),
    ("大于 0", "bind"),
    ("-0.28", "bind"),
    ("65% 到 80%", "bind"),
    ("0.081 ± 0.004", "bind"),
    ("共 5 章", "bind"),
    ("等了 300 年", "bind"),
    # Chinese numbers above ten, and vague ones
    ("十一个", "bind"),
    ("十二层", "bind"),
    ("一百零五篇", "bind"),
    ("数百个", "bind"),
    ("上千个 token", "bind"),
    ("十几层", "bind"),
    ("几十种", "bind"),
    ("三四倍", "bind"),
    ("两千多", "bind"),
    ("成千上万条", "bind"),
    ("千亿参数", "bind"),
    ("数以万计，成百上千", "bind bind"),
    ("三点五", "bind"),
    ("负三分之一", "bind"),
    # small numbers that are no counts
    ("等于一。", "bind"),
    ("恰好为零", "bind"),
    ("五秒", "bind"),
    ("两个小时", "bind"),
    ("两个字节", "bind"),
    ("一个半小时", "bind"),
    ("三天", "bind"),
    # what stands beside a label is not excused by it
    ("LLaMA-7B 有 67 亿", "name bind"),
    ("BERT 有 110M 参数", "bind"),
    ("GPT-2 45.5%，LLaMA-7B 64.2%", "name bind name bind"),
    ("GPT-3 175B 参数", "name bind"),
    ("top-25% 的词", "bind"),
    ("Llama 2 层", "bind"),
    ("batch 32", "bind"),
    ("H100 80GB", "name bind"),
    ("2017 年有 65 亿", "date bind"),
    ("Adam 2000 步", "bind"),
    ("第 3 章有 12 张图", "reference bind"),
    ("试图 3 次", "bind"),
    ("代表 3 个模型", "bind"),
    ("列表 3 项", "bind"),
    ("图 3 张", "bind"),
    ("每层 12 个头", "bind"),
    ("每层 12", "bind"),
    ("专家 8 个", "bind"),
    ("位置 3 个", "bind"),
    ("1.5 倍", "bind"),
    ("(65,536)", "bind"),
    ("(0.3, 0.5)", "bind bind"),
    ("3×d×d", "bind"),
    ("43 × 256 = 11008", "bind bind bind"),
    ("1. 共 12 层", "list bind"),
    ("三十六计算", "bind"),
    ("十二大类", "bind"),
    ("统一百分之三", "idiom bind"),
    ("参数一百万", "bind"),
    ("函数十分之一", "bind"),
    ("v2 快 3 倍", "version bind"),
    ("2048 年", "date"),
    ("2048 个", "bind"),
]


def classes(found: list[Loose]) -> str:
    return " ".join(loose.exemption or "bind" for loose in found)


@pytest.mark.parametrize(("text", "expected"), EXCUSED)
def test_a_label_is_excused_by_its_class(text: str, expected: str) -> None:
    assert classes(find_loose(text, NOTHING)) == expected


@pytest.mark.parametrize(("text", "expected"), MUST_BE_BOUND)
def test_a_claim_must_be_bound(text: str, expected: str) -> None:
    assert classes(find_loose(text, NOTHING)) == expected


def test_the_tables_hold_both_kinds_and_no_row_twice() -> None:
    rows = [text for text, _ in EXCUSED + MUST_BE_BOUND]
    assert len(rows) >= 120
    assert len(set(rows)) == len(rows)


def test_every_class_of_the_table_has_a_row() -> None:
    seen = {name for _, expected in EXCUSED for name in expected.split()}
    assert seen == {exemption.name for exemption in EXEMPTIONS}


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("一共 12 层。", "12 层"),
        ("相差近四个数量级。", "近四个数量级"),
        ("有 65% 到 80% 的前缀", "65% 到 80%"),
        ("占约 81% 的参数", "约 81%"),
        ("即 0.041 nats 而已", "0.041 nats"),
        ("GPT-2 45.5%", "45.5%"),
    ],
)
def test_a_number_to_be_bound_comes_with_all_that_belongs_to_it(text: str, whole: str) -> None:
    (loose,) = [found for found in find_loose(text, NOTHING) if found.exemption is None]
    assert loose.text == text[loose.start : loose.end] == whole


def test_entries_are_in_order_and_do_not_overlap() -> None:
    found = find_loose(read_corpus()[0], NOTHING)
    assert all(before.end <= after.start for before, after in pairwise(found))


def test_placeholders_of_the_caller_are_no_numerals() -> None:
    assert find_loose("占 \ufffc 的 \ufffc，见 \ufffc。", NOTHING) == []


def read_corpus() -> tuple[str, set[tuple[int, int]]]:
    """The prose without its marks, and where the marks stood."""
    source = Path(__file__).with_name("loose_corpus.txt").read_text(encoding="utf-8")
    marked = "".join(line for line in source.splitlines(keepends=True) if not line.startswith("#"))
    text, places = "", set()
    for piece in re.split("(【[^】]*】)", marked):
        if piece.startswith("【"):
            places.add((len(text), len(text) + len(piece) - 2))
        text += piece.strip("【】")
    return text, places


def test_a_long_article_has_exactly_the_loose_numbers_marked_by_hand() -> None:
    text, places = read_corpus()
    assert len(text) >= 3000
    found = [
        (loose.start, loose.end) for loose in find_loose(text, NOTHING) if loose.exemption is None
    ]
    missed = [text[a:b] for a, b in sorted(places) if not any(c < b and a < d for c, d in found)]
    invented = [
        text[c - 5 : d + 5] for c, d in found if not any(c < b and a < d for a, b in places)
    ]
    assert (missed, invented) == ([], [])
    assert len(found) == len(places)


REPEATED = [
    "GPT-2 占 45.5%，第 3 层有一百零五个，见图 3、图 4，四分之一。",
    "1", "1,111", "a1-", "A-", "a+", "第1、", "(1, ", "1×", "d×", "点一", "一多万", "图1、",
    "abcdef1",
    "一分之", "@", "2017、", "§1、", "位置 1、", "1234567",
    "1×10^", "\n1",
]  # fmt: skip


def seconds_for(text: str) -> float:
    begun = time.process_time()
    find_loose(text, NOTHING)
    return time.process_time() - begun


@pytest.mark.parametrize(
    ("unit", "length"), [(REPEATED[0], 100_000), *((unit, 40_000) for unit in REPEATED[1:])]
)
def test_time_grows_in_proportion_to_the_text(unit: str, length: int) -> None:
    text = (unit * length)[:length]
    seconds_for(text[:1000])  # patterns and dictionary are loaded here
    short = min(seconds_for(text[: length // 16]) for _ in range(3))
    assert seconds_for(text) < 16 * 4 * short  # a quadratic scan would take 256 times as long
