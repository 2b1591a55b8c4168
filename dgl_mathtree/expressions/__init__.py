"""Expressions and equations: words, trees, text, forests of shared subexpressions, and the oracle."""

from dgl_mathtree.expressions.evaluation import evaluate_forest
from dgl_mathtree.expressions.forest import Forest, ForestBuilder
from dgl_mathtree.expressions.judgement import Judgement, Witness
from dgl_mathtree.expressions.mathml import mathml
from dgl_mathtree.expressions.oracle import Oracle, judge
from dgl_mathtree.expressions.parser import parse, parse_blank, parse_equation, parse_expression, parse_question
from dgl_mathtree.expressions.printers import infix, latex, outline, readable
from dgl_mathtree.expressions.text_errors import ParseError
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
    "Witness",
    "evaluate_forest",
    "infix",
    "judge",
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
