"""The same fact asked in other words: do the channels stay, does the tracing peak stay?

Channels come from the study `channels`, tracing from the studies `aie_upper` (the first phrasing) and
`phrasing` (the further ones, and the first again with other noise); windows leave out layer 0, which
would give back the word itself. A spread over facts is that of the facts' own means.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from statistics import mean

import numpy as np
import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.aie import Effects, effects
from ffnsite.experiments.edit_scores import left_out
from ffnsite.experiments.phrasing import KNOWN, TOP, Agreement, Asked, Ranked, agreement
from ffnsite.figure import Fact, Figure
from ffnsite.models.smollm2 import SMOLLM2_135M
from ffnsite.studies import recorded

LAYERS, CHANNELS = SMOLLM2_135M.layers, SMOLLM2_135M.layers * SMOLLM2_135M.d_ff
SITES = {"last": "末词", "subject": "主语末词"}
KINDS = {
    "same": "同一事实，换问法",
    "answer": "别的主语，同一答案",
    "wording": "别的事实，同一问法",
    "other": "别的事实，别的问法",
}
COLOURS = {"last": look.ATTENTION, "subject": look.FFN}
ROLES = ("first", "middle", "last_subject")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two prompts by their places in the study, and what kind of pair they are."""

    one: int
    other: int
    kind: str


def draw() -> Figure:
    """How much two prompts have in common, by kind of pair, and where tracing peaks."""
    (row,) = recorded(agreement, "channels")
    asked = [Asked(**each) for each in row.arguments["asked"]]
    found, pairs = row.result, _pairs_of(asked)
    tracks = _tracks(asked)
    return Figure(
        chart=_bars(found, pairs, asked, _shared),
        label="共有的通道",
        variants={
            "排名的相关": _bars(found, pairs, asked, _correlated),
            "追踪的峰": _peaks(tracks),
        },
        facts=_setting(found, asked)
        | _agreements(found, pairs, asked)
        | _cores(found, asked)
        | _heights(found)
        | _peak_facts(tracks),
        caption=(
            f"两句问话，各取对答案出力最大的 {TOP} 个通道，看有几成相同：横条是平均，细线是各条事实"
            f"自己的平均从最低到最高。{len(_subjects(asked))} 条事实，每条 {_phrasings(asked)} 种问法。"
        ),
    )


def _subjects(asked: list[Asked]) -> list[str]:
    """The subjects in the order of the study."""
    return [*dict.fromkeys(one.subject for one in asked)]


def _pairs_of(asked: list[Asked]) -> list[Pair]:
    """Every two prompts and their kind."""
    return [
        Pair(one, other, _kind(asked[one], asked[other]))
        for one, other in combinations(range(len(asked)), 2)
    ]


def _kind(one: Asked, other: Asked) -> str:
    if one.subject == other.subject:
        return "same"
    if one.answer == other.answer:
        return "answer"
    return "wording" if _wording(one) == _wording(other) else "other"


def _wording(one: Asked) -> str:
    """The prompt without its subject and the article in front of it."""
    return one.prompt.replace(one.subject, "…").removeprefix("The ")


def _shared(ranked: Ranked, pair: Pair) -> float:
    """The share of top channels that both prompts have."""
    return ranked.shared(pair.one, pair.other)


def _correlated(ranked: Ranked, pair: Pair) -> float:
    """Spearman's correlation of both rankings of all channels."""
    return float(ranked.correlation[pair.one, pair.other])


Measure = Callable[[Ranked, Pair], float]


def _by_fact(
    ranked: Ranked, pairs: list[Pair], asked: list[Asked], measure: Measure
) -> list[float]:
    """Of each fact the mean over the pairs that it takes part in; facts without a pair are left out."""
    values: dict[str, list[float]] = {}
    for pair in pairs:
        for who in {asked[pair.one].subject, asked[pair.other].subject}:
            values.setdefault(who, []).append(measure(ranked, pair))
    return [mean(each) for each in values.values()]


def _bars(found: Agreement, pairs: list[Pair], asked: list[Asked], measure: Measure) -> go.Figure:
    """The mean of each kind of pair, with a thin line from the lowest fact to the highest."""
    chart = look.chart(height=360)
    for site, name in SITES.items():
        ranked: Ranked = getattr(found, site)
        values = [_facts_of(ranked, pairs, asked, measure, kind) for kind in KINDS]
        means = [mean(each) for each in values]
        chart.add_bar(
            name=f"在{name}",
            y=[*KINDS.values()],
            x=[round(value, 3) for value in means],
            orientation="h",
            marker={"color": COLOURS[site]},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [round(max(v) - m, 3) for v, m in zip(values, means, strict=True)],
                "arrayminus": [round(m - min(v), 3) for v, m in zip(values, means, strict=True)],
                "color": look.MUTED,
                "thickness": 1.2,
                "width": 3,
            },
            hovertemplate="%{y}：%{x:.2f}<extra>%{fullData.name}</extra>",
        )
    title = "共有的份额" if measure is _shared else "Spearman 秩相关"
    chart.update_xaxes(title_text=title, range=[-0.03, 1], dtick=0.25)
    chart.update_yaxes(autorange="reversed")
    return chart


