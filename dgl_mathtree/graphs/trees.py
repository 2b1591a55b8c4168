"""Equations as DGL graphs: a node a subexpression, an edge from each child to its parent.

Node data: `op`, the node's type (an index into `NODE_TYPES`: operators, the equality, and the kinds of leaves);
`symbol`, which leaf it is (an index into the vocabulary given), -1 for operators; and `text`, the node's word itself,
by which models read a graph (`graphs.node_words`). Edge data: `pos`, the place of the child among its siblings;
nothing else tells the order of children.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from dgl_mathtree.graphs.node_words import TEXT, read_equations, read_words, text_width, word_rows
from dgl_mathtree.graphs.plan_check import GraphError
from dgl_mathtree.language import Equation, Forest, VocabularyError
from dgl_mathtree.language.expr import Words, subtree_ends
from dgl_mathtree.language.vocabulary import ARITY, CONSTANTS, EQUALITY, OPERATORS, is_variable

LEAF_TYPES = ("Variable", "Integer", "Rational", "Decimal", "Constant")
NODE_TYPES = (*OPERATORS, EQUALITY, *LEAF_TYPES)
SYMBOLS = tuple("-1 -1/2 -2 -3 0 0.7 1 1/2 2 2/5 3 4 pi w x y z".split())
"""The leaves of the data set `paper`, in the order of their ids."""
_TYPE_IDS = {name: k for k, name in enumerate(NODE_TYPES)}


@lru_cache(maxsize=65536)
def node_type(word: str) -> int:
    """The type of a word's node.

    Examples
    --------
    >>> [NODE_TYPES[node_type(word)] for word in ("sin", "x", "-1", "1/2", "0.7", "pi")]
    ['sin', 'Variable', 'Integer', 'Rational', 'Decimal', 'Constant']
    """
    if word in _TYPE_IDS:
        return _TYPE_IDS[word]
    if word in CONSTANTS:
        name = "Constant"
    elif is_variable(word):
        name = "Variable"
    else:
        name = "Rational" if "/" in word else "Decimal" if "." in word else "Integer"
    return _TYPE_IDS[name]


def _symbol_ids(words: Sequence[str], symbols: Sequence[str]) -> list[int]:
    """For each word its index among the symbols, -1 for operators."""
    ids = {symbol: k for k, symbol in enumerate(symbols)}
    try:
        return [-1 if word in ARITY else ids[word] for word in words]
    except KeyError as error:
        raise VocabularyError(f"{error.args[0]} is not among the symbols {', '.join(symbols)}") from None


def to_graph(equation: Equation, symbols: Sequence[str] = SYMBOLS) -> Any:
    """The graph of one equation. Node 0 is the root and nodes are in prefix order.

    Parameters
    ----------
    equation : Equation
        Any whose leaves are among the symbols.
    symbols : sequence of str
        The leaves that may occur, in the order of their ids; by default those of the data set `paper`.

    Returns
    -------
    DGLGraph

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> graph = to_graph(parse_equation("x + 1 = 1"))
    >>> [NODE_TYPES[node_type] for node_type in graph.ndata["op"]]
    ['Equality', 'Add', 'Variable', 'Integer', 'Integer']
    >>> torch.stack([*graph.edges(), graph.edata["pos"]]).tolist()  # children, parents, places
    [[1, 4, 2, 3], [0, 0, 1, 1], [0, 1, 0, 1]]
    """
    import dgl

    words = equation.words
    children, parents, places = _edges(words)
    graph = dgl.graph((torch.tensor(children), torch.tensor(parents)), num_nodes=len(words), idtype=torch.int64)
    graph.ndata["op"] = torch.tensor([node_type(word) for word in words])
    ids = _symbol_ids(words, symbols)
    graph.ndata["symbol"] = torch.tensor(ids)
    graph.ndata[TEXT] = word_rows(words, ids, text_width(symbols))
    graph.edata["pos"] = torch.tensor(places)
    return graph


def _edges(words: Words) -> tuple[list[int], list[int], list[int]]:
    ends = subtree_ends(words)
    children, parents, places = [], [], []
    for at, word in enumerate(words):
        child = at + 1
        for place in range(ARITY.get(word, 0)):
            children.append(child)
            parents.append(at)
            places.append(place)
            child = ends[child]
    return children, parents, places


def to_equation(graph: Any, symbols: Sequence[str] | None = None, root: int = 0) -> Equation:
    """The equation below a node of a graph such as `to_graph` or `forest_graph` makes.

    Parameters
    ----------
    graph : DGLGraph
        With ``text``, or with ``op`` and ``symbol`` alone.
    symbols : sequence of str, optional
        The leaves that ``symbol`` counts, for a graph without ``text``.
    root : int
        The node of the equation.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> print(to_equation(to_graph(parse_equation("sin(x)^2 = 1"))))
    sin(x)^2 = 1
    """
    with graph.local_scope():
        own = read_equations(graph, read_words(graph), [root]) if TEXT in graph.ndata else None
        if symbols is not None:
            add_words(graph, symbols)
        (found,) = read_equations(graph, read_words(graph), [root])
    if own not in (None, [found]):
        raise GraphError(f"the graph says {own[0]}; by the symbols given it would be {found}")
    return found


def add_words(graph: Any, symbols: Sequence[str], node_types: Sequence[str] = NODE_TYPES) -> None:
    """Give a graph the words that its numbers stand for: one made by hand, or exported before graphs had ``text``.

    Parameters
    ----------
    graph : DGLGraph
        With ``op`` and ``symbol``; ``text`` is written.
    symbols : sequence of str
        The leaves that ``symbol`` counts: the list of this name in the JSON file beside exported graphs.
    node_types : sequence of str
        What ``op`` counts: the list ``op`` of the same file.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> graph = to_graph(parse_equation("x = y"), ["x", "y"])
    >>> add_words(graph, ["a", "b"])
    >>> print(to_equation(graph))
    a = b
    """
    numbers = []
    for name in ("op", "symbol"):
        if name not in graph.ndata:
            raise GraphError(f"the graph has no node data {name!r}")
        if graph.ndata[name].dim() != 1 or graph.ndata[name].is_floating_point():
            raise GraphError(f"{name!r} must hold one whole number for each node")
        numbers.append(graph.ndata[name].tolist())
    words = []
    for node, (kind, symbol) in enumerate(zip(*numbers, strict=True)):
        if not 0 <= kind < len(node_types) or not -1 <= symbol < len(symbols):
            raise GraphError(f"node {node}: op {kind} or symbol {symbol} is not in the lists given")
        name = node_types[kind]
        leaf = symbols[symbol] if symbol >= 0 else ""
        if (name in ARITY) == bool(leaf) or (leaf and NODE_TYPES[node_type(leaf)] != name):
            raise GraphError(f"node {node} contradicts itself: its type is {name}, its symbol is {leaf or 'none'}")
        words.append(leaf or name)
    graph.ndata[TEXT] = word_rows(words, numbers[1], text_width(symbols)).to(graph.device)


def forest_graph(forest: Forest, symbols: Sequence[str]) -> tuple[Any, torch.Tensor]:
    """One graph for all equations of a forest, identical subtrees once, and the node of each equation's root.

    Parameters
    ----------
    forest : Forest
        Its nodes are the graph's first.
    symbols : sequence of str
        The leaves that may occur, in the order of their ids.

    Returns
    -------
    DGLGraph
    torch.Tensor
        (equations,)
    """
    import dgl

    count, equations = len(forest), len(forest.equations)
    below = np.concatenate([forest.children, forest.equations])
    parents, places = np.nonzero(below >= 0)
    graph = dgl.graph((torch.from_numpy(below[parents, places].astype(np.int64)), torch.from_numpy(parents)))
    if graph.num_nodes() < count + equations:
        graph.add_nodes(count + equations - graph.num_nodes())
    used = np.unique(forest.word)
    types, leaves = np.full(len(forest.words), -1), np.full(len(forest.words), -1)
    types[used] = [node_type(forest.words[word]) for word in used]
    leaves[used] = _symbol_ids([forest.words[word] for word in used], symbols)
    roots = np.full(equations, _TYPE_IDS[EQUALITY])
    graph.ndata["op"] = torch.from_numpy(np.concatenate([types[forest.word], roots]))
    graph.ndata["symbol"] = torch.from_numpy(np.concatenate([leaves[forest.word], np.full(equations, -1)]))
    texts = word_rows((*forest.words, EQUALITY), (*leaves.tolist(), -1), text_width(symbols))
    graph.ndata[TEXT] = texts[np.concatenate([forest.word, np.full(equations, len(forest.words))])]
    graph.edata["pos"] = torch.from_numpy(places)
    return graph, torch.arange(count, count + equations)
