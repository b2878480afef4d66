"""The figure of phrasings on rows made by hand: kinds of pairs, what they share, where tracing peaks."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

from ffnsite.experiments.phrasing import Agreement, Asked, Ranked
from ffnsite.studies import Row
from figures import phrasing

ASKED = [
    Asked("The Louvre is in", "Louvre", " Paris"),
    Asked("The Louvre stands in", "Louvre", " Paris"),
    Asked("The Eiffel Tower is in", "Eiffel Tower", " Paris"),
    Asked("The Eiffel Tower stands in", "Eiffel Tower", " Paris"),
    Asked("Ueno is in", "Ueno", " Tokyo"),
    Asked("Ueno stands in", "Ueno", " Tokyo"),
]
# 50 channels: the first 20 are the fact's own, the next 10 the answer's, 10 the wording's, 10 all's.
OWN, ANSWERS, WORDINGS, COMMON = 20, 10, 10, 10


def top(one):
    first = {"Louvre": 0, "Eiffel Tower": 100, "Ueno": 200}[one.subject]
    answer = {" Paris": 300, " Tokyo": 400}[one.answer]
    wording = 500 if " is in" in one.prompt else 600
    starts = ((first, OWN), (answer, ANSWERS), (wording, WORDINGS), (29 * 1536, COMMON))
    return [start + at for start, count in starts for at in range(count)]


def ranked():
    count = len(ASKED)
    correlation = np.full((count, count), 0.1)
    for one, other in combinations(range(count), 2):
        if ASKED[one].subject == ASKED[other].subject:
            correlation[one, other] = correlation[other, one] = 0.7
    return Ranked(np.array([top(one) for one in ASKED]), correlation)


def traced(layer, role):
    """An effect of 0.5 at one layer of one token of the subject, and little elsewhere."""
    curves = {name: [0.01] * 30 for name in ("first", "middle", "last_subject", "subject")}
    curves[role][layer] = curves["subject"][layer] = 0.5
    return SimpleNamespace(by_role={name: tuple(curve) for name, curve in curves.items()})


def recorded(_, name):
    if name == "channels":
        asked = [{"prompt": a.prompt, "subject": a.subject, "answer": a.answer} for a in ASKED]
        result = Agreement((0.5, 0.6, 0.7, 0.8, 0.9, 0.95), ranked(), ranked())
        return [Row({"asked": asked}, result, 1.0, "")]
    if name == "aie_upper":
        return [Row({"prompt": ASKED[at].prompt}, traced(4, "middle"), 1.0, "") for at in (0, 2, 4)]
    again = [({"prompt": ASKED[at].prompt, "seed": 1}, traced(5, "middle")) for at in (0, 2, 4)]
    other = [({"prompt": ASKED[1].prompt, "seed": 0}, traced(4, "middle"))]
    other += [({"prompt": ASKED[at].prompt, "seed": 0}, traced(9, "first")) for at in (3, 5)]
    return [Row(arguments, result, 1.0, "") for arguments, result in again + other]


@pytest.fixture(scope="module")
def figure():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(phrasing, "recorded", recorded)
        return phrasing.draw()


def test_pairs_are_told_apart_by_fact_answer_and_wording():
    kinds = {(one.one, one.other): one.kind for one in phrasing._pairs_of(ASKED)}
    assert kinds[0, 1] == "same"
    assert kinds[0, 2] == kinds[0, 3] == "answer"
    assert kinds[0, 4] == kinds[3, 5] == "wording"
    assert kinds[0, 5] == "other"
    assert len(kinds) == 15


@pytest.mark.parametrize(
    ("kind", "share"),
    # two facts of the same answer are asked alike in half of their pairs
    [("same", 0.8), ("answer", (20 + 30) / 2 / 50), ("wording", 0.4), ("other", 0.2)],
)
def test_shared_channels_of_every_kind_of_pair_counted_by_hand(figure, kind, share):
    assert figure.facts[f"shared_last_{kind}"].value == pytest.approx(share)


def test_channels_of_all_phrasings_and_their_layers(figure):
    assert figure.facts["core_last"].value == 40
    assert figure.facts["top_last"].value == pytest.approx(0.2)
    assert figure.facts["bottom_subject"].value == pytest.approx(0.8)


def test_facts_whose_phrasings_begin_alike_are_counted(figure):
    assert figure.facts["begun_alike"].value == 3
    other = [*ASKED, Asked("Today the Louvre is in", "Louvre", " Paris")]
    assert phrasing._begun_alike(other) == 2


def test_correlations_are_those_of_the_record(figure):
    assert figure.facts["rho_subject_same"].value == pytest.approx(0.7)
    assert figure.facts["rho_subject_other"].value == pytest.approx(0.1)


def test_a_moved_peak_is_told_from_the_noise(figure):
    facts = figure.facts
    assert facts["peak_moved"].value == pytest.approx((0 + 5 + 5) / 3)
    assert facts["peak_moved"].spread == (2.5, 5)
    assert facts["peak_moved_noise"].value == 1
    assert (facts["role_kept"].value, facts["role_asked"].value) == (1, 3)
    assert facts["role_kept_noise"].value == facts["several"].value == 3
    assert facts["curve_apart"].value == pytest.approx(1)


def test_the_bars_show_the_facts(figure):
    last, subject = figure.chart.data
    assert last.x == (0.8, 0.5, 0.4, 0.2)
    assert subject.name == "在主语末词"
    assert [*figure.charts] == ["共有的通道", "排名的相关", "追踪的峰"]
    first, again, others = figure.variants["追踪的峰"].data
    assert first.x == (4, 4, 4)
    assert again.x == (5, 5, 5)
    assert others.x == (4, 9, 9)
