"""Random expressions and equations for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from dgl_mathtree.language import Equation, Expr
from dgl_mathtree.language.vocabulary import OPERATORS

LEAVES = "x y z w a x1 x_1 x_n theta theta_2 var_0 0 1 2 3 10 -1 -2 1/2 -1/2 2/5 22/7 0.7 -0.5 1.0 pi e".split()
UNARY = [name for name, op in OPERATORS.items() if op.arity == 1]

leaves = st.sampled_from(LEAVES).map(Expr.leaf)


def _grow(smaller: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    unary = st.builds(Expr.apply, st.sampled_from(UNARY), smaller)
    binary = st.builds(Expr.apply, st.sampled_from(["Add", "Mul", "Pow", "log"]), smaller, smaller)
    return unary | binary | binary


expressions = st.recursive(leaves, _grow, max_leaves=25)
equations = st.builds(Equation, expressions, expressions)
