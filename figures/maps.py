"""Six facts of SmolLM2-135M traced in three ways: hidden states, windows of FFN, of attention.

A fact's number is the mean over the noise samples of its map; its spread runs over the samples.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.everywhere import trace_everywhere
from ffnsite.experiments.tracing import WINDOW, Peak, Site, Trace
from ffnsite.figure import Fact, Figure
from ffnsite.models.smollm2 import SMOLLM2_135M

SAMPLES, SEED = 2, 0
LAYERS = SMOLLM2_135M.layers
SITES: dict[Site, str] = {
    "hidden": "隐状态",
    "ffn": f"FFN 的输出，{WINDOW} 层一窗",
    "attention": f"attention 的输出，{WINDOW} 层一窗",
}
ROW, GAP, TITLE, FOOT = 17, 34, 24, 88  # pixels of a token's row and around the three maps


@dataclass(frozen=True, slots=True)
class Known:
    """A sentence that the model completes rightly."""

    name: str
    prompt: str
    subject: str
    answer: str


FACTS = {
    "eiffel": Known(
        "埃菲尔铁塔", "The Eiffel Tower is located in the city of", "Eiffel Tower", " Paris"
    ),
    "louvre": Known("卢浮宫", "The Louvre is located in the city of", "Louvre", " Paris"),
    "sydney": Known(
        "悉尼歌剧院",
        "The Sydney Opera House is located in the country of",
        "Sydney Opera House",
        " Australia",
    ),
    "korea": Known(
        "韩国首都", "The capital of South Korea is the city of", "South Korea", " Seoul"
    ),
    "gold": Known("金的符号", "The chemical symbol for gold is", "gold", " Au"),
    "darwin": Known(
        "达尔文", "Charles Darwin is famous for the theory of", "Charles Darwin", " evolution"
    ),
}
Maps = dict[Site, Trace]


def draw() -> Figure:
    """Three maps a fact, and what is brightest in each."""
    found = trace_everywhere.together(
        (known.prompt, known.subject, known.answer, SAMPLES, SEED) for known in FACTS.values()
    )
    maps = dict(zip(FACTS, found, strict=True))
    charts = {known.name: _stacked(maps[key]) for key, known in FACTS.items()}
    first = next(iter(charts))
    facts = _setting() | _counts(maps)
    for key, known in FACTS.items():
        facts |= _brightest(key, known, maps[key])
    return Figure(
        chart=charts.pop(first),
        label=first,
        variants=charts,
        facts=facts,
        caption=(
            "纵轴是主语首词起的各个词，粗体是被加噪的主语；横轴是层。颜色是换回干净值之后答案的概率"
            "涨回几个百分点，同一条事实的三张图用一把色标。上图换一格隐状态，"
            f"下面两图把一个词上连着 {WINDOW} 层的子层输出一起换，横轴是窗口居中的那一层。"
        ),
    )


def _stacked(maps: Maps) -> go.Figure:
    """Tokens downwards, layers to the right; the three kinds of restoring below one another."""
    one = maps["hidden"]
    words = [word.strip() for word in one.tokens[one.subject[0] :]]
    size = one.subject[1] - one.subject[0]
    names = [f"<b>{word}</b>" for word in words[:size]] + words[size:]
    panel = ROW * len(words)
    height = 3 * panel + 2 * GAP + TITLE + FOOT
    chart = look.chart(height=height)
    drawn = height - TITLE - FOOT
    for at, (site, name) in enumerate(SITES.items()):
        axis = "" if at == 0 else str(at + 1)
        top = 1 - at * (panel + GAP) / drawn
        chart.add_heatmap(
            x=list(range(LAYERS)),
            y=words,
            z=np.round(100 * maps[site].effects.T, 1).tolist(),
            yaxis=f"y{axis}",
            coloraxis="coloraxis",
            hovertemplate="%{y}，第 %{x} 层：涨回 %{z:.1f} 个百分点<extra></extra>",
        )
        ticks = {"tickvals": words, "ticktext": names, "autorange": "reversed", "showgrid": False}
        chart.update_layout(
            {f"yaxis{axis}": ticks | {"domain": [max(0, top - panel / drawn), top]}}
        )
        chart.add_annotation(
            text=name, x=0, y=top, xref="paper", yref="paper", xanchor="left", yanchor="bottom"
        )
    chart.update_annotations(showarrow=False, font={"size": 13})
    chart.update_xaxes(title_text="第几层", dtick=5, showgrid=False, anchor="y3")
    chart.update_layout(margin={"t": TITLE, "b": FOOT}, coloraxis=_scale(maps))
    return chart


def _scale(maps: Maps) -> dict[str, object]:
    """One colour scale for the three maps, lying under them."""
    brightest = max(one.peak().effect for one in maps.values())
    bar = {"orientation": "h", "thickness": 8, "len": 0.8, "yref": "container", "y": 0.01}
    return {
        "cmin": 0,
        "cmax": round(100 * brightest, 1),
        "colorscale": look.SEQUENTIAL,
        "colorbar": bar | {"yanchor": "bottom", "nticks": 5, "title": {"text": "百分点"}},
    }


def _setting() -> dict[str, Fact]:
    return {
        "facts": Fact(len(FACTS), "count", means="一共画了几条事实。"),
        "samples": Fact(SAMPLES, "count", means="每张图里每一格平均几份噪声。"),
        "window": Fact(WINDOW, "count", means="还原子层输出时，一个窗口连着几层。"),
        "maps": Fact(len(FACTS) * len(SITES), "count", means="一共几张图：每条事实三张。"),
    }


def _counts(maps: dict[str, Maps]) -> dict[str, Fact]:
    """Where in the subject the brightest hidden state is, over the facts."""
    hidden = [traced["hidden"] for traced in maps.values()]
    last = sum(_peak_in_subject(one).position == one.subject[1] - 1 for one in hidden)
    return {
        "last_leads": Fact(last, "count", means="几条事实里，主语各格中最亮的隐状态在主语末词。"),
        "last_does_not": Fact(
            len(hidden) - last, "count", means="几条事实里，主语各格中最亮的隐状态不在主语末词。"
        ),
    }


def _brightest(key: str, known: Known, maps: Maps) -> dict[str, Fact]:
    """The brightest cell of the subject and of the last token, in each map."""
    hidden = maps["hidden"]
    chance = Fact(
        hidden.clean, "share", digits=2, means=f"{known.name}：干净地跑，答案首个词元的概率。"
    )
    places: dict[str, Callable[[Trace], Peak]] = {
        "主语里": _peak_in_subject,
        "提示的末词": lambda one: one.peak("last"),
    }
    facts = {f"{key}_clean": chance}
    for site, name in SITES.items():
        for where, (place, find) in zip(("subject", "last"), places.items(), strict=True):
            facts[f"{key}_{site}_{where}"] = _over_samples(
                maps[site],
                find(maps[site]),
                f"{known.name}，换回{name}：{place}最亮一格的间接效应。",
            )
    return facts


def _peak_in_subject(one: Trace) -> Peak:
    """The brightest cell of the subject's tokens."""
    kinds = set(one.roles[: one.subject[1] - one.subject[0]])
    return one.peak(*kinds)


def _over_samples(one: Trace, peak: Peak, means: str) -> Fact:
    """The cell's mean effect, with the lowest and the highest of single noise samples."""
    column = peak.position - one.subject[0]
    each = one.restored[:, peak.layer, column] - one.corrupted
    spread = (float(each.min()), float(each.max()))
    return Fact(float(each.mean()), "pp", digits=2, spread=spread, means=means)
