"""When the maps of a level are one batched product instead of one product a segment.

A batched product takes few calls, but copies of the weights and some rows that nobody reads. On a GPU the calls are
what costs, so it is taken there; on a CPU it would be slower (tree-lstm at batch 50: 12 ms a step instead of 7).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch

MOST_COPIED = 2**27
"""Bytes of weights that are copied at once at most: beyond, they are copied level by level."""

_always: ContextVar[bool] = ContextVar("always", default=False)


@contextmanager
def always_grouped() -> Iterator[None]:
    """Compute on a CPU as on a GPU, to test it or to count its calls.

    Examples
    --------
    >>> with always_grouped():
    ...     is_grouped(torch.device("cpu"))
    True
    """
    token = _always.set(True)
    try:
        yield
    finally:
        _always.reset(token)


def is_grouped(device: torch.device) -> bool:
    """Whether the maps of a level are one batched product on a device."""
    return device.type != "cpu" or _always.get()
