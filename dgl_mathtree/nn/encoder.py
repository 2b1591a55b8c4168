"""Equations to vectors: embeddings for the leaves, a cell for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import nn

from dgl_mathtree.expressions import Forest, VocabularyError
from dgl_mathtree.expressions.vocabulary import OPERATOR_NAMES
from dgl_mathtree.graphs import NODE_TYPES, type_table
from dgl_mathtree.graphs.batch import EquationBatch, batch_graph
from dgl_mathtree.nn import drivers
from dgl_mathtree.nn.cell import TreeCell


@lru_cache(maxsize=64)
def _symbols(
    words: tuple[str, ...], vocabulary: tuple[str, ...], operators: tuple[str, ...]
) -> tuple[torch.Tensor, frozenset[int]]:
    """For each word its place in the vocabulary, -1 for operators; and which words are neither."""
    ids = {word: k for k, word in enumerate(vocabulary)} | dict.fromkeys(operators, -1)
    table = [ids.get(word, -2) for word in words]
    return torch.tensor(table), frozenset(k for k, symbol in enumerate(table) if symbol == -2)


def symbol_table(
    words: Sequence[str], vocabulary: Sequence[str], used: Any, operators: Sequence[str] = OPERATOR_NAMES
) -> torch.Tensor:
    """For each word its place in the vocabulary, -1 for operators.

    Args:
        used: indices of the words that occur; one of them outside the vocabulary is an error.
    """
    table, unknown = _symbols(tuple(words), tuple(vocabulary), tuple(operators))
    if unknown and (wrong := unknown.intersection(np.unique(used).tolist())):
        known = f"the leaves {', '.join(vocabulary)} and the operators {', '.join(operators)}"
        raise VocabularyError(f"{words[min(wrong)]} is not in the vocabulary: {known}")
    return table


class TreeEncoder(nn.Module):
    """Vectors of expressions.

    Parameters
    ----------
    cell : TreeCell
        The recursive cell, with a node type for each operator.
    vocabulary : sequence of str
        The leaves, in the order of ``ndata["symbol"]``.
    scale : float
        Standard deviation of the embeddings at first.
    operators : sequence of str
        The operators, in the order of the cell's node types; by default all there are.
    """

    def __init__(
        self, cell: TreeCell, vocabulary: Sequence[str], scale: float = 0.1, operators: Sequence[str] = OPERATOR_NAMES
    ) -> None:
        super().__init__()
        if cell.types < len(operators):
            raise ValueError(f"the cell has {cell.types} node types, too few for {len(operators)} operators")
        self.cell, self.vocabulary, self.scale, self.operators = cell, tuple(vocabulary), scale, tuple(operators)
        self.embedding = nn.Embedding(len(self.vocabulary), cell.size)
        nn.init.normal_(self.embedding.weight, std=scale)

    def reset_parameters(self) -> None:
        self.cell.reset_parameters()
        nn.init.normal_(self.embedding.weight, std=self.scale)

    def draw_dropout(self, nodes: int, generator: torch.Generator | None = None) -> torch.Tensor | None:
        """What dropout multiplies with at so many nodes, or None where it does not act."""
        return self.cell.draw_dropout(nodes, self.embedding.weight, generator)

    def sides(
        self, batch: EquationBatch, words: Sequence[str], dropout_mask: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """(equations, n) each: the vectors of the left and right sides of a batch.

        Args:
            batch: made with the node types of this encoder's operators.
            words: those of the batch's forest.
            dropout_mask: from `draw_dropout` for the batch's nodes; by default it is drawn here.
        """
        device = self.embedding.weight.device
        table = symbol_table(words, self.vocabulary, batch.word, self.operators).to(device)
        word = torch.from_numpy(batch.word).to(device)
        dropout_mask = self.draw_dropout(len(batch.node_types)) if dropout_mask is None else dropout_mask
        plan = batch.plan.to(device)
        leaves = self.cell.leaf_states(self.embedding(table[word[plan.node[: plan.leaves]]]))
        rows = plan.row[batch.sides.to(device).reshape(-1)]
        states = drivers.run(self.cell, plan, leaves, rows, dropout_mask)[:, : self.cell.size]
        left, right = states.view(len(batch), 2, -1).unbind(1)
        return left, right

    def node_states(self, forest: Forest) -> torch.Tensor:
        """(nodes, state_size): whole states of all nodes of a forest of equations."""
        equations = np.arange(len(forest.equations))
        batch = batch_graph(forest, equations, types=type_table(forest.words, self.operators))
        device = self.embedding.weight.device
        table = symbol_table(forest.words, self.vocabulary, batch.word, self.operators).to(device)
        word, plan = torch.from_numpy(batch.word).to(device), batch.plan.to(device)
        leaves = self.cell.leaf_states(self.embedding(table[word[plan.node[: plan.leaves]]]))
        return drivers.run(self.cell, plan, leaves, plan.row, self.draw_dropout(len(batch.node_types)))

    def forward(self, graph: Any) -> torch.Tensor:
        """(nodes, n): the vectors of all nodes of a graph of expressions with ``op``, ``symbol`` and ``pos``."""
        feat = self.embedding(graph.ndata["symbol"].clamp(min=0))
        if self.operators == OPERATOR_NAMES:
            return self.cell(graph, feat)  # type: ignore[no-any-return]
        with graph.local_scope():
            types = torch.from_numpy(type_table(NODE_TYPES, self.operators)).to(feat.device)
            graph.ndata["op"] = types[graph.ndata["op"]]
            return self.cell(graph, feat)  # type: ignore[no-any-return]
