from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from dgl_mathtree.cli import main
from dgl_mathtree.expressions import VocabularyError, parse_equation
from dgl_mathtree.graphs import SYMBOLS
from dgl_mathtree.nn import MODELS, make_model
from dgl_mathtree.tasks.trained import ScoreError, TrainedVerifier

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
    with pytest.raises(TypeError, match="no recursive network"):
        trained(name).states("x = x")


def test_scores_that_are_no_numbers() -> None:
    model = trained()
    with torch.no_grad():
        model.network.beta.fill_(torch.inf)  # a sum that is too large
    for ask in (model.verify, model.scores, lambda _: model.complete("x + ? = x")):
        with pytest.raises(ScoreError, match="the scores of test are no finite numbers"):
            ask(["x = x"])


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "sin(a)^2 + cos(a)^2 = 1", "sin(a) = 2", "--json"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert list(first) == ["equation", "depth", "probability", "verdict", "oracle", "model"]
    assert (first["equation"], first["depth"]) == ("sin(a)^2 + cos(a)^2 = 1", 4)
    assert (first["verdict"], first["oracle"], second["verdict"], second["oracle"]) == (
        "correct",
        "true",
        "incorrect",
        "false",
    )
    assert main(["verify", "acosh(x) = 17", "x = x"]) == 2
    captured = capsys.readouterr()
    assert "is not in the vocabulary" in captured.err
    assert captured.out.splitlines()[0].split() == "unknown oracle false acosh(x) = 17".split()
    assert "oracle true" in captured.out.splitlines()[1]
    assert main(["verify", "sine(x) = 1"]) == 2
    assert "did you mean sin?" in capsys.readouterr().err
    assert main(["verify"]) == 2
