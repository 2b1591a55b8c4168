"""A program for torchrun: trains with an objective that looks at the vectors of all nodes of a batch."""

from __future__ import annotations

import sys

import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from dgl_mathtree.graphs import EquationBatch
from dgl_mathtree.nn import EquationVerifier
from dgl_mathtree.training import Config, train
from dgl_mathtree.training.objectives import Objective, register


@register
class SmallVectors(Objective):
    """Cross-entropy, and vectors of the sides that are not too long."""

    name = "small-vectors"
    defaults = {"weight": 0.1}  # noqa: RUF012

    def loss(
        self,
        network: EquationVerifier,
        batch: EquationBatch,
        labels: torch.Tensor,
        weights: torch.Tensor,
        dropout_mask: torch.Tensor | None,
        generator: torch.Generator,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        vectors = network.encode(batch, dropout_mask)
        left, right = vectors[batch.sides].unbind(1)
        logits = network.compare(left, right)
        lengths = (left**2).sum(1) + (right**2).sum(1)
        fit = binary_cross_entropy_with_logits(logits, labels, weights, reduction="sum")
        return fit + self.options["weight"] * (weights * lengths).sum(), logits


if __name__ == "__main__":
    data, out = sys.argv[1:]
    asked = Config(
        data=data, model="tree-lstm", hidden=4, epochs=2, batch_size=25, dropout=0.2, objective="small-vectors"
    )
    train(asked, out)
