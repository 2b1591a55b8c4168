"""Speed of the cells, side by side in one process: `mathtree benchmark [--quick] [--json]`.

For each cell: our drivers `native` and `levels` on graphs with shared subtrees and `levels` on separate trees, our
`dgl` driver on separate trees (the reference), and a recursion over nodes in Python with the same step. Batches of 50
equations of `paper`, hidden size 50, one thread, medians of interleaved runs. A training step is forward, loss and
backward; building the batch is measured apart. Nodes are those of the equations' trees, shared or not.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import dgl
import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.utils.flop_counter import FlopCounterMode

from dgl_mathtree.corpus.files import read_card, read_rows
from dgl_mathtree.expressions import Forest
from dgl_mathtree.graphs import EquationBatch, batch_graph, to_graph
from dgl_mathtree.graphs.plan import Segment, Segments
from dgl_mathtree.nn import MODELS, EquationVerifier, TreeEncoder, TreeLSTM, make_cell, make_verifier
from dgl_mathtree.nn.drivers import DRIVERS

SIZE, BATCH, BATCHES = 50, 50, 12
QUICK = ("tree-lstm", "m-tree-lstm+stack", "second-order-tree-rnn")
PEERS = {"pytorch-tree-lstm": "child-sum, one node type", "plain recursion": "tree-lstm written out by hand"}
TASKS = {"train": "train", "inference": "test"}
SYMBOLS = read_card("paper")["symbols"]

Step = Callable[[], Any]


class Sample:
    """Equations of one part of `paper`, and random batches of them."""

    def __init__(self, part: str, count: int, batches: int) -> None:
        self.equations = [row.parsed() for row in islice(read_rows("paper", part), count)]
        self.forest = Forest.of(self.equations)
        rng = np.random.default_rng(0)
        self.chosen = [rng.choice(len(self.equations), BATCH, replace=False) for _ in range(batches)]

    def batch(self, chosen: Any, share: bool) -> EquationBatch:
        return batch_graph(self.forest, chosen, share)

    def tree_nodes(self, chosen: Any) -> int:
        return sum(len(self.equations[k]) - 1 for k in chosen)


def step_of(verifier: EquationVerifier, logits: Callable[[], torch.Tensor], train: bool) -> Step:
    def train_step() -> None:
        verifier.zero_grad(set_to_none=True)
        values = logits()
        loss = binary_cross_entropy_with_logits(values, torch.ones_like(values))
        loss.backward()  # type: ignore[no-untyped-call]

    def inference_step() -> None:
        with torch.no_grad():
            logits()

    return train_step if train else inference_step


def recursion_logits(verifier: EquationVerifier, batch: EquationBatch) -> torch.Tensor:
    """The logits, one node at a time."""
    encoder = verifier.encoder
    assert isinstance(encoder, TreeEncoder)
    cell, plan = encoder.cell, batch.plan
    weights = cell.unpack(plan.needed)
    states: dict[int, torch.Tensor] = {}
    for node in plan.node.tolist():
        below = [states[child] for child in batch.children[node].tolist() if child >= 0]
        if below:
            children = torch.stack(below, dim=1)
            node_type = int(batch.node_types[node])
            segments = Segments((Segment(node_type, len(below), 1),), torch.tensor([node_type]))
            states[node] = cell.step(weights, segments, children)
        else:
            vector = encoder.embedding.vectors(batch.words, torch.tensor([batch.word[node]]))
            states[node] = cell.leaf_states(vector)
    rows = [torch.cat([states[node] for node in side])[:, : cell.size] for side in batch.sides.T.tolist()]
    return verifier.compare(rows[0], rows[1])


def steps(verifier: EquationVerifier, sample: Sample, chosen: Any, train: bool) -> dict[str, Step]:
    """A step of each kind on one batch, which each has for itself."""
    encoder = verifier.encoder
    assert isinstance(encoder, TreeEncoder)
    trees = sample.batch(chosen, False)
    _ = trees.plan.graph

    def driven(batch: EquationBatch, driver: str) -> Callable[[], torch.Tensor]:
        def logits() -> torch.Tensor:
            verifier.propagate = driver
            return verifier(batch)  # type: ignore[no-any-return]

        return logits

    native = ("native",) if DRIVERS["native"].obstacle(encoder.cell, torch.float32, torch.device("cpu")) is None else ()
    shared = {
        f"{driver}+share": step_of(verifier, driven(sample.batch(chosen, True), driver), train)
        for driver in (*native, "levels")
    }
    return {
        **shared,
        "levels": step_of(verifier, driven(sample.batch(chosen, False), "levels"), train),
        "dgl": step_of(verifier, driven(trees, "dgl"), train),
        "recursion": step_of(verifier, lambda: recursion_logits(verifier, trees), train),
    }


def timed(step: Step) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def measure_cell(name: str, samples: dict[str, Sample]) -> dict[str, dict[str, float]]:
    """Nodes a second of each kind of step and their ratios to the `dgl` driver."""
    torch.manual_seed(0)
    verifier = make_verifier(name, SIZE, SYMBOLS)
    rows: dict[str, dict[str, float]] = {}
    for task, sample in samples.items():
        rates: dict[str, list[float]] = {}
        for number, chosen in enumerate(sample.chosen):
            nodes = sample.tree_nodes(chosen)
            for kind, step in steps(verifier, sample, chosen, task == "train").items():
                if kind == "recursion" and number % 4:
                    continue  # slow, and it does not vary
                seconds = timed(step)
                if number or kind == "recursion":  # the first batch warms up
                    rates.setdefault(kind, []).append(nodes / seconds)
        for kind, values in rates.items():
            rows.setdefault(kind, {})[task] = round(statistics.median(values))
    for row in rows.values():
        for task in samples:
            row[f"{task}_ratio"] = round(row[task] / rows["dgl"][task], 3)
    return rows


def plain_recursion(cell: TreeLSTM, feat: torch.Tensor, batch: EquationBatch) -> torch.Tensor:
    """(sides, n): a Tree-LSTM written out node by node with nothing but torch's own operations."""
    n = cell.size
    assert cell.gate.bias is not None
    weights, biases = cell.gate.weight.unbind(0), cell.gate.bias.unbind(0)
    states: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
    zero = feat.new_zeros(n)
    for node in batch.plan.node.tolist():
        below = [states[child] for child in batch.children[node].tolist() if child >= 0]
        if not below:
            states[node] = feat[node], zero
            continue
        node_type = int(batch.node_types[node])
        x = torch.cat([h for h, _ in below])
        gates = x @ weights[node_type][: len(x)] + biases[node_type]
        sharp, u = torch.sigmoid(gates[: (2 + len(below)) * n]), torch.tanh(gates[-n:])
        i, o, *f = sharp.split(n)  # type: ignore[no-untyped-call]
        memory = i * u
        for gate, (_, c) in zip(f, below, strict=True):
            memory = memory + gate * c
        states[node] = o * torch.tanh(memory), memory
    return torch.stack([states[node][0] for node in batch.sides.reshape(-1).tolist()])


