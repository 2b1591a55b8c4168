"""How good a completion is: ranks of the right filling, and what they come to over many blanks.

Candidates are sorted by score, the highest first, ties in their own order. `raw` is the rank of the very expression
that was there, `class` the first rank of any candidate of its class, `collapse` the same after each class's best alone
is kept, and `oracle` the rank, among classes, of the first that makes the equation true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.inference.blanks import Blank
from dgl_mathtree.inference.candidates import Candidates
from dgl_mathtree.inference.complete import Completer, check_words
from dgl_mathtree.inference.first_true import FillingJudge
from dgl_mathtree.inference.metrics import Floats
from dgl_mathtree.language import Equation, Expr, VocabularyError
from dgl_mathtree.language.renaming import renamed_alike
from dgl_mathtree.nn import Verifier
from dgl_mathtree.oracle import Oracle

KINDS = ("raw", "class", "collapse", "oracle")
TOPS = (1, 5, 10)


@dataclass(frozen=True)
class Ranks:
    """The ranks of a blank, counted from 1.

    Attributes
    ----------
    id : str
        Of the blank.
    depth : int
        Of its equation.
    raw : int or None
        None if what was there is not among the candidates.
    class_, collapse : int or None
        None if no candidate is equal to it either.
    oracle : int or None
        None if no candidate makes the equation true.
    truth : str
        The oracle's verdict on what was there.
    wrong : bool
        Whether some candidate makes the equation false.
    read : bool
        Whether the model knows all words of the equation; if not, every rank is the last.
    """

    id: str
    depth: int
    raw: int | None
    class_: int | None
    collapse: int | None
    oracle: int | None
    truth: str
    wrong: bool
    read: bool = True

    @property
    def decided(self) -> bool:
        """Whether some candidates are right and some are not."""
        return self.oracle is not None and self.wrong

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "raw_rank": self.raw,
            "class_rank": self.class_,
            "collapse_rank": self.collapse,
            "oracle_rank": self.oracle,
        }


def class_ranks(scores: Floats, classes: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The rank of every candidate, and of every class: its first among candidates, and that among classes.

    Examples
    --------
    >>> class_ranks(np.array([0.1, 0.9, 0.5, 0.7]), np.array([0, 1, 0, 1]))
    (array([4, 1, 3, 2]), array([3, 1]), array([2, 1]))
    """
    order = np.argsort(-scores, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(1, len(order) + 1)
    first = np.full(classes.max() + 1, len(order) + 1)
    np.minimum.at(first, classes, rank)
    collapsed = np.empty(len(first), dtype=np.int64)
    collapsed[np.argsort(first, kind="stable")] = np.arange(1, len(first) + 1)
    return rank, first, collapsed


def rank_blanks(
    verifier: Verifier,
    blanks: Sequence[Blank],
    candidates: Candidates,
    oracle: Oracle | None = None,
    names: Callable[[Blank], dict[str, str]] = lambda _: {},
    tick: Callable[[], object] = lambda: None,
    folder: Path | None = None,
) -> Iterator[Ranks]:
    """The ranks of each blank.

    Parameters
    ----------
    names : callable
        How a blank's variables, and the candidates', are renamed for the model; the oracle judges what was given.
    tick : callable
        Is called after each blank.
    folder : Path, optional
        Where the oracle's verdicts are kept for the next model; by default nowhere.
    """
    oracle = oracle or Oracle(complex_plane=False)
    distinct = list(candidates.places)
    classes = candidates.classes[list(candidates.places.values())]
    judge = FillingJudge(distinct, oracle, folder)
    truths = oracle.judge(blank.filled for blank in blanks)
    scored = _scores(verifier, blanks, candidates, names)
    for blank, scores, truth in zip(blanks, scored, truths, strict=True):
        read = scores is not None
        rank, first, collapsed = _last(candidates) if scores is None else class_ranks(scores, candidates.classes)
        place = candidates.places.get(blank.filling)
        own = class_of(blank.filling, candidates, oracle)
        found = judge.judge(blank.equation, collapsed[classes])
        yield Ranks(
            id=blank.id,
            depth=blank.filled.depth,
            raw=None if place is None else int(rank[place]),
            class_=None if own is None else int(first[own]),
            collapse=None if own is None else int(collapsed[own]),
            oracle=found.rank,
            truth=truth.verdict,
            wrong=found.wrong,
            read=read,
        )
        tick()
    judge.save()


def class_of(expression: Expr, candidates: Candidates, oracle: Oracle) -> int | None:
    """The class of an expression: its own, or that of candidates that are equal to it; None if there are none."""
    place = candidates.places.get(expression)
    if place is not None:
        return int(candidates.classes[place])
    _, first = np.unique(candidates.classes, return_index=True)
    judged = oracle.judge(Equation(expression, candidates.expressions[k]) for k in first)
    equal = [k for k, judgement in zip(first, judged, strict=True) if judgement.verdict == "true"]
    return int(candidates.classes[equal[0]]) if equal else None


def _scores(
    verifier: Verifier,
    blanks: Sequence[Blank],
    candidates: Candidates,
    names: Callable[[Blank], dict[str, str]],
) -> Iterator[Floats | None]:
    """The scores of all candidates for each blank, None where the model does not know the blank's words.

    Candidates are scored anew only where the renaming changes.
    """
    given = [(names(blank), blank.equation) for blank in blanks]
    renamed = [(pairs, renamed_alike([equation], pairs)[0]) for pairs, equation in given]
    known = [_is_known(verifier, equation) for _, equation in renamed]
    for (pairs, read), some in groupby(zip(renamed, known, strict=True), key=lambda x: (tuple(x[0][0].items()), x[1])):
        equations = [equation for (_, equation), _ in some]
        if read:
            expressions = renamed_alike(candidates.expressions, dict(pairs))
            yield from Completer(verifier, expressions).scores(equations)
        else:
            yield from [None] * len(equations)


def _is_known(verifier: Verifier, equation: Equation) -> bool:
    try:
        check_words(verifier, equation)
    except VocabularyError:
        return False
    return True


def _last(candidates: Candidates) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The ranks where nothing can be scored: the last, for all."""
    classes = int(candidates.classes.max()) + 1
    last = np.full(classes, len(candidates))
    return np.full(len(candidates), len(candidates)), last, np.full(classes, classes)


def completion_metrics(ranks: Iterable[Ranks]) -> dict[str, Any]:
    """Top-1, Top-5 and Top-10 accuracy and mean reciprocal rank of each kind of rank.

    Those of `raw` are over the blanks whose filling is among the candidates, those of `class` and `collapse` over those
    whose filling is equal to a candidate, and those of `oracle` over the blanks for which some candidates are right and
    some are wrong; what is left out is counted.
    """
    all_ranks = list(ranks)
    decided = [r for r in all_ranks if r.decided]
    found: dict[str, list[int]] = {
        "raw": [r.raw for r in all_ranks if r.raw is not None],
        "class": [r.class_ for r in all_ranks if r.class_ is not None],
        "collapse": [r.collapse for r in all_ranks if r.collapse is not None],
        "oracle": [r.oracle for r in decided if r.oracle is not None],
    }
    result: dict[str, Any] = {}
    for kind in KINDS:
        values = np.array(found[kind], dtype=np.float64)
        for top in TOPS:
            result[f"top{top}_{kind}"] = float(np.mean(values <= top)) if len(values) else None
        result[f"mrr_{kind}"] = float(np.mean(1 / values)) if len(values) else None
    return result | {
        "count": len(all_ranks),
        "unlisted": len(all_ranks) - len(found["raw"]),
        "unread": sum(not r.read for r in all_ranks),
        "unequalled": len(all_ranks) - len(found["class"]),
        "decided": len(decided),
        "every_candidate_right": sum(r.oracle is not None and not r.wrong for r in all_ranks),
        "no_candidate_right": sum(r.oracle is None for r in all_ranks),
    }


def completion_evaluation(ranks: Sequence[Ranks]) -> dict[str, Any]:
    """`completion_metrics` overall, for blanks whose own filling is really true, and for each depth."""
    depths = sorted({r.depth for r in ranks})
    return {
        "overall": completion_metrics(ranks),
        "truly_filled": completion_metrics(r for r in ranks if r.truth == "true"),
        "by_depth": {str(depth): completion_metrics(r for r in ranks if r.depth == depth) for depth in depths},
    }
