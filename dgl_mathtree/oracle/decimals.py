"""The sides of an equation as a person reads them: digits that are certain, or bounds where there are none."""

from __future__ import annotations

import math
from typing import Any

from flint import arb, ctx

from dgl_mathtree.arithmetic.arb_balls import set_precision
from dgl_mathtree.oracle.compare import Code, Comparison
from dgl_mathtree.oracle.exact_numbers import End

SHOWN, MOST_SHOWN = 5, 50
"""Digits of the sides: so many, or more of them where that tells them apart, up to this; else the difference does."""
LONGEST_EXPONENT = 15
"""Digits of an exponent that is written out; beyond, only its order is."""
NEXT_TO_ZERO = -30
"""Sides that agree, and are below ten to this, are written as 0."""
UNKNOWN = "not computed"


def certain_digits(found: Comparison) -> tuple[str, str, str]:
    """The sides in decimal digits that are certain, five or as many as tell them apart, and their difference."""
    set_precision(found.bits)
    difference = found.left - found.right
    agree = found.code == Code.EQUAL
    digits = SHOWN
    if not agree and difference.is_finite() and not difference.contains(0):
        larger = max(side.abs_upper().log() for side in (found.left, found.right) if side != 0)
        apart = float((larger - difference.abs_lower().log()).mid()) / math.log(10) + 3
        digits = max(SHOWN, int(apart) if 0 <= apart <= MOST_SHOWN + 1 else SHOWN)
    left, right, gap = (some if some.is_finite() else None for some in (found.left, found.right, difference))
    return _text(left, digits, agree), _text(right, digits, agree), _text(gap, SHOWN, agree)


def bounded(ball: Any, text: str, low: End | None, high: End | None) -> str:
    """What is said of a side: its digits, or bounds that hold at any precision where its ball has none."""
    if ball.is_finite():
        return text
    if low is not None and low.at >= 1:
        return f"above {_at_least(low.at)}"
    if high is not None and high.at <= -1:
        return f"below -{_at_least(-high.at)}"
    if low is not None and low.at == 0 and high is not None and high.at > 0:
        return f"between 0 and {power_of_ten(arb(high.at), up=True)}"
    return text


def _at_least(bound: Any) -> str:
    """A power of ten that a fraction from 1 on is not below."""
    return f"10^{len((bound.p // bound.q).str()) - 1}"


def _text(ball: Any, digits: int, agree: bool) -> str:
    if ball is None:
        return UNKNOWN
    if agree and ball.contains(0) and ball.abs_upper() < arb(10) ** NEXT_TO_ZERO:
        return "0"
    return cut(ball, digits)


def power_of_ten(size: Any, up: bool) -> str:
    """A power of ten that a number above 0 does not exceed (`up`), or is at least.

    Examples
    --------
    >>> power_of_ten(arb(700), True), power_of_ten(arb(700), False)
    ('10^3', '10^2')
    """
    exponent = size.log() / arb(10).log()
    mantissa, shift = (exponent.upper() if up else exponent.lower()).man_exp()
    shift = int(shift)
    rounded = -(-mantissa >> max(-shift, 0)) if up else mantissa >> max(-shift, 0)
    whole = rounded << max(shift, 0)
    if abs(whole) < 10**LONGEST_EXPONENT:
        return f"10^{int(whole)}"
    # Outwards where the exponent counts up to the bound, inwards where it is counted down.
    order = int((whole.bit_length() - 1) * math.log10(2))
    if up == (whole > 0):
        order = int(whole.bit_length() * math.log10(2)) + 1
    return f"10^(10^{order})" if whole > 0 else f"10^-(10^{order})"


def cut(ball: Any, digits: int) -> str:
    """The first digits of a ball, cut off and not rounded; dots stand for those that were left out.

    Examples
    --------
    >>> from flint import arb
    >>> cut(arb.pi(), 6), cut(arb(-3) / 2, 6), cut(arb(10) ** -20 / 7, 3)
    ('3.14159...', '-1.5', '1.42...e-21')
    """
    if ball.is_zero():
        return "0"
    if not ball.is_finite():
        return UNKNOWN
    if ball.contains(0):
        return f"below {power_of_ten(ball.abs_upper(), up=True)} in size"
    # All digits that are certain: fewer would be rounded, and 2.99999999999999 would come out as 3.
    text: str = ball.str(digits + MOST_SHOWN, radius=False)
    if not ball.overlaps(arb(text)):  # so near to another number that it was rounded to it: tanh(1000) is not 1
        text = ball.str(ctx.prec, radius=False)
    mantissa, letter, exponent = text.partition("e")
    if not mantissa.strip("-0.") or len(exponent) > LONGEST_EXPONENT:
        return _order(ball)
    whole, _, decimals = mantissa.partition(".")
    before = len(whole.lstrip("-0"))
    zeros = 0 if before else len(decimals) - len(decimals.lstrip("0"))
    kept = decimals[: max(1, digits + zeros - before)]
    if not decimals[len(kept) :].strip("0"):
        kept = kept.rstrip("0")
        mantissa = f"{whole}.{kept}" if kept else whole
    else:
        mantissa = f"{whole}.{kept}..."
    return mantissa + letter + exponent


def _order(ball: Any) -> str:
    """A bound on a number of which no digits are known, or whose exponent is too long to be read."""
    minus = "-" if ball < 0 else ""
    if ball.abs_lower() > 1:
        return f"{'below' if minus else 'above'} {minus}{power_of_ten(ball.abs_lower(), up=False)}"
    return f"between 0 and {minus}{power_of_ten(ball.abs_upper(), up=True)}"
