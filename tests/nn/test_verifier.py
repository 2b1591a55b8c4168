from __future__ import annotations

from itertools import islice

import dgl
import numpy as np
import pytest
import torch

from dgl_mathtree.data.data_files import read_card, read_rows
from dgl_mathtree.graphs import GraphError, batch_graph, to_graph
from dgl_mathtree.graphs.node_words import word_rows
from dgl_mathtree.language import Forest, VocabularyError, parse_equation
from dgl_mathtree.language.vocabulary import OPERATORS
from dgl_mathtree.nn import MODELS, EquationVerifier, TreeEncoder, TreeLSTM, make_cell, make_model, make_verifier

SYMBOLS = read_card("paper")["symbols"]
EQUATIONS = [row.parsed() for part in ("train", "test") for row in islice(read_rows("paper", part), 12)]
EQUATIONS += [parse_equation(text) for text in ("x = x", "x = y", "sin(x) + sin(x) = sin(x)*2", "1 = 2")]
FOREST = Forest.of(EQUATIONS)
TREES = [name for name, model in MODELS.items() if model.is_cell]


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if not model.is_baseline])
def test_logits_of_a_batch_are_those_of_its_equations_alone(name: str) -> None:
    torch.manual_seed(0)
    verifier = make_verifier(name, 6, SYMBOLS).double()
    together = verifier(batch_graph(FOREST, range(len(EQUATIONS))))
    alone = [verifier(batch_graph(FOREST, [k], share=False)) for k in range(len(EQUATIONS))]
    torch.testing.assert_close(together, torch.cat(alone))
    together.sum().backward()
    assert all(p.grad is not None for p in verifier.parameters())


@pytest.mark.parametrize("name", TREES)
def test_drivers_sharing_and_single_graphs_agree(name: str) -> None:
    torch.manual_seed(0)
    verifier = make_verifier(name, 6, SYMBOLS).double()
    results = {}
    for driver in ("levels", "dgl"):
        verifier.driver = driver
        for share in (True, False):
            verifier.zero_grad()
            logits = verifier(batch_graph(FOREST, range(len(EQUATIONS)), share))
            torch.nn.functional.softplus(logits).sum().backward()
            results[driver, share] = logits.detach(), [p.grad.clone() for p in verifier.parameters()]
        results[driver, "graphs"] = (
            verifier.of_graph(dgl.batch([to_graph(equation, SYMBOLS) for equation in EQUATIONS])).detach(),
            results[driver, True][1],
        )
    first, *others = results.values()
    for logits, found in others:
        torch.testing.assert_close(logits, first[0])
        for a, b in zip(found, first[1], strict=True):
            torch.testing.assert_close(a, b)


def test_cells_take_batches_and_their_graphs() -> None:
    cell = make_cell("tree-lstm", 4)
    batch = batch_graph(FOREST, [0, 1, 2])
    feat = torch.randn(batch.num_nodes(), 4)
    torch.testing.assert_close(cell(batch, feat), cell(batch.graph, feat))


@pytest.mark.parametrize("share", [True, False])
def test_wrong_batches(share: bool) -> None:
    for empty in ([], np.zeros(0, dtype=np.int64)):
        with pytest.raises(GraphError, match="at least one equation"):
            batch_graph(FOREST, empty, share)
    batch = batch_graph(FOREST, np.array([0, 12], dtype=np.int32), share)
    for driver in ("levels", "dgl"):
        cell = TreeLSTM(4, types=len(OPERATORS), children=1)
        cell.driver = driver
        with pytest.raises(GraphError, match="2 children"):
            EquationVerifier(TreeEncoder(cell, SYMBOLS))(batch)
    with pytest.raises(ValueError, match=f"too few for {len(OPERATORS)} operators"):
        TreeEncoder(TreeLSTM(4, types=3), SYMBOLS)


def test_graphs_with_short_ids() -> None:
    verifier = make_verifier("tree-lstm", 4, SYMBOLS)
    graph = dgl.batch([to_graph(equation) for equation in EQUATIONS])
    torch.testing.assert_close(verifier.of_graph(graph.int()), verifier.of_graph(graph))
    one_sided = dgl.graph(([1], [0]))
    one_sided.ndata["op"], one_sided.edata["pos"] = graph.ndata["op"][:2], torch.zeros(1, dtype=torch.long)
    with pytest.raises(GraphError, match="two sides"):
        verifier.of_graph(one_sided)


