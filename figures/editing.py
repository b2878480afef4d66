"""Rewriting facts in one layer of SmolLM2-135M: does it work, and does the tracing map say where?

The edits are the rows of the study `editing`, the tracing effects those of the study `aie`. A spread is
that of leaving out one fact at a time, unless the definition says otherwise.
"""

from collections.abc import Iterable
from statistics import mean

import numpy as np
import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.aie import effects
from ffnsite.experiments.edit_key import LENGTH, PREFIXES, ROWS
from ffnsite.experiments.edit_scores import each_layer, explained, left_out, resampled, scores
from ffnsite.experiments.edit_value import Search
from ffnsite.experiments.editing import KNOWN, Answer, Edit, edit
from ffnsite.experiments.spearman import spearman
from ffnsite.experiments.tracing import WINDOW
from ffnsite.figure import Fact, Figure
from ffnsite.studies import recorded

LAYERS = (0, 3, 6, 9, 12, 15, 18, 21, 24, 27)
CLOSE = {"low": 3, "high": 24}
SUBJECT, OLD, NEW = "Louvre", "Paris", "Rome"
QUIET = 0.01
LABELS = {
    "The Louvre is located in the city of": "原句",
    "The Louvre can be found in the city of": "… can be found in …",
    "The Louvre stands in the middle of the city of": "… stands in …",
    "People who live near the Louvre live in the city of": "People who live …",
    "The Eiffel Tower is located in the city of": "邻居 Eiffel Tower",
    "The Arc de Triomphe stands in the city of": "邻居 Arc de Triomphe",
    "The capital of France is the city of": "邻居 France 的首都",
}
SCORES = {
    "edited": "原句改成",
    "paraphrased": "换问法跟着改",
    "kept": "邻居留住",
    "together": "三项合计",
}

Edits = dict[str, dict[int, Edit]]
Effects = dict[str, np.ndarray]


def draw() -> Figure:
    """Scores by layer with the tracing curve, one edit seen close, and the correlations."""
    edits = _edits()
    traced = {who: curve for who, curve in _traced("ffn").items() if who in edits}
    charts = {f"改在第 {layer} 层": _close(edits[SUBJECT][layer]) for layer in CLOSE.values()}
    return Figure(
        chart=_by_layer(edits, traced),
        label="改哪一层",
        variants=charts | {"与追踪的相关": _correlations(edits, traced)},
        facts=_setting(edits)
        | _rates(edits)
        | _failed(edits)
        | _curves(edits)
        | _sizes(edits)
        | _examples(edits[SUBJECT])
        | _against_tracing(edits, traced)
        | _predictors(edits, traced),
        caption=(
            f"SmolLM2-135M，{len(edits)} 条事实各在 {len(LAYERS)} 层里改一次，一次一条，改完复原。"
            "「改成」「跟着改」是新答案的概率走完了到一的路的几成，「留住」是邻居的原答案概率剩下几成；"
            "虚线是同样这些事实的追踪：只恢复主语末词的 FFN，答案的概率涨回多少。"
        ),
    )


def _edits() -> Edits:
    """Subject to layer to edit."""
    found: Edits = {}
    for row in recorded(edit, "editing"):
        found.setdefault(row.arguments["subject"], {})[row.arguments["layer"]] = row.result
    return found


def _traced(site: str, study: str = "aie") -> Effects:
    """Subject to the effect at its last token at each edited layer, the mean over noise seeds."""
    curves: dict[str, list[tuple[float, ...]]] = {}
    for row in recorded(effects, study):
        if row.arguments["site"] == site and row.arguments.get("window", WINDOW) == WINDOW:
            curve = row.result.by_role["last_subject"]
            curves.setdefault(row.arguments["subject"], []).append(curve)
    return {who: np.mean(rows, axis=0)[[*LAYERS]] for who, rows in curves.items()}


def _score(edits: Edits, name: str) -> dict[str, list[float]]:
    """Subject to one score at each layer."""
    return {
        who: [float(getattr(scores(by_layer[layer]), name)) for layer in LAYERS]
        for who, by_layer in edits.items()
    }


def _by_layer(edits: Edits, traced: Effects) -> go.Figure:
    chart = look.chart(height=380)
    lines = {
        "原句改成": ("edited", look.INK, "solid"),
        "换问法跟着改": ("paraphrased", look.ATTENTION, "solid"),
        "邻居留住": ("kept", look.POSITIVE, "solid"),
    }
    for name, (score, colour, dash) in lines.items():
        curve = np.mean([*_score(edits, score).values()], axis=0)
        _line(chart, name, curve, colour, dash)
    _line(chart, "追踪效应", np.mean([*traced.values()], axis=0), look.FFN, "dash")
    chart.update_xaxes(title_text="第几层", tickvals=[*LAYERS], range=[-0.7, LAYERS[-1] + 0.7])
    chart.update_yaxes(title_text="%（追踪：百分点）", range=[-3, 104], dtick=25)
    return chart


