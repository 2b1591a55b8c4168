"""What a blank may be filled with: expressions, grouped into classes of equal value.

The file format is JSON: ``{"candidates": [{"expression": "sin(x)", "class": 3}, ...]}``, in the order in which ties are
broken. The original project's ``candidate_classes.json`` is read too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.arithmetic.operators import FAMILIES, OPERATORS
from dgl_mathtree.data.canonical import fold
from dgl_mathtree.data.data_files import DataError
from dgl_mathtree.data.original import original_words
from dgl_mathtree.files import parse_json, write_atomically
from dgl_mathtree.inference.blank_inverses import solutions
from dgl_mathtree.inference.subexpression_candidates import MOST as MOST_FILLINGS
from dgl_mathtree.inference.subexpression_candidates import fillings
from dgl_mathtree.language import Equation, Expr, Forest, ParseError, infix, parse_expression
from dgl_mathtree.language.expr import subtree_ends
from dgl_mathtree.language.plain_terms import length
from dgl_mathtree.language.vocabulary import ARITY, BLANK, EQUALITY, is_leaf, is_variable
from dgl_mathtree.oracle import Oracle
from dgl_mathtree.oracle.value_keys import equal_rows

DIGITS = 9
"""Significant digits in which expressions of equal value agree at every point; the oracle has the last word."""
MOST = 200_000
"""Expressions that are enumerated at most."""
TRIVIAL = 4
"""So much longer is the other side of an equation taken to be where the blank is the whole of this side."""


MOVED = 6
"""So much longer is the rest of an equation taken to be where it is moved to the other side of the blank."""
SHORT = 9
"""Words of an expression that nobody simplifies."""
NEGATIVE = 2
"""So much longer does a function of -x read than minus a function of x."""
_FUNCTIONS = frozenset(name for name, arity in ARITY.items() if arity == 1)
_HAS_RECIPROCAL = frozenset(name for name, row in OPERATORS.items() if row.reciprocal)
_UNDONE = (
    dict.fromkeys(FAMILIES["circular"], frozenset(FAMILIES["inverse circular"]))
    | dict.fromkeys(FAMILIES["hyperbolic"], frozenset({*FAMILIES["inverse hyperbolic"], "log"}))
    | {"log": frozenset({"exp"})}
)
"""Functions, and those that they have simpler values of."""


@dataclass(frozen=True)
class Candidates:
    """Expressions and their classes.

    Attributes
    ----------
    expressions : tuple of Expr
        The candidates, in the order in which ties are broken.
    classes : numpy.ndarray
        (candidates,) the class of each, counted from 0.
    labels : tuple, optional
        What each class is called in its file; by default its number.
    """

    expressions: tuple[Expr, ...]
    classes: NDArray[np.int64]
    labels: tuple[Any, ...] | None = None

    def __len__(self) -> int:
        return len(self.expressions)

    @cached_property
    def places(self) -> dict[Expr, int]:
        """Where each expression stands first."""
        found: dict[Expr, int] = {}
        for k, expression in enumerate(self.expressions):
            found.setdefault(expression, k)
        return found

    def take(self, chosen: Sequence[int] | NDArray[Any]) -> Candidates:
        """Some of the candidates."""
        taken = tuple(self.expressions[k] for k in chosen)
        return Candidates(taken, self.classes[np.asarray(chosen, dtype=np.int64)], self.labels)

    def label(self, class_: int) -> Any:
        """What a class is called."""
        return class_ if self.labels is None else self.labels[class_]

    def simplest(self) -> Candidates:
        """Of each class the smallest expression alone."""
        sizes = np.array([expression.size for expression in self.expressions])
        order = np.lexsort((np.arange(len(self)), sizes, self.classes))
        _, first = np.unique(self.classes[order], return_index=True)
        return self.take(np.sort(order[first]))


def enumerate_expressions(leaves: Sequence[str], operators: Sequence[str], depth: int) -> list[Expr]:
    """All expressions up to a depth over some leaves and operators, each once, smaller depths first.

    Examples
    --------
    >>> [str(e) for e in enumerate_expressions(["x", "2"], ["sin", "Pow"], 1)]
    ['x', '2', 'sin(x)', 'sin(2)', 'x^x', 'x^2', '2^x', '2^2']
    """
    if depth < 0:
        raise DataError(f"the depth of candidates must not be negative, not {depth}")
    operators = list(dict.fromkeys(operators))
    levels: list[list[Expr]] = [[Expr.leaf(word) for word in dict.fromkeys(leaves)]]
    for _ in range(depth):
        below = [expression for level in levels for expression in level]
        older = sum(len(level) for level in levels[:-1])
        count = len(below) + sum(len(below) ** ARITY[name] - older ** ARITY[name] for name in operators)
        if count > MOST:
            reason = "choose a smaller depth, or fewer leaves or operators with mathtree candidates"
            raise DataError(f"{count} candidates are too many: {reason}")
        new = []
        for name in operators:
            if ARITY[name] == 1:
                new += [Expr._trusted((name, *e.words)) for e in levels[-1]]
            else:
                new += [
                    Expr._trusted((name, *a.words, *b.words))
                    for i, a in enumerate(below)
                    for j, b in enumerate(below)
                    if i >= older or j >= older
                ]
        levels.append(new)
    return [expression for level in levels for expression in level]


def classify(expressions: Sequence[Expr], oracle: Oracle | None = None) -> Candidates:
    """Expressions with their classes: those that are defined at the same points, and equal there, share one.

    An expression that is defined nowhere is a class of its own.
    """
    oracle = oracle or Oracle(complex_plane=False)
    first = np.arange(len(expressions))
    waiting = [group for group in equal_rows(values_of(expressions, oracle), DIGITS) if len(group) > 1]
    while waiting:
        # Each group's members against its first; those that differ after all are a group of their own.
        pairs = [(group[0], k) for group in waiting for k in group[1:]]
        judged = iter(oracle.judge(Equation(expressions[i], expressions[k]) for i, k in pairs))
        rest = []
        for group in waiting:
            same = [next(judged).verdict == "true" for _ in group[1:]]
            first[[k for k, equal in zip(group[1:], same, strict=True) if equal]] = group[0]
            rest.append([k for k, equal in zip(group[1:], same, strict=True) if not equal])
        waiting = [group for group in rest if len(group) > 1]
    _, classes = np.unique(first, return_inverse=True)  # numbered by where a class appears first
    return Candidates(tuple(expressions), classes.reshape(-1).astype(np.int64))


def values_of(expressions: Sequence[Expr], oracle: Oracle) -> NDArray[np.float64]:
    """(expressions, points) what each is at the oracle's first points, NaN where it is not defined."""
    forest = Forest.of_expressions(expressions)
    values: NDArray[np.float64] = oracle.values(forest)[forest.equations[:, 0]]
    return values


