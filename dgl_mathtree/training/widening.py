"""Weights of a network put into a larger one of the same kind, which then starts with what the smaller one knows."""

from __future__ import annotations

import torch

from dgl_mathtree.training.config import RunError


def widened(fresh: torch.Tensor, narrow: torch.Tensor, sizes: tuple[int, int], name: str) -> torch.Tensor:
    """A tensor of a larger network: that of a smaller one, and fresh values for the coordinates that it lacks.

    Every axis that depends on the size of the vectors has a number of blocks, one a child, gate or layer. The first
    coordinates of each block are the smaller network's. They stay what they were, since no fresh coordinate of an input
    (axis 1) reaches an old one of the output.

    Parameters
    ----------
    fresh : torch.Tensor
        As the larger network was made.
    narrow : torch.Tensor
        Of as many axes, each as long or shorter in proportion.
    sizes : tuple of int
        Of the vectors of the larger and of the smaller network.
    name : str
        For the message of the RunError that shapes of other kinds raise.

    Examples
    --------
    >>> widened(torch.full((1, 2, 4), 9.0), torch.tensor([[[1.0, 2.0]]]), (2, 1), "gate")  # two gates of size 2, not 1
    tensor([[[1., 9., 2., 9.],
             [0., 9., 0., 9.]]])
    """
    if fresh.shape == narrow.shape:
        return narrow.to(fresh)
    old = [_old_coordinates(long, short, sizes, name) for long, short in zip(fresh.shape, narrow.shape, strict=True)]
    result = fresh.clone()
    grown = [axis for axis, some in enumerate(old) if len(some) < fresh.shape[axis]]
    if len(grown) > 1 and 1 in grown:
        others = [some if axis in grown else torch.arange(fresh.shape[axis]) for axis, some in enumerate(old)]
        others[1] = torch.tensor(sorted(set(range(fresh.shape[1])) - set(old[1].tolist())))
        result[torch.meshgrid(*others, indexing="ij")] = 0.0
    result[torch.meshgrid(*old, indexing="ij")] = narrow.to(fresh)
    return result


def _old_coordinates(long: int, short: int, sizes: tuple[int, int], name: str) -> torch.Tensor:
    """Where the smaller network's coordinates stand along an axis of the larger one's."""
    if long == short:
        return torch.arange(long)
    new, size = sizes
    blocks, rest = divmod(short, size)
    if rest or blocks * new != long:
        raise RunError(f"cannot widen {name}: an axis of {short} does not become one of {long}")
    return (torch.arange(blocks)[:, None] * new + torch.arange(size)).flatten()
