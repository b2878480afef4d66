"""Cited values: what a ledger file must say, and that its evidence holds the value."""

from fractions import Fraction

import pytest

from ffnsite import ledger
from ffnsite.errors import BadLedger

SOURCE = '[source]\ntitle = "T"\nauthors = "A"\nyear = 2020\nurl = "https://example.org"\n'


def load(tmp_path, text, source=SOURCE):
    (tmp_path / "a2020.toml").write_text(source + text, encoding="utf-8")
    return ledger.load(tmp_path, tmp_path)


def value(body):
    return f'[values.x]\nunit = "number"\nmeans = "数"\n{body}\n'


CELL = 'table = "Table 1"\nrow = "SwiGLU"\ncolumn = "65,536 steps"\n'


def test_a_cell_gives_the_value_its_digits_and_its_place(tmp_path):
    cited = load(tmp_path, value(f'value = 1.944\n{CELL}cell = "1.944"'))["a2020.x"]
    assert cited.fact.ends == (Fraction(1944, 1000),) * 2
    assert cited.fact.digits == 4
    assert cited.locator == "Table 1，SwiGLU 行，65,536 steps 列：1.944"
    assert cited.where == "a2020.toml:6"


def test_a_trailing_zero_after_the_point_is_a_digit(tmp_path):
    cited = load(tmp_path, value(f'value = 3.0\n{CELL}cell = "3.0"'))["a2020.x"]
    assert cited.fact.digits == 2


@pytest.mark.parametrize(
    ("number", "quote"),
    [
        ("0.087", "peaks at 8.7% there"),
        ("65536", "from 65,536 keys"),
        ("46700000000", "has 46.7B in all"),
        ("-0.28", "of −0.28 points"),
        ("110000000", "110M parameters"),
    ],
)
def test_a_quote_holds_its_value_in_its_own_writing(tmp_path, number, quote):
    assert "a2020.x" in load(tmp_path, value(f'value = {number}\nquote = "{quote}"'))


def test_a_column_in_millions_needs_a_scale(tmp_path):
    body = f'value = 65000000\n{CELL}cell = "65"\n'
    with pytest.raises(BadLedger, match="scale"):
        load(tmp_path, value(body))
    assert "a2020.x" in load(tmp_path, value(body + "scale = 1e6"))


def test_both_ends_of_a_range_must_be_printed(tmp_path):
    assert "a2020.x" in load(tmp_path, value('low = 0.65\nhigh = 0.8\nquote = "65%-80% of them"'))
    with pytest.raises(BadLedger, match=r"0\.9"):
        load(tmp_path, value('low = 0.65\nhigh = 0.9\nquote = "65%-80% of them"'))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (value('value = 3\nquote = "of 4 things"'), "没有 3"),
        (value("value = 3"), "要么给 quote"),
        (value(f'value = 3\nquote = "3"\n{CELL}cell = "3"'), "要么给 quote"),
        (value(f'value = 3\nquote = "{"3 " * 150}"'), "最多 200"),
        (value('quote = "3"'), "value"),
        (value('value = 3\nlow = 2\nhigh = 4\nquote = "2 3 4"'), "value"),
        (value('low = 2\nquote = "2"'), "low 和 high"),
        (value('value = "many"\nquote = "many"'), "不是数"),
        ('[values.X]\nunit = "number"\nmeans = "数"\nvalue = 3\nquote = "3"\n', "a-z0-9_"),
        ('[values.x]\nunit = "apples"\nmeans = "数"\nvalue = 3\nquote = "3"\n', "apples"),
        ('[values.x]\nunit = "number"\nvalue = 3\nquote = "3"\n', "means"),
        (value('value = 3\nquote = "3"\npage = 4'), "page"),
        ("[values.x\n", "读不了"),
    ],
)
def test_what_is_wrong_with_a_ledger_is_said_with_its_file(tmp_path, text, said):
    with pytest.raises(BadLedger, match=rf"a2020\.toml.*{said}"):
        load(tmp_path, text)


def test_all_faults_of_all_files_come_at_once(tmp_path):
    (tmp_path / "b2021.toml").write_text(SOURCE + value("value = 1"), encoding="utf-8")
    with pytest.raises(BadLedger) as caught:
        load(tmp_path, value("value = 2"))
    assert "a2020.toml" in str(caught.value)
    assert "b2021.toml" in str(caught.value)


def test_a_number_inside_a_longer_number_is_not_printed():
    assert Fraction(3) not in ledger.numbers("13 heads, 3.5 times, a3b")
