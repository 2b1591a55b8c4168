"""A batch of equations as one graph, cut from a forest without a loop over equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.graphs.node_batch import NodeBatch
from dgl_mathtree.graphs.node_words import TEXT, read_words
from dgl_mathtree.graphs.plan_check import GraphError, check_kinds
from dgl_mathtree.graphs.planning import level_plan
from dgl_mathtree.graphs.transfer import on_device
from dgl_mathtree.graphs.trees import NODE_TYPES, node_type
from dgl_mathtree.language import Forest
from dgl_mathtree.language.vocabulary import EQUALITY, OPERATOR_NAMES, OPERATORS

Ints = NDArray[Any]
_EQUALITY = NODE_TYPES.index(EQUALITY)


@dataclass(frozen=True, eq=False)
class EquationBatch(NodeBatch):
    """Sides of equations as one graph of expressions, with the plan to compute it and the meaning of its numbers.

    Attributes
    ----------
    node_types : numpy.ndarray
        (nodes,), the type of each node: the place of its operator in `operators`, or beyond them that of a leaf.
    word : numpy.ndarray
        (nodes,), the index of each node's word in `words`.
    children : numpy.ndarray
        (nodes, 2), the children of each node, -1 where there is none.
    plan : LevelPlan
        The order in which the nodes are computed.
    node : numpy.ndarray
        (nodes,), the forest's node that each stands for.
    sides : torch.Tensor
        (equations, 2), the nodes of the left and right sides.
    words : tuple of str
        The words of the forest.
    operators : tuple of str
        The operators in the order of their node types.
    """

    MOVED = ("side_nodes", "side_rows", "leaf_words")

    sides: torch.Tensor
    words: tuple[str, ...]
    operators: tuple[str, ...]

    def with_rows(self, side_rows: Ints, leaf_words: Ints) -> EquationBatch:
        """The batch itself, which is told the rows of its sides and the words of its leaves when it is made.

        A thread may make the next batch, and small steps on arrays cost less than on tensors.
        """
        self.__dict__.update(
            side_nodes=self.sides.view(-1),
            side_rows=torch.from_numpy(side_rows),
            leaf_words_on_host=leaf_words,
            leaf_words=torch.from_numpy(leaf_words),
        )
        return self

    @cached_property
    def side_nodes(self) -> torch.Tensor:
        """(2 * equations,), the nodes of the left and right sides in turn, on the device of the plan."""
        return on_device(self.sides.reshape(-1), self.plan.device)

    @cached_property
    def side_rows(self) -> torch.Tensor:
        """(2 * equations,), the rows of `side_nodes` in the plan."""
        return self.plan.row.index_select(0, self.side_nodes)

    def __len__(self) -> int:
        return len(self.sides)

    def check_operators(self, operators: tuple[str, ...]) -> None:
        """Refuse to be read by a model that numbers the operators in another way.

        Raises
        ------
        GraphError
            With the first operator that differs.
        """
        if self.operators == operators:
            return
        longest = max(len(self.operators), len(operators))
        mine, theirs = ((*names, *["none"] * (longest - len(names))) for names in (self.operators, operators))
        at = next(k for k in range(longest) if mine[k] != theirs[k])
        raise GraphError(
            f"the batch was made for other operators: its node type {at} is {mine[at]}, that of the model is "
            f"{theirs[at]}; make it with the model's own batch(forest, equations)"
        )


def type_table(words: Sequence[str], operators: Sequence[str] = OPERATOR_NAMES) -> Ints:
    """The node type of each word: an operator's place among those given, or after them that of any other word.

    Examples
    --------
    >>> type_table(["sin", "cos", "x", "2"], operators=["cos", "sin"]).tolist()
    [1, 0, 3, 4]
    """
    return np.array(types_of_words(tuple(words), tuple(operators)))


@lru_cache(maxsize=64)
def types_of_words(words: tuple[str, ...], operators: tuple[str, ...]) -> Ints:
    """The same, made once and for reading only."""
    places = {name: k for k, name in enumerate(operators)}
    beyond = len(OPERATORS) - len(places)
    types = [places.get(word, max(node_type(word) - beyond, len(places))) for word in words]
    table = np.array(types, dtype=np.int64)
    table.setflags(write=False)
    return table


def batch_graph(
    forest: Forest,
    equations: Sequence[int] | NDArray[Any],
    share: bool = True,
    operators: Sequence[str] = OPERATOR_NAMES,
) -> EquationBatch:
    """A batch of a forest's equations.

    Parameters
    ----------
    forest : Forest
        Holds the equations.
    equations : sequence of int
        Their indices.
    share : bool
        Identical subtrees become one node; else every equation has trees of its own.
    operators : sequence of str
        The operators in the order of their node types, as the model that will read the batch has them.

    Returns
    -------
    EquationBatch

    Examples
    --------
    >>> from dgl_mathtree.language import Forest, parse_equation
    >>> forest = Forest.of([parse_equation("sin(x) + sin(x) = 2*sin(x)")])
    >>> [batch_graph(forest, [0], share=share).num_nodes() for share in (True, False)]
    [5, 9]
    """
    equations, operators = np.asarray(equations), tuple(operators)
    if len(equations) == 0:
        raise GraphError("a batch needs at least one equation")
    if share:
        nodes, children, sides = forest.cut(equations)
    else:
        nodes, children, sides = _trees(forest, equations)
    word, height, sides = forest.word.take(nodes).astype(np.int64), forest.height.take(nodes), sides.astype(np.int64)
    node_types = types_of_words(forest.words, operators).take(word)
    plan = level_plan(node_types, children, height).trusted()
    parts = node_types, word, children, plan, nodes, torch.from_numpy(sides), forest.words, operators
    return EquationBatch(*parts).with_rows(
        plan.row.numpy().take(sides.reshape(-1)), word.take(plan.node.numpy()[: plan.leaves])
    )


def _trees(forest: Forest, equations: Ints) -> tuple[Ints, Ints, Ints]:
    """Every equation's two trees, node by node: forest ids, children among the new nodes, and the sides."""
    level = forest.equations[equations].reshape(-1)
    sides = np.arange(len(level)).reshape(-1, 2)
    nodes, tables = [level], []
    count = len(level)
    while len(level):
        below = forest.children[level]
        present = below >= 0
        table = np.full(below.shape, -1, dtype=np.int64)
        table[present] = count + np.arange(present.sum())
        tables.append(table)
        level = below[present]
        nodes.append(level)
        count += len(level)
    return np.concatenate(nodes), np.concatenate(tables), sides