def measure_plain_recursion(samples: dict[str, Sample], reference: dict[str, float]) -> dict[str, Any]:
    cell = make_cell("tree-lstm", SIZE)
    assert isinstance(cell, TreeLSTM)
    row: dict[str, Any] = {}
    for task, sample in samples.items():
        rates = []
        for chosen in sample.chosen[:6]:
            batch = sample.batch(chosen, False)
            feat = torch.randn(batch.num_nodes(), SIZE)

            def step(batch: EquationBatch = batch, feat: torch.Tensor = feat, train: bool = task == "train") -> None:
                cell.zero_grad(set_to_none=True)
                with torch.set_grad_enabled(train):
                    value = plain_recursion(cell, feat, batch).sum()
                if train:
                    value.backward()  # type: ignore[no-untyped-call]

            rates.append(sample.tree_nodes(chosen) / timed(step))
        row[task] = round(statistics.median(rates[1:]))
        row[f"{task}_ratio"] = round(row[task] / reference[task], 3)
    return row


def measure_peer(samples: dict[str, Sample], reference: dict[str, float]) -> dict[str, Any]:
    """The child-sum Tree-LSTM of the package pytorch-tree-lstm: one set of weights, no order of children."""
    try:
        import treelstm
    except ImportError:
        return {"missing": "pip install pytorch-tree-lstm"}
    model = treelstm.TreeLSTM(SIZE, SIZE)
    row: dict[str, Any] = {}
    for task, sample in samples.items():
        rates = []
        for chosen in sample.chosen:
            inputs = _peer_input(treelstm, sample.batch(chosen, False))
            nodes = sample.tree_nodes(chosen)

            def train_step(inputs: Any = inputs) -> None:
                model.zero_grad(set_to_none=True)
                model(*inputs)[0].sum().backward()

            def inference_step(inputs: Any = inputs) -> None:
                with torch.no_grad():
                    model(*inputs)

            rates.append(nodes / timed(train_step if task == "train" else inference_step))
        row[task] = round(statistics.median(rates[1:]))
        row[f"{task}_ratio"] = round(row[task] / reference[task], 3)
    return row


