"""Table 1 of Shazeer 2020 as a picture, and the differences that it holds.

Nothing is measured here: every number is cited, or computed from cited ones.
"""

import math
from fractions import Fraction
from pathlib import Path

import plotly.graph_objects as go

from ffnsite import ledger, look
from ffnsite.figure import Fact, Figure

ROOT = Path(__file__).resolve().parent.parent
UNGATED = {"relu": "ReLU", "gelu": "GELU", "swish": "Swish"}
GATED = {
    "glu": "GLU",
    "bilinear": "Bilinear",
    "reglu": "ReGLU",
    "geglu": "GEGLU",
    "swiglu": "SwiGLU",
}
RUNS = {"65k": "短训", "524k": "训满"}

Table = dict[str, Fraction]


def draw() -> Figure:
    """A dot for each FFN, after full training and, with standard deviations, after a short one."""
    table = _table()
    return Figure(
        chart=_dots(table, "524k"),
        label=RUNS["524k"],
        variants={RUNS["65k"]: _dots(table, "65k")},
        facts=_gains(table) | _noise(table) | _families(table) | _downstream(table),
        caption=(
            "Shazeer 2020 表 1：留出集对数困惑度，越靠左越好；参数量与计算量都对齐。"
            "训满的每种只有一次；短训重复了几次，横杠是左右各一个标准差。"
        ),
    )


def _table() -> Table:
    """Each value of the source by its key, exact."""
    cited = ledger.load(ROOT / "docs" / "cited", ROOT)
    source = "shazeer2020."
    return {
        name.removeprefix(source): one.fact.ends[0]
        for name, one in cited.items()
        if name.startswith(source)
    }


def _dots(table: Table, run: str) -> go.Figure:
    chart = look.chart(height=360)
    for family, names, colour in (
        ("两矩阵", UNGATED, look.EMBEDDING),
        ("门控", GATED, look.FFN),
    ):
        deviations = [float(table.get(f"{key}_{run}_std", 0)) for key in names]
        chart.add_scatter(
            name=family,
            orientation="h",
            y=list(names.values()),
            x=[float(table[f"{key}_{run}"]) for key in names],
            error_x={"array": deviations, "thickness": 2, "width": 5, "visible": any(deviations)},
            mode="markers",
            marker={"color": colour, "size": 10},
            hovertemplate="%{y}：%{x:.3f}<extra></extra>",
        )
    chart.update_xaxes(title_text="对数困惑度", dtick=0.02)
    chart.update_yaxes(autorange="reversed")
    return chart


def _gains(table: Table) -> dict[str, Fact]:
    """What SwiGLU gains over ReLU: in nats, and in perplexity."""
    facts: dict[str, Fact] = {}
    for run, name in RUNS.items():
        relu, swiglu = table[f"relu_{run}"], table[f"swiglu_{run}"]
        facts |= {
            f"gain_{run}": Fact(
                relu - swiglu, "nat", means=f"{name}，SwiGLU 的对数困惑度比 ReLU 低多少。"
            ),
            f"relu_perplexity_{run}": _perplexity(
                relu, f"{name}，ReLU 的困惑度：对数困惑度取指数。"
            ),
            f"swiglu_perplexity_{run}": _perplexity(swiglu, f"{name}，SwiGLU 的困惑度。"),
            f"perplexity_drop_{run}": Fact(
                -math.expm1(swiglu - relu),
                "change",
                digits=2,
                means=f"{name}，SwiGLU 的困惑度比 ReLU 低的比例。",
            ),
        }
    return facts


def _perplexity(log: Fraction, means: str) -> Fact:
    return Fact(math.exp(log), "number", digits=3, means=means)


def _noise(table: Table) -> dict[str, Fact]:
    """How GEGLU and SwiGLU differ, against what a second run of the same thing differs."""
    deviations = [table[f"{key}_65k_std"] for key in UNGATED | GATED]
    facts = {
        f"geglu_lead_{run}": Fact(
            table[f"swiglu_{run}"] - table[f"geglu_{run}"],
            "nat",
            means=f"{name}，GEGLU 的对数困惑度比 SwiGLU 低多少。",
        )
        for run, name in RUNS.items()
    }
    return facts | {
        "deviations": Fact(
            (min(deviations), max(deviations)),
            "nat",
            means="八种 FFN 短训几次的标准差，从最小到最大。",
        ),
        "swiglu_deviation": Fact(
            table["swiglu_65k_std"], "nat", means="SwiGLU 短训几次的对数困惑度的标准差。"
        ),
        "geglu_lead_in_deviations": Fact(
            (table["swiglu_65k"] - table["geglu_65k"]) / table["swiglu_65k_std"],
            "ratio",
            means="短训时 GEGLU 领先 SwiGLU 的差，是 SwiGLU 标准差的几分之几。",
        ),
        "gain_in_deviations": Fact(
            (table["relu_65k"] - table["swiglu_65k"]) / table["swiglu_65k_std"],
            "ratio",
            means="短训时 SwiGLU 领先 ReLU 的差，是 SwiGLU 标准差的几倍。",
        ),
    }


def _families(table: Table) -> dict[str, Fact]:
    """The two-matrix rows against the gated ones, after full training."""
    ungated = {key: table[f"{key}_524k"] for key in UNGATED}
    gated = {key: table[f"{key}_524k"] for key in GATED}
    return {
        "ungated": Fact(len(ungated), "count", means="表 1 里两矩阵的 FFN 有几种。"),
        "gated": Fact(len(gated), "count", means="表 1 里带门控的 FFN 有几种。"),
        "all": Fact(len(ungated) + len(gated), "count", means="表 1 一共比了几种 FFN。"),
        "ungated_range_524k": Fact(
            (min(ungated.values()), max(ungated.values())),
            "number",
            means="训满，三种两矩阵 FFN 的对数困惑度从最低到最高。",
        ),
        "gated_range_524k": Fact(
            (min(gated.values()), max(gated.values())),
            "number",
            means="训满，五种门控 FFN 的对数困惑度从最低到最高。",
        ),
        "families_apart_524k": Fact(
            min(ungated.values()) - max(gated.values()),
            "nat",
            means="训满，最差的门控比最好的两矩阵还低多少。",
        ),
        "swish_behind_relu_524k": Fact(
            ungated["swish"] - ungated["relu"], "nat", means="训满，两矩阵 Swish 比 ReLU 高多少。"
        ),
        "bilinear_lead_524k": Fact(
            gated["glu"] - gated["bilinear"], "nat", means="训满，Bilinear 比 GLU 低多少。"
        ),
        "gate_gain_of_swish_524k": Fact(
            ungated["swish"] - gated["swiglu"],
            "nat",
            means="训满，同用 Swish，门控的 SwiGLU 比两矩阵的 Swish 低多少。",
        ),
    }


def _downstream(table: Table) -> dict[str, Fact]:
    """The scores after fine-tuning, once each."""
    return {
        "glue_gain": Fact(
            table["glue_swiglu"] - table["glue_relu"],
            "number",
            means="微调后 SwiGLU 的 GLUE 平均分比 ReLU 高多少分。",
        ),
        "superglue_gain": Fact(
            table["superglue_swiglu"] - table["superglue_relu"],
            "number",
            means="微调后 SwiGLU 的 SuperGLUE 平均分比 ReLU 高多少分。",
        ),
    }
