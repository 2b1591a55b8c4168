"""Candidates for a data set, made in blocks: equations derived and edited, and those that the oracle confirms.

A block is a pure function of the recipe, its seed and what is wanted, so that any process can make it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dgl_mathtree.corpus.canonical import canonical_key, fold
from dgl_mathtree.corpus.derivation import Derivation, Found, axioms_used
from dgl_mathtree.corpus.negatives import Editor
from dgl_mathtree.corpus.recipes import Recipe
from dgl_mathtree.corpus.walks import Walker
from dgl_mathtree.expressions import Equation, Oracle
from dgl_mathtree.expressions.oracle import Counts
from dgl_mathtree.expressions.places import place
from dgl_mathtree.expressions.tree import Tree, Words, depth_of

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


@dataclass(frozen=True)
class Candidate:
    """An equation on its way into a data set, with its label and all that is stored or counted of it."""

    words: Words
    label: bool
    depth: int
    kind: str
    verdict: str
    key: int
    fold: int
    tautology: bool
    derivation: Derivation

    @property
    def source(self) -> str:
        """Where a discovered equation comes from; empty for one derived from an axiom."""
        first = self.derivation[0]
        return first.source if isinstance(first, Found) else ""


class _Draft(NamedTuple):
    """An equation that is still to be judged, and its canonical key once that is known."""

    words: Words
    label: bool
    depth: int
    kind: str
    derivation: Derivation
    key: int = 0


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

    def blocks(self, seeds: Sequence[str], wanted: dict[Bucket, int]) -> list[Candidate]:
        """The candidates of some blocks, block after block; the oracle judges them together, which is faster."""
        drafts = [draft for seed in seeds for draft in self._block(seed, wanted)]
        return self._confirmed(drafts)

    def _block(self, seed: str, wanted: dict[Bucket, int]) -> Iterable[_Draft]:
        rng = random.Random(seed)
        depths = sorted({depth for depth, _ in wanted})
        need = [sum(wanted.get((depth, label), 0) for label in (True, False)) for depth in depths]
        budget = min(MOST_STATES, max(FEWEST_STATES, 12 * sum(need) // BLOCKS_PER_ROUND))
        aims = [max(float(count), LEAST_AIM * sum(need)) for count in need]
        found: dict[Words, _Draft] = {}
        states = walks = 0
        while states < budget and (states or walks < FEWEST_STATES):  # no walk may have a start that is small enough
            walks += 1
            aim = rng.choices(depths, aims)[0]
            walker = self.deep if aim >= self.recipe.test_from else self.shallow
            for words, depth, derivation in walker.walk(rng, aim):
                states += 1
                for draft in self._drafts(rng, words, depth, derivation, wanted):
                    found.setdefault(draft.words, draft)
        by_key: dict[int, _Draft] = {}
        for draft in found.values():
            key = canonical_key(draft.words)
            by_key.setdefault(key, draft._replace(key=key))
        return by_key.values()

    def _drafts(
        self, rng: random.Random, words: Words, depth: int, derivation: Derivation, wanted: dict[Bucket, int]
    ) -> Iterator[_Draft]:
        """The equation itself and an edited one, where they are wanted."""
        recipe = self.recipe
        if (depth, True) in wanted and self._kept(rng, words, depth) and self._allowed(depth, derivation):
            yield _Draft(words, True, depth, CORRECT, derivation)
        if rng.random() < recipe.keep and (edit := self.editor.edit(rng, words)) is not None:
            edited = edit.apply(words)
            depth = depth_of(edited)
            if (depth, False) not in wanted or len(edited) > recipe.largest(depth):
                return
            if self._kept(rng, edited, depth) and self._allowed(depth, derivation):
                yield _Draft(edited, False, depth, edit.kind, (*derivation, edit))

    def _kept(self, rng: random.Random, words: Words, depth: int) -> bool:
        chance = self.recipe.keeps_variables(len(Tree._trusted(words).variables))
        if depth < SCARCE_BELOW:
            return chance > 0
        return rng.random() < chance * self.recipe.keep

    def _allowed(self, depth: int, derivation: Derivation) -> bool:
        if not self.held_out or depth >= self.recipe.test_from:
            return True
        return self.held_out.isdisjoint(axioms_used(derivation))

    def _confirmed(self, drafts: list[_Draft]) -> list[Candidate]:
        """The drafts with the oracle's verdict, those that it contradicts left out (unless labels go unchecked)."""
        placed = place(Equation._trusted(draft.words) for draft in drafts)
        counts: list[Counts] = []
        for oracle in self.oracles[: 2 if self.recipe.oracle else 1]:
            counts = oracle.count(placed)
            if self.recipe.oracle:
                clear = [k for k, draft in enumerate(drafts) if _is_clear(draft.label, counts[k])]
                placed = placed.take(np.array(clear, dtype=np.int64))
                drafts, counts = [drafts[k] for k in clear], [counts[k] for k in clear]
        made = [_candidate(draft, found.verdict) for draft, found in zip(drafts, counts, strict=True)]
        return [c for c in made if self.recipe.oracle or c.label or not c.tautology]


def _is_clear(label: bool, counts: Counts) -> bool:
    """Whether a label is confirmed by so wide a margin that other points would confirm it too."""
    if counts.defined < CLEARLY_DEFINED:
        return False
    if label:
        return counts.verdict == "true"
    return counts.verdict == "false" and counts.equal <= CLEARLY_FALSE * counts.defined


def _candidate(draft: _Draft, verdict: str) -> Candidate:
    words, label, depth, kind, derivation, key = draft
    return Candidate(words, label, depth, kind, verdict, key, *fold(words), derivation)


_makers: dict[tuple[str, frozenset[str]], BlockMaker] = {}


def make_blocks(job: tuple[Recipe, Sequence[str], dict[Bucket, int], frozenset[str]]) -> list[Candidate]:
    """The candidates of some blocks: recipe, seeds of the blocks, what is wanted of each bucket, held-out axioms."""
    recipe, seeds, wanted, held_out = job
    key = recipe.fingerprint(), held_out
    if key not in _makers:
        _makers[key] = BlockMaker(recipe, held_out)
    return _makers[key].blocks(seeds, wanted)