def _facts_of(
    ranked: Ranked, pairs: list[Pair], asked: list[Asked], measure: Measure, kind: str
) -> list[float]:
    return _by_fact(ranked, [pair for pair in pairs if pair.kind == kind], asked, measure)


@dataclass(frozen=True, slots=True)
class Tracks:
    """The traces of one fact: its first phrasing, the same with other noise, the other phrasings."""

    first: Effects
    again: Effects
    others: tuple[Effects, ...]


def _tracks(asked: list[Asked]) -> dict[str, Tracks]:
    """Subject to its traces, as far as all of them are recorded."""
    first = {row.arguments["prompt"]: row.result for row in recorded(effects, "aie_upper")}
    rows = {
        (row.arguments["prompt"], row.arguments["seed"]): row.result
        for row in recorded(effects, "phrasing")
    }
    tracks = {}
    for who in _subjects(asked):
        prompts = [one.prompt for one in asked if one.subject == who]
        others = tuple(rows[prompt, 0] for prompt in prompts[1:])
        tracks[who] = Tracks(first[prompts[0]], rows[prompts[0], 1], others)
    return tracks


def _peak_layer(one: Effects) -> int:
    """The layer where the subject's largest effect is largest."""
    return int(np.argmax(one.by_role["subject"]))


def _peak_role(one: Effects) -> str:
    """The subject's token with the largest effect."""
    return max(
        (role for role in ROLES if role in one.by_role), key=lambda role: max(one.by_role[role])
    )


def _peaks(tracks: dict[str, Tracks]) -> go.Figure:
    chart = look.chart(height=460)
    marks: dict[str, tuple[Callable[[Tracks], list[Effects]], str, str, int]] = {
        "第一种问法": (lambda each: [each.first], "circle-open", look.INK, 15),
        "换一组噪声": (lambda each: [each.again], "x-thin-open", look.MUTED, 9),
        "别的问法": (lambda each: [*each.others], "diamond", look.FFN, 8),
    }
    for name, (chosen, symbol, colour, size) in marks.items():
        places = [(_peak_layer(one), who) for who, each in tracks.items() for one in chosen(each)]
        chart.add_scatter(
            name=name,
            x=[layer for layer, _ in places],
            y=[who for _, who in places],
            mode="markers",
            marker={"symbol": symbol, "size": size, "color": colour, "line": {"width": 2}},
            hovertemplate="%{y}：第 %{x} 层<extra>%{fullData.name}</extra>",
        )
    chart.update_xaxes(title_text="主语上 FFN 效应最大的层", range=[-0.7, LAYERS - 0.3], dtick=5)
    chart.update_yaxes(autorange="reversed")
    return chart


def _setting(found: Agreement, asked: list[Asked]) -> dict[str, Fact]:
    return {
        "facts": Fact(len(_subjects(asked)), "count", means="换着问法问了几条事实。"),
        "phrasings": Fact(_phrasings(asked), "count", means="每条事实有几种问法。"),
        "prompts": Fact(len(asked), "count", means="一共几句问话。"),
        "begun_alike": Fact(
            _begun_alike(asked),
            "count",
            means="有几条事实，各种问法到主语为止一字不差，主语上的激活因此完全相同。",
        ),
        "known": Fact(KNOWN, "share", digits=1, means="答案的概率超过多少，才算模型知道。"),
        "clean": Fact(
            (min(found.clean), max(found.clean)),
            "share",
            digits=2,
            means="各句问话后答案的概率，从最低到最高。",
        ),
        "top": Fact(TOP, "count", means="每句问话取出力最大的几个通道。"),
        "channels": Fact(CHANNELS, "count", means="SmolLM2-135M 所有层一共有几个通道。"),
        "chance": Fact(
            Fraction(TOP, CHANNELS), "share", means="随手挑同样多的通道，平均有几成碰巧相同。"
        ),
    }


def _begun_alike(asked: list[Asked]) -> int:
    """How many facts have the same words up to the subject's last one in all phrasings."""
    begun: dict[str, set[str]] = {}
    for one in asked:
        begun.setdefault(one.subject, set()).add(one.prompt.partition(one.subject)[0])
    return sum(len(each) == 1 for each in begun.values())


def _phrasings(asked: list[Asked]) -> int:
    return len(asked) // len(_subjects(asked))


