"""Memory that is used again: fresh pages from the system cost more than what is computed in them."""

from __future__ import annotations

import math
import mmap
import sys
import threading
from collections.abc import Hashable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

MOST_BYTES = 1 << 27
"""Larger arrays are not kept."""
LARGE = 1 << 18
"""Bytes from which on an array has pages of its own."""
MOST_ARRAYS = 4
"""For one purpose; who holds more of them at once gets memory that is not used again."""
_DTYPES: dict[torch.dtype, np.dtype[Any]] = {torch.float32: np.dtype(np.float32), torch.float64: np.dtype(np.float64)}


def _unused(arrays: list[NDArray[Any]], references: int) -> NDArray[Any] | None:
    """The first array with as many references as it has when nothing outside of this file refers to it."""
    for array in arrays:
        if sys.getrefcount(array) == references:
            return array
    return None


_ALONE = next(count for count in range(1, 9) if _unused([np.empty(0)], count) is not None)
"""How many references that are: counted here, since versions of Python differ."""


def _zeros(size: int, kind: np.dtype[Any]) -> NDArray[Any]:
    """Zeros: large arrays of pages that cost nothing until they are written to."""
    length = size * kind.itemsize
    if length < LARGE or not hasattr(mmap, "MAP_PRIVATE"):
        return np.zeros(size, kind)
    return np.frombuffer(mmap.mmap(-1, length, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), kind)


class Pool(threading.local):
    """Arrays by what they are for. Every thread has its own, so that none is handed out twice.

    A tensor holds its array for as long as the tensor, a view of it or an autograd graph that saved it is alive; only
    then is the array handed out again. It may hold anything but, where it is new, zeros that cost no memory yet.
    """

    def __init__(self) -> None:
        self._arrays: dict[tuple[Hashable, torch.dtype], list[NDArray[Any]]] = {}

    def take(
        self, purpose: Hashable, shape: int | tuple[int, ...], dtype: torch.dtype, spare: bool = True
    ) -> torch.Tensor:
        """A tensor of some numbers.

        Parameters
        ----------
        purpose : hashable
            What it is for; sizes for one purpose should be alike.
        shape : int or tuple of int
            How many numbers there are.
        dtype : torch.dtype
            float32 or float64.
        spare : bool
            Whether to make a new array larger than it is needed now, for sizes that vary.
        """
        kind, count = _DTYPES[dtype], shape if isinstance(shape, int) else math.prod(shape)
        arrays = self._arrays.setdefault((purpose, dtype), [])
        array = _unused(arrays, _ALONE)
        if array is None or array.size < count:
            size = count + count // 4 if spare else count
            fresh = _zeros(size, kind)
            if size * kind.itemsize <= MOST_BYTES:
                if array is not None:
                    arrays[:] = [each for each in arrays if each is not array]
                if len(arrays) < MOST_ARRAYS:
                    arrays.append(fresh)
            array = fresh
        found = array if array.size == count else array[:count]
        return torch.from_numpy(found if isinstance(shape, int) else found.reshape(shape))


def zeros_like(tensor: torch.Tensor) -> torch.Tensor:
    """Zeros of a tensor's shape and type, that cost no memory where they stay so."""
    return torch.from_numpy(_zeros(tensor.numel(), _DTYPES[tensor.dtype])).view(tensor.shape)
