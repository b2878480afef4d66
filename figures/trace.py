"""Where the Eiffel Tower's city passes through SmolLM2-135M: a causal-tracing map.

The map is that of the first noise seed; facts that depend on the noise carry the spread over all.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.tracing import Trace, block_steps, trace
from ffnsite.figure import Fact, Figure
from ffnsite.models.smollm2 import SMOLLM2_135M

PROMPT, SUBJECT, ANSWER = "The Eiffel Tower is located in the city of", "Eiffel Tower", " Paris"
SAMPLES, SIGMAS = 5, 3.0
LAYERS = SMOLLM2_135M.layers
SEEDS = {0: "第一组噪声", 1: "第二组噪声", 2: "第三组噪声"}
QUIET = 0.01  # an effect below one percentage point is as good as none

ROLES = {
    "first": "主语首词 E",
    "middle": "主语中间的词 iffel",
    "last_subject": "主语末词 Tower",
    "next": "主语后第一个词 is",
    "further": "再往后、末词之前的词",
    "last": "提示的末词 of",
}


def draw() -> Figure:
    """The map of each noise seed, and every number of the chapter's first part."""
    traces = trace.together((PROMPT, SUBJECT, ANSWER, SAMPLES, SIGMAS, seed) for seed in SEEDS)
    brightest = max(one.peak().effect for one in traces)
    charts = {
        label: _heatmap(one, brightest) for label, one in zip(SEEDS.values(), traces, strict=True)
    }
    first = next(iter(charts))
    return Figure(
        chart=charts.pop(first),
        label=first,
        variants=charts,
        facts=_setting(traces[0])
        | _answers(traces)
        | _peaks(traces)
        | _relay(traces)
        | _work(traces[0]),
        caption=(
            "纵轴是主语首词起的各个词，粗体是被加噪的主语；横轴是层。颜色是把这一格换回干净值之后，"
            f"Paris 的概率涨回几个百分点，{SAMPLES} 份噪声取平均。主语里亮的是 iffel 一行，"
            f"到第 {traces[0].handover} 层熄灭，同一层起末词 of 一行亮起。"
        ),
    )


def _heatmap(one: Trace, brightest: float) -> go.Figure:
    """Tokens from the subject's first on downwards, layers to the right, in percentage points."""
    words = [word.strip() for word in one.tokens[one.subject[0] :]]
    size = one.subject[1] - one.subject[0]
    names = [f"<b>{word}</b>" for word in words[:size]] + words[size:]
    chart = look.chart(height=340)
    chart.add_heatmap(
        x=list(range(LAYERS)),
        y=words,
        z=np.round(100 * one.effects.T, 2).tolist(),
        zmin=0,
        zmax=100 * brightest,
        colorscale=look.SEQUENTIAL,
        colorbar={"thickness": 10, "title": {"text": "百分点"}, "x": 1.01},
        hovertemplate="%{y}，第 %{x} 层：涨回 %{z:.1f} 个百分点<extra></extra>",
    )
    chart.update_yaxes(tickvals=words, ticktext=names, autorange="reversed", showgrid=False)
    chart.update_xaxes(title_text="第几层", dtick=5, showgrid=False)
    return chart


def _setting(one: Trace) -> dict[str, Fact]:
    """What was run; exact, but for the deviation of the embedding."""
    size, positions = one.subject[1] - one.subject[0], len(one.tokens) - one.subject[0]
    return {
        "tokens": Fact(len(one.tokens), "count", means="提示被切成几个词元。"),
        "subject_tokens": Fact(size, "count", means="主语 Eiffel Tower 占几个词元。"),
        "positions": Fact(positions, "count", means="从主语首词到提示末词，一共追踪几个位置。"),
        "layers": Fact(LAYERS, "count", means="SmolLM2-135M 的层数，每层追踪它写出的隐状态。"),
        "top_layer": Fact(LAYERS - 1, "count", means="最上面一层的层号，从零数。"),
        "cells": Fact(LAYERS * positions, "count", means="热力图的格数：层数乘以追踪的位置数。"),
        "samples": Fact(SAMPLES, "count", means="一张图里每一格平均几份噪声。"),
        "seeds": Fact(len(SEEDS), "count", means="一共抽几组噪声，每组一张图。"),
        "all_samples": Fact(SAMPLES * len(SEEDS), "count", means="几组噪声合起来有几份。"),
        "sigmas": Fact(int(SIGMAS), "ratio", means="噪声的标准差是词嵌入标准差的几倍。"),
        "sigma": Fact(one.deviation, "number", digits=3, means="词嵌入表里全部数的标准差。"),
        "noise": Fact(
            SIGMAS * one.deviation,
            "number",
            digits=3,
            means="加在主语词嵌入每一维上的高斯噪声的标准差。",
        ),
    }


def _answers(traces: list[Trace]) -> dict[str, Fact]:
    """How probable Paris is in the clean and in the corrupted run."""
    left = np.concatenate([one.corrupted for one in traces])
    return {
        "clean": Fact(
            traces[0].clean, "share", digits=3, means="干净地跑一遍，下一个词是 Paris 的概率。"
        ),
        "corrupted": _noisy(
            traces, _corrupted, "share", "主语加噪后下一个词是 Paris 的概率，一组噪声内平均。"
        ),
        "corrupted_range": Fact(
            (float(left.min()), float(left.max())),
            "share",
            digits=2,
            means="各组噪声里，单份噪声下 Paris 的概率从最低到最高。",
        ),
        "corruption_factor": _noisy(
            traces,
            lambda one: one.clean / _corrupted(one),
            "ratio",
            "干净时 Paris 的概率是加噪后的几倍。",
        ),
        "total_effect": _noisy(
            traces, lambda one: one.total_effect, "pp", "总效应：干净时的概率减去加噪后的概率。"
        ),
    }


