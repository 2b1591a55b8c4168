"""Generation of data sets: candidates in numbered blocks, accepted in order until every size is met.

A block is a pure function of the recipe, the seed, its number and what is still wanted, so blocks can be made by any
number of processes; they are taken in order, and the result is the same for one worker or many. Work goes in rounds
of a fixed number of blocks, and what is wanted is looked at anew before each.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dgl_mathtree.corpus.canonical import canonical_key, fold
from dgl_mathtree.corpus.derivation import Derivation, Found, axioms_used
from dgl_mathtree.corpus.discovery.exclusion import Exclusion
from dgl_mathtree.corpus.discovery.stream import discover
from dgl_mathtree.corpus.negatives import Editor
from dgl_mathtree.corpus.recipe_checks import RecipeError
from dgl_mathtree.corpus.recipes import Recipe, load_recipe
from dgl_mathtree.corpus.splits import Splitter
from dgl_mathtree.corpus.walks import Walker
from dgl_mathtree.corpus.workers import OrderedMap, ordered_map, shared_out
from dgl_mathtree.expressions import Equation, Oracle
from dgl_mathtree.expressions.oracle import Counts
from dgl_mathtree.expressions.places import place
from dgl_mathtree.expressions.tree import Tree, Words, depth_of

BLOCKS_PER_ROUND = 8
MOST_STATES, FEWEST_STATES = 4000, 400
LEAST_AIM = 0.02
"""The share of walks that aim at a depth as long as anything of it is wanted."""
PATIENCE, SLOWEST = 12, 40
"""A depth and label is given up if what the last 12 rounds found of it, 40 times over, would not be enough."""
CORRECT = "correct"
CLEARLY_DEFINED, CLEARLY_FALSE = 18, 0.03
"""A label needs more defined points, and a false equation fewer equal ones, than the oracle asks for a verdict."""
SCARCE_BELOW = 3
"""Below this depth distinct equations are so few that none is passed over: no cap on tautologies, no thinning."""

Bucket = tuple[int, bool]


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


@dataclass(frozen=True)
class Accepted:
    """A candidate and the part of the data it went to."""

    candidate: Candidate
    part: str


def generate(
    recipe: Recipe,
    seed: int = 0,
    split: str = "paper",
    workers: int = 1,
    progress: Callable[[int], object] = lambda _: None,
) -> Iterator[Accepted]:
    """The equations of a recipe, in the order in which they are accepted.

    Parameters
    ----------
    recipe : Recipe
        What to make.
    seed : int
        Other seeds make other equations.
    split : str
        Which scheme decides about train, validation and test.
    workers : int
        Processes that share the work; what they make is the same for any number of them.
    progress : callable
        Is told the number of equations after each round's acceptances.

    Yields
    ------
    Accepted
        An equation with its label and its part of the data.
    """
    if workers < 1:
        raise RecipeError(f"the number of workers must be at least 1, not {workers}")
    stages = [recipe]
    while stages[0].extends:
        stages.insert(0, load_recipe(stages[0].extends))
    for stage in stages[1:]:
        if stage.deepest >= stages[0].test_from:
            raise RecipeError(f"{stage.name}: what is added is for training, below depth {stages[0].test_from}")
    collector = _Collector(Splitter(split, stages[0], seed))
    apart, held_back = Exclusion.of(recipe.apart_from), Exclusion.of_data(recipe.set_aside)
    for number, stage in enumerate(stages):
        with ordered_map(workers) as mapped:
            for accepted in _run_stage(stage, f"{seed}/{number}", collector, mapped, workers, number > 0, progress):
                candidate = accepted.candidate
                if accepted.part != "train" and not candidate.tautology:
                    held_back.folds.add(candidate.fold)
                twin = apart.has(candidate.key, candidate.fold) or candidate.key in held_back.keys
                if accepted.part != "train" or not twin:
                    yield accepted
        if stage.discovered:
            yield from _discovered(stage, seed, collector, workers, apart | held_back, progress)


def _discovered(
    recipe: Recipe,
    seed: int,
    collector: _Collector,
    workers: int,
    apart: Exclusion,
    progress: Callable[[int], object],
) -> Iterator[Accepted]:
    for made, part in discover(recipe.discovered, seed, workers, collector.seen, apart):
        draft = made.draft
        depth = depth_of(draft.words)
        keys = made.key, made.fold, made.tautology
        candidate = Candidate(draft.words, made.label, depth, draft.kind, made.verdict, *keys, draft.derivation)
        progress(1)
        yield Accepted(candidate, part)


def total_size(recipe: Recipe) -> int:
    """The number of equations that a recipe makes, those of the recipes it extends included."""
    own = sum(recipe.sizes.values()) + recipe.discovered
    return own + (total_size(load_recipe(recipe.extends)) if recipe.extends else 0)


class _Collector:
    """Accepts candidates, each at most once, as long as they are wanted."""

    def __init__(self, splitter: Splitter) -> None:
        self.splitter = splitter
        self.seen: set[int] = set()
        self.wanted: dict[Bucket, int] = {}
        self.tautologies: dict[int, int] = {}

    def open(self, recipe: Recipe) -> None:
        """Start on a recipe's sizes."""
        self.wanted = {}
        for depth, size in sorted(recipe.sizes.items()):
            correct = recipe.correct.get(depth, 0)
            self.wanted[depth, True] = correct
            self.wanted[depth, False] = size - correct
            self.tautologies[depth] = round(correct * recipe.tautologies) if depth >= SCARCE_BELOW else correct

    def accept(self, candidate: Candidate, only_train: bool) -> Accepted | None:
        bucket = candidate.depth, candidate.label
        if self.wanted.get(bucket, 0) <= 0 or candidate.key in self.seen:
            return None
        trivial = candidate.label and candidate.tautology
        if trivial and self.tautologies[candidate.depth] <= 0:
            return None
        part = self.splitter.assign(candidate.depth, candidate.key, candidate.fold, only_train)
        if part is None:
            return None
        self.tautologies[candidate.depth] -= trivial
        self.wanted[bucket] -= 1
        self.seen.add(candidate.key)
        return Accepted(candidate, part)

    def still_wanted(self) -> dict[Bucket, int]:
        return {bucket: count for bucket, count in self.wanted.items() if count > 0}


