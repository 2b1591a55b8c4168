"""`mathtree benchmark`."""

from __future__ import annotations

import argparse
import importlib.util
import json
import warnings
from types import ModuleType

from dgl_mathtree.cli.command import CommandError, Commands, add_command
from dgl_mathtree.corpus.recipes import DATASETS


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "benchmark",
        _run_benchmark,
        "Measure the speed of cells, drivers and completion, side by side.",
        "mathtree benchmark --quick",
        epilog="Ratios are to the dgl driver of the same run; nodes are those of the equations' trees, shared or not.",
    )
    command.add_argument("--quick", action="store_true", help="three cells only, in about a minute")
    command.add_argument("--json", action="store_true", help="print the measurements as JSON")


def _run_benchmark(options: argparse.Namespace) -> int:
    import torch

    cells, epochs, completion = (_benchmarks(name) for name in ("cells", "epochs", "completion"))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with warnings.catch_warnings(), torch.random.fork_rng([]):
            warnings.simplefilter("ignore")
            result = cells.benchmark(options.quick)
            result["epochs"] = epochs.benchmark(options.quick)
            result["completion"] = completion.benchmark(options.quick)
    finally:
        torch.set_num_threads(threads)
    page = f"{cells.page(result)}\n{epochs.page(result['epochs'])}\n{completion.page(result['completion'])}"
    print(json.dumps(result) if options.json else page)
    return 0


def _benchmarks(name: str) -> ModuleType:
    """A module of the folder `benchmarks`, which lies beside the package in the sources."""
    file = DATASETS.parent / "benchmarks" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"benchmarks.{name}", file)
    if not file.is_file() or spec is None or spec.loader is None:
        raise CommandError(f"the benchmarks come with the sources of the project only: there is no {file.name}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