def _line(chart: go.Figure, name: str, curve: np.ndarray, colour: str, dash: str) -> None:
    chart.add_scatter(
        name=name,
        x=[*LAYERS],
        y=np.round(100 * curve, 1).tolist(),
        mode="lines+markers",
        line={"color": colour, "dash": dash, "width": 2.5},
        marker={"size": 6},
        hovertemplate="第 %{x} 层：%{y:.0f}<extra>%{fullData.name}</extra>",
    )


def _close(one: Edit) -> go.Figure:
    """Every prompt of one edit: both answers, before (hollow) and after (filled)."""
    chart = look.chart(height=420)
    answers = [one.asked, *one.paraphrases, *one.neighbours]
    names = [LABELS[answer.prompt] for answer in answers]
    for word, side, colour in ((OLD, "old", look.ATTENTION), (NEW, "new", look.FFN)):
        for when, at, symbol in (("改前", 0, "circle-open"), ("改后", 1, "circle")):
            chart.add_scatter(
                name=f"{word} {when}",
                x=[round(100 * getattr(answer, side)[at], 1) for answer in answers],
                y=names,
                mode="markers",
                marker={"symbol": symbol, "size": 11, "color": colour, "line": {"width": 2}},
                hovertemplate="%{y}：%{x:.0f}%<extra>%{fullData.name}</extra>",
            )
    chart.update_xaxes(ticksuffix="%", range=[-4, 104], dtick=25)
    chart.update_yaxes(autorange="reversed")
    return chart


def _correlations(edits: Edits, traced: Effects) -> go.Figure:
    """One point a fact: how its scores over layers go with its tracing effects."""
    chart = look.chart(height=340)
    for score, name in SCORES.items():
        found = _rhos(edits, traced, score)
        chart.add_scatter(
            name=name,
            x=[round(rho, 2) for rho in found.values()],
            y=[name] * len(found),
            text=[*found],
            mode="markers",
            marker={"size": 11, "color": look.FFN, "opacity": 0.55},
            showlegend=False,
            hovertemplate="%{text}：%{x:.2f}<extra>%{y}</extra>",
        )
    chart.update_xaxes(title_text="Spearman 秩相关，点是各条事实", range=[-1.05, 1.05], dtick=0.5)
    chart.update_yaxes(autorange="reversed")
    return chart


def _rhos(edits: Edits, traced: Effects, score: str) -> dict[str, float]:
    """Subject to the rank correlation, over layers, of this score and the tracing effect."""
    curves = _score(edits, score)
    both = [who for who in curves if who in traced]
    return {who: spearman(np.array(curves[who]), traced[who]) for who in both}


def _setting(edits: Edits) -> dict[str, Fact]:
    how = Search()
    every = [one for by_layer in edits.values() for one in by_layer.values()]
    first = every[0]
    asked = len(first.paraphrases) * len(edits), len(first.neighbours) * len(edits)
    return {
        "facts": Fact(len(edits), "count", means="改写了几条事实。"),
        "layers": Fact(len(LAYERS), "count", means="每条事实在几层里各改一次：每三层一次。"),
        "edits": Fact(len(every), "count", means="一共改写几次：事实乘层。"),
        "paraphrases": Fact(len(first.paraphrases), "count", means="每条事实有几句换问法。"),
        "neighbours": Fact(len(first.neighbours), "count", means="每条事实有几句邻居。"),
        "all_paraphrases": Fact(asked[0], "count", means="所有事实的换问法一共几句。"),
        "all_neighbours": Fact(asked[1], "count", means="所有事实的邻居一共几句。"),
        "known": Fact(KNOWN, "share", digits=1, means="原答案的概率到多少，才算模型知道。"),
        "contexts": Fact(
            len(PREFIXES), "count", means="主语的 key 在几种上文里取平均，含没有上文。"
        ),
        "tokens": Fact(ROWS * LENGTH, "count", means="统计 key 的二阶矩用了几个词元。"),
        "steps": Fact(how.steps, "count", means="找新的 value 最多走几步梯度下降。"),
        "reach": Fact(int(how.reach), "ratio", means="新的 value 离原来最远是原来长度的几倍。"),
        "holding": Fact(how.holding, "number", digits=3, means="损失里 KL 一项的权重。"),
        "decay": Fact(how.decay, "number", digits=2, means="损失里长度一项的权重。"),
        "quiet": Fact(QUIET, "pp", digits=2, means="追踪效应小于多少算作没有。"),
    }


