"""`prove`: the oracle first, then named laws, then the normal form, and the checker last."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

from dgl_mathtree.errors import InputError
from dgl_mathtree.language import Equation, parse_equation
from dgl_mathtree.oracle import Oracle
from dgl_mathtree.oracle.verdict import Judgement
from dgl_mathtree.oracle.witnesses import simplified_all
from dgl_mathtree.proof.by_laws import prove_along, prove_by_laws
from dgl_mathtree.proof.check import ProofError, check
from dgl_mathtree.proof.check.limits import TooMuchWork
from dgl_mathtree.proof.derivation import NoProof, Proof
from dgl_mathtree.proof.laws import law
from dgl_mathtree.proof.normal_form import prove_by_normal_form

Steps = Literal["search", "normal"]
MOST_REFUSED = 2
"""Ways to write a proof out that may take too much work to check, before no other way is tried."""


class _CheckerError(Exception):
    """Tells an error of the checker from one of the method that asked it."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class ProveError(InputError):
    """Raised for options that `prove` does not have."""


def prove(
    equation: Equation | str, steps: Steps | None = None, without: Collection[str] = (), limit: float | None = None
) -> Proof | NoProof:
    """Prove an equation over the real numbers, or say why there is no proof.

    Parameters
    ----------
    equation : Equation or str
        What to prove.
    steps : str, optional
        ``search`` to look for a derivation by named laws only, ``normal`` for the normal form only. By default the
        normal form is asked where no derivation by laws is found.
    without : collection of str
        Names of laws that the derivation may not use.
    limit : float, optional
        Seconds after which the search for laws ends. Without it the search is bounded by the number of rewrites, so
        that the same equation always has the same answer.

    Returns
    -------
    Proof or NoProof
        Both have `proved`. A proof has been accepted by the independent checker (`dgl_mathtree.proof.check`).

    Examples
    --------
    >>> print(prove("tan(x)*csc(x) = sec(x)"))
    tan(x)*csc(x) = sec(x)
      tan(x)*csc(x)
        = sin(x)*cos(x)^-1/sin(x)    reciprocal/tan-quotient, reciprocal/csc
        = cos(x)^-1                  algebra
        = sec(x)                     reciprocal/sec
    >>> print(prove("sin(x)^2 = sin(x^2)").verdict)
    false
    """
    started = time.perf_counter()
    read = parse_equation(equation) if isinstance(equation, str) else equation
    _check_options(steps, without, limit)
    judgement = simplified_all([read], Oracle(thorough=True).judge([read]))[0]
    found = None
    if judgement.verdict in ("true", "undecided"):
        found = find_proof(read, ("search", "normal") if steps is None else (steps,), without, limit)
    answer = found or _refused(read, judgement)
    return replace(answer, seconds=time.perf_counter() - started)


def find_proof(
    equation: Equation,
    methods: Sequence[Steps] = ("normal", "search"),
    without: Collection[str] = (),
    limit: float | None = None,
) -> Proof | None:
    """The first proof that the checker accepts, of an equation that the oracle does not refute; None if there is none.

    The normal form comes first where a proof is wanted and not its lines: it is the faster of the two. A method that
    meets an expression too deep or a number too large for it has found no proof; an error of the checker is raised.
    """
    asked = _Methods(equation, without, limit)
    for method in methods:
        try:
            found = asked.laws() if method == "search" else asked.normal_form
        except _CheckerError as error:
            raise error.cause from None
        if found is not None and _is_accepted(found.to_json()):
            return _with_fewest_conditions(found)
    return None


class _Methods:
    """The two methods, asked about one equation."""

    def __init__(self, equation: Equation, without: Collection[str], limit: float | None) -> None:
        self.equation, self.without, self.limit = equation, without, limit

    def laws(self) -> Proof | None:
        """A proof by laws: from side to side, or along the outline of a proof by the normal form."""
        options: dict[str, Any] = {"without": self.without, "seconds": self.limit, "accepts": _accepted}
        with suppress(ArithmeticError, RecursionError):
            found = prove_by_laws(self.equation, **options)
            return found or prove_along(self.equation, self.normal_form, **options)
        return None

    @cached_property
    def normal_form(self) -> Proof | None:
        """A proof by the normal form."""
        with suppress(ArithmeticError, RecursionError):
            return _by_normal_form(self.equation)
        return None


def _check_options(steps: str | None, without: Collection[str], limit: float | None) -> None:
    if steps not in (None, "search", "normal"):
        raise ProveError(f"steps must be search or normal, not {steps!r}")
    if isinstance(without, str):
        raise ProveError("without must be a list of names, not one text")
    for name in without:
        law(name)
    if limit is not None and not 0 < limit < float("inf"):
        raise ProveError(f"limit must be a positive number of seconds, not {limit}")


def _by_normal_form(equation: Equation) -> Proof | None:
    refused_for_work = 0

    def accepted(proof: Mapping[str, Any]) -> bool:
        nonlocal refused_for_work
        if refused_for_work >= MOST_REFUSED:
            return False
        try:
            return _accepted(proof, work=True)
        except TooMuchWork:
            refused_for_work += 1
            return False

    found = prove_by_normal_form(equation, accepted)
    return None if found is None else Proof.from_json(found)


def _accepted(proof: Mapping[str, Any], work: bool = False) -> bool:
    """Whether the checker agrees with a proof that a method asks about.

    Raises
    ------
    TooMuchWork
        If that is asked for, and the proof takes too much work to check.
    """
    try:
        check(proof)
        return True
    except TooMuchWork:
        if work:
            raise
        return False
    except ProofError:
        return False
    except (ArithmeticError, RecursionError) as error:
        raise _CheckerError(error) from error


def _is_accepted(proof: Mapping[str, Any]) -> bool:
    """Whether the independent checker agrees with a proof in its JSON form."""
    try:
        check(proof)
    except ProofError:
        return False
    return True


def _with_fewest_conditions(proof: Proof) -> Proof:
    """The proof without conditions that the checker does not need, such as one that follows from another."""
    for condition in sorted(proof.conditions, key=lambda text: (-len(text), text)):
        fewer = replace(proof, conditions=tuple(other for other in proof.conditions if other != condition))
        if _is_accepted(fewer.to_json()):
            proof = fewer
    return proof


def _refused(equation: Equation, judgement: Judgement) -> NoProof:
    """Why an equation has no proof."""
    witness, agreement = judgement.witness, judgement.agreement
    if judgement.verdict == "true":
        reason = (
            f"not proved: the sides agree at all {judgement.defined} points that were tested, but no proof was found"
        )
    elif judgement.verdict == "false":
        reason = f"false: {witness}"
    elif judgement.verdict == "branch":
        reason = f"branch: the sides differ {witness}; they agree {agreement}"
    elif judgement.verdict == "undefined":
        reason = "undefined: fewer than 12 real points were found at which both sides are defined"
    else:
        reason = f"{judgement.verdict}: the oracle did not settle whether it holds"
    return NoProof(equation, judgement.verdict, reason, witness, agreement)
