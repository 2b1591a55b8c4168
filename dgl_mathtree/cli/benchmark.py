"""`mathtree benchmark`."""

from __future__ import annotations

import argparse
import importlib.util
import json
import warnings
from types import ModuleType

from dgl_mathtree.cli.command_table import CommandError, Commands, add_command
from dgl_mathtree.cli.output_arguments import FileToWrite
from dgl_mathtree.data.recipe import DATASETS
from dgl_mathtree.files import write_atomically


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "benchmark",
        _run_benchmark,
        "Compare the speed of cells, drivers and completion.",
        "mathtree benchmark --quick",
        epilog="Batches are new: every driver computes each of them once. Ratios are relative to the dgl driver; "
        "nodes are those of the equations' trees, shared or not. docs/benchmarks.md is made from the file.",
    )
    command.add_argument("--quick", action="store_true", help="fewer batches, and three cells unless others are named")
    command.add_argument("--cells", nargs="+", default=[], metavar="NAME", help="measure these cells only")
    command.add_argument("--json", action="store_true", help="print the measurements as JSON")
    command.add_argument(
        "--out",
        action=FileToWrite,
        metavar="FILE",
        help="write them as JSON to a file (default: results/benchmark.json of the sources, for a whole run)",
    )


def _run_benchmark(options: argparse.Namespace) -> int:
    import torch

    cells, epochs, completion = (_benchmarks(name) for name in ("cells", "epochs", "completion"))
    growth = _benchmarks("growth")
    try:
        cells.check_names(options.cells)
    except ValueError as error:
        raise CommandError(str(error)) from None
    whole = not (options.quick or options.cells)
    out = options.out
    if out is None and whole:
        out = FileToWrite.checked(str(DATASETS.parent / "results" / "benchmark.json"), "the file")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with warnings.catch_warnings(), torch.random.fork_rng([]):
            warnings.simplefilter("ignore")
            result = cells.benchmark(options.quick, options.cells)
            result["epochs"] = epochs.benchmark(options.quick, options.cells)
            if not options.cells or "tree-lstm" in options.cells:
                result["growth"] = growth.benchmark(options.quick)
            result["completion"] = completion.benchmark(options.quick, options.cells)
    finally:
        torch.set_num_threads(threads)
    parts = {"epochs": epochs, "growth": growth, "completion": completion}
    pages = [cells.page(result), *(module.page(result[name]) for name, module in parts.items() if name in result)]
    if out is not None:
        write_atomically(out, json.dumps(result, indent=1) + "\n")
    print(json.dumps(result) if options.json else "\n".join(pages))
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
