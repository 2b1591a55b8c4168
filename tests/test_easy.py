"""The variants between the recipes `legacy` and `original`, in miniature."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from dgl_mathtree.data.automatic_evaluation import evaluates_to_true
from dgl_mathtree.data.blocks import CORRECT
from dgl_mathtree.data.candidate import Candidate
from dgl_mathtree.data.provenance import LooseRewrite, Rewrite, replay
from dgl_mathtree.data.recipe import load_recipe
from tools import easy
from tools.easy import Variant, main, steps_of_member, variants

WANTED = {(depth, label): 15 for depth in range(1, 14) for label in (True, False)}
VARIANTS = {variant.name: variant for variant in variants()}


def candidates(name: str) -> list[Candidate]:
    recipe = VARIANTS[name].recipe
    recipe = replace(recipe, population=300) if recipe.population else recipe
    make = VARIANTS[name].make
    assert make is not None
    return [candidate for block in make(recipe)(["0/0"], WANTED) for candidate in block]


def test_the_ends_are_the_recipes() -> None:
    assert VARIANTS["original"] == Variant("original", load_recipe("original"))
    legacy = VARIANTS["legacy"].recipe
    assert (legacy.oracle, legacy.careless, legacy.axiom_sets) == (False, 0.25, ["elementary", "unsound"])
    sizes = {variant.recipe.sizes[8] for variant in variants(0.5)}
    assert sizes == {load_recipe("paper").sizes[8] // 2}


@pytest.mark.parametrize("name", [name for name, variant in VARIANTS.items() if variant.make])
def test_a_variant_makes_equations_that_replay(name: str) -> None:
    found = candidates(name)
    assert {True, False} == {candidate.label for candidate in found}
    assert all([*replay(candidate.derivation)][-1].words == candidate.words for candidate in found)
    assert all(candidate.verdict in ("true", "false", "branch", "undefined") for candidate in found)
    steps = [step for candidate in found for step in candidate.derivation]
    assert any(isinstance(step, LooseRewrite) for step in steps)
    assert not any(isinstance(step, Rewrite) for step in steps)
    first = {str(candidate.derivation[0]) for candidate in found}
    assert any("first-" in start for start in first) is (name not in ("matcher", "rules"))
    edited = [candidate for candidate in found if candidate.kind != CORRECT]
    by_evaluation = [evaluates_to_true(candidate.words) for candidate in edited]
    if name in ("labels", "walks"):
        assert [candidate.label for candidate in edited] == by_evaluation and any(by_evaluation)
    elif name != "original-checked":
        assert not any(candidate.label for candidate in edited)
    else:
        assert all(candidate.verdict == ("true" if candidate.label else "false") for candidate in found)


def test_steps_of_a_member() -> None:
    rng = random.Random(0)
    steps = [steps_of_member(rng, 126, 4000) for _ in range(4000)]
    assert min(steps) == 0
    # A member after the start set is one step more than a random one before it.
    assert fmean(steps) == pytest.approx(sum(1 / k for k in range(127, 4001)), abs=0.15)


def test_what_is_finished_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = []

    def measured(data: Path, run: Path, variant: str, config: Any) -> dict[str, Any]:
        done.append((variant, config.seed))
        return {"variant": variant, "seed": config.seed, "test": 0.5}

    monkeypatch.setattr(easy, "make_data", lambda folder, variant, seed: None)
    monkeypatch.setattr(easy, "measured", measured)
    out = tmp_path / "easy.json"
    arguments = [str(tmp_path), "--out", str(out), "--scale", "0.1"]
    assert main([*arguments, "--seeds", "1"]) == 0
    assert done == [(name, 0) for name in VARIANTS]
    assert main([*arguments, "--seeds", "2"]) == 0
    assert done[len(VARIANTS) :] == [(name, 1) for name in VARIANTS]
    found = [(run["variant"], run["seed"]) for run in json.loads(out.read_text())]
    assert found == [(name, seed) for name in VARIANTS for seed in (0, 1)]


@pytest.mark.parametrize(
    ("arguments", "before", "message"),
    [
        (["--seeds", "0"], "[]", "number of seeds must be at least 1"),
        (["--scale", "0"], "[]", "scale must be a positive number"),
        (["--epochs", "0"], "[]", "epochs must be at least 1"),
        ([], "[", "easy.json"),
        ([], '[{"variant": "legacy"}]', "easy.json"),
        ([], '[{"variant": "a", "seed": 0, "equations": 41894, "most_epochs": 20}]', "has runs on other data"),
        ([], '[{"variant": "legacy", "seed": 0, "equations": 41894, "most_epochs": 3}]', "with other epochs"),
    ],
)
def test_wrong_requests(
    arguments: list[str], before: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "easy.json"
    out.write_text(before)
    assert main([str(tmp_path), "--out", str(out), *arguments]) == 2
    assert message in capsys.readouterr().err