def default_candidates(leaves: Sequence[str], operators: Sequence[str], depth: int = 1) -> Candidates:
    """All expressions up to a depth over some leaves and operators, in classes."""
    return classify(enumerate_expressions(leaves, operators, depth))


def candidates_for(
    blank: Equation,
    vocabulary: Sequence[str],
    operators: Sequence[str],
    knows: Callable[[str], bool],
    depth: int | None = None,
    most: int = MOST_FILLINGS,
) -> Candidates:
    """What to try for a blank: by default `subexpression_candidates.fillings`, of those of equal
    value the simplest alone.

    Parameters
    ----------
    blank : Equation
        With one blank.
    vocabulary, operators : sequence of str
        The words of a model; of its leaves the numbers count.
    knows : callable
        Whether the model knows a word.
    depth : int, optional
        Try all expressions up to this depth over the equation's variables and the model's numbers instead.
    most : int
        How many fillings are built at most.
    """
    numbers = [word for word in vocabulary if is_leaf(word) and not is_variable(word)]
    if depth is not None:
        return default_candidates([*blank.variables, *numbers], operators, depth)
    built = fillings(blank, operators, numbers, knows, most)
    values = values_of(built, Oracle(complex_plane=False))
    groups = [group for group in equal_rows(values, DIGITS) if not np.isnan(values[group[0]]).all()]
    plainness = Plainness(blank)
    chosen = [min(group, key=lambda k: plainness(built[k])) if len(group) > 1 else group[0] for group in groups]
    return Candidates(tuple(built[k] for k in chosen), np.arange(len(chosen)))


