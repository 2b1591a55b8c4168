"""Judgements on a chunk of equations that went through the stages, with a closer look at each if that is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

import numpy as np

from dgl_mathtree.arithmetic.arb_balls import HIGHEST
from dgl_mathtree.language.expr import Equation
from dgl_mathtree.language.variable_indices import place_word
from dgl_mathtree.oracle.compare import Code
from dgl_mathtree.oracle.decide import Stages
from dgl_mathtree.oracle.points import ROUND
from dgl_mathtree.oracle.thorough import Closer, CloserLook, Point
from dgl_mathtree.oracle.verdict import ENOUGH_DEFINED, FLOAT_BITS, Judgement, Tested, Verdict, Witness, verdict
from dgl_mathtree.oracle.witnesses import Witnesses, witness_at

MOST_NODES = 150
"""Distinct subexpressions of an equation that is looked at closely, which takes about a megabyte for each."""
SPOTS = 6
"""Points of each kind that are handed from the stages to a closer look."""


class FoundProof(Protocol):
    """What is kept of a proof: the method that found it, and the conditions under which it holds."""

    @property
    def method(self) -> str: ...

    @property
    def conditions(self) -> tuple[str, ...]: ...


Prover = Callable[[Equation], FoundProof | None]
"""From an equation that is `true` or undecided to its proof, or None if none is found."""


class Judgements:
    """Makes judgements of what the stages found.

    Parameters
    ----------
    stages : Stages
        They have run.
    thorough : bool
        Whether to look closely at each equation.
    """

    def __init__(self, stages: Stages, thorough: bool) -> None:
        self._stages, self._thorough = stages, thorough
        self._witnesses = Witnesses(stages)

    def of(self, row: int, plane: Verdict | None) -> Judgement:
        """The judgement on an equation, given its complex verdict."""
        stages = self._stages
        equal, different = int(stages.equal[row]), int(stages.different[row])
        said = verdict(equal + different, equal)
        unsettled = said == "undefined" and stages.open[row] > 0
        if (self._thorough or unsettled) and self._is_small(row) and stages.looks[0].comparer.able(row):
            return self._closer(row, plane, said)
        if unsettled and equal + different + stages.open[row] >= ENOUGH_DEFINED:
            said = "undecided"
        witness = self._witnesses.find(row, Code.DIFFERENT) if said in ("false", "branch") else None
        agreement = self._witnesses.find(row, Code.EQUAL) if said == "branch" else None
        looked = self._witnesses.looked(row)
        tested = Tested(equal, *(looked or ())) if said == "true" else None
        return _made(said, plane, (equal + different, equal), int(stages.bits[row]), witness, agreement, looked, tested)

    def _is_small(self, row: int) -> bool:
        forest = self._stages.placed.forest
        return int(forest.offsets[row + 1] - forest.offsets[row]) <= MOST_NODES

    def _closer(self, row: int, plane: Verdict | None, before: Verdict) -> Judgement:
        stages, names = self._stages, self._stages.placed.names[row]
        found = CloserLook(stages.placed.forest.take([row]), len(names), *gathered(stages, row)).run()
        witness = agreement = tested = None
        looked = self._witnesses.looked(row)
        if found.verdict in ("false", "branch"):
            seen = self._witnesses.find(row, Code.DIFFERENT)
            shown = None if found.different is None else witness_at(found.different, names)
            witness = shown if seen is None or (shown is not None and not seen.certified) else seen
        if found.verdict == "branch" and found.agreement is not None:
            agreement = witness_at(found.agreement, names)
        counts = self._counts(row, found, before)
        both = (min(looked[0], found.low), max(looked[1], found.high)) if looked is not None else None
        if found.verdict == "true":
            equal = counts[1] if found.verdict != before else counts[1] + found.equal
            tested = Tested(equal, *both) if both is not None else Tested(1)
        if found.verdict != before:
            looked = both
        bits = int(stages.bits[row])
        return _made(found.verdict, plane, counts, bits, witness, agreement, looked, tested)

    def _counts(self, row: int, found: Closer, before: Verdict) -> tuple[int, int]:
        """At how many points the equation is defined, and equal: those of the stages where they say the same."""
        stages = self._stages
        if not stages.places[row]:
            defined = ROUND if found.verdict in ("true", "false") else 0
            return defined, defined if found.verdict == "true" else 0
        equal, different = int(stages.equal[row]), int(stages.different[row])
        if found.verdict == before:
            return equal + different, equal
        if stages.bits[row] >= HIGHEST:  # what was counted may rest on edges that were taken
            equal = different = 0
        equal, different = equal + found.equal, different + found.defined - found.equal
        if found.verdict == "true":
            return equal, equal
        different = max(different, int(found.verdict in ("false", "branch")))
        equal = max(equal, int(found.verdict == "branch"))
        return equal + different, equal


def gathered(stages: Stages, row: int) -> tuple[int, int, list[Point]]:
    """At how many points an equation is certainly equal and different, and some points of either kind.

    Counts that rest on the highest precision are not handed on, since edges may have been taken there.
    """
    spots: list[Point] = []
    names = [place_word(k) for k in range(int(stages.places[row]))]
    for code in (Code.EQUAL, Code.DIFFERENT):
        found: list[Point] = []
        for some in stages.looks:
            k = np.flatnonzero(some.rows == row)
            if not len(k) or len(found) >= SPOTS:
                continue
            columns = np.flatnonzero(some.codes[k[0]] == code)
            for column in columns[:: max(1, len(columns) // SPOTS)][: SPOTS - len(found)].tolist():
                found.append({name: Fraction(float(some.points[name][column])) for name in names})
        spots += found
    if stages.bits[row] >= HIGHEST:
        return 0, 0, spots
    return int(stages.equal[row]), int(stages.different[row]), spots


def with_proofs(
    equations: Iterable[Equation], judgements: Iterable[Judgement], prover: Prover | None
) -> list[Judgement]:
    """The judgements with the proof noted where the prover has one; what was undecided and is proved is true.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> from dgl_mathtree.oracle import Oracle
    >>> given = [parse_equation("x + x = 2*x"), parse_equation("x = 2*x")]
    >>> from types import SimpleNamespace
    >>> proof = SimpleNamespace(method="laws", conditions=("x > 0",))
    >>> [j.stated for j in with_proofs(given, Oracle().judge(given), lambda equation: proof)]
    ['true (proved for x > 0)', 'false']
    """
    if prover is None:
        return list(judgements)
    pairs = zip(equations, judgements, strict=True)
    return [_with_proof(j, prover(e)) if j.verdict in ("true", "undecided") else j for e, j in pairs]


def _with_proof(judgement: Judgement, proof: FoundProof | None) -> Judgement:
    if proof is None:
        return judgement
    return replace(judgement, verdict="true", proof=proof.method, conditions=proof.conditions)


def _made(
    said: Verdict,
    plane: Verdict | None,
    counts: tuple[int, int],
    bits: int,
    witness: Witness | None,
    agreement: Witness | None,
    looked: tuple[float, float] | None,
    tested: Tested | None,
) -> Judgement:
    bits = max([bits, *(some.bits for some in (witness, agreement) if some is not None)])
    method = "float" if bits == FLOAT_BITS else "certified"
    return Judgement(said, plane, *counts, method, bits, witness, agreement, looked, tested)  # type: ignore[arg-type]
