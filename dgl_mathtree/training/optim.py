"""The optimizer of a run: Adam with clipping, in C where the cell runs natively too."""

from __future__ import annotations

import torch

from dgl_mathtree.nn import EquationVerifier, TreeModel
from dgl_mathtree.nn.drivers.native.adam import NativeAdam
from dgl_mathtree.training.config import Settings


def make_optimizer(network: EquationVerifier | TreeModel, config: Settings) -> torch.optim.Optimizer:
    """The optimizer of a network's weights.

    Torch's and the one in C agree to rounding. Which it is depends on the driver alone, so that a run that goes on with
    its driver has its optimizer too.
    """
    assert config.lr is not None
    decaying = {id(parameter) for parameter in network.decaying}
    parts = [[p for p in network.parameters() if (id(p) in decaying) is decays] for decays in (True, False)]
    decays = (config.weight_decay, 0.0)
    groups = [{"params": part, "weight_decay": decay} for part, decay in zip(parts, decays, strict=True) if part]
    decoupled = config.decay == "decoupled"
    if network.chosen_driver(next(network.parameters()).device) == "native":
        return NativeAdam(groups, lr=config.lr, decoupled=decoupled)
    kind = torch.optim.AdamW if decoupled else torch.optim.Adam
    return kind(groups, lr=config.lr, fused=True)


def clip(optimizer: torch.optim.Optimizer, limit: float) -> torch.Tensor:
    """Limit the norm of the gradient that the next step will see; the norm that it had."""
    if isinstance(optimizer, NativeAdam):
        return optimizer.clip(limit)
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    # On the CPU torch would take the weights one by one; for mps there are no calls for all of them.
    foreach = True if parameters[0].device.type == "cpu" else None
    return torch.nn.utils.clip_grad_norm_(parameters, limit, foreach=foreach)
