"""Tree-SMU: a stack at every node, acted on elementwise."""

from __future__ import annotations

import torch

from dgl_mathtree.graphs.plan import Segments
from dgl_mathtree.nn.cell import TreeCell, Weights, check_choice, dropped
from dgl_mathtree.nn.cells.stack import shifted_stack
from dgl_mathtree.nn.linear import TypedLinear


class TreeSMU(TreeCell):
    r"""Tree stack memory unit, from `Compositional Generalization with Tree Stack Memory Units
    <https://arxiv.org/abs/1911.01545>`__:

    .. math::
        a_{push}, a_{pop}, a_{noop} &= \mathrm{softmax}(\sigma(W x + b)) \quad \text{(elementwise over the three)} \\
        g_k &= \sigma(G_k x + b_k), \qquad S_{in} = \sum_k g_k \odot S_k \\
        v &= \mathrm{drop}(\tanh(W x + b)) \\
        S &= a_{push} \odot [v; S_{in}[0..p-2]] + a_{pop} \odot [S_{in}[1..p-1]; 0] + a_{noop} \odot S_{in} \\
        h &= \sigma(W_o x + b_o) \odot \tanh(S[0])

    Parameters
    ----------
    slots : int
        Depth p of the stack.
    no_op : bool
        Whether there is a third action that leaves the stack as it is.
    normalize : bool
        Whether actions are normalised; without it, push and pop are plain sigmoids (only without no-op).
    actions : str
        ``sigmoid-softmax`` as above, which confines every action to [.155, .576], or ``softmax`` over the raw values.
    size, types, children, dropout
        See `TreeCell`.

    Shapes
    ------
    - feat: (nodes, n)
    - output: (nodes, n)
    - parts of a state: h (n,), stack (slots, n), actions (2 or 3, n)

    Examples
    --------
    >>> import dgl, torch
    >>> graph = dgl.graph(([1, 2], [0, 0]))  # node 0 has the children 1 and 2
    >>> graph.ndata["op"], graph.edata["pos"] = torch.tensor([0, 0, 0]), torch.tensor([0, 1])
    >>> _ = torch.manual_seed(0)
    >>> cell = TreeSMU(size=2, types=1, slots=3)
    >>> feat = torch.tensor([[0.0, 0.0], [1.0, -1.0], [0.5, 2.0]])
    >>> parts = cell.split(cell.states(graph, feat).detach())
    >>> parts["stack"][0].round(decimals=2)  # of the root: the leaves' stacks are empty, so only a push shows
    tensor([[-0.0900, -0.1500],
            [ 0.0000,  0.0000],
            [ 0.0000,  0.0000]])
    >>> parts["actions"][0].sum(dim=0).round(decimals=2)
    tensor([1., 1.])
    """

    def __init__(
        self,
        size: int,
        types: int,
        children: int = 2,
        slots: int = 5,
        no_op: bool = True,
        normalize: bool = True,
        actions: str = "sigmoid-softmax",
        dropout: float = 0.0,
    ) -> None:
        super().__init__(size, types, children, dropout)
        check_choice("actions", actions, ["sigmoid-softmax", "softmax"])
        if slots < 1:
            raise ValueError(f"slots must be at least 1, not {slots}")
        if no_op and not normalize:
            raise ValueError("actions with a no-op are always normalised: normalize=False needs no_op=False")
        self.stack_slots, self.no_op, self.normalize, self.actions = slots, no_op, normalize, actions
        self.count = 3 if no_op else 2
        # actions, child gates, output gate, pushed value
        self.gate = TypedLinear(types, size, children, (self.count + children + 2) * size)

    @property
    def parts(self) -> dict[str, tuple[int, ...]]:
        return {"h": (self.size,), "stack": (self.stack_slots, self.size), "actions": (self.count, self.size)}

    def step(
        self, weights: Weights, segments: Segments, children: torch.Tensor, dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """See `TreeCell.step`."""
        n, m, k = self.size, children.shape[0], children.shape[1]
        # One split has one gradient, where slices would have one each and their sum.
        h, stacks, _ = torch.split(children, [n, self.stack_slots * n, self.count * n], dim=-1)
        stacks = stacks.reshape(m, k, self.stack_slots, n)
        raw = self.gate.apply_segments(weights["gate"], h.flatten(1), segments)
        unused = self.max_children - k
        raw_actions, gates, _, out, pushed = torch.split(raw, [self.count * n, k * n, unused * n, n, n], dim=1)
        actions = self._actions(raw_actions.reshape(m, self.count, n))
        gates = torch.sigmoid(gates).view(m, k, 1, n)
        stack = shifted_stack(
            actions[:, :, None], (gates * stacks).sum(dim=1), dropped(torch.tanh(pushed), dropout_mask)
        )
        h = torch.sigmoid(out) * torch.tanh(stack[:, 0])
        return torch.cat([h, stack.flatten(1), actions.flatten(1)], dim=1)

    def _actions(self, raw: torch.Tensor) -> torch.Tensor:
        if not self.normalize:
            return torch.sigmoid(raw)
        return torch.softmax(torch.sigmoid(raw) if self.actions == "sigmoid-softmax" else raw, dim=1)
