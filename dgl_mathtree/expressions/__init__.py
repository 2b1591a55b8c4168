"""Expressions and equations: words, trees, text, forests of shared subexpressions, and the oracle."""

from dgl_mathtree.expressions.forest import Forest, ForestBuilder
from dgl_mathtree.expressions.lexer import ParseError
from dgl_mathtree.expressions.oracle import Judgement, Oracle, judge
from dgl_mathtree.expressions.parser import parse, parse_blank, parse_equation, parse_expression
from dgl_mathtree.expressions.printers import infix, latex, outline
from dgl_mathtree.expressions.tree import Equation, Expr
from dgl_mathtree.expressions.vocabulary import VocabularyError

__all__ = [
    "Equation",
    "Expr",
    "Forest",
    "ForestBuilder",
    "Judgement",
    "Oracle",
    "ParseError",
    "VocabularyError",
    "infix",
    "judge",
    "latex",
    "outline",
    "parse",
    "parse_blank",
    "parse_equation",
    "parse_expression",
]
