"""Blanks filled by a trained model, with names that it knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from dgl_mathtree.inference.blanks import Blank
from dgl_mathtree.inference.candidates import Candidates, default_candidates
from dgl_mathtree.inference.rank import Ranks, rank_blanks
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language.vocabulary import OPERATOR_NAMES, is_leaf
from dgl_mathtree.oracle import Oracle


def fill_blanks(
    trained: TrainedVerifier,
    blanks: Sequence[Blank],
    candidates: Candidates | None = None,
    tick: Callable[[], object] = lambda: None,
    folder: Path | None = None,
) -> tuple[list[Ranks], Candidates]:
    """The ranks of each blank, and what was tried.

    Parameters
    ----------
    trained : TrainedVerifier
        Whose order of the candidates counts.
    blanks : sequence of Blank
        To be filled.
    candidates : Candidates, optional
        What to try; by default all expressions of depth 0 and 1 over the words of the blanks that the model knows.
    tick : callable
        Is called after each blank.
    folder : Path, optional
        Where the oracle's verdicts are kept for the next model; by default nowhere.
    """
    if candidates is None:
        # The candidates have the model's variables, and so must have the blanks.
        blanks = [blank.rename(trained.renaming(blank.filled.words)) for blank in blanks]
        # A model may know many more words than the blanks have.
        used = {word for blank in blanks for word in blank.filled.words}
        leaves = [word for word in trained.network.vocabulary if is_leaf(word) and word in used]
        occurring = [word for word in trained.network.operators or OPERATOR_NAMES if word in used]
        candidates = default_candidates(leaves, occurring)
    names = {blank: trained.renaming_for(blank.equation, candidates.expressions) for blank in blanks}
    oracle = Oracle(complex_plane=False)
    return list(rank_blanks(trained.network, blanks, candidates, oracle, names.__getitem__, tick, folder)), candidates
