import itertools

import pytest

from ffnsite.errors import BadExperiment
from ffnsite.experiments.corpus import is_prose, paragraphs, rows


@pytest.mark.parametrize(
    "line",
    [
        "A graph is connected when a path leads from every one of its nodes to every other.",
        "Does the order matter? It does not, as long as every edge is visited exactly once.",
    ],
)
def test_a_paragraph_of_sentences_is_prose(line):
    assert is_prose(line)


@pytest.mark.parametrize(
    "line",
    [
        ">>> G = nx.path_graph(4) and then we go on with some more words until it ends here.",
        "Too short to count.",
        "nodes : list of the nodes that are to be visited before all others in this walk.",
        "The flag `directed` says whether the walk may go along an edge in both directions too.",
        "Returns ------- tree : the spanning tree that has the least total weight of all of them.",
        "A line with enough words that has neither a full stop nor any other end of sentence",
    ],
)
def test_code_markup_and_fragments_are_no_prose(line):
    assert not is_prose(line)


@pytest.mark.parametrize("source", ["networkx", "sympy"])
def test_a_source_gives_twenty_thousand_tokens_and_each_paragraph_once(source):
    found = list(itertools.islice(paragraphs(source), 900))
    assert len(set(found)) == len(found)
    assert rows(source, 80, 256).shape == (80, 256)


def test_rows_follow_one_another_in_the_text():
    wide, narrow = rows("networkx", 2, 64), rows("networkx", 4, 32)
    assert wide.flatten().tolist() == narrow.flatten().tolist()


def test_more_than_there_is_says_how_much_there_is():
    with pytest.raises(BadExperiment, match=r"networkx 的文档里只有 \d+ 个词元，要 10000 行"):
        rows("networkx", 10_000, 1_000)
