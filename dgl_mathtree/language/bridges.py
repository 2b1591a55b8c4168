"""To and from SymPy, without simplifying, and to and from NetworkX, with the order of children kept."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import networkx as nx

from dgl_mathtree.language.expr import Equation, Expr, Tree, subtree_ends
from dgl_mathtree.language.vocabulary import (
    ARITY,
    CONSTANTS,
    EQUALITY,
    OPERATORS,
    VocabularyError,
    check_leaf,
    is_integer,
    is_variable,
    negated,
    number_word,
)

_BY_SYMPY_NAME = {operator.sympy: name for name, operator in OPERATORS.items()}


def _sympy() -> Any:
    try:
        import sympy
    except ImportError as error:
        raise ImportError("this needs SymPy: pip install 'dgl-mathtree[sympy]'") from error
    return sympy


def to_sympy(tree: Tree) -> Any:
    """The SymPy object of a tree, built with ``evaluate=False`` throughout so that nothing is rewritten.

    Example:
        >>> from dgl_mathtree.language import parse
        >>> to_sympy(parse("x + x = 2*x"))
        Eq(x + x, 2*x)
    """
    sympy = _sympy()
    functions = {name: getattr(sympy, op.sympy, None) for name, op in OPERATORS.items()} | {EQUALITY: sympy.Eq}
    stack: list[Any] = []
    for word in reversed(tree.words):
        arity = ARITY.get(word, 0)
        if arity == 0:
            stack.append(_sympy_leaf(sympy, word))
            continue
        arguments = [stack.pop() for _ in range(arity)]
        if word == "log" and arguments[1] == sympy.E:
            arguments.pop()  # SymPy writes the natural logarithm with one argument
        function = functions[word] or sympy.Function(OPERATORS[word].sympy)  # undefined where SymPy has none
        stack.append(function(*arguments, evaluate=False))
    return stack[0]


def _sympy_leaf(sympy: Any, word: str) -> Any:
    if word in CONSTANTS:
        return {"pi": sympy.pi, "e": sympy.E}[word]
    if is_variable(word):
        return sympy.Symbol(word)
    if is_integer(word):
        return sympy.Integer(word)
    return sympy.Rational(word) if "/" in word else sympy.Float(word)


def from_sympy(value: Any) -> Equation | Expr:
    """The tree of a SymPy expression or equation, as it stands.

    Sums of more than two terms are nested to the left and products to the right, as the parser nests them.
    """
    sympy = _sympy()
    words: list[str] = []
    stack = [sympy.sympify(value, evaluate=False) if isinstance(value, (int, float)) else value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            words.append(node)
            continue
        arguments = list(node.args)
        if isinstance(node, sympy.Eq):
            words.append(EQUALITY)
        elif isinstance(node, (sympy.Add, sympy.Mul)) and len(arguments) > 1:
            name = type(node).__name__
            words.append(name)
            if len(arguments) > 2:
                rest = arguments[:-1] if name == "Add" else arguments[1:]
                nested = node.func(*rest, evaluate=False)
                arguments = [nested, arguments[-1]] if name == "Add" else [arguments[0], nested]
        elif isinstance(node, sympy.Pow):
            words.append("Pow")
        elif isinstance(node, sympy.Function) and node.func.__name__ in _BY_SYMPY_NAME:
            words.append(_BY_SYMPY_NAME[node.func.__name__])
            if words[-1] == "log" and len(arguments) == 1:
                arguments.append(sympy.E)
        else:
            words.append(_leaf_of_sympy(sympy, node))
            arguments = []
        stack.extend(reversed(arguments))
    return Equation.from_words(words) if words[0] == EQUALITY else Expr(words)


def _leaf_of_sympy(sympy: Any, node: Any) -> str:
    if node == sympy.pi:
        return "pi"
    if node == sympy.E:
        return "e"
    if isinstance(node, sympy.Float):
        return _decimal(node)
    if isinstance(node, sympy.Rational) or (isinstance(node, sympy.Symbol) and node.name not in CONSTANTS):
        return check_leaf(str(node))
    raise VocabularyError(f"SymPy's {type(node).__name__} ({node}) has no counterpart here")


def _decimal(node: Any) -> str:
    """A decimal with the digits of the SymPy number, without the zeros it is padded with."""
    text = format(Decimal(str(node)), "f")
    digits = text.lstrip("-")
    word = number_word(digits if "." in digits else f"{digits}.0")
    return check_leaf(negated(word) if text.startswith("-") else word)


def to_networkx(tree: Tree) -> Any:
    """A directed graph with an edge from each child to its parent.

    Nodes are positions of the prefix order (0 is the root) with their `word`; edges carry `pos`, the place of the child
    among its siblings.
    """
    graph = nx.DiGraph()
    ends = subtree_ends(tree.words)
    graph.add_nodes_from((at, {"word": word}) for at, word in enumerate(tree.words))
    for at, word in enumerate(tree.words):
        child = at + 1
        for position in range(ARITY.get(word, 0)):
            graph.add_edge(child, at, pos=position)
            child = ends[child]
    return graph


def from_networkx(graph: Any) -> Equation | Expr:
    """The tree of a graph such as `to_networkx` makes, whatever its nodes are called and however they are ordered."""
    roots = [node for node in graph if graph.out_degree(node) == 0]
    if len(roots) != 1 or any(graph.out_degree(node) > 1 for node in graph):
        raise ValueError(f"not a tree: expected one root and one parent for every other node, found roots {roots}")
    words, stack = [], [roots[0]]
    while stack:
        node = stack.pop()
        if "word" not in graph.nodes[node]:
            raise ValueError(f"node {node!r} has no attribute 'word'")
        words.append(graph.nodes[node]["word"])
        if any("pos" not in graph.edges[child, node] for child in graph.predecessors(node)):
            raise ValueError(f"an edge into node {node!r} has no attribute 'pos'")
        below = sorted(graph.predecessors(node), key=lambda child: graph.edges[child, node]["pos"], reverse=True)
        stack.extend(below)
    if len(words) != len(graph):
        raise ValueError("not a tree: some nodes are not connected to the root")
    return Equation.from_words(words) if words[0] == EQUALITY else Expr(words)
