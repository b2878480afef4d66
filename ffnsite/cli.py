"""The command line. Exit status 0: all true; 1: something is wrong; 2: usage."""

import asyncio
import json
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path

import click

from ffnsite import child, gather
from ffnsite.errors import BadSettings, FfnsiteError, nearest
from ffnsite.facts import Stock, take_stock
from ffnsite.prose import wording
from ffnsite.quantity import to_json
from ffnsite.report import Report, as_json
from ffnsite.site import reading
from ffnsite.site.progress import TerminalWatcher
from ffnsite.site.settings import load, project_of
from ffnsite.sources import figure_files

FETCH = ["-c", "from ffnsite.models.weights import fetch; fetch()"]
FETCH_LIMIT = 1800.0

config_option = click.option(
    "--config", default="mkdocs.yml", type=click.Path(path_type=Path), help="网站的 mkdocs.yml。"
)


def plain_faults(command: Callable[..., None]) -> Callable[..., None]:
    """A fault raised on purpose is printed as it is, without a traceback, and ends with status 1."""

    @wraps(command)
    def wrapped(*args: object, **kwargs: object) -> None:
        try:
            command(*args, **kwargs)
        except FfnsiteError as fault:
            click.echo(str(fault), err=True)
            sys.exit(1)

    return wrapped


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """核对文章里的每一个数：现算的对代码，引用的对文献。"""


@main.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@config_option
@plain_faults
def check(paths: tuple[Path, ...], form: str, config: Path) -> None:
    """读所有文章（或给出的几篇），判断每个数对不对。"""
    with TerminalWatcher() as watcher:
        report = reading.check(*load(config), paths, watcher)
    _print(report, form)
    sys.exit(1 if report.faults else 0)


def _print(report: Report, form: str) -> None:
    if form == "json":
        click.echo(json.dumps(as_json(report), ensure_ascii=False, indent=1))
    else:
        click.echo(report.text())


@main.command()
@click.argument("names", nargs=-1)
@click.option("--fresh", is_flag=True, help="不用缓存，测量也重做。")
@click.option("--jobs", type=click.IntRange(min=1), help="同时跑几个子进程。")
@config_option
@plain_faults
def draw(names: tuple[str, ...], fresh: bool, jobs: int | None, config: Path) -> None:
    """画过期的图（或给出的几张）。"""
    settings, options = load(config)
    if jobs:
        options.jobs = jobs
    project = project_of(settings, options)
    known = figure_files(project.figures)
    for name in names:
        if name not in known:
            raise BadSettings(
                f"没有叫 {name} 的图；最像的是 {'、'.join(nearest(name, known)) or '无'}"
            )
    with TerminalWatcher() as watcher:
        only = set(names) if names else None
        gathered = gather.gather(project, fresh=fresh, only=only, watcher=watcher)
    faults = {name: text for name, text in gathered.faults.items() if not names or name in names}
    for name, fault in faults.items():
        click.echo(f"{name}：{fault}", err=True)
    click.echo(
        f"画了 {len(gathered.ran)} 张，{len(faults)} 张没画成，共 {len(gathered.figure_names)} 张。"
    )
    sys.exit(1 if faults else 0)


@main.command()
@config_option
@plain_faults
def stale(config: Path) -> None:
    """列出要重画的图和原因；都不过期时什么也不列。"""
    for name, reason in gather.stale(project_of(*load(config))).items():
        click.echo(f"{name}：{reason}")


@main.command()
@click.option("--json", "as_lines", is_flag=True, help="每行一个 JSON 对象。")
@config_option
@plain_faults
def facts(as_lines: bool, config: Path) -> None:
    """列出所有可以引用的数。"""
    stock = _stock(config)
    for known in stock.shelf.known.values():
        if as_lines:
            line = {"name": known.name, "kind": known.kind, "value": wording.show_fact(known.fact)}
            rest = {"unit": known.fact.unit, "means": known.fact.means, "where": known.where}
            click.echo(json.dumps(line | rest, ensure_ascii=False))
        else:
            click.echo(
                f"{known.name} = {wording.show_fact(known.fact)}（{known.where}）{known.fact.means}"
            )


def _stock(config: Path) -> Stock:
    settings, options = load(config)
    with TerminalWatcher() as watcher:
        return take_stock(project_of(settings, options), options.names, watcher=watcher)


@main.command()
@click.argument("name")
@config_option
@plain_faults
def where(name: str, config: Path) -> None:
    """一个数从哪来（生成它的那一行），又在哪些地方被引用。"""
    report = reading.check(*load(config), ())
    known = report.stock.shelf.known.get(name)
    if known is None:
        close = "、".join(nearest(name, report.stock.shelf.known)) or "无"
        raise BadSettings(f"没有叫 {name} 的数；最像的是 {close}")
    click.echo(f"{known.where}  {name} = {wording.show_fact(known.fact)}  {known.fact.means}")
    for quote in report.quotes:
        if quote.name == name:
            click.echo(f"{quote.place}  {quote.text}")


@main.command()
@click.argument("text", nargs=-1, required=True)
def read(text: tuple[str, ...]) -> None:
    """读一段数字说法，每个给一行 JSON。"""
    readings = [to_json(each) for each in text]
    for reading_ in readings:
        click.echo(json.dumps(reading_, ensure_ascii=False))
    sys.exit(1 if any("error" in reading_ for reading_ in readings) else 0)


@main.command()
@plain_faults
def setup() -> None:
    """取回并核对预训练权重（SmolLM2-135M），写进缓存。"""
    asyncio.run(child.run(FETCH, Path.cwd(), {}, FETCH_LIMIT))
    click.echo("权重就绪。")
