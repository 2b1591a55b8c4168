"""What a network and the oracle say of equations, as JSON: what `mathtree verify --json` prints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dgl_mathtree.inference.metrics import verdicts
from dgl_mathtree.inference.records import agree
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import Equation, infix
from dgl_mathtree.language.tree_facts import Facts
from dgl_mathtree.oracle import Oracle
from dgl_mathtree.oracle.judgements import with_proofs
from dgl_mathtree.oracle.witnesses import simplified_all
from dgl_mathtree.proof.prove import find_proof


def verification_facts(trained: TrainedVerifier, equations: Sequence[Equation], thorough: bool = True) -> list[Facts]:
    """The verdicts of a network and of the oracle on each equation, in their order.

    Where the network cannot read an equation, its verdict is None and ``unread`` says why. Unless `thorough` is False,
    the oracle looks closely at each equation, and what is true is proved if there is a proof.

    Examples
    --------
    >>> from dgl_mathtree import load
    >>> from dgl_mathtree.language import parse_equation
    >>> (row,) = verification_facts(load(), [parse_equation("x = x + 1")])
    >>> row["verdict"], row["oracle"], row["agree"], row["unread"]
    ('incorrect', 'false', True, None)
    """
    logits, unread = trained.scores_of_readable(equations)
    found = verdicts(np.nan_to_num(logits))  # what is said of those that were not read is not looked at
    answers = zip(found.names, found.probability.tolist(), strict=True)
    judged = simplified_all(equations, Oracle(complex_plane=False, thorough=thorough).judge(equations))
    judged = with_proofs(equations, judged, find_proof if thorough else None)
    rows: list[Facts] = []
    for k, (equation, (verdict, probability), judgement) in enumerate(zip(equations, answers, judged, strict=True)):
        said, witness, read = judgement.verdict, judgement.witness, k not in unread
        row: Facts = {
            "equation": infix(equation),
            "depth": equation.depth,
            "probability": round(probability, 6) if read else None,
            "verdict": verdict if read else None,
            "oracle": said,
            "model": trained.name,
            "agree": agree(verdict, said) if read else None,
            "witness": None if witness is None else witness.to_json(),
            "proof": judgement.proof,
            "conditions": list(judgement.conditions),
            "tested": None if judgement.tested is None else judgement.tested.to_json(),
            "unread": None if read else str(unread[k]),
        }
        rows.append(row)
    return rows
