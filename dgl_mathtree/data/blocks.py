"""Candidates for a data set, made in blocks: equations derived and edited, and those that the oracle confirms.

A block is a pure function of the recipe, its seed and what is wanted, so that any process can make it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from dgl_mathtree.data.candidate import Candidate
from dgl_mathtree.data.canonical import canonical_key
from dgl_mathtree.data.edits import Editor
from dgl_mathtree.data.provenance import Derivation, axioms_used
from dgl_mathtree.data.recipe import Recipe
from dgl_mathtree.data.walks import Walker
from dgl_mathtree.language import Equation
from dgl_mathtree.language.expr import Tree, Words, depth_of
from dgl_mathtree.language.variable_indices import place
from dgl_mathtree.oracle import Oracle
from dgl_mathtree.oracle.oracle import Counts

BLOCKS_PER_ROUND = 8
MOST_STATES, FEWEST_STATES = 4000, 400
LEAST_AIM = 0.02
"""The share of walks that aim at a depth as long as anything of it is wanted."""
CORRECT = "correct"
CLEARLY_DEFINED, CLEARLY_FALSE = 18, 0.03
"""A label needs more defined points, and a false equation fewer equal ones, than the oracle asks for a verdict."""
SCARCE_BELOW = 3
"""Below this depth distinct equations are so few that none is passed over: no cap on tautologies, no thinning."""

Bucket = tuple[int, bool]
"""A depth and a label."""


class BlockMaker:
    """Makes candidates of a recipe: what a block needs, prepared once for each process."""

    def __init__(self, recipe: Recipe, held_out: frozenset[str]) -> None:
        self.recipe = recipe
        self.held_out = held_out
        self.deep = Walker(recipe)
        self.shallow = Walker(recipe, held_out) if held_out else self.deep
        self.editor = Editor(recipe)
        # Two sets of points: a label must hold at both.
        self.oracles = [Oracle(seed, complex_plane=False) for seed in (0, 1)]

    def blocks(self, seeds: Sequence[str], wanted: dict[Bucket, int]) -> list[list[Candidate]]:
        """The candidates of each of some blocks; the oracle judges them together, which is faster."""
        drafts = [list(self._block(seed, wanted)) for seed in seeds]
        confirmed = iter(self._confirmed([draft for block in drafts for draft in block]))
        return [[made for _ in block if (made := next(confirmed)) is not None] for block in drafts]

    def _block(self, seed: str, wanted: dict[Bucket, int]) -> Iterable[Candidate]:
        rng = random.Random(seed)
        depths = sorted({depth for depth, _ in wanted})
        need = [sum(wanted.get((depth, label), 0) for label in (True, False)) for depth in depths]
        budget = min(MOST_STATES, max(FEWEST_STATES, 12 * sum(need) // BLOCKS_PER_ROUND))
        aims = [max(float(count), LEAST_AIM * sum(need)) for count in need]
        found: dict[Words, Candidate] = {}
        states = walks = 0
        while states < budget and (states or walks < FEWEST_STATES):  # no walk may have a start that is small enough
            walks += 1
            aim = rng.choices(depths, aims)[0]
            walker = self.deep if aim >= self.recipe.test_from else self.shallow
            for words, depth, derivation in walker.walk(rng, aim):
                states += 1
                for draft in self._drafts(rng, words, depth, derivation, wanted):
                    found.setdefault(draft.words, draft)
        by_key: dict[int, Candidate] = {}
        for draft in found.values():
            key = canonical_key(draft.words)
            by_key.setdefault(key, replace(draft, key=key))
        return by_key.values()

    def _drafts(
        self, rng: random.Random, words: Words, depth: int, derivation: Derivation, wanted: dict[Bucket, int]
    ) -> Iterator[Candidate]:
        """The equation itself and an edited one, where they are wanted."""
        recipe = self.recipe
        if (depth, True) in wanted and self._kept(rng, words, depth) and self._allowed(depth, derivation):
            yield Candidate(words, True, depth, CORRECT, derivation)
        if rng.random() < recipe.keep and (edit := self.editor.edit(rng, words)) is not None:
            edited = edit.apply(words)
            depth = depth_of(edited)
            if (depth, False) not in wanted or len(edited) > recipe.largest(depth):
                return
            if self._kept(rng, edited, depth) and self._allowed(depth, derivation):
                yield Candidate(edited, False, depth, edit.kind, (*derivation, edit))

    def _kept(self, rng: random.Random, words: Words, depth: int) -> bool:
        chance = self.recipe.keeps_variables(len(Tree._trusted(words).variables))
        if depth < SCARCE_BELOW:
            return chance > 0
        return rng.random() < chance * self.recipe.keep

    def _allowed(self, depth: int, derivation: Derivation) -> bool:
        if not self.held_out or depth >= self.recipe.test_from:
            return True
        return self.held_out.isdisjoint(axioms_used(derivation))

    def _confirmed(self, drafts: list[Candidate]) -> list[Candidate | None]:
        """The drafts with the oracle's verdict, None for those that it contradicts (unless labels go unchecked)."""
        placed = place(Equation._trusted(draft.words) for draft in drafts)
        left = list(range(len(drafts)))
        counts: list[Counts] = []
        for oracle in self.oracles[: 2 if self.recipe.oracle else 1]:
            counts = oracle.count(placed)
            if self.recipe.oracle:
                clear = [k for k, at in enumerate(left) if _is_clear(drafts[at].label, counts[k])]
                placed = placed.take(np.array(clear, dtype=np.int64))
                left, counts = [left[k] for k in clear], [counts[k] for k in clear]
        made: list[Candidate | None] = [None] * len(drafts)
        for at, found in zip(left, counts, strict=True):
            judged = drafts[at].judged(found.verdict, drafts[at].label)
            if self.recipe.oracle or judged.label or not judged.tautology:
                made[at] = judged
        return made


def _is_clear(label: bool, counts: Counts) -> bool:
    """Whether a label is confirmed by so wide a margin that other points would confirm it too."""
    if counts.defined < CLEARLY_DEFINED:
        return False
    if label:
        return counts.verdict == "true"
    return counts.verdict == "false" and counts.equal <= CLEARLY_FALSE * counts.defined


BlockJob = tuple[Recipe, str, dict[Bucket, int], frozenset[str]]
"""Recipe, seed of the block, what is wanted of each bucket, held-out axioms."""
_makers: dict[tuple[str, frozenset[str]], BlockMaker] = {}


def make_blocks(jobs: Sequence[BlockJob]) -> list[list[Candidate]]:
    """The candidates of each of some blocks of one recipe, for which the same is wanted."""
    recipe, _, wanted, held_out = jobs[0]
    key = recipe.fingerprint(), held_out
    if key not in _makers:
        _makers[key] = BlockMaker(recipe, held_out)
    return _makers[key].blocks([seed for _, seed, _, _ in jobs], wanted)
