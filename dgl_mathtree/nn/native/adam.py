"""Clipping and Adam in C: the same steps as torch's, in half the passes over memory."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import torch

from dgl_mathtree.nn.native import library


class NativeAdam(torch.optim.Optimizer):
    r"""Adam or AdamW with clipping, for weights on the CPU; for the equations see `torch.optim.AdamW`.

    What it keeps for a parameter has the names and meaning of torch's own (``step``, ``exp_avg``, ``exp_avg_sq``), so
    that a state can be taken up by either.

    Parameters
    ----------
    params : iterable
        Parameters, or groups of them.
    lr : float
        Learning rate.
    betas : tuple of float
        How fast the moments forget.
    eps : float
        Added to the root of the second moment.
    weight_decay : float
        How much the weights decay.
    decoupled : bool
        Whether they decay by themselves (AdamW), or through the gradient (Adam).

    Examples
    --------
    >>> import torch
    >>> weight = torch.nn.Parameter(torch.ones(3))
    >>> adam = NativeAdam([weight], lr=0.1)
    >>> (4 * weight.square().sum()).backward()
    >>> norm = adam.clip(1.0)
    >>> adam.step()
    >>> weight.detach()
    tensor([0.9000, 0.9000, 0.9000])
    """

    def __init__(
        self,
        params: Any,
        lr: float,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        decoupled: bool = True,
    ) -> None:
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "decoupled": decoupled}
        super().__init__(params, defaults)
        self._library = library.load()
        self._factor = 1.0

    def clip(self, limit: float) -> torch.Tensor:
        """Limit the norm of the gradient for the next step, as `torch.nn.utils.clip_grad_norm_`; the norm it has.

        The gradients stay as they are: the step multiplies them.
        """
        squares = 0.0
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    parameter.grad = parameter.grad.contiguous()
                    norm = self._library.square_norm[parameter.dtype]
                    squares += norm(parameter.numel(), parameter.grad.data_ptr())
        norm = math.sqrt(squares) if squares >= 0 else math.nan
        self._factor = min(1.0, limit / (norm + 1e-6))
        return torch.tensor(norm)

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """One step, with the gradients as `clip` limited them last."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._move(parameter, group)
        self._factor = 1.0

    def _move(self, parameter: torch.nn.Parameter, group: dict[str, Any]) -> None:
        state = self.state[parameter]
        if not state:
            state["step"] = torch.tensor(0.0)
            state["exp_avg"], state["exp_avg_sq"] = (torch.zeros_like(parameter) for _ in range(2))
        state["step"] += 1
        number, (first, second), lr = state["step"].item(), group["betas"], group["lr"]
        decay = group["weight_decay"]
        settings = (ctypes.c_double * 8)(
            self._factor,
            lr / (1 - first**number),
            1 / math.sqrt(1 - second**number),
            1 - first,
            1 - second,
            group["eps"],
            1 - lr * decay if group["decoupled"] else 1.0,
            0.0 if group["decoupled"] else decay,
        )
        assert parameter.grad is not None
        arrays = (parameter, parameter.grad.contiguous(), state["exp_avg"], state["exp_avg_sq"])
        addresses = (array.data_ptr() for array in arrays)
        self._library.adam[parameter.dtype](parameter.numel(), *addresses, ctypes.addressof(settings))
        torch.autograd.graph.increment_version(parameter)
