"""What training changes in the process is as before once it has ended, however that was."""

from __future__ import annotations

import os
import random
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from flint import ctx

from dgl_mathtree.arithmetic.float_mode import flushes_denormals
from dgl_mathtree.data.data_files import DataError
from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.nn.agreement import differences
from dgl_mathtree.oracle import Oracle
from dgl_mathtree.training import Config, load, train
from dgl_mathtree.training.progress import Progress
from dgl_mathtree.training.torch_settings import own_settings


def surroundings() -> dict[str, Any]:
    """Whatever is set for the whole process."""
    return {
        "threads": torch.get_num_threads(),
        "denormals": flushes_denormals(),
        "draws": torch.get_rng_state().tolist(),
        "numpy's draws": [str(part) for part in np.random.get_state()],
        "Python's draws": random.getstate(),
        "environment": {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
        "signals": {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)},
        "warnings": list(warnings.filters),
        "torch": (
            torch.get_default_dtype(),
            torch.is_grad_enabled(),
            torch.are_deterministic_algorithms_enabled(),
            torch.is_autocast_enabled("cpu"),
        ),
        "numpy": np.geterr(),
        "precision": ctx.prec,
        "folder": Path.cwd(),
    }


@pytest.fixture(scope="module")
def trained(data: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What torch and DGL import on first use has been imported, with the filters for warnings that it adds."""
    train(config(data), tmp_path_factory.mktemp("first") / "run")


@pytest.fixture(params=[False, True], ids=["as usual", "flushed before"])
def before(request: pytest.FixtureRequest, trained: None) -> Iterator[dict[str, Any]]:
    """The surroundings of training, other than those that it makes for itself."""
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    torch.set_flush_denormal(request.param)
    yield surroundings()
    torch.set_flush_denormal(False)
    torch.set_num_threads(threads)


class Failing(Progress):
    """Ends training in the middle of an epoch."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error

    def step(self, *_: Any) -> None:
        assert torch.get_num_threads() == 1 and flushes_denormals()
        raise self.error


def config(data: Path, **options: Any) -> Config:
    return Config(data=str(data), model="tree-rnn", hidden=4, epochs=1, **options)


def test_after_training_everything_is_as_before(before: dict[str, Any], data: Path, tmp_path: Path) -> None:
    train(config(data), tmp_path / "run")
    assert surroundings() == before
    train(config(data), tmp_path / "run")  # which is finished
    assert surroundings() == before


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), MemoryError("none is left")], ids=repr)
def test_after_training_that_fails_everything_is_as_before(
    error: BaseException, before: dict[str, Any], data: Path, tmp_path: Path
) -> None:
    with pytest.raises(type(error)):
        train(config(data), tmp_path / "run", progress=Failing(error))
    assert surroundings() == before


def test_after_data_that_are_refused_everything_is_as_before(
    before: dict[str, Any], correct_only: Path, tmp_path: Path
) -> None:
    with pytest.raises(DataError):
        train(config(correct_only), tmp_path / "run")
    assert surroundings() == before


def test_settings_may_be_nested(before: dict[str, Any]) -> None:
    with own_settings():
        with own_settings():
            torch.manual_seed(5)
        assert torch.get_num_threads() == 1 and flushes_denormals()
    assert surroundings() == before


def test_the_oracle_is_right_after_training(data: Path, tmp_path: Path) -> None:
    train(config(data), tmp_path / "run")
    found = Oracle(seed=1000, complex_plane=False).judge([EquationDataset("paper", "test").equation(5592)])[0]
    assert (found.verdict, found.witness) == ("true", None)


def test_comparing_drivers_draws_nothing_of_the_callers(trained: None) -> None:
    before = surroundings()
    assert differences(size=2)
    assert surroundings() == before


def test_checking_options_and_loading_draw_nothing_of_the_callers(data: Path, trained: None) -> None:
    before = surroundings()
    config(data, options={"activation": "sigmoid"})
    load()
    assert surroundings() == before
