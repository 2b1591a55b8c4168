"""Heads: how the vectors of an equation's two sides become one number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.nn.functional import cosine_similarity


@dataclass(frozen=True)
class Head:
    """A row of `HEADS`.

    Attributes
    ----------
    similarity : callable
        From two tensors (..., n) to (...).
    beta : float
        Where the learned constant that is added starts.
    scale : float, optional
        Where the learned factor of the similarity starts; None where there is none.
    output : bool
        Whether a learned matrix maps the vectors of both sides to what is compared.
    """

    similarity: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    beta: float = 0.0
    scale: float | None = None
    output: bool = False


def dot(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """The dot product of vectors (..., n) and (..., n).

    Examples
    --------
    >>> dot(torch.tensor([[1.0, 2.0], [0.0, 1.0]]), torch.tensor([3.0, 4.0]))
    tensor([11.,  4.])
    """
    return (left * right).sum(dim=-1)


def cosine(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """The cosine of the angle between vectors (..., n) and (..., n).

    Examples
    --------
    >>> cosine(torch.tensor([[3.0, 0.0], [0.0, 2.0]]), torch.tensor([1.0, 0.0]))
    tensor([1., 0.])
    """
    return cosine_similarity(left, right, dim=-1)


HEADS: dict[str, Head] = {
    "dot": Head(dot),
    "cosine": Head(cosine, beta=-4.0, scale=8.0),
    "output": Head(dot, output=True),
}
"""The heads there are. Equal vectors start with a logit of 4 under ``cosine``, orthogonal ones with -4."""
