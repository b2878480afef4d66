"""Studies from end to end on a project without torch: run, killed, stale, audited, read by a figure."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tiny

from ffnsite import sources, studies, sweep
from ffnsite.cache import Reason
from ffnsite.errors import BadStudy
from ffnsite.gather import gather

LAB = '''\
import time
from dataclasses import dataclass
from pathlib import Path
from ffnsite.measurement import measurement
from widths import WIDTH


@dataclass(frozen=True)
class Area:
    value: float
    seconds: float


@measurement
def area(height: int, seed: int, width: int = WIDTH) -> Area:
    """Width times height, and a little for the seed."""
    with Path("runs.txt").open("a") as log:
        log.write(f"{height},{seed}\\n")
    if height > 90:
        raise ValueError("too high")
    time.sleep(height / 10)
    return Area(width * height + seed / 8, time.time())
'''
STUDY = """\
question = "面积有多大？"
measure = "lab.area"
tolerance = 1e-9
varying = ["seconds"]

[grid]
seed = [0, 1]

[[rows]]
height = 1

[[rows]]
height = 2
"""
FIGURE = """\
from ffnsite.figure import Fact, Figure
from ffnsite.look import chart
from ffnsite.studies import recorded
from lab import area


def draw():
    rows = recorded(area, "areas")
    bars = chart()
    bars.add_bar(x=[row.arguments["height"] for row in rows], y=[row.result.value for row in rows])
    return Figure(bars, {"most": Fact(rows[-1].result.value, "number", 3, means="最大")}, "面积")
