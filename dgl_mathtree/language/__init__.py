"""Expressions and equations: words, trees, text, and forests of shared subexpressions."""

from dgl_mathtree.language.expr import Equation, Expr
from dgl_mathtree.language.forest import Forest, ForestBuilder
from dgl_mathtree.language.mathml import mathml
from dgl_mathtree.language.parser import parse, parse_blank, parse_equation, parse_expression, parse_question
from dgl_mathtree.language.parsing.syntax_errors import ParseError
from dgl_mathtree.language.printers import infix, latex, outline, readable
from dgl_mathtree.language.vocabulary import VocabularyError

__all__ = [
    "Equation",
    "Expr",
    "Forest",
    "ForestBuilder",
    "ParseError",
    "VocabularyError",
    "infix",
    "latex",
    "mathml",
    "outline",
    "parse",
    "parse_blank",
    "parse_equation",
    "parse_expression",
    "parse_question",
    "readable",
]
