"""How far the drivers differ from each other on this machine."""

from __future__ import annotations

import torch

from dgl_mathtree.graphs import batch_graph
from dgl_mathtree.graphs.batch import EquationBatch
from dgl_mathtree.language import Forest, parse_equation
from dgl_mathtree.nn import drivers
from dgl_mathtree.nn.cell import TreeCell
from dgl_mathtree.nn.models import MODELS, make_cell

REFERENCE = "levels"
TOLERANCE = 1e-10
"""What is too much of a difference, as a share of the largest number."""
EQUATIONS = ("sin(x)^2 + cos(x)^2 = 1", "(x + y)^2 = x^2 + 2*x*y + y^2", "tan(x) = sin(x)*cos(x)^-1", "x = x")


def differences(size: int = 6) -> dict[str, dict[str, float | str]]:
    """For each driver and recursive model, the largest difference from `REFERENCE` in values and gradients.

    Parameters
    ----------
    size : int
        Size of the vectors.

    Returns
    -------
    dict
        By driver and model: a share of the largest number, in float64, or why the driver cannot run the model.

    Examples
    --------
    >>> found = differences()
    >>> max(found["dgl"].values()) < TOLERANCE
    True
    """
    batch = batch_graph(Forest.of([parse_equation(text) for text in EQUATIONS]), range(len(EQUATIONS)))
    found: dict[str, dict[str, float | str]] = {name: {} for name in drivers.DRIVERS if name != REFERENCE}
    for model in (name for name, entry in MODELS.items() if entry.is_cell):
        with torch.random.fork_rng([]):  # a caller's draws go on as if nothing had happened
            torch.manual_seed(0)
            cell = make_cell(model, size).double()
        expected = _results(cell, REFERENCE, batch)
        for name, row in found.items():
            reason = drivers.DRIVERS[name].obstacle(cell, torch.float64, torch.device("cpu"))
            row[model] = _difference(_results(cell, name, batch), expected) if reason is None else reason
    return found


def _results(cell: TreeCell, driver: str, batch: EquationBatch) -> list[torch.Tensor]:
    """The states of all nodes, and the gradients of leaves and weights."""
    generator = torch.Generator().manual_seed(1)
    feat = torch.randn(batch.num_nodes(), cell.size, dtype=torch.float64, generator=generator).requires_grad_()
    cell.driver = driver
    states = cell.states(batch, feat)
    mix = torch.randn(states.shape, dtype=torch.float64, generator=generator)
    inputs = [feat, *cell.parameters()]
    return [states.detach(), *torch.autograd.grad((states * mix).sum(), inputs)]


def _difference(ours: list[torch.Tensor], theirs: list[torch.Tensor]) -> float:
    shares = [float((a - b).abs().max() / b.abs().max().clamp(min=1e-300)) for a, b in zip(ours, theirs, strict=True)]
    return max(share if share == share else float("inf") for share in shares)
