"""The vectors of leaves: the one place where words become numbers."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from dgl_mathtree.graphs.transfer import all_on_device, on_device
from dgl_mathtree.language import VocabularyError
from dgl_mathtree.language.vocabulary import CONSTANTS, OPERATOR_NAMES, is_leaf, is_number, is_variable
from dgl_mathtree.nn.number_features import FEATURES, NumberEncoder, number_features


@lru_cache(maxsize=16)
def _symbols(
    words: tuple[str, ...], vocabulary: tuple[str, ...], operators: tuple[str, ...]
) -> tuple[torch.Tensor, frozenset[int]]:
    """For each word its place in the vocabulary, -1 for operators; and which words are neither."""
    ids = {word: k for k, word in enumerate(vocabulary)} | dict.fromkeys(operators, -1)
    table = [ids.get(word, -2) for word in words]
    return torch.tensor(table), frozenset(k for k, symbol in enumerate(table) if symbol == -2)


@lru_cache(maxsize=64)
def _symbols_on(words: tuple[str, ...], vocabulary: tuple[str, ...], device: torch.device) -> torch.Tensor:
    """The place of each word in the vocabulary, copied to a device once."""
    return on_device(_symbols(words, vocabulary, ())[0], device)


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
        raise unknown_word(words[min(wrong)], vocabulary, operators)
    return table


def unknown_word(word: str, vocabulary: Sequence[str], operators: Sequence[str]) -> VocabularyError:
    """What is raised for a word that a model cannot read: the word, and those that it could."""
    known = f"the leaves {', '.join(vocabulary)} and the operators {', '.join(operators)}"
    return VocabularyError(f"{word} is not in the vocabulary: {known}")


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

    is_open = False
    """Whether it has vectors for leaves that are not in its vocabulary."""

    def __init__(self, vocabulary: Sequence[str], size: int, scale: float = 0.1) -> None:
        self.vocabulary, self.scale, self._known = tuple(vocabulary), scale, frozenset(vocabulary)
        super().__init__(len(self.vocabulary), size)
        nn.init.normal_(self.weight, std=scale)  # a second draw, so that seeds give the weights that they always gave

    def reset_parameters(self) -> None:
        nn.init.normal_(self.weight, std=self.scale)
        for part in self.children():  # what makes vectors beside the table; nothing yet while the table is made
            part.reset_parameters()  # type: ignore[operator]

    def knows(self, word: str) -> bool:
        """Whether a leaf has a vector."""
        return word in self._known

    def vectors(self, words: Sequence[str], index: torch.Tensor, on_host: Any = None) -> torch.Tensor:
        """The vectors of some words, which must be leaves of the vocabulary.

        Parameters
        ----------
        words : sequence of str
            What the indices count.
        index : torch.Tensor
            (leaves,), which of them are wanted.
        on_host : numpy.ndarray, optional
            The same, if `index` is on a device: else the host may have to wait for it.

        Returns
        -------
        torch.Tensor
            (leaves, n)
        """
        table, place = self.looked_up(words, index, on_host)
        return nn.functional.embedding(place, table)

    def looked_up(
        self, words: Sequence[str], index: torch.Tensor, on_host: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The same as a table of vectors, (vectors, n), and (leaves,) the row of each leaf in it."""
        device = self.weight.device
        table = _symbols_on(tuple(words), self.vocabulary, device)
        if on_host is not None and device.type == "cpu":  # arrays take a fraction of the time of tensors
            return self.weight, torch.from_numpy(table.numpy().take(on_host))
        return self.weight, table.index_select(0, on_device(index, device))


class OpenLeafEmbedding(LeafEmbedding):
    r"""Vectors for all leaves there can be.

    A leaf of the vocabulary has a learned vector, a number besides one made from its value, by `NumberEncoder`; a
    constant that is not in the vocabulary has that of its value alone. A variable that is not there has a vector of its
    own too, drawn from its name with the mean and deviation of those that are.

    Parameters
    ----------
    vocabulary, size, scale
        See `LeafEmbedding`.

    Examples
    --------
    >>> import torch
    >>> leaves = OpenLeafEmbedding(["x", "y", "2"], size=3)
    >>> leaves.vectors(["x", "2", "-17/4", "theta"], torch.arange(4)).shape
    torch.Size([4, 3])
    """

    is_open = True

    def __init__(self, vocabulary: Sequence[str], size: int, scale: float = 0.1) -> None:
        super().__init__(vocabulary, size, scale)
        self.numbers = NumberEncoder(size, scale)

    def knows(self, word: str) -> bool:
        return word in self._known or is_leaf(word)

    def looked_up(
        self, words: Sequence[str], index: torch.Tensor, on_host: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        device = self.weight.device
        # On the host: how many different words there are is a number that it needs.
        used = index.cpu().numpy() if on_host is None else on_host
        found_words, place_of = np.unique(used, return_inverse=True)
        wanted, place = torch.from_numpy(found_words), torch.from_numpy(place_of.reshape(-1))
        about = _about(tuple(words), self.vocabulary)
        strange = [(k, words[word]) for k, word in enumerate(found_words.tolist()) if word in about.strange]
        rows, names = zip(*strange, strict=True) if strange else ((), ())
        known = [about.symbol[wanted], about.numeric[wanted], about.features[wanted].to(self.weight.dtype)]
        drawn = torch.tensor(rows, dtype=torch.int64)
        symbol, numeric, features, place, drawn = all_on_device([*known, place, drawn], device)
        found = self(symbol.clamp(min=0)) * (symbol >= 0)[:, None]
        vectors: torch.Tensor = found + self.numbers(features) * numeric[:, None]
        if strange:
            vectors = vectors.index_copy(0, drawn, self._drawn(names))
        return vectors, place

    def _drawn(self, names: Sequence[str]) -> torch.Tensor:
        """(names, n): vectors of variables that are not in the vocabulary, the same for a name every time."""
        known = [k for k, word in enumerate(self.vocabulary) if is_variable(word)] or list(range(len(self.vocabulary)))
        rows = self.weight.detach().index_select(0, on_device(torch.tensor(known), self.weight.device))
        deviation = rows.std(dim=0) if len(known) > 1 else rows.abs().mean(dim=0)
        noise = [np.random.default_rng(zlib.crc32(name.encode())).standard_normal(rows.shape[1]) for name in names]
        return rows.mean(dim=0) + deviation * on_device(torch.tensor(np.array(noise)).to(rows.dtype), rows.device)


class _About(NamedTuple):
    """What is known of words: their places in a vocabulary, which are numbers and like what, which are none of it."""

    symbol: torch.Tensor
    numeric: torch.Tensor
    features: torch.Tensor
    strange: frozenset[int]


@lru_cache(maxsize=16)
def _about(words: tuple[str, ...], vocabulary: tuple[str, ...]) -> _About:
    symbol, unknown = _symbols(words, vocabulary, ())
    constants = {word: repr(CONSTANTS[word]) for word in map(words.__getitem__, unknown) if word in CONSTANTS}
    numeric = [is_number(word) or word in constants for word in words]
    features = torch.zeros(len(words), FEATURES)
    for k, word in enumerate(words):
        if numeric[k]:
            features[k] = torch.tensor(number_features(constants.get(word, word)))
    strange = frozenset(k for k in unknown if is_variable(words[k]))
    return _About(symbol, torch.tensor(numeric), features, strange)


LEAVES: dict[str, type[LeafEmbedding]] = {"table": LeafEmbedding, "open": OpenLeafEmbedding}
"""The ways to give leaves their vectors: those of the data alone, as in the paper, or any."""
