"""What a refused proof raises, and the counted budget that bounds the work of a check.

Nothing here looks at a clock: the same proof is accepted or refused on every machine, under any load.
"""

from __future__ import annotations

from dgl_mathtree.errors import InputError

LARGEST_TEXT = 20_000
"""Characters of one expression."""
LARGEST_TREE = 1_500
"""Nodes of one expression."""
DEEPEST_TREE = 120
LONGEST_NUMBER = 400
"""Digits of one number."""
MOST_STEPS = 400
"""Steps of a proof, those of its cases included."""
DEEPEST_BECAUSE = 6
MOST_CONDITIONS = 12
WORK = 40_000_000
"""Units of work of one check: about one for each product of two terms of polynomials."""


class ProofError(InputError):
    """A proof that does not check: the message names the step and the reason."""


class TooMuchWork(ProofError):
    """The budget is spent."""


class Budget:
    """Work that is left, in units of about one product of two terms.

    Parameters
    ----------
    units : int
        What may be spent.

    Examples
    --------
    >>> budget = Budget(10)
    >>> budget.spend(4)
    >>> budget.left
    6
    """

    def __init__(self, units: int = WORK) -> None:
        self.left = units

    def spend(self, units: int) -> None:
        """Count some work.

        Raises
        ------
        TooMuchWork
            If no more is left.
        """
        self.left -= units
        if self.left < 0:
            raise TooMuchWork("the proof takes too much work to check")
