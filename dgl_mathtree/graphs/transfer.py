"""From the host to a device: many small tensors as one copy that nobody waits for."""

from __future__ import annotations

from collections.abc import Sequence

import torch

ALIGNMENT = 8
"""Bytes: the start of every tensor in a packed buffer is a multiple, so that it can be viewed as any type."""


def same_device(one: torch.device, other: torch.device | str) -> bool:
    """Whether a tensor's device is the one that is asked for; without a number, any of its kind.

    Examples
    --------
    >>> same_device(torch.device("cuda:0"), "cuda"), same_device(torch.device("cuda:0"), "cuda:1")
    (True, False)
    """
    other = torch.device(other)
    return one.type == other.type and other.index in (None, one.index)


def on_device(tensor: torch.Tensor, device: torch.device | str) -> torch.Tensor:
    """A tensor on a device; see `all_on_device`."""
    return all_on_device([tensor], device)[0]


def all_on_device(tensors: Sequence[torch.Tensor], device: torch.device | str) -> list[torch.Tensor]:
    """Tensors on a device, by one copy for all those that are not there.

    For CUDA the copy is made from pinned memory, so that neither the host nor the device waits for the other.

    Examples
    --------
    >>> moved = all_on_device([torch.arange(3), torch.tensor([[True, False]])], "meta")
    >>> [(tuple(each.shape), each.dtype) for each in moved]
    [((3,), torch.int64), ((1, 2), torch.bool)]
    """
    waiting = [tensor for tensor in tensors if not same_device(tensor.device, device)]
    if not waiting:
        return list(tensors)
    if any(tensor.device.type != "cpu" for tensor in waiting):
        return [tensor.to(device, non_blocking=torch.device(device).type != "cpu") for tensor in tensors]
    arrived = iter(_copied(waiting, torch.device(device)))
    return [tensor if same_device(tensor.device, device) else next(arrived) for tensor in tensors]


def _copied(tensors: Sequence[torch.Tensor], device: torch.device) -> list[torch.Tensor]:
    """Tensors of the host, packed into one buffer of bytes and copied with it."""
    sizes = [-(-tensor.nbytes // ALIGNMENT) * ALIGNMENT for tensor in tensors]
    pinned = device.type == "cuda" and torch.cuda.is_available()
    packed = torch.empty(sum(sizes), dtype=torch.uint8, pin_memory=pinned)
    for tensor, place in zip(tensors, torch.split(packed, sizes), strict=True):
        _viewed(place, tensor).copy_(tensor)
    moved = packed.to(device, non_blocking=True)
    return [_viewed(place, tensor) for tensor, place in zip(tensors, torch.split(moved, sizes), strict=True)]


def _viewed(place: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Bytes as a tensor of the type and shape of another."""
    return place[: like.nbytes].view(like.dtype).view(like.shape)
