"""Generation of data sets: candidates in numbered blocks, accepted in order until every size is met.

A block (or the run of a population) is a pure function of the recipe, the seed, its number and what is still wanted, so
blocks can be made by any number of processes; they are taken in order, and the result is the same for one worker or
many. Work goes in rounds of a fixed number of blocks, and what is wanted is looked at anew before each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from dgl_mathtree.data.blocks import BLOCKS_PER_ROUND, SCARCE_BELOW, Bucket, make_blocks
from dgl_mathtree.data.candidate import Candidate
from dgl_mathtree.data.discovery.discover import discover
from dgl_mathtree.data.discovery.holdout import Exclusion
from dgl_mathtree.data.finished_blocks import BlockRunner, RunBlocks
from dgl_mathtree.data.population import RUNS_PER_ROUND, make_runs
from dgl_mathtree.data.recipe import Recipe, load_recipe
from dgl_mathtree.data.recipe_checks import RecipeError
from dgl_mathtree.data.splits import Splitter

PATIENCE, SLOWEST = 12, 40
"""A depth and label is given up if what the last 12 rounds found of it, 40 times over, would not be enough."""

Maker = Callable[[Sequence[str], dict[Bucket, int]], list[list[Candidate]]]


def generate(
    recipe: Recipe,
    seed: int = 0,
    split: str = "paper",
    workers: int | BlockRunner = 1,
    progress: Callable[[int], object] = lambda _: None,
    maker: Maker | None = None,
) -> Iterator[Candidate]:
    """The equations of a recipe, in the order in which they are accepted.

    Parameters
    ----------
    recipe : Recipe
        What to make.
    seed : int
        Other seeds make other equations.
    split : str
        Which scheme decides about train, validation and test.
    workers : int or BlockRunner
        Processes that share the work, or what else makes blocks; what is made is the same for all.
    progress : callable
        Is told the number of equations after each round's acceptances.
    maker : callable, optional
        Makes the candidates, in this process, of blocks (or runs) given by their seeds, and of what is wanted; by
        default they are made as the recipe says.

    Yields
    ------
    Candidate
        An equation with its label and its part of the data.
    """
    runner = workers if isinstance(workers, BlockRunner) else BlockRunner.on_processes(workers)
    stages = [recipe]
    while stages[0].extends:
        stages.insert(0, load_recipe(stages[0].extends))
    for stage in stages[1:]:
        if stage.deepest >= stages[0].test_from:
            raise RecipeError(f"{stage.name}: what is added is for training, below depth {stages[0].test_from}")
    collector = _Collector(Splitter(split, stages[0], seed))
    apart, held_back = Exclusion.of(recipe.apart_from), Exclusion.of_data(recipe.set_aside)
    for number, stage in enumerate(stages):
        with runner.running() as run:
            for candidate in _run_stage(stage, f"{seed}/{number}", collector, run, number > 0, progress, maker):
                if candidate.part != "train" and not candidate.tautology:
                    held_back.folds.add(candidate.fold)
                twin = apart.has(candidate.key, candidate.fold) or candidate.key in held_back.keys
                if candidate.part != "train" or not twin:
                    yield candidate
        if stage.discovered:
            yield from _discovered(stage, seed, collector, runner, f"{seed}-{number}", apart | held_back, progress)


def _discovered(
    recipe: Recipe,
    seed: int,
    collector: _Collector,
    runner: BlockRunner,
    name: str,
    apart: Exclusion,
    progress: Callable[[int], object],
) -> Iterator[Candidate]:
    for made in discover(recipe.discovered, seed, runner, collector.seen, apart, name=name):
        progress(1)
        yield made


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
        self.by_text = False

    def open(self, recipe: Recipe) -> None:
        """Start on a recipe's sizes."""
        self.wanted = {}
        self.by_text = recipe.population > 0
        for depth, size in sorted(recipe.sizes.items()):
            correct = recipe.correct.get(depth, 0)
            self.wanted[depth, True] = correct
            self.wanted[depth, False] = size - correct
            self.tautologies[depth] = round(correct * recipe.tautologies) if depth >= SCARCE_BELOW else correct

    def accept(self, candidate: Candidate, only_train: bool) -> Candidate | None:
        bucket = candidate.depth, candidate.label
        identity = candidate.text_key if self.by_text else candidate.key
        if self.wanted.get(bucket, 0) <= 0 or identity in self.seen:
            return None
        trivial = candidate.label and candidate.tautology
        if trivial and self.tautologies[candidate.depth] <= 0:
            return None
        part = self.splitter.assign(candidate.depth, identity, candidate.fold, only_train)
        if part is None:
            return None
        self.tautologies[candidate.depth] -= trivial
        self.wanted[bucket] -= 1
        self.seen.add(identity)
        return replace(candidate, part=part)

    def still_wanted(self) -> dict[Bucket, int]:
        return {bucket: count for bucket, count in self.wanted.items() if count > 0}


def _run_stage(
    recipe: Recipe,
    seed: str,
    collector: _Collector,
    run: RunBlocks,
    only_train: bool,
    progress: Callable[[int], object],
    maker: Maker | None,
) -> Iterator[Candidate]:
    collector.open(recipe)
    missing = [dict(collector.wanted)]
    block = 0
    while wanted := collector.still_wanted():
        per_round = RUNS_PER_ROUND if recipe.population else BLOCKS_PER_ROUND
        seeds = [f"{seed}/{number}" for number in range(block, block + per_round)]
        block += per_round
        accepted = 0
        for candidates in _candidates(recipe, seeds, wanted, collector.splitter.held_out, run, maker):
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


def _candidates(
    recipe: Recipe,
    seeds: list[str],
    wanted: dict[Bucket, int],
    held_out: frozenset[str],
    run: RunBlocks,
    maker: Maker | None,
) -> Iterator[list[Candidate]]:
    """The candidates of some blocks or runs, given by their seeds."""
    if maker is not None:
        return iter(maker(seeds, wanted))
    names = [f"derived-{seed.replace('/', '-')}" for seed in seeds]
    if recipe.population:
        pairs = frozenset(wanted)
        return run(make_runs, {name: (recipe, seed, pairs) for name, seed in zip(names, seeds, strict=True)}, True)
    jobs = {name: (recipe, seed, wanted, held_out) for name, seed in zip(names, seeds, strict=True)}
    return run(make_blocks, jobs, True)


def _give_up(recipe: Recipe, bucket: Bucket, missing: int) -> None:
    depth, label = bucket
    size = recipe.correct.get(depth, 0) if label else recipe.sizes[depth] - recipe.correct.get(depth, 0)
    kind = "correct" if label else "incorrect"
    raise RecipeError(
        f"{recipe.name}: depth {depth}: only {size - missing} distinct {kind} equations were found of the {size} "
        "wanted; ask for fewer, or give it more leaves, axioms or kinds of negatives"
    )
