from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dgl
import pytest
import torch

from dgl_mathtree.graphs import GraphError, add_words, forest_graph, read_words, split_roots, to_equation, to_graph
from dgl_mathtree.language import Forest, parse_equation


def graph_of(text: str, *symbols: str) -> Any:
    return to_graph(parse_equation(text), symbols)


def test_words_do_not_depend_on_the_numbering() -> None:
    for symbols in (("x", "2"), ("2", "y", "x")):
        graph = graph_of("sin(x) = 2", *symbols)
        found = read_words(graph)
        assert [found.words[k] for k in found.of_node] == ["Equality", "sin", "x", "2"]
        assert str(to_equation(graph)) == "sin(x) = 2"


def test_graphs_of_several_vocabularies_are_batched_together() -> None:
    graph = dgl.batch([graph_of("x = 1", "x", "1"), graph_of("x = 1", "1", "x")])
    assert [str(to_equation(each)) for each in dgl.unbatch(graph)] == ["x = 1", "x = 1"]
    assert split_roots(graph)[1].tolist() == [[0, 1], [2, 3]]
    assert sorted(read_words(graph).words) == ["1", "Equality", "x"]


def test_long_words_are_whole_and_all_graphs_of_a_vocabulary_have_one_width() -> None:
    number = "1234567890" * 30
    graphs = [graph_of(text, "x", number) for text in (f"x = {number}", "x = x")]
    assert [str(to_equation(each)) for each in dgl.unbatch(dgl.batch(graphs))] == [f"x = {number}", "x = x"]


def test_shared_graphs_have_words() -> None:
    graph, roots = forest_graph(Forest.of([parse_equation("x + y = y"), parse_equation("y = x")]), ["y", "x"])
    assert [str(to_equation(graph, root=int(root))) for root in roots] == ["x + y = y", "y = x"]


def without_text(graph: Any) -> None:
    del graph.ndata["text"]


def floating_text(graph: Any) -> None:
    graph.ndata["text"] = graph.ndata["text"].float()


def foreign_bytes(graph: Any) -> None:
    graph.ndata["text"][2, 0] = 255


def foreign_word(graph: Any) -> None:
    graph.ndata["text"][2, :3] = torch.tensor(list(b"abc"), dtype=torch.uint8)


def other_operator(graph: Any) -> None:
    graph.ndata["op"][1] += 1


def other_leaf(graph: Any) -> None:
    graph.ndata["symbol"][2] = graph.ndata["symbol"][4]


def one_number_for_two(graph: Any) -> None:
    graph.ndata["symbol"][4] = 7


def other_arity(graph: Any) -> None:
    graph.ndata["text"][2] = graph.ndata["text"][1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without_text, "does not say which words its numbers stand for.*add_words"),
        (floating_text, "must hold the bytes of a word for each node"),
        (foreign_bytes, "node 2 is not UTF-8"),
        (foreign_word, "node 2 is 'abc', which is not an operator, number, constant or variable"),
        (other_operator, "node 1 contradicts itself: its 'text' is 'sin', but its 'op' is"),
        (other_leaf, "contradicts itself"),
        (one_number_for_two, "contradicts itself"),
        (other_arity, "node 2 is sin and needs 1 children; it has 0"),
    ],
)
def test_graphs_that_do_not_say_what_they_mean_are_refused(change: Callable[[Any], None], message: str) -> None:
    graph = graph_of("sin(x) = 2 * x", "x", "2")
    change(graph)
    with pytest.raises(GraphError, match=message):
        read_words(graph)


def test_words_are_added_to_graphs_that_have_none() -> None:
    graph = graph_of("sin(x) = 2", "x", "2")
    del graph.ndata["text"]
    with pytest.raises(GraphError, match="does not say which words"):
        to_equation(graph)
    assert str(to_equation(graph, ["x", "2"])) == "sin(x) = 2"
    add_words(graph, ["y", "3"])
    assert str(to_equation(graph)) == "sin(y) = 3"
    with pytest.raises(GraphError, match=r"the graph says sin\(y\) = 3; by the symbols given it would be sin\(x\) = 2"):
        to_equation(graph, ["x", "2"])
    for symbols, message in ((["x"], "not in the lists given"), (["x", "y"], "its type is Integer, its symbol is y")):
        with pytest.raises(GraphError, match=message):
            add_words(graph, symbols)
    order = ["Integer", "Variable", "sin", "Equality"]
    graph.ndata["op"] = torch.tensor([3, 2, 1, 0])
    add_words(graph, ["x", "2"], order)
    del graph.ndata["op"]
    assert str(to_equation(graph)) == "sin(x) = 2"


def test_graphs_of_several_types_are_refused() -> None:
    graph = dgl.heterograph({("a", "r", "b"): ([0], [0])})
    for read in (read_words, split_roots):
        with pytest.raises(GraphError, match="one type of nodes"):
            read(graph)
