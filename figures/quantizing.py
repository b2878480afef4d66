"""What rounding the linear layers costs, by scheme and by part: rows of the study `quantizing`.

Facts are means over two texts, their spread runs from one to the other; standard errors over the
rows of a text stand beside them.
"""

from fractions import Fraction
from statistics import fmean

import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.quantizing import CALIBRATED, EVALUATED, LENGTH, Cost, cost
from ffnsite.experiments.rounding_costs import ByScheme, by_scheme, mean_error
from ffnsite.figure import Fact, Figure
from ffnsite.models.smollm2 import SMOLLM2_135M
from ffnsite.studies import recorded

TEXTS = ("networkx", "sympy")
PARTS = {
    "attention": ("只动 attention", look.ATTENTION),
    "ffn": ("只动 FFN", look.FFN),
    "all": ("都动", look.OTHER),
}
SCHEMES = {
    "tensor": ("int8_tensor", "rounded", "整段<br>INT8"),
    "tensor_exact": ("int8_tensor", "exact", "整段<br>放过首词"),
    "word": ("int8_word", "rounded", "每词<br>INT8"),
    "weight8": ("weight8_row", "rounded", "权重<br>INT8"),
    "weight4_64": ("weight4_64", "rounded", "权重<br>INT4"),
}
MEANS = {
    "tensor": "输入整段文字一个尺度、权重整个矩阵一个尺度的 INT8",
    "tensor_exact": "同样整段一个尺度的 INT8，但首词的激活不量化",
    "word": "输入每个词一个尺度、权重每行一个尺度的 INT8",
    "weight8": "只量化权重，每行一个尺度的 INT8",
    "weight4_64": "只量化权重，每 64 个输入一组的非对称 INT4",
}
SITES = {
    "query_key_value": "W_Q、W_K、W_V",
    "output": "W_O",
    "gate_up": "W_gate、W_up",
    "down": "W_down",
}
OTHERS = {
    "weight4_32": "只量化权重，每 32 个输入一组的非对称 INT4，即原来的格子",
    "weight4_192": "只量化权重，每 192 个输入一组的非对称 INT4",
    "weight4_row": "只量化权重，每行一组的非对称 INT4",
    "bf16": "输入和权重都舍入到 bf16",
    "fp16": "输入和权重都舍入到 fp16",
}


def draw() -> Figure:
    """Dots of the rise in cross-entropy for each scheme and part."""
    found = by_scheme((row.arguments, row.result) for row in recorded(cost, "quantizing"))
    return Figure(
        chart=_dots(found),
        label="各方案",
        variants={"整段一把尺，坏在哪": _sites(found)},
        facts=_setting(found) | _schemes(found) | _places(found) | _others(found) | _weights(),
        caption=(
            "把线性层舍入之后，猜下一个词的交叉熵涨了多少，纵轴按 nat，竖杠是标准误的两倍。"
            "从左到右：整段共用一个尺度的 INT8，同样但放过首词，每词一个尺度的 INT8，"
            "只动权重的 INT8 和 INT4（每 64 个一组）。整段共用一个尺度时，坏几乎全在 FFN；"
            "每个词自己一个尺度，两边就一样小。切到第二张，看 FFN 里是哪个矩阵的输入坏事。"
            "两段文字取平均。"
        ),
    )


def _dots(found: ByScheme) -> go.Figure:
    chart = look.chart(height=400)
    for part, (name, colour) in PARTS.items():
        costs = [found[scheme, part, first] for scheme, first, _ in SCHEMES.values()]
        _points(chart, name, colour, [label for _, _, label in SCHEMES.values()], costs)
    chart.update_layout(scattermode="group", scattergap=0.5)
    chart.update_xaxes(tickangle=0, tickfont={"size": 11})
    chart.update_yaxes(title_text="交叉熵涨了（nats）", range=[-0.05, 0.75], dtick=0.2)
    return chart


def _sites(found: ByScheme) -> go.Figure:
    chart = look.chart(height=340)
    for sites, name, colour in (
        (("query_key_value", "output"), "attention", look.ATTENTION),
        (("gate_up", "down"), "FFN", look.FFN),
    ):
        costs = [found["int8_tensor", site, "rounded"] for site in sites]
        _points(chart, name, colour, [SITES[site].replace("、", "<br>") for site in sites], costs)
    chart.update_xaxes(tickangle=0)
    chart.update_yaxes(title_text="交叉熵涨了（nats）", range=[-0.05, 0.75], dtick=0.2)
    return chart