def _agreements(found: Agreement, pairs: list[Pair], asked: list[Asked]) -> dict[str, Fact]:
    """What pairs of each kind share, and how their rankings correlate."""
    facts: dict[str, Fact] = {}
    for site, where in SITES.items():
        ranked: Ranked = getattr(found, site)
        for kind, name in KINDS.items():
            of_kind = f"{name}的两句问话，在{where}"
            share = _facts_of(ranked, pairs, asked, _shared, kind)
            rho = _facts_of(ranked, pairs, asked, _correlated, kind)
            facts[f"shared_{site}_{kind}"] = _over_facts(
                share, "share", f"{of_kind}出力最大的 {TOP} 个通道里相同的份额"
            )
            facts[f"rho_{site}_{kind}"] = _over_facts(
                rho, "number", f"{of_kind}所有通道排名的 Spearman 秩相关"
            )
    return facts


def _cores(found: Agreement, asked: list[Asked]) -> dict[str, Fact]:
    """The channels that are among the top in every phrasing of a fact."""
    facts = {}
    for site, where in SITES.items():
        ranked: Ranked = getattr(found, site)
        cores = []
        for who in _subjects(asked):
            places = [at for at, one in enumerate(asked) if one.subject == who]
            cores.append(len(set.intersection(*(set(ranked.top[at].tolist()) for at in places))))
        facts[f"core_{site}"] = _over_facts(
            [float(core) for core in cores],
            "count",
            f"在{where}，一条事实的各种问法都用到的出力最大的通道有几个（每句取 {TOP} 个）",
        )
    return facts


def _heights(found: Agreement) -> dict[str, Fact]:
    """In which layers the top channels lie."""
    facts = {}
    for site, where in SITES.items():
        layers = getattr(found, site).top // SMOLLM2_135M.d_ff
        for key, name, inside in (
            ("bottom", "最底一层", layers == 0),
            ("top", "最上一层", layers == LAYERS - 1),
            ("upper", "第 20 层及以上", layers >= 20),
        ):
            facts[f"{key}_{site}"] = Fact.over(
                inside.mean(axis=1).tolist(),
                "share",
                f"在{where}出力最大的 {TOP} 个通道里，{name}占的份额，各句问话平均，范围是各句问话。",
            )
    return facts


def _peak_facts(tracks: dict[str, Tracks]) -> dict[str, Fact]:
    """How far the peak moves with the wording and with the noise, and whether its token stays."""
    several = {who: each for who, each in tracks.items() if "first" in each.first.by_role}
    moved = [
        [abs(_peak_layer(one) - _peak_layer(each.first)) for one in each.others]
        for each in tracks.values()
    ]
    noise = [abs(_peak_layer(each.again) - _peak_layer(each.first)) for each in tracks.values()]
    kept = [
        _peak_role(one) == _peak_role(each.first)
        for each in several.values()
        for one in each.others
    ]
    kept_noise = [_peak_role(each.again) == _peak_role(each.first) for each in several.values()]
    return {
        "peak_moved": _left_out(
            [float(mean(each)) for each in moved], "换问法，主语上 FFN 效应的峰平均挪几层"
        ),
        "peak_moved_noise": _left_out(
            [float(each) for each in noise], "问法不变、换一组噪声，峰平均挪几层"
        ),
        "several": Fact(len(several), "count", means="主语不止一个词元的事实有几条。"),
        "role_asked": Fact(len(kept), "count", means="这些事实一共有几次换问法。"),
        "role_kept": Fact(sum(kept), "count", means="其中峰还落在主语同一个词上的有几次。"),
        "role_kept_noise": Fact(
            sum(kept_noise), "count", means="这些事实换一组噪声，峰还落在同一个词上的有几条。"
        ),
        **_curve_facts(tracks),
    }


def _curve_facts(tracks: dict[str, Tracks]) -> dict[str, Fact]:
    """How alike the curves over layers are."""
    alike = {
        who: mean(_alike(one, each.first) for one in each.others) for who, each in tracks.items()
    }
    noise = [_alike(each.again, each.first) for each in tracks.values()]
    apart = [
        mean(_alike(other.first, each.first) for who, other in tracks.items() if who != name)
        for name, each in tracks.items()
    ]
    return {
        "curve_wording": _over_facts(
            [*alike.values()], "number", "换问法，主语上 FFN 效应随层的曲线与原来的相关系数"
        ),
        "curve_noise": _over_facts(noise, "number", "换一组噪声，这条曲线与原来的相关系数"),
        "curve_apart": _over_facts(apart, "number", "不同事实之间，这条曲线的相关系数"),
    }


def _alike(one: Effects, other: Effects) -> float:
    return float(np.corrcoef(one.by_role["subject"], other.by_role["subject"])[0, 1])


def _left_out(values: list[float], means: str) -> Fact:
    low, high = left_out(values)
    words = f"{means}，各条事实平均，范围是去掉任何一条事实。"
    return Fact(mean(values), "count", digits=2, spread=(low, high), means=words)


def _over_facts(values: list[float], unit: str, means: str) -> Fact:
    return Fact.over(values, unit, f"{means}，各条事实平均，范围是各条事实。")
