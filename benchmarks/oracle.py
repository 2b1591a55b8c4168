"""The oracle on the equations of `paper`: each stage in equations a second, and against building the forests alone.

python benchmarks/oracle.py [--equations N] [--repeats N] [--data NAME] [--json] [--against CHECKOUT]

`--against` measures another checkout of the project too, in turn with this one, and prints the ratios.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import tempfile
import time
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

from ratios import in_turn

from dgl_mathtree.cli import main as mathtree
from dgl_mathtree.data.data_files import read_rows
from dgl_mathtree.language import Equation, Forest
from dgl_mathtree.language.variable_indices import place
from dgl_mathtree.oracle import Oracle
from dgl_mathtree.oracle.decide import Stages
from dgl_mathtree.oracle.oracle import chunks
from dgl_mathtree.oracle.points import Points

FIXED: dict[str, Any] = {"thorough": False} if "thorough" in signature(Oracle).parameters else {}
"""Judge at fixed points alone, in checkouts that can do more."""


def seconds(function: Callable[[], object], repeats: int) -> float:
    """The processor time of the fastest call: what other programs do at the time is left out, as far as it can be."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def first_stage(equations: list[Equation]) -> None:
    for some in chunks(equations):
        Stages(place(some), Points(0), certify=False).first_stage()


def on_a_file(equations: list[Equation]) -> None:
    """`mathtree oracle --file`: parsing, judging with the complex verdict, simple witnesses and printing."""
    quick = ["--quick"] if FIXED else []
    with tempfile.TemporaryDirectory() as folder, Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        file = Path(folder) / "equations.txt"
        file.write_text("\n".join(map(str, equations)) + "\n", encoding="utf-8")
        with contextlib.redirect_stdout(nowhere):
            mathtree(["oracle", "--json", *quick, "--file", str(file)])


def measure(equations: list[Equation], repeats: int) -> dict[str, dict[str, float]]:
    """Equations a second of each way to judge them, and how many times the building of forests each takes."""
    forest = Forest.of(equations)
    ways: dict[str, Callable[[], Any]] = {
        "forests alone": lambda: [Forest.of(some) for some in chunks(equations)],
        "first stage": lambda: first_stage(equations),
        "both stages": lambda: Oracle(complex_plane=False).judge(equations),
        "both stages, of a forest": lambda: Oracle(complex_plane=False).judge_forest(forest),
        "certify": lambda: Oracle(complex_plane=False, certify=True).judge(equations),
        "complex verdict too": lambda: Oracle(**FIXED).judge(equations),
        "mathtree oracle --file": lambda: on_a_file(equations),
    }
    rows: dict[str, dict[str, float]] = {}
    for name, way in ways.items():
        taken = seconds(way, repeats)
        rows[name] = {"equations_per_second": round(len(equations) / taken), "seconds": taken}
    for row in rows.values():
        row["times_forests"] = round(row["seconds"] / rows["forests alone"]["seconds"], 1)
    return rows


def compare(options: argparse.Namespace) -> None:
    """Print how many times as fast this checkout is as another, each at its fastest."""
    given = ["--equations", str(options.equations), "--repeats", "1", "--data", options.data]
    rounds = [(before[0], after[0]) for before, after in in_turn(__file__, given, options.against, options.repeats)]
    for name in rounds[0][1]:
        before, after = (min(some[k][name]["seconds"] for some in rounds) for k in (0, 1))
        print(f"{name:<26}{options.equations / after:>9,.0f} a second{before / after:>8.2f} times as fast")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--equations", type=int, default=41_894, metavar="N", help="how many (default all)")
    parser.add_argument("--repeats", type=int, default=2, metavar="N", help="take the fastest of N runs (default 2)")
    parser.add_argument("--data", default="paper", metavar="NAME", help="whose equations (default paper)")
    parser.add_argument("--against", metavar="CHECKOUT", help="the folder of another checkout to compare with")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.against is not None:
        compare(options)
        return
    equations = [row.parsed() for _, row in zip(range(options.equations), read_rows(options.data), strict=False)]
    rows = measure(equations, options.repeats)
    if options.json:
        print(json.dumps(rows))
        return
    for name, row in rows.items():
        print(f"{name:<26}{row['equations_per_second']:>9,.0f} a second{row['times_forests']:>8.1f} times the forests")


if __name__ == "__main__":
    main()
