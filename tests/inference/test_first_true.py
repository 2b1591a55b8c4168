from __future__ import annotations

import numpy as np
import pytest

from dgl_mathtree.inference import first_true
from dgl_mathtree.inference.first_true import FillingJudge
from dgl_mathtree.language import Equation, parse_blank, parse_expression
from dgl_mathtree.oracle import Oracle
from tests.inference.test_complete import BLANKS, CANDIDATES, filled


@pytest.mark.parametrize("blank", BLANKS, ids=str)
def test_the_first_true_filling(blank: Equation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_true, "ROWS", 37)  # several forests, and several rounds
    monkeypatch.setattr(first_true, "TOGETHER", 3)
    oracle = Oracle(complex_plane=False)
    expressions = CANDIDATES.expressions
    judged = oracle.judge(filled(blank, expression) for expression in expressions)
    said = np.array([judgement.verdict for judgement in judged])
    judge = FillingJudge(expressions, oracle)
    for seed in range(3):
        rank = np.random.default_rng(seed).permutation(len(expressions))
        for unwanted in (np.zeros(len(rank), dtype=bool), said != "true"):  # the true ones anywhere, then last
            ranks = np.where(unwanted, rank, rank + len(rank))
            true = ranks[said == "true"]
            assert judge.judge(blank, ranks) == (true.min() if len(true) else None, True)


def test_blanks_that_nothing_fills_or_everything() -> None:
    oracle = Oracle(complex_plane=False)
    judge = FillingJudge([parse_expression(text) for text in ("x", "x*1", "2", "log(-1)")], oracle)
    assert judge.judge(parse_blank("sin(?) = 2"), np.arange(4)) == (None, True)
    assert judge.judge(parse_blank("?*0 = 0"), np.array([7, 2, 9, 1])) == (2, False)
    assert judge.judge(parse_blank("log(-1 - ?^2) = x"), np.arange(4)) == (None, False)
