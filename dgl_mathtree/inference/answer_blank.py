"""A blank answered: candidates are made, judged by the oracle and ordered; what is shown is looked at closely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.inference.candidates import Candidates, candidates_for
from dgl_mathtree.inference.complete import Completer, check_words
from dgl_mathtree.inference.filling_order import OTHER, TRUE, best_fillings, tiers
from dgl_mathtree.inference.metrics import Floats, verdicts
from dgl_mathtree.inference.records import Filling
from dgl_mathtree.inference.subexpression_candidates import MOST
from dgl_mathtree.language import Equation, VocabularyError
from dgl_mathtree.language.renaming import renamed_alike
from dgl_mathtree.language.vocabulary import BLANK, OPERATOR_NAMES, is_variable
from dgl_mathtree.oracle import Oracle
from dgl_mathtree.oracle.judgements import with_proofs
from dgl_mathtree.oracle.verdict import Judgement
from dgl_mathtree.proof.derivation import Proof
from dgl_mathtree.proof.prove import find_proof

if TYPE_CHECKING:
    from dgl_mathtree.inference.trained_verifier import TrainedVerifier

FEW = 1500
"""Candidates that are judged at first; if none of them is right, `MOST` are."""
SPARE = 3
"""Fillings more than wanted that are looked at closely, in case one of them is found wrong then."""
Tiers = NDArray[np.int64]


def answer_blank(
    trained: TrainedVerifier,
    blank: Equation,
    candidates: Candidates | None = None,
    top: int = 5,
    depth: int | None = None,
    network_only: bool = False,
) -> list[Filling]:
    """The best fillings of a blank: those that make the equation true first. See `TrainedVerifier.complete`."""
    oracle = Oracle(complex_plane=False)
    if candidates is not None:
        names = trained.renaming_for(blank, candidates.expressions)
        _check_candidates(trained, candidates, names)
    else:
        names = trained.renaming_for(blank)  # candidates that are made here have no other variables
    check_words(trained.network, blank.rename(names))
    if candidates is not None or depth is not None:
        chosen = candidates or _made(trained, blank, depth, MOST)
        tier = _judged(blank, chosen, oracle, network_only)
        logits = _logits(trained, blank, chosen, names)
        order = np.lexsort((-logits, tier))
        best = list({chosen.expressions[k]: int(k) for k in reversed(order)}.values())[::-1]  # each once
        return _shown(blank, chosen, best, logits, tier, top)
    chosen = _made(trained, blank, None, FEW)
    tier = _judged(blank, chosen, oracle, network_only)
    if not (tier == TRUE).any():
        chosen = _made(trained, blank, None, MOST)
        tier = _judged(blank, chosen, oracle, network_only)
    logits = _logits(trained, blank, chosen, names)
    best = best_fillings(blank, chosen, logits, top + SPARE, tier)
    return _shown(blank, chosen, best, logits, tier, top)


def _made(trained: TrainedVerifier, blank: Equation, depth: int | None, most: int) -> Candidates:
    network = trained.network
    operators = network.operators or OPERATOR_NAMES
    knows = lambda word: is_variable(word) or network.knows(word)  # noqa: E731  a blank's variables are renamed
    return candidates_for(blank, network.vocabulary, operators, knows, depth, most)


def _judged(blank: Equation, candidates: Candidates, oracle: Oracle, network_only: bool) -> Tiers:
    return np.full(len(candidates), OTHER) if network_only else tiers(blank, candidates.expressions, oracle)


def _logits(trained: TrainedVerifier, blank: Equation, candidates: Candidates, names: dict[str, str]) -> Floats:
    completer = Completer(trained.network, renamed_alike(candidates.expressions, names))
    (logits,) = completer.scores([blank.rename(names)])
    return trained.checked(logits)


def _check_candidates(trained: TrainedVerifier, candidates: Candidates, names: dict[str, str]) -> None:
    for expression in candidates.expressions:
        try:
            check_words(trained.network, Equation(expression, expression).rename(names))
        except VocabularyError as error:
            raise VocabularyError(f"candidate {expression}: {error}") from None


def _shown(
    blank: Equation, candidates: Candidates, best: Sequence[int], logits: Floats, tier: Tiers, top: int
) -> list[Filling]:
    """The first of some candidates in the blank, with what the model, the oracle and the prover say of them.

    What a closer look finds wrong comes after what is right.
    """
    place = blank.words.index(BLANK)
    probability = verdicts(logits[best]).probability.tolist()
    rows: list[Filling] = []
    wrong = 0
    for k, p in zip(best, probability, strict=True):
        if len(rows) >= top + wrong:
            break
        whole = blank.replace(place, candidates.expressions[k])
        judgement = _judgement(whole, int(tier[k]))
        wrong += tier[k] == TRUE and judgement.verdict != "true"
        label = candidates.label(int(candidates.classes[k]))
        said = (judgement.verdict, label, judgement.proof, judgement.conditions, judgement.witnessed)
        rows.append(Filling(candidates.expressions[k], whole, p, *said))
    if wrong:
        rows.sort(key=lambda row: {"true": 0, "branch": 1}.get(row.oracle, 2))
    return rows[:top]


def _judgement(filled: Equation, tier: int) -> Judgement:
    """The oracle's verdict: on what seems right after a close look, with a proof where the normal form has one."""
    judged = Oracle(complex_plane=False, thorough=tier != OTHER).judge([filled])
    return with_proofs([filled], judged, _proof)[0]


def _proof(equation: Equation) -> Proof | None:
    return find_proof(equation, ("normal",))
