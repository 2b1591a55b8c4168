"""A training step as a GPU would see it: how many kernels it launches, and that it never waits."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.language.vocabulary import OPERATOR_NAMES
from dgl_mathtree.nn import MODELS, make_verifier
from dgl_mathtree.nn.grouping import always_grouped
from dgl_mathtree.training.batches import Epoch, EquationItems
from dgl_mathtree.training.config import Config
from dgl_mathtree.training.distributed import Processes
from dgl_mathtree.training.epoch_record import EpochRecord
from dgl_mathtree.training.objectives import ObjectiveStep, find_objective
from dgl_mathtree.training.optim import clip, make_optimizer
from dgl_mathtree.training.trainer import train
from tests.nn.launches import Launches

CELLS = [name for name, model in MODELS.items() if model.is_cell]
MOST = {
    "tree-rnn": 90,
    "tree-lstm": 149,
    "tree-lstm+stack": 500,
    "tree-smu": 400,
    "tree-smu-no-op": 360,
    "tree-smu-no-op-normalize": 345,
    "second-order-tree-rnn": 175,
    "m-tree-lstm": 295,
    "mi-tree-lstm": 207,
    "m-tree-lstm+stack": 640,
    "mi-tree-lstm+stack": 555,
}
"""Launches forward and backward of a batch of 50 equations with dropout; see `Launches`. A cell that is not listed may
launch as many as the one with the most."""
MOST_OF_THE_REST = 16
"""Launches of clipping, Adam and what is recorded of a step."""


@pytest.fixture(scope="module")
def paper() -> EquationDataset:
    return EquationDataset("paper", "train")


class Step:
    """One training step of a model, as the trainer takes it."""

    def __init__(self, data: EquationDataset, model: str, **config: Any) -> None:
        self.config = Config(data="paper", model=model, driver="levels", **config)
        words = data.forest.words
        leaves = sorted(word for word in words if word not in OPERATOR_NAMES)
        operators = [word for word in OPERATOR_NAMES if word in words]
        torch.manual_seed(0)
        options = {**self.config.options, "dropout": self.config.dropout}
        self.network = make_verifier(model, 50, leaves, operators, leaves=self.config.leaves, **options)
        self.network.driver = "levels"
        self.network.to(self.config.device)
        self.network.train()
        self.objective = ObjectiveStep(self.network, find_objective(self.config.objective)(self.config, data))
        self.adam = make_optimizer(self.network, self.config)
        draw = partial(EquationItems, data, self.network, self.config.augment)
        epoch = Epoch(1, self.config, draw, self.network, Processes(device=self.config.device))
        equations = next(iter(epoch.batches()))
        self.share = epoch.share(0, equations)
        batch = self.share.batch
        _ = batch.plan.grouped, batch.leaf_words, batch.side_rows  # which `to` makes for a device
        self.record = EpochRecord(3, 3 * len(equations), self.config.device)

    def gradients(self) -> tuple[torch.Tensor, torch.Tensor]:
        share = self.share
        loss, logits = self.objective(share.batch, share.labels, share.weights, share.dropout_mask, share.generator)
        self.adam.zero_grad()
        loss.backward()
        return loss, logits

    def rest(self, loss: torch.Tensor, logits: torch.Tensor) -> None:
        norm = clip(self.adam, self.config.clip or math.inf)
        self.record.add(loss, norm, logits)
        self.adam.step()


@pytest.mark.parametrize("model", CELLS)
def test_launches_of_a_training_step(model: str, paper: EquationDataset) -> None:
    with always_grouped():
        step = Step(paper, model)
        step.rest(*step.gradients())  # Adam makes its moments, tables go to the device
        with Launches() as computed:
            result = step.gradients()
        with Launches() as rest:
            step.rest(*result)
    assert len(step.share.labels) == 50
    assert computed.count <= MOST.get(model, max(MOST.values())) and rest.count <= MOST_OF_THE_REST
    assert not computed.waits and not rest.waits


@pytest.mark.parametrize(
    "config",
    [
        {"objective": "semantic"},
        {"objective": "semantic", "objective_options": {"nodes": 20}},
        {"leaves": "open"},
        {"leaves": "open", "head": "cosine"},
    ],
)
def test_no_step_waits(config: dict[str, Any], paper: EquationDataset) -> None:
    with always_grouped():
        step = Step(paper, "tree-lstm", **config)
        with Launches() as seen:
            step.rest(*step.gradients())
    assert seen.count and not seen.waits


def test_the_counter_sees_waits() -> None:
    x = torch.tensor([1, 0, 2])
    with Launches() as seen:
        x.sum().item()
        bool(x[0] == 1)
        torch.bincount(x)
        torch.unique(x)
        x[x > 0]
        x.nonzero()
    assert seen.waits.total() >= 6 and {"bincount", "_local_scalar_dense", "nonzero"} <= set(seen.waits)


def test_a_larger_batch_launches_hardly_more(paper: EquationDataset) -> None:
    """What grows is the number of levels."""
    counts = {}
    for size in (50, 1000):
        with always_grouped():
            step = Step(paper, "tree-lstm", batch_size=size)
            step.gradients()
            with Launches() as seen:
                step.gradients()
        counts[size] = seen.count / len(step.share.batch.plan.levels)
    assert counts[1000] <= counts[50]


def test_grouped_steps_give_the_same(paper: EquationDataset) -> None:
    results = []
    for grouped in (False, True):
        step = Step(paper, "m-tree-lstm+stack")
        step.network.double()
        if step.share.dropout_mask is not None:
            object.__setattr__(step.share, "dropout_mask", step.share.dropout_mask.double())
        for name in ("labels", "weights"):
            object.__setattr__(step.share, name, getattr(step.share, name).double())
        if grouped:
            with always_grouped():
                loss, logits = step.gradients()
        else:
            loss, logits = step.gradients()
        results.append((loss.detach(), logits.detach(), [p.grad for p in step.network.parameters()]))
    torch.testing.assert_close(results[0], results[1])


def test_a_record_on_the_device_is_read_at_the_end() -> None:
    record = EpochRecord(3, 4, "cpu")
    with Launches() as seen:
        for norm in (1.0, math.nan, math.nan):
            record.add(torch.tensor(0.5, requires_grad=True) * 2, torch.tensor(norm), torch.tensor([1.0]))
    assert not seen.waits
    assert record.first_not_finite() == 1 and record.losses.tolist() == [1.0] * 3
    assert np.array_equal(record.logits, np.ones(3))
    there = EpochRecord(1, 1, "meta")
    there.add(torch.empty((), device="meta"), torch.empty((), device="meta"), torch.empty(1, device="meta"))
    assert there.latest is None  # a meta tensor cannot be read: nothing was


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@pytest.mark.parametrize("model", CELLS)
def test_no_step_waits_on_a_gpu(model: str, paper: EquationDataset) -> None:
    step = Step(paper, model, device="cuda")
    step.rest(*step.gradients())  # Adam makes its moments, tables go to the device
    before = torch.cuda.get_sync_debug_mode()
    torch.cuda.set_sync_debug_mode("error")
    try:
        step.rest(*step.gradients())
    finally:
        torch.cuda.set_sync_debug_mode(before)
    assert np.isfinite(step.record.losses).all()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_a_run_on_a_gpu(tmp_path: Path) -> None:
    found = [
        train(Config(data="paper", model="tree-lstm", epochs=1, device=device), tmp_path / device)["validation"]
        for device in ("cpu", "cuda")
    ]
    assert abs(found[0]["overall"]["accuracy"] - found[1]["overall"]["accuracy"]) < 0.05
