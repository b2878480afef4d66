"""The costs that the study `quantizing` recorded, as figures read them: the texts side by side."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from ffnsite.experiments.quantizing import Cost

ByScheme: TypeAlias = dict[tuple[str, str, str], list[Cost]]
"""(scheme, where, first) to the cost on each text."""


def by_scheme(rows: Iterable[tuple[Mapping[str, Any], Cost]]) -> ByScheme:
    """Arguments and cost of each row, gathered; texts stand in the order of their names."""
    found: ByScheme = {}
    for asked, cost in sorted(rows, key=lambda row: str(row[0]["source"])):
        found.setdefault((asked["scheme"], asked["where"], asked["first"]), []).append(cost)
    return found


def mean_error(costs: Sequence[Cost]) -> float:
    """The standard error of the mean over texts that know nothing of one another."""
    return math.sqrt(sum(one.error**2 for one in costs)) / len(costs)
