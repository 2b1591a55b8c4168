"""Backward passes that have no gradient of their own, and say so."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch.autograd.function import once_differentiable as _detached


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """As torch's own, but an error wherever a second gradient is asked for, as ``create_graph=True`` does.

    Torch's gives a gradient that is a constant where what comes in is one: a penalty on it would have no effect.
    """
    plain = _detached(backward)

    @wraps(backward)
    def checked(ctx: Any, *gradients: Any) -> Any:
        if torch.is_grad_enabled():
            raise RuntimeError("a cell's gradient cannot be differentiated again: leave out create_graph=True")
        return plain(ctx, *gradients)

    return checked
