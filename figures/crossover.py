"""Where attention's square catches up with the rest: shares of a block's operations by length.

Rates come from `costs.census`, where torch's counter and the formulas agree to the unit.
"""

from fractions import Fraction
from math import ceil, log10

import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.costs import Rates, census
from ffnsite.figure import Fact, Figure
from ffnsite.models import sizes
from ffnsite.models.zoo import MODELS

SHOWN = ("llama3_8b", "llama_7b", "smollm2")
LENGTHS = tuple(round(2 ** (power / 4)) for power in range(32, 73))
STOPS = tuple(2**power for power in range(8, 19))
QUOTED = {"2k": 2048, "8k": 8192, "128k": 131_072}
PARTS = {"projections": "投影", "square": "N² 项", "ffn": "FFN"}
COLOURS = {"projections": look.ATTENTION, "square": look.OTHER, "ffn": look.FFN}


def draw() -> Figure:
    """Three shares by length with a slider, for three models; the meeting lengths of all."""
    found = census()
    charts = {MODELS[key].name: _chart(found.rates[key]) for key in SHOWN}
    (label, chart), *others = charts.items()
    return Figure(
        chart=chart,
        label=label,
        variants=dict(others),
        facts=_standard(found.rates["transformer_base"])
        | _meetings(found.rates)
        | _over_the_zoo(found.rates)
        | _shares(found.rates)
        | _grouped(found.rates["llama3_8b"], found.ungrouped["llama3_8b"]),
        caption=(
            "一层的浮点运算按句长怎么分。拖动滑块，竖线停在哪个句长，下面就写出那里的"
            "三个份额。两条虚线是 N² 项追上 FFN、追上全部线性层的句长，Llama-3-8B 是 21,504 与 "
            "26,624。按完整的 N × N 矩阵计；只算因果掩码留下的一半，两个句长都翻倍。"
        ),
    )


def _chart(rates: Rates) -> go.Figure:
    chart = look.chart(height=430)
    for part, name in PARTS.items():
        chart.add_scatter(
            name=name,
            x=list(LENGTHS),
            y=[round(100 * float(_share(rates, part, length)), 2) for length in LENGTHS],
            mode="lines",
            line={"color": COLOURS[part], "width": 2.5},
            hovertemplate="句长 %{x:,}：%{fullData.name} %{y:.0f}%<extra></extra>",
        )
    chart.update_layout(shapes=_shapes(rates), annotations=_notes(rates), sliders=[_slider(rates)])
    chart.update_xaxes(
        type="log",
        title_text="句长 N（词元）",
        tickvals=[256, 2048, 16_384, 131_072],
        ticktext=["256", "2048", "16,384", "131,072"],
    )
    chart.update_yaxes(ticksuffix="%", range=[0, 100], dtick=25)
    return chart


def _share(rates: Rates, part: str, length: int) -> Fraction:
    work = rates.at(length)
    return Fraction(getattr(work, part), work.projections + work.square + work.ffn)


def _first(rates: Rates) -> int:
    """The stop at which the slider stands first: well before both meeting lengths."""
    early: list[int] = [length for length in STOPS if 2 * length <= rates.meets_ffn()]
    return max(early)


