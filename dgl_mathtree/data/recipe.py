"""Recipes: what a data set is made of, read from a TOML file that anyone can write.

A recipe is found by name in `datasets/recipes/`, or given as a file. `Recipe` checks itself: an unknown key, a weight
that is not a number or a size that cannot be met is an error that says so.
"""

from __future__ import annotations

import hashlib
import json
import re
import reprlib
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, replace
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from dgl_mathtree.data.axioms import ELEMENTARY, SELF, WRONG, Axiom, axioms_of, every_axiom
from dgl_mathtree.data.recipe_checks import RecipeError, check_cost, check_recipe
from dgl_mathtree.files import read_toml
from dgl_mathtree.language.vocabulary import CODES, OPERATORS
from dgl_mathtree.schema import setting

_PLACES = [
    Path(__file__).resolve().parents[up] / "datasets" for up in (2, 1)
]  # in the sources; in an installed package
DATASETS = next((place for place in _PLACES if (place / "recipes").is_dir()), _PLACES[0])
RECIPES = DATASETS / "recipes"
RENAMED = {"legacy": "original"}
"""Recipes of earlier versions, and those that took their place."""
SCALED_FROM = 3
"""`--scale` multiplies the sizes from this depth on: below it there are too few distinct equations."""
GENERATOR = 3
"""The version of the generator, part of every fingerprint: raised whenever a recipe and a seed come to make other data.

1: that of version 0.1.0, which made the `paper` that comes with the project. 2: the oracle decides doubtful candidates
otherwise, at points by place and with ball arithmetic. 3: discovery makes long equations and has more templates.
"""