def _peer_input(treelstm: Any, batch: EquationBatch) -> tuple[torch.Tensor, ...]:
    parents, places = np.nonzero(batch.children >= 0)
    adjacency = np.stack([parents, batch.children[parents, places]], axis=1)
    node_order, edge_order = treelstm.calculate_evaluation_orders(adjacency, batch.num_nodes())
    features = torch.randn(batch.num_nodes(), SIZE)
    return features, *(torch.from_numpy(np.asarray(a)) for a in (node_order, adjacency, edge_order))


def measure_building(sample: Sample) -> dict[str, float]:
    """Milliseconds to build a batch of 50: graph and plan from the forest, and beside it `dgl.batch` of ready ones."""
    graphs = [to_graph(equation, SYMBOLS) for equation in sample.equations[: BATCH * 4]]
    rng = np.random.default_rng(1)
    times: dict[str, list[float]] = {}
    for _ in range(60):
        chosen = rng.choice(len(graphs), BATCH, replace=False)
        ready = [graphs[k] for k in chosen]
        builders: dict[str, Callable[[], Any]] = {
            "plan+graph, shared": lambda chosen=chosen: sample.batch(chosen, True).graph,  # type: ignore[misc]
            "plan+graph, trees": lambda chosen=chosen: sample.batch(chosen, False).graph,  # type: ignore[misc]
            "plan, shared": lambda chosen=chosen: sample.batch(chosen, True),  # type: ignore[misc]
            "dgl.batch of ready graphs": lambda ready=ready: dgl.batch(ready),  # type: ignore[misc]
        }
        for kind, build in builders.items():
            times.setdefault(kind, []).append(timed(build))
    return {kind: round(1000 * statistics.median(values), 3) for kind, values in times.items()}


def measure_limit(samples: dict[str, Sample], cells: dict[str, Any]) -> dict[str, Any]:
    """Matrix products: the nodes a second at the rate of one typical product, and the share of it that is reached."""
    x, weight = torch.randn(BATCH, 2 * SIZE), torch.randn(2 * SIZE, 5 * SIZE)

    def products() -> None:
        for _ in range(200):
            x.mm(weight)

    seconds = statistics.median(timed(products) for _ in range(20)) / 200
    rate = 2 * x.numel() * weight.shape[1] / seconds
    limits: dict[str, Any] = {"gflops": round(rate / 1e9, 2), "shape": "50x100 @ 100x250"}
    for name, rows in cells.items():
        verifier = make_verifier(name, SIZE, SYMBOLS)
        for task, sample in samples.items():
            chosen = sample.chosen[0]
            with FlopCounterMode(display=False) as counter:
                steps(verifier, sample, chosen, task == "train")["levels+share"]()
            allowed = sample.tree_nodes(chosen) / (counter.get_total_flops() / rate)
            share = rows["levels+share"][task] / allowed
            limits.setdefault(name, {})[task] = {"allowed": round(allowed), "matrix_share": round(share, 3)}
    return limits


