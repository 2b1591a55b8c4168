"""Classifiers and regressors of any trees, by any cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from dgl_mathtree.graphs import GraphError
from dgl_mathtree.nn.cell import TreeCell
from dgl_mathtree.nn.layers import Layers, PairLayers
from dgl_mathtree.nn.tree_model import TreeModel


class TreeClassifier(TreeModel):
    r"""Classes of trees: layers on the vector of the root.

    .. math::
        \mathrm{logits} = W h_{root} + b

    Parameters
    ----------
    cell, symbols, feat_size, scale
        See `TreeModel`.
    classes : int
        How many classes there are.
    hidden : int
        Size of a hidden layer below the logits, 0 for none.
    activation : str
        ``tanh`` or ``relu``, of the hidden layer.

    Shapes
    ------
    - trees: of any number, as a `TreeBatch` or a DGLGraph
    - output: (trees, classes)

    Examples
    --------
    >>> from dgl_mathtree.graphs import batch_trees
    >>> from dgl_mathtree.nn import make_cell
    >>> model = TreeClassifier(make_cell("m-tree-lstm+stack", 16, types=2, children=3), classes=4, symbols=10)
    >>> batch = batch_trees([(0, 1, 2, (1, 9)), (1, 3)])
    >>> model(batch).shape
    torch.Size([2, 4])
    >>> torch.allclose(model(batch), model(batch.graph), atol=1e-6)
    True
    """

    def __init__(
        self,
        cell: TreeCell,
        classes: int,
        symbols: int | None = None,
        feat_size: int | None = None,
        scale: float = 0.1,
        hidden: int = 0,
        activation: str = "tanh",
    ) -> None:
        super().__init__(cell, symbols, feat_size, scale)
        self.head = Layers(cell.size, classes, hidden, activation)
        self.arguments |= {"classes": classes, "hidden": hidden, "activation": activation}

    def forward(self, trees: Any, *, dropout_mask: torch.Tensor | None = None) -> torch.Tensor:
        """The logits of trees, (trees, classes); for the arguments see `TreeModel.vectors`."""
        return self.head(self.vectors(trees, dropout_mask))  # type: ignore[no-any-return]


class PairClassifier(TreeModel):
    r"""Classes of pairs of trees: both are encoded by one cell, and layers compare their vectors.

    .. math::
        \mathrm{logits} = W_2\, \mathrm{act}(W_1 [a; b; a \odot b; |a - b|] + a^\top V b + b_1) + b_2

    Parameters
    ----------
    cell, symbols, feat_size, scale
        See `TreeModel`.
    classes : int
        How many classes there are.
    combine : sequence of str
        What the first layer sees: ``concatenation``, ``product``, ``difference``, ``distance`` (its absolute value)
        and ``bilinear``, one or several.
    hidden : int
        Size of the hidden layer, 0 for none.
    activation : str
        ``tanh`` or ``relu``, of the hidden layer.

    Shapes
    ------
    - trees: a `TreeBatch` in which the trees of each pair follow each other; or two, or two DGLGraphs, with the first
      and the second trees of all pairs
    - output: (pairs, classes)

    Examples
    --------
    >>> from dgl_mathtree.graphs import batch_trees
    >>> from dgl_mathtree.nn import make_cell
    >>> model = PairClassifier(make_cell("tree-lstm", 16, types=3), classes=7, symbols=6, hidden=32)
    >>> one, other = batch_trees([(0, 1, 2), 5]), batch_trees([(1, 1, 2), (2, 5)])
    >>> model(one, other).shape
    torch.Size([2, 7])
    >>> pairs = batch_trees([(0, 1, 2), (1, 1, 2), 5, (2, 5)])
    >>> torch.allclose(model(pairs), model(one.graph, other.graph), atol=1e-6)
    True
    """

    TREES = 2

    def __init__(
        self,
        cell: TreeCell,
        classes: int,
        symbols: int | None = None,
        feat_size: int | None = None,
        scale: float = 0.1,
        combine: Sequence[str] = ("concatenation", "product", "distance"),
        hidden: int = 0,
        activation: str = "tanh",
    ) -> None:
        super().__init__(cell, symbols, feat_size, scale)
        combine = [combine] if isinstance(combine, str) else list(combine)
        self.head = PairLayers(cell.size, classes, combine, hidden, activation)
        self.arguments |= {"classes": classes, "combine": combine, "hidden": hidden, "activation": activation}

    def forward(self, trees: Any, other: Any = None, *, dropout_mask: torch.Tensor | None = None) -> torch.Tensor:
        """The logits of pairs of trees.

        Parameters
        ----------
        trees : TreeBatch or DGLGraph
            The trees of all pairs, those of one after the other; or the first ones alone.
        other : TreeBatch or DGLGraph, optional
            The second trees of all pairs.
        dropout_mask : torch.Tensor, optional
            From `draw_dropout` for the nodes of `trees`, where all trees are there; by default it is drawn here.

        Returns
        -------
        torch.Tensor
            (pairs, classes)
        """
        if other is None:
            found = self.vectors(trees, dropout_mask)
            if len(found) % 2:
                raise GraphError(f"a batch of pairs has an even number of trees, not {len(found)}")
            one, two = found.view(len(found) // 2, 2, -1).unbind(1)
        elif dropout_mask is not None:
            raise ValueError("a dropout mask is for one batch of pairs, not for two")
        else:
            one, two = self.vectors(trees), self.vectors(other)
            if len(one) != len(two):
                raise GraphError(f"there are {len(one)} first trees and {len(two)} second ones")
        return self.head(one, two)  # type: ignore[no-any-return]


class TreeRegressor(TreeModel):
    r"""Numbers of trees: layers on the vector of the root.

    Parameters
    ----------
    cell, symbols, feat_size, scale
        See `TreeModel`.
    outputs : int
        How many numbers each tree has.
    hidden, activation
        See `TreeClassifier`.

    Shapes
    ------
    - trees: of any number, as a `TreeBatch` or a DGLGraph
    - output: (trees,) for one output, else (trees, outputs)

    Examples
    --------
    >>> import numpy as np
    >>> from dgl_mathtree.graphs import batch_trees
    >>> from dgl_mathtree.nn import make_cell
    >>> model = TreeRegressor(make_cell("tree-rnn", 16, types=1), feat_size=3)
    >>> model(batch_trees([(0, np.ones(3), np.zeros(3)), np.ones(3)])).shape
    torch.Size([2])
    """

    def __init__(
        self,
        cell: TreeCell,
        outputs: int = 1,
        symbols: int | None = None,
        feat_size: int | None = None,
        scale: float = 0.1,
        hidden: int = 0,
        activation: str = "tanh",
    ) -> None:
        super().__init__(cell, symbols, feat_size, scale)
        self.head = Layers(cell.size, outputs, hidden, activation)
        self.arguments |= {"outputs": outputs, "hidden": hidden, "activation": activation}

    def forward(self, trees: Any, *, dropout_mask: torch.Tensor | None = None) -> torch.Tensor:
        """The numbers of trees; for the arguments see `TreeModel.vectors`."""
        found: torch.Tensor = self.head(self.vectors(trees, dropout_mask))
        return found[:, 0] if found.shape[1] == 1 else found
