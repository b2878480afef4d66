"""One FFN, two readings: a product of matrices, and a sum over memories.

The first diagram is a small layer that can be done by hand, in both readings; the second shows the
strongest memories of one layer of SmolLM2 at one word, and what their sum says.
"""

from fractions import Fraction

from ffnsite import look
from ffnsite.diagram import SMALL, Canvas, number
from ffnsite.experiments.keyvalue import (
    Memory,
    Word,
    X,
    difference,
    last_word,
    memories,
    product,
    silenced,
)
from ffnsite.experiments.values import said
from ffnsite.figure import Diagram, Fact, Figure, Table
from ffnsite.models.smollm2 import SMOLLM2_135M

SENTENCE = "The Danube flows through many countries, such"
LAYER, SHOWN = 23, 6
MEMORY, NEIGHBOUR = 763, 764
SAYS = " as"
SENTENCES = (SENTENCE, "Metals such", "Our garden has apples as well", "She writes novels as well")
"""All that were tried on which the model says `SAYS` next."""

LIMIT = 4
CELL, HIGH, STEP = 27, 26, 32
KEY, SCORE, COEFFICIENT, VALUE, PART = (0, 78, 123, 168, 256)
"""Where the columns of the sum begin."""
SIGNS = ((66, "·x"), (114, "→"), (159, "×"), (241, "＝"))


def draw() -> Figure:
    """Both diagrams, and the numbers of the chapter that are told of them."""
    said()  # first and once: what follows needs it, each for itself
    word = last_word(SENTENCE, LAYER, SHOWN)
    return Figure(
        chart=_small(memories(), product()),
        label="手算的小例子",
        variants={"SmolLM2 的一个词": _real(word)},
        facts=_by_hand() | _real_facts(word) | _silenced() | _difference(),
        caption=(
            "同一个 FFN 的两种读法，格子里是真实的数，橙红为正、蓝为负。"
            "小例子里，上半是两次乘矩阵，下半是几条记忆各出一份再相加，末行相同。"
            f"SmolLM2 那张取第 {LAYER} 层读到 such 时最用力的 {SHOWN} 条记忆。"
        ),
    )


def _small(found: tuple[Memory, ...], out: tuple[int, ...]) -> Diagram:
    canvas = Canvas()
    scores, kept = [one.score for one in found], [one.coefficient for one in found]
    canvas.text(0, 9, "读成两次乘矩阵", bold=True)
    steps = (("x", X), ("W₁x", scores), ("ReLU", kept), ("W₂h", out))
    for row, (name, values) in enumerate(steps):
        top = 22 + STEP * row
        canvas.text(4, top + HIGH / 2, name, colour=look.MUTED)
        for at, value in enumerate(values):
            _cell(canvas, 78 + at * (CELL + 3), top, value)
    start = 22 + STEP * len(steps) + 14
    _sum(canvas, start, found, out)
    return Diagram(canvas.svg(start + 50 + STEP * (len(found) + 1)), _small_table(found, out))


def _sum(canvas: Canvas, start: float, found: tuple[Memory, ...], out: tuple[int, ...]) -> None:
    canvas.text(0, start, "读成几条记忆之和", bold=True)
    heads = ((KEY, 2, "key"), (SCORE, 1, "得分"), (COEFFICIENT, 1, "系数"))
    for left, cells, name in (*heads, (VALUE, 2, "value"), (PART, 2, "一份")):
        middle = left + (cells * (CELL + 3) - 3) / 2
        canvas.text(middle, start + 24, name, size=SMALL, colour=look.MUTED, anchor="middle")
    for row, one in enumerate(found):
        top = start + 36 + STEP * row
        groups = (
            (KEY, one.key),
            (SCORE, (one.score,)),
            (COEFFICIENT, (one.coefficient,)),
            (VALUE, one.value),
            (PART, one.part),
        )
        for left, values in groups:
            for at, value in enumerate(values):
                _cell(canvas, left + at * (CELL + 3), top, value)
        for x, sign in SIGNS:
            canvas.text(x, top + HIGH / 2, sign, size=11, colour=look.MUTED, anchor="middle")
    top = start + 36 + STEP * len(found) + 6
    canvas.line((PART, top - 6), (PART + 2 * CELL + 3, top - 6))
    canvas.text(PART - 8, top + HIGH / 2, "相加", anchor="end")
    for at, value in enumerate(out):
        _cell(canvas, PART + at * (CELL + 3), top, value)


