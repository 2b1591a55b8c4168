"""Reading: texts to equations, typed and in LaTeX, and the lines of a data folder to rows.

python benchmarks/reading.py [--repeats N] [--json] [--against CHECKOUT]

Times are of the processor. `--against` measures another checkout of the project too, in turn with this one, and prints
the ratios; both read the same texts.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial

from ratios import in_turn

from dgl_mathtree.data.collections import find_collection, read_collection
from dgl_mathtree.data.data_files import read_rows
from dgl_mathtree.language import ParseError, parse_equation
from dgl_mathtree.language.printers import latex

EVERY = 40
"""Of the equations of `paper` one of so many is parsed."""


def texts() -> dict[str, list[str]]:
    """What is parsed."""
    textbook = find_collection("textbook")
    assert textbook is not None
    typed = {
        "textbook": [entry.text for entry in read_collection(textbook) if entry.equation is not None],
        "paper": [row.equation for row in read_rows("paper")][::EVERY],
    }
    return typed | {f"{name}, LaTeX": [latex(parse_equation(text)) for text in some] for name, some in typed.items()}


def parse_all(some: list[str]) -> None:
    for text in some:
        try:
            parse_equation(text)
        except ParseError:
            continue  # another checkout may refuse what this one reads


def seconds(function: Callable[[], object], repeats: int) -> float:
    """The processor time of the fastest call."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def measure(repeats: int) -> dict[str, float]:
    """Microseconds for each text or row."""
    found = {name: seconds(partial(parse_all, some), repeats) / len(some) for name, some in texts().items()}
    rows = sum(1 for _ in read_rows("paper"))
    found["rows of paper"] = seconds(lambda: sum(1 for _ in read_rows("paper")), max(1, repeats // 4)) / rows
    return {name: 1e6 * each for name, each in found.items()}


def compare(options: argparse.Namespace) -> None:
    """Print how many times as fast this checkout is as another, each at its fastest."""
    given = ["--repeats", str(options.repeats)]
    rounds = [(before[0], after[0]) for before, after in in_turn(__file__, given, options.against, 3)]
    for name in rounds[0][1]:
        before, after = (min(some[k][name] for some in rounds) for k in (0, 1))
        print(f"{name:<18}{before:>8.1f} µs before{after:>8.1f} µs now{before / after:>8.2f} times as fast")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=8, metavar="N", help="the fastest of so many (default 8)")
    parser.add_argument("--against", metavar="CHECKOUT", help="the folder of another checkout to compare with")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.against is not None:
        compare(options)
        return
    found = measure(options.repeats)
    if options.json:
        print(json.dumps(found))
        return
    for name, each in found.items():
        print(f"{name:<18}{each:>8.1f} µs")


if __name__ == "__main__":
    main()