def _rates(edits: Edits) -> dict[str, Fact]:
    """How often the new answer wins, and how often a neighbour stays."""
    facts: dict[str, Fact] = {}
    for key, where, layers in (
        ("all", "所有层", LAYERS),
        ("low", "第 12 层及以下", LAYERS[:5]),
        ("high", "第 15 层及以上", LAYERS[5:]),
    ):
        taken = [[by_layer[layer] for layer in layers] for by_layer in edits.values()]
        turned = [_part(one.asked.turned for one in row) for row in taken]
        sure = [_part(one.asked.new[1] > 0.5 for one in row) for row in taken]
        also = [_part(each.turned for one in row for each in one.paraphrases) for row in taken]
        stay = [_part(not each.turned for one in row for each in one.neighbours) for row in taken]
        facts |= {
            f"turned_{key}": _share(turned, f"{where}的改写里，新答案比原答案更可能的份额"),
            f"sure_{key}": _share(sure, f"{where}的改写里，新答案的概率过半、因而是首选的份额"),
            f"followed_{key}": _share(also, f"{where}的改写里，换问法也变成新答案更可能的份额"),
            f"stayed_{key}": _share(stay, f"{where}的改写之后，邻居仍是原答案更可能的份额"),
        }
    return facts


def _curves(edits: Edits) -> dict[str, Fact]:
    """Every score at every edited layer, and the layer where it is best."""
    facts: dict[str, Fact] = {}
    for key, name in SCORES.items():
        curves = [*_score(edits, key).values()]
        for at, layer in enumerate(LAYERS):
            values = [min(1.0, max(0.0, curve[at])) for curve in curves]
            facts[f"{key}_{layer}"] = _share(values, f"改在第 {layer} 层，{name}的得分")
        best = int(np.argmax(np.mean(curves, axis=0)))
        each = [LAYERS[int(np.argmax(curve))] for curve in curves]
        facts[f"{key}_best"] = Fact(
            LAYERS[best],
            "count",
            spread=(min(*each, LAYERS[best]), max(*each, LAYERS[best])),
            means=f"{name}的得分在哪一层最高，各条事实平均；范围是各条事实自己最高的层。",
        )
    return facts


def _failed(edits: Edits) -> dict[str, Fact]:
    """The edits that did not make it, and how many of them were made in the highest layer."""
    failed = [
        layer
        for by_layer in edits.values()
        for layer, one in by_layer.items()
        if not one.asked.turned
    ]
    return {
        "failed": Fact(len(failed), "count", means="有几次改写没让新答案超过原答案。"),
        "failed_top": Fact(
            failed.count(LAYERS[-1]), "count", means="没改成的改写里，改在最高那层的有几次。"
        ),
        "top_layer": Fact(LAYERS[-1], "count", means="改写过的最高一层的层号，从零数。"),
    }


def _sizes(edits: Edits) -> dict[str, Fact]:
    every = [one for by_layer in edits.values() for one in by_layer.values()]
    sizes, moves = [one.size for one in every], [one.moved for one in every]
    return {
        "size": Fact(
            mean(sizes),
            "ratio",
            digits=2,
            spread=(min(sizes), max(sizes)),
            means="权重的改动与权重之比（Frobenius 范数），所有改写的平均，范围是最小到最大。",
        ),
        "moved": Fact(
            mean(moves),
            "ratio",
            digits=2,
            spread=(min(moves), max(moves)),
            means="新旧 value 之差是旧 value 长度的几倍，所有改写的平均，范围是最小到最大。",
        ),
    }


def _examples(louvre: dict[int, Edit]) -> dict[str, Fact]:
    """The edit of the Louvre in a low and in a high layer, prompt by prompt."""
    facts: dict[str, Fact] = {}
    for key, layer in CLOSE.items():
        one = louvre[layer]
        facts[f"{key}_layer"] = Fact(layer, "count", means="把卢浮宫改写在哪一层，图里的一例。")
        facts[f"{key}_size"] = Fact(
            one.size,
            "ratio",
            digits=1,
            means=f"卢浮宫改在第 {layer} 层，权重动了几成（范数之比）。",
        )
        named = {"asked": one.asked, "eiffel": one.neighbours[0], "france": one.neighbours[2]}
        for who, answer in named.items():
            facts |= _chances(f"{key}_{who}", layer, answer)
        others = [answer.new[1] for answer in one.paraphrases]
        facts[f"{key}_paraphrases"] = Fact(
            (min(others), max(others)),
            "share",
            digits=2,
            means=f"卢浮宫改在第 {layer} 层之后，各句换问法接 Rome 的概率从最低到最高。",
        )
    return facts


