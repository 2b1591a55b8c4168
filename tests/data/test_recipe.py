from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dgl_mathtree.data.axioms import Axiom, axioms_of
from dgl_mathtree.data.recipe import Recipe, load_recipe, recipe_names
from dgl_mathtree.data.recipe_checks import RecipeError
from dgl_mathtree.language import parse_equation

COUNTS = (21, 355, 2542, 7508, 9442, 7957, 6146, 3634, 1999, 1124, 677, 300, 189)
CORRECT = (11, 203, 1580, 4586, 5485, 4463, 3324, 1909, 1047, 552, 343, 150, 96)


def test_the_recipes_that_come_with_the_project() -> None:
    assert recipe_names() == ["broad", "hard", "large", "original", "paper"]
    for name in ("paper", "hard", "original"):
        recipe = load_recipe(name)
        assert tuple(recipe.sizes[depth] for depth in range(1, 14)) == COUNTS
        first = 7 if name == "original" else CORRECT[0]
        assert tuple(recipe.correct[depth] for depth in range(1, 14)) == (first, *CORRECT[1:])
    large = load_recipe("large")
    assert large.extends == "paper"
    assert sum(large.sizes.values()) >= 300_000
    assert max(large.sizes) == 7


def write(tmp_path: Path, text: str) -> str:
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_recipe_of_ones_own(tmp_path: Path) -> None:
    recipe = load_recipe(write(tmp_path, "[sizes]\n2 = 10\n[correct]\n2 = 5\n[fill]\na = 1\n7 = 2\n"))
    assert recipe == Recipe("mine", sizes={2: 10}, correct={2: 5}, fill={"a": 1, "7": 2})
    like = load_recipe(write(tmp_path, 'like = "paper"\n[sizes]\n3 = 7\n[correct]\n3 = 7\n'))
    assert like.sizes == {3: 7}
    assert like.fill == load_recipe("paper").fill


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size = 3", "unknown key 'size'"),
        ('name = "x"\n[sizes]\n2 = 1', "unknown key 'name'"),
        ("", "None is listed"),
        ("sizes = 3", "sizes must be a table"),
        ("[sizes]\n0 = 5", "no equation has depth 0"),
        ("[sizes]\ntwo = 5", "whole numbers"),
        ("[sizes]\n2 = 1.5", "whole numbers"),
        ("[sizes]\n2 = 5\n[correct]\n2 = 6", "6 of 5 equations cannot be correct"),
        ("[sizes]\n2 = 5\n[correct]\n3 = 1", "depth 3 is not among the sizes"),
        ("[sizes]\n1 = 5\n[correct]\n1 = 2", "a leaf equal to itself makes 1"),
        ("[sizes]\n2 = 5\n[fill]\nspeed = 1", "'speed' is not a variable"),
        ("[sizes]\n2 = 5\n[fill]\nx = -1", "must be a number from 0 on"),
        ("[sizes]\n2 = 5\n[fill]\nx = 0", "no leaf has a weight"),
        ("[sizes]\n2 = 5\n[vocabulary]\nplus = 1", "'plus' is not an operator or leaf"),
        ("[sizes]\n2 = 5\n[negatives]\nbreak = 1", "unknown kind 'break'"),
        ("[sizes]\n2 = 5\n[negatives]\ngrow = 0", "no kind has a weight"),
        ("[sizes]\n2 = 5\n[axioms]\nmagic = 1", "unknown axiom or group 'magic'"),
        ('held_out = ["sum/magic"]\n[sizes]\n2 = 5', "unknown axiom or group 'sum/magic'"),
        ('keep = "half"\n[sizes]\n2 = 5', "keep must be a number"),
        ("validation = 2\n[sizes]\n2 = 5", "at least 0 and at most 1, not 2"),
        ("oracle = 1\n[sizes]\n2 = 5", "true or false"),
        ("steps_per_depth = 0\n[sizes]\n2 = 5", "steps_per_depth must be at least 1, not 0"),
        ("variables = 3\n[sizes]\n2 = 5", "variables must be a list"),
        ("variables = [2]\n[sizes]\n2 = 5", "list of shares"),
        ("description = 3\n[sizes]\n2 = 5", "description must be a text"),
        ("like = 3", "like must be a text"),
        ("held_out = [1]\n[sizes]\n2 = 5", "list of axioms or groups"),
        ('held_out = ["sum/sin<-"]\n[sizes]\n2 = 5', "list of axioms or groups"),
        ('[sizes]\n"--3" = 5', "whole numbers"),
        ('[sizes]\n"²" = 5', "whole numbers"),
        ("[sizes]\n2 = 5\n[vocabulary]\nAdd = 0", "no operator has a weight"),
        ("[sizes]\n2 = 5\n[vocabulary]\nx = 0", "no leaf has a weight"),
        ("[sizes]\n2 = 5\n[vocabulary]\nexp = 1\n[starts]\nneutral = 0", "no axiom to start"),
        ("[sizes]\n5 = 5\n[largest_by_depth]\n5 = 3", "at least 7 nodes"),
        ('like = "nothing"', "unknown recipe 'nothing'"),
        ("[sizes\n", "not a TOML file"),
        ("test_from = " + "9" * 5000, "a number is too long"),
        ("held_out = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        ("[sizes]\n2 = 5\n[fill]\nx = " + "9" * 4000, "must be a number from 0 on"),
        ("[sizes]\n2 = " + "9" * 4000, "more than a million years"),
        ("[sizes]\n5 = 1000000000000", "1e.12 equations down to depth 5 would take one process about 32 years"),
        ("[sizes]\n100000000 = 1", "down to depth 100000000 would take one process about 8,808 years"),
        ("steps_per_depth = 1000000000000\n[sizes]\n4 = 100", "would take one process about 793 years"),
        ('axiom_sets = ["magic"]\n[sizes]\n2 = 5', "unknown set 'magic'; expected one of .*elementary"),
        ('axiom_sets = ["wrong"]\n[sizes]\n2 = 5', "unknown set 'wrong'"),
        ("axiom_sets = [[1]]\n[sizes]\n2 = 5", "unknown set"),
        ("axiom_sets = []\n[sizes]\n2 = 5", "list each set once"),
        ('axiom_sets = ["unsound", "unsound"]\n[sizes]\n2 = 5', "list each set once"),
    ],
)
def test_bad_recipes_are_explained(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=message.replace("(", r"\(")) as caught:
        load_recipe(write(tmp_path, text))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_recipes_made_from_themselves(tmp_path: Path) -> None:
    file = tmp_path / "loop.toml"
    for key in ("like", "extends"):
        file.write_text(f'{key} = "{file}"\n[sizes]\n2 = 5\n', encoding="utf-8")
        with pytest.raises(RecipeError, match="made from itself"):
            load_recipe(str(file))


