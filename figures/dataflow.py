"""Two words through one FFN: the same weights, two ways that never touch.

The first diagram is the tiny layer that the chapter works out by hand, the other a block of
SmolLM2. Facts also say what the loop over words and the one product have in common, and what two
layers are without the nonlinearity between them.
"""

from collections.abc import Sequence
from fractions import Fraction

from ffnsite import look
from ffnsite.diagram import SMALL, Canvas, number
from ffnsite.experiments.batching import loop_and_batch
from ffnsite.experiments.linear import folded
from ffnsite.experiments.walkthrough import Real, Steps, real_words, walked
from ffnsite.figure import Diagram, Fact, Figure, Table

SENTENCE, POSITIONS, LAYER = "The cat sat on the mat because it was tired", (1, 5), 10
SHOWN = 4
STRONGEST = 50
WORDS, WIDTH, D_FF = 100, 64, 256
FOLDED_WORDS = 1000
EXPANSION = 4

LEFT = (14, 170)
COLUMN = 136
ROW, GAP = 28, 13
TINY_STEPS = ("W₁ x + b₁", "ReLU", "W₂ h + b₂", "加回 x")
REAL_STEPS = ("W_gate、W_up", "Swish(门) ⊙ 内容", "W_down", "加回残差流")


def draw() -> Figure:
    """Both diagrams, and the numbers of the chapter on the anatomy of an FFN."""
    steps, real = walked(), real_words(SENTENCE, POSITIONS, LAYER)
    return Figure(
        chart=_tiny(steps),
        label="手算的小例子",
        variants={"SmolLM2 的一层": _real(real)},
        facts=_by_hand(steps) | _real_facts(real) | _batching() | _folding() | _deeper(),
        caption=(
            "左右两列是两个词，从上往下走同一个 FFN；等号表示两边用的是同一份权重。"
            "格子里是真实的数，橙红为正、蓝为负，绝对值小的近于底色。除了等号，左右之间没有任何连线。"
            f"换到 SmolLM2 的一层，每一步只画出 {SHOWN} 个数，中间那一步画的是各自最用力的单元。"
        ),
    )


def _tiny(steps: dict[str, Steps]) -> Diagram:
    a, b = steps["a"], steps["b"]
    stages = [(a.x, b.x), (a.up, b.up), (a.hidden, b.hidden), (a.out, b.out), (a.stream, b.stream)]
    names = ("x", "升维", "ReLU", "压回", "加回")
    rows = [
        [f"{name}，第 {at} 个", str(one), str(two)]
        for name, (left, right) in zip(names, stages, strict=True)
        for at, (one, two) in enumerate(zip(left, right, strict=True), start=1)
    ]
    svg = _two_columns(("词 A", "词 B"), TINY_STEPS, stages, [7] * 5, decimals=0)
    return Diagram(svg, Table(["步骤", "词 A", "词 B"], rows))


def _real(real: Real) -> Diagram:
    """Four numbers of each step; of the hidden ones each word's own strongest."""
    units = [real.strongest(word, SHOWN) for word in (0, 1)]
    first = list(range(SHOWN))
    stages: list[list[list[float]]] = []
    rows = []
    picked = (
        ("FFN 读到的 x", real.x, [first, first]),
        ("门 ⊙ 内容", real.hidden, units),
        ("FFN 写出的", real.out, [first, first]),
        ("残差流", real.before + real.out, [first, first]),
    )
    for name, stage, places in picked:
        pair = [[float(stage[word][at]) for at in places[word]] for word in (0, 1)]
        stages.append(pair)
        for nth, (one, two) in enumerate(zip(*pair, strict=True)):
            where = [f"第 {places[word][nth]} 维" for word in (0, 1)]
            at = where[0] if where[0] == where[1] else f"左 {where[0]}、右 {where[1]}"
            rows.append([f"{name}，{at}", f"{one:.4f}", f"{two:.4f}"])
    limits = [max(abs(n) for row in pair for n in row) for pair in stages]
    # no cells between going up and the gate: that step has two branches
    stages.insert(1, [[], []])
    limits.insert(1, 0.0)
    svg = _two_columns(real.words, REAL_STEPS, stages, limits, decimals=2)
    return Diagram(svg, Table(["步骤", *real.words], rows))


