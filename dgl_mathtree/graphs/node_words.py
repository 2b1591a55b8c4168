"""The words of a graph's nodes, kept as node data that DGL saves, loads and batches with the graph.

`op` and `symbol` are numbers, which mean something only beside the lists that they count: `NODE_TYPES`, and the
vocabulary that a graph was made with. Neither comes with a graph that `dgl.load_graphs` gives. `text` holds the word of
each node itself, so a model can read a graph whoever numbered its leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.graphs.plan_check import GraphError, check_kinds
from dgl_mathtree.language import Equation
from dgl_mathtree.language.vocabulary import ARITY, OPERATOR_NAMES, is_leaf

TEXT = "text"
STEP, NUMBER = 16, 4
"""Bytes of a row, or a multiple for a vocabulary of long words, as `dgl.batch` wants equal widths; those at its end for
the number of the symbol.
"""
MOST_NODES = 1_000_000
"""Nodes that an equation may have once the subtrees that it shares are written out."""
_OPERATOR_IDS = {name: k for k, name in enumerate(OPERATOR_NAMES)}


class NodeWords(NamedTuple):
    """The words of a graph: those that occur, and (nodes,) which of them each node is."""

    words: tuple[str, ...]
    of_node: NDArray[np.int64]


def text_width(symbols: Sequence[str]) -> int:
    """The bytes that `text` needs for each node of a graph with these leaves."""
    longest = max(map(len, (*ARITY, *symbols)))  # words are ASCII
    return -(-(longest + NUMBER) // STEP) * STEP


def word_rows(words: Sequence[str], symbols: Sequence[int], width: int) -> torch.Tensor:
    """(words, width) uint8: each word in UTF-8 filled up with zeros, and its number among the symbols in 4 bytes.

    The number tells whether `symbol` was changed since.

    Examples
    --------
    >>> word_rows(["sin", "x"], [-1, 2], 8).tolist()
    [[115, 105, 110, 0, 255, 255, 255, 255], [120, 0, 0, 0, 2, 0, 0, 0]]
    """
    texts = (word.encode().ljust(width - NUMBER, b"\0") for word in words)
    numbers = (symbol.to_bytes(NUMBER, "little", signed=True) for symbol in symbols)
    content = b"".join(text + number for text, number in zip(texts, numbers, strict=True))
    return torch.frombuffer(bytearray(content), dtype=torch.uint8).reshape(len(words), width)


def read_words(graph: Any) -> NodeWords:
    """The words of a graph's nodes, as `text` says.

    Parameters
    ----------
    graph : DGLGraph
        From `to_graph`, `forest_graph` or `mathtree export`, batched or not.

    Returns
    -------
    NodeWords

    Raises
    ------
    GraphError
        Where the graph does not say what its words are, or contradicts itself.
    """
    check_kinds(graph)
    if TEXT not in graph.ndata:
        raise GraphError(
            f"the graph does not say which words its numbers stand for: it has no node data {TEXT!r}; export the data "
            "again, or add the words with dgl_mathtree.graphs.add_words(graph, symbols)"
        )
    rows = graph.ndata[TEXT]
    if rows.dim() != 2 or rows.dtype != torch.uint8 or rows.shape[1] <= NUMBER:
        raise GraphError(f"{TEXT!r} must hold the bytes of a word for each node, as uint8 of the shape (nodes, bytes)")
    content = np.ascontiguousarray(rows[:, :-NUMBER].cpu().numpy())
    cells = content.view(f"V{content.shape[1]}").reshape(-1)
    _, first, index = np.unique(cells, return_index=True, return_inverse=True)
    words = tuple(_decoded(content[node].tobytes(), node) for node in first.tolist())
    found = NodeWords(words, index.reshape(-1).astype(np.int64))
    _check_children(graph, found)
    _check_numbers(graph, found)
    return found


def _decoded(row: bytes, node: int) -> str:
    try:
        word = row.rstrip(b"\0").decode("utf-8")
    except UnicodeDecodeError:
        raise GraphError(f"the {TEXT!r} of node {node} is not UTF-8") from None
    if word not in ARITY and not is_leaf(word):
        raise GraphError(
            f"the {TEXT!r} of node {node} is {word!r:.40}, which is not an operator, number, constant or variable"
        )
    return word


def _check_children(graph: Any, found: NodeWords) -> None:
    wanted = np.array([ARITY.get(word, 0) for word in found.words], dtype=np.int64)[found.of_node]
    there = graph.in_degrees().cpu().numpy()
    for node in np.flatnonzero(wanted != there)[:1].tolist():
        word = found.words[found.of_node[node]]
        if word == "Equality":
            raise GraphError(f"an equation has two sides: node {node}, of type Equality, has {there[node]} children")
        raise GraphError(f"node {node} is {word} and needs {wanted[node]} children; it has {there[node]}")


def _check_numbers(graph: Any, found: NodeWords) -> None:
    """Refuse a graph whose numbers were changed and no longer say the same as its words."""
    if "op" in graph.ndata:
        ids = np.array([_OPERATOR_IDS.get(word, -1) for word in found.words])[found.of_node]
        op = graph.ndata["op"].cpu().numpy()
        if op.shape != ids.shape:
            raise GraphError("'op' must hold one whole number for each node")
        for node in np.flatnonzero((ids >= 0) & (ids != op))[:1].tolist():
            _contradiction(node, "op", int(op[node]), found)
    if "symbol" in graph.ndata:
        symbol = graph.ndata["symbol"].cpu().numpy()
        if symbol.shape != found.of_node.shape:
            raise GraphError("'symbol' must hold one whole number for each node")
        numbers = np.ascontiguousarray(graph.ndata[TEXT][:, -NUMBER:].cpu().numpy()).view("<i4").reshape(-1)
        for node in np.flatnonzero(symbol != numbers)[:1].tolist():
            _contradiction(node, "symbol", int(symbol[node]), found)


def _contradiction(node: int, name: str, number: int, found: NodeWords) -> None:
    word = found.words[found.of_node[node]]
    raise GraphError(
        f"node {node} contradicts itself: its {TEXT!r} is {word!r}, but its {name!r} is {number}, another word's; "
        f"change both together, with dgl_mathtree.graphs.add_words(graph, symbols), or remove {name!r}"
    )


def read_equations(graph: Any, found: NodeWords, roots: Sequence[int]) -> list[Equation]:
    """The equations below some nodes of a graph without cycles.

    Parameters
    ----------
    graph : DGLGraph
        With ``pos`` on its edges.
    found : NodeWords
        Its words.
    roots : sequence of int
        The nodes of the equations.
    """
    below: dict[int, list[tuple[int, int]]] = {}
    children, parents = graph.edges()
    for child, parent, place in zip(children.tolist(), parents.tolist(), graph.edata["pos"].tolist(), strict=True):
        below.setdefault(parent, []).append((place, child))
    ordered = {node: [child for _, child in sorted(those, reverse=True)] for node, those in below.items()}
    index = found.of_node.tolist()
    equations = []
    for root in roots:
        words, stack = [], [root]
        while stack:
            node = stack.pop()
            words.append(found.words[index[node]])
            stack.extend(ordered.get(node, ()))
            if len(words) > MOST_NODES:
                raise GraphError(f"the equation at node {root} has more than {MOST_NODES:,} nodes, shared ones counted")
        equations.append(Equation.from_words(words))
    return equations
