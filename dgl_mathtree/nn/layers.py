"""The layers that classifiers of trees have above the cell: on one vector, or on two that are compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import nn

from dgl_mathtree.nn.cell import check_choice, check_whole

COMBINATIONS: dict[str, tuple[int, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]]] = {
    "concatenation": (2, lambda one, other: torch.cat([one, other], dim=-1)),
    "product": (1, torch.mul),
    "difference": (1, torch.sub),
    "distance": (1, lambda one, other: (one - other).abs()),
}
"""What a linear map may see of two vectors (..., n): how many times n numbers, and which."""
BILINEAR = "bilinear"
"""Beside them, or alone: a bilinear form of the two vectors for each output."""
ACTIVATIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {"tanh": torch.tanh, "relu": torch.relu}
"""What stands between two layers."""


class Layers(nn.Module):
    r"""A linear map from vectors to outputs, or two with a hidden layer between:

    .. math::
        y = W_2\, \mathrm{act}(W_1 x + b_1) + b_2

    Parameters
    ----------
    size : int
        Of the vectors.
    outputs : int
        How many.
    hidden : int
        Size of the hidden layer, 0 for none.
    activation : str
        A name of `ACTIVATIONS`.

    Examples
    --------
    >>> Layers(8, outputs=3, hidden=16)(torch.zeros(5, 8)).shape
    torch.Size([5, 3])
    """

    def __init__(self, size: int, outputs: int, hidden: int = 0, activation: str = "tanh") -> None:
        super().__init__()
        _check(outputs, hidden, activation)
        self.first = nn.Linear(size, hidden or outputs)
        self.second = nn.Linear(hidden, outputs) if hidden else None
        self._between = ACTIVATIONS[activation]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(..., outputs) from (..., size)."""
        y: torch.Tensor = self.first(x)
        return y if self.second is None else self.second(self._between(y))


class PairLayers(nn.Module):
    r"""The same on two vectors, whose first map sees combinations of them, and a bilinear form if wanted:

    .. math::
        W_1 [a; b; a \odot b; \dots] + a^\top V b + b_1

    Parameters
    ----------
    size : int
        Of each vector.
    outputs : int
        How many.
    combine : sequence of str
        Names of `COMBINATIONS`, and ``bilinear`` for the form.
    hidden, activation
        See `Layers`.

    Examples
    --------
    >>> a, b = torch.zeros(2, 5, 8)
    >>> PairLayers(8, outputs=7, hidden=16, combine=["concatenation", "bilinear"])(a, b).shape
    torch.Size([5, 7])
    """

    def __init__(
        self, size: int, outputs: int, combine: Sequence[str], hidden: int = 0, activation: str = "tanh"
    ) -> None:
        super().__init__()
        _check(outputs, hidden, activation)
        for name in combine:
            check_choice("combine", name, [*COMBINATIONS, BILINEAR])
        if not combine:
            raise ValueError(f"combine must name one of {', '.join([*COMBINATIONS, BILINEAR])} at least")
        self._combine = [COMBINATIONS[name] for name in combine if name != BILINEAR]
        width = size * sum(times for times, _ in self._combine)
        self.first = nn.Linear(width, hidden or outputs) if width else None
        self.form = nn.Bilinear(size, size, hidden or outputs, bias=not width) if BILINEAR in combine else None
        self.second = nn.Linear(hidden, outputs) if hidden else None
        self._between = ACTIVATIONS[activation]

    def forward(self, one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        """(..., outputs) from two of (..., size)."""
        parts = []
        if self.first is not None:
            parts.append(self.first(torch.cat([combination(one, other) for _, combination in self._combine], dim=-1)))
        if self.form is not None:
            parts.append(self.form(one, other))
        y: torch.Tensor = parts[0] if len(parts) == 1 else parts[0] + parts[1]
        return y if self.second is None else self.second(self._between(y))


def _check(outputs: int, hidden: int, activation: str) -> None:
    check_choice("activation", activation, list(ACTIVATIONS))
    check_whole("outputs", outputs)
    check_whole("hidden", hidden, least=0)