def _two_columns(
    heads: Sequence[str],
    steps: Sequence[str],
    stages: Sequence[Sequence[Sequence[float]]],
    limits: Sequence[float],
    decimals: int,
) -> str:
    """Cells of each stage, a box for each step between them, the residual around the outside."""
    canvas = Canvas()
    for left, head in zip(LEFT, heads, strict=True):
        canvas.text(left + COLUMN / 2, 10, head, anchor="middle", bold=True)
    y = top = 22.0
    _cells(canvas, y, stages[0], limits[0], decimals)
    y += ROW
    for step, stage, limit in zip(steps, stages[1:], limits[1:], strict=True):
        _boxes(canvas, y, step, added=step == steps[-1])
        y += GAP + ROW
        if any(stage):
            _arrows(canvas, y)
            y += GAP
            _cells(canvas, y, stage, limit, decimals)
            y += ROW
    _residual(canvas, top + ROW / 2, y - ROW - GAP - ROW / 2)
    return canvas.svg(y + 4)


def _cells(
    canvas: Canvas, y: float, stage: Sequence[Sequence[float]], limit: float, decimals: int
) -> None:
    for left, values in zip(LEFT, stage, strict=True):
        each = (COLUMN - 3 * (len(values) - 1)) / len(values)
        for at, value in enumerate(values):
            canvas.cell(
                left + at * (each + 3),
                y,
                each,
                ROW,
                value,
                limit=limit,
                words=number(value, decimals),
                size=SMALL if decimals == 0 else 11,
            )


def _boxes(canvas: Canvas, y: float, step: str, added: bool) -> None:
    """The same box in both columns; an equals sign between them where it holds weights."""
    _arrows(canvas, y)
    for left in LEFT:
        colour = look.MUTED if added else look.FFN
        canvas.box(left, y + GAP, COLUMN, ROW, step, stroke=colour)
    if "W" in step:
        middle = (LEFT[0] + COLUMN + LEFT[1]) / 2
        canvas.text(middle, y + GAP + ROW / 2, "=", anchor="middle", colour=look.FFN, bold=True)


def _arrows(canvas: Canvas, y: float) -> None:
    for left in LEFT:
        canvas.arrow((left + COLUMN / 2, y + 1), (left + COLUMN / 2, y + GAP - 1))


def _residual(canvas: Canvas, start: float, end: float) -> None:
    """The stream goes past the FFN on the outer side of each column."""
    for edge, out in ((LEFT[0], 4.0), (LEFT[1] + COLUMN, 316.0)):
        canvas.arrow((edge, start), (out, start), (out, end), (edge, end))


def _by_hand(steps: dict[str, Steps]) -> dict[str, Fact]:
    """Every number of the small example."""
    named = {
        "x": "输入",
        "up": "升维之后",
        "hidden": "ReLU 之后",
        "out": "FFN 的输出",
        "stream": "加回残差流之后",
    }
    return {
        f"{word}_{step}_{at}": Fact(
            value, "number", means=f"小例子里词 {word.upper()} 在{name}的第 {at} 个数。"
        )
        for word, walk in steps.items()
        for step, name in named.items()
        for at, value in enumerate(getattr(walk, step), start=1)
    }


