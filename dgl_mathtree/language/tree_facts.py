"""What is known of a tree, as JSON."""

from __future__ import annotations

from dgl_mathtree.language.expr import Equation, Expr
from dgl_mathtree.language.mathml import mathml
from dgl_mathtree.language.printers import infix, latex

Facts = dict[str, object]


def tree_facts(tree: Equation | Expr) -> Facts:
    """What `mathtree parse --json` prints.

    Examples
    --------
    >>> from dgl_mathtree.language import parse
    >>> tree_facts(parse("2x = 1"))["prefix"]
    ['Equality', 'Mul', '2', 'x', '1']
    """
    kind = "equation" if isinstance(tree, Equation) else "expression"
    return {
        kind: infix(tree),
        "latex": latex(tree),
        "mathml": mathml(tree, display="block"),
        "depth": tree.depth,
        "size": tree.size,
        "variables": list(tree.variables),
        "prefix": list(tree.words),
    }
