"""Counts what a GPU would have to do: kernels that are launched, and waits of the host."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

NO_KERNEL = {
    "detach",
    "alias",
    "empty",
    "new_empty",
    "empty_like",
    "empty_strided",
    "new_empty_strided",
    "_unsafe_view",
}
"""Beside views: what makes a tensor without computing it."""
WAITS = {
    "_local_scalar_dense", "item", "is_nonzero", "equal", "nonzero", "masked_select", "bincount", "unique_dim",
    "_unique", "_unique2", "unique_consecutive", "unique_dim_consecutive", "repeat_interleave", "histc",
}  # fmt: skip
"""What gives the host a number, or a tensor whose shape depends on numbers of the device."""


class Launches(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Every operation that reaches torch's dispatcher below autograd, and is not a view, counts as one launch.

    On a GPU some take two or three kernels (a sort, an index_add with duplicates) and none takes fewer than one.
    Operations that work on a list of tensors, as those of Adam and of clipping, are one launch.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.launches: Counter[str] = Counter()
        self.waits: Counter[str] = Counter()

    @property
    def count(self) -> int:
        return self.launches.total()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        if name in WAITS or (name == "index" and any(_is_mask(each) for each in args[1])):
            self.waits[name] += 1
        if func.namespace == "aten" and not func.is_view and name not in NO_KERNEL:
            self.launches[name] += 1
        return func(*args, **(kwargs or {}))


def _is_mask(index: Any) -> bool:
    """Whether an index selects by True and False: how many it selects is a number that the host needs."""
    return isinstance(index, torch.Tensor) and index.dtype in (torch.bool, torch.uint8)
