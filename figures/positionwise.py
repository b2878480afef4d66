"""One word of a sentence is changed: which outputs of a real block move?

Every row is a part of one block of SmolLM2, every column a word; zero is zero to the bit.
"""

import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.positionwise import Watched, one_word_changed
from ffnsite.figure import Fact, Figure

BEFORE = "The cat sat on the mat because it was tired"
AFTER = "The dog sat on the mat because it was tired"
LAYER = 10

PARTS = {
    "norm": "归一化",
    "query": "Q 投影",
    "ffn": "FFN",
    "causal": "因果 attention",
    "full": "双向 attention",
}


def draw() -> Figure:
    """The map of relative changes, and how many positions each part moved."""
    watched = one_word_changed(BEFORE, AFTER, LAYER)
    return Figure(
        chart=_map(watched),
        facts=_facts(watched),
        caption=(
            f"SmolLM2 第 {LAYER} 层，只把 cat 那个位置的输入换成 dog。颜色是各处输出变了多少，"
            "空白表示一个比特也没变。上面三行只在 cat 一格有色；因果 attention 从 cat 往右都有；"
            "摘掉掩码，整行都有。"
        ),
    )


def _map(watched: Watched) -> go.Figure:
    chart = look.chart(height=300)
    columns = list(range(len(watched.words)))
    rows = [watched.changes[part] for part in PARTS]
    chart.add_heatmap(
        x=columns,
        y=list(PARTS.values()),
        z=[[round(100 * change, 2) if change else None for change in row] for row in rows],
        zmin=0,
        zmax=70,
        colorscale=_from_visible(),
        xgap=3,
        ygap=3,
        colorbar={"thickness": 10, "title": {"text": "%"}, "x": 1.01},
        hovertemplate="%{y}：输出变了 %{z:.1f}%<extra></extra>",
        hoverongaps=False,
    )
    words = [word.strip() for word in watched.words]
    words[watched.position] = f"<b>{words[watched.position]}→{watched.other.strip()}</b>"
    chart.update_xaxes(
        tickvals=columns, ticktext=words, tickangle=-60, showgrid=False, zeroline=False
    )
    chart.update_yaxes(
        tickvals=list(PARTS.values()),
        ticktext=[name.replace(" attention", "<br>attention") for name in PARTS.values()],
        autorange="reversed",
        showgrid=False,
    )
    return chart


def _from_visible() -> look.Scale:
    """The sequential scale without its first stop, which looks like the empty page."""
    stops = look.SEQUENTIAL[1:]
    return [[at / (len(stops) - 1), colour] for at, (_, colour) in enumerate(stops)]


def _facts(watched: Watched) -> dict[str, Fact]:
    words, position = len(watched.words), watched.position
    facts = {
        "layer": Fact(LAYER, "count", means="看的是 SmolLM2 的第几层，从零数。"),
        "words": Fact(words, "count", means="句子切成几个词元。"),
        "position": Fact(position, "count", means="换掉的词排在第几个位置，从零数。"),
        "others": Fact(words - 1, "count", means="没有换的位置有几个。"),
        "later": Fact(words - 1 - position, "count", means="换掉的词后面还有几个位置。"),
        "elsewhere": Fact(
            _most_elsewhere(watched, "ffn"),
            "number",
            means="换一个词之后，FFN 在其余位置上输出的最大变化，精确值。",
        ),
    }
    for part, name in PARTS.items():
        facts[f"{part}_moved"] = Fact(
            len(watched.moved(part)), "count", means=f"换一个词之后，{name}的输出变了的位置数。"
        )
        facts[f"{part}_here"] = Fact(
            watched.changes[part][position],
            "change",
            digits=2,
            means=f"换掉的那个位置上，{name}的输出相对变了多少（差的范数比原来的范数）。",
        )
    return facts | {
        "causal_next": Fact(
            watched.changes["causal"][position + 1],
            "change",
            digits=2,
            means="紧跟着的 sat 那个位置，因果 attention 的输出相对变了多少。",
        ),
        "full_first": Fact(
            watched.changes["full"][0],
            "change",
            digits=2,
            means="摘掉掩码之后，句首 The 那个位置 attention 的输出相对变了多少。",
        ),
    }


def _most_elsewhere(watched: Watched, part: str) -> int:
    """Zero; a float that is not would make the fact a lie, so it is refused here."""
    changes = watched.changes[part]
    elsewhere = [change for at, change in enumerate(changes) if at != watched.position]
    assert not any(elsewhere), f"{part} 在别的位置也变了：{elsewhere}"
    return 0
