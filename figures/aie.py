"""Which tokens and layers carry facts through SmolLM2-135M, averaged over facts the model knows.

Every fact is traced with each noise seed (study `aie`). An average is over facts and seeds; its
interval is mean ± 1.96 standard errors over the facts, each first averaged over its seeds; its spread
runs over the averages of single seeds. Two more studies restore single layers (`aie_single`) and
windows that leave out layer 0 (`aie_upper`), with one noise seed.
"""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from ffnsite import look
from ffnsite.experiments.aie import KNOWN, Effects, effects
from ffnsite.experiments.tracing import WINDOW, Site, window_of
from ffnsite.figure import Fact, Figure
from ffnsite.models.smollm2 import SMOLLM2_135M
from ffnsite.studies import Row, recorded

LAYERS = SMOLLM2_135M.layers
SITES: dict[Site, str] = {"hidden": "隐状态", "ffn": "FFN 窗口", "attention": "attention 窗口"}
ROLES = {
    "last_subject": "主语末词",
    "subject": "主语里最高的词",
    "first": "主语首词",
    "last": "提示的末词",
    "next": "主语后第一个词",
    "further": "再往后、末词之前的词",
}
LINES = {
    "last_subject": (look.FFN, "solid"),
    "subject": (look.NEGATIVE, "dot"),
    "first": (look.HEAD, "dash"),
    "last": (look.ATTENTION, "solid"),
    "next": (look.EMBEDDING, "dash"),
}
BANDS = ("last_subject", "last")
NEAR_TOP = 0.9  # layers whose average is at least so much of the highest belong to its plateau
ERRORS = 1.96  # standard errors on each side of a 95 % interval

Rows = Sequence[Row[Effects]]
Curves = Float[np.ndarray, "seeds facts layers"]


def draw() -> Figure:
    """Average indirect effects by role and layer, for each kind of restoring, and the controls."""
    rows, upper, single = (recorded(effects, name) for name in ("aie", "aie_upper", "aie_single"))
    charts = {name: _by_role(rows, site) for site, name in SITES.items()}
    first = next(iter(charts))
    charts["窗口与单层"] = _windows(rows, upper, single)
    facts = _setting(rows) | _leading(rows)
    for site, name in SITES.items():
        for role, place in ROLES.items():
            facts |= _peak(f"{site}_{role}", _curves(rows, site, role), f"{place}，换回{name}")
    return Figure(
        chart=charts.pop(first),
        label=first,
        variants=charts,
        facts=facts | _bottom(rows, upper, single) | _against(rows),
        caption=(
            f"{len(_facts(rows))} 条事实的平均间接效应，横轴是层，窗口看居中的那一层；"
            "色带是对事实的 95% 区间。主语后第一个词没有加噪，是对照。"
            "隐状态那张，末词在最上面一层按构造等于总效应，不是发现。"
        ),
    )


def _curves(rows: Rows, site: Site, role: str) -> Curves:
    """The effects of the facts that have such a token."""
    found: dict[int, list[tuple[float, ...]]] = {}
    for row in rows:
        if row.arguments["site"] == site and role in row.result.by_role:
            found.setdefault(row.arguments["seed"], []).append(row.result.by_role[role])
    return np.array([found[seed] for seed in sorted(found)])


def _average(found: Curves) -> Float[np.ndarray, " layers"]:
    mean: np.ndarray = found.mean(axis=(0, 1))
    return mean


def _interval(found: Curves) -> tuple[Float[np.ndarray, " layers"], Float[np.ndarray, " layers"]]:
    """Mean ± 1.96 standard errors over the facts, at each layer."""
    by_fact = found.mean(axis=0)
    half = ERRORS * by_fact.std(axis=0, ddof=1) / np.sqrt(len(by_fact))
    return by_fact.mean(axis=0) - half, by_fact.mean(axis=0) + half


def _by_role(rows: Rows, site: Site) -> go.Figure:
    chart = _empty()
    for role, (colour, dash) in LINES.items():
        found = _curves(rows, site, role)
        if role in BANDS:
            _band(chart, found, ROLES[role], colour)
        _line(chart, _average(found), ROLES[role], colour, dash)
    return chart


def _windows(rows: Rows, upper: Rows, single: Rows) -> go.Figure:
    """Where windows differ from single layers, and what layer 0 does in a window."""
    chart = _empty()
    lines = (
        ("FFN 窗口，主语里最高的词", _curves(rows, "ffn", "subject"), look.FFN, "solid"),
        ("FFN 窗口，去掉最底层", _curves(upper, "ffn", "subject"), look.NEGATIVE, "dash"),
        ("单层 FFN，主语里最高的词", _curves(single, "ffn", "subject"), look.HEAD, "dot"),
        ("attention 窗口，提示的末词", _curves(rows, "attention", "last"), look.ATTENTION, "solid"),
        ("单层 attention，提示的末词", _curves(single, "attention", "last"), look.OTHER, "dot"),
    )
    for name, found, colour, dash in lines:
        _line(chart, _average(found), name, colour, dash)
    return chart


