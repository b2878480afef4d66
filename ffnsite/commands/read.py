"""`ffnsite read`: what a wording is read as."""

import json
import sys

import click

from ffnsite.quantity import to_json


@click.command()
@click.argument("text", nargs=-1, required=True)
def command(text: tuple[str, ...]) -> None:
    """One JSON object a line: the interval, or the error."""
    readings = [to_json(each) for each in text]
    for reading in readings:
        click.echo(json.dumps(reading, ensure_ascii=False))
    sys.exit(1 if any("error" in reading for reading in readings) else 0)
