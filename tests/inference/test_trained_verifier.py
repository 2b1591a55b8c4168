from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
import torch

from dgl_mathtree.cli import main
from dgl_mathtree.graphs import SYMBOLS
from dgl_mathtree.inference.candidates import default_candidates
from dgl_mathtree.inference.combined_verdicts import verification_facts
from dgl_mathtree.inference.metrics import score
from dgl_mathtree.inference.trained_verifier import ScoreError, TrainedVerifier
from dgl_mathtree.language import Forest, VocabularyError, parse_equation
from dgl_mathtree.nn import MODELS, make_model

OPERATORS = ["sin", "cos", "Add", "Mul", "Pow"]


def trained(model: str = "m-tree-lstm+stack") -> TrainedVerifier:
    torch.manual_seed(0)
    return TrainedVerifier(make_model(model, 5, SYMBOLS, OPERATORS).eval(), model, "test")


def test_variables_are_renamed() -> None:
    model = trained()
    assert model.variables == ["x", "y", "z", "w"]
    assert str(model.renamed(parse_equation("a + theta = x"))) == "y + z = x"
    assert str(model.renamed(parse_equation("y = y"))) == "y = y"
    np.testing.assert_allclose(model.scores(["sin(a) = b"]), model.scores(["sin(x) = y"]))
    with pytest.raises(VocabularyError, match="there are 5 variables; the model knows 4: x, y, z, w"):
        model.scores(["a + b + c + d = u"])


@pytest.mark.parametrize("word", ["7", "tan(x)", "0.25", "e"])
def test_words_that_it_does_not_know(word: str) -> None:
    with pytest.raises(VocabularyError, match=r"is not in the vocabulary: the leaves -1, .* operators sin, cos"):
        trained().verify([f"{word} = x"])
    trained("majority").verify([f"{word} = x"])


def any_leaf() -> TrainedVerifier:
    torch.manual_seed(0)
    network = make_model("tree-lstm", 5, ["x", "y", "2"], OPERATORS, leaves="open").eval()
    return TrainedVerifier(network, "tree-lstm", "test")


@pytest.mark.parametrize(
    "text",
    [
        "a + b + c + d + theta_7 = x",
        "sin(pi*x) = e^y",
        "-355/113 * x = 0.000125",
        f"x + {'9' * 500} = 10^-400",
        "var3 + alpha = 1.5",
    ],
)
def test_a_model_that_reads_any_leaf_refuses_none(text: str) -> None:
    model = any_leaf()
    (answer,) = model.verify([text])
    assert 0 <= answer.probability <= 1
    assert np.isfinite(model.score_forest(Forest.of([parse_equation(text)]))).all()


def test_a_model_that_reads_any_leaf_refuses_operators_without_weights() -> None:
    with pytest.raises(VocabularyError, match=r"tan is not in the vocabulary: .* the operators sin, cos"):
        any_leaf().verify(["tan(x) = x"])


def test_all_variables_are_renamed_for_a_model_that_reads_any_leaf() -> None:
    model = any_leaf()
    assert str(model.renamed(parse_equation("a + b = c + d"))) == "x + y = x_2 + x_3"
    assert str(model.renamed(parse_equation("y + x = y"))) == "x + y = x"
    assert model.scores(["a + b = c"])[0] != model.scores(["a + b = a"])[0]


@pytest.mark.parametrize("same", ["b = sin(a) + a*b", "sin(y) + y*x = x", "sin(u_1) + u_1*u_2 = u_2"])
def test_neither_letters_nor_the_order_of_the_sides_matter_to_a_model_that_reads_any_leaf(same: str) -> None:
    model, text = any_leaf(), "sin(x) + x*y = y"
    assert model.scores([same]) == model.scores([text])
    forest = Forest.of(map(parse_equation, ("2 = 2", same)))
    assert model.score_forest(forest, np.array([1])) == model.scores([text])
    assert model.score_forest(forest).tolist() == model.scores(["2 = 2", text]).tolist()


