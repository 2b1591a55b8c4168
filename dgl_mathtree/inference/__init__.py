"""Verification and completion with trained verifiers: scores, metrics, rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dgl_mathtree.lazy import lazy

if TYPE_CHECKING:
    from dgl_mathtree.inference.blanks import make_blanks
    from dgl_mathtree.inference.candidates import default_candidates
    from dgl_mathtree.inference.combined_verdicts import verification_facts
    from dgl_mathtree.inference.metrics import evaluation, score
    from dgl_mathtree.inference.rank import completion_metrics, rank_blanks
    from dgl_mathtree.inference.trained_verifier import TrainedVerifier

__all__ = [
    "TrainedVerifier",
    "completion_metrics",
    "default_candidates",
    "evaluation",
    "make_blanks",
    "rank_blanks",
    "score",
    "verification_facts",
]

__getattr__ = lazy(
    __name__,
    {
        "blanks": "make_blanks",
        "candidates": "default_candidates",
        "combined_verdicts": "verification_facts",
        "metrics": "evaluation score",
        "rank": "completion_metrics rank_blanks",
        "trained_verifier": "TrainedVerifier",
    },
)
