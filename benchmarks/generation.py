"""Generation at three sizes: equations a second and peak memory, each in a process of its own.

python benchmarks/generation.py [--workers N] [--json] [SIZE ...]
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

from dgl_mathtree.corpus.generation import total_size
from dgl_mathtree.corpus.recipes import Recipe, load_recipe
from dgl_mathtree.corpus.writing import make_data

SIZES = (40_000, 300_000, 1_000_000)


def recipe_of(size: int) -> Recipe:
    """`paper` for up to its own size, else `large` scaled to the size."""
    paper = load_recipe("paper")
    if size <= total_size(paper):
        return paper
    large = load_recipe("large")
    return large.scaled((size - total_size(paper)) / sum(large.sizes.values()))


def measure(size: int, workers: int, answer: Any) -> None:
    recipe = recipe_of(size)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        card = make_data(Path(folder) / "data", recipe, workers=workers)
        seconds = time.perf_counter() - start
        written = (Path(folder) / "data" / "equations.jsonl").stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    answer.send(
        {
            "equations": card["count"],
            "workers": workers,
            "seconds": round(seconds, 1),
            "equations_per_second": round(card["count"] / seconds),
            "peak_memory_mib": round(peak),
            "file_mib": round(written / 2**20),
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", metavar="SIZE", type=int, nargs="*", default=SIZES)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    for size in options.sizes:
        here, there = context.Pipe()
        process = context.Process(target=measure, args=(size, options.workers, there))
        process.start()
        row = here.recv()
        process.join()
        if options.json:
            print(json.dumps(row), flush=True)
        else:
            print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)


if __name__ == "__main__":
    main()
