"""What each label of some data rests on, written beside it: a proof, a witness, or points that were tested."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from dgl_mathtree.data.audit import judged_rows
from dgl_mathtree.data.data_files import Row, read_rows
from dgl_mathtree.files import new_file
from dgl_mathtree.oracle.judgements import Prover
from dgl_mathtree.oracle.verdict import Judgement

EVIDENCE = "evidence.jsonl"


def write_evidence(folder: str | Path, seed: int = 0, prover: Prover | None = None) -> dict[str, int]:
    """Write `evidence.jsonl` into a data folder, a line for each equation.

    Parameters
    ----------
    folder : str or Path
        The data.
    seed : int
        Of the points.
    prover : callable, optional
        Proves what is labelled correct.

    Returns
    -------
    dict of str to int
        How many labels rest on what.
    """
    return _write(Path(folder) / EVIDENCE, judged_rows(read_rows(folder), seed, True, prover))


def _write(path: Path, judged: Iterable[tuple[Row, Judgement]]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    with new_file(path) as draft, draft.open("w", encoding="utf-8") as file:
        for row, judgement in judged:
            rests = rests_on(judgement)
            counts[rests] += 1
            tested = None if judgement.tested is None else judgement.tested.to_json()
            witness = None if judgement.witness is None else judgement.witness.to_json()
            line = {"id": row.id, "rests": rests, "proof": judgement.proof, "tested": tested, "witness": witness}
            file.write(json.dumps(line) + "\n")
    return dict(counts)


def rests_on(judgement: Judgement) -> str:
    """What a verdict rests on: ``proof``, ``witness`` (proven), ``points`` (tested) or ``nothing``."""
    if judgement.proof is not None:
        return "proof"
    if judgement.witness is not None and judgement.witness.certified:
        return "witness"
    return "points" if judgement.defined else "nothing"
