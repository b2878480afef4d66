"""How far and how finely three float formats go, and what SmolLM2's residual stream asks of them."""

from fractions import Fraction
from math import log10
from statistics import fmean

import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.floats import FORMATS, Asked, asked
from ffnsite.experiments.outliers import Outliers, Place, outliers
from ffnsite.figure import Fact, Figure
from ffnsite.models.smollm2 import SMOLLM2_135M

TEXTS = ("networkx", "sympy")
ROWS, FEW_ROWS, LENGTH = 16, 4, 256
LAYERS = SMOLLM2_135M.layers
COLOURS = {"fp32": look.EMBEDDING, "bf16": look.POSITIVE, "fp16": look.FFN}
SQUARE_LIMIT = 256
"""The smallest magnitude whose square float16 cannot hold."""
Found = list[dict[Place, tuple[Outliers, ...]]]


def draw() -> Figure:
    """The largest numbers by layer against fp16's limits, and the reach of the three formats."""
    found = outliers.together((text, ROWS, LENGTH) for text in TEXTS)
    needs = asked.together((text, FEW_ROWS, LENGTH) for text in TEXTS)
    facts = _formats() | _largest(found) | _needs(needs)
    return Figure(
        chart=_by_layer(found),
        label="残差流逐层的最大值",
        variants={"三种格式的范围": _reach()},
        facts=facts,
        caption=(
            "残差流里绝对值最大的数，纵轴是对数刻度。上面的横线是 fp16 能写的最大数 65,504，"
            "下面的横线是平方恰好超出 fp16 的 256。"
            f"首词从第 {facts['birth_seen'].value} 层起逼近上面那条线；"
            "其余的词一直离它很远，可到了最上面几层，平方也会超出。两段文字取最大。"
        ),
    )


def _by_layer(found: Found) -> go.Figure:
    chart = look.chart(height=400)
    lines = {
        "首词": (
            [max(one["stream"][at].first[1] for one in found) for at in range(LAYERS)],
            look.FFN,
        ),
        "其余的词": (
            [max(one["stream"][at].later for one in found) for at in range(LAYERS)],
            look.ATTENTION,
        ),
    }
    for name, (largest, colour) in lines.items():
        chart.add_scatter(
            name=name,
            x=list(range(LAYERS)),
            y=[float(f"{value:.4g}") for value in largest],
            mode="lines",
            line={"color": colour, "width": 2.5},
            hovertemplate="第 %{x} 层：%{y:.4g}<extra>%{fullData.name}</extra>",
        )
    for limit, name in (
        (float(FORMATS["fp16"].largest), "fp16 的上限"),
        (SQUARE_LIMIT, "平方的上限"),
    ):
        chart.add_scatter(
            name=name,
            x=[0, LAYERS - 1],
            y=[limit, limit],
            mode="lines",
            line={"color": look.EMBEDDING, "width": 1.5, "dash": "dash" if limit > 1000 else "dot"},
            hovertemplate="%{y}<extra>%{fullData.name}</extra>",
        )
    chart.update_xaxes(title_text="第几层", dtick=5, range=[0, LAYERS - 1])
    chart.update_yaxes(type="log", range=[0.3, 5.3], dtick=1, exponentformat="power")
    return chart


def _reach() -> go.Figure:
    """A bar from the smallest normal to the largest number of each format, in powers of ten."""
    chart = look.chart(height=240)
    for name, kind in reversed(FORMATS.items()):
        low, high = _log10(kind.smallest), _log10(kind.largest)
        chart.add_bar(
            name=name,
            y=[name],
            x=[round(high - low, 2)],
            base=[round(low, 2)],
            orientation="h",
            marker={"color": COLOURS[name]},
            showlegend=False,
            hovertemplate=f"{name}：10 的 {low:.1f} 次方到 {high:.1f} 次方<extra></extra>",
        )
    chart.update_xaxes(
        title_text="能写的正数",
        tickvals=[-30, -15, 0, 15, 30],
        ticktext=[
            "10<sup>−30</sup>",
            "10<sup>−15</sup>",
            "1",
            "10<sup>15</sup>",
            "10<sup>30</sup>",
        ],
        range=[-42, 42],
    )
    return chart


def _log10(number: Fraction) -> float:
    return log10(number.numerator) - log10(number.denominator)


def _formats() -> dict[str, Fact]:
    facts = {}
    for name, kind in FORMATS.items():
        facts[f"{name}_exponent"] = Fact(kind.exponent, "count", means=f"{name} 的指数占几位。")
        facts[f"{name}_fraction"] = Fact(kind.fraction, "count", means=f"{name} 的尾数占几位。")
        facts[f"{name}_step"] = Fact(kind.step, "number", means=f"{name} 里 1 到下一个数的间隔。")
        facts[f"{name}_miss"] = Fact(
            kind.step / 2, "share", means=f"{name} 里舍入一个正规数，相对误差不超过多少。"
        )
    return facts | {
        "fp32_largest": Fact(
            float(FORMATS["fp32"].largest), "number", digits=4, means="fp32 能写的最大数。"
        ),
        "bf16_largest": Fact(
            float(FORMATS["bf16"].largest), "number", digits=4, means="bf16 能写的最大数。"
        ),
        "fp16_largest": Fact(int(FORMATS["fp16"].largest), "number", means="fp16 能写的最大数。"),
        "fp16_smallest": Fact(
            float(FORMATS["fp16"].smallest), "number", digits=3, means="fp16 能写的最小正规数。"
        ),
        "bf16_smallest": Fact(
            float(FORMATS["bf16"].smallest), "number", digits=3, means="bf16 能写的最小正规数。"
        ),
        "square_limit": Fact(
            SQUARE_LIMIT, "number", means="平方超出 fp16 的最小整数：它的平方是 65,536。"
        ),
    }


