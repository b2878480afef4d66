"""`ffnsite setup`: fetches and checks the pretrained weights."""

from pathlib import Path

import click

from ffnsite import child

FETCH = ["-c", "from ffnsite.models.weights import fetch; fetch()"]
LIMIT = 1800.0


@click.command()
def command() -> None:
    """Runs in a child process, so that this one never loads the laboratory."""
    child.complete(child.run(FETCH, Path.cwd(), {}, LIMIT))
    click.echo("权重就绪。")
