from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.language import Forest, parse_equation
from dgl_mathtree.nn import make_verifier
from dgl_mathtree.training import Config
from dgl_mathtree.training.objectives.verification import Verification


def test_it_is_the_cross_entropy_of_the_logits(data: Path) -> None:
    forest = Forest.of(parse_equation(text) for text in ("x + 1 = 1 + x", "sin(x) = 1", "x = x"))
    labels = torch.tensor([1, 0, 1])
    torch.manual_seed(0)
    network = make_verifier("tree-lstm", 4, ["x", "1"]).eval()
    objective = Verification(Config(data="paper", model="tree-lstm", hidden=4), EquationDataset(data, "train"))
    weights = torch.tensor([0.5, 0.25, 0.25])
    loss, logits = objective.loss(
        network, network.batch(forest, [0, 1, 2]), labels.float(), weights, None, torch.Generator()
    )
    by_hand = 0.0
    for logit, label, weight in zip(logits.tolist(), labels.tolist(), weights.tolist(), strict=True):
        correct = 1 / (1 + math.exp(-logit))
        by_hand -= weight * math.log(correct if label else 1 - correct)
    assert loss.item() == pytest.approx(by_hand, rel=1e-5)
    torch.testing.assert_close(logits, network(network.batch(forest, [0, 1, 2])))
