"""Random derivations of correct equations: walks that start at an axiom and rewrite as they go."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from dgl_mathtree.data.axioms import SELF
from dgl_mathtree.data.provenance import Both, Derivation, Fill, LooseRewrite, Rewrite, Start
from dgl_mathtree.data.recipe import Recipe
from dgl_mathtree.data.rewriting import Chooser, Rule, RuleBook
from dgl_mathtree.data.rewriting import rewrite as rewritten
from dgl_mathtree.language.expr import Words, depth_of, subtree_ends
from dgl_mathtree.language.vocabulary import OPERATORS, is_variable

OVERSHOOT = 3
"""How many steps a walk may take beyond the depth it aims at."""
TRIES = 30
"""Draws for an axiom no deeper than the depth aimed at, before a walk starts from x = x."""

RewriteStep = Rewrite | LooseRewrite


class Walker:
    """Makes random derivations by a recipe.

    Parameters
    ----------
    recipe : Recipe
        Weights of axioms, leaves and steps.
    forbidden : frozenset of str
        Axioms that must not be used.
    """

    def __init__(self, recipe: Recipe, forbidden: frozenset[str] = frozenset()) -> None:
        self.recipe = recipe
        usable = recipe.usable_axioms.items()
        allowed = [axiom for name, axiom in usable if name == SELF or name not in forbidden]
        rules = [Rule(axiom, forward) for axiom in allowed for forward in (True, False) if axiom.name != SELF]
        self._book = RuleBook(rules, lambda rule: recipe.rule_weight(rule.axiom.name, rule.forward))
        self._start = Chooser({axiom.name: recipe.start_weight(axiom.name) for axiom in allowed})
        self._axioms = {axiom.name: axiom for axiom in allowed}
        self._depths = {axiom.name: axiom.equation.depth for axiom in allowed}
        self._leaf = Chooser(recipe.fill)
        self._variable = [word for word in recipe.fill if is_variable(word)] or list(recipe.fill)
        self._unary = [name for name in recipe.operators if OPERATORS[name].arity == 1]
        self._binary = [name for name, op in OPERATORS.items() if op.both_sides and name in recipe.operators]

    def walk(self, rng: random.Random, aim: int) -> Iterator[tuple[Words, int, Derivation]]:
        """The equations of one walk towards a depth, each with its depth and derivation."""
        words, derivation = self._first(rng, aim)
        depth = depth_of(words)
        if len(words) > self.recipe.largest(depth):
            return
        yield words, depth, derivation
        beyond, ends, deepest = 0, subtree_ends(words), self.recipe.deepest
        for _ in range(self.recipe.steps_per_depth * aim):
            step = self._step(rng, words, ends)
            if step is None:
                continue
            new, taken = step
            depth = depth_of(new)
            if len(new) > self.recipe.largest(depth) or depth > deepest:
                continue
            words, derivation, ends = new, (*derivation, taken), subtree_ends(new)
            yield words, depth, derivation
            beyond += depth > aim
            if beyond > OVERSHOOT:
                return

    def _first(self, rng: random.Random, aim: int) -> tuple[Words, Derivation]:
        name = SELF
        for _ in range(TRIES):
            drawn = self._start(rng)
            if self._depths[drawn] <= aim:
                name = drawn
                break
        equation = self._axioms[name].equation
        fill: Fill = ()
        if name == SELF or rng.random() < self.recipe.substitution:
            fill = tuple((letter, self._small(rng, aim > 1)) for letter in equation.variables)
        elif foreign := [letter for letter in equation.variables if letter not in self.recipe.fill]:
            fill = tuple((letter, (self._variable[k % len(self._variable)],)) for k, letter in enumerate(foreign))
        start = Start(name, fill)
        return start.apply(()), (start,)

    def _small(self, rng: random.Random, may_grow: bool = True) -> Words:
        """A leaf, or now and then an operator on leaves."""
        draw = rng.random()
        if not may_grow or draw > self.recipe.fill_growth:
            return (self._leaf(rng),)
        if draw < self.recipe.fill_growth / 2 and self._unary:
            return (rng.choice(self._unary), self._leaf(rng))
        if not self._binary:
            return (self._leaf(rng),)
        return (rng.choice(self._binary[:2]), self._leaf(rng), self._leaf(rng))

    def _step(self, rng: random.Random, words: Words, ends: Sequence[int]) -> tuple[Words, RewriteStep | Both] | None:
        at = rng.randrange(len(words))
        if at == 0 or rng.random() < self.recipe.both_sides:
            if not self._binary:
                return None
            both = Both(rng.choice(self._binary), self._small(rng))
            return both.apply(words), both
        return self._rewritten(rng, words, at, ends)

    def _rewritten(
        self, rng: random.Random, words: Words, at: int, ends: Sequence[int]
    ) -> tuple[Words, RewriteStep] | None:
        """The words after a rule at a position, and the step; None where no rule changes anything."""
        # A recipe whose steps are all sound draws nothing here.
        unify = not (self.recipe.careless and rng.random() < self.recipe.careless)
        found = self._book.matching(words, at, ends, unify)
        if not found:
            return None
        rule = rng.choices([rule for rule, _ in found], [weight for _, weight in found])[0]
        fill = tuple((letter, self._small(rng)) for letter in rule.free)
        new = rewritten(rule, words, at, ends, dict(fill), unify)
        if new is None or new == words:
            return None
        return new, Rewrite(rule.axiom.name, rule.forward, at, fill, unify)