def _cell(canvas: Canvas, x: float, y: float, value: int) -> None:
    canvas.cell(x, y, CELL, HIGH, value, limit=LIMIT, words=number(value, 0), size=SMALL)


def _small_table(found: tuple[Memory, ...], out: tuple[int, ...]) -> Table:
    rows = [
        [f"第 {nth} 条", *map(str, (*one.key, one.score, one.coefficient, *one.value, *one.part))]
        for nth, one in enumerate(found, start=1)
    ]
    x = ["x", *map(str, X), *[""] * 6]
    total = ["相加", *[""] * 6, *map(str, out)]
    heads = ["key 其一", "key 其二", "得分", "系数", "value 其一", "value 其二"]
    return Table(["", *heads, "一份其一", "一份其二"], [x, *rows, total])


def _real(word: Word) -> Diagram:
    canvas = Canvas()
    canvas.text(0, 9, f"第 {LAYER} 层，读到 {word.words[-1].strip()}", bold=True)
    for x, name in ((0, "记忆"), (62, "系数"), (158, "它说"), (318, "份额（%）")):
        anchor = "end" if x > 300 else "start"
        canvas.text(x, 34, name, size=SMALL, colour=look.MUTED, anchor=anchor)  # type: ignore[arg-type]
    limit = max(abs(one.coefficient) for one in word.used)
    for row, one in enumerate(word.used):
        top = 46 + STEP * row
        canvas.text(0, top + HIGH / 2, f"#{one.channel}", size=SMALL, colour=look.MUTED)
        canvas.cell(62, top, 66, HIGH, one.coefficient, limit=limit)
        canvas.text(143, top + HIGH / 2, "×", size=SMALL, colour=look.MUTED, anchor="middle")
        canvas.text(158, top + HIGH / 2, f"“{one.says.strip()}”")
        share, most = 100 * one.share, 100 * word.used[0].share
        canvas.cell(264, top, 54, HIGH, share, limit=2 * most, scale=look.SEQUENTIAL)
    bottom = 46 + STEP * len(word.used)
    rest = f"……其余 {SMOLLM2_135M.d_ff - SHOWN:,} 条，占去大半份额"
    canvas.text(0, bottom + 12, rest, size=SMALL, colour=look.MUTED)
    canvas.arrow((160, bottom + 24), (160, bottom + 44))
    canvas.box(0, bottom + 45, 320, 34, f"全部相加，这一层说 “{word.layer_says.strip()}”")
    table = [
        [f"#{one.channel}", f"{one.coefficient:.4f}", one.says, f"{100 * one.share:.3f}"]
        for one in word.used
    ]
    return Diagram(canvas.svg(bottom + 81), Table(["记忆", "系数", "它说", "份额（%）"], table))


def _by_hand() -> dict[str, Fact]:
    """Every number of the small example that the text walks through."""
    found, out = memories(), product()
    facts = {
        f"score_{nth}": Fact(one.score, "number", means=f"小例子里第 {nth} 个 key 与 x 的内积。")
        for nth, one in enumerate(found, start=1)
    }
    facts |= {
        f"out_{at}": Fact(value, "number", means=f"小例子里 FFN 输出的第 {at} 个数。")
        for at, value in enumerate(out, start=1)
    }
    for nth, one in enumerate(found, start=1):
        for at, value in enumerate(one.part, start=1):
            facts[f"part_{nth}_{at}"] = Fact(
                value, "number", means=f"小例子里第 {nth} 条记忆出的那一份的第 {at} 个数。"
            )
    assert tuple(sum(one.part[at] for one in found) for at in range(len(out))) == out, "两式不等"
    return facts


