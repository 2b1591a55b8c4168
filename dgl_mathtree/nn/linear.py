"""A linear map for each node type."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import nn

from dgl_mathtree.graphs.plan import Run

Unpacked = dict[tuple[int, int], tuple[torch.Tensor, torch.Tensor | None]]


class TypedLinear(nn.Module):
    r"""Affine maps :math:`y = W_t x + b_t`, one for each node type :math:`t`, on nodes sorted by type.

    The input of a node is the concatenation of as many blocks as it has children; a node with fewer children than there
    are blocks uses the first ones only.

    Parameters
    ----------
    types : int
        Number of node types.
    block : int
        Size of one child's block of the input.
    blocks : int
        Largest number of blocks.
    out : int
        Size of the output.
    bias : bool
        Whether there is a :math:`b_t`.
    """

    def __init__(self, types: int, block: int, blocks: int, out: int, bias: bool = True) -> None:
        super().__init__()
        self.block, self.blocks, self.out = block, blocks, out
        self.weight = nn.Parameter(torch.empty(types, block * blocks, out))
        self.bias = nn.Parameter(torch.empty(types, out)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weights uniform in ±1/sqrt(fan-in), biases 0."""
        bound = 1.0 / math.sqrt(self.block * self.blocks)
        nn.init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def unpack(self, kinds: Sequence[tuple[int, int]]) -> Unpacked:
        """The weights of each (type, number of children), taken apart once for a whole pass."""
        weights = self.weight.unbind(0)
        biases: Sequence[torch.Tensor | None] = [None] * len(weights) if self.bias is None else self.bias.unbind(0)
        unpacked: Unpacked = {}
        for kind, children in kinds:
            weight = weights[kind]
            if children < self.blocks:
                weight = weight[: children * self.block]
            unpacked[kind, children] = weight, biases[kind]
        return unpacked

    def apply_runs(self, unpacked: Unpacked, x: torch.Tensor, runs: Sequence[Run], rows: int = 1) -> torch.Tensor:
        """The maps applied to runs of nodes.

        Args:
            x: (nodes * rows, in), with `in` a number of blocks that is enough for every run.
            rows: rows of `x` that each node has.
        """
        outputs = []
        parts = [x] if len(runs) == 1 else torch.split(x, [run.size * rows for run in runs])
        for run, part in zip(runs, parts, strict=True):
            weight, bias = unpacked[run.kind, run.arity]
            if part.shape[1] > weight.shape[0]:
                part = part[:, : weight.shape[0]]
            outputs.append(part.mm(weight) if bias is None else torch.addmm(bias, part, weight))
        return outputs[0] if len(outputs) == 1 else torch.cat(outputs)


def rows_of(vectors: torch.Tensor, runs: Sequence[Run]) -> torch.Tensor:
    """(nodes, n): of (types, n) vectors, that of each node's type."""
    kinds = torch.tensor([run.kind for run in runs])
    counts = torch.tensor([run.size for run in runs])
    index = torch.repeat_interleave(kinds, counts).to(vectors.device)
    return vectors.index_select(0, index)
