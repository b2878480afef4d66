"""Real English to read: the prose in the docstrings of networkx and of sympy.

Both libraries come with torch and are pinned, so everybody's build reads the same words, and the
recipe of whatever is measured on them names their versions. Only whole paragraphs of sentences are
taken, each once, in the order of the files' names: no code, no tables, no lists of parameters.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias

import networkx
import sympy
import torch
from jaxtyping import Int
from torch import Tensor

from ffnsite.errors import BadExperiment
from ffnsite.models import smollm2

Source: TypeAlias = Literal["networkx", "sympy"]
"""Whose docstrings: graph algorithms, or algebra. A number should hold on both."""

FOLDERS = {"networkx": networkx.__file__, "sympy": sympy.__file__}
SENTENCE = re.compile(r"[A-Z][^`$\\_|<>=\[\]{}*#~^]*[.!?]")
WORDS = 12
"""Shorter paragraphs are mostly headings and labels."""


def rows(source: Source, count: int, length: int) -> Int[Tensor, "count length"]:
    """The first `count` · `length` tokens of the source's prose, cut into rows.

    Raises:
        BadExperiment: the source has fewer tokens.
    """
    tokenizer, tokens = smollm2.tokenizer(), list[int]()
    for paragraph in paragraphs(source):
        tokens += tokenizer.encode(paragraph + "\n").ids
        if len(tokens) >= count * length:
            return torch.tensor(tokens[: count * length]).view(count, length)
    raise BadExperiment(
        f"{source} 的文档里只有 {len(tokens)} 个词元，要 {count} 行、每行 {length} 个"
    )


def paragraphs(source: Source) -> Iterator[str]:
    """The paragraphs of prose, each once."""
    folder, seen = Path(FOLDERS[source]).parent, set[str]()
    for path in sorted(folder.rglob("*.py")):
        if "tests" not in path.parts:
            for paragraph in _paragraphs(path):
                if paragraph not in seen:
                    seen.add(paragraph)
                    yield paragraph


def _paragraphs(path: Path) -> Iterator[str]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, documented):
            for paragraph in (ast.get_docstring(node) or "").split("\n\n"):
                line = " ".join(paragraph.split())
                if is_prose(line):
                    yield line


def is_prose(line: str) -> bool:
    """Whether the line is made of English sentences: no code, no markup, no formula."""
    return (
        SENTENCE.fullmatch(line) is not None
        and "---" not in line  # a heading, with what stands under it
        and len(line.split()) >= WORDS
    )
