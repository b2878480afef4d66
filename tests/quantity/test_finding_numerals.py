# ruff: noqa: RUF001 - full-width digits are the subject here
"""Numerals in running text: whole runs, nothing twice, in linear time."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffnsite.quantity import find_numerals


def found(text):
    return [text[start:end] for start, end in find_numerals(text)]


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("FFN 占约 81%，也就是近一半、三分之二。", ["约 81%", "近一半", "三分之二"]),
        ("从 65% 到 80%，共 1-9 层", ["65% 到 80%", "1-9 层"]),
        ("约 2.7 万个参数，16.4亿次", ["约 2.7 万个", "16.4亿次"]),
        ("十几层、几十万、上百万次、成千上万", ["十几层", "几十万", "上百万次", "成千上万"]),
        ("两三百，三五倍，七成五，两倍半", ["两三百", "三五倍", "七成五", "两倍半"]),
        ("四个多数量级，两到三个数量级", ["四个多数量级", "两到三个数量级"]),
        ("过半、大半、一多半、翻两番、减半", ["过半", "大半", "一多半", "翻两番", "减半"]),
        (r"$3.4\times10^{38}$ 与 $8d^2$、10⁻⁶", [r"3.4\times10^{38}", "8d^2", "10⁻⁶"]),
        ("2 的 12 次方，1/√2，3:1，8/3", ["2 的 12 次方", "1/√2", "3:1", "8/3"]),
        ("10 的负六次方，3 万多 token", ["10 的负六次方", "3 万多 token"]),
        ("０．２８ 与 ８１％", ["０．２８", "８１％"]),
        ("值 −0.28 到此，负三分之一", ["−0.28", "负三分之一"]),
        ("0.081 ± 0.004 nats", ["0.081 ± 0.004 nats"]),
        ("2024-05-01 发布 1.2.3", ["2024-05-01", "1.2.3"]),
        ("16 层、32 头；不超过 5%，至少 3 个", ["16 层", "32 头", "不超过 5%", "至少 3 个"]),
        ("百分之八十一，千分之三点五", ["百分之八十一", "千分之三点五"]),
        ("3.35 TB/s，20 token/s，2.5 个百分点", ["3.35 TB/s", "20 token/s", "2.5 个百分点"]),
        ("一万一千；三万五", ["一万一千", "三万五"]),
    ],
)
def test_a_run_covers_the_number_and_what_touches_it(text, runs):
    assert found(text) == runs


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("最近 30 天", ["30 天"]),
        ("节约 30%", ["30%"]),
        ("余下 5 层", ["5 层"]),
        ("30 上下文", ["30 上下文"]),
        ("参数百万", ["百万"]),
        ("一起", ["一"]),
        ("来自 3 处", ["3 处"]),
        ("几乎没有，几何，函数", []),
    ],
)
def test_words_that_only_contain_a_modifier_are_not_taken_along(text, runs):
    assert found(text) == runs


@given(
    st.text(
        "约近一二三十百千万亿几数半点分之多余来0123456789.,-–~√^:/%×层个倍成 的上下", max_size=60
    )
)
def test_runs_do_not_overlap_and_no_digit_is_left_outside(text):
    last = 0
    covered = set()
    for start, end in find_numerals(text):
        assert last <= start < end
        last = end
        covered.update(range(start, end))
    assert all(at in covered for at, character in enumerate(text) if character in "0123456789")


HOSTILE = [
    "1",
    "一",
    "约 ",
    "1,",
    "3 到 ",
    "十万",
    "1 ",
    "1:",
    "几",
    "一点",
    "分之",
    "1×10",
    "约近",
    "  ",
    "百分之三",
    "负-",
    "√",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_finding_takes_time_linear_in_the_text(unit):
    def seconds(length):
        text = (unit * length)[:length]
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            for _ in find_numerals(text):
                pass
            best = min(best, time.process_time() - start)
        return best

    # Ten times the text takes ten times as long; quadratic work would take a hundred times as long.
    assert seconds(100_000) < 45 * max(seconds(10_000), 1e-3)
