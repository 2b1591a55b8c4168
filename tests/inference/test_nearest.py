from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from dgl_mathtree.cli import main
from dgl_mathtree.inference.nearest import in_letters_of, nearest
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import VocabularyError, parse_expression
from dgl_mathtree.nn import make_model


def trained(name: str = "tree-lstm", **options: str) -> TrainedVerifier:
    torch.manual_seed(0)
    return TrainedVerifier(make_model(name, 6, ["x", "y", "1"], ["sin", "Add"], **options).eval(), name, "test")


@pytest.mark.parametrize("name", ["tree-lstm", "lstm"])
def test_vectors_of_expressions(name: str) -> None:
    model = trained(name)
    vectors = model.embed(["sin(x)", parse_expression("x + 1"), "sin(x)"])
    assert vectors.shape == (3, 6)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0)
    np.testing.assert_allclose(vectors[0], vectors[2], atol=1e-6)
    plain = model.embed(["sin(x)", "x + 1"], unit=False)
    logit = float(plain[0] @ plain[1]) + model.network.beta.item()
    np.testing.assert_allclose(logit, model.scores(["sin(x) = x + 1"])[0], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(model.embed(["sin(t)"]), model.embed(["sin(x)"]))
    with pytest.raises(VocabularyError, match="7 is not in the vocabulary"):
        model.embed(["x + 7"])


def test_models_without_vectors() -> None:
    with pytest.raises(TypeError, match="gives expressions no vectors"):
        trained("majority").embed(["x"])


def test_the_nearest_come_first_with_the_oracle_beside_them() -> None:
    query = parse_expression("x + 1")
    found = nearest(trained(), query, map(parse_expression, ["1 + x", "sin(x)", "x + 1", "sin(x)"]), top=5)
    assert {str(each.expression): each.oracle for each in found} == {"1 + x": "true", "sin(x)": "false"}
    assert found[0].cosine >= found[1].cosine


def test_known_identities_take_the_names_of_the_variables() -> None:
    among = [parse_expression("sin(x) + y")]
    assert in_letters_of(parse_expression("y + x"), among) == among
    assert in_letters_of(parse_expression("cos(y)"), among) == [parse_expression("sin(y) + x")]
    assert in_letters_of(parse_expression("t + z"), among) == [parse_expression("sin(t) + z")]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "formulas.txt"
    file.write_text("sin(2*x) = 2*sin(x)*cos(x)\n\ncos(x)\nsin(\n")
    assert main(["nearest", "sin(x + x)", "--in", str(file), "--json"]) == 2
    printed = capsys.readouterr()
    rows = json.loads(printed.out)
    assert {row["expression"]: row["oracle"] for row in rows} == {
        "sin(2*x)": "true",
        "2*sin(x)*cos(x)": "true",
        "cos(x)": "false",
    }
    assert f"{file}: line 4, column" in printed.err and printed.err.count("\n") == 1
    assert main(["nearest", "sin(t)^2 + cos(t)^2", "--top", "2"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sin("], "line 1, column"),
        (["x", "--top", "0"], "--top must be at least 1, not 0"),
        (["x", "--in", "nowhere.txt"], "cannot read nowhere.txt"),
        (["x", "--model", "nowhere"], "there is no run nowhere"),
    ],
)
def test_bad_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nearest", *arguments]) == 2
    assert message in capsys.readouterr().err
