"""`ffnsite where NAME`: the line that makes a number, and every sentence that quotes it."""

from pathlib import Path

import click

from ffnsite.commands import options
from ffnsite.errors import BadSettings, nearest
from ffnsite.prose import wording
from ffnsite.site.progress import TerminalWatcher
from ffnsite.site.reading import check
from ffnsite.site.settings import load


@click.command()
@click.argument("name")
@options.config
def command(name: str, config: Path) -> None:
    """The place of the fact first, then one line a quote."""
    with TerminalWatcher() as watcher:
        report = check(*load(config), (), watcher)
    known = report.stock.shelf.known.get(name)
    if known is None:
        close = "、".join(nearest(name, report.stock.shelf.known)) or "无"
        raise BadSettings(f"没有叫 {name} 的数；最像的是 {close}")
    click.echo(f"{known.where}  {name} = {wording.show_fact(known.fact)}  {known.fact.means}")
    for quote in report.quotes:
        if quote.name == name:
            click.echo(f"{quote.place}  {quote.text}")
