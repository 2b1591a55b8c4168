"""The original project's way to make equations: a population that grows by random steps from its own members.

A run starts with the axioms. A new equation is one step away from a member drawn at random, and becomes a member itself
if its text is new and it is not too deep. Then every member is edited once; an edit that automatic evaluation makes
true counts as correct. A run is a pure function of the recipe and its seed, so that any process can make it.
"""

from __future__ import annotations

import random
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from dgl_mathtree.data.automatic_evaluation import evaluates_to_true
from dgl_mathtree.data.axioms import axioms_of
from dgl_mathtree.data.blocks import CORRECT, Bucket
from dgl_mathtree.data.candidate import Candidate
from dgl_mathtree.data.canonical import canonical_key
from dgl_mathtree.data.edits.uniform_edits import BINARY, edit_uniformly, new_constant, new_variable
from dgl_mathtree.data.loose_matching import LooseRules, Matches, drawn, rewrite_loosely
from dgl_mathtree.data.provenance import Both, Derivation, LooseRewrite, Start
from dgl_mathtree.data.recipe import Recipe
from dgl_mathtree.data.recipe_checks import RecipeError
from dgl_mathtree.data.rewriting import Rule
from dgl_mathtree.language import Equation
from dgl_mathtree.language.expr import Words, depth_of, subtree_ends
from dgl_mathtree.language.variable_indices import place
from dgl_mathtree.oracle import Oracle

DEEPEST = 15
"""The depth that members and edits may have; those deeper than what is wanted are parents all the same."""
RUNS_PER_ROUND = 4
TRIES = 100
"""Steps tried for each member wanted before a run gives up."""


def loose_step(
    rng: random.Random, rule: Rule, matches: Matches, words: Words, at: int, ends: Sequence[int]
) -> tuple[Words, LooseRewrite]:
    """The words after a rule that matches loosely at a position, and the step."""
    bound = drawn(matches, rng)
    chosen = tuple((letter, bound[letter]) for letter, several in matches.items() if len(several) > 1)
    step = LooseRewrite(rule.axiom.name, rule.forward, at, chosen)
    return rewrite_loosely(rule, words, at, ends, bound), step


class Population:
    """Makes the runs of a recipe.

    Parameters
    ----------
    recipe : Recipe
        With the axiom sets to start from and the number of members.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._axioms = [axiom for name in recipe.axiom_sets for axiom in axioms_of(name).values()]
        self._rules = LooseRules(Rule(axiom, forward) for axiom in self._axioms for forward in (True, False))
        self._oracle = Oracle(0, complex_plane=False)

    def run(self, seed: str, wanted: Container[Bucket]) -> list[Candidate]:
        """The members of one run and their edits, those of wanted depths and labels, in random order."""
        rng = random.Random(seed)
        members = list(self._members(rng))
        drafts = [Candidate(words, True, depth_of(words), CORRECT, derivation) for words, derivation in members]
        drafts += self._edited(rng, members)
        rng.shuffle(drafts)  # or a small data set would be of the first members only
        drafts = [draft for draft in drafts if (draft.depth, draft.label) in wanted]
        counts = self._oracle.count(place(Equation._trusted(draft.words) for draft in drafts))
        return [
            replace(draft.judged(found.verdict, draft.label), key=canonical_key(draft.words))
            for draft, found in zip(drafts, counts, strict=True)
        ]

    def _members(self, rng: random.Random) -> Iterator[tuple[Words, Derivation]]:
        members: list[tuple[Words, Derivation]] = []
        for axiom in self._axioms:
            start = Start(axiom.name)
            members.append((start.apply(()), (start,)))
        seen = {words for words, _ in members}
        yield from members
        for _ in range(TRIES * self.recipe.population):
            if len(members) >= self.recipe.population:
                return
            words, derivation = rng.choice(members)
            taken = self._step(rng, words)
            if taken is None:
                continue
            new, step = taken
            if new in seen or depth_of(new) > DEEPEST:
                continue
            seen.add(new)
            members.append((new, (*derivation, step)))
            yield members[-1]
        raise RecipeError(f"{self.recipe.name}: no population of {self.recipe.population} grows from these axioms")

    def _step(self, rng: random.Random, words: Words) -> tuple[Words, LooseRewrite | Both] | None:
        at = rng.randrange(len(words))
        if at == 0:
            leaf = new_variable(words) if rng.random() < 0.5 else new_constant(rng)
            both = Both(rng.choice(BINARY), (leaf,), before=rng.random() < 0.5)
            return both.apply(words), both
        ends = subtree_ends(words)
        found = self._rules.matching(words, at, ends)
        if not found:
            others = list(range(1, len(words)))
            rng.shuffle(others)
            at = next((other for other in others if self._rules.matching(words, other, ends)), 0)
            if at == 0:
                return None
            found = self._rules.matching(words, at, ends)
        return loose_step(rng, *rng.choice(found), words, at, ends)

    def _edited(self, rng: random.Random, members: list[tuple[Words, Derivation]]) -> Iterator[Candidate]:
        seen = {words for words, _ in members}
        for words, derivation in members:
            edit = edit_uniformly(rng, words)
            edited = edit.apply(words)
            depth = depth_of(edited)
            if edited in seen or depth > DEEPEST:
                continue
            seen.add(edited)
            yield Candidate(edited, evaluates_to_true(edited), depth, edit.kind, (*derivation, edit))


_populations: dict[str, Population] = {}


def make_runs(jobs: Sequence[tuple[Recipe, str, Container[Bucket]]]) -> list[list[Candidate]]:
    """The candidates of each of some runs of one recipe, given by recipe, seed, wanted depths and labels."""
    recipe = jobs[0][0]
    key = recipe.fingerprint()
    if key not in _populations:
        _populations[key] = Population(recipe)
    return [_populations[key].run(seed, wanted) for _, seed, wanted in jobs]
