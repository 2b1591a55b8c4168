"""Edits that make a correct equation incorrect (whether one does is for the oracle to say).

`RECIPE_EDITS` maps the kinds that a recipe may ask for to functions that return the position and the new subtree, or
None where an edit of that kind finds no place. The first three are the paper's; the others are near misses.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from dgl_mathtree.data.axioms import WRONG, axioms_of
from dgl_mathtree.data.edits import leaf_edits
from dgl_mathtree.data.edits.equation_view import EquationView, Replacement
from dgl_mathtree.data.provenance import Edit
from dgl_mathtree.data.rewriting import Chooser, Rule, RuleBook, rewrite
from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.vocabulary import ARITY, OPERATORS, is_integer, is_number, is_variable, negated

if TYPE_CHECKING:
    from dgl_mathtree.data.recipe import Recipe

TRIES = 3
"""Kinds that are drawn for an equation before it is left alone."""


class _RecipeView(EquationView):
    """An equation, and the words of a recipe to draw from."""

    __slots__ = ("binary", "leaf", "unary")

    def __init__(self, words: Words, rng: random.Random, leaf: Chooser, unary: Chooser, binary: Chooser) -> None:
        super().__init__(words, rng)
        self.leaf, self.unary, self.binary = leaf, unary, binary

    def new_leaf(self) -> Words:
        """A leaf; if it is a variable, mostly one that the equation has."""
        word = self.leaf(self.rng)
        if is_variable(word) and word not in self.words and self.rng.random() < 0.9:
            present = [w for w in dict.fromkeys(self.words) if w not in ARITY and is_variable(w)]
            word = self.rng.choice(present) if present else word
        return (word,)


def _grow(view: _RecipeView) -> Replacement | None:
    at = view.any_node()
    subtree = view.subtree(at)
    if not view.binary.words or (view.rng.random() < 0.25 and view.unary.words):
        return (at, (view.unary(view.rng), *subtree)) if view.unary.words else None
    operands = [subtree, view.new_leaf()]
    view.rng.shuffle(operands)
    return at, (view.binary(view.rng), *operands[0], *operands[1])


def _shrink(view: _RecipeView) -> Replacement | None:
    at = view.some(lambda at: view.words[at] in ARITY)
    if at is None:
        return None
    children = [at + 1] if ARITY[view.words[at]] == 1 else [at + 1, view.ends[at + 1]]
    return at, view.subtree(view.rng.choice(children))


def _replace(view: _RecipeView) -> Replacement | None:
    at = view.any_node()
    word, rest = view.words[at], view.words[at + 1 : view.ends[at]]
    arity = ARITY.get(word, 0)
    if arity == 0 or view.rng.random() < 0.3:
        return at, view.new_leaf()
    other = view.unary(view.rng) if arity == 1 else view.binary(view.rng)
    return at, (other, *rest)


def _flip_sign(view: _RecipeView) -> Replacement | None:
    """Take a factor -1 away, put one before a term, or negate a number."""
    words = view.words
    draw = view.rng.random()
    if draw < 0.4:
        at = view.some(lambda at: words[at] == "Mul" and words[at + 1] == "-1")
        return None if at is None else (at, view.subtree(at + 2))
    if draw < 0.8:
        at = view.some(lambda at: words[at] not in ("-1", "0") and words[at - 1] != "Pow")
        return None if at is None else (at, ("Mul", "-1", *view.subtree(at)))
    known = view.leaf.words
    at = view.some(
        lambda at: words[at] not in ("Equality", "0") and is_number(words[at]) and negated(words[at]) in known
    )
    return None if at is None else (at, (negated(words[at]),))


_COFUNCTION = {name: op.cofunction for name, op in OPERATORS.items() if op.cofunction}


def _swap_function(view: _RecipeView) -> Replacement | None:
    """Sine for cosine, tangent for cotangent, secant for cosecant, and the other way round."""
    at = view.some(lambda at: view.words[at] in _COFUNCTION)
    return None if at is None else (at, (_COFUNCTION[view.words[at]], *view.words[at + 1 : view.ends[at]]))


_QUARTER = ("Mul", "1/2", "pi")


def _shift_angle(view: _RecipeView) -> Replacement | None:
    """Drop π/2 or π from an angle, or add one."""
    words, ends = view.words, view.ends

    def shifted(at: int) -> bool:
        return words[at] == "Add" and any(
            view.subtree(child) in (_QUARTER, ("pi",)) for child in (at + 1, ends[at + 1])
        )

    if view.rng.random() < 0.5:
        at = view.some(shifted)
        if at is None:
            return None
        first = view.subtree(at + 1) in (_QUARTER, ("pi",))
        return at, view.subtree(ends[at + 1] if first else at + 1)
    at = view.some(lambda at: words[at - 1] in _COFUNCTION)
    shift = _QUARTER if view.rng.random() < 0.5 else ("pi",)
    return None if at is None else (at, ("Add", *view.subtree(at), *shift))


def _change_exponent(view: _RecipeView) -> Replacement | None:
    """An integer exponent one too large or too small."""
    words, ends = view.words, view.ends
    known = view.leaf.words
    at = view.some(lambda at: words[at] == "Pow" and is_integer(words[ends[at + 1]]))
    if at is None:
        return None
    exponent = ends[at + 1]
    changed = str(int(words[exponent]) + view.rng.choice((-1, 1)))
    return (exponent, (changed,)) if changed in known else None


def _swap_arguments(view: _RecipeView) -> Replacement | None:
    """The arguments of a power or logarithm the other way round."""
    words, ends = view.words, view.ends
    at = view.some(lambda at: words[at] in ("Pow", "log") and view.subtree(at + 1) != view.subtree(ends[at + 1]))
    return None if at is None else (at, (words[at], *view.subtree(ends[at + 1]), *view.subtree(at + 1)))


def _almost_axiom(view: _RecipeView) -> Replacement | None:
    """A subtree rewritten with a wrong axiom."""
    positions = []
    for at in range(1, len(view.words)):
        positions += [(at, rule) for rule, _ in _wrong_rules().matching(view.words, at, view.ends, True)]
    if not positions:
        return None
    at, rule = view.rng.choice(positions)
    fill = {letter: view.new_leaf() for letter in rule.free}
    new = rewrite(rule, view.words, at, view.ends, fill)
    if new is None:
        return None
    return at, new[at : len(new) - (len(view.words) - view.ends[at])]


@lru_cache(maxsize=1)
def _wrong_rules() -> RuleBook:
    rules = [Rule(axiom, forward) for axiom in axioms_of(WRONG).values() for forward in (True, False)]
    return RuleBook(rules, lambda rule: float(rule.pattern[0] not in rule.letters))


RECIPE_EDITS: dict[str, Callable[[_RecipeView], Replacement | None]] = {
    "grow": _grow,
    "shrink": _shrink,
    "replace": _replace,
    "flip-sign": _flip_sign,
    "swap-function": _swap_function,
    "shift-angle": _shift_angle,
    "change-exponent": _change_exponent,
    "swap-arguments": _swap_arguments,
    "exchange": leaf_edits.exchange,
    "almost-axiom": _almost_axiom,
}


class Editor:
    """Draws edits by a recipe."""

    def __init__(self, recipe: Recipe) -> None:
        shares = recipe.vocabulary
        leaves = {word: share for word, share in shares.items() if word not in ARITY}
        self._kind = Chooser(recipe.negatives)
        self._leaf = Chooser(leaves or recipe.fill)
        operators = {name: shares.get(name, 1.0) for name in recipe.operators}
        self._unary = Chooser({name: share for name, share in operators.items() if ARITY[name] == 1})
        self._binary = Chooser({name: share for name, share in operators.items() if ARITY[name] == 2})

    def edit(self, rng: random.Random, words: Words) -> Edit | None:
        """An edit of an equation that changes it, or None if this draw found none."""
        view = _RecipeView(words, rng, self._leaf, self._unary, self._binary)
        for _ in range(TRIES):
            kind = self._kind(rng)
            replacement = RECIPE_EDITS[kind](view)
            if replacement is not None and view.subtree(replacement[0]) != replacement[1]:
                return Edit(kind, *replacement)
        return None
