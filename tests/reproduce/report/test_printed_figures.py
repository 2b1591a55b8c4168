from __future__ import annotations

from dgl_mathtree.nn import MODELS
from dgl_mathtree.reproduce.report.printed_figures import (
    ABLATION,
    CONVERGENCE,
    MEASURES,
    PARTS,
    VERIFICATION,
    Printed,
    printed,
)
from dgl_mathtree.reproduce.studies import PARTNERS


def test_the_paper_has_fourteen_rows_and_each_is_one_of_ours() -> None:
    assert len(VERIFICATION) == 14
    for table in (VERIFICATION, ABLATION, CONVERGENCE):
        assert set(table) <= set(MODELS)
    assert set(ABLATION) <= set(PARTNERS)
    for model, parts in VERIFICATION.items():
        assert list(parts) == list(PARTS)
        assert all(set(found) == ({"accuracy"} if model == "majority" else set(MEASURES)) for found in parts.values())


def test_figures_are_those_that_are_printed() -> None:
    assert printed("m-tree-lstm+stack", "test") == Printed(89.04, 0.54)
    assert printed("rnn", "test", "recall") == Printed(67.32, 3.62)
    assert printed("tree-lstm", "train", "precision") == Printed(97.67)
    assert printed("majority", "validation") == Printed(56.67)
    assert printed("majority", "test", "recall") is None
    assert printed("bag-of-operators", "test") is None
    best = max(VERIFICATION, key=lambda model: VERIFICATION[model]["test"]["accuracy"].value)
    assert best == "m-tree-lstm+stack"


def test_tables_of_the_paper_agree_with_each_other() -> None:
    for model, (with_weights, _) in ABLATION.items():
        shown = printed(model, "test")
        assert shown is not None and shown.value == with_weights.value
    for model, (_, accuracy) in CONVERGENCE.items():
        shown = printed("tree-smu-no-op" if model == "tree-smu" else model, "validation")
        assert shown == accuracy  # for the Tree-SMU the paper takes the row without no-op


def test_text() -> None:
    assert Printed(87.8, 0.7).text == "87.8 ± 0.7"
    assert Printed(135).text == "135"
