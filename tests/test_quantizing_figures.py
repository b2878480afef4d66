"""Figures of chapters 10 and 11 on numbers made by hand: pairing of texts, spreads, what is drawn."""

import numpy as np
import pytest

from ffnsite.experiments.floats import Asked
from ffnsite.experiments.outliers import EDGES, KEPT, PLACES, Outliers
from ffnsite.experiments.quantizing import Cost
from ffnsite.experiments.rounding_errors import COMPARED, Errors
from ffnsite.experiments.sparsity import CUTS, Cut, Sparsity
from ffnsite.studies import Row
from figures import (
    float_formats,
    kurtosis,
    outlier_channels,
    quantizing,
    rounding_errors,
    smoothquant,
    sparsity,
)

LAYERS = 30


def costs(rises: dict[tuple[str, str, str], tuple[float, float]]) -> list[Row[Cost]]:
    """Rows of the study, the second text before the first, as a file may hold them."""
    return [
        Row(
            {"scheme": scheme, "where": where, "first": first, "source": source},
            Cost(both[text], 0.03, 3.0, 2040),
            1.0,
            "",
        )
        for (scheme, where, first), both in rises.items()
        for text, source in ((1, "sympy"), (0, "networkx"))
    ]


def every(default: tuple[float, float], schemes: list[str]) -> dict:
    places = (*quantizing.PARTS, *quantizing.SITES)
    return {
        (scheme, where, first): default
        for scheme in schemes
        for where in places
        for first in ("rounded", "exact")
    }


@pytest.fixture
def drawn(monkeypatch):
    rises = every((0.25, 0.5), [scheme for scheme, _, _ in quantizing.SCHEMES.values()])
    rises |= every((0.0, 0.0), list(quantizing.OTHERS))
    rises["int8_tensor", "ffn", "rounded"] = (0.6, 0.8)
    rises["int8_tensor", "attention", "rounded"] = (0.03, 0.02)
    monkeypatch.setattr(quantizing, "recorded", lambda *_: costs(rises))
    return quantizing.draw()


def test_texts_are_compared_each_with_itself(drawn):
    ratio = drawn.facts["ffn_over_attention"]
    assert ratio.spread == (pytest.approx(20), pytest.approx(40))
    assert ratio.value == pytest.approx(30)
    assert drawn.facts["tensor_ffn"].spread == (0.6, 0.8)


def test_bars_of_uncertainty_are_two_standard_errors_of_the_mean_of_two_texts(drawn):
    attention, ffn, both = drawn.chart.data
    assert ffn.y[0] == pytest.approx(0.7)
    assert ffn.error_y.array[0] == pytest.approx(2 * np.hypot(0.03, 0.03) / 2, abs=1e-4)
    assert (attention.name, both.name) == ("只动 attention", "都动")


def test_the_ffn_holds_three_quarters_of_a_block_s_linear_weights(drawn):
    # 3 · 576 · 1536 against 2 · 576 · 64 · (9 + 3)
    assert drawn.facts["ffn_weights"].value == pytest.approx(2_654_208 / (2_654_208 + 884_736))


def test_smoothing_is_set_against_no_smoothing_text_by_text(monkeypatch):
    schemes = ["int8_tensor", "smooth_word_050"]
    schemes += [f"smooth_{alpha}" for alpha in smoothquant.ALPHAS]
    rises = every((0.3, 0.4), schemes)
    rises["smooth_050", "all", "exact"] = (0.1, 0.05)
    monkeypatch.setattr(smoothquant, "recorded", lambda *_: costs(rises))
    figure = smoothquant.draw()
    assert figure.facts["better_exact"].spread == (pytest.approx(3), pytest.approx(8))
    assert figure.facts["better_rounded"].value == pytest.approx(1)
    curve, flat = figure.chart.data[:2]
    assert curve.x == (0, 0.25, 0.5, 0.75, 1)
    assert curve.y[2] == pytest.approx(0.075)
    assert set(flat.y) == {0.35}


def outliers_of(layer: int, channel: int = 7) -> Outliers:
    bins = len(EDGES) - 1
    frequency = np.linspace(0.9, 0.1, KEPT)
    first = 20_000.0 if 12 <= layer < 29 else 50.0
    return Outliers(
        words=100,
        kurtosis=(4.0, 10.0 + layer, 90.0),
        shared=0.4,
        chance=0.02,
        frequency=frequency,
        channels=np.arange(channel, channel + KEPT),
        first=(first - 5, first),
        first_channel=3,
        later=100.0 + layer,
        typical=20.0,
        histogram=np.full(bins, 1 / bins),
    )