def test_groups_can_be_held_out() -> None:
    recipe = Recipe("m", sizes={2: 1}, held_out=["sum", "shift/sin-pi"])
    assert recipe.held_out_axioms == {"sum/sin", "sum/cos", "sum/tan", "sum/cot", "shift/sin-pi"}


def test_a_fingerprint_covers_what_determines_the_data_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    paper = load_recipe("paper")
    before = paper.fingerprint()
    assert replace(paper, description="Something else.").fingerprint() == before
    assert replace(paper, axioms=dict(reversed(paper.axioms.items()))).fingerprint() == before
    others = [
        replace(paper, name="other"),
        replace(paper, fill=dict(reversed(paper.fill.items()))),
        replace(paper, axiom_sets=["elementary", "unsound"]),
        replace(paper, negatives={**paper.negatives, "almost-axiom": 1.0}),
        replace(paper, test_from=9),
        replace(paper, extends="paper"),
    ]
    assert len({before, *(other.fingerprint() for other in others)}) == len(others) + 1

    monkeypatch.setitem(axioms_of("unsound"), "new/root", Axiom("new/root", parse_equation("sqrt(x^2) = x")))
    monkeypatch.setitem(axioms_of("elementary"), "new/exp", Axiom("new/exp", parse_equation("exp(0) = 1")))
    assert load_recipe("paper").fingerprint() == before  # another set's, and one with an operator it does not use
    monkeypatch.setitem(axioms_of("elementary"), "new/cube", Axiom("new/cube", parse_equation("x*x^2 = x^3")))
    assert load_recipe("paper").fingerprint() != before


def test_sets_of_axioms(tmp_path: Path) -> None:
    both = load_recipe(write(tmp_path, 'axiom_sets = ["elementary", "unsound"]\n[sizes]\n4 = 1\n'))
    assert list(both.usable_axioms) == [*axioms_of("elementary"), *axioms_of("unsound")]
    alone = load_recipe(write(tmp_path, 'axiom_sets = ["unsound"]\n[sizes]\n4 = 1\n'))
    assert list(alone.usable_axioms) == ["neutral/self", *axioms_of("unsound")]
    assert alone.operators == ["sin", "cos", "tan", "csc", "sec", "cot", "Add", "Mul", "Pow"]


def test_unknown_recipes() -> None:
    with pytest.raises(RecipeError, match="one of broad, hard, large, original, paper"):
        load_recipe("papr")
    with pytest.raises(RecipeError, match="the recipe 'legacy' is now 'original'"):
        load_recipe("legacy")
    with pytest.raises(RecipeError, match="cannot read"):
        load_recipe("no/such.toml")


def test_scaling_leaves_the_smallest_depths() -> None:
    paper = load_recipe("paper")
    double = paper.scaled(2)
    assert (double.sizes[2], double.sizes[3], double.correct[13]) == (355, 5084, 192)
    tenth = paper.scaled(0.1)
    assert tenth.sizes[5] == 944
    assert tenth.fingerprint() != paper.fingerprint()
    for factor in (0, -1, 1e-6, float("inf"), float("nan"), 1e300, 1e308):
        with pytest.raises(RecipeError):
            paper.scaled(factor)
