"""What every recursive cell is: a pure step from the states of the children to the state of a node.

A cell packs all that a node hands up into one row, its state: the hidden vector `h` first, then whatever else `parts`
names (a memory, a stack). `step` computes the states of many nodes at once from those of their children and knows
nothing of graphs; a driver (`dgl_mathtree.nn.drivers`) runs it over one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from dgl_mathtree.graphs.plan import LevelPlan, Segments
from dgl_mathtree.nn import drivers
from dgl_mathtree.nn.linear import TypedLinear

Weights = dict[str, Any]  # an `Unpacked` for each map, or for a cell inside the cell all of its own


def check_choice(name: str, value: object, allowed: Sequence[object]) -> None:
    """Reject a value that is not among those allowed."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {value!r}")


def check_whole(name: str, value: object, least: int = 1) -> None:
    """Reject what is not a whole number, or too small a one."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")


class TreeCell(nn.Module, ABC):
    """Base of the cells; a cell defines `parts`, makes its maps in `__init__` and implements `step`.

    Parameters
    ----------
    size : int
        Size n of the hidden vectors.
    types : int
        Number of node types, each with weights of its own.
    children : int
        Largest number of children of a node.
    dropout : float
        Chance that a new value is dropped, in training. Identical subtrees that share a node share the draw.

    Attributes
    ----------
    driver : str
        Which driver runs it: ``auto`` at first, or a name of `dgl_mathtree.nn.drivers.DRIVERS`. It may be set at any
        time, as it changes how fast the cell is and not what it computes.
    """

    decaying: tuple[str, ...] = ()
    """The maps that alone should have weight decay; none are named where all weights should."""
    made_by: dict[str, Any] | None = None
    """The arguments of `dgl_mathtree.nn.make_cell`, for a cell that it made: what files of models say of it."""

    def __init__(self, size: int, types: int, children: int = 2, dropout: float = 0.0) -> None:
        super().__init__()
        for name, value in (("size", size), ("types", types), ("children", children)):
            if value < 1:
                raise ValueError(f"{name} must be at least 1, not {value}")
        self.size, self.types, self.max_children = size, types, children
        if not 0 <= dropout <= 1:
            raise ValueError(f"dropout must be between 0 and 1, not {dropout}")
        self.dropout = dropout
        self._driver = drivers.AUTO

    @property
    def driver(self) -> str:
        return self._driver

    @driver.setter
    def driver(self, name: str) -> None:
        self._driver = drivers.check_name(name)

    @property
    def parts(self) -> dict[str, tuple[int, ...]]:
        """Names and shapes of the parts of a state, `h` first."""
        return {"h": (self.size,)}

    @property
    def state_size(self) -> int:
        """Size of all parts together."""
        return sum(torch.Size(shape).numel() for shape in self.parts.values())

    @property
    def dropout_size(self) -> int:
        """How many values of a node dropout acts on."""
        return self.size

    @abstractmethod
    def step(
        self, weights: Weights, segments: Segments, children: torch.Tensor, dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """States of nodes from those of their children.

        Parameters
        ----------
        weights : dict
            From `unpack`.
        segments : Segments
            The nodes, sorted by type and number of children.
        children : torch.Tensor
            (nodes, child_slots, state_size), the states of the children, zeros where there is none.
        dropout_mask : torch.Tensor, optional
            (nodes, dropout_size), from `draw_dropout`.

        Returns
        -------
        torch.Tensor
            (nodes, state_size)
        """

    def update(
        self,
        weights: Weights,
        segments: Segments,
        h: torch.Tensor,
        rest: torch.Tensor | None,
        dropout_mask: torch.Tensor | None,
    ) -> torch.Tensor:
        """`step` where the children's hidden vectors do not come from their states, as in a cell around this one.

        Parameters
        ----------
        h : torch.Tensor
            (nodes, child_slots, n)
        rest : torch.Tensor, optional
            (nodes, child_slots, state_size - n), the other parts of the children's states; None where there are none.
        weights, segments, dropout_mask
            See `step`.

        Returns
        -------
        torch.Tensor
            (nodes, state_size)
        """
        return self.step(weights, segments, h if rest is None else torch.cat([h, rest], dim=-1), dropout_mask)

    @property
    def takes_factor(self) -> bool:
        """Whether the cell multiplies its input with a vector that a cell around it may provide: see `multiply`."""
        return False

    def multiply(
        self,
        weights: Weights,
        segments: Segments,
        h: torch.Tensor,
        factor: torch.Tensor,
        dropout_mask: torch.Tensor | None,
    ) -> torch.Tensor:
        """`step` with another vector in the place of the sum of the children's, which the input is multiplied with.

        Parameters
        ----------
        h : torch.Tensor
            (nodes, child_slots, n), the hidden vectors of the children.
        factor : torch.Tensor
            (nodes, n)
        weights, segments, dropout_mask
            See `step`.

        Returns
        -------
        torch.Tensor
            (nodes, state_size)
        """
        raise TypeError(f"{type(self).__name__} does not multiply its input with another vector")

    def unpack(self, needed: Sequence[tuple[int, int]]) -> Weights:
        """The weights of some pairs of type and number of children, taken apart once for a whole pass."""
        return {name: module.unpack(needed) for name, module in self.named_modules() if isinstance(module, TypedLinear)}

    def leaf_states(self, feat: torch.Tensor) -> torch.Tensor:
        """The states of leaves, (leaves, state_size), from their vectors (leaves, n): all other parts are 0."""
        rest = self.state_size - self.size
        return torch.nn.functional.pad(feat, (0, rest)) if rest else feat

    def split(self, states: torch.Tensor) -> dict[str, torch.Tensor]:
        """States (nodes, state_size) as their named parts, each (nodes, *shape)."""
        sizes = [torch.Size(shape).numel() for shape in self.parts.values()]
        pieces = torch.split(states, sizes, dim=-1)
        return {
            name: piece.reshape(*states.shape[:-1], *shape)
            for (name, shape), piece in zip(self.parts.items(), pieces, strict=True)
        }

    def draw_dropout(
        self, nodes: int, like: torch.Tensor, generator: torch.Generator | None = None
    ) -> torch.Tensor | None:
        """What dropout multiplies values of nodes with, (nodes, dropout_size), or None where it does not act."""
        if not self.training or self.dropout == 0:
            return None
        mask = torch.empty(nodes, self.dropout_size, dtype=like.dtype, device=like.device)
        return mask.bernoulli_(1 - self.dropout, generator=generator).div_(max(1 - self.dropout, 1e-9))

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        for module in self.maps():
            module.reset_parameters()

    def maps(self) -> list[TypedLinear]:
        """All maps, those of a cell inside included."""
        return [module for module in self.modules() if isinstance(module, TypedLinear)]

    def forward(self, graph: Any, feat: torch.Tensor) -> torch.Tensor:
        """Hidden vectors of all nodes.

        Parameters
        ----------
        graph : DGLGraph or EquationBatch
            A graph has edges from child to parent, ``ndata["op"]`` and ``edata["pos"]``; it is left as it is.
        feat : torch.Tensor
            (nodes, n), the vectors of the leaves; those of other nodes are not read.

        Returns
        -------
        torch.Tensor
            (nodes, n)
        """
        return self.states(graph, feat)[:, : self.size]

    def states(
        self, graph: Any, feat: torch.Tensor, plan: LevelPlan | None = None, dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Whole states of all nodes, (nodes, state_size); see `dgl_mathtree.nn.drivers.run_graph`."""
        return drivers.run_graph(self, graph, feat, plan, dropout_mask)

    def extra_repr(self) -> str:
        return f"size={self.size}, types={self.types}, children={self.max_children}, dropout={self.dropout}"


def dropped(values: torch.Tensor, dropout_mask: torch.Tensor | None) -> torch.Tensor:
    """Values after dropout."""
    return values if dropout_mask is None else values * dropout_mask
