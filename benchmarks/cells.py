"""Speed of the cells, side by side in one process: `mathtree benchmark [--quick] [--cells NAME ...] [--json]`.

For each cell: our drivers `native` and `levels` on graphs with shared subtrees and `levels` on separate trees, our
`dgl` driver on separate trees (the reference), and a recursion over nodes in Python with the same step. Batches of 50
equations of `paper`, hidden size 50, one thread, medians of interleaved runs in seconds of the processor; then batches
of 500, and hidden size 100. Batches are fresh: every driver sees each of them once, so that nothing it keeps of a batch
can help it. A training step is forward, loss and backward; building the batch is measured apart. Nodes are those of the
equations' trees, shared or not.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

import dgl_mathtree  # noqa: F401  # before DGL: it makes DGL 2 importable with current torch

# isort: split
import dgl
import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.utils.flop_counter import FlopCounterMode

from dgl_mathtree.data.data_files import read_card, read_rows
from dgl_mathtree.graphs import EquationBatch, batch_graph, to_graph
from dgl_mathtree.graphs.plan import Segment, Segments
from dgl_mathtree.language import Forest
from dgl_mathtree.nn import MODELS, EquationVerifier, TreeEncoder, TreeLSTM, make_cell, make_verifier
from dgl_mathtree.nn.drivers import DRIVERS

SIZE, BATCH, BATCHES = 50, 50, 12
LARGER = {"batches of 500": (50, 500), "hidden size 100": (100, 50)}
"""Hidden sizes and batch sizes that are measured besides, for the cells of `QUICK` or those that were asked for."""
QUICK = ("tree-lstm", "m-tree-lstm+stack", "second-order-tree-rnn")
PEERS = {"pytorch-tree-lstm": "child-sum, one node type", "plain recursion": "tree-lstm written out by hand"}
TASKS = {"train": "train", "inference": "test"}
SYMBOLS = read_card("paper")["symbols"]

Step = Callable[[], Any]


class Sample:
    """Equations of one part of `paper`, and random batches of them."""

    def __init__(self, part: str, count: int, batches: int, size: int = BATCH) -> None:
        self.equations = [row.parsed() for row in islice(read_rows("paper", part), count)]
        self.forest = Forest.of(self.equations)
        rng = np.random.default_rng(0)
        self.chosen = [rng.choice(len(self.equations), size, replace=False) for _ in range(batches)]

    def batch(self, chosen: Any, share: bool) -> EquationBatch:
        return batch_graph(self.forest, chosen, share)

    def tree_nodes(self, chosen: Any) -> int:
        return sum(len(self.equations[k]) - 1 for k in chosen)


def step_of(verifier: EquationVerifier, logits: Callable[[], torch.Tensor], train: bool) -> Step:
    def train_step() -> None:
        values = logits()
        loss = binary_cross_entropy_with_logits(values, torch.ones_like(values))
        loss.backward()  # type: ignore[no-untyped-call]
        verifier.zero_grad(set_to_none=True)  # at the end: every driver frees the gradients that it made

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
            verifier.driver = driver
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
    """Seconds of this process on the processor, which other programs disturb less than those of a clock."""
    start = time.process_time()
    step()
    return time.process_time() - start


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


def measure_larger(names: Sequence[str], quick: bool) -> dict[str, dict[str, Any]]:
    """How many times as fast as `dgl` the native driver (else `levels`) is in larger batches and with larger states."""
    result: dict[str, dict[str, Any]] = {}
    for kind, (size, batch) in LARGER.items():
        samples = {task: Sample(part, 3000, 3 if quick else 9, batch) for task, part in TASKS.items()}
        for name in names:
            torch.manual_seed(0)
            verifier = make_verifier(name, size, SYMBOLS)
            row: dict[str, Any] = {}
            for task, sample in samples.items():
                seconds: dict[str, list[float]] = {}
                for chosen in sample.chosen:
                    every = steps(verifier, sample, chosen, task == "train")
                    ours = "native+share" if "native+share" in every else "levels+share"
                    row["driver"] = ours.removesuffix("+share")
                    for driver in (ours, "dgl"):
                        seconds.setdefault(driver, []).append(timed(every[driver]))
                ratios = [b / a for a, b in list(zip(*seconds.values(), strict=True))[1:]]  # the first batch warms up
                row[f"{task}_ratio"] = round(statistics.median(ratios), 3)
            result.setdefault(kind, {})[name] = row
    return result


def measure_limit(samples: dict[str, Sample], cells: dict[str, Any]) -> dict[str, Any]:
    """Matrix products: the nodes a second at the rate of one typical product, and the shares of it that are reached."""
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
            shares = {
                kind.removesuffix("+share"): round(row[task] / allowed, 3)
                for kind, row in rows.items() if kind.endswith("+share")
            }  # fmt: skip
            limits.setdefault(name, {})[task] = {"allowed": round(allowed), "matrix_share": shares}
    return limits


def check_names(names: Sequence[str]) -> None:
    """A ValueError for a name that is not that of a cell."""
    known = [name for name, model in MODELS.items() if model.is_cell]
    if wrong := [name for name in names if name not in known]:
        raise ValueError(f"unknown cell {wrong[0]!r}; expected one of {', '.join(known)}")


def benchmark(quick: bool = False, names: Sequence[str] = ()) -> dict[str, Any]:
    """All measurements, or those of some cells; they are meant for one torch thread."""
    check_names(names)
    batches = BATCHES if quick else 3 * BATCHES
    samples = {task: Sample(part, 3000, batches) for task, part in TASKS.items()}
    names = list(dict.fromkeys(names))
    every = QUICK if quick else [name for name, model in MODELS.items() if model.is_cell]
    cells = {name: measure_cell(name, samples) for name in names or every}
    result: dict[str, Any] = {"cells": cells, "larger": measure_larger(names or QUICK, quick)}
    if "tree-lstm" in cells:
        reference = cells["tree-lstm"]["dgl"]
        result["peers"] = {
            "pytorch-tree-lstm": measure_peer(samples, reference),
            "plain recursion": measure_plain_recursion(samples, reference),
        }
    settings = {"hidden": SIZE, "batch": BATCH, "fresh_batches": True, "threads": 1}
    return result | {
        "building_ms": measure_building(samples["train"]),
        "limit": measure_limit(samples, cells),
        "settings": settings | {"torch": torch.__version__, "dgl": dgl.__version__},
    }


def page(result: dict[str, Any]) -> str:
    """The measurements as text."""
    lines = [
        f"fresh batches of {BATCH}, hidden size {SIZE}: every driver sees a batch once",
        f"{'nodes a second (ratio to dgl)':<36}{'training step':>22}{'inference':>22}",
    ]
    for name, rows in result["cells"].items():
        lines.append(name)
        lines += [_line(kind, row) for kind, row in rows.items()]
    for name, row in result.get("peers", {}).items():
        lines.append(f"{name}: {row['missing']}" if "missing" in row else f"{name}\n{_line(PEERS[name], row)}")
    for kind, found in result["larger"].items():
        lines.append(f"{kind}, ratio to dgl in training / inference:")
        lines += [
            f"  {name} ({row['driver']}): {row['train_ratio']:.1f} / {row['inference_ratio']:.1f}"
            for name, row in found.items()
        ]
    lines.append(
        "building a batch of 50, milliseconds: " + ", ".join(f"{k} {v}" for k, v in result["building_ms"].items())
    )
    limit = result["limit"]
    lines.append(f"matrix products alone ({limit['shape']}): {limit['gflops']} GFLOP/s on one thread")
    for name in result["cells"]:
        for task, row in limit[name].items():
            shares = ", ".join(f"{driver} runs at {100 * share:.0f}%" for driver, share in row["matrix_share"].items())
            lines.append(f"  {name}, {task}: they would allow {row['allowed']:,} nodes a second; of that {shares}")
    return "\n".join(lines)


def _line(kind: str, row: dict[str, float]) -> str:
    cells = (f"{row[task]:>13,.0f} ({row[f'{task}_ratio']:5.2f})" for task in TASKS)
    return f"  {kind:<34}" + " ".join(f"{cell:>22}" for cell in cells)
