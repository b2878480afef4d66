"""SmoothQuant on SmolLM2: how much trouble to move from the activations to the weights.

Rows of the study `quantizing`; facts are means over two texts, their spread from one to the other.
"""

from collections.abc import Sequence
from statistics import fmean

import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.quantizing import Cost, cost
from ffnsite.experiments.rounding_costs import ByScheme, by_scheme, mean_error
from ffnsite.figure import Fact, Figure
from ffnsite.studies import recorded

ALPHAS = ("000", "025", "050", "075", "100")
NAMES = {"exact": "放过首词", "rounded": "首词也量化"}
COLOURS = {"exact": look.FFN, "rounded": look.ATTENTION}
PARTS = {"attention": "只动 attention", "ffn": "只动 FFN"}


def draw() -> Figure:
    """The rise in cross-entropy for each strength, against no smoothing."""
    found = by_scheme((row.arguments, row.result) for row in recorded(cost, "quantizing"))
    return Figure(
        chart=_curves(found, "all"),
        label="都动",
        variants={name: _curves(found, where) for where, name in PARTS.items()},
        facts=_facts(found) | _parts(found),
        caption=(
            "整段文字一个尺度的 INT8，量化之前先做 SmoothQuant。横轴是指数，越往右，挪给权重的难处越多；"
            "虚线是不做 SmoothQuant。竖杠是标准误的两倍。最低处在正中，往两边挪过头都会变糟。"
            "两段文字取平均。"
        ),
    )


def _curves(found: ByScheme, where: str) -> go.Figure:
    chart = look.chart(height=360)
    for first in NAMES:
        costs = [found[f"smooth_{alpha}", where, first] for alpha in ALPHAS]
        plain = round(fmean([one.rise for one in found["int8_tensor", where, first]]), 4)
        chart.add_scatter(
            name=NAMES[first],
            x=[int(alpha) / 100 for alpha in ALPHAS],
            y=[round(fmean([one.rise for one in each]), 4) for each in costs],
            error_y={
                "array": [round(2 * mean_error(each), 4) for each in costs],
                "thickness": 1.4,
                "width": 3,
            },
            mode="lines+markers",
            line={"color": COLOURS[first], "width": 2.2},
            marker={"size": 8},
            hovertemplate="指数 %{x}：%{y:.3f} nats<extra>%{fullData.name}</extra>",
        )
        chart.add_scatter(
            name=f"{NAMES[first]}，不做",
            x=[0, 1],
            y=[plain, plain],
            mode="lines",
            line={"color": COLOURS[first], "dash": "dot", "width": 1.5},
            hovertemplate="不做 SmoothQuant：%{y:.3f} nats<extra></extra>",
        )
    chart.update_xaxes(title_text="SmoothQuant 的指数", range=[-0.05, 1.05], dtick=0.25)
    chart.update_yaxes(title_text="交叉熵涨了（nats）")
    if where != "attention":  # there some rises are as good as zero
        chart.update_yaxes(type="log", tickvals=[0.05, 0.1, 0.2, 0.5, 1, 2])
    return chart


def _facts(found: ByScheme) -> dict[str, Fact]:
    facts = {}
    for first, name in NAMES.items():
        words = f"整段一个尺度的 INT8，所有线性层，{name}"
        facts[f"plain_{first}"] = _rises(
            found["int8_tensor", "all", first], f"{words}，不做 SmoothQuant：交叉熵涨了多少。"
        )
        for alpha in ALPHAS:
            key = f"alpha_{alpha}_{first}"
            what = f"{words}，SmoothQuant 的指数取百分之{int(alpha)}"
            facts[key] = _rises(found[f"smooth_{alpha}", "all", first], f"{what}：交叉熵涨了多少。")
            facts[f"{key}_error"] = Fact.over(
                [one.error for one in found[f"smooth_{alpha}", "all", first]],
                "nat",
                f"{what}：一段文字上涨幅的标准误。",
            )
        better = [
            plain.rise / smooth.rise
            for plain, smooth in zip(
                found["int8_tensor", "all", first], found["smooth_050", "all", first], strict=True
            )
        ]
        facts[f"better_{first}"] = Fact.over(
            better, "ratio", f"{words}：不做 SmoothQuant 的涨幅是指数取一半时的几倍。"
        )
    return facts | {
        "word": _rises(
            found["smooth_word_050", "all", "rounded"],
            "每个词一个尺度、权重每行一个尺度的 INT8，指数取一半：交叉熵涨了多少。",
        ),
        "bars": Fact(2, "ratio", means="图里的竖杠是标准误的几倍。"),
        "half": Fact(0.5, "number", digits=1, means="SmoothQuant 常用的指数。"),
        "quarter": Fact(0.25, "number", digits=2, means="试过的一个指数。"),
        "three_quarters": Fact(0.75, "number", digits=2, means="试过的一个指数。"),
    }


def _parts(found: ByScheme) -> dict[str, Fact]:
    """The same where only one kind of sublayer is rounded."""
    return {
        f"{where}_{alpha}_{first}": _rises(
            found[f"smooth_{alpha}", where, first],
            f"整段一个尺度的 INT8，{part}的线性层，{name}，"
            f"SmoothQuant 的指数取百分之{int(alpha)}：交叉熵涨了多少。",
        )
        for where, part in PARTS.items()
        for first, name in NAMES.items()
        for alpha in ALPHAS
    }


def _rises(costs: Sequence[Cost], means: str) -> Fact:
    return Fact.over([one.rise for one in costs], "nat", f"{means[:-1]}，两段文字的平均。")
