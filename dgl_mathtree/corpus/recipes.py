"""Recipes: what a data set is made of, read from a TOML file that anyone can write.

A recipe is found by name in `datasets/recipes/`, or given as a file. `Recipe` checks itself: an unknown key, a weight
that is no number or a size that cannot be met is an error that says so.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from dgl_mathtree.corpus.axioms import SOUND, UNSOUND, axioms_of, every_axiom
from dgl_mathtree.errors import InputError
from dgl_mathtree.expressions.tree import Words
from dgl_mathtree.expressions.vocabulary import ARITY, CODES, EQUALITY, OPERATORS, is_leaf, is_variable
from dgl_mathtree.files import read_toml

_PLACES = [
    Path(__file__).resolve().parents[up] / "datasets" for up in (2, 1)
]  # in the sources; in an installed package
DATASETS = next((place for place in _PLACES if (place / "recipes").is_dir()), _PLACES[0])
RECIPES = DATASETS / "recipes"
EDIT_KINDS = (
    "grow shrink replace flip-sign swap-function shift-angle change-exponent swap-arguments exchange almost-axiom"
).split()
SCALED_FROM = 3
"""`--scale` multiplies the sizes from this depth on: below it there are too few distinct equations."""


class RecipeError(InputError):
    """A recipe that cannot be followed: what is wrong with it."""


@dataclass(frozen=True)
class Recipe:
    """How to make a data set.

    Attributes:
        name: the recipe's name.
        sizes: equations by depth.
        correct: correct equations among them, by depth.
        extends: a recipe whose whole data comes first; `sizes` are then training equations to add to it.
        fill: weights of the leaves that derivations bring in.
        vocabulary: the share of each operator and leaf among the nodes of correct equations: what incorrect ones are
            edited with, and what the card compares with. An axiom with an operator not listed is not used; the numbers
            of axioms that are used come in by themselves.
        axioms: weights of rewriting with an axiom, by group, by name (``group/name``), or by name and direction
            (``group/name<-`` is right to left); the most particular wins and 1 is the default.
        starts: weights of starting from an axiom, by group or name.
        negatives: weights of the kinds of edits.
        variables: chance of keeping an equation by its number of variables, from 0 on; the last goes for more, too.
        largest_by_depth: the most nodes an equation may have, by depth.
        tautologies: the largest share of the correct equations of a depth, from depth 3 on, that may say that something
            equals itself (once neutral elements and arithmetic are out of the way).
        held_out: axioms, or groups of them, that the split `held-out-axioms` keeps for the test.
        both_sides: chance that a step applies an operator to both sides.
        substitution: chance that the letters of the first axiom are replaced.
        fill_growth: chance that what is filled in is more than a leaf.
        steps_per_depth: steps a walk may take for each level of the depth it aims at.
        keep: chance of keeping an equation that a walk passes, so that neighbours of one walk do not all stay.
        validation: share of the equations below `test_from` that are set aside.
        test_from: the depth from which equations are test equations.
        oracle: whether labels must be confirmed by the oracle; if not, its verdict is only stored.
        unify: whether a repeated letter of an axiom must match equal subtrees.
        unsound_axioms: whether to use the axioms that hold on one branch only.
    """

    name: str
    description: str = ""
    extends: str = ""
    sizes: dict[int, int] = field(default_factory=dict)
    correct: dict[int, int] = field(default_factory=dict)
    fill: dict[str, float] = field(default_factory=lambda: {"x": 1.0})
    vocabulary: dict[str, float] = field(default_factory=dict)
    axioms: dict[str, float] = field(default_factory=dict)
    starts: dict[str, float] = field(default_factory=dict)
    negatives: dict[str, float] = field(default_factory=lambda: {"grow": 1.0, "shrink": 1.0, "replace": 1.0})
    variables: list[float] = field(default_factory=list)
    largest_by_depth: dict[int, int] = field(default_factory=dict)
    tautologies: float = 1.0
    held_out: list[str] = field(default_factory=list)
    both_sides: float = 0.04
    substitution: float = 0.3
    fill_growth: float = 0.1
    steps_per_depth: int = 4
    keep: float = 0.5
    validation: float = 0.2
    test_from: int = 8
    oracle: bool = True
    unify: bool = True
    unsound_axioms: bool = False

    def __post_init__(self) -> None:
        self._check_types()
        self._check_sizes()
        self._check_words()
        names = {**axioms_of(SOUND), **axioms_of(UNSOUND)}
        known = set(names) | {axiom.group for axiom in names.values()}
        if not all(isinstance(key, str) and not key.endswith("<-") for key in self.held_out):
            raise RecipeError("held_out must be a list of axioms or groups")
        for table, entries in (
            ("axioms", self.axioms),
            ("starts", self.starts),
            ("held_out", dict.fromkeys(self.held_out)),
        ):
            for key in entries:
                if key.removesuffix("<-") not in known:
                    raise RecipeError(f"{table}: there is no axiom or group {key!r}")

    def _check_types(self) -> None:
        for table in ("fill", "vocabulary", "axioms", "starts", "negatives"):
            for key, weight in getattr(self, table).items():
                if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight < float("inf"):
                    raise RecipeError(f"{table}: the weight of {key} must be a number from 0 on, not {weight!r}")
        for name in ("both_sides", "substitution", "fill_growth", "keep", "validation", "tautologies"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
                raise RecipeError(f"{name} must be a share from 0 to 1, not {value!r}")
        for name, least in (("steps_per_depth", 1), ("test_from", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise RecipeError(f"{name} must be a whole number from {least} on, not {value!r}")
        for name in ("oracle", "unify", "unsound_axioms"):
            if not isinstance(getattr(self, name), bool):
                raise RecipeError(f"{name} must be true or false, not {getattr(self, name)!r}")
        for depth, nodes in self.largest_by_depth.items():
            if nodes < depth + 2:
                raise RecipeError(
                    f"largest_by_depth: an equation of depth {depth} has at least {depth + 2} nodes, not {nodes}"
                )
        if not all(isinstance(chance, (int, float)) and 0 <= chance <= 1 for chance in self.variables):
            raise RecipeError("variables must be a list of shares from 0 to 1")

    def _check_sizes(self) -> None:
        if not self.sizes:
            raise RecipeError("sizes: how many equations of each depth are wanted? None is listed")
        for depth, size in self.sizes.items():
            if depth < 1:
                raise RecipeError(f"sizes: no equation has depth {depth}; = alone makes depth 1")
            if size < 0 or not 0 <= self.correct.get(depth, 0) <= size:
                raise RecipeError(f"depth {depth}: {self.correct.get(depth, 0)} of {size} equations cannot be correct")
        if extra := set(self.correct) - set(self.sizes):
            raise RecipeError(f"correct: depth {min(extra)} is not among the sizes")
        leaves = len([word for word in self.fill if self.fill[word] > 0])
        variables = len([word for word in self.fill if is_variable(word) and self.fill[word] > 0])
        distinct = leaves - max(variables - 1, 0)  # x = x and y = y are one equation
        if self.correct.get(1, 0) > distinct:
            raise RecipeError(
                f"depth 1: {self.correct[1]} correct equations are wanted, but a leaf equal to itself makes {distinct}"
            )

    def _check_words(self) -> None:
        for word in self.fill:
            if not is_leaf(word):
                raise RecipeError(f"fill: {word!r} is not a variable, number or constant")
        if not any(self.fill.values()):
            raise RecipeError("fill: no leaf has a weight")
        for kind, listed in (("leaf", is_leaf), ("operator", OPERATORS.__contains__)):
            weights = [weight for word, weight in self.vocabulary.items() if listed(word)]
            if weights and not any(weights):
                raise RecipeError(f"vocabulary: no {kind} has a weight")
        if not any(self.start_weight(name) for name, a in axioms_of(SOUND).items() if self.knows(a.equation.words)):
            raise RecipeError("starts: no axiom to start from has a weight")
        for word in self.vocabulary:
            if word not in OPERATORS and not is_leaf(word):
                raise RecipeError(f"vocabulary: {word!r} is not an operator or leaf")
        for kind in self.negatives:
            if kind not in EDIT_KINDS:
                raise RecipeError(f"negatives: there is no kind {kind!r}; there are {', '.join(EDIT_KINDS)}")
        if not any(self.negatives.values()) and sum(self.sizes.values()) > sum(self.correct.values()):
            raise RecipeError("negatives: no kind has a weight, but incorrect equations are wanted")

    @property
    def deepest(self) -> int:
        return max(self.sizes)

    @property
    def held_out_axioms(self) -> frozenset[str]:
        """The names of the axioms held out, groups spelled out."""
        names = {**axioms_of(SOUND), **axioms_of(UNSOUND)}
        return frozenset(n for n, axiom in names.items() if n in self.held_out or axiom.group in self.held_out)

    @property
    def operators(self) -> list[str]:
        """The operators to use: those of the vocabulary, or those of the axioms if it lists none."""
        listed = [word for word in self.vocabulary if word in OPERATORS]
        return listed or _operators_of(self.unsound_axioms)

    def knows(self, words: Words) -> bool:
        """Whether all operators of an axiom are to be used."""
        return all(word in self.operators for word in words if word in ARITY and word != EQUALITY)

    def rule_weight(self, axiom: str, forward: bool) -> float:
        return self._weight(self.axioms, *(() if forward else (axiom + "<-",)), axiom, axiom.partition("/")[0])

    def start_weight(self, axiom: str) -> float:
        return self._weight(self.starts, axiom, axiom.partition("/")[0])

    @staticmethod
    def _weight(weights: dict[str, float], *names: str) -> float:
        return float(next((weights[name] for name in names if name in weights), 1.0))

    def largest(self, depth: int) -> int:
        """The most nodes that an equation of a depth may have."""
        return self.largest_by_depth.get(depth, 8 * depth + 8)

    def keeps_variables(self, count: int) -> float:
        """The chance of keeping an equation with so many variables."""
        return self.variables[min(count, len(self.variables) - 1)] if self.variables else 1.0

    def scaled(self, factor: float) -> Recipe:
        """The recipe for a data set so many times as large, from depth 3 on."""
        if not 0 < factor < float("inf"):
            raise RecipeError(f"the scale must be a positive number, not {factor}")

        def scale(table: dict[int, int]) -> dict[int, int]:
            return {d: round(n * factor) if d >= SCALED_FROM or factor < 1 else n for d, n in table.items()}

        sizes = scale(self.sizes)
        if not any(sizes.values()):
            raise RecipeError(f"at scale {factor} no equation is left")
        return replace(self, sizes=sizes, correct={d: min(n, sizes[d]) for d, n in scale(self.correct).items()})

    def fingerprint(self) -> str:
        """A short hash of everything that determines the data."""
        base = load_recipe(self.extends).fingerprint() if self.extends else ""
        axioms = {name: str(axiom.equation) for name, axiom in every_axiom().items()}
        text = json.dumps([asdict(self), base, axioms], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def _operators_of(unsound: bool) -> list[str]:
    """The operators that occur in axioms."""
    axioms = axioms_of(SOUND) | (axioms_of(UNSOUND) if unsound else {})
    used = {word for axiom in axioms.values() for word in axiom.equation.words}
    return sorted(used & OPERATORS.keys(), key=CODES.__getitem__)


def recipe_names() -> list[str]:
    """The recipes that come with the project."""
    return sorted(path.stem for path in RECIPES.glob("*.toml"))


def load_recipe(name: str, _chain: tuple[str, ...] = ()) -> Recipe:
    """The recipe of a name, or of a TOML file.

    Example:
        >>> sum(load_recipe("paper").sizes.values())
        41894
    """
    if name in _chain:
        raise RecipeError(f"{name} is made from itself: {' from '.join((*_chain, name))}")
    path = RECIPES / f"{name}.toml"
    if not path.is_file():
        path = Path(name)
        if path.suffix != ".toml" and not path.is_file():
            raise RecipeError(f"there is no recipe {name!r}: expected a file, or one of {', '.join(recipe_names())}")
    entries = read_toml(path, RecipeError)
    try:
        return _recipe(path.stem, entries, (*_chain, name))
    except RecipeError as error:
        raise RecipeError(f"{path}: {error}") from None


def _recipe(name: str, entries: dict[str, Any], chain: tuple[str, ...]) -> Recipe:
    if "extends" in entries:
        load_recipe(_text(entries["extends"], "extends"), chain)
    if "like" in entries:
        base = asdict(load_recipe(_text(entries.pop("like"), "like"), chain))
        entries = {**base, **entries}
        entries.pop("name")
    known = {f.name: f for f in fields(Recipe)}
    for key, value in entries.items():
        if key not in known or key == "name":
            raise RecipeError(
                f"unknown key {key!r}: expected one of like, {', '.join(k for k in known if k != 'name')}"
            )
        kind = str(known[key].type)
        if kind.startswith("dict") and not isinstance(value, dict):
            raise RecipeError(f"{key} must be a table, not {value!r}")
        if kind.startswith("list") and not isinstance(value, list):
            raise RecipeError(f"{key} must be a list, not {value!r}")
        if kind == "str":
            _text(value, key)
        if kind.startswith("dict[int"):
            entries[key] = _by_depth(key, value)
    return Recipe(name=name, **entries)


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str):
        raise RecipeError(f"{key} must be a text, not {value!r}")
    return value


def _by_depth(key: str, table: dict[Any, Any]) -> dict[int, int]:
    result = {}
    for depth, count in table.items():
        if not re.fullmatch(r"-?[0-9]{1,9}", str(depth)) or isinstance(count, bool) or not isinstance(count, int):
            raise RecipeError(f"{key}: expected depth = count in whole numbers, not {depth} = {count!r}")
        result[int(depth)] = count
    return result
