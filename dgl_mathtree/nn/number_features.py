"""Vectors of numbers from their values, so that no number is unknown.

A number is described by what matters to arithmetic: its sign and size, whether it is whole, which small primes divide
numerator and denominator, and what it leaves modulo small numbers. A small network turns that into a vector.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import torch
from torch import nn

from dgl_mathtree.language.vocabulary import is_number

PRIMES = (2, 3, 5, 7, 11, 13)
MODULI = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12)
WAVES = (1, 2, 4, 8)
LONGEST = 300
"""Digits that are looked at: a longer number is described by its beginning and its length."""


@lru_cache(maxsize=4096)
def number_features(word: str) -> tuple[float, ...]:
    """What a number is like, as numbers of about the size of 1.

    Examples
    --------
    >>> [round(value, 2) for value in number_features("-6")[:8]]
    [-1.0, 1.0, 0.0, 0.97, 0.0, 0.9, -1.0, -0.76]
    """
    if not is_number(word):
        raise ValueError(f"{word!r} is not a number")
    value, digits = _fraction(word)
    top, bottom = abs(value.numerator), value.denominator
    log_top, log_bottom = _log(top) + digits * math.log(10), _log(bottom)
    size = (log_top - log_bottom) if top else 0.0
    sign = (value > 0) - (value < 0)
    small = sign * math.exp(min(size, 30.0)) if top else 0.0
    features = [
        float(sign),
        float(bottom == 1),
        float("." in word),
        math.log1p(math.exp(min(log_top, 30.0))) / 2 if top else 0.0,
        log_bottom / 2,
        size / 2,
        max(-1.0, min(1.0, small / 4)),
        math.tanh(small / 6),
    ]
    rest = 0.0
    for number, direction in ((top, 1), (bottom, -1)):
        for prime in PRIMES:
            count = 0
            while number and number % prime == 0:
                number //= prime
                count += 1
            features.append(direction * min(count, 6) / 2)
        rest += _log(number)
    features.append(rest / 2)
    for modulus in MODULI:
        turn = 2 * math.pi * (int(value) % modulus) / modulus if bottom == 1 else 0.0
        features += [math.cos(turn) * (bottom == 1), math.sin(turn)]
    for wave in WAVES:
        features += [math.sin(wave * size), math.cos(wave * size)]
    return tuple(features)


def _fraction(word: str) -> tuple[Fraction, int]:
    """The number, and how many powers of ten were cut off its end."""
    if len(word) <= LONGEST:
        return Fraction(word), 0
    whole = word.partition("/")[0].partition(".")[0]
    return Fraction(whole[:LONGEST]), max(len(whole) - LONGEST, 0)


def _log(number: int) -> float:
    return math.log(number) if number else 0.0


FEATURES = len(number_features("1"))


class NumberEncoder(nn.Module):
    r"""Vectors of numbers: :math:`V \tanh(W f + b)` of their features f.

    Parameters
    ----------
    size : int
        Size of the vectors.
    scale : float
        Roughly the standard deviation of the vectors at first.

    Examples
    --------
    >>> import torch
    >>> features = torch.tensor([number_features(word) for word in ("3", "-17", "355/113")])
    >>> NumberEncoder(8, 0.1)(features).shape
    torch.Size([3, 8])
    """

    def __init__(self, size: int, scale: float) -> None:
        super().__init__()
        self.inner = nn.Linear(FEATURES, 2 * size)
        self.outer = nn.Linear(2 * size, size, bias=False)
        self.scale = scale
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        nn.init.uniform_(self.inner.weight, -(FEATURES**-0.5), FEATURES**-0.5)
        nn.init.zeros_(self.inner.bias)
        nn.init.normal_(self.outer.weight, std=2 * self.scale * self.outer.in_features**-0.5)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """(numbers, n): the vectors of numbers with some features (numbers, FEATURES)."""
        vectors: torch.Tensor = self.outer(torch.tanh(self.inner(features)))
        return vectors
