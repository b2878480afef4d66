"""How long a check of many pages takes, and whether twice the pages take twice the time.

    python tests/bench/bench_check.py [PAGES]

Writes a site of PAGES and of PAGES / 4 pages with 50 numbers each, draws its one figure, and times
the reading of the pages in this process and its children. Reports; asserts nothing.
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import tiny

from ffnsite.gather import gather
from ffnsite.site.reading import check
from ffnsite.site.settings import load

NUMBERS = 50
SENTENCES = (
    "第 {k} 段：一层里 FFN 占[三分之二](fact:block.share)，另外三成多给了 attention。",
    "宽度是 [2048](fact:block.width)，写成[约 2,000](fact:block.width)也行。",
    "两个矩阵合起来是[$8d^2$](fact:block.ffn)，和 attention 的四个矩阵相比多一倍的说法见图 3。",
    "> 引文里的[近七成](fact:block.share)，2017 年的论文里没有这句话。",
)


def page(number: int) -> str:
    """A page with exactly `NUMBERS` bound numbers and ordinary prose around them."""
    lines, bound = [f"# 第 {number} 页 {{#p}}"], 0
    while bound < NUMBERS:
        sentence = SENTENCES[len(lines) % len(SENTENCES)].format(k=len(lines))
        bound += sentence.count("](fact:")
        lines.append(sentence)
    return "\n\n".join(lines)


def seconds(pages: int) -> float:
    """How long the check of so many pages takes, its figure drawn already."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        project = tiny.write_tiny(root)
        for number in range(pages):
            (root / f"docs/p{number}.md").write_text(page(number), encoding="utf-8")
        gather(project)
        settings = load(root / "mkdocs.yml")
        started = time.perf_counter()
        report = check(*settings, ())
        spent = time.perf_counter() - started
    quoted = sum(quote.kind == "fact" for quote in report.quotes)
    print(f"{pages} 页，{quoted} 个数，{spent:.1f} 秒")
    return spent


if __name__ == "__main__":
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    few, many = seconds(most // 4), seconds(most)
    print(f"页数四倍，用时 {many / few:.2f} 倍")