def _points(
    chart: go.Figure, name: str, colour: str, labels: list[str], costs: list[list[Cost]]
) -> None:
    chart.add_scatter(
        name=name,
        x=labels,
        y=[round(fmean([one.rise for one in each]), 4) for each in costs],
        error_y={
            "array": [round(2 * mean_error(each), 4) for each in costs],
            "thickness": 1.4,
            "width": 3,
        },
        mode="markers",
        marker={"color": colour, "size": 10},
        hovertemplate="%{x}：%{y:.3f} nats<extra>%{fullData.name}</extra>",
    )


def _setting(found: ByScheme) -> dict[str, Fact]:
    plain = [one.plain for one in found["int8_tensor", "all", "rounded"]]
    return {
        "rows": Fact(EVALUATED, "count", means="每段文字在几行上量交叉熵。"),
        "calibrated": Fact(CALIBRATED, "count", means="另用几行来定 SmoothQuant 的系数。"),
        "length": Fact(LENGTH, "count", means="每行几个词元。"),
        "words": Fact(EVALUATED * (LENGTH - 1), "count", means="每段文字上猜了几个下一个词。"),
        "texts": Fact(len(TEXTS), "count", means="用了几段文字。"),
        "bars": Fact(2, "ratio", means="图里的竖杠是标准误的几倍。"),
        "bits": Fact(8, "bit", means="INT8 每个数几位。"),
        "levels": Fact(255, "count", means="对称的 INT8 有几级，正负各 127 级加零。"),
        "group": Fact(32, "count", means="Q4_1 里每几个权重一组，沿输入的方向。"),
        "wide_group": Fact(64, "count", means="第二次舍入试的较大的一组有几个权重。"),
        "group_levels": Fact(16, "count", means="四位一共有几级。"),
        "plain": Fact.over(plain, "nat", "不量化时的交叉熵。"),
    }


def _schemes(found: ByScheme) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    for key, (scheme, first, _) in SCHEMES.items():
        for part, (where, _) in PARTS.items():
            words = f"{MEANS[key]}，{where}的线性层"
            facts |= _costs(f"{key}_{part}", found[scheme, part, first], words)
    ratios = [
        ffn.rise / attention.rise
        for ffn, attention in zip(
            found["int8_tensor", "ffn", "rounded"],
            found["int8_tensor", "attention", "rounded"],
            strict=True,
        )
    ]
    return facts | {
        "ffn_over_attention": Fact.over(
            ratios, "ratio", "整段一个尺度的 INT8：只动 FFN 的涨幅是只动 attention 的几倍。"
        )
    }


def _places(found: ByScheme) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    for site, matrices in SITES.items():
        words = f"{MEANS['tensor']}，只动 {matrices} 和它们的输入"
        facts |= _costs(f"tensor_{site}", found["int8_tensor", site, "rounded"], words)
    return facts


def _others(found: ByScheme) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    for scheme, words in OTHERS.items():
        facts |= _costs(scheme, found[scheme, "all", "rounded"], f"{words}，所有线性层")
    for part, (where, _) in PARTS.items():
        words = f"{MEANS['word']}，首词的激活不量化，{where}的线性层"
        facts |= _costs(f"word_exact_{part}", found["int8_word", part, "exact"], words)
    return facts


def _costs(key: str, costs: list[Cost], words: str) -> dict[str, Fact]:
    return {
        f"{key}": Fact.over(
            [one.rise for one in costs], "nat", f"{words}：交叉熵涨了多少，两段文字的平均。"
        ),
        f"{key}_error": Fact.over(
            [one.error for one in costs], "nat", f"{words}：一段文字上涨幅的标准误，八行成对相减。"
        ),
    }


def _weights() -> dict[str, Fact]:
    """How the weights of a block are shared out."""
    c = SMOLLM2_135M
    attention = 2 * c.d_model * c.head_width * (c.heads + c.kv_heads)
    ffn = 3 * c.d_model * c.d_ff
    return {
        "ffn_weights": Fact(
            Fraction(ffn, ffn + attention), "share", means="一层的线性层里，FFN 的权重占多少。"
        )
    }