@pytest.mark.parametrize("leaves", ["table", "open"])
def test_graphs_with_a_cycle_or_shared_beyond_measure_are_refused(leaves: str) -> None:
    verifier = make_verifier("tree-lstm", 4, SYMBOLS, leaves=leaves)
    loop = to_graph(parse_equation("sin(sin(x)) = x"))
    edges = loop.edges()
    edges[0][edges[0] == 3] = 1  # the inner sine is the argument of the outer one, and the other way round
    looped = dgl.graph(edges, num_nodes=5)
    looped.ndata["text"], looped.edata["pos"] = loop.ndata["text"], loop.edata["pos"]
    with pytest.raises(GraphError, match="cycle"):
        verifier.of_graph(looped)
    deep = dgl.graph(
        ([1, 1, *(k for k in range(2, 42) for _ in "lr")], [0, 0, *(k for k in range(1, 41) for _ in "lr")])
    )
    words = ["Equality", *["Add"] * 40, "x"]
    deep.ndata["text"], deep.edata["pos"] = word_rows(words, [-1] * 41 + [14], 16), torch.arange(82) % 2
    if leaves == "table":
        assert verifier.of_graph(deep).shape == (1,)
    else:
        with pytest.raises(GraphError, match="more than 1,000,000 nodes"):
            verifier.of_graph(deep)


def test_words_outside_the_vocabulary() -> None:
    verifier = make_verifier("tree-lstm", 4, ["x", "1"])
    forest = Forest.of([parse_equation("x = 1"), parse_equation("x = 7")])
    assert verifier(batch_graph(forest, [0])).shape == (1,)
    with pytest.raises(VocabularyError, match="7 is not in the vocabulary: the leaves x, 1 and"):
        verifier(batch_graph(forest, [1]))


def test_names_and_options() -> None:
    assert make_cell("tree-smu-no-op-normalize", 4).normalize is False
    assert make_cell("mi-tree-lstm+stack", 4, integration="general", slots=2).parts["stack"] == (2, 4)
    for name, options, message in (
        ("tree-gru", {}, "unknown model 'tree-gru'; expected one of majority, bag-of-operators, rnn, lstm"),
        ("tree-lstm", {"slots": 3}, "tree-lstm has no option 'slots'"),
        ("tree-smu-no-op", {"no_op": True}, "no option 'no_op'"),
        ("rnn", {"children": 3}, "no option 'children'"),
    ):
        with pytest.raises(ValueError, match=message):
            make_verifier(name, 4, ["x"], **options)
    with pytest.raises(ValueError, match="lstm has no cell"):
        make_cell("lstm", 4)
    with pytest.raises(TypeError, match="tree encoder"):
        make_verifier("rnn", 4, ["x"]).of_graph(None)


@pytest.mark.parametrize("name", ["tree-lstm", "lstm", "bag-of-operators"])
def test_a_batch_with_another_numbering_is_refused(name: str) -> None:
    forest = Forest.of([parse_equation("sin(x) = cos(x)")])
    model = make_model(name, 4, ["x"], ["cos", "sin"])
    assert model(model.batch(forest, [0])).shape == (1,)
    for operators, reason in (
        (("sin", "cos"), "its node type 0 is sin, that of the model is cos"),
        (("cos", "sin", "Add"), "its node type 2 is Add, that of the model is none"),
        (("cos",), "its node type 1 is none, that of the model is sin"),
    ):
        with pytest.raises(GraphError, match=f"made for other operators: {reason}"):
            model(batch_graph(forest, [0], operators=operators))


def test_a_cosine_looks_at_directions_alone() -> None:
    verifier = make_verifier("tree-lstm", 4, SYMBOLS, head="cosine")
    assert (verifier.beta.item(), verifier.scale.item()) == (-4.0, 8.0)
    left, right = torch.randn(3, 4), torch.randn(4)
    expected = [8 * (a @ right) / (a.norm() * right.norm()) - 4 for a in left]
    torch.testing.assert_close(verifier.compare(left, right), torch.stack(expected))
    torch.testing.assert_close(verifier.compare(7 * left, right), verifier.compare(left, right))
    batch = verifier.batch(FOREST, range(len(EQUATIONS)))
    logits = verifier(batch)
    assert float(logits.detach().abs().max()) <= 12
    graphs = dgl.batch([to_graph(equation, SYMBOLS) for equation in EQUATIONS])
    torch.testing.assert_close(verifier.of_graph(graphs), logits)
    logits.sum().backward()
    assert all(parameter.grad is not None for parameter in verifier.parameters())
    # What starts away from 0 is not to be drawn there.
    decaying = {id(parameter) for parameter in verifier.decaying}
    assert decaying == {id(parameter) for parameter in verifier.encoder.parameters()}


