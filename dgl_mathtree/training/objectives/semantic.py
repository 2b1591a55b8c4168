"""The semantic objective: beside the equation's label, the values of all its subexpressions are learnt from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from dgl_mathtree.graphs import EquationBatch
from dgl_mathtree.graphs.transfer import all_on_device, on_device
from dgl_mathtree.nn import MODELS, EquationVerifier
from dgl_mathtree.training.calibrate import calibrate
from dgl_mathtree.training.objectives.contrast import contrast, relations
from dgl_mathtree.training.objectives.objective import Objective, register

if TYPE_CHECKING:
    from dgl_mathtree.data.dataset import EquationDataset
    from dgl_mathtree.training.config import Config


@register
class Semantic(Objective):
    r"""Binary cross-entropy as in `Verification`, and the contrast of all distinct nodes of the batch by their values.

    .. math::
        L = L_{verification} + \lambda L_{contrast}

    Nodes of incorrect equations count as well: they are expressions like any other. At the end :math:`\beta`, and
    :math:`s` where the head has one, are fitted on validation.

    Options are ``weight`` (:math:`\lambda`), ``temperature`` (:math:`\tau` of `contrast`), ``nodes`` (how many nodes of
    a batch are contrasted at most, the sides of its equations first) and ``points`` (in each region of `value_keys`).
    """

    name = "semantic"
    defaults: ClassVar[Mapping[str, bool | int | float | str]] = {
        "weight": 1.0,
        "temperature": 0.1,
        "nodes": 1024,
        "points": 4,
    }

    def __init__(self, config: Config, data: EquationDataset) -> None:
        super().__init__(config, data)
        self.keys = data.value_keys(self.options["points"])

    @classmethod
    def check(cls, model: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """See `Objective.check`."""
        if not MODELS[model].is_cell:
            raise ValueError(f"the objective {cls.name} needs a recursive model: {model} has no vectors of nodes")
        checked = super().check(model, options)
        for name, least in (("weight", 0), ("nodes", 2), ("points", 1)):
            if checked[name] < least:
                raise ValueError(f"option {name!r} must be at least {least}, not {checked[name]!r}")
        if checked["temperature"] <= 0:
            raise ValueError(f"option 'temperature' must be above 0, not {checked['temperature']!r}")
        return checked

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
        vectors = network.encode(batch, dropout_mask)
        sides = vectors.index_select(0, on_device(batch.side_nodes, vectors.device))
        left, right = sides.view(len(batch), 2, -1).unbind(1)
        logits = network.compare(left, right)
        loss = binary_cross_entropy_with_logits(logits, labels, weights, reduction="sum")
        chosen = self._chosen(batch, generator)
        if len(chosen) < 2 or self.options["weight"] == 0:
            return loss, logits
        pairs = relations(self.keys[batch.node[chosen]])
        same, open_, nodes = all_on_device([*pairs, torch.from_numpy(chosen)], vectors.device)
        term = contrast(vectors.index_select(0, nodes), same, open_, self.options["temperature"])
        return loss + self.options["weight"] * weights.sum() * term, logits

    def _chosen(self, batch: EquationBatch, generator: torch.Generator) -> np.ndarray:
        """The nodes to contrast: those with a value, if there are too many the sides and some others."""
        known = (self.keys[batch.node] != 0).any(axis=1)
        most = self.options["nodes"]
        if known.sum() <= most:
            return np.flatnonzero(known)
        is_side = np.zeros(len(known), dtype=bool)
        is_side[batch.sides.numpy().reshape(-1)] = True
        if generator.device.type != "cpu":  # drawn there, they would have to be waited for
            generator = torch.Generator().manual_seed(generator.initial_seed())
        draw = torch.rand(len(known), generator=generator).numpy()
        order = np.lexsort((draw, ~is_side, ~known))
        return np.sort(order[:most])

    def finish(self, network: EquationVerifier, data: EquationDataset) -> dict[str, Any]:
        """Fit the head to the validation equations; see `Objective.finish`."""
        return calibrate(network, data)
