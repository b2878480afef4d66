"""`ffnsite draw`: draws figures without building the site."""

import sys
from pathlib import Path

import click

from ffnsite.commands import options
from ffnsite.errors import BadSettings, nearest
from ffnsite.gather import gather
from ffnsite.site.progress import TerminalWatcher
from ffnsite.site.settings import load, project_of
from ffnsite.sources import figure_files


@click.command()
@click.argument("names", nargs=-1)
@click.option("--fresh", is_flag=True, help="不用缓存，测量也重做。")
@click.option("--jobs", type=click.IntRange(min=1), help="同时跑几个子进程。")
@options.config
def command(names: tuple[str, ...], fresh: bool, jobs: int | None, config: Path) -> None:
    """Draws what is stale; with --fresh everything that is named."""
    settings, choices = load(config)
    if jobs:
        choices.jobs = jobs
    project = project_of(settings, choices)
    known = figure_files(project.figures)
    for name in names:
        if name not in known:
            close = "、".join(nearest(name, known)) or "无"
            raise BadSettings(f"没有叫 {name} 的图；最像的是 {close}")
    with TerminalWatcher() as watcher:
        only = set(names) if names else None
        gathered = gather(project, fresh=fresh, only=only, watcher=watcher)
    faults = {name: text for name, text in gathered.faults.items() if not names or name in names}
    for name, fault in faults.items():
        click.echo(f"{name}：{fault}", err=True)
    total = len(gathered.figure_names)
    click.echo(f"画了 {len(gathered.ran)} 张，{len(faults)} 张没画成，共 {total} 张。")
    sys.exit(1 if faults else 0)
