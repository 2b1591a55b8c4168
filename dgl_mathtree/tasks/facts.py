"""What a network and the oracle say of equations, as JSON: what `mathtree verify --json` prints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dgl_mathtree.expressions import Equation, Oracle, infix
from dgl_mathtree.expressions.facts import Facts
from dgl_mathtree.expressions.witnesses import simplified_all
from dgl_mathtree.tasks.answers import agree
from dgl_mathtree.tasks.trained import TrainedVerifier
from dgl_mathtree.tasks.verification import verdicts


def verification_facts(trained: TrainedVerifier, equations: Sequence[Equation]) -> list[Facts]:
    """The verdicts of a network and of the oracle on each equation, in their order.

    Where the network cannot read an equation, its verdict is None and ``unread`` says why.

    Examples
    --------
    >>> from dgl_mathtree import load
    >>> from dgl_mathtree.expressions import parse_equation
    >>> (row,) = verification_facts(load(), [parse_equation("x = x + 1")])
    >>> row["verdict"], row["oracle"], row["agree"], row["unread"]
    ('incorrect', 'false', True, None)
    """
    logits, unread = trained.scores_of_readable(equations)
    found = verdicts(np.nan_to_num(logits))  # what is said of those that were not read is not looked at
    answers = zip(found.names, found.probability.tolist(), strict=True)
    judged = simplified_all(equations, Oracle(complex_plane=False).judge(equations))
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
            "unread": None if read else str(unread[k]),
        }
        rows.append(row)
    return rows
