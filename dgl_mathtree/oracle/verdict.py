"""What the oracle says of an equation, and on what grounds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from dgl_mathtree.notebook import Record

Verdict = Literal["true", "false", "branch", "undefined", "undecided"]
Method = Literal["float", "certified"]

_FARTHEST = Fraction(10) ** 300
ENOUGH_DEFINED = 12
FALSE_SHARE = 0.1
FLOAT_BITS = 53


@dataclass(frozen=True)
class Witness:
    """A point, and the two sides of an equation there.

    Parameters
    ----------
    point : dict of str to Fraction
        The value of each variable, exactly.
    left, right : str
        The sides as decimal numbers. From ball arithmetic, their first digits, five or as many as tell the sides apart.
    difference : str
        Left less right.
    bits : int
        The precision that this was computed with; 53 is floating point, more is ball arithmetic.
    taken : bool
        Whether it rests on a subexpression that was taken to be on the edge of a domain, because no number of bits
        that was tried told it from the edge. Then it is not a proof.
    """

    point: dict[str, Fraction]
    left: str
    right: str
    difference: str
    bits: int
    taken: bool = False

    @property
    def certified(self) -> bool:
        """Whether ball arithmetic proves what it shows."""
        return self.bits > FLOAT_BITS and not self.taken

    @property
    def where(self) -> str:
        """The point in words."""
        return ", ".join(f"{name} = {_written(str(value))}" for name, value in self.point.items())

    def __str__(self) -> str:
        where = self.where
        values = f"left {self.left}, right {self.right}"
        alike = self.left == self.right or "99999..." in f"{self.left} {self.right}"  # 0.99999... beside 1
        if alike and self.difference != "0":
            values += f", left - right {self.difference}"
        if self.taken:
            values += ", not proven: a part was taken to be on the edge of a domain"
        elif self.bits == FLOAT_BITS:
            values += ", in floating point"
        return f"at {where}: {values}" if where else values

    def to_json(self) -> dict[str, object]:
        """The witness as `mathtree oracle --json` prints it."""
        return {
            "point": {name: str(value) for name, value in self.point.items()},
            "left": self.left,
            "right": self.right,
            "difference": self.difference,
            "bits": self.bits,
            "taken": self.taken,
        }


def nearest_float(value: Fraction) -> float:
    """The float next to a coordinate, which may be beyond what floats hold.

    Examples
    --------
    >>> nearest_float(Fraction(10) ** 320), nearest_float(Fraction(1, 4))
    (1e+300, 0.25)
    """
    return float(max(-_FARTHEST, min(_FARTHEST, value)))


def _written(value: str) -> str:
    """A coordinate, a long power of ten as such.

    Examples
    --------
    >>> _written("-1/1" + "0" * 320), _written("1000")
    ('-10^-320', '1000')
    """
    found = re.fullmatch(r"(-?)(1/)?1(0{32,})", value)
    return f"{found[1]}10^{'-' if found[2] else ''}{len(found[3])}" if found else value


@dataclass(frozen=True)
class Tested:
    """What a `true` that is not proved rests on.

    Parameters
    ----------
    points : int
        At how many points the sides agree.
    low, high : float, optional
        The smallest and the largest value of a variable there; None without variables.
    """

    points: int
    low: float | None = None
    high: float | None = None

    def to_json(self) -> dict[str, object]:
        """As `mathtree oracle --json` prints it."""
        return {"points": self.points, "from": self.low, "to": self.high}


@dataclass(frozen=True)
class Judgement(Record):
    """What the oracle says of an equation.

    Parameters
    ----------
    verdict : str
        `true` (equal at every defined real point, of which there are at least 12), `false` (equal at no more than a
        tenth of them), `branch` (anything between), `undefined` (fewer than 12 defined points) or `undecided` (whether
        there are such points, or on which side of an edge a number lies, was not settled within the budget of
        operations).
    complex_verdict : str, optional
        The same under principal complex branches; None if it was not asked for.
    defined : int
        At how many real points both sides are defined.
    equal : int
        At how many of these they agree.
    method : str
        `float` if every point was settled in floating point with error bounds, `certified` if ball arithmetic was
        needed, or asked for.
    bits : int
        The highest precision that was used.
    witness : Witness, optional
        For `false` and `branch`, a point at which the sides certainly differ.
    agreement : Witness, optional
        For `branch`, a point at which they agree.
    looked : tuple of float, optional
        The smallest and the largest value that a variable had; None without variables.
    tested : Tested, optional
        For `true`, at how many points it was tested.
    proof : str, optional
        For `true`, the method by which it was proved. The oracle itself proves nothing true.
    conditions : tuple of str
        What the proof asks for beyond both sides being defined.
    """

    verdict: Verdict
    complex_verdict: Verdict | None
    defined: int
    equal: int
    method: Method = "float"
    bits: int = FLOAT_BITS
    witness: Witness | None = None
    agreement: Witness | None = None
    looked: tuple[float, float] | None = None
    tested: Tested | None = None
    proof: str | None = None
    conditions: tuple[str, ...] = ()

    @property
    def witnessed(self) -> bool:
        """Whether there is a point at which the sides certainly differ."""
        return self.witness is not None and not self.witness.taken

    @property
    def stated(self) -> str:
        """The verdict, and for `true` what it rests on.

        Examples
        --------
        >>> Judgement("true", None, 48, 48, tested=Tested(48)).stated
        'true (48 points)'
        >>> Judgement("true", None, 48, 48, tested=Tested(48), proof="laws").stated
        'true (proved)'
        """
        points = None if self.tested is None else self.tested.points
        return stated(self.verdict, self.proof is not None, self.conditions, points)

    @property
    def certified(self) -> bool:
        """Whether the verdict is proved: by a proof, or by a point at which the sides are proven to differ."""
        return self.proof is not None or (self.witness is not None and self.witness.certified)

    def cells(self) -> dict[str, object]:
        """The row of a notebook's table."""
        cells = {
            "verdict": self.stated,
            "complex": self.complex_verdict,
            "equal": f"at {self.equal} of {self.defined} defined points",
            "the sides differ": self.witness,
            "and agree": self.agreement,
        }
        return {name: cell for name, cell in cells.items() if cell is not None}

    def to_json(self) -> dict[str, object]:
        """What `mathtree oracle --json` prints beside the equation."""
        return {
            "verdict": self.verdict,
            "complex_verdict": self.complex_verdict,
            "defined": self.defined,
            "equal": self.equal,
            "method": self.method,
            "bits": self.bits,
            "witness": None if self.witness is None else self.witness.to_json(),
            "agreement": None if self.agreement is None else self.agreement.to_json(),
            "looked": self.looked,
            "proof": self.proof,
            "conditions": list(self.conditions),
            "tested": None if self.tested is None else self.tested.to_json(),
        }


def stated(verdict: str, proved: bool, conditions: Sequence[str], points: int | None) -> str:
    """A verdict, and for `true` what it rests on.

    Examples
    --------
    >>> stated("true", True, ["x > 0"], 48), stated("true", False, [], 48), stated("false", False, [], None)
    ('true (proved for x > 0)', 'true (48 points)', 'false')
    """
    if proved:
        return f"{verdict} ({' for '.join(['proved', *filter(None, [', '.join(conditions)])])})"
    return verdict if points is None else f"{verdict} ({points} point{'s' if points != 1 else ''})"


def verdict(defined: int, equal: int) -> Verdict:
    """The verdict for an equality that holds at some of its defined points."""
    if defined < ENOUGH_DEFINED:
        return "undefined"
    if equal == defined:
        return "true"
    return "false" if equal <= FALSE_SHARE * defined else "branch"
