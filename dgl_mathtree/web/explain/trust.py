"""Which answer to trust, the network's or the oracle's, and what each rests on, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dgl_mathtree.inference.records import Answer, agree
from dgl_mathtree.oracle import Judgement


class Trust(NamedTuple):
    """What follows from the answers of network and oracle.

    Attributes
    ----------
    said : str
        Whether they agree, and which one to trust where they do not.
    why : str
        What that rests on, and what it does not show.
    """

    said: str
    why: str


def trust(answer: Answer, judgement: Judgement) -> Trust:
    """Which answer about an equation to trust, and why.

    Examples
    --------
    >>> from dgl_mathtree.oracle import judge
    >>> from dgl_mathtree.language import parse_equation
    >>> equation = parse_equation("x + x = 2*x")
    >>> trust(Answer(equation, 0.2, "incorrect"), judge(equation)).said
    'Network and oracle disagree. The oracle has the stronger evidence.'
    """
    estimate = f"The network's {answer.probability:.1%} is an estimate from the examples it was trained on."
    if judgement.verdict == "undefined":
        said = "The oracle cannot judge this equation, so nothing checks the network."
        return Trust(said, f"Too few points were found at which both sides are defined. {estimate}")
    if judgement.verdict == "undecided":
        said = "The oracle did not settle this equation, so nothing checks the network."
        return Trust(said, f"A fixed number of operations did not tell what holds at the points it tried. {estimate}")
    if judgement.verdict == "true":
        tested = (
            f"The sides agree at all {judgement.defined} tested points at which they are defined. That is strong "
            "evidence and not a proof: they could differ where no point was tested."
        )
        if judgement.proof is not None:
            tested = f"The equation is proved ({judgement.proof}) {_range(judgement.conditions)}"
        if agree(answer.verdict, judgement.verdict):
            return Trust("Network and oracle agree.", f"{tested} {estimate}")
        return Trust("Network and oracle disagree. The oracle has the stronger evidence.", f"{tested} {estimate}")
    shown = f"{_difference(judgement)} One such point is enough: the equation does not hold for all values."
    if answer.verdict == "incorrect":
        said = "Network and oracle agree." if judgement.verdict == "false" else "It holds at some points only."
        return Trust(said, f"{shown} {estimate}")
    if judgement.verdict == "false":
        return Trust("Network and oracle disagree: believe the oracle.", f"{shown} {estimate}")
    return Trust("It holds at some points only: believe the oracle, not the network.", f"{shown} {estimate}")


def _range(conditions: Sequence[str]) -> str:
    """For which values a proof holds."""
    everywhere = "for all values at which both sides are defined"
    if not conditions:
        return f"{everywhere}."
    return f"{everywhere} and {', '.join(conditions)}. Elsewhere it was tested at points only."


def _difference(judgement: Judgement) -> str:
    """What the witness shows, and how certain that is."""
    witness = judgement.witness
    if witness is None:
        return f"The sides differ at {judgement.defined - judgement.equal} of {judgement.defined} points."
    at = f" at {witness.where}" if witness.where else ""
    if witness.taken:
        return f"The sides differ{at}, if a part is on the edge of a domain as it seems to be: that is not proven."
    return f"The sides certainly differ{at}: both were computed there with error bounds."