def _empty() -> go.Figure:
    chart = look.chart(height=400)
    chart.update_xaxes(title_text="第几层", dtick=5, range=[0, LAYERS - 1])
    chart.update_yaxes(title_text="平均间接效应（百分点）", range=[-4, 94], dtick=20)
    return chart


def _line(
    chart: go.Figure, curve: Float[np.ndarray, " layers"], name: str, colour: str, dash: str
) -> None:
    chart.add_scatter(
        x=list(range(LAYERS)),
        y=_points(curve),
        name=name,
        mode="lines",
        line={"color": colour, "dash": dash, "width": 2.4},
        hovertemplate=f"{name}，第 %{{x}} 层：%{{y:.1f}} 个百分点<extra></extra>",
    )


def _band(chart: go.Figure, found: Curves, name: str, colour: str) -> None:
    """The interval; of a closed outline the table keeps the lower end, so the upper one is told apart."""
    low, high = map(_points, _interval(found))
    layers = list(range(LAYERS))
    quiet = {"mode": "lines", "line": {"width": 0, "color": colour}, "hoverinfo": "skip"}
    chart.add_scatter(
        x=layers + layers[::-1],
        y=high + low[::-1],
        name=f"{name}，区间下端",
        fill="toself",
        fillcolor=colour,
        opacity=0.2,
        showlegend=False,
        **quiet,
    )
    chart.add_scatter(x=layers, y=high, name=f"{name}，区间上端", showlegend=False, **quiet)


def _points(curve: Float[np.ndarray, " layers"]) -> list[float]:
    return [round(100 * float(effect), 1) for effect in curve]


def _facts(rows: Rows) -> list[Effects]:
    """Each fact once."""
    found = {row.arguments["prompt"]: row.result for row in rows}
    return list(found.values())


def _setting(rows: Rows) -> dict[str, Fact]:
    facts = _facts(rows)
    seeds = {row.arguments["seed"] for row in rows}
    samples = rows[0].arguments["samples"]
    tokens = [one.subject_tokens for one in facts]
    clean = [one.clean for one in facts]
    total = np.array(
        [
            [row.result.total_effect for row in rows if row.arguments["seed"] == seed]
            for seed in sorted(seeds)
        ]
    ).mean(axis=1)
    return {
        "facts": Fact(len(facts), "count", means="平均了几条事实。"),
        "multi": Fact(
            sum(size > 1 for size in tokens), "count", means="其中几条事实的主语不止一个词元。"
        ),
        "middles": Fact(
            sum("middle" in one.by_role for one in facts),
            "count",
            means="其中几条事实的主语有中间的词元，也就是不止两个词元。",
        ),
        "longest": Fact(max(tokens), "count", means="最长的主语占几个词元。"),
        "seeds": Fact(len(seeds), "count", means="每条事实抽几组噪声。"),
        "samples": Fact(samples, "count", means="一组噪声有几份。"),
        "draws": Fact(samples * len(seeds), "count", means="每条事实一共抽几份噪声。"),
        "window": Fact(WINDOW, "count", means="还原子层输出时，一个窗口连着几层。"),
        "known": Fact(KNOWN, "share", digits=1, means="干净时答案的概率要大于多少才算模型知道。"),
        "confidence": Fact(0.95, "share", digits=2, means="对事实的区间取多大的把握。"),
        "clean": Fact(
            float(np.mean(clean)), "share", digits=2, means="干净时答案的概率，对各条事实平均。"
        ),
        "clean_lowest": Fact(min(clean), "share", digits=2, means="干净时答案的概率最低的一条。"),
        "corrupted": Fact(
            float(np.mean(clean) - total.mean()),
            "share",
            digits=2,
            spread=_ends(np.mean(clean) - total),
            means="主语加噪后答案的概率，对各条事实与噪声平均。",
        ),
        "total_effect": Fact(
            float(total.mean()),
            "pp",
            digits=2,
            spread=_ends(total),
            means="平均总效应：干净时的概率减去加噪后的概率，对各条事实与噪声平均。",
        ),
    }


def _ends(values: Float[np.ndarray, " values"]) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _peak(key: str, found: Curves, what: str) -> dict[str, Fact]:
    """The highest average, its interval over facts, and the layers that come near it."""
    mean = _average(found)
    top = int(mean.argmax())
    low, high = _interval(found)
    near = np.flatnonzero(mean >= NEAR_TOP * mean[top])
    return {
        key: _effect(found, top, f"{what}：平均间接效应，取最高的一层。"),
        f"{key}_interval": Fact(
            (float(low[top]), float(high[top])),
            "pp",
            digits=2,
            means=f"{what}：最高一层的平均间接效应，对事实的 95% 区间。",
        ),
        f"{key}_top": Fact(top, "count", means=f"{what}：平均间接效应最高的一层，从零数。"),
        f"{key}_layers": Fact(
            (int(near[0]), int(near[-1])),
            "count",
            means=f"{what}：平均间接效应不低于最高值九成的层，从哪层到哪层，从零数。",
        ),
    }