"""


def begin(root):
    project = tiny.write_tiny(root)
    write(project, "lab.py", LAB)
    write(project, "figures/studies/areas.toml", STUDY)
    return project


@pytest.fixture
def project(tmp_path):
    return begin(tmp_path)


@pytest.fixture(scope="session")
def recorded_once(tmp_path_factory):
    """The project after `study run`; every test that needs it gets a copy."""
    project = begin(tmp_path_factory.mktemp("recorded") / "site")
    done = study(project, "run", "areas")
    assert done.returncode == 0, done.stderr
    return project


@pytest.fixture
def finished(recorded_once, tmp_path):
    shutil.copytree(recorded_once.root, tmp_path, dirs_exist_ok=True)
    return tiny.write_tiny(tmp_path)


def write(project, name, text):
    path = project.root / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def study(project, *arguments):
    return tiny.run(project.root, "ffnsite", "study", *arguments)


def record(project):
    path = project.root / "figures/studies/areas.json"
    return json.loads(path.read_text(encoding="utf-8"))


def runs(project):
    return (project.root / "runs.txt").read_text().split()


def faults(project):
    return list(studies.faults(project).values())


def test_every_row_of_the_grid_is_recorded_with_what_it_came_from(finished):
    rows = record(finished)["rows"]
    asked = [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert [(row["arguments"]["height"], row["arguments"]["seed"]) for row in rows] == asked
    assert [row["result"]["value"] for row in rows] == [2048, 2048.125, 4096, 4096.125]
    assert [round(row["seconds"], 1) for row in rows] == [0.1, 0.1, 0.2, 0.2]
    version = ".".join(map(str, sys.version_info[:3]))
    assert {row["versions"]["python"] for row in rows} == {version}
    assert {row["machine"] for row in rows} == {sweep.machine()}
    (ingredients,) = record(finished)["ingredients"].values()
    assert list(ingredients["code"]) == ["lab.py", "widths.py"]
    text = (finished.root / "figures/studies/areas.json").read_text(encoding="utf-8")
    assert str(finished.root) not in text
    assert sum(line.startswith('{"arguments"') for line in text.splitlines()) == 4


def test_a_second_run_computes_nothing(finished):
    before = record(finished)
    again = study(finished, "run", "areas")
    assert "研究 areas 共 4 行，要算 0 行。" in again.stdout
    assert record(finished) == before
    assert len(runs(finished)) == 4


def test_a_run_that_was_killed_goes_on_where_it_stood(project):
    write(project, "figures/studies/areas.toml", STUDY.replace("height = 2", "height = 20"))
    arguments = [sys.executable, "-m", "ffnsite", "study", "run", "areas", "--jobs", "1"]
    running = subprocess.Popen(arguments, cwd=project.root, start_new_session=True)
    path = project.root / "figures/studies/areas.json"
    until = time.monotonic() + 60
    while time.monotonic() < until and not (path.is_file() and len(record(project)["rows"]) == 2):
        time.sleep(0.02)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    assert len(record(project)["rows"]) == 2
    begun = len(runs(project))
    again = study(project, "run", "areas")
    assert "要算 2 行" in again.stdout
    assert [row["arguments"] for row in record(project)["rows"]] == [
        {"height": height, "seed": seed} for height in (1, 20) for seed in (0, 1)
    ]
    assert len(runs(project)) == begun + 2
    assert faults(project) == []


def test_check_fails_when_the_code_of_a_row_changed_and_says_what_to_run(finished):
    assert tiny.run(finished.root, "ffnsite", "check").returncode == 0
    write(finished, "widths.py", "WIDTH = 4096\n")
    checked = tiny.run(finished.root, "ffnsite", "check")
    assert checked.returncode == 1
    assert (
        "figures/studies/areas.toml:1 研究 areas 共 4 行：4 行记下之后变了的是 widths.py，要重算；"
        "运行 python -m ffnsite study run areas"
    ) in checked.stdout
    study(finished, "run", "areas")
    assert record(finished)["rows"][0]["result"]["value"] == 4096
    assert faults(finished) == []


def test_rewording_a_comment_or_a_docstring_makes_no_row_stale(finished):
    write(finished, "lab.py", '"""A file."""\n# areas\n' + LAB.replace("a little", "a bit"))
    assert faults(finished) == []
    write(finished, "lab.py", LAB.replace("seed / 8", "seed / 9"))
    assert "4 行记下之后变了的是 lab.py" in faults(finished)[0]


def test_rows_not_yet_run_and_rows_no_longer_declared_are_faults_until_the_next_run(finished):
    write(finished, "figures/studies/areas.toml", STUDY.replace("height = 2", "height = 3"))
    assert "2 行还没有算过，2 行已不在声明里" in faults(finished)[0]
    study(finished, "run", "areas")
    assert [row["arguments"]["height"] for row in record(finished)["rows"]] == [1, 1, 3, 3]
    assert faults(finished) == []
    write(finished, "figures/studies/areas.toml", STUDY.replace("height = 2", "height = 4"))
    write(finished, "figures/studies/areas.toml", STUDY.partition("\n[[rows]]\nheight = 2")[0])
    study(finished, "run", "areas")
    assert len(record(finished)["rows"]) == 2


def test_a_file_of_the_project_that_a_row_read_is_one_of_its_ingredients(project):
    reading = LAB.replace("WIDTH\n\n", "WIDTH\nfrom ffnsite import cache\n\n", 1)
    reading = reading.replace("seed / 8", "len(cache.read_bytes(Path('data.txt')))")
    write(project, "lab.py", reading)
    write(project, "data.txt", "12345")
    study(project, "run", "areas")
    assert record(project)["rows"][0]["result"]["value"] == 2053
    assert faults(project) == []
    write(project, "data.txt", "1234")
    assert "4 行记下之后变了的是 data.txt" in faults(project)[0]


def test_an_audit_recomputes_as_many_rows_as_asked_and_its_turns_reach_all(finished):
    for turn in range(4):
        audited = study(finished, "audit", "areas", "--turn", str(turn))
        assert audited.returncode == 0, audited.stdout
        assert "1 PASS，0 FAIL（误差 1e-09 以内）" in audited.stdout
    assert sorted(runs(finished)[4:]) == ["1,0", "1,1", "2,0", "2,1"]
    assert "3 PASS" in study(finished, "audit", "--rows", "3").stdout


def test_an_audit_fails_where_a_recorded_number_is_not_what_comes_out(finished):
    path = finished.root / "figures/studies/areas.json"
    path.write_text(path.read_text().replace("4096.125", "4096.126"))
    assert study(finished, "audit", "areas", "--turn", "2").returncode == 0
    audited = study(finished, "audit", "areas", "--turn", "3")
    assert audited.returncode == 1
    assert "result.value 记的是 4096.126，重算得 4096.125" in audited.stdout


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"a": 1.0, "t": 5}, {"a": 1.0009, "t": 9}, []),
        ({"a": 1.0}, {"a": 1.002}, ["result.a 记的是 1.0，重算得 1.002"]),
        ({"a": [1, 2]}, {"a": [1, 3]}, ["result.a[1] 记的是 2，重算得 3"]),
        ([0.5], [0.5, 0.5], ["result 记的是 [0.5]，重算得 [0.5, 0.5]"]),
        ("x", "y", ["result 记的是 'x'，重算得 'y'"]),
        (2000.0, 2001.0, []),
    ],
)
def test_floats_may_differ_by_the_tolerance_and_all_else_not_at_all(old, new, found):
    assert list(sweep.differences(old, new, 1e-3, ["t"])) == found


def test_the_turn_is_the_day_of_the_newest_commit(tmp_path):
    assert sweep.turn_of_the_day(tmp_path) == 0
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert sweep.turn_of_the_day(tmp_path) == 0
    settings = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    when = {**os.environ, "GIT_COMMITTER_DATE": "1970-01-11T12:00:00Z"}
    commit = ["git", *settings, "-C", str(tmp_path), "commit", "-q", "--allow-empty", "-m", "m"]
    subprocess.run(commit, check=True, env=when)
    assert sweep.turn_of_the_day(tmp_path) == 10


def test_a_row_that_fails_is_said_and_costs_only_itself(project):
    write(project, "figures/studies/areas.toml", STUDY.replace("height = 2", "height = 99"))
    ran = study(project, "run", "areas")
    assert ran.returncode == 1
    assert "ValueError: too high" in ran.stderr
    assert "算了 2 行，2 行没算成。" in ran.stdout
    assert [row["arguments"]["height"] for row in record(project)["rows"]] == [1, 1]


def test_arguments_that_the_measurement_does_not_take_are_named(project):
    write(project, "figures/studies/areas.toml", STUDY.replace("height = 2", "hight = 2"))
    assert 'lab.area 不收这样的参数 {"hight":2,"seed":0}' in study(project, "run", "areas").stderr
    write(project, "figures/studies/areas.toml", STUDY.replace("height = 2", 'height = "two"'))
    assert "Expected `int`, got `str`" in study(project, "run", "areas").stderr


def test_code_that_changes_while_rows_are_computed_is_noticed(project):
    changing = LAB.replace(
        "    time.sleep", "    Path('widths.py').write_text('WIDTH = 7')\n    time.sleep"
    )
    write(project, "lab.py", changing)
    ran = study(project, "run", "areas", "--jobs", "1")
    assert ran.returncode == 1
    assert "和这里开始时的不同（widths.py）；算的时候别改代码" in ran.stderr


def test_unknown_names_are_answered_with_the_nearest(project):
    said = study(project, "run", "area").stderr
    assert "figures/studies 里没有 area.toml；现有的里最像的：areas" in said
    write(project, "figures/studies/areas.toml", STUDY.replace("lab.area", "lob.area"))
    assert (
        "studies/areas.toml：measure 说的模块 lob 没有文件" in study(project, "run", "areas").stderr
    )
    write(project, "figures/studies/areas.toml", STUDY.replace("lab.area", "lab.aria"))
    assert "lab.aria 不是 @measurement" in study(project, "run", "areas").stderr


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("question", "quest", "Object contains unknown field `quest`"),
        ("tolerance = 1e-9", "", "missing required field `tolerance`"),
        ("seed = [0, 1]", "seed = [0, 1", "Unclosed array"),
        ("height = 2", "height = 1", '有两行的参数都是 {"height":1,"seed":0}'),
    ],
)
def test_a_wrong_declaration_is_named_with_its_fault(project, old, new, said):
    write(project, "figures/studies/areas.toml", STUDY.replace(old, new))
    assert faults(project)[0].startswith("figures/studies/areas.toml：")
    assert said in faults(project)[0]


def test_a_damaged_record_is_named_with_what_mends_it(finished):
    path = finished.root / "figures/studies/areas.json"
    path.write_bytes(path.read_bytes()[:-40])
    for said in (faults(finished)[0], study(finished, "run", "areas").stderr):
        assert said.startswith("figures/studies/areas.json 损坏：Input data was truncated")
        assert "从 git 里取回它，或者删掉它再运行 python -m ffnsite study run areas" in said


def test_a_record_without_a_declaration_is_a_fault(finished):
    (finished.root / "figures/studies/areas.toml").unlink()
    assert faults(finished) == ["figures/studies 里没有 areas.toml；现有的里最像的：一个也没有"]
    (path,) = studies.faults(finished)
    assert path.name == "areas.json"


def test_a_row_with_unknown_ingredients_is_a_damaged_record(finished):
    broken = record(finished)
    broken["ingredients"] = {}
    write(finished, "figures/studies/areas.json", json.dumps(broken))
    assert "areas.json 损坏：没有" in faults(finished)[0]


def test_nothing_recorded_cannot_be_audited(project):
    assert "研究 areas 还没有记录；运行 python -m ffnsite study run areas" in (
        study(project, "audit", "areas").stderr
    )


def test_a_figure_reads_typed_rows_and_is_drawn_again_when_they_change(finished):
    write(finished, "figures/areas.py", FIGURE)
    assert gather(finished).facts["areas.most"].fact.value == 4096.125
    assert gather(finished).ran == {}
    path = finished.root / "figures/studies/areas.json"
    path.write_text(path.read_text().replace("4096.125", "4096.5"))
    again = gather(finished)
    assert again.ran["areas"].reason is Reason.DATA
    assert again.facts["areas.most"].fact.value == 4096.5


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"areas"', '"arias"', "figures/studies 里没有 arias.json；现有的里最像的：areas；先运行"),
        ("lab import area", "other import area", "记的是 lab.area，这里要的是 other.area"),
    ],
)
def test_a_figure_that_asks_for_another_study_is_told(finished, old, new, said):
    write(finished, "other.py", LAB)
    write(finished, "figures/areas.py", FIGURE.replace(old, new))
    assert said in gather(finished).faults["areas"]


def test_a_result_of_another_type_than_recorded_is_named_with_its_row(finished):
    write(finished, "lab.py", LAB.replace("value: float", "value: str"))
    write(finished, "figures/areas.py", FIGURE)
    fault = gather(finished).faults["areas"]
    assert 'areas.json 里 {"height":1,"seed":0} 这行的结果读不回来' in fault


def test_reading_and_checking_studies_needs_no_laboratory(finished):
    code = (
        "import sys, pathlib; from ffnsite import studies, sweep; from ffnsite.site import settings;"
        "p = settings.project_of(*settings.load(pathlib.Path('mkdocs.yml')));"
        "assert studies.faults(p) == {}; assert not {'torch', 'plotly', 'lab'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=finished.root, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr


def test_the_hash_of_code_sees_what_python_sees(tmp_path):
    def hashed(text):
        path = tmp_path / "a.py"
        path.write_text(text)
        return sources.code_hash(path)

    same = ["def f(x):\n    return x + 1\n", 'def f(x):  # y\n    "d"\n\n    return (x + 1)\n']
    assert len(set(map(hashed, same))) == 1
    other = ["x = 1", "x = 1.0", "x = '1'", "x = None", "x = False", "x = 0", "y = 1", "x: int = 1"]
    cases = [f"match x:\n    case {what}:\n        pass" for what in ("None", "False", "True")]
    assert len(set(map(hashed, [*other, *cases]))) == len(other) + len(cases)


CLUSTER = """\
import subprocess, sys
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        run = [sys.executable, "-m", "ffnsite", "study", "run", "areas", "--on"]
        sys.exit(subprocess.run([*run, cluster.scheduler_address]).returncode)
"""


def test_a_dask_cluster_of_two_workers_records_the_same_rows(finished):
    here = [row["result"]["value"] for row in record(finished)["rows"]]
    (finished.root / "figures/studies/areas.json").unlink()
    write(finished, "cluster.py", CLUSTER)
    done = tiny.run(finished.root, "cluster")
    assert done.returncode == 0, done.stderr
    assert "算了 4 行，0 行没算成。" in done.stdout
    assert [row["result"]["value"] for row in record(finished)["rows"]] == here
    assert faults(finished) == []


def test_a_cluster_without_dask_installed_is_told_what_to_install(project, monkeypatch):
    monkeypatch.setattr(sweep.importlib.util, "find_spec", lambda name: None)
    declared = studies.declared(studies.folder_of(project), "areas")
    workers = sweep.Workers(1, "tcp://127.0.0.1:1")
    with pytest.raises(sweep.BadSettings, match=r"pip install 'ffnsite\[dask\]'"):
        sweep.run(project, declared, workers, lambda computed: None)


def test_a_name_that_is_declared_nowhere_raises(tmp_path):
    with pytest.raises(BadStudy, match="一个也没有"):
        studies.declared(Path(tmp_path), "areas")
