"""Speed of the sequence models in C and in torch, side by side: `python benchmarks/sequences.py [--json]`.

Batches of 100 equations of `paper`, hidden size 50, one thread; every batch is given to both in turn. A training step
is forward, loss and backward, with and without dropout; inference is without. Both have the same weights, and that they
give the same logits is checked on the way. Seconds are those of this process on the processor, so that other programs
disturb them less.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from dgl_mathtree.data.data_files import read_card, read_rows
from dgl_mathtree.graphs import EquationBatch, batch_graph
from dgl_mathtree.language import Equation, Forest
from dgl_mathtree.nn import EquationVerifier, SequenceEncoder, make_verifier

NAMES = ("rnn", "lstm", "stack-rnn")
SIZE, BATCH = 50, 100
TASKS = {"training": 0.0, "training, dropout 0.1": 0.1, "inference": 0.0}


class TorchEncoder(SequenceEncoder):
    encode = SequenceEncoder.encode_in_torch


def pair(name: str, symbols: list[str], dropout: float) -> dict[str, EquationVerifier]:
    """The same model twice, in torch and in C."""
    torch.manual_seed(0)
    ours = make_verifier(name, SIZE, symbols, dropout=dropout)
    theirs = make_verifier(name, SIZE, symbols, dropout=dropout)
    theirs.load_state_dict(ours.state_dict())
    theirs.encoder.__class__ = TorchEncoder
    return {"torch": theirs, "native": ours}


def step(verifier: EquationVerifier, batch: EquationBatch, train: bool) -> tuple[float, torch.Tensor]:
    """The seconds of a step, and the logits."""
    verifier.train(train).zero_grad(set_to_none=True)
    torch.manual_seed(1)
    start = time.process_time()
    with torch.set_grad_enabled(train):
        logits: torch.Tensor = verifier(batch)
        if train:
            loss = binary_cross_entropy_with_logits(logits, torch.ones_like(logits))
            loss.backward()  # type: ignore[no-untyped-call]
    return time.process_time() - start, logits.detach()


def measure(equations: list[Equation], symbols: list[str], batches: int) -> dict[str, dict[str, Any]]:
    """For each model and task the median milliseconds of both, and how many times as fast the C code is."""
    forest, rng = Forest.of(equations), np.random.default_rng(0)
    count = min(BATCH, len(equations))
    made = [batch_graph(forest, rng.choice(len(equations), count, replace=False)) for _ in range(batches + 1)]
    result: dict[str, dict[str, Any]] = {}
    for name in NAMES:
        for task, dropout in TASKS.items():
            seconds: dict[str, list[float]] = {"torch": [], "native": []}
            verifiers = pair(name, symbols, dropout)
            for batch in made:
                steps = {kind: step(each, batch, task != "inference") for kind, each in verifiers.items()}
                torch.testing.assert_close(steps["native"][1], steps["torch"][1], rtol=0, atol=1e-4)
                for kind, (passed, _) in steps.items():
                    seconds[kind].append(passed)
            row = {kind: round(1000 * statistics.median(each[1:]), 2) for kind, each in seconds.items()}  # 1 warms up
            ratios = [a / b for a, b in zip(*(each[1:] for each in seconds.values()), strict=True)]
            result.setdefault(name, {})[task] = {**row, "ratio": round(statistics.median(ratios), 1)}
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    as_json = parser.parse_args().json
    torch.set_num_threads(1)
    equations = [row.parsed() for row in islice(read_rows("paper", "train"), 6000)]
    result = measure(equations, read_card("paper")["symbols"], batches=30)
    if as_json:
        print(json.dumps(result, indent=1))
        return
    for name, tasks in result.items():
        for task, row in tasks.items():
            print(
                f"{name:<10} {task:<22} torch {row['torch']:7.2f} ms, C {row['native']:6.2f} ms: {row['ratio']} times"
            )


if __name__ == "__main__":
    main()