def _chances(key: str, layer: int, answer: Answer) -> dict[str, Fact]:
    facts = {}
    for word, pair in (("old", answer.old), ("new", answer.new)):
        said = OLD if word == "old" else NEW
        for when, name, value in (("before", "改前", pair[0]), ("after", "改后", pair[1])):
            facts[f"{key}_{word}_{when}"] = Fact(
                value,
                "share",
                digits=2,
                means=f"卢浮宫改在第 {layer} 层，{LABELS[answer.prompt]}{name}接 {said} 的概率。",
            )
    return facts


def _against_tracing(edits: Edits, traced: Effects) -> dict[str, Fact]:
    """Rank correlations over layers with the tracing effect, of the FFN and of hidden states."""
    maps = {
        ("ffn", "FFN 六层一窗"): traced,
        ("upper", "FFN 六层一窗，窗口去掉第 0 层"): _traced("ffn", "aie_upper"),
        ("hidden", "隐状态"): _traced("hidden"),
    }
    facts: dict[str, Fact] = {}
    for (site, name), effect in maps.items():
        for key, score in SCORES.items():
            found = [*_rhos(edits, effect, key).values()]
            facts[f"rho_{site}_{key}"] = Fact(
                mean(found),
                "number",
                digits=1,
                spread=(min(found), max(found)),
                means=f"{score}的得分与追踪效应（{name}，主语末词）在各层之间的 Spearman 秩相关，"
                "各条事实平均，范围是各条事实最小到最大。",
            )
            facts[f"interval_{site}_{key}"] = Fact(
                resampled(found),
                "number",
                digits=1,
                means=f"上面这个平均（{score}，{name}）的自助法区间：有放回地抽事实，中间的百分之九十五。",
            )
            facts[f"positive_{site}_{key}"] = Fact(
                sum(rho > 0 for rho in found),
                "count",
                means=f"{score}与{name}的相关为正的有几条事实。",
            )
    return facts | _dark(edits, traced)


def _dark(edits: Edits, traced: Effects) -> dict[str, Fact]:
    """Edits in layers where tracing shows nothing, and whether the best layer is where it shows most."""
    pairs = [
        (edits[who][layer], curve[at])
        for who, curve in traced.items()
        for at, layer in enumerate(LAYERS)
    ]
    dark = [one for one, effect in pairs if effect < QUIET]
    together = _score(edits, "together")
    same = sum(
        int(np.argmax(curve)) == int(np.argmax(together[who])) for who, curve in traced.items()
    )
    return {
        "dark": Fact(len(dark), "count", means="有几次改写落在追踪效应不到一个百分点的层。"),
        "dark_turned": Fact(
            sum(one.asked.turned for one in dark), "count", means="这些改写里有几次改成了。"
        ),
        "same_peak": Fact(
            same, "count", means="有几条事实，追踪效应最大的层就是三项合计最高的层。"
        ),
    }


def _predictors(edits: Edits, traced: Effects) -> dict[str, Fact]:
    """How much of the variance of the scores the layer and the tracing effect explain."""
    layers = np.array([layer for _ in traced for layer in LAYERS])
    effect = np.concatenate([*traced.values()])[:, None]
    facts: dict[str, Fact] = {}
    for key, name in SCORES.items():
        curves = _score(edits, key)
        outcome = np.concatenate([curves[who] for who in traced])
        known = each_layer(layers)
        alone, by_layer = explained(outcome, effect), explained(outcome, known)
        both = explained(outcome, np.column_stack((known, effect)))
        for part, value, words in (
            ("effect", alone, "只用追踪效应"),
            ("layer", by_layer, "只用「改的是哪一层」"),
            ("gain", both - by_layer, "已知哪一层之后，追踪效应再添上去的"),
        ):
            facts[f"explained_{key}_{part}"] = Fact(
                max(0.0, value),
                "share",
                digits=1,
                means=f"{name}的得分在各次改写之间的方差，{words}能解释的份额（线性拟合的决定系数）。",
            )
    return facts


def _part(answers: Iterable[bool]) -> float:
    """The share of yes."""
    return float(mean(map(float, answers)))


def _share(values: list[float], means: str) -> Fact:
    low, high = left_out(values)
    return Fact(
        min(high, max(low, mean(values))),  # a mean of equal floats may miss them by a bit
        "share",
        digits=2,
        spread=(low, high),
        means=f"{means}，各条事实平均，范围是去掉任何一条事实。",
    )