def _run_stage(
    recipe: Recipe,
    seed: str,
    collector: _Collector,
    mapped: OrderedMap,
    workers: int,
    only_train: bool,
    progress: Callable[[int], object],
) -> Iterator[Accepted]:
    collector.open(recipe)
    missing = [dict(collector.wanted)]
    block = 0
    while wanted := collector.still_wanted():
        numbers = range(block, block + BLOCKS_PER_ROUND)
        block += BLOCKS_PER_ROUND
        jobs = [
            (recipe, [f"{seed}/{number}" for number in some], wanted, collector.splitter.held_out)
            for some in shared_out(numbers, workers)
        ]
        accepted = 0
        for candidates in mapped(_make_blocks, jobs):
            for candidate in candidates:
                taken = collector.accept(candidate, only_train)
                if taken is not None:
                    accepted += 1
                    yield taken
        progress(accepted)
        missing.append(dict(collector.wanted))
        if len(missing) > PATIENCE:
            before = missing.pop(0)
            for bucket, count in collector.still_wanted().items():
                if SLOWEST * (before[bucket] - count) < count:
                    _give_up(recipe, bucket, count)


def _give_up(recipe: Recipe, bucket: Bucket, missing: int) -> None:
    depth, label = bucket
    size = recipe.correct.get(depth, 0) if label else recipe.sizes[depth] - recipe.correct.get(depth, 0)
    kind = "correct" if label else "incorrect"
    raise RecipeError(
        f"{recipe.name}: depth {depth}: only {size - missing} distinct {kind} equations were found of the {size} "
        "wanted; ask for fewer, or give it more leaves, axioms or kinds of negatives"
    )


class _Maker:
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


_makers: dict[tuple[str, frozenset[str]], _Maker] = {}


def _make_blocks(job: tuple[Recipe, Sequence[str], dict[Bucket, int], frozenset[str]]) -> list[Candidate]:
    recipe, seeds, wanted, held_out = job
    key = recipe.fingerprint(), held_out
    if key not in _makers:
        _makers[key] = _Maker(recipe, held_out)
    return _makers[key].blocks(seeds, wanted)