def _effect(found: Curves, layer: int, means: str) -> Fact:
    """The average at one layer, with its spread over noise seeds."""
    each = found[:, :, layer].mean(axis=1)
    spread = _ends(each) if len(each) > 1 else None
    return Fact(float(each.mean()), "pp", digits=2, spread=spread, means=means)


def _leading(rows: Rows) -> dict[str, Fact]:
    """Which token of the subject is brightest, and where the last token takes over."""
    seeds = sorted({row.arguments["seed"] for row in rows})
    asked = [row for row in rows if row.arguments["site"] == "hidden"]
    multi = [row for row in asked if row.result.subject_tokens > 1]
    leads = [
        sum(_leads(row.result) for row in multi if row.arguments["seed"] == seed) for seed in seeds
    ]
    handovers = _handovers(*(_curves(rows, "hidden", role) for role in ("last", "subject")))
    return {
        "last_leads": Fact(
            leads[0],
            "count",
            spread=(min(leads), max(leads)),
            means="主语不止一个词元的事实里，几条的主语各词中效应最大的隐状态在主语末词。",
        ),
        "handover_first": Fact(
            min(handovers),
            "count",
            means="从哪一层起，末词的效应一直超过主语各词，最早的一条事实，从零数。",
        ),
        "handover": Fact(
            int(np.median(handovers)),
            "count",
            means="从哪一层起，末词的效应一直超过主语各词，各条事实的中位数，从零数。",
        ),
        "handover_common": Fact(
            handovers.count(int(np.median(handovers))),
            "count",
            means="几条事实里，末词的效应恰好从中位数那一层起一直超过主语各词。",
        ),
    }


def _leads(one: Effects) -> bool:
    return max(one.by_role["last_subject"]) == max(one.by_role["subject"])


def _handovers(last: Curves, subject: Curves) -> list[int]:
    """Of each fact, averaged over seeds, the layer from which on the last token has more effect."""
    behind = subject.mean(axis=0) >= last.mean(axis=0)
    return [int(np.flatnonzero(one).max(initial=-1)) + 1 for one in behind]


def _bottom(rows: Rows, upper: Rows, single: Rows) -> dict[str, Fact]:
    """What layer 0 does: hidden states right behind it, windows with and without it, it alone."""
    above = [at for at in range(LAYERS) if window_of(at, WINDOW, LAYERS).start > 0]
    windows, one = _curves(rows, "ffn", "subject"), _curves(single, "ffn", "subject")
    higher = 1 + int(_average(one)[1:].argmax())
    first_above = above[0] + int(_average(windows)[above].argmax())
    return (
        {
            "hidden_subject_bottom": _effect(
                _curves(rows, "hidden", "subject"), 0, "主语里最高的词，换回最底层写出的隐状态。"
            ),
            "ffn_subject_above": _effect(
                windows, first_above, "主语里最高的词，换回 FFN，只看够不着最底层的窗口，取最高。"
            ),
            "ffn_above_starts": Fact(
                above[0], "count", means="居中在哪一层起，窗口够不着最底层，从零数。"
            ),
            "single_ffn_bottom": _effect(one, 0, "主语里最高的词，只换回最底层一层的 FFN。"),
            "single_ffn_higher": _effect(
                one, higher, "主语里最高的词，只换回一层的 FFN，最底层除外，取最高的一层。"
            ),
        }
        | _peak(
            "upper_ffn_subject",
            _curves(upper, "ffn", "subject"),
            "主语里最高的词，换回去掉最底层的 FFN 窗口",
        )
        | _peak(
            "upper_ffn_last", _curves(upper, "ffn", "last"), "提示的末词，换回去掉最底层的 FFN 窗口"
        )
        | _peak(
            "single_attention_last",
            _curves(single, "attention", "last"),
            "提示的末词，只换回一层的 attention",
        )
        | _peak(
            "single_attention_subject",
            _curves(single, "attention", "subject"),
            "主语里最高的词，只换回一层的 attention",
        )
        | _peak("single_ffn_last", _curves(single, "ffn", "last"), "提示的末词，只换回一层的 FFN")
    )


def _against(rows: Rows) -> dict[str, Fact]:
    """Attention against FFN at the last token, and FFN at the subject against its hidden state."""
    ffn, attention = (_curves(rows, site, "last").max(axis=2) for site in ("ffn", "attention"))
    wins = (attention > ffn).sum(axis=1)
    tops = {site: _curves(rows, site, "last_subject").mean(axis=1).max(axis=1) for site in SITES}
    share = tops["ffn"] / tops["hidden"]
    return {
        "attention_wins": Fact(
            int(np.median(wins)),
            "count",
            spread=(int(wins.min()), int(wins.max())),
            means="几条事实在提示的末词上，attention 窗口的最高效应超过 FFN 窗口的。",
        ),
        "ffn_of_hidden": Fact(
            float(share.mean()),
            "ratio",
            digits=2,
            spread=_ends(share),
            means="主语末词上，FFN 窗口的最高平均效应是单个隐状态的几倍。",
        ),
    }
