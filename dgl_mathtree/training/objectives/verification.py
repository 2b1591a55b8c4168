"""Verification: is the equation correct? The paper's objective."""

from __future__ import annotations

import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from dgl_mathtree.graphs import EquationBatch
from dgl_mathtree.nn import EquationVerifier
from dgl_mathtree.training.objectives.objective import Objective, register


@register
class Verification(Objective):
    r"""Binary cross-entropy of the head's logit :math:`\ell_i` against the label :math:`y_i`.

    .. math::
        L = -\sum_i w_i \left( y_i \log \sigma(\ell_i) + (1 - y_i) \log \sigma(-\ell_i) \right)
    """

    name = "verification"

    def loss(
        self,
        network: EquationVerifier,
        batch: EquationBatch,
        labels: torch.Tensor,
        weights: torch.Tensor,
        dropout_mask: torch.Tensor | None,
        generator: torch.Generator,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """See `Objective.loss`."""
        logits = network(batch, dropout_mask)
        return binary_cross_entropy_with_logits(logits, labels, weights, reduction="sum"), logits
