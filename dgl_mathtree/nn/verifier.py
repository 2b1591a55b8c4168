"""The root: two sides meet in a dot product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from dgl_mathtree.graphs.batch import EquationBatch, split_roots
from dgl_mathtree.nn.encoder import TreeEncoder
from dgl_mathtree.nn.sequence import SequenceEncoder


class EquationVerifier(nn.Module):
    r"""Whether an equation is correct: :math:`\mathrm{logit} = z_{left} \cdot z_{right} + \beta`.

    Parameters
    ----------
    encoder : TreeEncoder or SequenceEncoder
        Gives the vectors of the sides.

    Examples
    --------
    >>> from dgl_mathtree.expressions import Forest, parse_equation
    >>> from dgl_mathtree.graphs import batch_graph
    >>> from dgl_mathtree.nn import TreeEncoder, TreeLSTM
    >>> forest = Forest.of([parse_equation("x + 1 = 1 + x"), parse_equation("sin(x) = 1")])
    >>> verifier = EquationVerifier(TreeEncoder(TreeLSTM(size=8, types=29), vocabulary=["x", "1"]))
    >>> verifier(batch_graph(forest, [0, 1]), forest.words).shape
    torch.Size([2])
    """

    def __init__(self, encoder: TreeEncoder | SequenceEncoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.beta = nn.Parameter(torch.zeros(()))

    def forward(self, batch: EquationBatch, words: Sequence[str]) -> torch.Tensor:
        """(equations,) logits of a batch; `words` are those of its forest."""
        left, right = self.encoder.sides(batch, words)
        return (left * right).sum(dim=1) + self.beta

    def of_graph(self, graph: Any) -> torch.Tensor:
        """(equations,) logits of a graph of equations, such as `dgl.batch` of `to_graph`."""
        if not isinstance(self.encoder, TreeEncoder):
            raise TypeError("only a tree encoder reads graphs")
        expressions, sides = split_roots(graph)
        vectors: torch.Tensor = self.encoder(expressions)
        left, right = vectors[sides].unbind(1)
        return (left * right).sum(dim=1) + self.beta
