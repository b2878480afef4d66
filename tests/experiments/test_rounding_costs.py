import pytest

from ffnsite.experiments.quantizing import Cost
from ffnsite.experiments.rounding_costs import by_scheme, mean_error


def cost(rise, error=0.1):
    return Cost(rise=rise, error=error, plain=2.0, words=100)


def test_texts_stand_side_by_side_in_the_order_of_their_names():
    asked = {"scheme": "int8_word", "where": "ffn", "first": "rounded"}
    rows = [(asked | {"source": "sympy"}, cost(2.0)), (asked | {"source": "networkx"}, cost(1.0))]
    assert by_scheme(rows) == {("int8_word", "ffn", "rounded"): [cost(1.0), cost(2.0)]}


def test_errors_of_independent_texts_add_in_squares():
    assert mean_error([cost(1.0, 0.3), cost(1.0, 0.4)]) == pytest.approx(0.25)  # 0.5 / 2
