"""Time and memory of inference as a batch grows: they follow the number of distinct subexpressions.

The network is a `tree-lstm` of size 50, the best driver there is runs it, on one thread.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator

import numpy as np
import torch

from dgl_mathtree.data.data_files import read_card, read_rows
from dgl_mathtree.graphs import EquationBatch, batch_graph
from dgl_mathtree.language import Equation, Forest
from dgl_mathtree.nn import EquationVerifier, TreeEncoder, make_verifier

SIZE = 50
COUNTS = (50, 500, 5000, 40_000, 300_000)
SYMBOLS = read_card("paper")["symbols"]


def distinct_equations(count: int) -> list[Equation]:
    """So many different equations: those of `paper`, then the same with their leaves exchanged for others."""
    found: dict[Equation, None] = {}
    originals: list[Equation] = []
    for row in read_rows("paper"):
        if len(found) == count:
            return list(found)
        originals.append(row.parsed())
        found[originals[-1]] = None
    for exchanged in _exchanges():
        for equation in originals:
            if len(found) == count:
                return list(found)
            found[Equation.from_words(exchanged.get(word, word) for word in equation.words)] = None
    raise AssertionError("there are always more exchanges")


def _exchanges() -> Iterator[dict[str, str]]:
    rng = np.random.default_rng(0)
    while True:
        yield dict(zip(SYMBOLS, rng.permutation(SYMBOLS).tolist(), strict=True))


def _seconds(verifier: EquationVerifier, batch: EquationBatch) -> float:
    start = time.process_time()
    with torch.no_grad():
        verifier(batch)
    return time.process_time() - start


def benchmark(quick: bool = False) -> list[dict[str, float]]:
    """A row for each number of equations."""
    counts = [count for count in COUNTS if count <= 5000 or not quick]
    equations = distinct_equations(counts[-1])
    forest = Forest.of(equations)
    verifier = make_verifier("tree-lstm", SIZE, SYMBOLS)
    encoder = verifier.encoder
    assert isinstance(encoder, TreeEncoder)
    rows: list[dict[str, float]] = []
    for count in counts:
        batch = batch_graph(forest, np.arange(count), True)
        rows.append(
            {
                "equations": count,
                "tree_nodes": sum(len(equation) - 1 for equation in equations[:count]),
                "distinct_nodes": batch.num_nodes(),
                "milliseconds": round(1000 * min(_seconds(verifier, batch) for _ in range(3)), 2),
                "state_mib": round((batch.num_nodes() + 1) * encoder.cell.state_size * 4 / 2**20, 2),
                "peak_process_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
            }
        )
    return rows


def page(rows: list[dict[str, float]]) -> str:
    """The measurements as text."""
    lines = ["tree-lstm, inference, as the batch grows:"]
    lines += ["  " + ", ".join(f"{key.replace('_', ' ')} {value:,}" for key, value in row.items()) for row in rows]
    return "\n".join(lines)
