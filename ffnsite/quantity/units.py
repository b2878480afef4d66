"""Units and their dimensions: one table of names, each with its size in a base unit.

Base units: byte, second, metre, FLOP, FLOP/s, FLOP/byte, byte/s; ratios are plain (3 % is 0.03).
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from ffnsite.errors import Unreadable

DIMENSIONS: Final = (
    "number", "ratio", "pp", "count", "bytes", "seconds", "length", "work", "work_rate",
    "intensity", "bandwidth", "information", "symbolic",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as written, its dimension, its size in the base unit, and the base unit's name.

    `share` marks units of a part of a whole (% ‰ 成 分之); `orders` marks 数量级, a power of ten.
    """

    name: str
    dimension: str
    scale: Fraction = Fraction(1)
    base: str = ""
    share: bool = False
    orders: bool = False


BARE: Final = Unit("", "number")

_KILO: Final = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}


def _ratios() -> list[Unit]:
    return [
        Unit("%", "ratio", Fraction(1, 100), share=True),
        Unit("‰", "ratio", Fraction(1, 1000), share=True),
        Unit("成", "ratio", Fraction(1, 10), share=True),
        Unit("倍", "ratio"),
        Unit("×", "ratio"),
        Unit("百分点", "pp", Fraction(1, 100), "pp"),
        Unit("pp", "pp", Fraction(1, 100), "pp"),
        Unit("数量级", "ratio", orders=True),
    ]


def _bytes() -> list[Unit]:
    """Decimal and binary multiples of the byte, alone and per second."""
    sizes = {"字节": Fraction(1), "byte": Fraction(1), "bytes": Fraction(1), "B": Fraction(1)}
    for prefix, power in _KILO.items():
        if prefix:
            sizes[f"{prefix}B"] = Fraction(1000**power)
            sizes[f"{prefix}iB"] = Fraction(1024**power)
    sizes["kB"] = sizes["KB"]
    stored = [Unit(name, "bytes", scale, "byte") for name, scale in sizes.items()]
    moved = [
        Unit(f"{name}/{second}", "bandwidth", scale, "byte/s")
        for name, scale in sizes.items()
        for second in ("s", "秒")
    ]
    return stored + moved


def _times_and_lengths() -> list[Unit]:
    seconds = {
        "秒 秒钟 s": Fraction(1), "毫秒 ms": Fraction(1, 10**3), "微秒 µs us": Fraction(1, 10**6),
        "纳秒 ns": Fraction(1, 10**9), "分钟 min": Fraction(60), "小时 h": Fraction(3600),
        "天": Fraction(86400),
    }  # fmt: skip
    metres = {
        "米 m": Fraction(1), "公里 千米 km": Fraction(1000), "厘米 cm": Fraction(1, 100),
        "毫米 mm": Fraction(1, 1000),
    }  # fmt: skip
    return [
        Unit(name, dimension, scale, base)
        for sizes, dimension, base in ((seconds, "seconds", "s"), (metres, "length", "m"))
        for names, scale in sizes.items()
        for name in names.split()
    ]


def _work() -> list[Unit]:
    """FLOP and FLOPs are work; FLOPS, with a capital S, is work per second, as FLOP/s is."""
    units = []
    for prefix, power in _KILO.items():
        scale = Fraction(1000**power)
        for flop in (f"{prefix}FLOP", f"{prefix}FLOPs"):
            units.append(Unit(flop, "work", scale, "FLOP"))
            units += [
                Unit(f"{flop}/{second}", "work_rate", scale, "FLOP/s") for second in ("s", "秒")
            ]
            units += [
                Unit(f"{flop}/{byte}", "intensity", scale, "FLOP/byte")
                for byte in ("byte", "字节", "B")
            ]
        units.append(Unit(f"{prefix}FLOPS", "work_rate", scale, "FLOP/s"))
    return units


def _rates() -> list[Unit]:
    words = ("token", "tokens", "词", "词元")
    return [
        *(
            Unit(f"{word}/{second}", "bandwidth", base="token/s")
            for word in words
            for second in ("s", "秒")
        ),
        *(
            Unit(f"{byte}/{parameter}", "intensity", base="byte/param")
            for byte in ("字节", "byte", "bytes", "B")
            for parameter in ("参数", "param", "parameter")
        ),
        *(
            Unit(f"{flop}/{per}", "intensity", base=f"FLOP/{base}")
            for flop in ("FLOP", "FLOPs")
            for per, base in (("token", "token"), ("词", "token"), ("参数", "param"))
        ),
    ]  # fmt: skip


def _information() -> list[Unit]:
    return [
        *(Unit(name, "information", base="nat") for name in ("nat", "nats")),
        *(Unit(name, "information", base="bit") for name in ("bit", "bits", "比特")),
    ]


UNITS: Final = {
    unit.name: unit
    for unit in (*_ratios(), *_bytes(), *_times_and_lengths(), *_work(), *_rates(), *_information())
}

_LETTER: Final = r"[A-Za-z0-9_^/µ]"  # what may not follow a unit written in Latin letters
_NAMES: Final = "|".join(
    re.escape(name) + (rf"(?!{_LETTER})" if name[-1].isascii() and name[-1].isalpha() else "")
    for name in sorted(UNITS, key=len, reverse=True)
)
# 个 may stand before the units that speech counts: 2.5 个百分点, 两个小时, 三个数量级.
_UNIT: Final = re.compile(
    rf"(?:个 ?(?=百分点|数量级|小时|字节|比特|byte|bit|nat|FLOP|pp))?({_NAMES})"
)
_LOOKALIKE: Final = {name.casefold(): name for name in reversed(UNITS) if name.isascii()}
# Units that the rule book does not know, in lower case; better refused than counted as nouns.
_FOREIGN: Final = frozenset(
    [
        "kg",
        "g",
        "mg",
        "hz",
        "khz",
        "mhz",
        "ghz",
        "w",
        "kw",
        "mw",
        "j",
        "kj",
        "wh",
        "kwh",
        "px",
        "em",
        "db",
    ]
)
_MULTIPLIERS: Final = frozenset(["k", "m", "b", "t", "ki", "mi", "gi", "ti"])


def unit_at(text: str, at: int) -> tuple[Unit, int] | None:
    """The longest unit that starts at `at` (a 个 before it included), and where it ends."""
    match = _UNIT.match(text, at)
    if match is None or (match[1] == "×" and text[match.end() :].lstrip()[:1].isdigit()):
        return None
    return UNITS[match[1]], match.end()


def refuse_lookalike(word: str) -> None:
    """Keeps `30 gb` or `5 kg` from becoming a count of an unknown noun.

    Raises:
        Unreadable: `word` differs from a unit only by case, or is a unit this site does not know.
    """
    if word.casefold() in _MULTIPLIERS and word not in UNITS:
        raise Unreadable(f"“{word}” 不是单位；乘数字母 K M B T Ki 要照样大小写并紧跟数字，例如 8M")
    known = _LOOKALIKE.get(word.casefold())
    if known is not None and word not in UNITS:
        raise Unreadable(f"不认识单位 “{word}”；是 “{known}” 吗？单位要分清大小写")
    if word.casefold() in _FOREIGN:
        raise Unreadable(f"不认识单位 “{word}”；请换成规则里有的单位，或不引用这个数")