def _peaks(traces: list[Trace]) -> dict[str, Fact]:
    """The largest effect at each kind of token, the layer where it lies, and what stands out."""
    facts: dict[str, Fact] = {}
    for role, name in ROLES.items():
        facts |= _peak(traces, role, name)
    quiet = [float(np.mean(np.abs(one.effects) < QUIET)) for one in traces]
    return facts | {
        "middle_over_last_subject": _noisy(
            traces,
            lambda one: one.peak("middle").effect / one.peak("last_subject").effect,
            "ratio",
            "iffel 的最大间接效应是 Tower 的几倍。",
        ),
        "further_position": _place(
            traces,
            lambda one: one.peak("further").position,
            "主语之后、末词之前最亮的词在提示里排第几，从零数。",
        ),
        "led_samples": Fact(
            sum(one.samples_led_by(one.peak("middle").position) for one in traces),
            "count",
            means="所有噪声里，主语各格中最亮的一格落在 iffel 的有几份。",
        ),
        "quiet": Fact(QUIET, "pp", digits=2, means="图里把多小的间接效应算作没有。"),
        "quiet_cells": _spread(quiet, "share", "间接效应不到一个百分点的格占全部格的份额。"),
    }


def _peak(traces: list[Trace], role: str, name: str) -> dict[str, Fact]:
    return {
        f"{role}_effect": _noisy(
            traces,
            lambda one: one.peak(role).effect,
            "pp",
            f"{name}：各层中最大的间接效应，一组噪声内平均。",
        ),
        f"{role}_layer": _place(
            traces, lambda one: one.peak(role).layer, f"{name}：间接效应在哪一层最大，从零数。"
        ),
        f"{role}_part": _noisy(
            traces,
            lambda one: one.peak(role).effect / one.total_effect,
            "ratio",
            f"{name}：最大间接效应与总效应之比，可以超过一。",
        ),
    }


def _relay(traces: list[Trace]) -> dict[str, Fact]:
    """Where the fact leaves the subject and arrives at the last token."""
    facts: dict[str, Fact] = {}
    for role, name in (("middle", "iffel"), ("last", "末词 of")):
        for when, step in (("before", -1), ("after", 0)):
            facts[f"{role}_{when}_handover"] = _noisy(
                traces,
                lambda one, role=role, step=step: one.effect(  # type: ignore[misc]
                    one.handover + step, one.peak(role).position
                ),
                "pp",
                f"末词反超主语的{'前一层' if step else '那一层'}，{name} 的间接效应。",
            )
    return facts | {
        "handover_layer": _place(
            traces, lambda one: one.handover, "从哪一层起，末词的间接效应超过主语各词，从零数。"
        ),
        "before_handover_layer": _place(
            traces, lambda one: one.handover - 1, "末词反超主语的前一层的层号，从零数。"
        ),
        "middle_layers": _place(
            traces,
            lambda one: one.layers_led_by(one.peak("middle").position),
            "有几层里 iffel 是追踪的各词中间接效应最大的。",
        ),
        "bottom_middle_effect": _noisy(
            traces,
            lambda one: one.effect(0, one.peak("middle").position),
            "pp",
            "把最下面一层写出的 iffel 换回干净值的间接效应。",
        ),
        "top_last_effect": _noisy(
            traces,
            lambda one: one.effect(LAYERS - 1, len(one.tokens) - 1),
            "pp",
            "把最上面一层的末词换回干净值的间接效应，按构造等于总效应。",
        ),
        "last_restored": _noisy(
            traces,
            lambda one: one.peak("last").effect + _corrupted(one),
            "share",
            "只换回末词最亮的一格时 Paris 的概率。",
        ),
        "overshoot": _noisy(
            traces,
            lambda one: one.peak("last").effect - one.total_effect,
            "pp",
            "末词最亮的一格的间接效应比总效应多出多少。",
        ),
    }


def _work(one: Trace) -> dict[str, Fact]:
    """How much of the plain loop is left to run."""
    plain, rerun = block_steps(LAYERS, len(one.tokens), one.subject[0])
    return {
        "plain_steps": Fact(
            plain, "count", means="逐格把整段重跑，一份噪声要跑几次「一层乘一个位置」。"
        ),
        "rerun_steps": Fact(
            rerun, "count", means="只重跑上面的层和后面的位置，一份噪声要跑几次「一层乘一个位置」。"
        ),
        "steps_saved": Fact(
            Fraction(plain, rerun), "ratio", means="整段重跑的步数是只重跑受影响部分的几倍。"
        ),
    }


def _corrupted(one: Trace) -> float:
    return float(one.corrupted.mean())


def _noisy(traces: list[Trace], number: Callable[[Trace], float], unit: str, means: str) -> Fact:
    """The number of the first map, with its spread over all noise seeds."""
    return _spread([number(one) for one in traces], unit, means)


def _spread(values: list[float], unit: str, means: str) -> Fact:
    return Fact(values[0], unit, digits=2, spread=(min(values), max(values)), means=means)


def _place(traces: list[Trace], number: Callable[[Trace], int], means: str) -> Fact:
    """A layer or a count of layers: whole in every map, though not the same in all."""
    values = [number(one) for one in traces]
    return Fact(values[0], "count", spread=(min(values), max(values)), means=means)
