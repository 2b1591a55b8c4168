"""Mistakes with functions: one for another, taken to be linear, an inverse for a reciprocal, a wrong argument."""

from __future__ import annotations

from dgl_mathtree.arithmetic.operators import FAMILIES, OPERATORS
from dgl_mathtree.data.edits.equation_view import EquationView, Replacement, is_inverse_at, is_number_word
from dgl_mathtree.language.vocabulary import ARITY

_CIRCULAR, _HYPERBOLIC = (
    [name for name in FAMILIES[family] if OPERATORS[name].reciprocal] for family in ("circular", "hyperbolic")
)
_INVERSE = {name: OPERATORS[name].inverse or "" for name in _CIRCULAR + _HYPERBOLIC}
_INVERTED = {inverse: name for name, inverse in _INVERSE.items()}
_COLUMNS = [_CIRCULAR, _HYPERBOLIC, *([_INVERSE[name] for name in row] for row in (_CIRCULAR, _HYPERBOLIC))]
"""Functions that correspond to one another, column by column: sin, sinh, asin and asinh."""


def change_function(view: EquationView) -> Replacement | None:
    """Sine for cosine, for hyperbolic sine, for its reciprocal, exp for ln."""
    at = view.some(lambda at: ARITY.get(view.words[at]) == 1)
    if at is None:
        return None
    name, argument = view.words[at], view.words[at + 1 : view.ends[at]]
    if name == "exp":
        return at, ("log", *argument, "e")
    row = next((k for k, names in enumerate(_COLUMNS) if name in names), None)
    changed = _relative(view, name) if row is None else _in_columns(view, row, _COLUMNS[row].index(name))
    return None if changed is None else (at, (changed, *argument))


def _relative(view: EquationView, name: str) -> str | None:
    """Another function of the same family."""
    others = [other for other in FAMILIES.get(OPERATORS[name].family or "", ()) if other != name]
    return view.rng.choice(others) if others else None


def _in_columns(view: EquationView, row: int, column: int) -> str | None:
    """The cofunction, the reciprocal, circular for hyperbolic, or any other of the row."""
    name = _CIRCULAR[column]
    draw = view.rng.random()
    other: str | None = name
    if draw < 0.45:
        other = OPERATORS[name].cofunction
    elif draw < 0.6:
        other = OPERATORS[name].reciprocal
    elif draw < 0.8:
        row ^= 1
    else:
        other = view.rng.choice([other for other in _CIRCULAR if other != name])
    return None if other is None else _COLUMNS[row][_CIRCULAR.index(other)]


def _is_function(view: EquationView, at: int) -> bool:
    """Whether a node is a function of one argument: a named one, a logarithm or a power with a number."""
    word = view.words[at]
    return ARITY.get(word) == 1 or (word in ("log", "Pow") and view.ends[view.ends[at + 1]] == view.ends[at + 1] + 1)


def linearity(view: EquationView) -> Replacement | None:
    """f(a + b) = f(a) + f(b), f(a*b) = f(a)*f(b), f(2*a) = 2*f(a), and back."""
    words, ends = view.words, view.ends
    if view.rng.random() < 0.3:
        return _gathered(view)
    at = view.some(lambda at: _is_function(view, at) and words[at + 1] in ("Add", "Mul"))
    if at is None:
        return None
    word, inner = words[at], at + 1
    rest = () if ARITY[word] == 1 else view.subtree(ends[inner])
    a, b = view.children(inner)
    negative = words[inner] == "Add" and b[:2] == ("Mul", "-1")
    second = b[2:] if negative else b
    if words[inner] == "Mul" and a[0] not in ARITY and is_number_word(a[0]):
        return at, ("Mul", *a, word, *b, *rest)
    if words[inner] == "Mul" and word == "log" and view.rng.random() < 0.5:
        return at, ("Mul", word, *a, *rest, word, *b, *rest)
    if words[inner] == "Mul" and word == "Pow":
        return at, ("Mul", *a, word, *b, *rest)
    image = (word, *second, *rest)
    return at, (words[inner], word, *a, *rest, *(("Mul", "-1", *image) if negative else image))


def _gathered(view: EquationView) -> Replacement | None:
    """f(a) + f(b) = f(a + b)."""
    words, ends = view.words, view.ends

    def alike(at: int) -> bool:
        if words[at] not in ("Add", "Mul") or words[at + 1] != words[ends[at + 1]] or not _is_function(view, at + 1):
            return False
        if ARITY[words[at + 1]] == 1:
            return True
        return view.children(at + 1)[1] == view.children(ends[at + 1])[1]

    at = view.some(alike)
    if at is None:
        return None
    first, second = at + 1, ends[at + 1]
    if ARITY[words[first]] == 1:
        return at, (words[first], words[at], *view.subtree(first)[1:], *view.subtree(second)[1:])
    (a, rest), (b, _) = view.children(first), view.children(second)
    return at, (words[first], words[at], *a, *b, *rest)


def inverse_for_reciprocal(view: EquationView) -> Replacement | None:
    """asin(x) for 1/sin(x), and the other way round."""
    words = view.words
    at = view.some(lambda at: words[at] in _INVERTED or (is_inverse_at(view, at) and words[at + 1] in _INVERSE))
    if at is None:
        return None
    if words[at] == "Pow":
        return at, (_INVERSE[words[at + 1]], *words[at + 2 : view.ends[at + 1]])
    argument = words[at + 1 : view.ends[at]]
    return at, ("Pow", _INVERTED[words[at]], *argument, "-1")


def argument_slip(view: EquationView) -> Replacement | None:
    """f(x^2) for f(x)^2, f(2*x) for 2*f(x), and back; an argument doubled or halved."""
    words, ends = view.words, view.ends
    at = view.some(
        lambda at: (
            (words[at] == "Pow" and ARITY.get(words[at + 1]) == 1)
            or (words[at] == "Mul" and words[at + 1] not in ARITY and ARITY.get(words[at + 2]) == 1)
            or ARITY.get(words[at]) == 1
        )
    )
    if at is None:
        return None
    if words[at] == "Pow":
        _, exponent = view.children(at)
        return at, (words[at + 1], "Pow", *words[at + 2 : ends[at + 1]], *exponent)
    if words[at] == "Mul":
        return at, (words[at + 2], "Mul", words[at + 1], *words[at + 3 : ends[at + 2]])
    name, argument = words[at], words[at + 1 : ends[at]]
    if argument[0] == "Pow" and argument[-1] in ("2", "3"):
        return at, ("Pow", name, *argument[1:-1], argument[-1])
    if (argument[0] == "Mul" and argument[1] in ("2", "1/2")) or argument[-3:-1] == ("Pow", "2"):
        return at + 1, view.children(at + 1)[1 if argument[1] in ("2", "1/2") else 0]
    return at + 1, ("Mul", "2", *argument) if view.rng.random() < 0.6 else ("Mul", *argument, "Pow", "2", "-1")
