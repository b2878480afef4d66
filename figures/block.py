"""One block as a diagram: two sublayers on the residual stream, the norm in front or behind.

Facts: how large the stream gets in either, and what a decoding step has to read.
"""

from ffnsite import look
from ffnsite.diagram import SMALL, Canvas
from ffnsite.experiments.collapse import DEPTH
from ffnsite.experiments.stream import Sizes, stream_sizes
from ffnsite.figure import Fact, Figure
from ffnsite.models import sizes
from ffnsite.models.sizes import Architecture
from ffnsite.models.zoo import LLAMA_7B, SMOLLM2_135M

SEEDS = 10
BYTES = 2  # of a number in bf16

STREAM, LEFT, WIDE, HIGH = 40, 96, 150, 34


def draw() -> Figure:
    """Both wirings, the stream's size, and the bytes of a step."""
    return Figure(
        chart=_diagram(norm_first=True),
        label="pre-LN",
        variants={"post-LN": _diagram(norm_first=False)},
        facts=_stream(stream_sizes(SEEDS)) | _reading(),
        caption=(
            "左边竖线是残差流，从上往下走。蓝框 attention 在位置之间搬，红框 FFN 在位置之内算，"
            "两者都把结果加回竖线。pre-LN 的归一化在支路上，竖线自己不过归一化；"
            "post-LN 的归一化压在竖线上。"
        ),
    )


def _diagram(norm_first: bool) -> str:
    canvas = Canvas()
    canvas.text(STREAM, 10, "x", anchor="middle", bold=True)
    canvas.text(LEFT, 10, "进来：每个词一个向量", size=SMALL, colour=look.MUTED)
    canvas.line((STREAM, 22), (STREAM, 34))
    y = 34.0
    for name, colour, note in (
        ("attention", look.ATTENTION, "词与词之间"),
        ("FFN", look.FFN, "每个词自己"),
    ):
        y = _sublayer(canvas, y, name, colour, note, norm_first)
    canvas.arrow((STREAM, y), (STREAM, y + 18))
    canvas.text(STREAM, y + 30, "y", anchor="middle", bold=True)
    canvas.text(LEFT, y + 30, "出去：形状和进来时一样", size=SMALL, colour=look.MUTED)
    return canvas.svg(y + 42)


def _sublayer(
    canvas: Canvas, y: float, name: str, colour: str, note: str, norm_first: bool
) -> float:
    """The branch to the right and back; returns where the stream goes on."""
    middle = LEFT + WIDE / 2
    branch = y + 6
    top = branch + 14
    canvas.line((STREAM, branch), (middle, branch))
    canvas.arrow((middle, branch), (middle, top))
    if norm_first:
        canvas.box(LEFT, top, WIDE, 28, "归一化", dashed=True)
        canvas.arrow((middle, top + 28), (middle, top + 42))
        top += 42
    canvas.box(LEFT, top, WIDE, HIGH, name, fill=colour, stroke=colour)
    canvas.text(LEFT + WIDE + 8, top + HIGH / 2, note, size=SMALL, colour=look.MUTED)
    join = top + HIGH + 20
    canvas.arrow((middle, top + HIGH), (middle, join), (STREAM + 10, join))
    canvas.line((STREAM, y), (STREAM, join - 10))
    _plus(canvas, join)
    end = join + 10
    if not norm_first:
        canvas.arrow((STREAM, end), (STREAM, end + 14))
        canvas.box(STREAM - 34, end + 14, 68, 26, "归一化", dashed=True)
        end += 40
    canvas.line((STREAM, end), (STREAM, end + 12))
    return end + 12


def _plus(canvas: Canvas, y: float) -> None:
    canvas.box(STREAM - 10, y - 10, 20, 20, "＋")


def _stream(found: Sizes) -> dict[str, Fact]:
    facts = {
        "seeds": Fact(SEEDS, "count", means="量残差流大小时抽几组随机权重与输入。"),
        "depth": Fact(DEPTH, "count", means="量残差流大小时叠几层。"),
    }
    for name, words in (("pre_norm", "pre-LN"), ("post_norm", "post-LN")):
        values = [float(value) for value in found.sizes[name][:, -1]]
        facts[f"{name}_size"] = Fact(
            values[0],
            "number",
            digits=2,
            spread=(min(values), max(values)),
            means=f"{words} 叠到最后一层，残差流里各数的均方根；进来时约为一。",
        )
    return facts


def _reading() -> dict[str, Fact]:
    """What one decoding step reads: every matrix once, of the embedding only a row."""
    facts = {"bytes": Fact(BYTES, "byte", means="bf16 里一个数占几个字节。")}
    for key, shape in (("smollm2", SMOLLM2_135M), ("llama_7b", LLAMA_7B)):
        read = _read(shape)
        facts[f"{key}_read"] = Fact(
            BYTES * read,
            "byte",
            means=f"{shape.name} 以 bf16 存放，生成一个词要读的权重；只取一行的词嵌入表不计。",
        )
        facts[f"{key}_ffn_read"] = Fact(
            BYTES * sizes.model(shape).ffn, "byte", means=f"{shape.name} 其中属于 FFN 的字节。"
        )
        facts[f"{key}_ffn_read_share"] = Fact(
            sizes.model(shape).ffn / read,
            "share",
            digits=4,
            means=f"{shape.name} 生成一个词要读的权重里 FFN 的份额。",
        )
    return facts


def _read(shape: Architecture) -> int:
    """Parameters read in a step; a tied embedding is read whole, as the head."""
    parts = sizes.model(shape)
    return parts.total - (0 if shape.tied else parts.embedding)
