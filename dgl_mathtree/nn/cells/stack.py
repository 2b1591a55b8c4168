"""A differentiable stack for any cell that has none."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from dgl_mathtree.graphs.plan import Segments
from dgl_mathtree.nn.cell import TreeCell, Weights, check_choice, dropped
from dgl_mathtree.nn.linear import TypedLinear


def shifted_stack(actions: torch.Tensor, stack: torch.Tensor, pushed: torch.Tensor) -> torch.Tensor:
    """The stack after push, pop and no-op, each to its degree; the top is row 0 and rows past the end are 0.

    Parameters
    ----------
    actions : torch.Tensor
        (nodes, 2 or 3, 1 or stack_slots, n or 1), the degrees of push, pop and, if there are three, no-op.
    stack : torch.Tensor
        (nodes, stack_slots, n)
    pushed : torch.Tensor
        (nodes, n)

    Returns
    -------
    torch.Tensor
        (nodes, stack_slots, n)

    Examples
    --------
    >>> half_push_half_pop = torch.tensor([0.5, 0.5]).view(1, 2, 1, 1)
    >>> shifted_stack(half_push_half_pop, torch.tensor([[[1.0], [2.0], [3.0]]]), torch.tensor([[9.0]])).flatten()
    tensor([5.5000, 2.0000, 1.0000])
    """
    down = torch.cat([pushed[:, None], stack[:, :-1]], dim=1)
    up = torch.nn.functional.pad(stack[:, 1:], (0, 0, 0, 1))
    push, pop, *no_op = actions.unbind(1)
    new = torch.addcmul(push * down, pop, up)
    return torch.addcmul(new, no_op[0], stack) if no_op else new


class Stacked(TreeCell):
    r"""A cell that is given a stack, from `Recognizing and Verifying Mathematical Equations using Multiplicative
    Differential Neural Units <https://arxiv.org/abs/2104.02899>`__, after the `stack-augmented recurrent network
    <https://arxiv.org/abs/1503.01007>`__:

    .. math::
        \tilde h_k &= h_k + P S_k[0] \quad \text{(the cell runs on these and gives } h, c) \\
        a &= \mathrm{softmax}(A [h; x] + b_a) \quad \text{(push, pop, no-op)} \\
        S_{in} &= \sum_k g_k \odot S_k, \qquad g_k = \sigma(G_k x + b_k) \\
        v &= \mathrm{drop}(\sigma(D h)) \\
        S[0] &= a_{push} v + a_{pop} S_{in}[1] + a_{noop} S_{in}[0] \\
        S[i] &= a_{push} S_{in}[i-1] + a_{pop} S_{in}[i+1] + a_{noop} S_{in}[i]

    With ``read="state"``, which the paper prints as :math:`z = f(W x \odot R \hat z)`, the input x stays
    :math:`[h_1; \dots; h_N]`, and the reads are added to what the cell multiplies it with:

    .. math:: \hat h = \sum_k (h_k + P S_k[0])

    Parameters
    ----------
    cell : TreeCell
        The cell, one without a stack; its sizes and dropout are taken over.
    slots : int
        Depth p of the stack.
    no_op : bool
        Whether there is a third action that leaves the stack as it is.
    merge : str
        ``gated`` as above, or ``sum`` for a plain sum of the children's stacks.
    read : str
        ``children`` or ``state``, as above. The second needs a `SecondOrderTreeRNN`, whose :math:`h^0` is
        :math:`\hat h`, or a `TreeRNN` with ``integration="product"``.

    Shapes
    ------
    - feat: (nodes, n)
    - output: (nodes, n)
    - parts of a state: those of the cell, stack (slots, n), actions (2 or 3,)

    Examples
    --------
    >>> import dgl, torch
    >>> graph = dgl.graph(([1, 2], [0, 0]))  # node 0 has the children 1 and 2
    >>> graph.ndata["op"], graph.edata["pos"] = torch.tensor([0, 0, 0]), torch.tensor([0, 1])
    >>> _ = torch.manual_seed(0)
    >>> from dgl_mathtree.nn import TreeLSTM
    >>> cell = Stacked(TreeLSTM(size=2, types=1), slots=3)
    >>> feat = torch.tensor([[0.0, 0.0], [1.0, -1.0], [0.5, 2.0]])
    >>> parts = cell.split(cell.states(graph, feat).detach())
    >>> {name: tuple(part.shape) for name, part in parts.items()}
    {'h': (3, 2), 'c': (3, 2), 'stack': (3, 3, 2), 'actions': (3, 3)}
    >>> parts["actions"][0].round(decimals=2)  # of the root: push, pop and no-op
    tensor([0.1100, 0.2300, 0.6600])

    The form of the paper, on a cell without a memory:

    >>> from dgl_mathtree.nn import TreeRNN
    >>> printed = Stacked(TreeRNN(size=2, types=1, integration="product"), slots=3, read="state")
    >>> {name: tuple(part.shape) for name, part in printed.split(printed.states(graph, feat)).items()}
    {'h': (3, 2), 'stack': (3, 3, 2), 'actions': (3, 3)}
    """

    def __init__(
        self, cell: TreeCell, slots: int = 5, no_op: bool = True, merge: str = "gated", read: str = "children"
    ) -> None:
        if taken := [part for part in ("stack", "actions") if part in cell.parts]:
            raise ValueError(f"a stack needs a cell without one: {type(cell).__name__} has a {taken[0]} already")
        super().__init__(cell.size, cell.types, cell.max_children, cell.dropout)
        check_choice("merge", merge, ["gated", "sum"])
        check_choice("read", read, ["children", "state"])
        if read == "state" and not cell.takes_factor:
            raise ValueError(
                f"read='state' needs a cell that multiplies its input, not this {type(cell).__name__}: "
                "second-order-tree-rnn, or tree-rnn with integration='product'"
            )
        if slots < 1:
            raise ValueError(f"slots must be at least 1, not {slots}")
        self.cell, self.stack_slots, self.merge, self.read_into = cell, slots, merge, read
        self.decaying = tuple(f"cell.{name}" for name in cell.decaying)
        self.actions = 3 if no_op else 2
        n, gates = cell.size, cell.max_children * cell.size if merge == "gated" else 0
        self.read = TypedLinear(cell.types, n, 1, n, bias=False)
        self.from_input = TypedLinear(cell.types, n, cell.max_children, self.actions + gates)
        self.from_output = TypedLinear(cell.types, n, 1, self.actions + n, bias=False)

    @property
    def parts(self) -> dict[str, tuple[int, ...]]:
        return {**self.cell.parts, "stack": (self.stack_slots, self.size), "actions": (self.actions,)}

    @property
    def dropout_size(self) -> int:
        return self.cell.dropout_size + self.size

    def reset_parameters(self) -> None:
        self.cell.reset_parameters()
        for module in (self.read, self.from_input, self.from_output):
            module.reset_parameters()

    def unpack(self, needed: Sequence[tuple[int, int]]) -> Weights:
        own = {name: getattr(self, name).unpack(needed) for name in ("read", "from_input", "from_output")}
        return {**own, "cell": self.cell.unpack(needed)}

    def step(
        self, weights: Weights, segments: Segments, children: torch.Tensor, dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """See `TreeCell.step`."""
        n, m, k, inner = self.size, children.shape[0], children.shape[1], self.cell.state_size
        masks = (None, None) if dropout_mask is None else torch.split(dropout_mask, [self.cell.dropout_size, n], dim=1)
        # One split has one gradient, where slices would have one each and their sum.
        sizes = [n, *([inner - n] if inner > n else []), self.stack_slots * n, self.actions]
        h, *rest, stacks, _ = torch.split(children, sizes, dim=-1)
        stacks = stacks.reshape(m, k, self.stack_slots, n)
        tops = self.read.apply_segments(weights["read"], stacks[:, :, 0].reshape(-1, n), segments, k)
        hat = h + tops.view(m, k, n)
        if self.read_into == "state":
            new = self.cell.multiply(weights["cell"], segments, h, hat.sum(dim=1), masks[0])
        else:
            h = hat
            new = self.cell.update(weights["cell"], segments, h, rest[0] if rest else None, masks[0])
        seen = self.from_input.apply_segments(weights["from_input"], h.flatten(1), segments)
        said = self.from_output.apply_segments(weights["from_output"], new[:, :n], segments)
        seen, gates = torch.split(seen, [self.actions, seen.shape[1] - self.actions], dim=1)
        said, pushed = torch.split(said, [self.actions, n], dim=1)
        actions = torch.softmax(seen + said, dim=1)
        if self.merge == "gated":
            gates = torch.sigmoid(gates[:, : k * n] if gates.shape[1] > k * n else gates).view(m, k, 1, n)
            merged = (gates * stacks).sum(dim=1)
        else:
            merged = stacks.sum(dim=1)
        pushed = dropped(torch.sigmoid(pushed), masks[1])
        stack = shifted_stack(actions[:, :, None, None], merged, pushed)
        return torch.cat([new, stack.flatten(1), actions], dim=1)
