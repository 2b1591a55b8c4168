"""Checkpoints of the original project: synthetic ones of every kind, and the real one where it is at hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from dgl_mathtree.cli import main
from dgl_mathtree.inference.blanks import original_blanks
from dgl_mathtree.inference.candidates import read_candidates
from dgl_mathtree.inference.complete import Completer
from dgl_mathtree.inference.rank import class_ranks
from dgl_mathtree.language import parse_equation
from dgl_mathtree.language.vocabulary import ARITY
from dgl_mathtree.training import load
from dgl_mathtree.training.original_checkpoints import OPERATORS, VOCABULARY

ORIGINAL = Path(__file__).parents[3] / "shared" / "original"
N = 6
State = dict[str, torch.Tensor]
here = pytest.mark.skipif(not ORIGINAL.is_dir(), reason="the original project's data is not here")


def linear(state: State, key: str, children: int) -> None:
    state[f"{key}.weight"], state[f"{key}.bias"] = torch.randn(N, children * N) / 2, torch.randn(N) / 2


def checkpoint(kind: str) -> State:
    """A state dict with the keys that the original's README lists."""
    torch.manual_seed(5)
    state: State = {"bias": torch.randn(1), "Symbol.weight": torch.randn(34, N)}
    linear(state, "Number_enc.linear1", 1)
    for name in OPERATORS:
        arity = ARITY[name]
        if kind == "tree-rnn":
            linear(state, f"{name}.linear", arity)
        elif kind == "tree-lstm" and arity == 1:
            for gate in ("data", "forget", "output", "input"):
                linear(state, f"{name}.{gate}", 1)
        elif kind == "tree-lstm":
            for gate in ("data", "output", "input"):
                for side in ("left", "right"):
                    state[f"{name}.{gate}_{side}.weight"] = torch.randn(N, N) / 2
                state[f"{name}.{gate}_bias"] = torch.randn(N) / 2
            for child in ("left", "right"):
                for by in ("left", "right"):
                    state[f"{name}.forget_{child}_by_{by}.weight"] = torch.randn(N, N) / 2
                state[f"{name}.forget_bias_{child}"] = torch.randn(N) / 2
        else:
            linear(state, f"{name}.o_linear", arity)
            for gate in ("push_gate", "pop_gate", "no_op_gate", "input"):
                linear(state, f"{name}_stack.{gate}_linear", arity)
            for gate in ("gate_linear",) if arity == 1 else ("gate_linear_l", "gate_linear_r"):
                linear(state, f"{name}_stack.{gate}", arity)
    return state


def apply(state: State, key: str, x: torch.Tensor) -> torch.Tensor:
    return state[f"{key}.weight"] @ x + state[f"{key}.bias"]


def step_rnn(state: State, name: str, children: list[State]) -> State:
    return {"h": torch.sigmoid(apply(state, f"{name}.linear", torch.cat([child["h"] for child in children])))}


def step_lstm(state: State, name: str, children: list[State]) -> State:
    if len(children) == 1:
        (child,) = children
        i, f, o, u = (apply(state, f"{name}.{gate}", child["h"]) for gate in ("data", "forget", "output", "input"))
        c = torch.sigmoid(i) * torch.tanh(u) + torch.sigmoid(f) * child["c"]
    else:
        left, right = children

        def gate(of: str, bias: str) -> torch.Tensor:
            parts = [state[f"{name}.{of.format(side)}.weight"] for side in ("left", "right")]
            return parts[0] @ left["h"] + parts[1] @ right["h"] + state[f"{name}.{bias}"]

        i, o, u = (gate(f"{part}_{{}}", f"{part}_bias") for part in ("data", "output", "input"))
        c = torch.sigmoid(i) * torch.tanh(u)
        for side, child in (("left", left), ("right", right)):
            c = c + torch.sigmoid(gate(f"forget_{side}_by_{{}}", f"forget_bias_{side}")) * child["c"]
    return {"h": torch.sigmoid(o) * torch.tanh(c), "c": c}


def step_smu(state: State, name: str, children: list[State]) -> State:
    x = torch.cat([child["h"] for child in children])
    raw = torch.stack([apply(state, f"{name}_stack.{a}_gate_linear", x) for a in ("push", "pop", "no_op")])
    push, pop, no_op = torch.softmax(torch.sigmoid(raw), dim=0)
    keys = ["gate_linear"] if len(children) == 1 else ["gate_linear_l", "gate_linear_r"]
    gates = [torch.sigmoid(apply(state, f"{name}_stack.{key}", x)) for key in keys]
    stack = sum((g * child["stack"] for g, child in zip(gates, children, strict=True)), torch.zeros(5, N))
    value = torch.tanh(apply(state, f"{name}_stack.input_linear", x))
    pushed = torch.cat([value[None], stack[:-1]])
    popped = torch.cat([stack[1:], torch.zeros(1, N)])
    new = push * pushed + pop * popped + no_op * stack
    return {"h": torch.sigmoid(apply(state, f"{name}.o_linear", x)) * torch.tanh(new[0]), "stack": new}


