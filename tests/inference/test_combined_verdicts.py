from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from dgl_mathtree import load
from dgl_mathtree.cli import main
from dgl_mathtree.graphs import SYMBOLS
from dgl_mathtree.inference.combined_verdicts import Screening, verification_facts
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import parse_equation
from dgl_mathtree.nn import make_model
from dgl_mathtree.oracle import Judgement

TEXTS = {
    "sin(x)^2 + cos(x)^2 = 1": "proved",
    "sin(x + y) = sin(x) + sin(y)": "refuted",
    "2 = 3": "refuted",
    "sqrt(x^2) = x": "branch",
    "asin(x^2 + 2) = x": "undefined",
}
EQUATIONS = [parse_equation(text) for text in TEXTS]


def test_the_answers() -> None:
    rows = verification_facts(load(), EQUATIONS)
    assert [row["answer"] for row in rows] == list(TEXTS.values())
    says = [str(row["says"]) for row in rows]
    assert says[0] == "proved"
    assert says[1].startswith("refuted: at x = ") and says[2] == "refuted: left 2, right 3"
    assert says[3].startswith("holds on a branch: at x = ") and "; not at x = -" in says[3]
    assert rows[3]["agreement"] is not None and rows[3]["witness"] is not None
    assert says[4].startswith("undefined: fewer than 12 real points")


def test_what_is_not_proved_holds_at_points() -> None:
    (row,) = verification_facts(load(), EQUATIONS[:1], thorough=False)
    assert (row["answer"], row["says"]) == ("holds", f"holds at {row['tested']['points']} points")  # type: ignore[index]


def test_where_nothing_decides_the_network_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = "dgl_mathtree.inference.combined_verdicts"
    monkeypatch.setattr(f"{facts}._judged", lambda some, _: [Judgement("undecided", None, 0, 0) for _ in some])
    (row,) = verification_facts(load(), EQUATIONS[:1])
    assert row["answer"] == "undecided" and str(row["says"]).startswith("undecided; the network says correct, 99")
    assert main(["verify", "x = x"]) == 0
    assert capsys.readouterr().out.startswith("correct 9")
    # Without a point at which the sides certainly differ nothing is refuted.
    monkeypatch.setattr(f"{facts}._judged", lambda some, _: [Judgement("false", None, 12, 0) for _ in some])
    assert verification_facts(load(), EQUATIONS[:1])[0]["answer"] == "undecided"


def test_the_network_alone(capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = verification_facts(load(), EQUATIONS[:1], network_only=True)
    assert (row["answer"], row["oracle"], row["agree"], row["verdict"]) == ("network", None, None, "correct")
    assert main(["verify", "x = x", "x = x + 1", "--network-only"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["correct", "incorrect"]


def test_what_the_network_cannot_read_is_decided_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    torch.manual_seed(0)
    model = TrainedVerifier(make_model("tree-lstm", 5, SYMBOLS, ["sin", "Add"]).eval(), "tree-lstm", "test")
    (row,) = verification_facts(model, [parse_equation("tan(x)*cot(x) = 1")])
    assert (row["answer"], row["verdict"]) == ("proved", None)
    assert "Mul is not in the vocabulary" in str(row["unread"])


def test_screening_changes_the_order_and_saves_close_looks() -> None:
    screening = Screening()
    screened = verification_facts(load(), EQUATIONS, screening=screening)
    rows = {row["equation"]: row for row in verification_facts(load(), EQUATIONS)}
    probability = [row["probability"] for row in screened]
    assert probability == sorted(probability, reverse=True)  # type: ignore[type-var]
    for row in screened:
        assert row["answer"] == rows[row["equation"]]["answer"]
    assert screening.equations == 5 and 0 < screening.close < 5
    assert str(screening).startswith(f"screened 5 equations: {screening.close} looked at closely")
    assert "0%" in str(Screening())


def test_screening_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "equations.txt"
    file.write_text("\n".join(["x = x + 1", *TEXTS]))
    assert main(["verify", "--file", str(file), "--screen", "--json"]) == 0
    out, err = capsys.readouterr()
    rows = [json.loads(line) for line in out.splitlines()]
    assert len(rows) == 6 and rows[0]["probability"] == max(row["probability"] for row in rows)
    assert "screened 6 equations" in err
    for wrong, reason in (("--quick", "exclude each other"), ("--network-only", "exclude each other")):
        assert main(["verify", "x = x", "--screen", wrong]) == 2
        assert reason in capsys.readouterr().err


@pytest.mark.parametrize("forms", ["0", "65"])
def test_the_number_of_forms_is_checked(forms: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "x = x", "--forms", forms]) == 2
    assert f"--forms must be between 1 and 64, not {forms}" in capsys.readouterr().err
