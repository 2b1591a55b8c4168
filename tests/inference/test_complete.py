from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import torch

from dgl_mathtree.cli import main
from dgl_mathtree.graphs import SYMBOLS
from dgl_mathtree.inference import complete
from dgl_mathtree.inference.blanks import make_blanks
from dgl_mathtree.inference.candidates import default_candidates, write_candidates
from dgl_mathtree.inference.complete import Completer, FilledForests
from dgl_mathtree.inference.filling_order import LONG
from dgl_mathtree.inference.metrics import score
from dgl_mathtree.inference.rank import Ranks, class_of, class_ranks, completion_metrics, rank_blanks
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import Equation, Expr, Forest, VocabularyError, parse_blank, parse_expression
from dgl_mathtree.language.plain_terms import length
from dgl_mathtree.language.vocabulary import BLANK
from dgl_mathtree.nn import MODELS, make_model
from dgl_mathtree.oracle import Oracle

OPERATORS = ["sin", "cos", "tan", "csc", "sec", "cot", "Add", "Mul", "Pow"]
CANDIDATES = default_candidates(["x", "y", "1", "-1", "2"], ["sin", "Add", "Pow"])
BLANKS = [
    parse_blank(text)
    for text in (
        "? = x",
        "x = ?",
        "sin(?)^2 + cos(x)^2 = 1",
        "1 = (x + sin(y*?))*cos(x)^2",
        "?^x = x^2",
        "x^? = x*x",
        "sin(cos(sin(?))) = sin(cos(sin(x)))",
    )
]


def filled(blank: Equation, expression: Expr) -> Equation:
    return blank.replace(blank.words.index(BLANK), expression)


@pytest.mark.parametrize("blank", BLANKS, ids=str)
def test_filled_forests(blank: Equation) -> None:
    forest = FilledForests(CANDIDATES.expressions).fill(blank)
    expected = [filled(blank, expression) for expression in CANDIDATES.expressions]
    assert [forest.equation(k) for k in range(len(expected))] == expected
    assert np.all(np.diff(forest.height) >= 0)
    some = forest.take([3, 17, 5])
    assert [some.equation(k) for k in range(3)] == [expected[k] for k in (3, 17, 5)]