@dataclass(frozen=True)
class Recipe:
    """How to make a data set.

    Parameters
    ----------
    name : str
        The recipe's name, which ids of equations begin with.
    description : str
        For people; it determines nothing.
    extends : str
        A recipe whose whole data comes first; `sizes` are then training equations to add to it.
    sizes, correct : dict of int to int
        Equations by depth, and correct ones among them.
    discovered : int
        Equations of depths 1-10 that are discovered by enumeration and added, with parts of their own.
    apart_from : list of str
        Collections (``datasets/NAME/NAME.tsv``) for evaluation, of which no training equation is a duplicate.
    set_aside : list of str
        Data sets of the project, of whose validation and test equations no training equation is a duplicate.
    axiom_sets : list of str
        The sets of axioms that derivations use, by name.
    fill : dict of str to float
        Weights of the leaves that derivations bring in.
    vocabulary : dict of str to float
        The share of each operator and leaf among the nodes of correct equations: what incorrect ones are edited with,
        and what the card compares with. An axiom with an operator not listed is not used; the numbers of axioms that
        are used come in by themselves. Without operators in it, those of the axioms are used.
    axioms : dict of str to float
        Weights of rewriting with an axiom, by group, by name (``group/name``), or by name and direction
        (``group/name<-`` is right to left); the most particular wins and 1 is the default.
    starts : dict of str to float
        Weights of starting from an axiom, by group or name.
    negatives : dict of str to float
        Weights of the kinds of edits.
    variables : list of float
        Chance of keeping an equation by its number of variables, from 0 on; the last goes for more, too.
    largest_by_depth : dict of int to int
        The most nodes an equation may have, by depth.
    tautologies : float
        The largest share of the correct equations of a depth, from depth 3 on, that may say that something equals
        itself (once neutral elements and arithmetic are out of the way).
    held_out : list of str
        Axioms, or groups of them, that the split `held-out-axioms` keeps for the test.
    both_sides : float
        Chance that a step applies an operator to both sides.
    substitution : float
        Chance that the letters of the first axiom are replaced.
    fill_growth : float
        Chance that what is filled in is more than a leaf.
    steps_per_depth : int
        Steps a walk may take for each level of the depth it aims at.
    keep : float
        Chance of keeping an equation that a walk passes, so that neighbours of one walk do not all stay.
    validation : float
        Share of the equations below `test_from` that are set aside.
    test_from : int
        The depth from which equations are test equations.
    oracle : bool
        Whether labels must be confirmed by the oracle; if not, its verdict is only stored.
    careless : float
        Chance that a step takes a repeated letter of an axiom to match unequal subtrees, which makes false equations.
    population : int
        Instead of walks, runs of the original project's procedure (`dgl_mathtree.data.population`), each with this many
        correct equations. Of the settings above only the sizes, sets of axioms and parts count then.
    """

    name: str
    description: str = ""
    extends: str = ""
    sizes: dict[int, int] = field(default_factory=dict)
    correct: dict[int, int] = field(default_factory=dict)
    axiom_sets: list[str] = field(default_factory=lambda: [ELEMENTARY])
    fill: dict[str, float] = field(default_factory=lambda: {"x": 1.0})
    vocabulary: dict[str, float] = field(default_factory=dict)
    axioms: dict[str, float] = field(default_factory=dict)
    starts: dict[str, float] = field(default_factory=dict)
    negatives: dict[str, float] = field(default_factory=lambda: {"grow": 1.0, "shrink": 1.0, "replace": 1.0})
    variables: list[float] = field(default_factory=list)
    largest_by_depth: dict[int, int] = field(default_factory=dict)
    tautologies: float = setting(1.0, least=0, most=1)
    held_out: list[str] = field(default_factory=list)
    both_sides: float = setting(0.04, least=0, most=1)
    substitution: float = setting(0.3, least=0, most=1)
    fill_growth: float = setting(0.1, least=0, most=1)
    steps_per_depth: int = setting(4, least=1)
    keep: float = setting(0.5, least=0, most=1)
    validation: float = setting(0.2, least=0, most=1)
    test_from: int = setting(8, least=1)
    oracle: bool = True
    careless: float = setting(0.0, least=0, most=1)
    population: int = setting(0, least=0)
    discovered: int = setting(0, least=0)
    apart_from: list[str] = field(default_factory=list)
    set_aside: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_recipe(self)

    @property
    def deepest(self) -> int:
        return max(self.sizes, default=0)

    @cached_property
    def operators(self) -> list[str]:
        """The operators to use: those of the vocabulary, or those of the axioms if it lists none."""
        listed = [word for word in self.vocabulary if word in OPERATORS]
        used = {word for axiom in self._listed_axioms.values() for word in axiom.equation.words}
        return listed or sorted(used & OPERATORS.keys(), key=CODES.__getitem__)

    @cached_property
    def usable_axioms(self) -> dict[str, Axiom]:
        """The axioms of the recipe's sets that have none but its operators; x = x is always among them."""
        foreign = OPERATORS.keys() - set(self.operators)
        return {name: axiom for name, axiom in self._listed_axioms.items() if foreign.isdisjoint(axiom.equation.words)}

    @property
    def _listed_axioms(self) -> dict[str, Axiom]:
        listed = {name: axiom for source in self.axiom_sets for name, axiom in axioms_of(source).items()}
        return listed if SELF in listed else {SELF: every_axiom()[SELF], **listed}

    @property
    def held_out_axioms(self) -> frozenset[str]:
        """The names of the axioms held out, groups spelled out."""
        held_out = self._listed_axioms.values()
        return frozenset(a.name for a in held_out if a.name in self.held_out or a.group in self.held_out)

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
        """The chance of keeping an equation with this many variables."""
        return self.variables[min(count, len(self.variables) - 1)] if self.variables else 1.0

    def scaled(self, factor: float) -> Recipe:
        """The recipe for a data set this many times as large, from depth 3 on."""
        if not 0 < factor < float("inf"):
            raise RecipeError(f"the scale must be a positive number, not {factor}")

        def scale(table: dict[int, int]) -> dict[int, float]:
            return {d: n * factor if d >= SCALED_FROM or factor < 1 else n for d, n in table.items()}

        check_cost({**scale(self.sizes), 0: self.discovered * factor}, self.steps_per_depth)
        discovered = round(self.discovered * factor)
        sizes = {depth: round(size) for depth, size in scale(self.sizes).items()}
        if not any(sizes.values()) and not discovered:
            raise RecipeError(f"at scale {factor} no equation is left")
        correct = {depth: min(round(count), sizes[depth]) for depth, count in scale(self.correct).items()}
        return replace(self, sizes=sizes, correct=correct, discovered=discovered)

    def fingerprint(self, generator: int = GENERATOR) -> str:
        """A short hash of everything that determines the data, and of nothing else.

        A recipe's description, the defaults that it keeps, and axioms that it cannot use leave no trace in it.

        Parameters
        ----------
        generator : int
            The version of the generator; by default that of this code. Data of an earlier one can be recognised by it,
            but not made.
        """
        said = {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if f.name not in ("description", "extends", "axiom_sets") and getattr(self, f.name) != _default(f)
        }
        # Leaves, operators and edits are drawn in the order in which they are listed.
        listed = {name: list(said[name].items()) for name in ("fill", "vocabulary", "negatives") if name in said}
        wrong = axioms_of(WRONG) if self.negatives.get("almost-axiom") else {}
        axioms: list[Any] = [[(a.name, str(a.equation)) for a in some.values()] for some in (self.usable_axioms, wrong)]
        if self.discovered:
            folder = resources.files(__package__).joinpath("discovery")
            texts = [folder.joinpath(name).read_text(encoding="utf-8") for name in ("pools.toml", "laws.txt")]
            # The names of laws do not determine the data: they are for proofs.
            axioms += [texts[0], re.sub(r"(?m)^[a-z-]+: ", "", texts[1])]
        base = load_recipe(self.extends).fingerprint(generator) if self.extends else ""
        text = json.dumps([generator, {**said, **listed}, axioms, base], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _default(entry: Field[Any]) -> Any:
    return entry.default if entry.default_factory is MISSING else entry.default_factory()


def recipe_names() -> list[str]:
    """The recipes that come with the project."""
    return sorted(path.stem for path in RECIPES.glob("*.toml"))


def load_recipe(name: str, _chain: tuple[str, ...] = ()) -> Recipe:
    """The recipe of a name, or of a TOML file.

    Examples
    --------
    >>> sum(load_recipe("paper").sizes.values())
    41894
    """
    if name in _chain:
        raise RecipeError(f"{name} is made from itself: {' from '.join((*_chain, name))}")
    path = RECIPES / f"{name}.toml"
    if not path.is_file():
        path = Path(name)
        if name in RENAMED and not path.is_file():
            raise RecipeError(
                f"the recipe {name!r} is now {RENAMED[name]!r}, which is made in another way: see docs/data.md"
            )
        if path.suffix != ".toml" and not path.is_file():
            raise RecipeError(f"unknown recipe {name!r}: expected a file, or one of {', '.join(recipe_names())}")
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
                f"unknown key {reprlib.repr(key)}: expected one of like, {', '.join(k for k in known if k != 'name')}"
            )
        kind = str(known[key].type)
        if kind.startswith("dict[int") and isinstance(value, dict):
            entries[key] = _by_depth(key, value)
    return Recipe(name=name, **entries)


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str):
        raise RecipeError(f"{key} must be a text, not {reprlib.repr(value)}")
    return value


def _by_depth(key: str, table: dict[Any, Any]) -> dict[int, int]:
    result = {}
    for depth, count in table.items():
        if not re.fullmatch(r"-?[0-9]{1,9}", str(depth)) or isinstance(count, bool) or not isinstance(count, int):
            given = f"{reprlib.repr(depth)} = {reprlib.repr(count)}"
            raise RecipeError(f"{key}: expected depth = count in whole numbers, not {given}")
        result[int(depth)] = count
    return result
