"""The ledger of this site: every source says what it is for, and its values are those of the papers.

The right-hand sides below were copied by hand from notes on the papers, not from the ledger.
"""

import re
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from ffnsite.ledger import LONGEST_QUOTE, load

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "cited"
FILES = sorted(FOLDER.glob("*.toml"))
CHINESE = ("一", "鿿")
ARXIV = re.compile(r"\d\d(?:0[1-9]|1[0-2])\.\d{5}")

BY_HAND = {
    "vaswani2017.base_ppl": "4.92",
    "vaswani2017.narrow_bleu": "25.4",
    "vaswani2017.wide_params": "90e6",
    "vaswani2017.big_ppl": "4.33",
    "vaswani2017.thick_params": "168e6",
    "geva2021.keys": "65536",
    "geva2021.patterns_per_key": "3.6",
    "geva2021.agreement_random": "0.0004e-2",
    "shazeer2020.relu_65k": "1.997",
    "shazeer2020.relu_524k": "1.677",
    "shazeer2020.geglu_524k": "1.633",
    "shazeer2020.swiglu_65k": "1.944",
    "shazeer2020.swiglu_65k_std": "0.010",
    "shazeer2020.swiglu_524k": "1.636",
    "shazeer2020.bilinear_524k": "1.648",
    "shazeer2020.glue_reglu": "84.67",
    "shazeer2020.superglue_swiglu": "74.56",
    "meng2022.total_effect": "0.186",
    "meng2022.attention_score": "0.165",
    "meng2022.counterfact": "21919",
    "meng2022.rome_score": "89.2",
    "li2022.t5_base": "0.030",
    "li2022.t5_base_densest": "0.120",
    "bricken2023.largest_dictionary": "131072",
    "bricken2023.dead": "168",
    "templeton2024.features_34m": "33554432",
    "templeton2024.dead_34m": "0.65",
    "dettmers2022.outliers": "150000",
    "korthikanti2022.ffn": "19",
    "korthikanti2022.gpt3_quadratic": "80",
    "chowdhery2022.width_540b": "18432",
    "brown2020.width": "12288",
    "grattafiori2024.ffn_405b": "53248",
    "jiang2023.d_ff": "14336",
    "mistralai2023.active": "12.9e9",
    "fedus2021.params": "1571e9",
    "deepseek2024.active": "37e9",
    "qwen2024.kv_heads_7b": "4",
    "everest2020.height": "8848.86",
}
RANGES_BY_HAND = {
    "geva2021.prefixes_covered": ("0.65", "0.80"),
    "geva2021.active": ("0.10", "0.50"),
}
# (larger, smaller) and their difference, as the notes compute it or as the paper's text states it
DIFFERENCES = [
    ("shazeer2020.relu_65k", "shazeer2020.swiglu_65k", "0.053"),
    ("shazeer2020.relu_524k", "shazeer2020.swiglu_524k", "0.041"),
    ("shazeer2020.swiglu_65k", "shazeer2020.geglu_65k", "0.002"),
    ("shazeer2020.swiglu_524k", "shazeer2020.geglu_524k", "0.003"),
    ("lan2019.not_shared_768", "lan2019.all_shared_768", "2.5"),
    ("lan2019.not_shared_128", "lan2019.all_shared_128", "1.5"),
    ("lan2019.not_shared_768", "lan2019.shared_attention_768", "0.7"),
    ("lan2019.shared_attention_128", "lan2019.not_shared_128", "0.1"),
]


@pytest.fixture(scope="module")
def cited():
    return load(FOLDER, ROOT)


def value(cited, name):
    low, high = cited[name].fact.ends
    assert low == high, f"{name} is a range"
    return low


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_source_has_an_address_and_one_chinese_sentence_on_its_use(path):
    source = tomllib.loads(path.read_text(encoding="utf-8"))["source"]
    assert source["url"].startswith("https://")
    assert source["use"].endswith("。")
    assert source["use"].count("。") == 1
    assert any(CHINESE[0] <= sign <= CHINESE[1] for sign in source["use"])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_arxiv_number_has_the_form_of_one_and_is_the_address(path):
    source = tomllib.loads(path.read_text(encoding="utf-8"))["source"]
    if "arxiv" not in source:
        assert "arxiv.org" not in source["url"]
        return
    assert ARXIV.fullmatch(source["arxiv"])
    if "arxiv.org" in source["url"]:
        assert source["url"] == f"https://arxiv.org/abs/{source['arxiv']}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_quote_is_short_and_every_value_is_one_chinese_sentence(path):
    for key, row in tomllib.loads(path.read_text(encoding="utf-8")).get("values", {}).items():
        assert len(row.get("quote", "")) <= LONGEST_QUOTE, key
        assert row["means"].endswith("。"), key
        assert row["means"].count("。") == 1, key


@pytest.mark.parametrize(("name", "written"), BY_HAND.items())
def test_a_value_is_the_one_in_the_paper(cited, name, written):
    assert value(cited, name) == Fraction(written)


@pytest.mark.parametrize(("name", "ends"), RANGES_BY_HAND.items())
def test_a_range_is_the_one_in_the_paper(cited, name, ends):
    assert cited[name].fact.ends == tuple(Fraction(end) for end in ends)


@pytest.mark.parametrize(("larger", "smaller", "written"), DIFFERENCES)
def test_a_difference_named_in_the_text_follows_from_the_cells(cited, larger, smaller, written):
    assert value(cited, larger) - value(cited, smaller) == Fraction(written)


def test_shazeer_table_1_is_whole(cited):
    variants = ("relu", "gelu", "swish", "glu", "bilinear", "geglu", "swiglu", "reglu")
    wanted = {
        f"shazeer2020.{v}_{column}" for v in variants for column in ("65k", "65k_std", "524k")
    }
    assert wanted <= cited.keys()


def test_the_keys_geva_counts_are_layers_times_width(cited):
    layers = 16  # "a 16-layer transformer language model"
    assert value(cited, "geva2021.keys") == layers * value(cited, "geva2021.width")
    assert value(cited, "geva2021.keys_inspected") == layers * value(
        cited, "geva2021.keys_per_layer"
    )


def test_the_rest_of_a_layers_activations_is_the_sum_of_its_linear_terms(cited):
    parts = [
        value(cited, f"korthikanti2022.{part}") for part in ("attention_linear", "ffn", "norm")
    ]
    assert sum(parts) == value(cited, "korthikanti2022.rest")


def test_rome_total_effect_is_clean_less_corrupted_up_to_rounding(cited):
    # Appendix B.1 against section 2.2: 27.0 % - 8.47 % = 18.53 %, printed as 18.6 %.
    gap = value(cited, "meng2022.clean") - value(cited, "meng2022.corrupted")
    assert abs(gap - value(cited, "meng2022.total_effect")) < Fraction("0.001")


def test_the_largest_dictionary_is_its_expansion_times_the_neurons(cited):
    neurons, factor = (
        value(cited, "bricken2023.neurons"),
        value(cited, "bricken2023.largest_expansion"),
    )
    assert value(cited, "bricken2023.largest_dictionary") == neurons * factor
