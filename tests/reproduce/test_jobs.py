from __future__ import annotations

import numpy as np

from dgl_mathtree.inference.metrics import score
from dgl_mathtree.language import Forest, parse_equation
from dgl_mathtree.nn import make_verifier
from dgl_mathtree.reproduce.jobs import UNREADABLE, scores_of_readable


def test_equations_with_unknown_words_are_taken_for_incorrect() -> None:
    network = make_verifier("tree-rnn", 4, vocabulary=["x", "1"], operators=["Add", "sin"])
    texts = ["x + 1 = 1 + x", "x + y = y + x", "sin(x) = x", "cos(x) = x", "x = 1"]
    equations = [parse_equation(text) for text in texts]
    logits = scores_of_readable(network, Forest.of(equations))
    read = [equations[k] for k in (0, 2, 4)]
    np.testing.assert_allclose(logits[[0, 2, 4]], score(network, Forest.of(read)), rtol=1e-5)
    assert logits[[1, 3]].tolist() == [UNREADABLE] * 2
    np.testing.assert_array_equal(scores_of_readable(network, Forest.of(read)), score(network, Forest.of(read)))
