"""`ffnsite facts`: everything that can be quoted."""

import json
from pathlib import Path

import click

from ffnsite.commands import options
from ffnsite.facts import take_stock
from ffnsite.prose import wording
from ffnsite.prose.quote import Known
from ffnsite.site.progress import TerminalWatcher
from ffnsite.site.settings import load, project_of


@click.command()
@click.option("--json", "as_lines", is_flag=True, help="每行一个 JSON 对象。")
@options.config
def command(as_lines: bool, config: Path) -> None:
    """Name, value, place and definition of every fact and cited value."""
    settings, choices = load(config)
    with TerminalWatcher() as watcher:
        stock = take_stock(project_of(settings, choices), choices.names, watcher=watcher)
    for known in stock.shelf.known.values():
        click.echo(_json(known) if as_lines else _text(known))


def _text(known: Known) -> str:
    return f"{known.name} = {wording.show_fact(known.fact)}（{known.where}）{known.fact.means}"


def _json(known: Known) -> str:
    line = {
        "name": known.name,
        "kind": known.kind,
        "value": wording.show_fact(known.fact),
        "unit": known.fact.unit,
        "means": known.fact.means,
        "where": known.where,
    }
    return json.dumps(line, ensure_ascii=False)
