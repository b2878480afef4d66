"""Tables that tell when a row has more cells than the head: Markdown drops what is left over."""

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

from markdown.extensions.tables import TableProcessor

from ffnsite.prose import marks
from ffnsite.prose.quote import Verdict

if TYPE_CHECKING:
    from ffnsite.prose.extension import FactsExtension


class CarefulTable(TableProcessor):
    """Python-Markdown's tables; a row with a cell too many is a fault on the sheet."""

    def __init__(self, plain: TableProcessor, extension: "FactsExtension") -> None:
        super().__init__(plain.parser, plain.config)  # type: ignore[attr-defined]
        self.extension = extension

    def _build_row(self, row: str, parent: ET.Element, align: list[Any]) -> None:
        cells = self._split_row(row)  # type: ignore[attr-defined]
        if len(cells) > len(align):
            sheet = self.extension.sheet
            place = sheet.verbatim.place(marks.strip(row).strip())
            message = (
                f"这一行有 {len(cells)} 格，表头只有 {len(align)} 格，多的会丢；"
                "公式里的 | 写成 \\mid 或 \\vert"
            )
            sheet.fault(place, row.strip(), Verdict.MISPLACED, message)
        super()._build_row(row, parent, align)  # type: ignore[misc]
