"""`ffnsite study`: runs and audits the studies of figures/studies."""

import sys
from pathlib import Path

import click

from ffnsite import studies, sweep
from ffnsite.commands import options
from ffnsite.project import Project
from ffnsite.site.settings import load, project_of
from ffnsite.sweep import Computed, Workers


@click.group()
def command() -> None:
    """The two things that can be done with a study."""


@command.command(help="算还没有算过的和过期的行；被杀掉以后再运行，从停下的地方接着算。")
@click.argument("name")
@click.option("--jobs", type=click.IntRange(min=1), help="同时算几行。")
@click.option("--on", "scheduler", help="交给这个 Dask 集群算，例如 tcp://host:8786。")
@options.config
def run(name: str, jobs: int | None, scheduler: str | None, config: Path) -> None:
    """Computes what is missing or stale, one line of output a row."""
    project = project_of(*load(config))
    study = studies.declared(studies.folder_of(project), name)
    waiting = studies.standing(project, study, studies.load(study)).waiting
    click.echo(f"研究 {name} 共 {len(study.rows)} 行，要算 {len(waiting)} 行。")
    workers = Workers(jobs or project.jobs, scheduler)
    failed = sweep.run(project, study, workers, _Counter(len(waiting)).told)
    click.echo(f"算了 {len(waiting) - len(failed)} 行，{len(failed)} 行没算成。")
    sys.exit(1 if failed else 0)


class _Counter:
    """Says each row that is ready."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.ready = 0

    def told(self, computed: Computed) -> None:
        self.ready += 1
        spent = f"{computed.line.seconds:.1f} 秒" if computed.line else "没算成"
        click.echo(f"{self.ready}/{self.total}  {computed.row}  {spent}")
        if computed.fault:
            click.echo(computed.fault, err=True)


@command.command(help="重算几行，和记录比；不给名字就审计每一项研究。")
@click.argument("names", nargs=-1)
@click.option("--rows", type=click.IntRange(min=1), default=1, show_default=True, help="审计几行。")
@click.option("--turn", type=click.IntRange(min=0), help="第几轮；不给就按最新提交的日期轮换。")
@click.option("--jobs", type=click.IntRange(min=1), help="同时算几行。")
@options.config
def audit(
    names: tuple[str, ...], rows: int, turn: int | None, jobs: int | None, config: Path
) -> None:
    """One line a recomputed row, PASS or FAIL."""
    project = project_of(*load(config))
    turn = sweep.turn_of_the_day(project.root) if turn is None else turn
    chosen = names or tuple(studies.names(studies.folder_of(project)))
    failures = sum(_audit(project, name, rows, turn, jobs or project.jobs) for name in chosen)
    sys.exit(1 if failures else 0)


def _audit(project: Project, name: str, rows: int, turn: int, jobs: int) -> int:
    """How many of the sample's rows differ from the record."""
    study = studies.declared(studies.folder_of(project), name)
    audited = sweep.audit(project, study, rows, turn, Workers(jobs))
    for each in audited:
        click.echo(f"{'FAIL' if each.differences else 'PASS'}  {name}  {each.row}")
        for difference in each.differences:
            click.echo(f"      {difference}")
    failures = sum(bool(each.differences) for each in audited)
    within = f"误差 {study.declared.tolerance:g} 以内"
    click.echo(f"研究 {name}：{len(audited) - failures} PASS，{failures} FAIL（{within}）")
    return failures
