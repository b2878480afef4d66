"""`ffnsite repro FIGURE`: runs a figure afresh and compares every number."""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import click

from ffnsite.commands import options
from ffnsite.errors import BadSettings, nearest
from ffnsite.figure import Fact
from ffnsite.gather import collect, gather
from ffnsite.prose import wording
from ffnsite.site.progress import TerminalWatcher
from ffnsite.site.settings import load, project_of
from ffnsite.sources import figure_files


@click.command()
@click.argument("figure")
@options.config
def command(figure: str, config: Path) -> None:
    """Measures and draws in an empty cache; one line a number, PASS or FAIL."""
    project = project_of(*load(config))
    known = figure_files(project.figures)
    if figure not in known:
        close = "、".join(nearest(figure, known)) or "无"
        raise BadSettings(f"没有叫 {figure} 的图；最像的是 {close}")
    kept = collect(project, {}, {}).facts
    with tempfile.TemporaryDirectory() as empty, TerminalWatcher() as watcher:
        again = gather(replace(project, cache=Path(empty)), only={figure}, watcher=watcher)
    if figure in again.faults:
        raise BadSettings(f"{figure} 没画成：{again.faults[figure]}")
    failed = 0
    names = [name for name in again.facts | kept if name.partition(".")[0] == figure]
    for name in names:
        old, new = kept.get(name), again.facts.get(name)
        same = old is not None and new is not None and agree(old.fact, new.fact)
        shown = " / ".join(wording.show_fact(each.fact) if each else "没有" for each in (old, new))
        click.echo(f"{'PASS' if same else 'FAIL'}  {name}  {shown}")
        failed += not same
    click.echo(f"{len(names) - failed} PASS，{failed} FAIL")
    sys.exit(1 if failed else 0)


def agree(old: Fact, new: Fact) -> bool:
    """Whether both round to the same at the digits that are claimed to survive; exact ones are equal."""
    if old.digits is None or new.digits is None:
        return old.ends == new.ends
    pairs = zip(old.ends, new.ends, strict=True)
    return all(abs(a - b) <= max(abs(a), abs(b)) / 10**old.digits for a, b in pairs)
