"""A tiny project without torch, for tests from end to end."""

import subprocess
import sys
from pathlib import Path

from ffnsite.project import Project

CONFIG = """\
site_name: 小站
theme:
  name: mkdocs
  highlightjs: false
plugins:
  - ffnsite:
      limit: 20
markdown_extensions:
  - attr_list
  - footnotes
  - tables
  - pymdownx.arithmatex: {generic: true}
  - pymdownx.details
  - pymdownx.superfences
"""
FIGURE = """\
from fractions import Fraction
from ffnsite.figure import Fact, Figure
from ffnsite.look import chart
from widths import WIDTH


def draw():
    bars = chart(height=240)
    bars.add_bar(x=["FFN", "attention"], y=[8, 4])
    facts = {
        "share": Fact(Fraction(8, 12), "share", means="一层里 FFN 的份额，不算偏置"),
        "ffn": Fact(8, "d^2", means="一层里 FFN 的参数"),
        "width": Fact(WIDTH, "count", means="隐藏层的宽度"),
    }
    return Figure(bars, facts, "一层参数怎么分")
"""
PAGE = """\
---
title: 小文
---

# 参数 {#params}

一层里 FFN 占[三分之二](fact:block.share)，也就是[$8d^2$](fact:block.ffn)。

![条形图：FFN 的那一条最长](figure:block)
"""
LEDGER = """\
[source]
title = "T"
authors = "A"
year = 2020
url = "https://example.org"

[values.base]
value = 65000000
unit = "count"
means = "base 的参数量"
table = "Table 3"
row = "base"
column = "params ×10^6"
cell = "65"
scale = 1e6
"""


def write_tiny(root: Path) -> Project:
    """Writes a project whose every number is right; what it holds can be overwritten by a test."""
    for name, text in {
        "mkdocs.yml": CONFIG,
        "figures/block.py": FIGURE,
        "widths.py": "WIDTH = 2048\n",
        "docs/index.md": PAGE,
        "docs/cited/a2020.toml": LEDGER,
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    docs = root / "docs"
    cache = root / ".cache" / "ffnsite"
    figures, labs = root / "figures", docs / "lab"
    return Project(root, docs, figures, docs / "cited", labs, cache, limit=20, jobs=2)


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs `python -m …` in the project and returns what it said."""
    return subprocess.run(
        [sys.executable, "-X", "utf8", "-m", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
