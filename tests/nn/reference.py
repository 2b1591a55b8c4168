"""Every cell once more, node by node, as plainly as its equations are written: what the real ones are held against."""

from __future__ import annotations

from typing import Any

import torch

from dgl_mathtree.nn import MITreeLSTM, MTreeLSTM, SecondOrderTreeRNN, Stacked, TreeCell, TreeLSTM, TreeRNN, TreeSMU

Tree = tuple[int, list[Any]]  # a node type and children, or ("leaf", vector)
State = dict[str, torch.Tensor]


def affine(layer: Any, node_type: int, x: torch.Tensor) -> torch.Tensor:
    """W x + b with the type's own matrix; a node with fewer children uses the first columns."""
    y = x @ layer.weight[node_type][: len(x)]
    return y if layer.bias is None else y + layer.bias[node_type]


def lstm_update(cell: Any, pre: torch.Tensor, children: list[State]) -> State:
    n, K = cell.size, cell.max_children
    i, o, u = torch.sigmoid(pre[:n]), torch.sigmoid(pre[n : 2 * n]), torch.tanh(pre[(2 + K) * n :])
    c = i * u
    for k, child in enumerate(children):
        c = c + torch.sigmoid(pre[(2 + k) * n : (3 + k) * n]) * child["c"]
    return {"h": o * torch.tanh(c), "c": c}


def gates(cell: Any, node_type: int, h: list[torch.Tensor]) -> torch.Tensor:
    """The gates' preactivations of a cell with a memory."""
    x = torch.cat(h)
    if isinstance(cell, TreeLSTM):
        return affine(cell.gate, node_type, x)
    if isinstance(cell, MTreeLSTM):
        a = affine(cell.view, node_type, x)
        products = []
        for h_k in h:
            mixed = affine(cell.mix, node_type, a + affine(cell.lift, node_type, h_k))
            products.append(a * mixed if cell.integration == "product" else a + mixed)
        return affine(cell.gate, node_type, x) + affine(cell.multiplied, node_type, torch.cat(products))
    assert isinstance(cell, MITreeLSTM)
    wx, uh = affine(cell.pair, node_type, x).chunk(2)
    v = {name: vector[node_type] for name, vector in cell.vectors.items()}
    if cell.integration == "product":
        return wx * uh + v["bias"]
    return v["alpha"] * wx * uh + v["beta_u"] * uh + v["beta_w"] * wx + v["bias"]


def rnn(cell: Any, node_type: int, x: torch.Tensor, state: Any) -> torch.Tensor:
    """A cell without a memory: its input, and what that is multiplied with where the cell multiplies."""
    n = cell.size
    if isinstance(cell, TreeRNN):
        y = affine(cell.layer, node_type, x)
        if cell.integration == "product":
            y = y * affine(cell.factor, node_type, state) + cell.bias[node_type]
        return torch.tanh(y) if cell.activation == "tanh" else torch.sigmoid(y)
    W = cell.bilinear.weight[node_type][: len(x)].view(len(x), n, n)  # b, a, l
    for _ in range(cell.steps):
        y = torch.einsum("bal,a,b->l", W, state, x) + cell.bias[node_type]
        state = torch.tanh(y if cell.linear is None else y + affine(cell.linear, node_type, x))
    return state


def moved(stack: torch.Tensor, pushed: torch.Tensor, actions: list[torch.Tensor]) -> torch.Tensor:
    rows = []
    for k in range(len(stack)):
        above = pushed if k == 0 else stack[k - 1]
        below = stack[k + 1] if k + 1 < len(stack) else torch.zeros_like(pushed)
        row = actions[0] * above + actions[1] * below
        rows.append(row + actions[2] * stack[k] if len(actions) == 3 else row)
    return torch.stack(rows)


def node(cell: TreeCell, node_type: int, children: list[State]) -> State:
    n = cell.size
    x = torch.cat([child["h"] for child in children])
    if isinstance(cell, (TreeRNN, SecondOrderTreeRNN)):
        return {"h": rnn(cell, node_type, x, sum(child["h"] for child in children))}
    if isinstance(cell, TreeSMU):
        raw = affine(cell.gate, node_type, x).view(-1, n)
        count, K = cell.count, cell.max_children
        values = list(raw[:count])
        if cell.normalize:
            softened = torch.stack(values if cell.actions == "softmax" else [torch.sigmoid(v) for v in values])
            values = list(torch.exp(softened) / torch.exp(softened).sum(dim=0))
        else:
            values = [torch.sigmoid(v) for v in values]
        merged = sum(torch.sigmoid(raw[count + k]) * child["stack"] for k, child in enumerate(children))
        stack = moved(merged, torch.tanh(raw[count + K + 1]), values)
        h = torch.sigmoid(raw[count + K]) * torch.tanh(stack[0])
        return {"h": h, "stack": stack, "actions": torch.stack(values)}
    if isinstance(cell, Stacked):
        read = [child["h"] + affine(cell.read, node_type, child["stack"][0]) for child in children]
        h = [child["h"] for child in children] if cell.read_into == "state" else read
        if isinstance(cell.cell, (TreeRNN, SecondOrderTreeRNN)):
            new = {"h": rnn(cell.cell, node_type, torch.cat(h), sum(read))}
        else:
            new = lstm_update(cell.cell, gates(cell.cell, node_type, h), children)
        seen, said = affine(cell.from_input, node_type, torch.cat(h)), affine(cell.from_output, node_type, new["h"])
        scores = torch.exp(seen[: cell.actions] + said[: cell.actions])
        actions = scores / scores.sum()
        merged = torch.zeros_like(children[0]["stack"])
        for k, child in enumerate(children):
            gate = (
                torch.sigmoid(seen[cell.actions + k * n : cell.actions + (k + 1) * n]) if cell.merge == "gated" else 1.0
            )
            merged = merged + gate * child["stack"]
        stack = moved(merged, torch.sigmoid(said[cell.actions :]), list(actions))
        return {**new, "stack": stack, "actions": actions}
    return lstm_update(cell, gates(cell, node_type, [child["h"] for child in children]), children)


def recursion(cell: TreeCell, tree: Any) -> State:
    """The state of the root of a tree, ``(type, children)`` or a leaf's vector."""
    if isinstance(tree, torch.Tensor):
        shapes = cell.parts
        return {"h": tree, **{name: tree.new_zeros(shape) for name, shape in shapes.items() if name != "h"}}
    node_type, children = tree
    return node(cell, node_type, [recursion(cell, child) for child in children])
