"""The vectors of leaves: the one place where words become numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import nn

from dgl_mathtree.expressions import VocabularyError
from dgl_mathtree.expressions.vocabulary import OPERATOR_NAMES


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

    Parameters
    ----------
    words : sequence of str
        Any words.
    vocabulary : sequence of str
        The leaves that are known.
    used : sequence of int
        Indices of the words that occur; one of them that is not known is an error.
    operators : sequence of str
        The operators that are known.

    Returns
    -------
    torch.Tensor
        (words,)

    Examples
    --------
    >>> symbol_table(["sin", "x", "2", "17"], vocabulary=["2", "x"], used=[0, 1, 2]).tolist()
    [-1, 1, 0, -2]
    """
    table, unknown = _symbols(tuple(words), tuple(vocabulary), tuple(operators))
    if unknown and (wrong := unknown.intersection(np.unique(used).tolist())):
        known = f"the leaves {', '.join(vocabulary)} and the operators {', '.join(operators)}"
        raise VocabularyError(f"{words[min(wrong)]} is not in the vocabulary: {known}")
    return table


class LeafEmbedding(nn.Embedding):
    r"""A learned vector for each leaf of a vocabulary, drawn from :math:`\mathcal{N}(0, \mathrm{scale}^2)` at first.

    Parameters
    ----------
    vocabulary : sequence of str
        The leaves.
    size : int
        Size n of the vectors.
    scale : float
        Their standard deviation at first.

    Shapes
    ------
    - words: any number, of which some are leaves
    - index: (leaves,)
    - output: (leaves, n)

    Examples
    --------
    >>> import torch
    >>> leaves = LeafEmbedding(["x", "2"], size=3)
    >>> _ = leaves.weight.data.copy_(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    >>> leaves.vectors(["sin", "2", "x"], torch.tensor([1, 2, 1]))
    tensor([[4., 5., 6.],
            [1., 2., 3.],
            [4., 5., 6.]], grad_fn=<EmbeddingBackward0>)
    """

    def __init__(self, vocabulary: Sequence[str], size: int, scale: float = 0.1) -> None:
        self.vocabulary, self.scale = tuple(vocabulary), scale
        super().__init__(len(self.vocabulary), size)
        self.reset_parameters()  # a second draw, so that seeds give the weights that they always gave

    def reset_parameters(self) -> None:
        nn.init.normal_(self.weight, std=self.scale)

    def vectors(self, words: Sequence[str], index: torch.Tensor) -> torch.Tensor:
        """The vectors of some words, which must be leaves of the vocabulary.

        Parameters
        ----------
        words : sequence of str
            What the indices count.
        index : torch.Tensor
            (leaves,), which of them are wanted.

        Returns
        -------
        torch.Tensor
            (leaves, n)
        """
        table, _ = _symbols(tuple(words), self.vocabulary, ())
        device = self.weight.device
        return self(table.to(device)[index.to(device)])  # type: ignore[no-any-return]
