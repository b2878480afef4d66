"""The figure of edits on rows made by hand: scores, spreads, correlations and explained variance."""

import tomllib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ffnsite.experiments.editing import Answer, Edit
from ffnsite.studies import Row
from figures import editing
from figures.editing import LAYERS, SUBJECT

OTHERS = ("Colosseum", "Greece")


def answer(prompt, old, new):
    return Answer(prompt, old, new, (" a", " b"))


def made_by_hand(kept, at):
    """An edit that goes nearly all the way, whose neighbours keep this share of the old answer."""
    prompts, less = [*editing.LABELS], at / 10_000
    return Edit(
        size=0.1 + kept / 10,
        moved=2.0,
        asked=answer(prompts[0], (0.8, 0.1), (0.0, 0.9 - less)),
        paraphrases=tuple(answer(each, (0.8, 0.3), (0.0, 0.6 - less)) for each in prompts[1:4]),
        neighbours=tuple(answer(each, (0.5, kept / 2), (0.0, 0.21)) for each in prompts[4:]),
    )


def edit_rows():
    """The neighbours are kept less and less with the layer, in steps; others by half as much."""
    return [
        Row({"subject": who, "layer": layer}, made_by_hand((1 - at / 10) * part, at), 1.0, "")
        for who, part in zip((SUBJECT, *OTHERS), (1.0, 0.5, 0.5), strict=True)
        for at, layer in enumerate(LAYERS)
    ]


def effect_rows():
    """Two seeds for every fact: an effect that falls with the layer, and one other site and window."""
    falling = tuple(np.linspace(0.6, 0.0, 30).tolist())
    rows = []
    for who in (SUBJECT, *OTHERS, "gold"):
        for site in ("ffn", "hidden"):
            for seed, lift in ((0, 0.1), (1, -0.1)):
                curve = tuple(value + lift * value for value in falling)
                rows.append(({"subject": who, "site": site, "seed": seed}, curve))
        rows.append(({"subject": who, "site": "ffn", "seed": 0, "window": 1}, (9.0,) * 30))
    return [
        Row(arguments, SimpleNamespace(by_role={"last_subject": curve}), 1.0, "")
        for arguments, curve in rows
    ]


@pytest.fixture(scope="module")
def figure():
    def recorded(_, name):
        return edit_rows() if name == "editing" else effect_rows()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(editing, "recorded", recorded)
        return editing.draw()


def test_the_lines_are_means_over_facts_in_percent(figure):
    edited, paraphrased, kept, traced = figure.chart.data
    assert edited.y == pytest.approx([90] * 10, abs=0.11)
    assert paraphrased.y == pytest.approx([60] * 10, abs=0.11)
    assert kept.y[0] == pytest.approx(100 * (1 + 0.5 + 0.5) / 3, abs=0.1)
    assert traced.y[0] == pytest.approx(60)
    assert traced.x == LAYERS


def test_a_score_at_a_layer_spreads_over_leaving_one_fact_out(figure):
    fact = figure.facts["kept_0"]
    assert fact.value == pytest.approx(2 / 3)
    assert fact.spread == (pytest.approx(0.5), pytest.approx(0.75))


def test_neighbours_stay_where_the_old_answer_is_still_ahead(figure):
    assert figure.facts["turned_all"].value == 1
    # new is 0.21: one fact stays ahead at 6 of 10 layers (0.5 … 0.25), the others at 2 (0.25, 0.225)
    assert figure.facts["stayed_all"].value == pytest.approx((6 + 2 + 2) / 30)


def test_edits_that_fail_are_counted_and_here_there_are_none(figure):
    assert figure.facts["failed"].value == figure.facts["failed_top"].value == 0
    assert figure.facts["top_layer"].value == 27


def test_a_score_that_falls_as_the_effect_does_correlates_fully(figure):
    rho = figure.facts["rho_ffn_kept"]
    assert rho.value == pytest.approx(1)
    assert figure.facts["positive_ffn_kept"].value == 3
    assert figure.facts["interval_hidden_kept"].value == (pytest.approx(1), pytest.approx(1))


def test_the_layer_explains_what_is_the_same_for_all_facts(figure):
    assert figure.facts["explained_kept_layer"].value > figure.facts["explained_kept_gain"].value
    assert figure.facts["explained_kept_gain"].value == pytest.approx(0, abs=1e-9)


def test_the_best_layer_and_the_peak_of_tracing_are_compared(figure):
    assert figure.facts["kept_best"].value == 0
    assert figure.facts["same_peak"].value == 3
    assert figure.facts["dark"].value == 0


def test_the_close_view_shows_every_prompt_before_and_after(figure):
    before, after, *_ = figure.variants["改在第 3 层"].data
    assert (before.name, after.name) == ("Paris 改前", "Paris 改后")
    assert before.x[0] == 80
    assert after.x[0] == 10
    assert figure.facts["low_eiffel_old_after"].value == pytest.approx(0.45)
    assert figure.facts["low_paraphrases"].value == (pytest.approx(0.5999),) * 2


def test_the_prompts_shown_are_those_of_the_declared_study():
    declared = Path(editing.__file__).parent / "studies" / "editing.toml"
    rows = tomllib.loads(declared.read_text(encoding="utf-8"))["rows"]
    shown = next(row for row in rows if row["subject"] == SUBJECT)
    assert [*editing.LABELS] == [shown["prompt"], *shown["paraphrases"], *shown["neighbours"]]
