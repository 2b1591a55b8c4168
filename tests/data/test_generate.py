"""Small data sets made for real, and the committed one held against what makes it."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from dgl_mathtree.data.candidate import Candidate
from dgl_mathtree.data.data_files import read_rows
from dgl_mathtree.data.generate import generate, total_size
from dgl_mathtree.data.provenance import axioms_used, from_json, replay, to_json
from dgl_mathtree.data.recipe import GENERATOR, Recipe, load_recipe
from dgl_mathtree.data.recipe_checks import RecipeError
from dgl_mathtree.language import Equation
from dgl_mathtree.oracle import Oracle


def small(name: str = "paper", factor: float = 0.02) -> Recipe:
    return load_recipe(name).scaled(factor)


def made(recipe: Recipe, seed: int = 0, split: str = "paper", workers: int = 1) -> list[Candidate]:
    return list(generate(recipe, seed, split, workers))


@pytest.fixture(scope="module")
def paper() -> tuple[Recipe, list[Candidate]]:
    recipe = small()
    return recipe, made(recipe)


@pytest.fixture(scope="module", params=["paper", "hard", "original"])
def data(request: pytest.FixtureRequest) -> tuple[Recipe, list[Candidate]]:
    if request.param == "paper":
        return request.getfixturevalue("paper")  # type: ignore[no-any-return]
    recipe = small(request.param, 0.01)
    if recipe.population:
        recipe = replace(recipe, population=1000)
    return recipe, made(recipe)


def test_sizes_are_met_exactly(data: tuple[Recipe, list[Candidate]]) -> None:
    recipe, rows = data
    assert Counter(row.depth for row in rows) == Counter(recipe.sizes)
    assert Counter(row.depth for row in rows if row.label) == +Counter(recipe.correct)
    assert all(Equation._trusted(row.words).depth == row.depth for row in rows)
    assert all((row.part == "test") == (row.depth >= 8) for row in rows)
    assert len(rows) == total_size(recipe)


def test_no_twins(data: tuple[Recipe, list[Candidate]]) -> None:
    recipe, rows = data
    assert len({row.words for row in rows}) == len(rows)
    if not recipe.population:
        assert len({row.key for row in rows}) == len(rows)


def test_labels_hold_at_fresh_points(data: tuple[Recipe, list[Candidate]]) -> None:
    recipe, rows = data
    judged = Oracle(77, complex_plane=False).judge(Equation._trusted(row.words) for row in rows)
    wrong = [row for row, j in zip(rows, judged, strict=True) if j.verdict != ("true" if row.label else "false")]
    if recipe.oracle:
        assert not wrong
    else:
        assert 0.02 < len(wrong) / len(rows) < 0.2  # what a recipe without an oracle is there to show
        assert {row.verdict for row in rows} >= {"true", "false", "branch"}


def test_derivations_lead_to_the_equations(data: tuple[Recipe, list[Candidate]]) -> None:
    for row in data[1]:
        *_, last = replay(from_json(to_json(row.derivation)))
        assert last.words == row.words


def test_kinds_of_negatives_are_those_of_the_recipe(data: tuple[Recipe, list[Candidate]]) -> None:
    recipe, rows = data
    kinds = Counter(row.kind for row in rows if not row.label)
    assert set(kinds) <= set(recipe.negatives)
    assert len(kinds) >= 3


def test_tautologies_are_capped(paper: tuple[Recipe, list[Candidate]]) -> None:
    recipe, rows = paper
    for depth in range(3, 14):
        trivial = sum(row.tautology for row in rows if row.label and row.depth == depth)
        assert trivial <= round(recipe.correct[depth] * recipe.tautologies)


@pytest.mark.slow
def test_seeds_and_workers() -> None:
    recipe = small(factor=0.005)
    assert made(recipe) == made(recipe) == made(recipe, workers=2)
    assert made(recipe, seed=1) != made(recipe)


def test_grouped_split_separates_fold_classes() -> None:
    parts: dict[int, set[str]] = {}
    for row in made(small(factor=0.01), split="grouped"):
        parts.setdefault(row.fold, set()).add(row.part)
    assert all(len(found) == 1 for found in parts.values())
    assert {part for found in parts.values() for part in found} == {"train", "validation", "test"}


def test_held_out_axioms_appear_in_test_only() -> None:
    recipe = small(factor=0.01)
    used: dict[str, set[str]] = {"train": set(), "validation": set(), "test": set()}
    rows = made(recipe, split="held-out-axioms")
    for row in rows:
        used[row.part] |= axioms_used(row.derivation)
    assert not used["train"].intersection(recipe.held_out)
    assert not used["validation"].intersection(recipe.held_out)
    assert used["test"].intersection(recipe.held_out)
    assert Counter(row.depth for row in rows) == Counter(recipe.sizes)


@pytest.mark.parametrize("split", ["paper", pytest.param("grouped", marks=pytest.mark.slow)])
def test_an_extending_recipe_adds_training_equations_only(split: str, tmp_path: Path) -> None:
    base = tmp_path / "base.toml"
    base.write_text('like = "paper"\n[sizes]\n4 = 60\n8 = 20\n[correct]\n4 = 30\n8 = 10\n', encoding="utf-8")
    more = tmp_path / "more.toml"
    text = f'like = "paper"\nextends = "{base}"\n[sizes]\n5 = 90\n[correct]\n5 = 40\n'
    more.write_text(text, encoding="utf-8")
    first, rows = made(load_recipe(str(base)), split=split), made(load_recipe(str(more)), split=split)
    assert rows[:80] == first
    assert {row.part for row in first} == {"train", "validation", "test"}
    assert {row.part for row in rows[80:]} == {"train"}
    assert len({row.key for row in rows}) == len(rows) == total_size(load_recipe(str(more))) == 170


def test_the_committed_data_is_derived_as_it_says_and_every_label_is_confirmed() -> None:
    """Of every tenth equation; `mathtree audit paper --certify` looks at all."""
    committed = list(islice(read_rows("paper"), 0, None, 10))
    for row in committed:
        *_, last = replay(from_json(row.derivation))
        assert str(last) == row.equation
        assert last.depth == row.depth
    judged = Oracle(1000, complex_plane=False).judge(row.parsed() for row in committed)
    assert [j.verdict for j in judged] == ["true" if row.label else "false" for row in committed]


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (
            Recipe("m", sizes={2: 50}, correct={2: 50}, fill={"x": 1.0}, vocabulary={"Add": 1.0}),
            "depth 2: only .* distinct correct",
        ),
        (
            Recipe("m", sizes={1: 50}, correct={1: 1}, fill={"x": 1.0}, vocabulary={"x": 1.0}),
            "depth 1: only 0 distinct incorrect",
        ),
        (
            Recipe(
                "m",
                sizes={8: 5},
                starts={"neutral/self": 0.0},
                vocabulary={"Add": 1.0},
                largest_by_depth={depth: depth + 2 for depth in range(1, 9)},
            ),
            "depth 8: only 0 distinct",
        ),
    ],
)
def test_impossible_sizes_are_given_up(recipe: Recipe, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        made(recipe)


def test_bad_requests() -> None:
    with pytest.raises(RecipeError, match="unknown split 'random'"):
        made(small(), split="random")
    with pytest.raises(RecipeError, match="at least 1"):
        made(small(), workers=0)
    with pytest.raises(RecipeError, match="holds out no axioms"):
        made(Recipe("m", sizes={2: 1}), split="held-out-axioms")


def test_the_version_of_the_generator_belongs_to_what_it_makes(paper: tuple[Recipe, list[Candidate]]) -> None:
    """Where other equations are made, `GENERATOR` is to be raised, and this checksum to be changed with it."""
    text = "\n".join(" ".join(row.words) for row in paper[1])
    assert (GENERATOR, hashlib.sha256(text.encode()).hexdigest()[:16]) == (3, "219862ca77545b0e")
