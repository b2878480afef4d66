"""The table of classes and the project's own names."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis.strategies import data, sampled_from, text

from ffnsite.errors import BadSettings
from ffnsite.prose import labels, wordlike
from ffnsite.prose.exempt import EXEMPTIONS, names_of
from ffnsite.prose.loose import find_loose

ROOT = Path(__file__).parents[2]
ARTICLES = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
PHRASES = (ROOT / "tests/quantity/phrases_by_hand.txt").read_text(encoding="utf-8")
CLASSES = {
    "identifier": labels.IDENTIFIER,
    "date": labels.DATE,
    "version": labels.VERSION,
    "reference": labels.REFERENCE,
    "list": labels.LIST,
    "shape": labels.SHAPE,
    "index": labels.INDEX,
    "name": labels.NAME,
    "idiom": wordlike.IDIOM,
    "small_count": wordlike.SMALL_COUNT,
}


def loose_with(names: list[str], text: str) -> list[tuple[str, str | None]]:
    return [(found.text, found.exemption) for found in find_loose(text, names_of(names))]


def test_the_table_is_closed_and_every_class_says_why_in_one_chinese_sentence() -> None:
    assert {exemption.name for exemption in EXEMPTIONS} == CLASSES.keys()
    assert len(EXEMPTIONS) == len(CLASSES)
    for exemption in EXEMPTIONS:
        assert exemption.reason.endswith("。")
        assert exemption.reason.count("。") == 1
        assert "\u4e00" <= exemption.label[0] <= "\u9fff"


def test_a_name_of_the_project_excuses_its_digits() -> None:
    assert loose_with([], "悟道 2.0 很大") == [("2.0", None)]
    assert loose_with(["悟道 2.0"], "悟道 2.0 很大") == [("2.0", "name")]


def test_the_longest_name_wins() -> None:
    names = ["盘古", "盘古 3", "盘古 3 38"]
    assert loose_with(names, "盘古 3 38 发布") == [("3", "name"), ("38", "name")]


def test_a_name_does_not_swallow_the_quantity_behind_it() -> None:
    assert loose_with(["LLaMA-7B"], "LLaMA-7B 有 67 亿") == [("7B", "name"), ("67 亿", None)]
    assert loose_with(["悟道 2"], "悟道 2.5 倍") == [("2.5 倍", None)]
    assert loose_with(["悟道 2"], "悟道 27 层") == [("27 层", None)]
    assert loose_with(["悟道 2"], "悟道 2%") == [("2%", None)]


def test_a_name_inside_a_latin_word_is_not_that_name() -> None:
    assert loose_with(["X 9"], "MAX 9 层") == [("9 层", None)]


def test_signs_of_regular_expressions_in_a_name_are_plain_characters() -> None:
    assert loose_with(["悟.(2)"], "悟.(2) 与悟道(2) 层") == [("2", "name"), ("2", None)]


def test_no_names_is_no_error() -> None:
    assert names_of([]).pattern is None


@pytest.mark.parametrize("wrong", ["", "  ", 3, None, ["GPT-2"]])
def test_a_name_that_is_no_text_is_refused_with_its_place(wrong: object) -> None:
    with pytest.raises(BadSettings) as error:
        names_of(["GPT-2", wrong])
    message = str(error.value)
    assert "names 的第 2 项" in message
    assert repr(wrong) in message
    assert "请写成" in message


@pytest.mark.parametrize("exemption", EXEMPTIONS, ids=lambda exemption: exemption.name)
def test_what_a_class_begins_with_keeps_none_of_its_matches_out(exemption):
    whole = re.compile(CLASSES[exemption.name])
    for page in [*ARTICLES, PHRASES]:
        found = [match.span() for match in exemption.pattern.finditer(page)]
        assert found == [match.span() for match in whole.finditer(page)]


@settings(max_examples=300)
@given(data())
def test_no_text_of_its_own_characters_is_kept_out_of_a_class(chosen):
    exemption = chosen.draw(sampled_from(EXEMPTIONS))
    raw = CLASSES[exemption.name]
    written = chosen.draw(text(sampled_from(sorted(set(raw) | set("0123 一二第年"))), max_size=12))
    found = [match.span() for match in exemption.pattern.finditer(written)]
    assert found == [match.span() for match in re.finditer(raw, written)]
