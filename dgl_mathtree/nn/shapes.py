"""Networks of shapes alone, to check files and count weights without the memory that the weights would take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class _NoInitialisation(TorchFunctionMode):
    """Leaves new weights as they are: where they have no values, torch would import its compiler to draw some."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if getattr(func, "__module__", None) == torch.nn.init.__name__:
            return kwargs["tensor"]
        return func(*args, **(kwargs or {}))


@contextmanager
def shapes_alone() -> Iterator[None]:
    """Within it new networks have shapes and no values, however large they are.

    Examples
    --------
    >>> with shapes_alone():
    ...     linear = torch.nn.Linear(10**9, 10**9)
    >>> linear.weight.shape, linear.weight.is_meta
    (torch.Size([1000000000, 1000000000]), True)
    """
    with torch.device("meta"), _NoInitialisation():
        yield
