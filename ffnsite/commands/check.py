"""`ffnsite check`: is every number on every page right?"""

import sys
from dataclasses import replace
from pathlib import Path

import click

from ffnsite.commands import options
from ffnsite.formats import FORMATS
from ffnsite.site import built, reading
from ffnsite.site.progress import TerminalWatcher
from ffnsite.site.settings import load


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--site", type=click.Path(path_type=Path), help="连生成好的网站一起核对。")
@click.option(
    "--format", "form", type=click.Choice(sorted(FORMATS)), default="text", help="输出的样子。"
)
@options.config
def command(paths: tuple[Path, ...], site: Path | None, form: str, config: Path) -> None:
    """Reads the sources, and with --site the built pages; prints the report."""
    with TerminalWatcher() as watcher:
        settings, choices = load(config)
        report = reading.check(settings, choices, paths, watcher)
    if site is not None:
        report = replace(report, built=tuple(built.check(site, settings, report)))
    click.echo(FORMATS[form](report))
    sys.exit(1 if report.faults else 0)
