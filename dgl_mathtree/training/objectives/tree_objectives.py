"""What training on trees minimises: cross-entropy of classes, or the squared error of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy

from dgl_mathtree.graphs import TreeBatch
from dgl_mathtree.inference.metrics import Floats
from dgl_mathtree.nn import TreeModel
from dgl_mathtree.training.objectives.objective import Objective

if TYPE_CHECKING:
    from dgl_mathtree.data.tree_dataset import TreeDataset
    from dgl_mathtree.training.config import Settings


class Classification(Objective):
    r"""Cross-entropy of the logits :math:`\ell_i` against the class :math:`y_i`.

    .. math::
        L = -\sum_i w_i \log \mathrm{softmax}(\ell_i)_{y_i}
    """

    name = "classification"

    def loss(
        self,
        network: TreeModel,
        batch: TreeBatch,
        labels: torch.Tensor,
        weights: torch.Tensor,
        dropout_mask: torch.Tensor | None,
        generator: torch.Generator,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """See `Objective.loss`."""
        logits = network(batch, dropout_mask=dropout_mask)
        return (cross_entropy(logits, labels, reduction="none") * weights).sum(), logits

    def measures(self, logits: Floats, labels: NDArray[Any]) -> NDArray[Any]:
        """(items,) whether the largest logit is that of the class."""
        return np.asarray(logits.argmax(axis=1) == labels)

    def floor(self, labels: NDArray[Any]) -> float:
        """The share of the most frequent class."""
        return float(np.bincount(labels).max() / len(labels))


class Regression(Objective):
    r"""The squared error of outputs :math:`\ell_i` against numbers :math:`y_i`, summed over those of an item.

    .. math::
        L = \sum_i w_i \lVert \ell_i - y_i \rVert^2

    It is measured by :math:`R^2`: one less the squared error divided by the variance of the training labels.
    """

    name = "regression"
    metric = "r2"

    def __init__(self, config: Settings, data: TreeDataset) -> None:
        super().__init__(config, data)
        labels = data.labels.double().reshape(len(data), -1)
        self.variance = max(float((labels - labels.mean(dim=0)).square().sum(dim=1).mean()), 1e-12)

    def loss(
        self,
        network: TreeModel,
        batch: TreeBatch,
        labels: torch.Tensor,
        weights: torch.Tensor,
        dropout_mask: torch.Tensor | None,
        generator: torch.Generator,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """See `Objective.loss`."""
        outputs = network(batch, dropout_mask=dropout_mask)
        errors = (outputs - labels).square().reshape(len(labels), -1).sum(dim=1)
        return (errors * weights).sum(), outputs

    def measures(self, logits: Floats, labels: NDArray[Any]) -> NDArray[Any]:
        """(items,) one less the squared error, as a share of the variance."""
        return np.asarray(1 - ((logits - labels) ** 2).reshape(len(labels), -1).sum(axis=1) / self.variance)

    def floor(self, labels: NDArray[Any]) -> float:
        """That of the mean for all."""
        return 0.0


TREE_OBJECTIVES: dict[str, type[Objective]] = {each.name: each for each in (Classification, Regression)}
"""The objectives of `dgl_mathtree.training.fit` by name."""
