"""Ten keys of SmolLM2 to look at: where they answer the loudest, and what their values say.

Which ones is settled by a rule in `browsing`, never by hand: of five layers the key whose value
foretells best, and one drawn by lot.
"""

import re

from ffnsite import look
from ffnsite.diagram import SMALL, Canvas
from ffnsite.experiments.browsing import BEFORE, DRAWN, LAYERS, SHOWN, Browsed, Trigger
from ffnsite.experiments.memories import memories
from ffnsite.experiments.values import said
from ffnsite.figure import Diagram, Fact, Figure, Table

WIDEST = 46
"""Characters of context that fit into one line."""
STEP, HIGH, WIDTH = 52, 24, 62


def draw() -> Figure:
    """A view of each key."""
    said()  # first and once: what follows needs it, each for itself
    found = memories("networkx").browsed
    charts = {_label(one): _diagram(one) for one in found}
    first = next(iter(charts))
    return Figure(
        chart=charts.pop(first),
        label=first,
        variants=charts,
        facts=_facts(found),
        caption=(
            "每条记忆列出它应得最响的几处：灰字是前文，红字是触发的词，箭头后是原文里真正的下一个词，"
            "右边是系数。打勾的地方，value 带着系数的符号，说的正是那个词。"
            "数字一律印成 #，换行印成空格。「最准」按规则挑，「抽签」随机抽。"
        ),
    )


def _label(one: Browsed) -> str:
    return f"第 {one.layer} 层 · {'抽签' if one.drawn else '最准'}"


def _diagram(one: Browsed) -> Diagram:
    canvas = Canvas()
    canvas.text(0, 9, f"第 {one.layer} 层 #{one.channel}", bold=True)
    canvas.text(318, 9, "系数", size=SMALL, colour=look.MUTED, anchor="end")
    limit = max(abs(trigger.coefficient) for trigger in one.triggers)
    for row, trigger in enumerate(one.triggers):
        _trigger(canvas, 30 + STEP * row, trigger, limit)
    bottom = 30 + STEP * len(one.triggers) + 2
    for top, sign, says in ((bottom, "正", one.added), (bottom + 38, "负", one.subtracted)):
        canvas.box(0, top, 320, 32, f"系数为{sign}时，value 说 “{_plain(says).strip()}”")
    return Diagram(canvas.svg(bottom + 71), _table(one))


def _trigger(canvas: Canvas, top: float, trigger: Trigger, limit: float) -> None:
    canvas.text(0, top + 8, _cut(_plain(trigger.before)), size=SMALL, colour=look.MUTED)
    word = _plain(trigger.word).strip() or "空格"
    following = _plain(trigger.following).strip() or "空格"
    canvas.text(14, top + 29, word, colour=look.FFN, bold=True)
    mark = "  ✓" if trigger.says else ""
    canvas.text(128, top + 29, f"→ {following}{mark}")
    canvas.cell(320 - WIDTH, top + 17, WIDTH, HIGH, trigger.coefficient, limit=limit)


def _table(one: Browsed) -> Table:
    rows = [
        [
            _plain(trigger.before),
            _plain(trigger.word),
            _plain(trigger.following),
            f"{trigger.coefficient:.2f}",
            "是" if trigger.says else "",
        ]
        for trigger in one.triggers
    ]
    return Table(["前文", "触发的词", "下一个词", "系数", "value 说的就是它"], rows)


def _plain(text: str) -> str:
    """In one line, digits hidden: they are part of a passage and claim nothing here."""
    return re.sub(r"\d", "#", text).replace("\n", " ")


def _cut(text: str) -> str:
    """The end of the text that fits, from the beginning of a word."""
    if len(text) <= WIDEST:
        return text.strip()
    return "… " + text[-WIDEST:].partition(" ")[2]


def _facts(found: tuple[Browsed, ...]) -> dict[str, Fact]:
    facts = {
        "keys": Fact(len(found), "count", means="图里一共可以看几条记忆。"),
        "layers": Fact(LAYERS, "count", means="图里的记忆取自几层。"),
        "shown": Fact(SHOWN, "count", means="每条记忆至多列出几处触发，重复的段落只列一次。"),
        "before": Fact(BEFORE, "count", means="每处触发前面列出至多几个词元。"),
        "seed": Fact(DRAWN, "count", means="抽签用的随机种子。"),
    }
    for one in found:
        way = "drawn" if one.drawn else "best"
        facts[f"says_{way}_{one.layer}"] = Fact(
            sum(trigger.says for trigger in one.triggers),
            "count",
            means=f"第 {one.layer} 层{'抽签抽到' if one.drawn else '最准'}的那条记忆，"
            "列出的触发里 value 说中下一个词的有几处。",
        )
    facts["says_drawn"] = Fact(
        sum(trigger.says for one in found if one.drawn for trigger in one.triggers),
        "count",
        means="抽签抽到的几条记忆，列出的触发里 value 说中下一个词的一共几处。",
    )
    facts["triggers_drawn"] = Fact(
        sum(len(one.triggers) for one in found if one.drawn),
        "count",
        means="抽签抽到的几条记忆一共列出几处触发。",
    )
    return facts
