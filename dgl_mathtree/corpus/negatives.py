"""Edits that make a correct equation incorrect (whether one does is for the oracle to say).

`EDITS` maps the kinds that a recipe may ask for to functions that return the position and the new subtree, or None
where an edit of that kind finds no place. The first three are the paper's; the others are near misses.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from dgl_mathtree.corpus.axioms import WRONG, axioms_of
from dgl_mathtree.corpus.derivation import Edit
from dgl_mathtree.corpus.recipes import Recipe
from dgl_mathtree.corpus.rewriting import Rule, RuleBook, rewrite
from dgl_mathtree.corpus.walks import Chooser
from dgl_mathtree.expressions.tree import Words, subtree_ends
from dgl_mathtree.expressions.vocabulary import ARITY, OPERATORS, is_integer, is_number, is_variable, negated

Place = tuple[int, Words]
TRIES = 3
"""Kinds that are drawn for an equation before it is left alone."""


class _Scene(NamedTuple):
    """The equation to edit and what to draw from."""

    words: Words
    ends: list[int]
    rng: random.Random
    leaf: Chooser
    unary: Chooser
    binary: Chooser

    def any_node(self) -> int:
        return self.rng.randrange(1, len(self.words))

    def subtree(self, at: int) -> Words:
        return self.words[at : self.ends[at]]

    def some(self, wanted: Callable[[int], bool]) -> int | None:
        """A random position of those wanted."""
        places = [at for at in range(1, len(self.words)) if wanted(at)]
        return self.rng.choice(places) if places else None

    def new_leaf(self) -> Words:
        """A leaf; if it is a variable, mostly one that the equation has."""
        word = self.leaf(self.rng)
        if is_variable(word) and word not in self.words and self.rng.random() < 0.9:
            present = [w for w in dict.fromkeys(self.words) if w not in ARITY and is_variable(w)]
            word = self.rng.choice(present) if present else word
        return (word,)


def _grow(scene: _Scene) -> Place | None:
    at = scene.any_node()
    subtree = scene.subtree(at)
    if not scene.binary.words or (scene.rng.random() < 0.25 and scene.unary.words):
        return (at, (scene.unary(scene.rng), *subtree)) if scene.unary.words else None
    operands = [subtree, scene.new_leaf()]
    scene.rng.shuffle(operands)
    return at, (scene.binary(scene.rng), *operands[0], *operands[1])


def _shrink(scene: _Scene) -> Place | None:
    at = scene.some(lambda at: scene.words[at] in ARITY)
    if at is None:
        return None
    children = [at + 1] if ARITY[scene.words[at]] == 1 else [at + 1, scene.ends[at + 1]]
    return at, scene.subtree(scene.rng.choice(children))


def _replace(scene: _Scene) -> Place | None:
    at = scene.any_node()
    word, rest = scene.words[at], scene.words[at + 1 : scene.ends[at]]
    arity = ARITY.get(word, 0)
    if arity == 0 or scene.rng.random() < 0.3:
        return at, scene.new_leaf()
    other = scene.unary(scene.rng) if arity == 1 else scene.binary(scene.rng)
    return at, (other, *rest)


def _flip_sign(scene: _Scene) -> Place | None:
    """Take a factor -1 away, put one before a term, or negate a number."""
    words = scene.words
    draw = scene.rng.random()
    if draw < 0.4:
        at = scene.some(lambda at: words[at] == "Mul" and words[at + 1] == "-1")
        return None if at is None else (at, scene.subtree(at + 2))
    if draw < 0.8:
        at = scene.some(lambda at: words[at] not in ("-1", "0") and words[at - 1] != "Pow")
        return None if at is None else (at, ("Mul", "-1", *scene.subtree(at)))
    known = scene.leaf.words
    at = scene.some(
        lambda at: words[at] not in ("Equality", "0") and is_number(words[at]) and negated(words[at]) in known
    )
    return None if at is None else (at, (negated(words[at]),))


_COFUNCTION = {name: op.cofunction for name, op in OPERATORS.items() if op.cofunction}


def _swap_function(scene: _Scene) -> Place | None:
    """Sine for cosine, tangent for cotangent, secant for cosecant, and the other way round."""
    at = scene.some(lambda at: scene.words[at] in _COFUNCTION)
    return None if at is None else (at, (_COFUNCTION[scene.words[at]], *scene.words[at + 1 : scene.ends[at]]))


_QUARTER = ("Mul", "1/2", "pi")


def _shift_angle(scene: _Scene) -> Place | None:
    """Drop π/2 or π from an angle, or add one."""
    words, ends = scene.words, scene.ends

    def shifted(at: int) -> bool:
        return words[at] == "Add" and any(
            scene.subtree(child) in (_QUARTER, ("pi",)) for child in (at + 1, ends[at + 1])
        )

    if scene.rng.random() < 0.5:
        at = scene.some(shifted)
        if at is None:
            return None
        first = scene.subtree(at + 1) in (_QUARTER, ("pi",))
        return at, scene.subtree(ends[at + 1] if first else at + 1)
    at = scene.some(lambda at: words[at - 1] in _COFUNCTION)
    shift = _QUARTER if scene.rng.random() < 0.5 else ("pi",)
    return None if at is None else (at, ("Add", *scene.subtree(at), *shift))


def _change_exponent(scene: _Scene) -> Place | None:
    """An integer exponent one too large or too small."""
    words, ends = scene.words, scene.ends
    known = scene.leaf.words
    at = scene.some(lambda at: words[at] == "Pow" and is_integer(words[ends[at + 1]]))
    if at is None:
        return None
    exponent = ends[at + 1]
    changed = str(int(words[exponent]) + scene.rng.choice((-1, 1)))
    return (exponent, (changed,)) if changed in known else None


def _swap_arguments(scene: _Scene) -> Place | None:
    """The arguments of a power or logarithm the other way round."""
    words, ends = scene.words, scene.ends
    at = scene.some(lambda at: words[at] in ("Pow", "log") and scene.subtree(at + 1) != scene.subtree(ends[at + 1]))
    return None if at is None else (at, (words[at], *scene.subtree(ends[at + 1]), *scene.subtree(at + 1)))


def _exchange(scene: _Scene) -> Place | None:
    """Two unequal leaves below one node trade places: every word stays as frequent as it was."""
    top = scene.some(lambda at: scene.ends[at] - at > 3)
    traded = None if top is None else with_leaves_traded(scene.subtree(top), scene.rng)
    return None if top is None or traded is None else (top, traded)


def with_leaves_traded(subtree: Words, rng: random.Random) -> Words | None:
    """A subtree in which two unequal leaves have traded places; None if all it has are equal."""
    leaves = [k for k, word in enumerate(subtree) if word not in ARITY]
    first = rng.choice(leaves)
    others = [k for k in leaves if subtree[k] != subtree[first]]
    if not others:
        return None
    second = rng.choice(others)
    words = list(subtree)
    words[first], words[second] = words[second], words[first]
    return tuple(words)


def _almost_axiom(scene: _Scene) -> Place | None:
    """A subtree rewritten with a wrong axiom."""
    places = []
    for at in range(1, len(scene.words)):
        places += [(at, rule) for rule, _ in _wrong_rules().matching(scene.words, at, scene.ends, True)]
    if not places:
        return None
    at, rule = scene.rng.choice(places)
    fill = {letter: scene.new_leaf() for letter in rule.free}
    new = rewrite(rule, scene.words, at, scene.ends, fill)
    if new is None:
        return None
    return at, new[at : len(new) - (len(scene.words) - scene.ends[at])]


@lru_cache(maxsize=1)
def _wrong_rules() -> RuleBook:
    rules = [Rule(axiom, forward) for axiom in axioms_of(WRONG).values() for forward in (True, False)]
    return RuleBook(rules, lambda rule: float(rule.pattern[0] not in rule.letters))


EDITS: dict[str, Callable[[_Scene], Place | None]] = {
    "grow": _grow,
    "shrink": _shrink,
    "replace": _replace,
    "flip-sign": _flip_sign,
    "swap-function": _swap_function,
    "shift-angle": _shift_angle,
    "change-exponent": _change_exponent,
    "swap-arguments": _swap_arguments,
    "exchange": _exchange,
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
        scene = _Scene(words, subtree_ends(words), rng, self._leaf, self._unary, self._binary)
        for _ in range(TRIES):
            kind = self._kind(rng)
            place = EDITS[kind](scene)
            if place is not None and scene.subtree(place[0]) != place[1]:
                return Edit(kind, *place)
        return None
