"""What batches of equations and of other trees have in common: nodes as arrays, their plan, and the way to a device."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.graphs.plan import LevelPlan
from dgl_mathtree.graphs.transfer import all_on_device, on_device, same_device

Ints = NDArray[Any]
Batch = TypeVar("Batch", bound="NodeBatch")


@dataclass(frozen=True, eq=False)
class NodeBatch:
    """Nodes of many trees as one graph, with the plan to compute it.

    Attributes
    ----------
    node_types : numpy.ndarray
        (nodes,), the type of each node.
    word : numpy.ndarray
        (nodes,), the number of each node's word; what it counts is up to the kind of batch.
    children : numpy.ndarray
        (nodes, child_slots), the children of each node, -1 where there is none.
    plan : LevelPlan
        The order in which the nodes are computed.
    node : numpy.ndarray
        (nodes,), the node that each stands for in what the batch was cut from.
    """

    WORD: ClassVar[str] = "word"
    """What `word` is called among the node data of `graph`."""
    MOVED: ClassVar[tuple[str, ...]] = ("leaf_words",)
    """The tensors that go to a device with the plan."""

    node_types: Ints
    word: Ints
    children: Ints
    plan: LevelPlan
    node: Ints

    @cached_property
    def graph(self) -> Any:
        """The DGLGraph of the nodes: edges from child to parent, `op`, the number of the word, and `pos` on edges."""
        import dgl

        parents, places = np.nonzero(self.children >= 0)
        edges = torch.from_numpy(self.children[parents, places].astype(np.int64)), torch.from_numpy(parents)
        graph = dgl.graph(edges, num_nodes=self.num_nodes())
        graph.ndata["op"] = torch.from_numpy(self.node_types)
        graph.ndata[self.WORD] = torch.from_numpy(self.word)
        graph.edata["pos"] = torch.from_numpy(places)
        return graph

    def to(self: Batch, device: torch.device | str) -> Batch:
        """The batch with its plan on a device, by one copy that nobody waits for; roots stay on the host."""
        if same_device(self.plan.device, device):
            return self
        plan = self.plan.to("cpu")
        here = self if plan is self.plan else dataclasses.replace(self, plan=plan)
        parts = [plan.tensors, plan.grouped.tensors, [getattr(here, name) for name in self.MOVED]]
        arrived = iter(all_on_device([tensor for part in parts for tensor in part], device))
        own, grouped, cached = ([next(arrived) for _ in part] for part in parts)
        moved = plan.with_tensors(own)
        moved.__dict__["grouped"] = plan.grouped.with_tensors(grouped)
        batch = dataclasses.replace(self, plan=moved)
        batch.__dict__.update(zip(self.MOVED, cached, strict=True))
        batch.__dict__["leaf_words_on_host"] = here.leaf_words_on_host
        return batch

    @cached_property
    def leaf_words(self) -> torch.Tensor:
        """(plan.leaves,), the number of each leaf's word in the order of the plan, on the device of the plan."""
        return on_device(torch.from_numpy(self.leaf_words_on_host), self.plan.device)

    @cached_property
    def leaf_words_on_host(self) -> Ints:
        """The same on the host."""
        return np.asarray(self.word[self.plan.to("cpu").node[: self.plan.leaves].numpy()])

    def num_nodes(self) -> int:
        """How many nodes there are, by the name that it has on a DGLGraph."""
        return len(self.node_types)