@pytest.mark.parametrize(
    ("name", "head"), [*((name, "dot") for name in MODELS), ("tree-lstm+stack", "cosine"), ("tree-rnn+stack", "output")]
)
def test_scores_are_those_of_each_filled_equation_alone(name: str, head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(complete, "ROWS", 37)  # several parts
    monkeypatch.setattr(complete, "CHUNK", 3)
    torch.manual_seed(0)
    verifier = make_model(name, 7, SYMBOLS, OPERATORS, head, dropout=0.5)
    with torch.no_grad():
        for parameter in verifier.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    verifier.double().train()
    found = list(Completer(verifier, CANDIDATES.expressions).scores(BLANKS))
    assert verifier.training
    for blank, scores in zip(BLANKS, found, strict=True):
        alone = score(verifier, Forest.of(filled(blank, expression) for expression in CANDIDATES.expressions))
        np.testing.assert_allclose(scores, alone, atol=1e-9)


def test_candidates_that_the_model_does_not_know_come_last() -> None:
    verifier = make_model("tree-lstm", 4, SYMBOLS, OPERATORS)
    expressions = [parse_expression(text) for text in ("17", "x", "log(x)", "x", "17*x")]
    (scores,) = Completer(verifier, expressions).scores([parse_blank("? = x")])
    assert np.isneginf(scores).tolist() == [True, False, True, False, True]
    assert scores[1] == scores[3]
    (nothing,) = Completer(verifier, expressions[:1]).scores([parse_blank("? = x")])
    assert np.isneginf(nothing).all()


def test_ranks_by_hand() -> None:
    classes = np.array([0, 1, 0, 2, 1])
    rank, first, collapsed = class_ranks(np.array([0.0, 5.0, 5.0, 4.0, -np.inf]), classes)
    assert rank.tolist() == [4, 1, 2, 3, 5]  # ties in their own order
    assert first.tolist() == [2, 1, 3]
    assert collapsed.tolist() == [2, 1, 3]
    _, first, collapsed = class_ranks(np.array([3.0, 5.0, 2.0, 1.0, 4.0]), classes)
    assert first.tolist() == [3, 1, 5]
    assert collapsed.tolist() == [2, 1, 3]


def test_metrics_by_hand() -> None:
    def ranks(raw: int | None, oracle: int | None, wrong: bool) -> Ranks:
        return Ranks("a", 3, raw, raw, raw, oracle, "true", wrong)

    found = completion_metrics([ranks(1, 1, True), ranks(4, 2, True), ranks(None, None, True), ranks(20, 1, False)])
    assert found["count"] == 4
    assert (found["unlisted"], found["no_candidate_right"], found["every_candidate_right"]) == (1, 1, 1)
    assert (found["top1_raw"], found["top5_raw"], found["top10_class"]) == (1 / 3, 2 / 3, 2 / 3)
    assert found["mrr_collapse"] == pytest.approx((1 + 1 / 4 + 1 / 20) / 3)
    assert (found["decided"], found["top1_oracle"], found["top5_oracle"]) == (2, 0.5, 1.0)
    assert completion_metrics([])["top1_class"] is None


def test_the_class_of_a_filling_that_is_no_candidate() -> None:
    oracle = Oracle(complex_plane=False)
    assert (
        class_of(parse_expression("x"), CANDIDATES, oracle)
        == CANDIDATES.classes[CANDIDATES.places[parse_expression("x")]]
    )
    equal = class_of(parse_expression("csc(x)^-1"), CANDIDATES, oracle)
    assert equal == CANDIDATES.classes[CANDIDATES.places[parse_expression("sin(x)")]]
    assert class_of(parse_expression("tan(x)^2"), CANDIDATES, oracle) is None


def test_ranking_blanks() -> None:
    torch.manual_seed(0)
    verifier = make_model("mi-tree-lstm", 5, SYMBOLS, OPERATORS)
    blanks = make_blanks("paper")[:12]
    candidates = default_candidates(SYMBOLS, OPERATORS)
    for blank, ranks in zip(blanks, rank_blanks(verifier, blanks, candidates), strict=True):
        assert (ranks.id, ranks.truth) == (blank.id, "true")
        assert ranks.raw is not None and ranks.class_ is not None and ranks.collapse is not None
        assert ranks.collapse <= ranks.class_ <= ranks.raw <= len(candidates)
        # What was there is right, so some class is right at least as early as its own.
        assert ranks.oracle is not None and ranks.oracle <= ranks.collapse


class TestCompleting:
    def model(self) -> TrainedVerifier:
        torch.manual_seed(0)
        return TrainedVerifier(make_model("tree-lstm", 5, SYMBOLS, OPERATORS).eval(), "tree-lstm", "test")

    def test_fillings(self) -> None:
        model = self.model()
        found = model.complete("a + ? = a", top=4)
        assert len(found) == 4
        # What is true comes first, whatever the network says; the others are in its order, of equal ones the shorter.
        assert [(str(f.expression), f.answer) for f in found[:1]] == [("0", "proved")]
        assert [f.answer for f in found[1:]] == ["refuted"] * 3
        worth = [np.log(f.probability / (1 - f.probability)) - LONG * length(f.expression) for f in found[1:]]
        assert worth == sorted(worth, reverse=True)
        alone = model.complete("a + ? = a", top=4, network_only=True)
        worth = [np.log(f.probability / (1 - f.probability)) - LONG * length(f.expression) for f in alone]
        assert worth == sorted(worth, reverse=True)
        for filling in found:
            assert filling.equation == filled(parse_blank("a + ? = a"), filling.expression)
            assert set(filling.expression.variables) <= {"a"}
            (answer,) = model.verify([filling.equation])
            assert answer.probability == pytest.approx(filling.probability, abs=1e-6)
            assert filling.oracle == Oracle().judge([filling.equation])[0].verdict

    def test_no_two_fillings_are_equal(self) -> None:
        found = self.model().complete("sin(2*x) = 2*?*cos(x)", top=40)
        pairs = combinations([filling.expression for filling in found], 2)
        assert len(found) == 40
        assert not any(j.verdict == "true" for j in Oracle(complex_plane=False).judge(Equation(a, b) for a, b in pairs))

    def test_deeper_candidates(self) -> None:
        model = TrainedVerifier(make_model("tree-rnn", 3, ["x", "2"], ["sin", "Pow"]).eval(), "tree-rnn", "test")
        assert len(model.complete("? = x", top=10_000, depth=0)) == 2
        assert len(model.complete("? = x", top=10_000, depth=2)) == 2 + 8 + 64

    def test_words_that_the_model_does_not_know(self) -> None:
        model = self.model()
        with pytest.raises(VocabularyError, match="17 is not in the vocabulary"):
            model.complete("? = 17")
        with pytest.raises(VocabularyError, match=r"log is not in the vocabulary: .* and the operators sin"):
            model.complete("? = log(x)")
        with pytest.raises(VocabularyError, match="23 is not in the vocabulary"):
            model.complete("? = x", default_candidates(["x", "23"], ["sin"]))


def test_blanks_in_many_variables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [("a + ? = a + b", "b"), ("c + ? = c + d", "d"), ("f + ? = f + g", "g"), ("x + ? = x + h", "h")]
    lines = [json.dumps({"id": str(k), "equation": e, "filling": f}) for k, (e, f) in enumerate(texts)]
    (tmp_path / "blanks.jsonl").write_text("\n".join(lines))
    assert main(["evaluate-completion", "shipped", str(tmp_path / "blanks.jsonl"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["overall"]["unlisted"] == 0
    write_candidates(tmp_path / "c.json", default_candidates([*"abcdfghx", "1"], ["sin"]))
    options = ["--candidates", str(tmp_path / "c.json"), "--json"]
    assert main(["evaluate-completion", "shipped", str(tmp_path / "blanks.jsonl"), *options]) == 0
    found = json.loads(capsys.readouterr().out)["overall"]
    assert (found["count"], found["unlisted"]) == (4, 0)


def test_candidates_keep_their_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"expression": e, "class": c} for e, c in (("x", 7), ("1", "A"), ("x", 7), ("2", 7.5))]
    (tmp_path / "c.json").write_text(json.dumps({"candidates": rows}))
    assert main(["complete", "? = x", "--candidates", str(tmp_path / "c.json"), "--json"]) == 0
    found = {row["filling"]: row["class"] for row in json.loads(capsys.readouterr().out)}
    assert found == {"x": 7, "1": "A", "2": "7.5"}
    (tmp_path / "c.json").write_text(json.dumps({"candidates": [{"expression": "17*x", "class": 0}]}))
    assert main(["complete", "? = x", "--candidates", str(tmp_path / "c.json")]) == 0
    assert "17*x = x" in capsys.readouterr().out
    (tmp_path / "c.json").write_text("[" * 100_000)
    assert main(["complete", "? = x", "--candidates", str(tmp_path / "c.json")]) == 2
    assert "nested too deeply" in capsys.readouterr().err


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["complete", "sin(x) + ? = sin(x)", "--json", "--top", "3"]) == 0
    found = json.loads(capsys.readouterr().out)
    fields = ["filling", "equation", "probability", "oracle", "class", "answer", "proof", "conditions"]
    assert [list(row) for row in found] == [fields] * 3
    assert main(["complete", "x + ? = x"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5
    no_blanks = (["x = 1"], ["? + ? = 1"], ["x ? 2 = 1"])
    for wrong in (*no_blanks, ["? = x", "--top", "0"], ["? = x", "--depth", "-1"]):
        assert main(["complete", *wrong]) == 2
        assert capsys.readouterr().err.startswith("mathtree: ")

    blanks, ranks = tmp_path / "blanks.jsonl", tmp_path / "ranks.jsonl"
    assert main(["blanks", "paper", "--out", str(blanks), "--seed", "1"]) == 0
    assert capsys.readouterr().out.startswith("4097 blanks in ")
    lines = blanks.read_text().splitlines()
    assert len(lines) == 4097
    blanks.write_text("\n".join(lines[:40]) + "\n")
    write_candidates(tmp_path / "candidates.json", default_candidates(SYMBOLS, OPERATORS))
    options = ["--json", "--ranks", str(ranks), "--candidates", str(tmp_path / "candidates.json")]
    assert main(["evaluate-completion", "shipped", str(blanks), *options]) == 0
    with_file = json.loads(capsys.readouterr().out)
    assert {"top1_class", "top5_class", "top1_collapse", "top5_collapse", "top1_oracle", "top5_oracle"} <= set(
        with_file["overall"]
    )
    assert with_file["overall"]["count"] == 40 == sum(row["count"] for row in with_file["by_depth"].values())
    rows = [json.loads(line) for line in ranks.read_text().splitlines()]
    assert [list(row) for row in rows] == [["id", "raw_rank", "class_rank", "collapse_rank", "oracle_rank"]] * 40
    assert main(["evaluate-completion", "shipped", str(blanks), "--json"]) == 0
    own = json.loads(capsys.readouterr().out)
    assert own["overall"]["count"] == 40 and 0 < own["candidates"] <= with_file["candidates"]
    blanks.write_text(lines[0] + "\n")
    assert main(["evaluate-completion", "shipped", str(blanks)]) == 0
    assert "top1_oracle" in capsys.readouterr().out
    assert main(["evaluate-completion", "shipped", str(tmp_path / "none")]) == 2
