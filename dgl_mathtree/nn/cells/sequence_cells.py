"""The sequence networks as recursive cells, which any driver runs; the driver `native` runs them in C.

A place of a sequence has two children, the place before it and its token (`dgl_mathtree.graphs.trie.trie_plan`). The
state of a token is its share in the network's sums, :math:`W_x x + b`, computed once for every different token. A
cell's own weights are there for their shapes alone: it runs with those of a network.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import Any

import torch
from torch import nn

from dgl_mathtree.graphs.plan import LevelPlan, Segments
from dgl_mathtree.nn import drivers
from dgl_mathtree.nn.cell import TreeCell, Weights
from dgl_mathtree.nn.cells.stack import shifted_stack
from dgl_mathtree.nn.linear import TypedLinear


class SequenceCell(TreeCell):
    """Base of the cells of sequences."""

    def __init__(self, size: int) -> None:
        super().__init__(size, types=1, children=2)

    @abstractmethod
    def shares(self, network: Any, x: torch.Tensor) -> torch.Tensor:
        """What tokens add to the sums of a place, (tokens, up to state_size), from their vectors (tokens, n)."""

    @abstractmethod
    def borrowed(self, network: Any) -> list[torch.Tensor]:
        """The weights of a network in the order and shapes of this cell's parameters."""

    def can_run(self, borrowed: list[torch.Tensor]) -> bool:
        """Whether the sequences of a network with these weights can be run in C."""
        return drivers.DRIVERS["native"].refusal(self, borrowed[0].dtype, borrowed[0].device, borrowed) is None

    def ends(
        self, borrowed: list[torch.Tensor], shares: torch.Tensor, plan: LevelPlan, rows: torch.Tensor
    ) -> torch.Tensor:
        """The vectors of some rows of a plan.

        Parameters
        ----------
        borrowed : list of torch.Tensor
            From `borrowed`.
        shares : torch.Tensor
            (plan.leaves, up to state_size), from `shares`.
        plan, rows
            From `trie_plan`.

        Returns
        -------
        torch.Tensor
            (rows, n)
        """
        return drivers.run(self, plan, shares, rows, weights=borrowed)[:, : self.size]


class TorchCell(SequenceCell):
    """Base of the cells that borrow the weights of a `torch.nn.RNNBase` with this many sums a place."""

    def __init__(self, size: int, sums: int) -> None:
        super().__init__(size)
        self.layer = TypedLinear(1, size, 1, sums * size, bias=False)

    def shares(self, network: Any, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.linear(x, network.weight_ih_l0, network.bias_ih_l0 + network.bias_hh_l0)

    def borrowed(self, network: Any) -> list[torch.Tensor]:
        return [_transposed(network.weight_hh_l0)]


class ElmanCell(TorchCell):
    """A place of `torch.nn.RNN`."""

    def __init__(self, size: int) -> None:
        super().__init__(size, sums=1)

    def step(
        self, weights: Weights, segments: Segments, children: torch.Tensor, dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """See `TreeCell.step`."""
        before, share = children[:, 0], children[:, 1]
        return torch.tanh(self.layer.apply_segments(weights["layer"], before, segments) + share)


class LSTMCell(TorchCell):
    """A place of `torch.nn.LSTM`; its state has room for the four sums of a token."""

    def __init__(self, size: int) -> None:
        super().__init__(size, sums=4)

    @property
    def parts(self) -> dict[str, tuple[int, ...]]:
        return {"h": (self.size,), "c": (self.size,), "unused": (2 * self.size,)}

    def step(
        self, weights: Weights, segments: Segments, children: torch.Tensor, dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """See `TreeCell.step`."""
        n, before, share = self.size, children[:, 0], children[:, 1]
        sums = self.layer.apply_segments(weights["layer"], before[:, :n], segments) + share
        i, f = torch.sigmoid(sums[:, : 2 * n]).chunk(2, dim=1)
        g, o = torch.tanh(sums[:, 2 * n : 3 * n]), torch.sigmoid(sums[:, 3 * n :])
        c = torch.addcmul(i * g, f, before[:, n : 2 * n])
        return nn.functional.pad(torch.cat([o * torch.tanh(c), c], dim=1), (0, 2 * n))


class StackCell(SequenceCell):
    """A place of `dgl_mathtree.nn.sequence.StackRNN`."""

    def __init__(self, size: int, slots: int) -> None:
        super().__init__(size)
        self.stack_slots = slots
        self.layer = TypedLinear(1, size, 2, size, bias=False)
        self.said = TypedLinear(1, size, 1, 3 + size)

    @property
    def parts(self) -> dict[str, tuple[int, ...]]:
        return {"h": (self.size,), "stack": (self.stack_slots, self.size)}

    def shares(self, network: Any, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.linear(x, network.layer.weight[:, : self.size], network.layer.bias)

    def borrowed(self, network: Any) -> list[torch.Tensor]:
        said = torch.cat([network.act.weight, network.push.weight])
        bias = nn.functional.pad(network.act.bias, (0, self.size))[None]
        return [_transposed(network.layer.weight[:, self.size :]), _transposed(said), bias]

    def step(
        self, weights: Weights, segments: Segments, children: torch.Tensor, dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """See `TreeCell.step`."""
        n, before, share = self.size, children[:, 0], children[:, 1, : self.size]
        stack = before[:, n:].reshape(-1, self.stack_slots, n)
        h = torch.tanh(self.layer.apply_segments(weights["layer"], before[:, : 2 * n], segments) + share)
        said = self.said.apply_segments(weights["said"], h, segments)
        actions = torch.softmax(said[:, :3], dim=1)
        stack = shifted_stack(actions[:, :, None, None], stack, torch.sigmoid(said[:, 3:]))
        return torch.cat([h, stack.flatten(1)], dim=1)


def _transposed(weight: torch.Tensor) -> torch.Tensor:
    """A matrix of torch as `TypedLinear` has it for one type: (1, in, out)."""
    return weight.t()[None].contiguous()


@lru_cache(maxsize=64)
def sequence_cell(kind: str, size: int, slots: int) -> SequenceCell:
    """The cell of a kind of network, made and recorded once for all networks of its size."""
    with torch.random.fork_rng(devices=[]):  # its weights are not used: they must not move the random numbers on
        if kind == "stack-rnn":
            return StackCell(size, slots)
        return LSTMCell(size) if kind == "lstm" else ElmanCell(size)
