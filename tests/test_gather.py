"""What runs, what is kept, and how a generator may fail."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import tiny

from ffnsite.cache import Reason
from ffnsite.gather import Watcher, gather, stale

MEASURED = """\
from ffnsite.figure import Fact, Figure
from ffnsite.look import chart
from lab import ratio


def draw():
    thirds = ratio.together([(1,), (2,)])
    facts = {f"n{k}": Fact(t.value, "ratio", digits=3, means="比") for k, t in enumerate(thirds)}
    lines = chart()
    lines.add_scatter(x=list(facts), y=[t.value for t in thirds])
    return Figure(lines, facts, "两个比")
"""
LAB = """\
import os
from dataclasses import dataclass
from pathlib import Path
from ffnsite.measurement import measurement


@dataclass(frozen=True)
class Ratio:
    value: float


@measurement
def ratio(k: int) -> Ratio:
    with Path("runs.txt").open("a") as log:
        log.write(f"{k} {os.environ['OMP_NUM_THREADS']}\\n")
    return Ratio(k / 3)
"""


@pytest.fixture
def project(tmp_path):
    return tiny.write_tiny(tmp_path)


def write(project, name, text):
    (project.root / name).write_text(text, encoding="utf-8")


def fault_of(project, body, limit=20.0):
    """The fault of a figure whose draw() has this body; the healthy one beside it must not suffer."""
    gather(project)
    indented = body.replace("\n", "\n    ")
    write(project, "figures/bad.py", f"def draw():\n    {indented}\n")
    limited = type(project)(
        **{f: getattr(project, f) for f in project.__slots__} | {"limit": limit}
    )
    gathered = gather(limited)
    assert "block" in gathered.drawings
    assert "block.share" in gathered.facts
    return gathered.faults["bad"]


def test_a_first_round_draws_and_a_second_draws_nothing(project):
    assert gather(project).ran["block"].reason is Reason.FIRST
    again = gather(project)
    assert again.ran == {}
    assert again.facts["block.share"].where == "figures/block.py:11"
    assert again.drawings["block"].views[0].table.rows == [["FFN", "8"], ["attention", "4"]]


def test_a_changed_helper_reruns_exactly_its_dependents(project):
    write(project, "figures/other.py", tiny.FIGURE.replace("from widths import WIDTH", "WIDTH = 3"))
    gather(project)
    write(project, "widths.py", "WIDTH = 4096\n")
    assert {n: (s.reason, s.what) for n, s in stale(project).items()} == {
        "block": (Reason.SOURCE, "widths.py")
    }
    again = gather(project)
    assert set(again.ran) == {"block"}
    assert again.facts["block.width"].fact.ends[0] == 4096


def test_a_deleted_generator_leaves_nothing_behind(project):
    write(project, "figures/other.py", tiny.FIGURE)
    gather(project)
    (project.figures / "other.py").unlink()
    gathered = gather(project)
    assert not any(name.startswith("other.") for name in gathered.facts)
    assert [path.name for path in project.cache.rglob("*.json")] == ["block.json"]


def test_a_damaged_entry_is_drawn_again(project):
    gather(project)
    entry = project.cache / "figures/block.json"
    entry.write_bytes(entry.read_bytes()[:-9])
    assert gather(project).ran["block"].reason is Reason.DAMAGED


def test_fresh_draws_what_is_not_stale(project):
    gather(project)
    assert set(gather(project, fresh=True, only={"block"}).ran) == {"block"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise ValueError('宽度是 7')", "宽度是 7"),
        (
            "from ffnsite.figure import Figure; print('算完了'); return Figure('<svg/>', {}, '图')",
            "标准输出",
        ),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("import sys; sys.exit(3)", "退出码 3"),
        ("return 5", "应返回 Figure"),
        ("from ffnsite.figure import Fact; Fact(float('nan'), 'ratio', 2, means='比')", "NaN"),
        (
            "from ffnsite.figure import Figure; from ffnsite.look import chart\n"
            "c = chart(); c.add_bar(x=['a'], y=[float('nan')]); return Figure(c, {}, '图')",
            "空格请用 None",
        ),
        (
            "import numpy; from ffnsite.figure import Figure; from ffnsite.look import chart\n"
            "c = chart(); c.add_bar(x=['a'], y=numpy.ones(1)); return Figure(c, {}, '图')",
            "tolist",
        ),
        ("from ffnsite.figure import Figure; return Figure('<svg', {}, '图')", "SVG"),
        ("from ffnsite.figure import Figure; return Figure(3, {}, '图')", "plotly"),
        (
            "from ffnsite.figure import Figure; from ffnsite.look import chart\n"
            "c = chart(); c.add_pie(values=[1]); return Figure(c, {}, '图')",
            "pie",
        ),
    ],
)
def test_a_failing_generator_is_told_apart_and_costs_only_itself(project, body, said):
    assert said in fault_of(project, body)


def test_a_generator_that_hangs_is_stopped_with_all_that_it_started(project):
    body = (
        "import subprocess, sys; child = subprocess.Popen(['sleep', '60'])\n"
        "open('child.txt', 'w').write(str(child.pid)); child.wait()"
    )
    assert "超过 4 秒" in fault_of(project, body, limit=4.0)
    started = Path(f"/proc/{(project.root / 'child.txt').read_text()}/stat")
    assert not started.exists() or started.read_text().split()[2] == "Z"


def test_a_file_without_draw_says_so(project):
    write(project, "figures/empty.py", "x = 1\n")
    assert "没有 draw()" in gather(project).faults["empty"]


def test_a_file_that_is_no_python_says_where(project):
    write(project, "figures/broken.py", "def draw(:\n")
    assert "broken.py:1" in gather(project).faults["broken"]


def test_a_failed_run_keeps_nothing(project):
    fault_of(project, "raise ValueError")
    assert not (project.cache / "figures/bad.json").exists()


@pytest.fixture
def measured(project):
    write(project, "figures/thirds.py", MEASURED)
    write(project, "lab.py", LAB)
    return project


def runs(project):
    return sorted((project.root / "runs.txt").read_text().split("\n"))[1:]


def test_each_measurement_runs_once_in_its_own_child_with_one_thread(measured):
    write(measured, "figures/again.py", MEASURED)
    gathered = gather(measured)
    assert gathered.facts["thirds.n1"].fact.ends == gathered.facts["again.n1"].fact.ends
    assert runs(measured) == ["1 1", "2 1"]


def test_restyling_a_figure_measures_nothing_again(measured):
    gather(measured)
    write(measured, "figures/thirds.py", MEASURED.replace("digits=3", "digits=2"))
    gathered = gather(measured)
    assert gathered.facts["thirds.n0"].fact.digits == 2
    assert runs(measured) == ["1 1", "2 1"]


def test_a_changed_experiment_measures_again(measured):
    gather(measured)
    write(measured, "lab.py", LAB.replace("k / 3", "k / 4"))
    assert float(gather(measured).facts["thirds.n0"].fact.ends[0]) == 0.25
    assert len(runs(measured)) == 4


def test_a_lost_measurement_is_measured_again(measured):
    gather(measured)
    for entry in (measured.cache / "measurements").iterdir():
        entry.unlink()
    assert stale(measured)["thirds"].reason is Reason.MEASUREMENT
    gather(measured)
    assert len(runs(measured)) == 4


def test_measurements_that_no_figure_uses_are_evicted(measured):
    gather(measured)
    write(measured, "figures/thirds.py", MEASURED.replace("[(1,), (2,)]", "[(1,)]"))
    gather(measured)
    assert len(list((measured.cache / "measurements").iterdir())) == 1


def test_a_failing_measurement_is_named_with_its_reason(measured):
    write(measured, "lab.py", LAB.replace("k / 3", "k / 0"))
    fault = gather(measured).faults["thirds"]
    assert "lab.ratio-" in fault
    assert "ZeroDivisionError" in fault


def test_gathering_works_inside_a_running_event_loop(project):
    async def notebook():
        return gather(project)

    # In a thread of its own: a browser test before this one may have left a loop running here.
    with ThreadPoolExecutor(1) as thread:
        assert "block" in thread.submit(lambda: asyncio.run(notebook())).result().drawings


def test_the_watcher_hears_of_every_child(measured):
    class Heard(Watcher):
        def __init__(self):
            self.names = []

        def started(self, name, seconds):
            self.names.append((name.partition("-")[0], seconds is None))

        def ended(self, name, fault):
            self.names.append((name.partition("-")[0], fault))

    heard = Heard()
    gather(measured, watcher=heard)
    assert ("lab.ratio", True) in heard.names
    assert ("thirds", None) in heard.names


def test_entries_are_plain_json(project):
    gather(project)
    _, _, body = (project.cache / "figures/block.json").read_bytes().partition(b"\n")
    assert json.loads(body)["body"]["facts"]["share"]["value"] == ["2/3"]


def measured_fault(measured, body):
    """The fault of a figure whose measurement has this body; the healthy figure must not suffer."""
    write(measured, "lab.py", LAB.replace("return Ratio(k / 3)", body))
    gathered = gather(measured)
    assert "block" in gathered.drawings
    return gathered.faults["thirds"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("print('hello'); return Ratio(k / 3)", "往标准输出打印了东西"),
        ("os.kill(os.getpid(), 9)", "被信号 SIGKILL 杀死"),
        ("os._exit(0)", "没算完就自己退出了"),
        ("raise SystemExit(3)", "退出码 3"),
        ("os.write(1, b'x' * 70_000); return Ratio(k / 3)", "往标准输出打印了东西"),
    ],
)
def test_a_measurement_that_misbehaves_costs_only_itself(measured, body, said):
    assert said in measured_fault(measured, body)


def test_a_measurement_that_hangs_is_stopped_and_the_limit_named(measured):
    quick = replace(measured, limit=3.0)
    write(measured, "lab.py", LAB.replace("return", "import time; time.sleep(60)\n    return"))
    assert "超过 3 秒还没完" in gather(quick).faults["thirds"]


def test_a_worker_measures_again_and_again(measured):
    write(measured, "lab.py", LAB.replace("{k} {os.environ['OMP_NUM_THREADS']}", "{os.getpid()}"))
    gather(replace(measured, jobs=1))
    assert len(set(runs(measured))) == 1


def test_a_worker_does_not_measure_with_code_that_was_edited_meanwhile(measured):
    edit = "Path('lab.py').open('a').write('# edited'); return Ratio(k / 3)"
    write(measured, "lab.py", LAB.replace("return Ratio(k / 3)", edit))
    fault = gather(replace(measured, jobs=1)).faults["thirds"]
    assert "lab.py 变了" in fault