def _largest(found: Found) -> dict[str, Fact]:
    stream = [one["stream"] for one in found]
    firsts = [max(layer.first[1] for layer in one) for one in stream]
    laters = [max(layer.later for layer in one) for one in stream]
    limit = float(FORMATS["fp16"].largest)
    facts = {
        "first_largest": Fact.over(firsts, "number", "首词在残差流里最大的绝对值，各层最大。"),
        "later_largest": Fact.over(laters, "number", "其余的词在残差流里最大的绝对值，各层最大。"),
        "headroom": Fact.over(
            [limit / value for value in firsts], "ratio", "fp16 的上限是首词最大绝对值的几倍。"
        ),
        "later_headroom": Fact.over(
            [limit / value for value in laters], "ratio", "fp16 的上限是其余的词最大绝对值的几倍。"
        ),
        "first_top": Fact.over(
            [one[-1].first[1] for one in stream],
            "number",
            "首词在最上面一层的 FFN 之前，残差流里最大的绝对值。",
        ),
    }
    for name in ("bf16", "fp16"):
        (spacing,) = {FORMATS[name].spacing(value) for value in firsts}
        facts[f"{name}_spacing"] = Fact(
            int(spacing), "number", means=f"{name} 在首词最大的那个数附近，相邻两个数差多少。"
        )
    return facts | _massive(found)


def _massive(found: Found) -> dict[str, Fact]:
    """Who writes the massive activation of the first word, and who takes it away."""
    steps = [
        fmean([one["stream"][at + 1].first[1] - one["stream"][at].first[1] for one in found])
        for at in range(LAYERS - 1)
    ]
    birth, death = steps.index(max(steps)), steps.index(min(steps))
    facts = {
        "birth_layer": Fact(birth, "count", means="首词的巨量激活是哪一层写进残差流的，从零数。"),
        "birth_seen": Fact(birth + 1, "count", means="首词的巨量激活从哪一层起读得到，从零数。"),
        "death_layer": Fact(death, "count", means="哪一层把首词的巨量激活削去最多，从零数。"),
        "massive_channel": Fact(
            found[0]["stream"][birth + 1].first_channel,
            "count",
            means="首词的巨量激活在残差流的第几号通道。",
        ),
        "first_before": Fact.over(
            [one["stream"][birth].first[1] for one in found],
            "number",
            f"首词在第 {birth} 层的 FFN 写入之前，残差流里最大的绝对值。",
        ),
        "first_after": Fact(
            fmean([fmean(one["stream"][birth + 1].first) for one in found]),
            "number",
            digits=2,
            spread=(
                min(one["stream"][birth + 1].first[0] for one in found),
                max(one["stream"][birth + 1].first[1] for one in found),
            ),
            means=f"首词在第 {birth + 1} 层的 FFN 之前，残差流里最大的绝对值，范围是所有行的首词。",
        ),
    }
    for key, at in (("birth", birth), ("death", death)):
        for which, name in (("first", "首词"), ("later", "其余的词")):
            values = [
                layer.first[1] if which == "first" else layer.later
                for layer in (one["hidden"][at] for one in found)
            ]
            facts[f"hidden_{key}_{which}"] = Fact.over(
                values, "number", f"{name}在第 {at} 层 FFN 里面最大的 h。"
            )
    return facts


def _needs(needs: list[tuple[Asked, ...]]) -> dict[str, Fact]:
    overflowing = [sum(layer.first_overflows == 1 for layer in one) for one in needs]
    facts = {
        "squares_top": Fact.over(
            [fmean([layer.squares_overflow for layer in one[-5:]]) for one in needs],
            "share",
            "最上面五层里，有一个数的平方超出 fp16 的词占多少，首词除外。",
        ),
        "squares_top_layers": Fact(5, "count", means="数平方超出时，最上面看几层。"),
        "first_squares_layers": Fact(
            overflowing[0],
            "count",
            spread=(min(overflowing), max(overflowing)),
            means="有几层里，每一行的首词都有一个数的平方超出 fp16。",
        ),
    }
    for name in ("bf16", "fp16"):
        facts[f"{name}_rounding"] = Fact.over(
            [fmean([layer.rounding[name] for layer in one]) for one in needs],
            "share",
            f"把残差流舍入到 {name}，相对误差平均多少，各层平均，首词除外。",
        )
    return facts
