"""Sequences as a graph: each place has the one before it and its token as children, and equal beginnings are shared."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.graphs.plan import Level, LevelPlan, Segment

Ints = NDArray[Any]


def trie_plan(tokens: Ints, lengths: Ints, count: int) -> tuple[LevelPlan, torch.Tensor]:
    """The plan of sequences, in which those that begin alike share the nodes of their beginning.

    Its leaves are the tokens. Every other node has two children: the node before it in its sequence (row 0, the empty
    state, before the first) and its token. All have type 0, and level t holds the places t of all sequences.

    Parameters
    ----------
    tokens : numpy.ndarray
        (sequences, longest), from 0 to count - 1; those beyond the end of a sequence do not matter.
    lengths : numpy.ndarray
        (sequences,), any of which may be 0.
    count : int
        How many tokens there are.

    Returns
    -------
    plan : LevelPlan
    rows : torch.Tensor
        (sequences,), the row where each sequence ends, 0 for one of length 0.

    Examples
    --------
    >>> plan, rows = trie_plan(np.array([[0, 1, 1], [0, 1, 0], [1, 0, 0]]), np.array([3, 3, 1]), count=2)
    >>> plan.children[plan.leaves :].tolist()  # rows 3 to 7: two first places, one second and two third ones
    [[0, 1], [0, 2], [3, 2], [5, 1], [5, 2]]
    >>> rows.tolist()
    [7, 6, 4]
    """
    longest = int(lengths.max(initial=0))
    inside = np.arange(longest) < lengths[:, None]
    padded = np.where(inside, tokens[:, :longest] + 1, 0)  # as rows of the plan, 0 beyond the end
    order = np.argsort(padded.astype(">u4").view(f"V{4 * longest}").reshape(-1)) if longest else np.arange(len(lengths))
    padded, inside = padded[order], inside[order]
    new = inside.copy()  # sorted, a place is new where the sequence has left the one above
    new[1:] &= np.logical_or.accumulate(padded[1:] != padded[:-1], axis=1)
    sizes = new.sum(axis=0)
    starts = count + 1 + np.cumsum(sizes) - sizes
    row = np.zeros((len(padded), longest + 1), dtype=np.int64)  # column 0 is before the first place
    row[:, 1:] = starts + np.cumsum(new, axis=0) - 1
    places, sequences = np.nonzero(new.T)
    children = np.zeros((count + len(places), 2), dtype=np.int64)
    children[count:, 0], children[count:, 1] = row[sequences, places], padded[sequences, places]
    ends = np.empty(len(padded), dtype=np.int64)
    ends[order] = row[np.arange(len(padded)), lengths[order]]
    total = len(children)
    levels = tuple(
        Level(start, start + size, (Segment(0, 2, size),), 2)
        for start, size in zip(starts.tolist(), sizes.tolist(), strict=True)
    )
    plan = LevelPlan(
        torch.arange(total), torch.arange(1, total + 1), count, torch.from_numpy(children),
        torch.zeros(total, dtype=torch.int64), levels,
    )  # fmt: skip
    return plan.trusted(), torch.from_numpy(ends)
