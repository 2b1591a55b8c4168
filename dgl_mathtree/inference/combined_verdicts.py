"""What prover, oracle and network say of equations, as JSON: what `mathtree verify --json` prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.inference.metrics import Floats, verdicts
from dgl_mathtree.inference.moved_terms import scores_over_forms
from dgl_mathtree.inference.records import agree, answer_word
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import Equation, VocabularyError, infix
from dgl_mathtree.language.tree_facts import Facts
from dgl_mathtree.oracle import Judgement, Oracle
from dgl_mathtree.oracle.judgements import with_proofs
from dgl_mathtree.oracle.witnesses import simplified_all
from dgl_mathtree.proof.prove import find_proof

LIKELY = 0.5
"""Equations that the network finds at least this probable are looked at closely at once; the others if need be."""


@dataclass
class Screening:
    """How much work it saved to let the network sort equations before the oracle decides them.

    Attributes
    ----------
    equations : int
        How many there were.
    close : int
        How many were looked at closely, with an attempt at a proof.
    unexpected : int
        How many of these the network had found improbable: fixed points did not refute them.
    """

    equations: int = 0
    close: int = 0
    unexpected: int = 0

    def __str__(self) -> str:
        saved = self.equations - self.close
        share = saved / self.equations if self.equations else 0.0
        return (
            f"screened {self.equations:,} equations: {self.close:,} looked at closely, {self.unexpected:,} of them "
            f"against the network; {saved:,} refuted at fixed points, which saved {share:.0%} of the close looks"
        )


def verification_facts(
    trained: TrainedVerifier,
    equations: Sequence[Equation],
    thorough: bool = True,
    network_only: bool = False,
    forms: int = 1,
    screening: Screening | None = None,
) -> list[Facts]:
    """What is known of each equation, in their order.

    Where the network cannot read an equation, its verdict is None and ``unread`` says why.

    Parameters
    ----------
    thorough : bool
        Whether the oracle looks closely at each equation, and what is true is proved if there is a proof.
    network_only : bool
        Whether to ask the network alone.
    forms : int
        Over how many forms of an equation, with terms on the other side, the network is asked (`moved_terms`).
    screening : Screening, optional
        Let the network sort the equations, the most probable first: what it finds improbable is looked at closely only
        if fixed points do not refute it. The work that this saves is added up here.

    Examples
    --------
    >>> from dgl_mathtree import load
    >>> from dgl_mathtree.language import parse_equation
    >>> (row,) = verification_facts(load(), [parse_equation("x = x + 1")])
    >>> row["answer"], row["verdict"], row["oracle"], row["agree"], row["unread"]
    ('refuted', 'incorrect', 'false', True, None)
    """
    logits, unread = _network(trained, equations, forms)
    order = np.arange(len(equations))
    if screening is not None:
        order = np.argsort(-np.nan_to_num(logits, nan=np.inf), kind="stable")  # what cannot be read comes first
    found = verdicts(np.nan_to_num(logits))  # what is said of those that were not read is not looked at
    judged: Sequence[Judgement | None] = [None] * len(equations)
    if screening is not None and thorough and not network_only:
        judged = _screened(equations, np.where(np.isnan(logits), 1.0, found.probability), screening)
    elif not network_only:
        judged = _judged(equations, thorough)
    rows = []
    for k in order.tolist():
        said = None if k in unread else (found.names[k], float(found.probability[k]))
        rows.append(_facts(trained.name, equations[k], said, judged[k], unread.get(k)))
    return rows


def _network(
    trained: TrainedVerifier, equations: Sequence[Equation], forms: int
) -> tuple[Floats, dict[int, VocabularyError]]:
    logits, unread = trained.scores_of_readable(equations)
    if forms > 1:
        logits = scores_over_forms(equations, forms, lambda some: trained.scores_of_readable(some)[0])
    return logits, unread


def _judged(equations: Sequence[Equation], thorough: bool) -> list[Judgement]:
    judged = simplified_all(equations, Oracle(complex_plane=False, thorough=thorough).judge(equations))
    return with_proofs(equations, judged, find_proof if thorough else None)


def _screened(equations: Sequence[Equation], probability: NDArray[np.float64], screening: Screening) -> list[Judgement]:
    """The oracle's judgements, with a close look at what is probable and at what fixed points do not refute."""
    judged: list[Judgement | None] = [None] * len(equations)
    improbable = np.flatnonzero(probability < LIKELY).tolist()
    for k, judgement in zip(improbable, _judged([equations[k] for k in improbable], thorough=False), strict=True):
        judged[k] = judgement if judgement.verdict == "false" else None
    close = [k for k, judgement in enumerate(judged) if judgement is None]
    for k, judgement in zip(close, _judged([equations[k] for k in close], thorough=True), strict=True):
        judged[k] = judgement
    screening.equations += len(equations)
    screening.close += len(close)
    screening.unexpected += len(set(close) & set(improbable))
    return [judgement for judgement in judged if judgement is not None]


def _facts(
    model: str,
    equation: Equation,
    said: tuple[str, float] | None,
    judgement: Judgement | None,
    unread: VocabularyError | None,
) -> Facts:
    """The row of an equation: the fields of version 0.1.0 first."""
    witness = None if judgement is None else judgement.witness
    agreement = None if judgement is None else judgement.agreement
    tested = None if judgement is None else judgement.tested
    oracle = None if judgement is None else judgement.verdict
    proof = None if judgement is None else judgement.proof
    answer = "network" if judgement is None else answer_word(judgement.verdict, proof is not None, judgement.witnessed)
    return {
        "equation": infix(equation),
        "depth": equation.depth,
        "probability": None if said is None else round(said[1], 6),
        "verdict": None if said is None else said[0],
        "oracle": oracle,
        "model": model,
        "agree": None if said is None or oracle is None else agree(said[0], oracle),
        "witness": None if witness is None else witness.to_json(),
        "proof": proof,
        "conditions": [] if judgement is None else list(judgement.conditions),
        "tested": None if tested is None else tested.to_json(),
        "unread": None if unread is None else str(unread),
        "answer": answer,
        "says": _says(answer, judgement, said),
        "agreement": None if agreement is None else agreement.to_json(),
    }


def _says(answer: str, judgement: Judgement | None, said: tuple[str, float] | None) -> str:
    """The answer in words: what is known, and what it rests on."""
    network = "the network cannot read it" if said is None else f"the network says {said[0]}, {said[1]:.1%}"
    if judgement is None:
        return network
    if answer == "proved":
        return " for ".join(["proved", *filter(None, [", ".join(judgement.conditions)])])
    if answer == "holds":
        points = judgement.defined if judgement.tested is None else judgement.tested.points
        return f"holds at {points:,} point{'s' if points != 1 else ''}"
    if answer == "refuted":
        return f"refuted: {judgement.witness}"
    if answer == "branch":
        return f"holds on a branch: {judgement.agreement}; not {judgement.witness}"
    if answer == "undefined":
        return "undefined: fewer than 12 real points at which both sides are defined"
    return f"undecided; {network}"