def measure_growth(quick: bool) -> list[dict[str, float]]:
    """Time and memory of inference as the batch grows: they follow the number of distinct subexpressions."""
    equations = [row.parsed() for row in islice(read_rows("paper"), 5000 if quick else None)]
    forest = Forest.of(equations)
    verifier = make_verifier("tree-lstm", SIZE, SYMBOLS)
    encoder = verifier.encoder
    assert isinstance(encoder, TreeEncoder)
    rows: list[dict[str, float]] = []
    for count in (50, 500, 5000) if quick else (50, 500, 5000, 40_000):
        batch = batch_graph(forest, np.arange(count), True)
        step = step_of(verifier, lambda batch=batch: verifier(batch), train=False)  # type: ignore[misc]
        seconds = min(timed(step) for _ in range(3))
        rows.append(
            {
                "equations": count,
                "tree_nodes": sum(len(equations[k]) - 1 for k in range(count)),
                "distinct_nodes": batch.num_nodes(),
                "milliseconds": round(1000 * seconds, 2),
                "state_mib": round((batch.num_nodes() + 1) * encoder.cell.state_size * 4 / 2**20, 2),
                "peak_process_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
            }
        )
    return rows


def benchmark(quick: bool = False) -> dict[str, Any]:
    """All measurements; they are meant for one torch thread."""
    batches = BATCHES if quick else 3 * BATCHES
    samples = {task: Sample(part, 3000, batches) for task, part in TASKS.items()}
    names = QUICK if quick else [name for name, model in MODELS.items() if model.is_cell]
    cells = {name: measure_cell(name, samples) for name in names}
    return {
        "cells": cells,
        "peers": {
            "pytorch-tree-lstm": measure_peer(samples, cells["tree-lstm"]["dgl"]),
            "plain recursion": measure_plain_recursion(samples, cells["tree-lstm"]["dgl"]),
        },
        "building_ms": measure_building(samples["train"]),
        "limit": measure_limit(samples, cells),
        "growth": measure_growth(quick),
        "settings": {"hidden": SIZE, "batch": BATCH, "threads": 1, "torch": torch.__version__, "dgl": dgl.__version__},
    }


def page(result: dict[str, Any]) -> str:
    """The measurements as text."""
    lines = [f"{'nodes a second (ratio to dgl)':<36}{'training step':>22}{'inference':>22}"]
    for name, rows in result["cells"].items():
        lines.append(name)
        lines += [_line(kind, row) for kind, row in rows.items()]
    for name, row in result["peers"].items():
        lines.append(f"{name}: {row['missing']}" if "missing" in row else f"{name}\n{_line(PEERS[name], row)}")
    lines.append(
        "building a batch of 50, milliseconds: " + ", ".join(f"{k} {v}" for k, v in result["building_ms"].items())
    )
    limit = result["limit"]
    lines.append(f"matrix products alone ({limit['shape']}): {limit['gflops']} GFLOP/s on one thread")
    for name in result["cells"]:
        for task, row in limit[name].items():
            share = f"levels+share runs at {100 * row['matrix_share']:.0f}% of that"
            lines.append(f"  {name}, {task}: they would allow {row['allowed']:,} nodes a second; {share}")
    lines.append("tree-lstm, inference, as the batch grows:")
    for row in result["growth"]:
        lines.append("  " + ", ".join(f"{key.replace('_', ' ')} {value:,}" for key, value in row.items()))
    return "\n".join(lines)


def _line(kind: str, row: dict[str, float]) -> str:
    cells = (f"{row[task]:>13,.0f} ({row[f'{task}_ratio']:5.2f})" for task in TASKS)
    return f"  {kind:<34}" + " ".join(f"{cell:>22}" for cell in cells)
