"""Equations to vectors: embeddings for the leaves, a cell for the rest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from dgl_mathtree.graphs import type_table
from dgl_mathtree.graphs.batch import EquationBatch, batch_graph
from dgl_mathtree.graphs.node_words import NodeWords, read_words
from dgl_mathtree.graphs.transfer import on_device
from dgl_mathtree.language import Forest
from dgl_mathtree.language.vocabulary import OPERATOR_NAMES
from dgl_mathtree.nn import drivers
from dgl_mathtree.nn.cell import TreeCell, check_choice
from dgl_mathtree.nn.drivers.inputs import DriverError
from dgl_mathtree.nn.leaves import LEAVES, unknown_word


class Encoder(nn.Module, ABC):
    """Vectors of the two sides of equations: by a recursive cell (`TreeEncoder`), or by a network on sequences.

    Attributes
    ----------
    vocabulary, operators : tuple of str
        The leaves and the operators that it knows.
    size : int
        Size n of the vectors.
    """

    vocabulary: tuple[str, ...]
    operators: tuple[str, ...]
    size: int

    @abstractmethod
    def knows(self, word: str) -> bool:
        """Whether it can read a word, an operator or a leaf."""

    @abstractmethod
    def draw_dropout(self, nodes: int, generator: torch.Generator | None = None) -> torch.Tensor | None:
        """What dropout multiplies with at this many nodes, (nodes, dropout_size), or None where it does not act."""

    @abstractmethod
    def sides(
        self, batch: EquationBatch, dropout_mask: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The vectors of the left and right sides of a batch, (equations, n) each."""

    def dots(self, batch: EquationBatch, dropout_mask: torch.Tensor | None = None) -> torch.Tensor:
        """The dot products of a batch's sides, (equations,)."""
        left, right = self.sides(batch, dropout_mask)
        return (left * right).sum(dim=-1)

    @property
    def as_tree(self) -> TreeEncoder | None:
        """This encoder if it has a state at every node of a tree, else None."""
        return None

    @property
    def reads_any_leaf(self) -> bool:
        """Whether it has vectors for variables and numbers that are not in its vocabulary."""
        return False

    @property
    def decaying(self) -> list[nn.Parameter] | None:
        """The weights that weight decay acts on; None for all."""
        return None

    @property
    def driver(self) -> str:
        """The driver that runs its cell, which may be set; ``auto`` for an encoder with none to choose."""
        return drivers.AUTO

    @driver.setter
    def driver(self, name: str) -> None:
        if name != drivers.AUTO:
            raise DriverError(f"only a tree encoder has a driver to choose, not {type(self).__name__}")

    def chosen_driver(self, dtype: torch.dtype, device: torch.device) -> str:
        """The name of the driver that would run its cell; empty for an encoder with none to choose."""
        return ""


