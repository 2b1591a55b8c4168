from __future__ import annotations

import pytest
import torch

from dgl_mathtree.nn import MODELS, make_model
from dgl_mathtree.nn.shapes import shapes_alone


@pytest.mark.parametrize("name", MODELS)
def test_networks_of_shapes_alone_have_the_shapes_of_others(name: str) -> None:
    before = torch.get_rng_state()
    with shapes_alone():
        hollow = make_model(name, 4, ["x", "1"]).state_dict()
    assert torch.equal(torch.get_rng_state(), before)
    whole = make_model(name, 4, ["x", "1"]).state_dict()
    assert all(tensor.is_meta for tensor in hollow.values())
    assert {key: tensor.shape for key, tensor in hollow.items()} == {k: tensor.shape for k, tensor in whole.items()}


def test_networks_made_afterwards_have_values() -> None:
    with shapes_alone():
        pass
    weight = torch.nn.Linear(3, 3).weight
    assert weight.device.type == "cpu" and weight.std() > 0
