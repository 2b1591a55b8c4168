"""Speed of completion, end to end: 1,470 candidates for a blank.

The reference fills the blank with every candidate, makes a DGLGraph of each equation, batches them and runs the `dgl`
driver. Ours carries all candidates up the path from the blank to the root. Both run in one process on one thread, in
turn, on blanks in test equations of `paper`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import Any

import dgl
import numpy as np
import torch

from dgl_mathtree.expressions import Equation, Expr
from dgl_mathtree.expressions.vocabulary import BLANK
from dgl_mathtree.graphs import SYMBOLS, to_graph
from dgl_mathtree.nn import EquationVerifier, TreeEncoder, make_verifier
from dgl_mathtree.tasks.blanks import make_blanks
from dgl_mathtree.tasks.candidates import enumerate_expressions
from dgl_mathtree.tasks.completion import Completer

SIZE = 50
LEAVES = (*SYMBOLS, "5", "6", "7", "10")
OPERATORS = ("sin", "cos", "tan", "csc", "sec", "cot", "Add", "Mul", "Pow")
MODELS = ("tree-lstm", "m-tree-lstm+stack")


def by_graphs(verifier: EquationVerifier, blank: Equation, candidates: list[Expr]) -> torch.Tensor:
    """The reference: every filled equation as a graph of its own."""
    encoder = verifier.encoder
    assert isinstance(encoder, TreeEncoder)
    place = blank.words.index(BLANK)
    graphs = [to_graph(blank.replace(place, candidate), LEAVES) for candidate in candidates]
    before, encoder.cell.propagate = encoder.cell.propagate, "dgl"
    try:
        with torch.no_grad():
            return verifier.of_graph(dgl.batch(graphs))
    finally:
        encoder.cell.propagate = before


def measure(name: str, references: int, blanks: int) -> dict[str, float]:
    """Seconds a blank of both, and their ratio, checked to give the same scores."""
    torch.manual_seed(0)
    verifier = make_verifier(name, SIZE, LEAVES, OPERATORS).eval()
    candidates = enumerate_expressions(LEAVES, OPERATORS, 1)
    equations = [blank.equation for blank in make_blanks("paper")]
    rng = np.random.default_rng(0)
    chosen = [equations[k] for k in rng.choice(len(equations), blanks, replace=False)]
    slow: list[float] = []
    fast: list[float] = []
    for some in np.array_split(np.arange(blanks), references):
        start = time.process_time()
        expected = by_graphs(verifier, chosen[some[0]], candidates)
        slow.append(time.process_time() - start)
        start = time.process_time()
        scores = list(Completer(verifier, candidates).scores(chosen[k] for k in some))
        fast.append((time.process_time() - start) / len(some))
        np.testing.assert_allclose(scores[0], expected.numpy(), atol=1e-4)
    graphs, path = statistics.median(slow), statistics.median(fast)
    return {
        "candidates": len(candidates),
        "graphs_ms": round(1000 * graphs, 2),
        "path_ms": round(1000 * path, 2),
        "ratio": round(graphs / path, 1),
    }


def benchmark(quick: bool = False, names: Sequence[str] = ()) -> dict[str, Any]:
    """All measurements, or those of the models that are asked for."""
    references, blanks = (2, 20) if quick else (6, 300)
    return {name: measure(name, references, blanks) for name in names or (MODELS[:1] if quick else MODELS)}


def page(result: dict[str, Any]) -> str:
    """The measurements as text."""
    lines = ["completion, milliseconds a blank:"]
    for name, row in result.items():
        graphs = f"{row['candidates']} graphs with dgl {row['graphs_ms']:,}"
        lines.append(f"  {name}: {graphs}, up the path {row['path_ms']} ({row['ratio']} times as fast)")
    return "\n".join(lines)
