"""What is known of a tree, as JSON."""

from __future__ import annotations

from dgl_mathtree.expressions.mathml import mathml
from dgl_mathtree.expressions.printers import infix, latex
from dgl_mathtree.expressions.tree import Equation, Expr

Facts = dict[str, object]


def tree_facts(tree: Equation | Expr) -> Facts:
    """What `mathtree parse --json` prints.

    Examples
    --------
    >>> from dgl_mathtree.expressions import parse
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
