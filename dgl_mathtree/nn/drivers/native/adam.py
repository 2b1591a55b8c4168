"""Clipping and Adam in C: the same steps as torch's, in half the passes over memory."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from typing import Any

import torch

from dgl_mathtree.nn.drivers.native import library
from dgl_mathtree.nn.drivers.native.buffers import zeros_like
from dgl_mathtree.nn.drivers.native.layout import BLOCK


class NativeAdam(torch.optim.Optimizer):
    r"""Adam or AdamW with clipping, for weights on the CPU; for the equations see `torch.optim.AdamW`.

    What it keeps for a parameter has the names and meaning of torch's own (``step``, ``exp_avg``, ``exp_avg_sq``), so
    that a state can be taken up by either. Stretches of a weight that never had a gradient cost next to nothing: a step
    would change them by their decay alone, and their moments have no memory yet.

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
        self._begin()

    def _begin(self) -> None:
        self._library = library.load()
        self._factor = 1.0
        self._awake: dict[torch.nn.Parameter, _Awake] = {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take up a state: a copy's, an unpickled one's, or that of torch's Adam, whose groups lack our settings."""
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("decoupled", group.get("decoupled_weight_decay", self.defaults["decoupled"]))
        self._begin()

    def zero_grad(self, set_to_none: bool = True) -> None:
        """As torch's own, without what it does around it for other devices and its profiler."""
        if not set_to_none:
            super().zero_grad(set_to_none=False)
            return
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.grad = None

    def clip(self, limit: float) -> torch.Tensor:
        """Limit the norm of the gradient for the next step, as `torch.nn.utils.clip_grad_norm_`; the norm it has.

        The gradients stay as they are: the step multiplies them.
        """
        squares = 0.0
        for group in self.param_groups:
            for parameter in group["params"]:
                if (gradient := parameter.grad) is not None:
                    _check_alike(parameter, gradient)
                    if not gradient.is_contiguous():
                        gradient = parameter.grad = gradient.contiguous()
                    squares += self._library.square_norm[parameter.dtype](gradient.numel(), gradient.data_ptr())
        norm = math.sqrt(squares) if squares >= 0 else math.nan
        self._factor = min(1.0, limit / (norm + 1e-6))
        return torch.tensor(norm)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step, with the gradients as `clip` limited them last; with a closure, after it, and its loss."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._move(parameter, group)
        self._factor = 1.0
        return loss

    def _move(self, parameter: torch.nn.Parameter, group: dict[str, Any]) -> None:
        gradient = parameter.grad
        assert gradient is not None
        _check_alike(parameter, gradient)
        state = self.state[parameter]
        if not state:
            state["step"] = torch.tensor(0.0)
            state["exp_avg"], state["exp_avg_sq"] = (zeros_like(parameter) for _ in range(2))
        state["step"] += 1
        settings = self._settings(group, state["step"].item())
        if not gradient.is_contiguous():
            gradient = gradient.contiguous()
        awake = self._awake.get(parameter)
        if awake is None or not awake.holds(parameter, state):
            awake = self._awake[parameter] = _Awake(parameter, state, self._library)
        self._library.adam[parameter.dtype](
            parameter.numel(), parameter.data_ptr(), gradient.data_ptr(), *awake.addresses, settings.buffer_info()[0]
        )
        torch.autograd.graph.increment_version(parameter)

    def _settings(self, group: dict[str, Any], number: float) -> array[float]:
        """What csrc/adam.h calls settings, for a step of some number."""
        (first, second), lr, decay = group["betas"], group["lr"], group["weight_decay"]
        return array("d", (
            self._factor,
            lr / (1 - first**number),
            1 / math.sqrt(1 - second**number),
            1 - first,
            1 - second,
            group["eps"],
            1 - lr * decay if group["decoupled"] else 1.0,
            0.0 if group["decoupled"] else decay,
        ))  # fmt: skip


def _check_alike(parameter: torch.Tensor, other: torch.Tensor) -> None:
    """Refuse what C cannot read: it takes both for arrays of one type and size."""
    if parameter.dtype not in library.SUFFIXES or not parameter.is_cpu or not parameter.is_contiguous():
        raise ValueError(
            "NativeAdam steps contiguous float32 and float64 parameters on the CPU, not one of "
            f"{parameter.dtype} on {parameter.device} with strides {parameter.stride()}; torch.optim.AdamW steps any"
        )
    alike = other.dtype == parameter.dtype and other.shape == parameter.shape and other.is_cpu
    if not alike or other.layout != torch.strided:
        raise ValueError(
            f"a gradient or moment of {other.dtype}, {tuple(other.shape)}, {other.layout} on {other.device} "
            f"does not fit its parameter of {parameter.dtype}, {tuple(parameter.shape)}: "
            "make a new optimizer for a changed network"
        )


class _Awake:
    """Which stretches of a parameter have moments other than 0: looked up again where someone else changed them."""

    def __init__(self, parameter: torch.Tensor, state: dict[str, Any], loaded: library.Library) -> None:
        self.moments = state["exp_avg"], state["exp_avg_sq"]
        for moment in self.moments:
            _check_alike(parameter, moment)
            if not moment.is_contiguous():
                raise ValueError("the moments of NativeAdam must be contiguous")
        self.versions = [moment._version for moment in self.moments]
        mean, square = self.moments
        self.flags = torch.empty(-(-mean.numel() // BLOCK), dtype=torch.uint8)
        self.addresses = mean.data_ptr(), square.data_ptr(), self.flags.data_ptr()
        loaded.find_awake[mean.dtype](mean.numel(), *self.addresses)

    def holds(self, parameter: torch.Tensor, state: dict[str, Any]) -> bool:
        mean, square = self.moments
        same = state["exp_avg"] is mean and state["exp_avg_sq"] is square
        there = (mean.data_ptr(), square.data_ptr()) == self.addresses[:2]
        alike = mean.dtype == parameter.dtype and mean.shape == parameter.shape
        return same and there and alike and [mean._version, square._version] == self.versions
