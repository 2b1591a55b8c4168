"""The stream of discovered equations: pools enumerated, blocks assembled, what is new and allowed let through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count

from dgl_mathtree.data.candidate import Candidate
from dgl_mathtree.data.discovery.assemble import UNLIKE, Assembler, IdentityLibrary
from dgl_mathtree.data.discovery.enumerate import Enumeration
from dgl_mathtree.data.discovery.holdout import Exclusion
from dgl_mathtree.data.discovery.pools import ExpressionPool, all_pools
from dgl_mathtree.data.discovery.side_classes import TRAIN, part_name
from dgl_mathtree.data.finished_blocks import BlockRunner
from dgl_mathtree.language.build import Pair

STANDARD = 1_000_000
"""The number of equations for which pools are enumerated as they are described."""
PAIRS_OF_A_POOL = 2600
MOST_SURPLUS = 20
"""False equations of a source beyond the true ones at most."""
YIELD = 1.8
"""What a block makes, over its size: true equations and their near misses, less what is refused."""
BLOCK, SMALLEST_BLOCK, BLOCKS_PER_ROUND = 4000, 300, 12


def discover(
    wanted: int,
    seed: int,
    runner: BlockRunner,
    seen: set[int],
    apart: Exclusion,
    families: Iterable[str] | None = None,
    name: str = "",
) -> Iterator[Candidate]:
    """Discovered equations with the part that each goes to, about half of them true.

    Args:
        wanted: how many.
        runner: what makes blocks; what comes is the same for any.
        seen: keys of equations that are not to come again; those that come are added.
        apart: what training equations must not be twins of.
        families: the pools to enumerate, all by default.
        name: what blocks are called by, where they are kept.
    """
    library = _library(wanted, seed, runner, list(families or all_pools()), name)
    size = max(SMALLEST_BLOCK, min(BLOCK, wanted // 8))
    assembler = Assembler(library, max(1, int(wanted / (YIELD * size))), size)
    part_of_fold: dict[int, str] = {}
    balance = _Balance()
    for made in _blocks(assembler, str(seed), runner, name):
        if made.key in seen or part_of_fold.setdefault(made.fold, made.part) != made.part:
            continue
        if made.part == part_name(TRAIN) and apart.has(made.key, made.fold):
            continue
        if not balance.takes(made):
            continue
        seen.add(made.key)
        yield made
        wanted -= 1
        if wanted <= 0:
            return


class _Balance:
    """Lets as many false equations of a source through as true ones: a law has few instances and many mistakes."""

    def __init__(self) -> None:
        self._surplus: Counter[str] = Counter()

    def takes(self, made: Candidate) -> bool:
        source = made.source
        if made.kind == UNLIKE or made.label:
            self._surplus[source] -= made.label
            return True
        if self._surplus[source] >= MOST_SURPLUS:
            return False
        self._surplus[source] += 1
        return True


def _library(wanted: int, seed: int, runner: BlockRunner, families: list[str], name: str) -> IdentityLibrary:
    """The pairs found in pools."""
    library = IdentityLibrary()
    jobs = {f"pool-{name}-{family}": (family, seed, wanted / STANDARD) for family in families}
    with runner.running() as run:
        for family, pairs in zip(families, run(_pairs_of, jobs), strict=True):
            library.add(family, pairs)
    library.finish(seed)
    return library


def _blocks(assembler: Assembler, seed: str, runner: BlockRunner, name: str) -> Iterator[Candidate]:
    """What the assembler makes, block after block, without an end."""
    with runner.running(_receive, assembler) as run:
        for first in count(0, BLOCKS_PER_ROUND):
            numbers = range(first, first + BLOCKS_PER_ROUND)
            for made in run(_assembled, {f"found-{name}-{number}": (seed, number) for number in numbers}):
                yield from made


_received: list[Assembler] = []


def _receive(assembler: Assembler) -> None:
    """Keep, in a worker, what its blocks are made by."""
    _received[:] = [assembler]


def _assembled(jobs: Sequence[tuple[str, int]]) -> list[list[Candidate]]:
    return [_received[0].block(*job) for job in jobs]


def _pairs_of(jobs: Sequence[tuple[str, int, float]]) -> list[list[Pair]]:
    found = []
    for name, seed, scale in jobs:
        pool = _scaled(all_pools()[name], min(scale, 1.0))
        found.append(Enumeration(pool, seed).pairs(max(12, int(PAIRS_OF_A_POOL * pool.share * scale))))
    return found


def _scaled(pool: ExpressionPool, scale: float) -> ExpressionPool:
    """A pool with less to enumerate where fewer pairs are wanted."""
    effort = scale**0.5
    return replace(
        pool,
        representatives=max(30, int(pool.representatives * effort)),
        sampled=int(pool.sampled * effort) if effort > 0.1 else 0,
    )
