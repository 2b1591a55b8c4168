"""Speed of completion, end to end: 1,470 candidates for a blank; and what `complete` spends its time on.

python benchmarks/completion.py [--blanks N] [--json]

The reference fills the blank with every candidate, makes a DGLGraph of each equation, batches them and runs the `dgl`
driver. Ours carries all candidates up the path from the blank to the root. Both run in one process on one thread, in
turn, on blanks in test equations of `paper`.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Sequence
from typing import Any

import dgl_mathtree  # noqa: F401  # before DGL: it makes DGL 2 importable with current torch

# isort: split
import dgl
import numpy as np
import torch

from dgl_mathtree import load
from dgl_mathtree.data.collections import find_collection, read_collection
from dgl_mathtree.graphs import SYMBOLS, to_graph
from dgl_mathtree.inference.answer_blank import FEW
from dgl_mathtree.inference.blanks import make_blanks
from dgl_mathtree.inference.candidates import candidates_for, enumerate_expressions
from dgl_mathtree.inference.complete import Completer
from dgl_mathtree.inference.filling_order import best_fillings, tiers
from dgl_mathtree.inference.subexpression_candidates import fillings
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import Equation, Expr
from dgl_mathtree.language.renaming import renamed_alike
from dgl_mathtree.language.vocabulary import BLANK, OPERATOR_NAMES, is_leaf, is_variable
from dgl_mathtree.nn import EquationVerifier, TreeEncoder, make_verifier
from dgl_mathtree.oracle import Oracle

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
    before, encoder.cell.driver = encoder.cell.driver, "dgl"
    try:
        with torch.no_grad():
            return verifier.of_graph(dgl.batch(graphs))
    finally:
        encoder.cell.driver = before


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


def textbook_blanks(count: int) -> list[Equation]:
    """True equations of the textbook with a blank in a place drawn at random."""
    file = find_collection("textbook")
    assert file is not None
    true = [entry.equation for entry in read_collection(file) if entry.equation is not None and entry.label == 1]
    rng = random.Random(1)
    chosen = rng.sample(true, count)
    return [each.replace(rng.randrange(1, len(each)), Expr._trusted((BLANK,))) for each in chosen]


def parts(trained: TrainedVerifier, blanks: Sequence[Equation]) -> dict[str, float]:
    """Milliseconds of the processor for a blank: `complete` as a whole, and its parts by themselves."""
    network, clock, oracle = trained.network, time.process_time, Oracle(complex_plane=False)
    operators = network.operators or OPERATOR_NAMES
    numbers = [word for word in network.vocabulary if is_leaf(word) and not is_variable(word)]
    taken = dict.fromkeys(("complete", "expressions", "candidates", "oracle", "network", "choice"), 0.0)
    for blank in blanks:
        times = [clock()]
        trained.complete(blank)
        times.append(clock())
        fillings(blank, operators, numbers, lambda _: True, FEW)
        times.append(clock())
        candidates = candidates_for(blank, network.vocabulary, operators, lambda _: True, None, FEW)
        times.append(clock())
        tier = tiers(blank, candidates.expressions, oracle)
        times.append(clock())
        names = trained.renaming_for(blank)
        completer = Completer(network, renamed_alike(candidates.expressions, names))
        (logits,) = completer.scores([blank.rename(names)])
        times.append(clock())
        best_fillings(blank, candidates, logits, 5, tier)
        times.append(clock())
        for name, start, end in zip(taken, times, times[1:], strict=False):
            taken[name] += end - start
    return {name: round(1000 * seconds / len(blanks), 1) for name, seconds in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blanks", type=int, default=100, metavar="N", help="how many (default 100)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    torch.set_num_threads(1)
    found = parts(load(), textbook_blanks(options.blanks))
    if options.json:
        print(json.dumps(found))
        return
    print(f"complete: {found['complete']} ms a blank, of which")
    print(f"  candidates {found['candidates']} (expressions alone {found['expressions']})")
    print(f"  network {found['network']}, choice of the best {found['choice']}; the rest is the oracle's")


if __name__ == "__main__":
    main()
