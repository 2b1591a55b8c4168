from __future__ import annotations

from pathlib import Path

import pytest
import torch

from dgl_mathtree.errors import RunError
from dgl_mathtree.language import Forest, parse_equation
from dgl_mathtree.nn import EquationVerifier
from dgl_mathtree.nn.packed_tensors import pack, unpack
from dgl_mathtree.nn.tensor_files import read_tensors, save_tensors
from dgl_mathtree.training import Config
from dgl_mathtree.training.run_folder import RunFacts
from tools.ship import without_unused


def _weights() -> dict[str, torch.Tensor]:
    weight = torch.arange(1.0, 25.0).reshape(2, 4, 3)
    weight[0, 2:] = 0  # the first type uses two rows,
    weight[0, :, 1] = 0  # and two columns
    return {"weight": weight, "bias": torch.zeros(2, 3), "whole": torch.ones(2, 2, 2)}


def test_what_is_packed_is_read_back_from_a_file(tmp_path: Path) -> None:
    packed = pack(_weights())
    assert packed["weight"].shape == (4 + 12,) and packed["whole"].shape == (2, 2, 2)
    save_tensors(tmp_path / "model.safetensors", packed, {})
    read, _ = read_tensors(tmp_path / "model.safetensors")
    assert read.keys() == _weights().keys()
    assert all(torch.equal(read[name], tensor) for name, tensor in _weights().items())


@pytest.mark.parametrize(
    ("name", "tensor", "message"),
    [
        ("weight", torch.ones(15), "has 15 values, its masks 16"),
        ("weight.rows", torch.ones(3, 4, dtype=torch.bool), "not those of rows and columns"),
        ("weight.rows", torch.ones(2, 4), "not those of rows and columns"),
        ("weight.columns", torch.ones(2, 2**27, dtype=torch.bool), "not those of rows and columns"),
    ],
)
def test_masks_that_do_not_fit_are_refused(name: str, tensor: torch.Tensor, message: str, tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    with pytest.raises(RunError, match=message):
        unpack({**pack(_weights()), name: tensor})
    save_tensors(file, {**pack(_weights()), "weight": torch.ones(15)}, {})
    with pytest.raises(RunError, match=r"cannot read .*its masks 16"):
        read_tensors(file)


@pytest.mark.parametrize("model", ["tree-rnn", "m-tree-lstm", "mi-tree-lstm+stack", "tree-smu"])
def test_weights_that_no_tree_reaches_do_not_matter(model: str) -> None:
    facts = RunFacts(
        config=Config.of({"model": model, "hidden": 6, "data": "paper"}),
        vocabulary=("x", "y", "1", "2"),
        operators=("sin", "log", "Mul", "cos"),
        checksum="",
        version={},
        command="",
    )
    network, fresh = facts.make_model().eval(), facts.make_model()
    assert isinstance(network, EquationVerifier) and isinstance(fresh, EquationVerifier)
    weights = without_unused(fresh, network.state_dict())
    kept = [tensor.numel() for tensor in pack(weights).values() if tensor.is_floating_point()]
    assert sum(kept) < sum(tensor.numel() for tensor in weights.values())
    texts = ["sin(x)*cos(y) = log(x*y, 2)", "sin(cos(sin(x*y))) = x", "log(log(x, y), log(y, 1))*2 = sin(1)"]
    forest = Forest.of([parse_equation(text) for text in texts])
    before = network.encode(network.batch(forest, range(3)))
    network.load_state_dict(weights)
    assert torch.equal(network.encode(network.batch(forest, range(3))), before)