def split_roots(graph: Any) -> tuple[Any, torch.Tensor]:
    """A graph of equations, such as `dgl.batch` of `to_graph`, as its expressions alone and the nodes of the sides.

    Equations are told by their words where the graph has them, else by the number of the type Equality.
    """
    import dgl

    check_kinds(graph)
    is_root = _is_equality(graph)
    roots = torch.nonzero(is_root).reshape(-1)
    if len(roots) == 0:
        raise GraphError("the graph has no equation: no node is of type Equality")
    if bool((graph.in_degrees(roots.to(graph.idtype)) != 2).any()):
        raise GraphError("an equation has two sides: a node of type Equality has another number of children")
    children, _, edges = graph.in_edges(roots.to(graph.idtype), form="all")
    children, edges = children.long(), edges.long()
    order = torch.argsort(graph.edata["pos"][edges].reshape(-1, 2), dim=1)
    sides = torch.gather(children.reshape(-1, 2), 1, order)
    if bool(is_root[sides].any()):
        raise GraphError("an equation cannot be a side of an equation")
    new = torch.cumsum(~is_root, 0) - 1
    return dgl.node_subgraph(graph, ~is_root), new[sides]


def _is_equality(graph: Any) -> torch.Tensor:
    """(nodes,) whether each is the equals sign of an equation."""
    if TEXT in graph.ndata:
        found = read_words(graph)
        return torch.from_numpy((np.array(found.words) == EQUALITY)[found.of_node]).to(graph.device)
    if "op" not in graph.ndata:
        raise GraphError("the graph has no node data 'op'")
    is_root: torch.Tensor = graph.ndata["op"] == _EQUALITY
    return is_root
