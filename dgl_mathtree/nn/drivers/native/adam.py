"""Clipping and Adam in C: the same steps as torch's, in half the passes over memory."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from functools import wraps
from itertools import groupby
from typing import Any

import numpy as np
import torch
from torch.optim import Optimizer, optimizer

from dgl_mathtree.nn.drivers.native import library
from dgl_mathtree.nn.drivers.native.buffers import zeros_like
from dgl_mathtree.nn.drivers.native.layout import BLOCK

FIELDS = 8
"""Of AdamStep in csrc/interface.h."""


class NativeAdam(Optimizer):
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
        self._library = library.load_library()
        self._factor = 1.0
        self._known: dict[int, _Moments] = {}

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
        for dtype, run in groupby(self._with_gradients(), key=lambda each: each[0].dtype):
            gradients = [gradient for _, gradient, _ in run]
            table = array("q", [number for g in gradients for number in (g.numel(), g.data_ptr())])
            squares = self._library.square_norms[dtype](len(gradients), table.buffer_info()[0], squares)
        norm = math.sqrt(squares) if squares >= 0 else math.nan
        self._factor = min(1.0, limit / (norm + 1e-6))
        return torch.from_numpy(np.ndarray((), np.float32, array("f", [norm])))  # torch.tensor takes ten times as long

    @staticmethod
    def profile_hook_step(func: Callable[..., Any]) -> Callable[..., Any]:
        """What torch makes `step` into: without what it does around a step where nobody listens."""
        heard: Callable[..., Any] = Optimizer.profile_hook_step(func)

        @wraps(func)
        def step(self: NativeAdam, *arguments: Any, **named: Any) -> Any:
            listeners = (
                self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks,
                *(getattr(optimizer, f"_global_optimizer_{when}_hooks", True) for when in ("pre", "post")),
            )  # fmt: skip
            quiet = not any(listeners) and not torch.autograd._profiler_enabled()  # type: ignore[attr-defined]
            return (func if quiet else heard)(self, *arguments, **named)

        return step

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step, with the gradients as `clip` limited them last; with a closure, after it, and its loss."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        found = self._with_gradients()
        settings = {id(group): self._settings(group) for group in self.param_groups}
        tables: dict[torch.dtype, list[int]] = {}
        for parameter, gradient, group in found:
            tables.setdefault(parameter.dtype, []).extend((
                gradient.numel(), parameter.data_ptr(), gradient.data_ptr(), *self._moments_of(parameter).addresses,
                settings[id(group)].buffer_info()[0],
            ))  # fmt: skip
        for dtype, rows in tables.items():
            table = array("q", rows)
            self._library.adam[dtype](len(rows) // FIELDS, table.buffer_info()[0])
        torch.autograd.graph.increment_version([parameter for parameter, _, _ in found])
        self._factor = 1.0
        return loss

    def _with_gradients(self) -> list[tuple[torch.nn.Parameter, torch.Tensor, dict[str, Any]]]:
        """The parameters that have a gradient, the gradients as C reads them, and the groups."""
        found = []
        for group in self.param_groups:
            for parameter in group["params"]:
                if (gradient := parameter.grad) is not None:
                    _check_alike(parameter, gradient)
                    if not gradient.is_contiguous():
                        gradient = parameter.grad = gradient.contiguous()
                    found.append((parameter, gradient, group))
        return found

    def _moments_of(self, parameter: torch.nn.Parameter) -> _Moments:
        state, known = self.state[parameter], self._known.get(id(parameter))
        if not state:
            state["step"] = torch.tensor(0.0)
            state["exp_avg"], state["exp_avg_sq"] = (zeros_like(parameter) for _ in range(2))
        if known is None or not known.holds(parameter, state):
            known = self._known[id(parameter)] = _Moments(parameter, state, self._library)
        return known

    def _settings(self, group: dict[str, Any]) -> array[float]:
        """What csrc/adam.h calls settings."""
        lr, decay = group["lr"], group["weight_decay"]
        shrink, l2 = (1 - lr * decay, 0.0) if group["decoupled"] else (1.0, decay)
        return array("d", (self._factor, lr, *group["betas"], group["eps"], shrink, l2))


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


class _Moments:
    """The moments of a parameter, and which stretches of them are other than 0: looked up again where someone else
    changed them."""

    def __init__(self, parameter: torch.Tensor, state: dict[str, Any], loaded: library.Library) -> None:
        number = state["step"]
        if not isinstance(number, torch.Tensor) or number.dtype != torch.float32 or not number.is_cpu:
            number = state["step"] = torch.tensor(float(number))
        self.state, self.number, self.moments = state, number, (state["exp_avg"], state["exp_avg_sq"])
        for moment in self.moments:
            _check_alike(parameter, moment)
            if not moment.is_contiguous():
                raise ValueError("the moments of NativeAdam must be contiguous")
        self.versions = [moment._version for moment in self.moments]
        mean, square = self.moments
        self.flags = torch.empty(-(-mean.numel() // BLOCK), dtype=torch.uint8)
        self.addresses = mean.data_ptr(), square.data_ptr(), self.flags.data_ptr(), number.data_ptr()
        loaded.find_awake[mean.dtype](mean.numel(), *self.addresses[:3])

    def holds(self, parameter: torch.Tensor, state: dict[str, Any]) -> bool:
        (mean, square), number = self.moments, self.number
        if state is not self.state or state["exp_avg"] is not mean or state["exp_avg_sq"] is not square:
            return False
        addresses = mean.data_ptr(), square.data_ptr(), self.addresses[2], number.data_ptr()
        there = state["step"] is number and addresses == self.addresses
        alike = mean.dtype == parameter.dtype and mean.shape == parameter.shape
        return there and alike and [mean._version, square._version] == self.versions