class Plainness:
    """A key by which the simplest of equal expressions for a blank comes first.

    A blank that is a whole side may always be filled with the other one, and any other blank with the rest of the
    equation: that is the answer only if all others are much longer.
    """

    def __init__(self, blank: Equation) -> None:
        self._rest = [word for word in blank.words[1:] if word != BLANK]
        self._sorted = sorted(self._rest) if BLANK in (blank.words[1], blank.right.word) else []
        moved = [] if self._sorted else solutions(blank)
        self._moved = frozenset(expression for expression in moved if len(expression) > SHORT)

    def __call__(self, expression: Expr) -> tuple[int, int]:
        words = expression.words
        whole = len(words) == len(self._sorted) and sorted(words) == self._sorted
        trivial = TRIVIAL * (whole and fold((EQUALITY, *self._rest, *words))[1])
        moved = MOVED * (expression in self._moved)
        return length(expression) + trivial + moved + awkwardness(expression), len(words)


def awkwardness(expression: Expr) -> int:
    """How much longer an expression reads than it is.

    Functions of negative arguments, functions of inverse ones, and reciprocals of functions that have names of their
    own are written otherwise where possible.

    Examples
    --------
    >>> texts = ("-sin(x)", "sin(-x)", "cos(asin(x))", "1/csc(x)")
    >>> [awkwardness(parse_expression(text)) for text in texts]
    [0, 2, 4, 4]
    """
    words, ends = expression.words, subtree_ends(expression.words)
    found = 0
    for k, word in enumerate(words):
        if word in _FUNCTIONS and words[k + 1 : k + 2] == ("Mul",) and words[k + 2].startswith("-"):
            found += NEGATIVE
        if word in _UNDONE:
            found += TRIVIAL * any(other in _UNDONE[word] for other in words[k + 1 : ends[k]])
        if word == "Pow":
            found += MOVED * any(other in _UNDONE["exp"] for other in words[ends[k + 1] : ends[k]])
        if word == "Pow" and words[k + 1] in _HAS_RECIPROCAL and words[ends[k + 1]].startswith("-"):
            found += TRIVIAL
    return found


def write_candidates(file: str | Path, candidates: Candidates) -> None:
    """Write candidates in our format."""
    rows = zip(candidates.expressions, candidates.classes.tolist(), strict=True)
    lines = ",\n".join(json.dumps({"expression": infix(e), "class": c}, ensure_ascii=False) for e, c in rows)
    write_atomically(Path(file), f'{{"candidates": [\n{lines}\n]}}\n')


def read_candidates(file: str | Path) -> Candidates:
    """Candidates of a file in our format, or in the original project's."""
    try:
        entries = parse_json(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from None
    except json.JSONDecodeError as error:
        raise DataError(f"{file} is not JSON: {error.msg} at line {error.lineno}") from None
    try:
        if isinstance(entries, dict):
            found = [(_expression(row["expression"]), row["class"]) for row in entries["candidates"]]
        else:
            examples = [example for group in entries for example in group]
            found = [(Expr._trusted(original_words(example)), example["class"]) for example in examples]
    except (KeyError, TypeError, AttributeError):
        reason = 'expected {"candidates": [{"expression": ..., "class": ...}, ...]} or the original format'
        raise DataError(f"{file} holds no candidates: {reason}") from None
    except DataError as error:
        raise DataError(f"{file}: {error}") from None
    if not found:
        raise DataError(f"{file} holds no candidates")
    names: dict[str, int] = {}
    classes = [names.setdefault(str(name), len(names)) for _, name in found]
    labels = tuple(int(name) if name.isdigit() else name for name in names)
    return Candidates(tuple(expression for expression, _ in found), np.array(classes, dtype=np.int64), labels)


def _expression(text: Any) -> Expr:
    if not isinstance(text, str):
        raise DataError(f"the expression of a candidate must be a text, not {text!r}")
    try:
        return parse_expression(text)
    except ParseError as error:
        raise DataError(f"candidate {text!r}: column {error.column}: {error.reason}") from None
