"""The root: two sides meet in a dot product."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import torch
from numpy.typing import NDArray
from torch import nn

from dgl_mathtree.expressions import Forest
from dgl_mathtree.graphs.batch import EquationBatch, batch_graph, split_roots, type_table
from dgl_mathtree.nn import drivers
from dgl_mathtree.nn.encoder import TreeEncoder
from dgl_mathtree.nn.sequence import SequenceEncoder


@lru_cache(maxsize=64)
def _types(words: tuple[str, ...], operators: tuple[str, ...]) -> NDArray[Any]:
    return type_table(words, operators)


class EquationVerifier(nn.Module):
    r"""Whether an equation is correct: :math:`\mathrm{logit} = h_{left} \cdot h_{right} + \beta`.

    Parameters
    ----------
    encoder : TreeEncoder or SequenceEncoder
        Gives the vectors of the sides.

    Examples
    --------
    >>> from dgl_mathtree.expressions import Forest, parse_equation
    >>> from dgl_mathtree.nn import TreeEncoder, TreeLSTM
    >>> forest = Forest.of([parse_equation("x + 1 = 1 + x"), parse_equation("sin(x) = 1")])
    >>> verifier = EquationVerifier(TreeEncoder(TreeLSTM(size=8, types=29), vocabulary=["x", "1"]))
    >>> verifier(verifier.batch(forest, [0, 1]), forest.words).shape
    torch.Size([2])
    """

    def __init__(self, encoder: TreeEncoder | SequenceEncoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.beta = nn.Parameter(torch.zeros(()))

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The leaves it knows."""
        return self.encoder.vocabulary

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators it knows."""
        return self.encoder.operators

    @property
    def decaying(self) -> list[nn.Parameter]:
        """The weights that weight decay should act on."""
        cell = self.encoder.cell if isinstance(self.encoder, TreeEncoder) else None
        if cell is None or not cell.decaying:
            return list(self.parameters())
        return [parameter for name in cell.decaying for parameter in cell.get_submodule(name).parameters()]

    @property
    def propagate(self) -> str:
        """The driver that runs the cell, which may be set; a sequence encoder has none, and it is ``auto``."""
        return self.encoder.cell.propagate if isinstance(self.encoder, TreeEncoder) else drivers.AUTO

    @propagate.setter
    def propagate(self, name: str) -> None:
        if isinstance(self.encoder, TreeEncoder):
            self.encoder.cell.propagate = name
        elif name != drivers.AUTO:
            raise ValueError(f"only a tree encoder has a driver to choose, not {type(self.encoder).__name__}")

    def draw_dropout(self, nodes: int, generator: torch.Generator | None = None) -> torch.Tensor | None:
        """What dropout multiplies with at so many nodes, or None where it does not act."""
        return self.encoder.draw_dropout(nodes, generator)

    def batch(self, forest: Forest, equations: Sequence[int] | NDArray[Any]) -> EquationBatch:
        """A batch of a forest's equations for this verifier, by their indices; identical subtrees are one node."""
        return batch_graph(forest, equations, types=_types(forest.words, self.operators))

    def forward(
        self, batch: EquationBatch, words: Sequence[str], dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """(equations,) logits of a batch.

        Args:
            batch: from `batch`.
            words: those of its forest.
            dropout_mask: from `draw_dropout` for the batch's nodes; by default it is drawn here.
        """
        left, right = self.encoder.sides(batch, words, dropout_mask)
        return (left * right).sum(dim=1) + self.beta

    def of_graph(self, graph: Any) -> torch.Tensor:
        """(equations,) logits of a graph of equations, such as `dgl.batch` of `to_graph`."""
        if not isinstance(self.encoder, TreeEncoder):
            raise TypeError("only a tree encoder reads graphs")
        expressions, sides = split_roots(graph)
        vectors: torch.Tensor = self.encoder(expressions)
        left, right = vectors[sides].unbind(1)
        return (left * right).sum(dim=1) + self.beta