def _real_facts(word: Word) -> dict[str, Fact]:
    shares = [one.share for one in word.used]
    return {
        "layer": Fact(LAYER, "count", means="图里是 SmolLM2 的第几层，从零数。"),
        "shown": Fact(SHOWN, "count", means="图里画出几条最用力的记忆。"),
        "rest": Fact(SMOLLM2_135M.d_ff - SHOWN, "count", means="那一层没有画出的记忆有几条。"),
        "d_ff": Fact(SMOLLM2_135M.d_ff, "count", means="SmolLM2-135M 每层的记忆条数 d_ff。"),
        "first_share": Fact(
            shares[0], "share", 2, means="最用力的一条占全部 |系数|·‖value‖ 之和的份额。"
        ),
        "second_share": Fact(
            shares[1], "share", 2, means="第二用力的一条占全部 |系数|·‖value‖ 之和的份额。"
        ),
        "shown_share": Fact(
            sum(shares), "share", 2, means="图里几条合计占全部 |系数|·‖value‖ 之和的份额。"
        ),
        "rest_share": Fact(
            1 - sum(shares),
            "share",
            2,
            means="没有画出的记忆合计占全部 |系数|·‖value‖ 之和的份额。",
        ),
        "first_coefficient": Fact(
            word.used[0].coefficient, "number", 3, means="最用力的一条的系数，带符号。"
        ),
        "second_coefficient": Fact(
            word.used[1].coefficient, "number", 3, means="第二用力的一条的系数，带符号。"
        ),
    }


def _silenced() -> dict[str, Fact]:
    """What becomes of the next word when one memory is silenced, and when its neighbour is."""
    one, other = (silenced(SENTENCES, SAYS, LAYER, at) for at in (MEMORY, NEIGHBOUR))
    clean, off = ([pair[side] for pair in one] for side in (0, 1))
    moved = max(abs(before - after) for before, after in other)
    said = f"{len(SENTENCES)} 句以 such 或 as well 结尾的话，下一个词是 as 的概率"
    return {
        "sentences": Fact(len(SENTENCES), "count", means="关掉一条记忆的试验用了几句话。"),
        "clean": Fact((min(clean), max(clean)), "share", 2, means=f"{said}，最低与最高。"),
        "silenced": Fact(
            (min(off), max(off)),
            "share",
            2,
            means=f"把第 {LAYER} 层 #{MEMORY} 的系数在每个词上改成零，{said}，最低与最高。",
        ),
        "least_lost": Fact(
            min(before - after for before, after in one),
            "pp",
            2,
            means=f"关掉第 {LAYER} 层 #{MEMORY}，{said}掉了多少，掉得最少的一句。",
        ),
        "most_lost": Fact(
            max(before - after for before, after in one),
            "pp",
            2,
            means=f"关掉第 {LAYER} 层 #{MEMORY}，{said}掉了多少，掉得最多的一句。",
        ),
        "neighbour_moved": Fact(
            moved, "pp", 1, means=f"换成关掉隔壁的 #{NEIGHBOUR}，{said}变了多少，变得最多的一句。"
        ),
    }


def _difference() -> dict[str, Fact]:
    run = difference(SENTENCE)
    beyond = sum(apart > 1e-12 for apart in (run.relu, run.swiglu))
    return {
        "outputs": Fact(run.outputs, "count", means="两种读法在双精度下比了几个输出数。"),
        "tolerance": Fact(
            Fraction(1, 10**12), "number", means="双精度下允许的相对误差，只容舍入。"
        ),
        "beyond_tolerance": Fact(
            beyond, "count", means="ReLU 与 SwiGLU 两种层里，两种读法之差超过允许误差的有几种。"
        ),
    }
