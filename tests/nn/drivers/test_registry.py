"""Drivers: how they are found, chosen and refused."""

from __future__ import annotations

from collections.abc import Iterator

import dgl
import pytest
import torch

from dgl_mathtree.graphs import batch_graph
from dgl_mathtree.language import Forest, parse_equation
from dgl_mathtree.nn import TreeLSTM, make_verifier
from dgl_mathtree.nn.drivers import DRIVERS, Driver, choose, register

CPU = torch.device("cpu")
FOREST = Forest.of([parse_equation("x + 1 = 1 + x"), parse_equation("sin(x) = 1")])


@pytest.fixture
def picky() -> Iterator[Driver]:
    """A driver for double precision alone, which stands where ``auto`` looks first."""
    before = DRIVERS.pop("native", None)
    levels = DRIVERS["levels"]
    driver = Driver("native", lambda cell, dtype, device: None if dtype == torch.float64 else "too rough", levels.run)
    register(driver)
    yield driver
    del DRIVERS["native"]
    if before is not None:
        DRIVERS["native"] = before


def test_the_drivers_of_the_package_are_found() -> None:
    assert {"levels", "dgl"} <= set(DRIVERS)
    for name, driver in DRIVERS.items():
        assert driver.name == name


def test_auto_takes_the_first_without_an_obstacle(picky: Driver) -> None:
    cell = TreeLSTM(4, types=2)
    assert choose("auto", cell, torch.float64, CPU) is picky
    assert choose("auto", cell, torch.float32, CPU) is DRIVERS["levels"]
    assert choose("native", cell, torch.float64, CPU) is picky
    with pytest.raises(ValueError, match=r"'native' cannot run TreeLSTM in torch.float32 on cpu: too rough"):
        choose("native", cell, torch.float32, CPU)


def test_names_that_there_are_not(picky: Driver) -> None:
    cell = TreeLSTM(4, types=2)
    with pytest.raises(ValueError, match="one of 'auto', 'dgl', 'levels', 'native', not 'magic'"):
        cell.driver = "magic"
    with pytest.raises(ValueError, match="not 'magic'"):
        choose("magic", cell, torch.float32, CPU)
    for taken in ("native", "auto"):
        with pytest.raises(ValueError, match="already"):
            register(Driver(taken, picky.obstacle, picky.run))
    assert cell.driver == "auto"


def test_levels_builds_no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a DGLGraph was built")

    monkeypatch.setattr(dgl, "graph", refuse)
    verifier = make_verifier("tree-lstm", 4, ["x", "1"])
    verifier.driver = "levels"
    batch = batch_graph(FOREST, [0, 1])
    assert verifier(batch).shape == (2,)
    cell = verifier.encoder.cell
    assert cell(batch, torch.zeros(batch.num_nodes(), 4)).shape == (batch.num_nodes(), 4)
    assert verifier.encoder.node_states(FOREST).shape == (len(FOREST), 8)
    verifier.driver = "dgl"
    with pytest.raises(AssertionError, match="was built"):
        cell(batch, torch.zeros(batch.num_nodes(), 4))


def test_the_driver_of_a_sequence_network() -> None:
    verifier = make_verifier("lstm", 4, ["x", "1"])
    verifier.driver = "auto"
    with pytest.raises(ValueError, match="only a tree encoder"):
        verifier.driver = "levels"