def test_states_are_those_of_the_letters_that_were_given() -> None:
    found = any_leaf().states("sin(b) + a = 2")
    assert [str(expression) for expression in found.expressions] == ["sin(b) + a", "sin(b)", "b", "a", "2"]


def test_vectors_of_one_call_can_be_compared_with_those_of_another() -> None:
    model = any_leaf()
    assert not np.allclose(model.embed(["sin(x)"]), model.embed(["sin(y)"]))


def test_a_model_that_reads_any_leaf_completes_with_any() -> None:
    model = any_leaf()
    found = model.complete("p + q + r + ? = 17 + e", default_candidates(["s", "23", "pi"], ["sin"]), top=10)
    assert len(found) == 6
    with pytest.raises(VocabularyError, match=r"candidate tan\(23\): tan is not in the vocabulary"):
        model.complete("x + ? = 1", default_candidates(["23"], ["tan"]))


def test_answers() -> None:
    model = trained()
    equations = ["sin(x) = cos(x)", "x + 1 = 1 + x"]
    answers = model.verify(equations)
    assert [str(answer.equation) for answer in answers] == ["sin(x) = cos(x)", "x + 1 = 1 + x"]
    probabilities = 1 / (1 + np.exp(-model.scores(equations)))
    for answer, probability in zip(answers, probabilities, strict=True):
        assert answer.probability == pytest.approx(probability)
        assert answer.verdict == ("correct" if probability >= 0.5 else "incorrect")
    assert model.verify([]) == []


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.is_cell])
def test_states_are_what_the_score_is_made_of(name: str) -> None:
    model = trained(name)
    states = model.states("sin(x) + 1 = sin(x)*y")
    assert [str(expression) for expression in states.expressions] == [
        "sin(x) + 1",
        "sin(x)",
        "x",
        "1",
        "sin(x)*y",
        "sin(x)",
        "x",
        "y",
    ]
    assert states.sides == (0, 4)
    left, right = states["h"][list(states.sides)]
    logit = (left * right).sum() + model.network.beta
    np.testing.assert_allclose(logit.item(), model.scores(["sin(x) + 1 = sin(x)*y"])[0], rtol=1e-5)
    torch.testing.assert_close(states["h"][1], states["h"][5])
    if "stack" in name:
        assert states["stack"].shape == (8, 5, 5)
        assert states["actions"].shape == (8, 3)
        inner = [0, 1, 4, 5]
        torch.testing.assert_close(states["actions"][inner].sum(1), torch.ones(4))
    if "lstm" in name:
        assert states["c"].shape == (8, 5)


@pytest.mark.parametrize("name", ["lstm", "majority"])
def test_models_without_states(name: str) -> None:
    with pytest.raises(TypeError, match="not a recursive network"):
        trained(name).states("x = x")


def test_scores_that_are_no_numbers() -> None:
    model = trained()
    with torch.no_grad():
        model.network.beta.fill_(torch.inf)  # a sum that is too large
    for ask in (model.verify, model.scores, lambda _: model.complete("x + ? = x")):
        with pytest.raises(ScoreError, match="the scores of test are not finite"):
            ask(["x = x"])


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "sin(a)^2 + cos(a)^2 = 1", "sin(a) = 2", "--json"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    fields = "equation depth probability verdict oracle model agree witness proof conditions tested unread".split()
    assert list(first) == [*fields, "answer", "says", "agreement"]  # those of version 0.1.0 first
    assert (first["answer"], second["answer"]) == ("proved", "refuted")
    assert first["witness"] is None and second["witness"]["right"] == "2"
    assert (first["equation"], first["depth"]) == ("sin(a)^2 + cos(a)^2 = 1", 4)
    assert (first["verdict"], first["oracle"], second["verdict"], second["oracle"]) == (
        "correct",
        "true",
        "incorrect",
        "false",
    )
    assert first["agree"] is second["agree"] is True
    assert main(["verify", "acosh(q) = 12345/7", "x = x"]) == 0
    lines = capsys.readouterr().out.splitlines()
    # What is known comes first, the network's own verdict last.
    assert lines[0].startswith("refuted             acosh(q) = 12345/7  at q = ")
    assert "network: incorrect " in lines[0].split("  ")[-1]
    assert lines[1].startswith("proved              x = x  network: correct ")
    assert main(["verify", "sine(x) = 1"]) == 2
    assert "did you mean sin?" in capsys.readouterr().err
    assert main(["verify"]) == 2


