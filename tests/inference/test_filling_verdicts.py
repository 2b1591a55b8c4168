from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dgl_mathtree.inference import filling_verdicts
from dgl_mathtree.inference.candidates import enumerate_expressions
from dgl_mathtree.inference.first_true import FillingJudge, FirstTrue
from dgl_mathtree.language import Expr, Forest, parse_blank
from dgl_mathtree.oracle import Oracle

BLANKS = [parse_blank(text) for text in ("sin(x)^2 + ? = 1", "x + ? = x", "cos(?) = cos(x)", "? * 0 = 0")]
CANDIDATES = enumerate_expressions(["x", "0", "1", "2"], ["sin", "cos", "Pow", "Mul"], 1)


class CountingOracle(Oracle):
    """An oracle that counts what it is asked."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed, complex_plane=False)
        self.asked = 0

    def glance(self, forest: Forest) -> np.ndarray:
        self.asked += len(forest.equations)
        return super().glance(forest)

    def settled(self, forest: Forest) -> np.ndarray:
        self.asked += len(forest.equations)
        return super().settled(forest)


def judged(
    folder: Path | None, order: int = 1, seed: int = 0, candidates: list[Expr] = CANDIDATES
) -> tuple[list[FirstTrue], int]:
    """What a judge says of the blanks, with candidates ranked in an order, and how many questions that took."""
    oracle = CountingOracle(seed)
    judge = FillingJudge(candidates, oracle, folder)
    ranks = np.arange(1, len(candidates) + 1)[::order]
    found = [judge.judge(blank, ranks) for blank in BLANKS]
    judge.save()
    return found, oracle.asked


def test_kept_verdicts_are_used_and_change_nothing(tmp_path: Path) -> None:
    plain, asked = judged(None)
    assert judged(tmp_path) == (plain, asked)
    assert judged(tmp_path) == (plain, 0)
    # In another order what was settled in the first may do, or not.
    plain, asked = judged(None, -1)
    found, before = judged(tmp_path, -1)
    assert found == plain and before < asked
    assert judged(tmp_path, -1) == (plain, 0)
    assert len(list(tmp_path.iterdir())) == 1


def test_other_candidates_and_another_oracle_have_their_own_file(tmp_path: Path) -> None:
    judged(tmp_path)
    for changed in ({"candidates": CANDIDATES[:8]}, {"seed": 1}):
        assert judged(tmp_path, **changed)[1] > 0
        assert judged(tmp_path, **changed)[1] == 0
    assert len(list(tmp_path.iterdir())) == 3


def test_other_code_has_its_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged(tmp_path)
    monkeypatch.setattr(filling_verdicts, "_code", lambda: "changed")
    assert judged(tmp_path)[1] > 0
    assert len(list(tmp_path.iterdir())) == 2


def test_a_damaged_file_is_made_anew(tmp_path: Path) -> None:
    right, asked = judged(tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    flipped = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(0, len(whole), 97)]
    for damaged in (b"", b"nothing", whole[: len(whole) // 2], whole[:-1], b"\xff" * 100, *flipped):
        file.write_bytes(damaged)
        assert judged(tmp_path) == (right, asked)
        assert file.read_bytes() == whole


def test_what_another_process_added_stays(tmp_path: Path) -> None:
    oracle = CountingOracle()
    ranks = np.arange(1, len(CANDIDATES) + 1)
    judges = [FillingJudge(CANDIDATES, oracle, tmp_path) for _ in range(2)]
    for judge, blank in zip(judges, BLANKS, strict=False):
        judge.judge(blank, ranks)
    for judge in judges:
        judge.save()
    oracle.asked = 0
    third = FillingJudge(CANDIDATES, oracle, tmp_path)
    for blank in BLANKS[:2]:
        third.judge(blank, ranks)
    assert oracle.asked == 0


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert judged(tmp_path / "file")[0] == judged(None)[0]