FOUND = [
    {place: tuple(outliers_of(layer) for layer in range(LAYERS)) for place in PLACES}
    for _ in range(2)
]


class Kept:
    """A measurement whose results are there."""

    def __init__(self, results: list) -> None:
        self.results = results

    def together(self, calls) -> list:
        assert len(list(calls)) == len(self.results)
        return self.results


def test_the_massive_activation_is_found_where_the_stream_jumps_and_falls(monkeypatch):
    monkeypatch.setattr(float_formats, "outliers", Kept(FOUND))
    need = Asked({"bf16": 1e-3, "fp16": 1e-4}, squares_overflow=0.5, first_overflows=1.0)
    monkeypatch.setattr(float_formats, "asked", Kept([(need,) * LAYERS] * 2))
    facts = float_formats.draw().facts
    assert facts["birth_layer"].value == 11
    assert facts["birth_seen"].value == 12
    assert facts["death_layer"].value == 28
    assert facts["first_after"].spread == (19_995, 20_000)
    assert facts["headroom"].value == pytest.approx(65_504 / 20_000)
    assert facts["later_headroom"].value == pytest.approx(65_504 / 129)
    assert facts["bf16_spacing"].value == 128  # 2 ** 14 <= 20,000 < 2 ** 15, 7 bits
    assert facts["fp16_spacing"].value == 16
    assert facts["first_squares_layers"].value == LAYERS


def test_channels_are_counted_by_rank_and_overlap_against_chance(monkeypatch):
    monkeypatch.setattr(outlier_channels, "outliers", Kept(FOUND))
    figure = outlier_channels.draw()
    assert figure.facts["shared_stream"].value == pytest.approx(0.4)
    assert figure.facts["times_chance_stream"].value == pytest.approx(20)
    assert figure.facts["majority_stream"].value == 10  # shares 0.9 down to 0.1, half above 0.5
    assert figure.facts["channel"].value == 7
    assert figure.facts["channel_layers_stream"].value == LAYERS
    assert figure.facts["hidden_without_favourite"].value == 0
    assert figure.chart.data[0].z[0][0] == 90


def test_kurtosis_is_that_of_the_median_word(monkeypatch):
    monkeypatch.setattr(kurtosis, "outliers", Kept(FOUND))
    figure = kurtosis.draw()
    assert figure.facts["stream"].value == pytest.approx(10 + 14.5)
    assert figure.facts["hidden_most"].value == 39
    assert figure.facts["ffn_middle"].value == pytest.approx(24.5)
    # 12 of the 24 bins of each side lie beyond six deviations
    assert figure.facts["stream_far"].value == pytest.approx(0.5)


def test_errors_by_layer_and_lost_layers_are_counted(monkeypatch):
    rising = np.linspace(0, 1, LAYERS)
    one = Errors(dict.fromkeys(COMPARED, rising), rising * 10, rising / 2)
    found = [{first: dict.fromkeys(rounding_errors.SITES, one) for first in ("rounded", "exact")}]
    monkeypatch.setattr(rounding_errors, "errors", Kept(found * 2))
    facts = rounding_errors.draw().facts
    assert facts["int8_tensor_down_rounded"].value == pytest.approx(0.5)
    assert facts["lost_down_rounded"].value == 15
    assert facts["levels_down_exact"].value == pytest.approx(5)
    assert facts["silent_output_exact"].value == pytest.approx(0.25)


def test_sparsity_is_averaged_over_layers_and_savings_follow_from_it(monkeypatch):
    layers = tuple(
        Sparsity(100, int(at == 3), (0.3, 0.8 + at / 1000), (0.5, 0.9), 0.6, (-9.0, 9.0), 0.1)
        for at in range(LAYERS)
    )
    monkeypatch.setattr(sparsity, "sparsity", Kept([layers] * 2))
    cut = {str(share): Cut(0.3, 0.1, 0.01) for share in CUTS}
    worse = {str(share): Cut(0.6, 0.3, 0.01) for share in CUTS}
    monkeypatch.setattr(sparsity, "cuts", Kept([cut, worse]))
    facts = sparsity.draw().facts
    assert facts["small_10_all"].value == pytest.approx(0.8145)
    assert facts["small_10_most_layer"].value == 29
    assert facts["zeros"].value == 2
    assert facts["skipped_10"].spread == (0.3, 0.6)
    assert facts["after_10"].value == pytest.approx(0.15)  # a third of what is skipped
    assert facts["before_10"].value == pytest.approx(0.45)