def _real_facts(real: Real) -> dict[str, Fact]:
    shared = real.shared(STRONGEST)
    return {
        "layer": Fact(LAYER, "count", means="图里是 SmolLM2 的第几层，从零数。"),
        "d_model": Fact(real.x.shape[1], "count", means="SmolLM2-135M 的宽度 d。"),
        "d_ff": Fact(real.hidden.shape[1], "count", means="SmolLM2-135M 的 FFN 中间宽度 d_ff。"),
        "shown": Fact(SHOWN, "count", means="图里每一步画出几个数。"),
        "strongest": Fact(STRONGEST, "count", means="比较两个词时各取最用力的几个中间单元。"),
        "shared": Fact(
            shared, "count", means=f"cat 与 mat 各自最用力的 {STRONGEST} 个单元里相同的有几个。"
        ),
    }


def _batching() -> dict[str, Fact]:
    run = loop_and_batch(WORDS, WIDTH, D_FF)
    assert run.loop_flops == run.batch_flops, "循环与一次乘完的运算量不同"
    return {
        "words": Fact(WORDS, "count", means="逐词循环与一次矩阵乘对比时用了几个词。"),
        "width": Fact(WIDTH, "count", means="对比用的层的宽度 d。"),
        "hidden_width": Fact(D_FF, "count", means="对比用的层的中间宽度 d_ff。"),
        "outputs": Fact(WORDS * WIDTH, "count", means="对比时一共比了几个输出数。"),
        "unequal": Fact(
            run.unequal, "count", means="权重与输入都取小整数时，循环与一次乘完有几个输出数不同。"
        ),
        "tolerance": Fact(
            Fraction(1, 10**12), "number", means="随机权重下允许的相对误差，只容舍入。"
        ),
        "beyond_tolerance": Fact(
            int(run.difference > 1e-12),
            "count",
            means="随机权重下，循环与一次乘完之差超过允许误差的次数。",
        ),
        "flops": Fact(
            run.batch_flops, "FLOP", means="这些词过一遍两矩阵 FFN 的浮点运算，一次乘加算两次。"
        ),
        "weights": Fact(run.weights, "count", means="对比用的层两个矩阵的参数。"),
        "loop_reads": Fact(
            WORDS * run.weights, "count", means="逐词循环一共要取几次权重：每个词取全部一遍。"
        ),
        "reads_share": Fact(
            Fraction(1, WORDS), "ratio", means="一次乘完取权重的次数是逐词循环的几分之几。"
        ),
    }


def _folding() -> dict[str, Fact]:
    run = folded(WIDTH, D_FF, FOLDED_WORDS)
    return {
        "folded_words": Fact(FOLDED_WORDS, "count", means="折叠实验用了几个词。"),
        "folded_outputs": Fact(run.compared, "count", means="折叠实验比了几个输出数。"),
        "folded_unequal": Fact(
            run.unequal, "count", means="没有激活时，两层与折成的一个矩阵有几个输出数不同。"
        ),
        "folded_unequal_relu": Fact(
            run.unequal_relu / run.compared,
            "share",
            digits=2,
            means="中间有 ReLU 时，与那个矩阵不同的输出数的份额。",
        ),
        "folded_rank": Fact(run.rank, "count", means="两层折成的矩阵 W₂W₁ 的秩。"),
        "hidden_rank": Fact(
            run.hidden_rank, "count", means="没有激活时，这些词的中间向量一共张成几维。"
        ),
        "hidden_rank_relu": Fact(
            run.hidden_rank_relu, "count", means="过了 ReLU 之后，这些词的中间向量一共张成几维。"
        ),
    }


def _deeper() -> dict[str, Fact]:
    """What a third matrix inside the FFN would cost, between the two that are there."""
    inner, outer = EXPANSION**2, 2 * EXPANSION
    return {
        "middle_matrix": Fact(
            inner, "d^2", means="在两个矩阵之间再加一个 4d × 4d 矩阵，多出的参数，按 d² 数。"
        ),
        "with_middle": Fact(
            outer + inner, "d^2", means="加了中间那个矩阵之后 FFN 的参数，d_ff = 4d，按 d² 数。"
        ),
        "with_middle_ratio": Fact(
            Fraction(outer + inner, outer), "ratio", means="加了中间那个矩阵之后参数是原来的几倍。"
        ),
    }
