"""Seconds for a batch of training as a whole: making the batch, forward, loss, backward, clipping and the optimizer.

They are those of this process on the processor. Every driver has a network of its own and is given every batch once, in
turn with the others.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.nn import EquationVerifier, make_cell, make_verifier
from dgl_mathtree.nn.drivers import DRIVERS
from dgl_mathtree.training.config import Config
from dgl_mathtree.training.optim import clip, make_optimizer

NAMES = ("tree-lstm", "m-tree-lstm+stack", "second-order-tree-rnn")


def benchmark(quick: bool = False, names: Sequence[str] = ()) -> dict[str, dict[str, float]]:
    """For each model the median seconds a batch with each driver that runs here, and ratios to `dgl`."""
    cell, batches = make_cell("tree-lstm", 4), 10 if quick else 40
    drivers = [
        name for name in ("dgl", "levels", "native")
        if DRIVERS[name].obstacle(cell, torch.float32, torch.device("cpu")) is None
    ]  # fmt: skip
    equations = EquationDataset("paper", "train")
    rng = np.random.default_rng(0)
    chosen = [rng.choice(len(equations), 50, replace=False) for _ in range(batches + 1)]
    result: dict[str, dict[str, float]] = {}
    for name in dict.fromkeys(names or NAMES):
        runs = {driver: _Run(name, driver, equations) for driver in drivers}
        seconds: dict[str, list[float]] = {driver: [] for driver in drivers}
        for number, some in enumerate(chosen):
            for driver, run in runs.items():
                start = time.process_time()
                run.step(some)
                if number:  # the first warms up
                    seconds[driver].append(time.process_time() - start)
        medians = {driver: statistics.median(values) for driver, values in seconds.items()}
        ratios = {f"{driver}_ratio": medians["dgl"] / value for driver, value in medians.items() if driver != "dgl"}
        result[name] = {key: round(value, 6) for key, value in (medians | ratios).items()}
    return result


def page(result: dict[str, dict[str, float]]) -> str:
    """The measurements as text."""
    lines = ["a batch of training with everything, milliseconds (ratio to dgl):"]
    for name, row in result.items():
        parts = [
            f"{driver} {1000 * seconds:.2f}" + (f" ({row[f'{driver}_ratio']:.2f})" if f"{driver}_ratio" in row else "")
            for driver, seconds in row.items() if not driver.endswith("_ratio")
        ]  # fmt: skip
        lines.append(f"  {name}: " + ", ".join(parts))
    return "\n".join(lines)


class _Run:
    def __init__(self, name: str, driver: str, data: EquationDataset) -> None:
        torch.manual_seed(0)
        self.config = Config(data="paper", model=name, driver=driver, dropout=0.0)
        self.data = data
        self.network: EquationVerifier = make_verifier(name, self.config.hidden, data.vocabulary, **self.config.options)
        self.network.driver = driver
        self.optimizer = make_optimizer(self.network, self.config)

    def step(self, equations: Any) -> None:
        batch = self.network.batch(self.data.forest, equations)
        logits = self.network(batch)
        loss = binary_cross_entropy_with_logits(logits, self.data.label[equations].float())
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        clip(self.optimizer, self.config.clip)
        self.optimizer.step()
