from __future__ import annotations

import pytest
import torch

from dgl_mathtree.language import Forest, VocabularyError, parse_equation
from dgl_mathtree.nn import make_verifier
from dgl_mathtree.nn.leaves import LeafEmbedding, OpenLeafEmbedding

STRANGE = "theta_3 + 12345.678 = -17/4 * q"


def test_a_closed_vocabulary_refuses_what_it_does_not_list_and_an_open_one_reads_all() -> None:
    forest = Forest.of([parse_equation(STRANGE)])
    closed, open_ = (make_verifier("tree-lstm", 6, vocabulary=["x", "2"], leaves=how) for how in ("table", "open"))
    with pytest.raises(VocabularyError, match="is not in the vocabulary"):
        closed(closed.batch(forest, [0]))
    assert torch.isfinite(open_(open_.batch(forest, [0]))).all()


def test_unknown_variables_have_vectors_of_their_own_that_stay_the_same() -> None:
    torch.manual_seed(0)
    leaves = OpenLeafEmbedding(["x", "y", "2"], size=5)
    words = ["p", "q", "x", "p"]
    vectors = leaves.vectors(words, torch.arange(4))
    assert torch.equal(vectors[0], vectors[3])
    assert len({tuple(row) for row in vectors.tolist()}) == 3
    assert torch.equal(leaves.vectors(["sin", "q"], torch.tensor([1]))[0], vectors[1])


def test_numbers_of_the_vocabulary_are_learnt_by_name_and_by_value() -> None:
    leaves = OpenLeafEmbedding(["x", "2"], size=5)
    words = ["2", "3", "x"]
    leaves.vectors(words, torch.tensor([0, 0, 1])).sum().backward()
    grad = leaves.weight.grad
    assert grad is not None and grad[1].tolist() == [2.0] * 5 and not grad[0].any()
    assert leaves.numbers.outer.weight.grad is not None
    with torch.no_grad():
        for parameter in leaves.numbers.parameters():
            parameter.zero_()
    assert torch.equal(leaves.vectors(words, torch.tensor([0, 2])), leaves.weight[[1, 0]])


def test_constants_that_are_not_in_the_vocabulary_are_read_by_value() -> None:
    torch.manual_seed(0)
    leaves = OpenLeafEmbedding(["x", "e"], size=5)
    assert leaves.knows("pi") and not leaves.knows("sin")
    vectors = leaves.vectors(["pi", "3.141592653589793", "e"], torch.arange(3))
    torch.testing.assert_close(vectors[0], vectors[1])
    assert torch.equal(vectors[2], leaves.weight[1])


def test_a_table_keeps_the_weights_of_a_plain_embedding() -> None:
    assert list(LeafEmbedding(["x"], 2).state_dict()) == ["weight"]
    with pytest.raises(ValueError, match="leaves must be one of 'table', 'open', not 'any'"):
        make_verifier("tree-lstm", 4, ["x"], leaves="any")
