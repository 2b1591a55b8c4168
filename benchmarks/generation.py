"""Generation at three sizes: equations a second and peak memory, each in a process of its own.

python benchmarks/generation.py [--workers N] [--recipe NAME] [--seed N] [--json] [--against CHECKOUT] [SIZE ...]

With `--recipe` that recipe is made as it is. `--against` makes the data with another checkout of the project too, in
turn with this one, prints the ratios of processor time, and fails if the bytes differ.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from ratios import in_turn

from dgl_mathtree.data.data_writer import make_data
from dgl_mathtree.data.generate import total_size
from dgl_mathtree.data.recipe import Recipe, load_recipe

SIZES = (40_000, 300_000, 1_000_000)


def recipe_of(size: int) -> Recipe:
    """`paper` for up to its own size, else `large` scaled to the size."""
    paper = load_recipe("paper")
    if size <= total_size(paper):
        return paper
    large = load_recipe("large")
    return large.scaled((size - total_size(paper)) / sum(large.sizes.values()))


def measure(recipe: Recipe, seed: int, workers: int, answer: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        start, busy = time.perf_counter(), time.process_time()
        card = make_data(Path(folder) / "data", recipe, seed, workers=workers)
        seconds, busy = time.perf_counter() - start, time.process_time() - busy
        written = (Path(folder) / "data" / "equations.jsonl").stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    answer.send(
        {
            "equations": card["count"],
            "workers": workers,
            "seconds": round(seconds, 1),
            "processor_seconds": round(busy, 1),
            "equations_per_second": round(card["count"] / seconds),
            "peak_memory_mib": round(peak),
            "file_mib": round(written / 2**20),
            "checksum": card["checksum"][:16],
        }
    )


def compare(options: argparse.Namespace) -> None:
    """Print how many times as fast this checkout is as another, each at its fastest, once the bytes are the same."""
    given = [*map(str, options.sizes), "--seed", str(options.seed)]
    given += ["--recipe", options.recipe] if options.recipe else []
    rounds = in_turn(__file__, given, options.against, rounds=2)
    for k, last in enumerate(rounds[-1][1]):
        if any(side[k]["checksum"] != last["checksum"] for some in rounds for side in some):
            raise SystemExit(f"other bytes: {[[side[k]['checksum'] for side in some] for some in rounds]}")
        before, after = (min(some[at][k]["processor_seconds"] for some in rounds) for at in (0, 1))
        print(f"{last['equations']:,} equations: {before} s before, {after} s now, {before / after:.2f} times as fast")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", metavar="SIZE", type=int, nargs="*", default=SIZES)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--recipe", metavar="NAME|FILE", help="make this recipe, and no sizes of others")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--against", metavar="CHECKOUT", help="the folder of another checkout to compare with")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    options = parser.parse_args()
    if options.against is not None:
        compare(options)
        return
    context = multiprocessing.get_context("spawn")
    recipes = [load_recipe(options.recipe)] if options.recipe else [recipe_of(size) for size in options.sizes]
    for recipe in recipes:
        here, there = context.Pipe()
        process = context.Process(target=measure, args=(recipe, options.seed, options.workers, there))
        process.start()
        row = here.recv()
        process.join()
        if options.json:
            print(json.dumps(row), flush=True)
        else:
            print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)


if __name__ == "__main__":
    main()