def test_disagreement_with_the_oracle_is_marked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = trained("majority")
    with torch.no_grad():
        model.network.beta.fill_(2.0)  # finds everything correct
    monkeypatch.setattr("dgl_mathtree.training.load", lambda *_: model)
    equations = ["x + x = 2*x", "x = x + 1", "sqrt(x^2) = x", "asin(2) = x"]
    assert main(["verify", *equations]) == 0
    assert [line.endswith("  disagree") for line in capsys.readouterr().out.splitlines()] == [False, True, False, False]
    assert main(["verify", *equations, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["agree"] for row in rows] == [True, False, None, None]


MIXED = (
    "a + theta = x",
    "x*(y + z) = x*y + x*z",
    "t_10 + t_2 = t_2 + t_10",
    "b + a = a + b",
    "sin(u)^2 + cos(u)^2 = 1",
    "b^2 + a^2 = a^2 + b^2",
    "2 = 1 + 1",
    "sin(b*a) = c + a",
    "x = x",
)


@pytest.mark.parametrize("make", [trained, any_leaf])
def test_all_equations_are_renamed_as_each_is(make: Callable[[], TrainedVerifier]) -> None:
    """What is scored is what `renamed` says, whether equations come one by one, together or in a forest."""
    model = make()
    equations = [parse_equation(text) for text in MIXED]
    expected = [score(model.network, Forest.of([model.renamed(equation)]))[0] for equation in equations]
    np.testing.assert_allclose(model.scores(equations), expected, rtol=1e-5)
    np.testing.assert_allclose([model.scores(each)[0] for each in equations], expected, rtol=1e-5)
    forest = Forest.of(equations)
    np.testing.assert_array_equal(model.score_forest(forest), model.scores(equations))
    some = np.array([7, 0, 2])
    np.testing.assert_allclose(model.score_forest(forest, some), np.array(expected)[some], rtol=1e-5)


def test_scores_of_what_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dgl_mathtree.inference.trained_verifier.RENAMED", 2)
    model = trained()
    texts = ["sin(a) = b", "tan(x) = 7", "x = y", "a + b + c + d = u", "x = x"]
    equations = [parse_equation(text) for text in texts]
    logits, unread = model.scores_of_readable(equations)
    assert list(unread) == [1, 3] == np.flatnonzero(np.isnan(logits)).tolist()
    np.testing.assert_allclose(logits[[0, 2, 4]], model.scores([texts[0], texts[2], texts[4]]), rtol=1e-5)
    for k, error in unread.items():
        with pytest.raises(VocabularyError) as caught:
            model.renamed(equations[k])
        assert str(caught.value) == str(error)
    for scored in (lambda: model.scores(equations), lambda: model.score_forest(Forest.of(equations))):
        with pytest.raises(VocabularyError, match="tan is not in the vocabulary"):
            scored()
    assert model.scores_of_readable([])[0].shape == (0,)


def test_facts_name_an_equation_once_for_each_time_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many equations are renamed together, and only what cannot be read once more, to say why."""
    model, asked = trained(), []
    one_by_one = model.renamed
    monkeypatch.setattr(model, "renamed", lambda equation: asked.append(str(equation)) or one_by_one(equation))
    rows = verification_facts(model, [parse_equation(text) for text in ("a = b", "tan(x) = 1", "a = b", "x = x")])
    assert [row["unread"] is None for row in rows] == [True, False, True, True]
    assert [row["verdict"] is None for row in rows] == [False, True, False, False]
    assert rows[0] == rows[2]
    assert asked == ["tan(x) = 1"]
