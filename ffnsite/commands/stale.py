"""`ffnsite stale`: what would run, and why."""

from pathlib import Path

import click

from ffnsite import gather
from ffnsite.commands import options
from ffnsite.site.settings import load, project_of


@click.command()
@options.config
def command(config: Path) -> None:
    """One line a figure that would be drawn now."""
    for name, reason in gather.stale(project_of(*load(config))).items():
        click.echo(f"{name}：{reason}")
