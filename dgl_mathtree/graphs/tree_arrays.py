"""Many trees as arrays, of which batches are cut: each tree with nodes of its own, or identical subtrees once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.graphs.node_batch import NodeBatch
from dgl_mathtree.graphs.plan_check import GraphError
from dgl_mathtree.graphs.planning import level_plan
from dgl_mathtree.graphs.transfer import on_device
from dgl_mathtree.language.interning import distinct, distinct_nodes, intern_nodes, ranges, sorted_distinct

Ints = NDArray[Any]


@dataclass(frozen=True, eq=False)
class TreeBatch(NodeBatch):
    """Trees as one graph, with the plan to compute it; `batch_trees` and `TreeDataset.batch` make it.

    Attributes
    ----------
    node_types : numpy.ndarray
        (nodes,), the type of each node; that of a leaf does not matter.
    word : numpy.ndarray
        (nodes,), the number of each leaf's symbol, -1 for other nodes; with feature vectors, that of its vector.
    children : numpy.ndarray
        (nodes, child_slots), the children of each node, -1 where there is none.
    plan : LevelPlan
        The order in which the nodes are computed.
    node : numpy.ndarray
        (nodes,), the node that each stands for in the data set or the graph that the batch was cut from.
    roots : torch.Tensor
        (trees,), the node of each tree's root.
    feat : torch.Tensor or None
        (plan.leaves, f), the feature vectors of the leaves in the order of the plan, on its device.
    """

    WORD: ClassVar[str] = "symbol"
    MOVED: ClassVar[tuple[str, ...]] = ("root_rows", "leaf_words")

    roots: torch.Tensor
    feat: torch.Tensor | None = None

    def __len__(self) -> int:
        return len(self.roots)

    @cached_property
    def root_rows(self) -> torch.Tensor:
        """(trees,), the rows of the roots in the plan, on its device."""
        return self.plan.row.index_select(0, on_device(self.roots, self.plan.device))

    @cached_property
    def graph(self) -> Any:
        """The DGLGraph of the trees: edges from child to parent, `op`, `symbol` or `feat` of nodes, `pos` of edges."""
        graph = super().graph
        if self.feat is not None:
            del graph.ndata[self.WORD]
            feat = self.feat.new_zeros(self.num_nodes(), self.feat.shape[1])
            leaves = self.plan.node[: self.plan.leaves]
            graph.ndata["feat"] = feat.index_copy(0, leaves, self.feat)
        return graph

    def to(self, device: torch.device | str) -> TreeBatch:
        """The batch with its plan and features on a device, by copies that nobody waits for; `roots` stay here."""
        moved = super().to(device)
        if moved is self or self.feat is None:
            return moved
        cached = {name: moved.__dict__[name] for name in (*self.MOVED, "leaf_words_on_host")}
        moved = replace(moved, feat=on_device(self.feat, device))
        moved.__dict__.update(cached)
        return moved


@dataclass(frozen=True, eq=False)
class TreeArrays:
    """Trees as arrays.

    Attributes
    ----------
    node_types : numpy.ndarray
        (nodes,), the type of each node.
    word : numpy.ndarray
        (nodes,), the number of each leaf's symbol, or its row of `feat`; -1 for other nodes.
    children : numpy.ndarray
        (nodes, child_slots), the children of each node in order, -1 where there is none.
    height : numpy.ndarray
        (nodes,), the height of each node, 0 for leaves.
    roots : numpy.ndarray
        (trees,), the root of each tree.
    offsets : numpy.ndarray
        (trees + 1,), where the nodes of each tree start: in `members`, or if there is none, among all nodes.
    members : numpy.ndarray, optional
        The nodes of every tree, tree after tree, where trees share nodes.
    feat : torch.Tensor, optional
        (vectors, f), feature vectors of leaves.

    Examples
    --------
    >>> from dgl_mathtree.graphs.plain_trees import read_trees
    >>> trees = read_trees([(0, 1, (0, 1, 2)), (0, 1, 2)])
    >>> trees.children[trees.roots].tolist(), trees.height.tolist()
    ([[1, 2], [6, 7]], [2, 0, 1, 0, 0, 1, 0, 0])
    >>> len(trees.shared().node_types)
    4
    """

    node_types: Ints
    word: Ints
    children: Ints
    height: Ints
    roots: Ints
    offsets: Ints
    members: Ints | None = None
    feat: torch.Tensor | None = None

    def __len__(self) -> int:
        return len(self.roots)

    @cached_property
    def sizes(self) -> Ints:
        """(trees,), how many nodes each tree has; where nodes are shared, how many distinct ones."""
        return np.diff(self.offsets)

    def shared(self) -> TreeArrays:
        """The same trees with one node for all identical subtrees: of one type and symbol, or equal features."""
        types = int(self.node_types.max(initial=0)) + 1
        word = np.where(self.word < 0, self.node_types, types + self._distinct_leaves())
        first, node = intern_nodes(word, int(word.max(initial=0)) + 1, self.children, self.height)
        owner = np.repeat(np.arange(len(self)), self.sizes)
        pairs = np.sort(owner * len(first) + (node if self.members is None else node[self.members]))
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # each tree's nodes, each once
        owner = pairs // max(len(first), 1)
        below = self.children[first]
        return TreeArrays(
            node_types=self.node_types[first],
            word=self.word[first],
            children=np.where(below >= 0, node[below], -1),
            height=self.height[first],
            roots=node[self.roots],
            offsets=np.searchsorted(owner, np.arange(len(self) + 1)),
            members=pairs - owner * len(first),
            feat=self.feat,
        )

    def _distinct_leaves(self) -> Ints:
        """(nodes,), the same number for leaves that are equal; -1 for other nodes."""
        if self.feat is None:
            return self.word
        rows = np.ascontiguousarray(self.feat.detach().numpy())
        _, which = distinct(
            np.unique(rows.view(f"V{rows.dtype.itemsize * rows.shape[1]}"), return_inverse=True)[1].reshape(-1)
        )
        return np.where(self.word < 0, -1, which[self.word])

    def take(self, trees: Sequence[int] | Ints) -> tuple[TreeArrays, Ints]:
        """Some of the trees, given by index; and for each of their nodes the node that it is here."""
        chosen = np.asarray(trees, dtype=np.int64).reshape(-1)
        wrong = chosen[(chosen < 0) | (chosen >= len(self))]
        if len(wrong):
            raise GraphError(f"there is no tree {int(wrong[0])}: trees are 0 to {len(self) - 1}")
        nodes = ranges(self.offsets, chosen)
        offsets = np.concatenate([[0], np.cumsum(self.sizes[chosen])])
        if self.members is None:
            shift = offsets[:-1] - self.offsets[chosen]
            below = self.children[nodes]
            children = np.where(below >= 0, below + np.repeat(shift, self.sizes[chosen])[:, None], -1)
            roots, members = self.roots[chosen] + shift, None
        else:
            members = self.members[nodes]
            nodes, local = distinct_nodes(members, len(self.node_types))
            below = self.children[nodes]
            children = np.where(below >= 0, local(below), -1)
            roots, members = local(self.roots[chosen]), local(members)
        part = TreeArrays(
            node_types=self.node_types[nodes],
            word=self.word[nodes],
            children=children,
            height=self.height[nodes],
            roots=roots,
            offsets=offsets,
            members=members,
            feat=self.feat,
        )
        return part, nodes

    def batch(self, trees: Sequence[int] | Ints | None = None) -> TreeBatch:
        """A batch of some of the trees, given by index; by default of all."""
        part, nodes = (self, np.arange(len(self.node_types))) if trees is None else self.take(trees)
        if not len(part):
            raise GraphError("a batch needs at least one tree")
        plan = level_plan(part.node_types, part.children, part.height).trusted()
        roots = part.roots.astype(np.int64, copy=False)
        leaf_words = part.word[plan.node.numpy()[: plan.leaves]]
        feat = None if self.feat is None else self.feat.index_select(0, torch.from_numpy(leaf_words))
        batch = TreeBatch(
            node_types=part.node_types,
            word=part.word,
            children=part.children,
            plan=plan,
            node=nodes,
            roots=torch.from_numpy(roots),
            feat=feat,
        )
        # Made here, where a thread may make the next batch, and from arrays, on which small steps cost less.
        batch.__dict__.update(
            root_rows=torch.from_numpy(plan.row.numpy()[roots]),
            leaf_words_on_host=leaf_words,
            leaf_words=torch.from_numpy(leaf_words),
        )
        return batch


def grouped_by_tree(arrays: TreeArrays, owner: Ints) -> TreeArrays:
    """The same trees with the nodes of each side by side.

    Parameters
    ----------
    arrays : TreeArrays
        Without `offsets`, whatever is in their place.
    owner : numpy.ndarray
        (nodes,), a number for each node that is the same in a tree and grows with the trees.
    """
    order = np.argsort(owner, kind="stable")
    rank = np.empty(len(order) + 1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = -1  # where a missing child, -1, is found
    owner = owner[order]
    return replace(
        arrays,
        node_types=arrays.node_types[order],
        word=arrays.word[order],
        children=rank[arrays.children[order]],
        height=arrays.height[order],
        roots=rank[arrays.roots],
        offsets=np.append(np.flatnonzero(np.diff(owner, prepend=-1)), len(owner)),
    )


def with_members(arrays: TreeArrays) -> TreeArrays:
    """The same trees with `offsets` and `members` set: the nodes of each tree, found from its root."""
    count = len(arrays.node_types)
    pairs = [np.arange(len(arrays)) * count + arrays.roots]
    while len(pairs[-1]):
        below = arrays.children[pairs[-1] % count]
        owner = np.broadcast_to(pairs[-1][:, None] // count, below.shape)
        pairs.append(sorted_distinct(owner[below >= 0] * count + below[below >= 0]))
    found = sorted_distinct(np.concatenate(pairs))
    offsets = np.searchsorted(found // count, np.arange(len(arrays) + 1))
    return replace(arrays, offsets=offsets, members=found % count)
