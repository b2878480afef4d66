"""Quoted numbers survive other thread counts and other noise: the quickest measurements, made again.

Of the measurements that run the pretrained model and whose figures are quoted, the five quickest are
made once more in other circumstances. Their figures are rebuilt from what comes out, and every quote
is judged against the new facts. The quickest that draw noise are tried with another seed, too.
"""

import importlib
import inspect
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import pytest
import torch

from ffnsite.cache import Cache
from ffnsite.figure import read_fact, write_fact
from ffnsite.measurement import KIND, Request, Unmeasured, desk, find
from ffnsite.prose.judge import judge
from ffnsite.site.reading import check
from ffnsite.site.settings import load, project_of

ROOT = Path(__file__).parent.parent
MODEL = "ffnsite/models/smollm2.py"
QUICKEST = 5
NOISY = 2  # so many of those that draw noise
OTHER_NOISE = 1000


@dataclass(frozen=True)
class Made:
    """A kept measurement, the seconds it took, and the quoted figures that use it."""

    name: str
    seconds: float
    figures: tuple[str, ...]


@pytest.fixture(scope="module")
def site():
    config, settings = load(ROOT / "mkdocs.yml")
    report = check(config, settings, ())
    return project_of(config, settings), [
        q for q in report.quotes if q.kind == "fact" and q.verdict.right
    ]


@pytest.fixture(scope="module")
def running_the_model(site):
    """Quickest first."""
    project, quotes = site
    store = Cache(project.cache)
    users: dict[str, list[str]] = {}
    for figure in sorted({quote.name.partition(".")[0] for quote in quotes}):
        for use in store.load("figures", figure).uses:
            users.setdefault(use, []).append(figure)
    kept = {name: store.load(KIND, name) for name in users}
    made = [
        Made(name, entry.seconds, tuple(users[name]))
        for name, entry in kept.items()
        if MODEL in entry.recipe.files
    ]
    return sorted(made, key=lambda one: one.seconds)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("measured")


@pytest.fixture
def copied(site, folder, monkeypatch):
    """A copy of all that is measured, where a result may be exchanged; what a test adds stays."""
    project, _ = site
    shutil.copytree(project.cache / KIND, folder / KIND, dirs_exist_ok=True)
    monkeypatch.setattr(desk, "cache", Cache(folder))
    monkeypatch.setattr(desk, "figures", project.figures)
    monkeypatch.setattr(desk, "asking", True)  # what is missing is told, not measured
    return desk.cache


@pytest.fixture(autouse=True)
def threads():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def facts_of(figure):
    drawn = importlib.import_module(f"figures.{figure}").draw()
    return {key: read_fact(write_fact(fact)) for key, fact in drawn.facts.items()}


def asked_for(made: Made, store: Cache) -> Request:
    """The request behind the kept result: what the figure asks for when it is gone."""
    store.remove(KIND, made.name)
    with pytest.raises(Unmeasured) as told:
        facts_of(made.figures[0])
    (request,) = told.value.requests
    assert request.name == made.name
    return request


def exchange(request: Request, store: Cache, **changes) -> None:
    """Measures anew, with these arguments changed, and keeps it in the place of the request."""
    arguments = msgspec.json.decode(request.arguments) | changes
    changed = replace(request, arguments=msgspec.json.encode(arguments).decode())
    desk.asking = False  # a measurement may make others
    entry = find(request.function).entry(changed)
    desk.asking = True
    store.keep(KIND, request.name, entry)


def wrong_now(made: Made, quotes) -> list[str]:
    """The quotes that the rebuilt figures no longer bear out."""
    found = []
    for figure in made.figures:
        facts = facts_of(figure)
        bound = [quote for quote in quotes if quote.name.partition(".")[0] == figure]
        assert bound
        for quote in bound:
            judged = judge(quote.text, facts[quote.name.partition(".")[2]])
            if not judged.verdict.right:
                found.append(f"{quote.place} {quote.text}: {judged.verdict.value} {judged.reason}")
    return found


def draws_noise(made: Made) -> bool:
    """Whether the function takes a seed; its name stands before the hash of the arguments."""
    function = f"ffnsite.experiments.{made.name.rpartition('-')[0]}"
    return "seed" in inspect.signature(find(function).__wrapped__).parameters


@pytest.mark.xdist_group("smollm2")
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("rank", range(QUICKEST))
def test_quotes_survive_another_number_of_threads(site, running_the_model, copied, rank, count):
    made = running_the_model[rank]
    request = asked_for(made, copied)
    torch.set_num_threads(count)
    exchange(request, copied)
    assert wrong_now(made, site[1]) == []


@pytest.mark.xdist_group("smollm2")
@pytest.mark.parametrize("rank", range(NOISY))
def test_quotes_survive_another_draw_of_noise(site, running_the_model, copied, rank):
    made = list(filter(draws_noise, running_the_model))[rank]
    before = {figure: facts_of(figure) for figure in made.figures}
    request = asked_for(made, copied)
    seed = msgspec.json.decode(request.arguments)["seed"]
    exchange(request, copied, seed=seed + OTHER_NOISE)
    assert {figure: facts_of(figure) for figure in made.figures} != before
    assert wrong_now(made, site[1]) == []