STEPS = {"tree-rnn": step_rnn, "tree-lstm": step_lstm, "tree-smu": step_smu}


def logit(state: State, kind: str, text: str) -> float:
    stack: list[State] = []
    for word in reversed(parse_equation(text).words[1:]):
        if word in ARITY:
            stack.append(STEPS[kind](state, word, [stack.pop() for _ in range(ARITY[word])]))
        else:
            vector = state["Symbol.weight"][VOCABULARY.index(word)]
            stack.append({"h": vector, "c": torch.zeros(N), "stack": torch.zeros(5, N)})
    left, right = stack.pop(), stack.pop()
    return float(left["h"] @ right["h"] + state["bias"][0])


@pytest.mark.parametrize("kind", STEPS)
def test_every_kind_computes_what_it_did(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = checkpoint(kind)
    torch.save(state, tmp_path / "checkpoint")
    assert main(["import-checkpoint", str(tmp_path / "checkpoint"), "--out", str(tmp_path / "run")]) == 0
    assert f"{kind} with vectors of size {N}, 29 operators and 34 leaves" in capsys.readouterr().out
    texts = [
        "sin(var_0)^2 + cos(var_0)^2 = 1",
        "log(var_1, 2)*(0.7 + -1/2) = tanh(exp(pi - e*var_9))",
        "2/5 + 10^-3 = acoth(0 + 1/2)",
        "var_3 = var_3",
    ]
    expected = [logit(state, kind, text) for text in texts]
    np.testing.assert_allclose(load(tmp_path / "run").scores(texts), expected, atol=1e-5)


def test_what_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "checkpoint", tmp_path / "run"

    def refused(state: object) -> str:
        torch.save(state, file)
        assert main(["import-checkpoint", str(file), "--out", str(out)]) == 2
        error = capsys.readouterr().err
        assert error.startswith("mathtree: ") and error.count("\n") == 1
        assert not out.exists()
        return error

    whole = checkpoint("tree-lstm")
    assert "no Symbol.weight and bias" in refused({"weight": torch.ones(3)})
    assert "expected a state dict of tensors" in refused([1, 2])
    assert "34 rows" in refused(whole | {"Symbol.weight": torch.ones(33, N)})
    assert "it has no sin.data.bias" in refused({k: v for k, v in whole.items() if k != "sin.data.bias"})
    assert "not (6, 6)" in refused(whole | {"Add.data_left.weight": torch.ones(N, 2)})
    assert "which that model does not have" in refused(whole | {"attention.weight": torch.ones(2)})
    for wrong in (torch.ones(1, dtype=torch.int64), torch.full((1,), torch.nan), torch.ones(1).to_sparse()):
        assert "bias is not a plain tensor of finite numbers" in refused(whole | {"bias": wrong})
    assert "it has no acsch.data.weight" in refused({k: v for k, v in whole.items() if not k.startswith("acsch.")})
    assert "its keys are unknown" in refused({"bias": torch.ones(1), "Symbol.weight": torch.ones(34, N)})
    assert "loaded safely" in refused({"bias": Path("anything that is no tensor")})
    file.write_bytes(b"no checkpoint at all")
    assert main(["import-checkpoint", str(file), "--out", str(out)]) == 2
    assert main(["import-checkpoint", str(tmp_path / "none"), "--out", str(out)]) == 2
    assert "No such file" in capsys.readouterr().err


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("original") / "run"
    assert main(["import-checkpoint", str(ORIGINAL / "tree-lstm-50.checkpoint"), "--out", str(out)]) == 0
    return out


@here
def test_scores_of_the_original(run: Path, tmp_path: Path) -> None:
    files = [str(ORIGINAL / f"40k_test_blank_{k}.json") for k in range(3)]
    assert main(["import-original", *files, "--out", str(tmp_path / "data")]) == 0
    scores = tmp_path / "scores.jsonl"
    assert main(["evaluate", str(run), str(tmp_path / "data"), "--scores", str(scores)]) == 0
    found = [json.loads(line)["logit"] for line in scores.read_text().splitlines()]
    expected = json.loads((ORIGINAL / "tree-lstm-50.reference-scores.json").read_text())
    assert len(found) == 831
    np.testing.assert_allclose(found, [row["score"] for row in expected], atol=1e-4)
    assert len((tmp_path / "data" / "blanks.jsonl").read_text().splitlines()) == 831


@here
def test_completions_of_the_original(run: Path) -> None:
    candidates = read_candidates(ORIGINAL / "candidate_classes.json")
    completer = Completer(load(run).network, candidates.expressions)
    for row in json.loads((ORIGINAL / "tree-lstm-50.reference-completions.json").read_text()):
        blank = original_blanks([ORIGINAL / row["file"]])[row["index"]]
        (scores,) = completer.scores([blank.equation])
        np.testing.assert_allclose(scores, row["scores"], atol=1e-3)
        rank, first, collapsed = class_ranks(scores, candidates.classes)
        place = candidates.places[blank.filling]
        own = candidates.classes[place]
        assert (rank[place], first[own], collapsed[own]) == (row["raw_rank"], row["class_rank"], row["collapse_rank"])
