"""The driver ``dgl``: `dgl.prop_nodes_topo` with message and reduce functions."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import torch

from dgl_mathtree.graphs.plan import LevelPlan, Segment, Segments
from dgl_mathtree.nn.drivers import Driver, register
from dgl_mathtree.nn.drivers.inputs import DriverError
from dgl_mathtree.nn.linear import finished

if TYPE_CHECKING:
    from dgl_mathtree.nn.cell import TreeCell


def run_messages(
    cell: TreeCell, plan: LevelPlan, leaves: torch.Tensor, rows: torch.Tensor, dropout_mask: torch.Tensor | None
) -> torch.Tensor:
    """States of some rows of a plan; for shapes see `dgl_mathtree.nn.drivers.run`."""
    import dgl

    if plan.has_gaps:
        raise DriverError(
            "the driver 'dgl' cannot run plans in which a child is missing before others, as in sequences"
        )
    leaves = torch.nn.functional.pad(leaves, (0, cell.state_size - leaves.shape[1]))
    if not plan.levels:
        return _of_rows(leaves, rows)
    weights = cell.unpack(plan.needed)

    def message(edges: Any) -> dict[str, torch.Tensor]:
        return {"state": edges.src["state"], "pos": edges.data["pos"]}

    def reduce(nodes: Any) -> dict[str, torch.Tensor]:
        states, places = nodes.mailbox["state"], nodes.mailbox["pos"]
        node_type, order = torch.sort(nodes.data["op"], stable=True)
        found, counts = torch.unique_consecutive(node_type, return_counts=True)
        parts = (Segment(t, states.shape[1], c) for t, c in zip(found.tolist(), counts.tolist(), strict=True))
        children = states[order[:, None], torch.argsort(places[order], dim=1)]
        mask = None if dropout_mask is None else nodes.data["mask"][order]
        new = cell.step(weights, Segments(tuple(parts), node_type), children, mask).to(states.dtype)
        return {"state": torch.empty_like(new).index_copy(0, order, new)}

    graph = plan.graph
    with graph.local_scope(), warnings.catch_warnings():
        # The first frontier is the leaves, into which no message goes.
        warnings.filterwarnings("ignore", category=dgl.base.DGLWarning)
        graph.ndata["state"] = torch.nn.functional.pad(leaves, (0, 0, 0, graph.num_nodes() - plan.leaves))
        if dropout_mask is not None:
            graph.ndata["mask"] = dropout_mask.index_select(0, plan.node)
        dgl.prop_nodes_topo(graph, message, reduce)
        states = _of_rows(graph.ndata["state"], rows)
    return finished(states, weights) if states.requires_grad else states


def _of_rows(states: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """The states of some rows, of which 0 is the empty state."""
    return torch.nn.functional.pad(states, (0, 0, 1, 0)).index_select(0, rows)


def _obstacle(cell: TreeCell, dtype: torch.dtype, device: torch.device) -> str | None:
    return "DGL has no graphs on the meta device" if device.type == "meta" else None


register(Driver("dgl", _obstacle, run_messages))