def _shapes(rates: Rates) -> list[dict[str, object]]:
    """The reader's line first: the slider moves `shapes[0]`."""
    dotted = {"color": look.MUTED, "width": 1, "dash": "dot"}
    lines = [(_first(rates), {"color": look.INK, "width": 2})]
    lines += [(ceil(length), dotted) for length in (rates.meets_ffn(), rates.meets_linear())]
    return [
        {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": line}
        for x, line in lines
    ]


def _notes(rates: Rates) -> list[dict[str, object]]:
    """Both meeting lengths beside their lines, to the left and to the right."""
    notes = (
        (rates.meets_ffn(), "追上 FFN", "right"),
        (rates.meets_linear(), "追上全部线性层", "left"),
    )
    return [
        {
            "x": round(log10(length), 4),  # notes on a logarithmic axis stand at exponents
            "y": 0.98,
            "yref": "paper",
            "text": f"{words}<br>{ceil(length):,}",
            "align": side,
            "xanchor": side,
            "yanchor": "top",
            "xshift": -4 if side == "right" else 4,
            "showarrow": False,
            "font": {"size": 11, "color": look.MUTED},
        }
        for length, words, side in notes
    ]


def _slider(rates: Rates) -> dict[str, object]:
    """One stop a power of two; the chosen stop's label is the reading."""
    return {
        "active": STOPS.index(_first(rates)),
        "pad": {"t": 58, "l": 4, "r": 4, "b": 0},
        "currentvalue": {"xanchor": "left", "font": {"size": 13, "color": look.INK}, "offset": 8},
        "font": {"size": 1, "color": look.CLEAR},  # the labels under the ticks; they are readings
        "bgcolor": look.GRID,
        "activebgcolor": look.MUTED,
        "bordercolor": look.MUTED,
        "tickcolor": look.MUTED,
        "minorticklen": 0,
        "ticklen": 4,
        "steps": [_step(rates, length) for length in STOPS],
    }


def _step(rates: Rates, length: int) -> dict[str, object]:
    shares = "，".join(
        f"{name} {float(_share(rates, part, length)):.0%}" for part, name in PARTS.items()
    )
    moved = {"shapes[0].x0": length, "shapes[0].x1": length}
    return {"label": f"N = {length:,}：{shares}", "method": "relayout", "args": [moved]}


def _standard(rates: Rates) -> dict[str, Fact]:
    """The textbook coefficients, as the counter gives them at one token."""
    shape = MODELS["transformer_base"]
    squared = shape.d_model**2
    return {
        "operations_of_a_weight": Fact(
            Fraction(rates.ffn, sizes.expert(shape)),
            "ratio",
            means="每个权重对每个词元做几次浮点运算：一次乘、一次加。",
        ),
        "causal_half": Fact(
            Fraction(1, 2), "share", means="因果掩码在 N × N 的矩阵里留下的份额，句子长时趋近于此。"
        ),
        "causal_factor": Fact(
            2, "ratio", means="只数因果掩码留下的一半，N² 项追上其余的句长是原来的几倍。"
        ),
        "standard_ffn_flops": Fact(
            Fraction(rates.ffn, squared),
            "d^2",
            means="标准 FFN（d_ff = 4d）每个词元的浮点运算，计数器数出，一次乘加算两次，按 d² 数。",
        ),
        "standard_ffn_multiply_adds": Fact(
            Fraction(rates.ffn, 2 * squared),
            "d^2",
            means="标准 FFN（d_ff = 4d）每个词元的乘加次数，与参数个数相等，按 d² 数。",
        ),
        "standard_projection_flops": Fact(
            Fraction(rates.projections, squared),
            "d^2",
            means="标准 block 的四个投影矩阵每个词元的浮点运算，按 d² 数。",
        ),
    }


def _meetings(rates: dict[str, Rates]) -> dict[str, Fact]:
    """For every model the shortest length at which the square has caught up."""
    facts = {}
    for key, rate in rates.items():
        shape = MODELS[key]
        for what, length, words in (
            ("ffn", rate.meets_ffn(), "一层的 FFN"),
            ("linear", rate.meets_linear(), "一层的全部线性层（投影与 FFN）"),
        ):
            means = f"{shape.name} 的 N² 项追上{words}的句长，按完整的 N × N 矩阵数"
            facts[f"{key}_{what}"] = Fact(ceil(length), "count", means=f"{means}。")
            facts[f"{key}_{what}_d"] = Fact(
                length / shape.d_model, "d", means=f"{means}，按宽度 d 数。"
            )
            facts[f"{key}_{what}_causal"] = Fact(
                ceil(2 * length),
                "count",
                means=f"{shape.name} 的 N² 项追上{words}的句长，只数因果掩码留下的一半。",
            )
    return facts


def _over_the_zoo(rates: dict[str, Rates]) -> dict[str, Fact]:
    meeting = rates["llama3_8b"].at(ceil(rates["llama3_8b"].meets_linear()))
    widths = [rate.meets_linear() / MODELS[key].d_model for key, rate in rates.items()]
    lengths = [ceil(rate.meets_linear()) for rate in rates.values()]
    return {
        "square_at_meeting": Fact(
            Fraction(meeting.square, meeting.projections + meeting.square + meeting.ffn),
            "share",
            means="Llama-3-8B 的 N² 项追上全部线性层时，占一层浮点运算的份额。",
        ),
        "models": Fact(len(rates), "count", means="数过运算量的公开模型有几个。"),
        "linear_widths_of_all": Fact(
            (min(widths), max(widths)),
            "ratio",
            means="各模型的 N² 项追上全部线性层的句长，是各自宽度 d 的几倍，最小到最大。",
        ),
        "linear_of_all": Fact(
            (min(lengths), max(lengths)),
            "count",
            means="各模型的 N² 项追上全部线性层的句长，最小到最大。",
        ),
    }


def _shares(rates: dict[str, Rates]) -> dict[str, Fact]:
    lengths = {
        f"length_{name}": Fact(length, "count", means="举例的句长，多少个词元。")
        for name, length in QUOTED.items()
    }
    return lengths | {
        f"{key}_{part}_{name}": Fact(
            _share(rates[key], part, length),
            "share",
            means=f"{MODELS[key].name} 读 {length:,} 个词元时，{words}占一层浮点运算的份额。",
        )
        for key in SHOWN
        for name, length in QUOTED.items()
        for part, words in PARTS.items()
    }


def _grouped(grouped: Rates, ungrouped: Rates) -> dict[str, Fact]:
    """What fewer KV heads change in Llama-3-8B, and what they leave."""
    squared = MODELS["llama3_8b"].d_model ** 2
    saved = 1 - Fraction(grouped.projections, ungrouped.projections)
    linear = ungrouped.meets_linear()
    return {
        "mha_projections": Fact(
            Fraction(ungrouped.projections, squared),
            "d^2",
            means="Llama-3-8B 若每个 query 头都有自己的 KV 头，投影每个词元的浮点运算，按 d² 数。",
        ),
        "gqa_projections": Fact(
            Fraction(grouped.projections, squared),
            "d^2",
            means="Llama-3-8B 用 GQA，投影每个词元的浮点运算，按 d² 数。",
        ),
        "gqa_projections_saved": Fact(
            saved, "change", means="GQA 让 Llama-3-8B 的投影少做多少浮点运算。"
        ),
        "gqa_square_saved": Fact(
            ungrouped.square - grouped.square,
            "count",
            means="GQA 让 Llama-3-8B 的 N² 项在每一对词元上少做几次浮点运算。",
        ),
        "gqa_square": Fact(
            grouped.square, "count", means="Llama-3-8B 的 N² 项在每一对词元上的浮点运算次数。"
        ),
        "mha_linear": Fact(
            ceil(linear),
            "count",
            means="Llama-3-8B 若不用 GQA，N² 项追上全部线性层的句长。",
        ),
    }