@pytest.mark.parametrize("name", ["tree-lstm", "second-order-tree-rnn+stack", "lstm"])
def test_an_output_matrix_maps_both_sides(name: str) -> None:
    """At first it is the identity, and the verifier that of a dot product."""
    verifiers = []
    for head in ("dot", "output"):
        torch.manual_seed(0)
        verifiers.append(make_verifier(name, 4, SYMBOLS, head=head).double())
    plain, verifier = verifiers
    batch = verifier.batch(FOREST, range(len(EQUATIONS)))
    torch.testing.assert_close(verifier(batch), plain(batch))
    with torch.no_grad():
        verifier.output.normal_()
    logits = verifier(batch)
    sides = zip(*verifier.encoder.sides(batch), strict=True)
    expected = [(verifier.output @ left) @ (verifier.output @ right) + verifier.beta for left, right in sides]
    torch.testing.assert_close(logits, torch.stack(expected))
    slopes = [torch.autograd.grad(each.sum(), list(verifier.parameters())) for each in (logits, torch.stack(expected))]
    for ours, theirs in zip(*slopes, strict=True):
        torch.testing.assert_close(ours, theirs)
    if verifier.as_tree is not None:
        graphs = dgl.batch([to_graph(equation, SYMBOLS) for equation in EQUATIONS])
        torch.testing.assert_close(verifier.of_graph(graphs), verifier(batch))
    # What starts away from 0 is not to be drawn there.
    assert id(verifier.output) not in {id(parameter) for parameter in verifier.decaying}


def test_the_stack_of_a_second_order_cell_leaves_decay_to_the_same_weights() -> None:
    for name in ("second-order-tree-rnn", "second-order-tree-rnn+stack"):
        verifier = make_verifier(name, 4, SYMBOLS)
        chosen = {id(parameter) for parameter in verifier.decaying}
        assert [key for key, value in verifier.encoder.cell.named_parameters() if id(value) in chosen] == [
            "cell.bilinear.weight" if name.endswith("+stack") else "bilinear.weight"
        ]


def test_the_root_is_a_choice_that_leaves_the_weights_of_a_dot_product_as_they_were() -> None:
    verifier = make_verifier("tree-lstm", 4, SYMBOLS)
    assert [name for name in verifier.state_dict() if "." not in name] == ["beta"]
    left, right = torch.randn(3, 4), torch.randn(3, 4)
    torch.testing.assert_close(verifier.compare(left, right), (left * right).sum(dim=1))
    assert len(verifier.decaying) == len(list(verifier.parameters()))
    with pytest.raises(ValueError, match="head must be one of 'dot', 'cosine', 'output', not 'sum'"):
        make_verifier("tree-lstm", 4, SYMBOLS, head="sum")


def test_the_vectors_of_all_nodes_hold_those_of_the_sides() -> None:
    forest = Forest.of(parse_equation(text) for text in ("sin(x) + 1 = 1 + sin(x)", "x*y = sin(x)"))
    torch.manual_seed(0)
    verifier = make_verifier("tree-lstm+stack", 5, ["x", "y", "1"], dropout=0.3)
    batch = verifier.batch(forest, [0, 1])
    mask = verifier.draw_dropout(len(batch.node))
    vectors = verifier.encode(batch, mask)
    assert vectors.shape == (len(batch.node), 5)
    left, right = vectors[batch.sides].unbind(1)
    torch.testing.assert_close(verifier.compare(left, right), verifier(batch, mask))
    sequence = make_verifier("lstm", 5, ["x", "y", "1"])
    with pytest.raises(TypeError, match="only a tree encoder has vectors at the nodes"):
        sequence.encode(sequence.batch(forest, [0]))
