"""Equations to vectors: embeddings for the leaves, a cell for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import nn

from dgl_mathtree.expressions import VocabularyError
from dgl_mathtree.expressions.vocabulary import ARITY
from dgl_mathtree.graphs.batch import EquationBatch
from dgl_mathtree.nn.cell import TreeCell
from dgl_mathtree.nn.propagation import level_states


@lru_cache(maxsize=64)
def _symbols(words: tuple[str, ...], vocabulary: tuple[str, ...]) -> tuple[torch.Tensor, frozenset[int]]:
    """For each word its place in the vocabulary, -1 for operators; and which words are neither."""
    ids = {word: k for k, word in enumerate(vocabulary)}
    table = [-1 if word in ARITY else ids.get(word, -2) for word in words]
    return torch.tensor(table), frozenset(k for k, symbol in enumerate(table) if symbol == -2)


def symbol_table(words: Sequence[str], vocabulary: Sequence[str], used: Any) -> torch.Tensor:
    """For each word its place in the vocabulary, -1 for operators.

    Args:
        used: indices of the words that occur; one of them outside the vocabulary is an error.
    """
    table, unknown = _symbols(tuple(words), tuple(vocabulary))
    if unknown and (wrong := unknown.intersection(np.unique(used).tolist())):
        raise VocabularyError(f"{words[min(wrong)]} is not in the vocabulary: {', '.join(vocabulary)}")
    return table


class TreeEncoder(nn.Module):
    """Vectors of expressions.

    Parameters
    ----------
    cell : TreeCell
        The recursive cell; its node types are `dgl_mathtree.graphs.NODE_TYPES`, operators first.
    vocabulary : sequence of str
        The leaves, in the order of ``ndata["symbol"]``.
    scale : float
        Standard deviation of the embeddings at first.
    """

    def __init__(self, cell: TreeCell, vocabulary: Sequence[str], scale: float = 0.1) -> None:
        super().__init__()
        self.cell, self.vocabulary, self.scale = cell, tuple(vocabulary), scale
        self.embedding = nn.Embedding(len(self.vocabulary), cell.size)
        nn.init.normal_(self.embedding.weight, std=scale)

    def reset_parameters(self) -> None:
        self.cell.reset_parameters()
        nn.init.normal_(self.embedding.weight, std=self.scale)

    def sides(self, batch: EquationBatch, words: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor]:
        """(equations, n) each: the vectors of the left and right sides of a batch.

        Args:
            words: those of the batch's forest.
        """
        device = self.embedding.weight.device
        table = symbol_table(words, self.vocabulary, batch.word).to(device)
        word = torch.from_numpy(batch.word).to(device)
        if self.cell.propagate == "dgl":
            feat = self.embedding(table[word].clamp(min=0))
            states = self.cell.states(batch.graph.to(device), feat, batch.plan)[:, : self.cell.size]
            left, right = states[batch.sides.to(device)].unbind(1)
            return left, right
        plan = batch.plan.to(device)
        leaves = self.cell.leaf_states(self.embedding(table[word[plan.node[: plan.leaves]]]))
        rows = plan.row[batch.sides.to(device).reshape(-1)]
        states = level_states(self.cell, plan, leaves, rows)[:, : self.cell.size]
        left, right = states.view(len(batch), 2, -1).unbind(1)
        return left, right

    def forward(self, graph: Any) -> torch.Tensor:
        """(nodes, n): the vectors of all nodes of a graph of expressions with ``op``, ``symbol`` and ``pos``."""
        return self.cell(graph, self.embedding(graph.ndata["symbol"].clamp(min=0)))  # type: ignore[no-any-return]
