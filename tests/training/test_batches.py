from __future__ import annotations

from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.nn import make_verifier
from dgl_mathtree.training import Config
from dgl_mathtree.training.batches import Epoch, EquationItems, shuffled
from dgl_mathtree.training.distributed import joined


def epoch(data: Path) -> Epoch:
    config = Config(data=str(data), model="tree-lstm", hidden=4, batch_size=50, dropout=0.5)
    equations = EquationDataset(str(data), "train")
    network = make_verifier("tree-lstm", 4, equations.vocabulary, dropout=0.5).train()
    with joined("cpu") as processes:
        draw = partial(EquationItems, equations, network, config.augment)
        return Epoch(1, config, draw, network, processes)


def test_shares_made_ahead_are_those_of_their_batches(data: Path) -> None:
    made = epoch(data)
    shares = list(made.shares())
    assert len(shares) == len(made) == 5
    assert sorted(np.concatenate([share.items for share in shares]).tolist()) == list(range(len(made.labels)))
    later = [torch.rand(2, generator=share.generator) for share in shares]  # after all others were made
    for number, equations in enumerate(made.batches()):
        alone = made.share(number, equations)
        assert np.array_equal(alone.items, shares[number].items)
        assert np.array_equal(alone.batch.node, shares[number].batch.node)
        assert torch.equal(alone.dropout_mask, shares[number].dropout_mask)
        assert torch.equal(torch.rand(2, generator=alone.generator), later[number])


def test_what_goes_wrong_in_the_thread_reaches_the_caller(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = epoch(data)
    monkeypatch.setattr(made, "share", lambda number, equations: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        next(made.shares())


@pytest.mark.parametrize(("count", "together"), [(1, 1), (50, 1), (50, 4), (3, 8), (101, 10)])
def test_neighbours_stay_together_and_nothing_is_lost(count: int, together: int) -> None:
    order = shuffled(count, together, np.random.default_rng(5))
    assert sorted(order.tolist()) == list(range(count))
    torn = int((np.diff(order) != 1).sum())
    assert torn <= count // together + 1 if together > 1 else torn > count / 2 or count == 1


def test_every_epoch_cuts_elsewhere() -> None:
    orders = [shuffled(40, 4, np.random.default_rng(seed)) for seed in range(20)]
    beside = [{(a, b) for a, b in pairwise(order) if b == a + 1} for order in orders]
    assert {(k, k + 1) for k in range(39)} == set.union(*beside)