class TreeEncoder(Encoder):
    """Vectors of expressions, by a recursive cell.

    Parameters
    ----------
    cell : TreeCell
        The recursive cell, with a node type for each operator.
    vocabulary : sequence of str
        The leaves, in the order of their embeddings.
    scale : float
        Standard deviation of the embeddings at first.
    operators : sequence of str
        The operators, in the order of the cell's node types; by default all there are.
    leaves : str
        A name of `dgl_mathtree.nn.leaves.LEAVES`: ``table`` for the leaves of the vocabulary alone, ``open`` for any.

    Examples
    --------
    >>> import torch
    >>> from dgl_mathtree.language import Forest, parse_equation
    >>> from dgl_mathtree.nn import TreeRNN
    >>> _ = torch.manual_seed(0)
    >>> encoder = TreeEncoder(TreeRNN(size=3, types=2), vocabulary=["x", "1"], scale=1.0, operators=["Add", "sin"])
    >>> forest = Forest.of([parse_equation("x + 1 = sin(1)")])
    >>> left, right = encoder.sides(batch_graph(forest, [0], operators=encoder.operators))
    >>> left.shape, right.shape
    (torch.Size([1, 3]), torch.Size([1, 3]))
    """

    def __init__(
        self,
        cell: TreeCell,
        vocabulary: Sequence[str],
        scale: float = 0.1,
        operators: Sequence[str] = OPERATOR_NAMES,
        leaves: str = "table",
    ) -> None:
        super().__init__()
        check_choice("leaves", leaves, list(LEAVES))
        if cell.types < len(operators):
            raise ValueError(f"the cell has {cell.types} node types, too few for {len(operators)} operators")
        self.cell, self.size = cell, cell.size
        self.vocabulary, self.operators = tuple(vocabulary), tuple(operators)
        self.embedding = LEAVES[leaves](self.vocabulary, cell.size, scale)
        self._unknown: tuple[Sequence[str], frozenset[int]] = ((), frozenset())

    @property
    def as_tree(self) -> TreeEncoder:
        return self

    @property
    def reads_any_leaf(self) -> bool:
        return self.embedding.is_open

    @property
    def decaying(self) -> list[nn.Parameter] | None:
        names = self.cell.decaying
        found = [parameter for name in names for parameter in self.cell.get_submodule(name).parameters()]
        return found if names else None

    @property
    def driver(self) -> str:
        return self.cell.driver

    @driver.setter
    def driver(self, name: str) -> None:
        self.cell.driver = name

    def chosen_driver(self, dtype: torch.dtype, device: torch.device) -> str:
        return drivers.choose(self.cell.driver, self.cell, dtype, device).name

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        self.cell.reset_parameters()
        self.embedding.reset_parameters()

    def draw_dropout(self, nodes: int, generator: torch.Generator | None = None) -> torch.Tensor | None:
        """What dropout multiplies with at this many nodes, (nodes, dropout_size), or None where it does not act."""
        return self.cell.draw_dropout(nodes, self.embedding.weight, generator)

    def knows(self, word: str) -> bool:
        """Whether it can read a word."""
        return word in self.operators or self.embedding.knows(word)

    def check_words(self, words: Sequence[str], used: Any) -> None:
        """Raise a VocabularyError for a word that it cannot read.

        Parameters
        ----------
        words : sequence of str
            Any words.
        used : sequence of int
            Indices of those that occur.
        """
        # All batches of a forest have the same words, which need a look once.
        about, unknown = self._unknown
        if about is not words:
            unknown = frozenset(k for k, word in enumerate(words) if not self.knows(word))
            self._unknown = words if isinstance(words, tuple) else (), unknown
        if unknown and (wrong := unknown.intersection(np.unique(used).tolist())):
            raise unknown_word(words[min(wrong)], self.vocabulary, self.operators)

    def leaf_states(self, batch: EquationBatch) -> torch.Tensor:
        """The states of a batch's leaves, in the order of its plan.

        Parameters
        ----------
        batch : EquationBatch
            Made with this encoder's operators.

        Returns
        -------
        torch.Tensor
            (plan.leaves, state_size)

        Raises
        ------
        GraphError
            Where the batch numbers the operators in another way.
        VocabularyError
            Where it has a word that is not known.
        """
        return self.cell.leaf_states(self._leaf_vectors(batch))

    def _leaf_vectors(self, batch: EquationBatch) -> torch.Tensor:
        self._check_batch(batch)
        return self.embedding.vectors(batch.words, batch.leaf_words, batch.leaf_words_on_host)

    def _check_batch(self, batch: EquationBatch) -> None:
        batch.check_operators(self.operators)
        self.check_words(batch.words, batch.word)

    def states(
        self, batch: EquationBatch, nodes: torch.Tensor | None = None, dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Whole states of some nodes of a batch.

        Parameters
        ----------
        batch : EquationBatch
            Made with this encoder's operators.
        nodes : torch.Tensor, optional
            (wanted,), which nodes; by default all.
        dropout_mask : torch.Tensor, optional
            (nodes, dropout_size), from `draw_dropout` for the batch's nodes; by default it is drawn here.

        Returns
        -------
        torch.Tensor
            (wanted, state_size)
        """
        batch = batch.to(self.embedding.weight.device)
        row = batch.plan.row
        wanted = row if nodes is None else row.index_select(0, on_device(nodes, row.device))
        return self._rows(batch, wanted, dropout_mask)

    def _rows(self, batch: EquationBatch, rows: torch.Tensor, dropout_mask: torch.Tensor | None) -> torch.Tensor:
        """Whole states of some rows of a batch's plan."""
        leaves = self._leaf_vectors(batch)
        if type(self.cell).leaf_states is not TreeCell.leaf_states:  # else the rest is 0, as drivers take it to be
            leaves = self.cell.leaf_states(leaves)
        dropout_mask = self.draw_dropout(batch.num_nodes()) if dropout_mask is None else dropout_mask
        return drivers.run(self.cell, batch.plan, leaves, rows, dropout_mask)

    def sides(
        self, batch: EquationBatch, dropout_mask: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The vectors of the left and right sides of a batch, (equations, n) each; for arguments see `states`."""
        batch = batch.to(self.embedding.weight.device)
        vectors = self._rows(batch, batch.side_rows, dropout_mask)[:, : self.cell.size]
        left, right = vectors.view(len(batch), 2, -1).unbind(1)
        return left, right

    def dots(self, batch: EquationBatch, dropout_mask: torch.Tensor | None = None) -> torch.Tensor:
        """The dot products of a batch's sides, (equations,); for arguments see `states`."""
        cell: TreeCell = self.cell
        if type(cell).leaf_states is not TreeCell.leaf_states or type(self).sides is not TreeEncoder.sides:
            return super().dots(batch, dropout_mask)
        self._check_batch(batch)
        batch = batch.to(self.embedding.weight.device)
        table, place = self.embedding.looked_up(batch.words, batch.leaf_words, batch.leaf_words_on_host)
        dropout_mask = self.draw_dropout(batch.num_nodes()) if dropout_mask is None else dropout_mask
        return drivers.dots(cell, batch.plan, table, place, batch.side_rows, dropout_mask)

    def node_states(self, forest: Forest) -> torch.Tensor:
        """Whole states of all nodes of a forest of equations, (nodes, state_size)."""
        return self.states(batch_graph(forest, np.arange(len(forest.equations)), operators=self.operators))

    def forward(self, graph: Any) -> torch.Tensor:
        """The vectors of all nodes of a graph.

        Parameters
        ----------
        graph : DGLGraph
            Expressions, with ``text`` and ``pos`` as `dgl_mathtree.graphs.to_graph` makes them; it is left as it is.

        Returns
        -------
        torch.Tensor
            (nodes, n)

        Raises
        ------
        GraphError
            Where the graph does not say what its words are, or contradicts itself.
        VocabularyError
            Where it has a word that is not known.
        """
        return self.graph_vectors(graph, read_words(graph))

    def graph_vectors(self, graph: Any, found: NodeWords) -> torch.Tensor:
        """The vectors of all nodes of a graph whose words were read: (nodes, n)."""
        self.check_words(found.words, found.of_node)
        device = self.embedding.weight.device
        index = torch.from_numpy(found.of_node).to(device)
        is_leaf = torch.tensor([self.embedding.knows(word) for word in found.words], device=device)[index]
        leaves = self.embedding.vectors(found.words, index[is_leaf])
        feat = leaves.new_zeros(len(index), leaves.shape[1]).index_put((torch.nonzero(is_leaf).reshape(-1),), leaves)
        with graph.local_scope():
            graph.ndata["op"] = torch.from_numpy(type_table(found.words, self.operators)[found.of_node]).to(
                graph.device
            )
            return self.cell(graph, feat)  # type: ignore[no-any-return]
