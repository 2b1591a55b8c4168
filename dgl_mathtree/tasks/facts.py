"""What a network and the oracle say of equations, as JSON: what `mathtree verify --json` prints."""

from __future__ import annotations

from collections.abc import Sequence

from dgl_mathtree.expressions import Equation, Oracle, VocabularyError, infix
from dgl_mathtree.expressions.facts import Facts
from dgl_mathtree.expressions.witnesses import simplified
from dgl_mathtree.tasks.answers import agree
from dgl_mathtree.tasks.trained import TrainedVerifier


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
    unread = {}
    for equation in equations:
        try:
            trained.renamed(equation)
        except VocabularyError as error:
            unread[equation] = str(error)
    answers = {answer.equation: answer for answer in trained.verify([e for e in equations if e not in unread])}
    rows: list[Facts] = []
    for equation, judgement in zip(equations, Oracle(complex_plane=False).judge(equations), strict=True):
        answer, said = answers.get(equation), judgement.verdict
        witness = simplified(equation, judgement).witness
        row: Facts = {
            "equation": infix(equation),
            "depth": equation.depth,
            "probability": None if answer is None else round(answer.probability, 6),
            "verdict": None if answer is None else answer.verdict,
            "oracle": said,
            "model": trained.name,
            "agree": None if answer is None else agree(answer.verdict, said),
            "witness": None if witness is None else witness.to_json(),
            "unread": unread.get(equation),
        }
        rows.append(row)
    return rows
