"""The share of hidden numbers that ReLU clears before training, by how many are looked at."""

from fractions import Fraction

import numpy as np
import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.rectified import EXPANSION, Zeros, used, zeros
from ffnsite.figure import Fact, Figure

WIDTHS = (4, 8, 16, 32, 64, 128, 256)
WORDS = 3
LAYERS = 2000
SEEDS = (0, 1, 2)
LOW, HIGH = Fraction(35, 100), Fraction(65, 100)
USED_WIDTH, USED_WORDS = 64, 200
QUOTED = {4: "48", 16: "192", 64: "768", 256: "3072"}


def draw() -> Figure:
    """The band of nine layers in ten, and how many units a few words use together."""
    runs = zeros.together([(WIDTHS, WORDS, LAYERS, seed) for seed in SEEDS])
    return Figure(
        chart=_band(runs[0]),
        facts=_setting() | _spreads(runs) | _together(),
        caption=(
            "随机初始化的 ReLU FFN，中间的数有多少被清掉。粗线是均值，一直在一半；"
            "色带里是九成的层。数得越多，色带越窄，48 个数时很宽，3072 个数时几乎贴着一半。"
        ),
    )


def _band(run: Zeros) -> go.Figure:
    low, high = run.middle()
    numbers = list(run.numbers)
    chart = look.chart(height=340)
    chart.add_scatter(
        x=numbers + numbers[::-1],
        y=_percent(high) + _percent(low)[::-1],
        name="九成的层",
        fill="toself",
        fillcolor=look.FFN,
        opacity=0.25,
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
    )
    chart.add_scatter(
        x=numbers,
        y=_percent(run.shares.mean(axis=1)),
        name="均值",
        mode="lines+markers",
        line={"color": look.FFN, "width": 2.4},
        customdata=[[*ends] for ends in zip(_percent(low), _percent(high), strict=True)],
        hovertemplate=(
            "%{x} 个数：均值 %{y:.1f}%，九成的层在 %{customdata[0]:.1f}% 到 %{customdata[1]:.1f}%"
            "<extra></extra>"
        ),
    )
    chart.update_xaxes(type="log", title_text="一共看几个中间数", tickvals=numbers[::2])
    chart.update_yaxes(title_text="被清掉的", ticksuffix="%", range=[30, 70], dtick=10)
    return chart


def _percent(shares: np.ndarray) -> list[float]:
    return [round(100 * float(share), 2) for share in shares]


def _setting() -> dict[str, Fact]:
    return {
        "words": Fact(WORDS, "count", means="每层放进几个词。"),
        "layers": Fact(LAYERS, "count", means="每个宽度抽几个随机初始化的层。"),
        "seeds": Fact(len(SEEDS), "count", means="这样重做几遍，看结果稳不稳。"),
        "smallest": Fact(WIDTHS[0], "count", means="最窄的一档宽度 d。"),
        "smallest_hidden": Fact(
            EXPANSION * WIDTHS[0], "count", means="最窄的一档的中间宽度 d_ff。"
        ),
        "half": Fact(
            Fraction(1, 2),
            "share",
            means="随机初始化时一个中间数被 ReLU 清零的概率，由对称性得出。",
        ),
        "low": Fact(LOW, "share", means="窄的一档里看多少层落在其中的下界。"),
        "high": Fact(HIGH, "share", means="窄的一档里看多少层落在其中的上界。"),
    }


def _spreads(runs: list[Zeros]) -> dict[str, Fact]:
    facts = {}
    for width, name in QUOTED.items():
        at = WIDTHS.index(width)
        widths = [float(high[at] - low[at]) / 2 for low, high in (run.middle() for run in runs)]
        facts[f"numbers_{name}"] = Fact(
            runs[0].numbers[at], "count", means=f"宽 {width} 的一档一共有几个中间数。"
        )
        facts[f"around_{name}"] = _over_seeds(
            widths, "pp", f"{name} 个数时，九成的层离一半最多差多少（色带的半宽）。"
        )
    inside = [float(run.within(float(LOW), float(HIGH))[0]) for run in runs]
    outliers = [float(run.shares[0].min()) for run in runs]
    return facts | {
        "within_48": _over_seeds(inside, "share", "48 个数时，零的份额落在上下界之间的层。"),
        "lowest_48": _over_seeds(outliers, "share", "48 个数时，抽到的层里零的份额最低的。"),
        "mean_3072": _over_seeds(
            [float(run.shares[-1].mean()) for run in runs], "share", "3072 个数时零的份额的均值。"
        ),
    }


def _together() -> dict[str, Fact]:
    """One word leaves half of the units idle; a few more words leave none."""
    shares = used(USED_WIDTH, EXPANSION * USED_WIDTH, USED_WORDS).shares
    facts = {
        f"used_{count}": _over_seeds(
            [float(share) for share in shares[:, count - 1]],
            "share",
            f"宽 {USED_WIDTH} 的层里，{count} 个词中至少有一个用到的中间单元的份额。",
        )
        for count in (1, 2, 5)
    }
    idle = int((shares[:, -1] < 1).sum())
    return facts | {
        "used_width": Fact(USED_WIDTH, "count", means="数用到的单元时，层的宽度 d。"),
        "used_hidden": Fact(EXPANSION * USED_WIDTH, "count", means="数用到的单元时的 d_ff。"),
        "used_seeds": Fact(len(shares), "count", means="数用到的单元时，抽几个层。"),
        "used_two": Fact(2, "count", means="看两个词合起来用到多少单元。"),
        "used_five": Fact(5, "count", means="看五个词合起来用到多少单元。"),
        "used_words": Fact(USED_WORDS, "count", means="数用到的单元时，最多看几个词。"),
        "idle_layers": Fact(idle, "count", means="看完这些词，还有单元一次也没有用到的层有几个。"),
    }


def _over_seeds(values: list[float], unit: str, means: str) -> Fact:
    return Fact(values[0], unit, digits=2, spread=(min(values), max(values)), means=means)
