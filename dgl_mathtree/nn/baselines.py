"""The baselines that a network must beat: the majority class, and logistic regression on counts of operators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from dgl_mathtree.graphs.batch import EquationBatch
from dgl_mathtree.language import Forest
from dgl_mathtree.language.vocabulary import OPERATOR_NAMES
from dgl_mathtree.nn.verifier import Verifier

CHUNK = 4000


class BagOfOperators(Verifier):
    r"""Logistic regression on how often each operator occurs: :math:`\mathrm{logit} = w \cdot \mathrm{counts} + \beta`.

    It is fitted, not trained: `fit` takes all equations at once. Any leaf is welcome, as none is looked at.

    Parameters
    ----------
    vocabulary : sequence of str
        Not looked at.
    operators : sequence of str
        Those to be counted.

    Examples
    --------
    >>> import torch
    >>> from dgl_mathtree.language import Forest, parse_equation
    >>> forest = Forest.of([parse_equation("x = sin(x)"), parse_equation("cos(x) + 1 = 1 + cos(x)")])
    >>> bag = BagOfOperators(vocabulary=["x", "1"], operators=["sin", "cos", "Add"])
    >>> bag.counts(bag.batch(forest, [0, 1])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 2.0, 2.0]]
    >>> bag.fit(forest, torch.tensor([0, 1]))
    >>> (bag(bag.batch(forest, [0, 1])) > 0).tolist()
    [False, True]
    """

    def __init__(self, vocabulary: Sequence[str], operators: Sequence[str] = OPERATOR_NAMES) -> None:
        super().__init__()
        self.vocabulary, self.operators = tuple(vocabulary), tuple(operators)
        self.weight = nn.Parameter(torch.zeros(len(self.operators)))
        self.beta = nn.Parameter(torch.zeros(()))

    def knows(self, word: str) -> bool:
        """Whether a word is welcome: any leaf, and the operators that it counts."""
        return word in self.operators or word not in OPERATOR_NAMES

    def counts(self, batch: EquationBatch) -> torch.Tensor:
        """(equations, operators): how often each operator occurs in each equation of a batch."""
        batch.check_operators(self.operators)
        plan, width = batch.plan.to("cpu"), len(self.operators)
        rows = torch.zeros(len(plan.row) + 1, width + 1)
        for level in plan.levels:
            inner = slice(level.start - 1, level.stop - 1)
            rows[level.start : level.stop] = rows[plan.children[inner, : level.child_slots]].sum(dim=1)
            # The last column takes the operators that are not counted.
            node_types = plan.node_types[inner].clamp(max=width)
            rows[torch.arange(level.start, level.stop), node_types] += 1
        return rows[plan.row[batch.sides]].sum(dim=1)[:, :width]

    def forward(self, batch: EquationBatch, dropout_mask: torch.Tensor | None = None) -> torch.Tensor:
        """(equations,) logits of a batch; the arguments are those of `EquationVerifier`."""
        return self.counts(batch).to(self.weight) @ self.weight + self.beta

    @torch.no_grad()
    def fit(self, forest: Forest, label: torch.Tensor) -> None:
        """Fit all equations of a forest, with labels of both classes."""
        from sklearn.linear_model import LogisticRegression

        chunks = [np.arange(at, min(at + CHUNK, len(label))) for at in range(0, len(label), CHUNK)]
        counts = torch.cat([self.counts(self.batch(forest, chunk)) for chunk in chunks]).double()
        mean, deviation = counts.mean(dim=0), counts.std(dim=0).clamp(min=1e-9)
        model = LogisticRegression(max_iter=1000).fit(((counts - mean) / deviation).numpy(), label.numpy())
        weight = torch.from_numpy(model.coef_[0]) / deviation
        self.weight.copy_(weight)
        self.beta.copy_(float(model.intercept_[0]) - weight @ mean)


class Majority(BagOfOperators):
    """The class that is most frequent in training, with its share as the probability."""

    def __init__(self, vocabulary: Sequence[str], operators: Sequence[str] = ()) -> None:
        super().__init__(vocabulary, ())

    def knows(self, word: str) -> bool:
        """Any word: none is looked at."""
        return True

    @torch.no_grad()
    def fit(self, forest: Forest, label: torch.Tensor) -> None:
        correct = (float(label.sum()) + 1) / (len(label) + 2)
        self.beta.copy_(torch.tensor(correct).logit())
