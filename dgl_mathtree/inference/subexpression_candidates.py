"""What a blank is likely to be filled with: expressions built from the rest of its equation.

Its subexpressions; functions that occur in it, and their kin, of its arguments doubled, halved, added; their negatives,
reciprocals, squares and multiples; sums, differences, products and quotients of two; and, as a plain enumeration, what
the model's operators and numbers make of single variables. Shapes that nobody writes are never made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product

from dgl_mathtree.arithmetic.operators import FAMILIES
from dgl_mathtree.language import Equation, Expr
from dgl_mathtree.language.expr import subtree_ends
from dgl_mathtree.language.plain_terms import MINUS_ONE, ONE, TWO, minus, over, plus, raised, times
from dgl_mathtree.language.vocabulary import ARITY, BLANK, is_variable

MOST = 5000
"""Candidates at most, the smallest first."""
PIECES, LARGEST, ARGUMENTS, CORE = 24, 15, 6, 30
"""Pieces of an equation at most and their size, arguments that functions are applied to before they are changed, and
expressions that are combined in pairs."""
USUAL = ("0", "1", "2", "3", "-1", "1/2", "pi", "e")
"""Numbers that are tried whatever the equation has."""
EXPONENTS = tuple(Expr.leaf(word) for word in ("2", "3", "1/2", "-1", "-2"))


def pieces(blank: Equation) -> list[Expr]:
    """The distinct subexpressions of an equation that do not hold its blank, the smallest first.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_blank
    >>> [str(piece) for piece in pieces(parse_blank("sin(2*x) + ? = cos(x)"))]
    ['2', 'x', 'cos(x)', '2*x', 'sin(2*x)']
    """
    words, ends = blank.words, subtree_ends(blank.words)
    hole = words.index(BLANK)
    found = dict.fromkeys(words[k : ends[k]] for k in range(1, len(words)) if not k <= hole < ends[k])
    return sorted((Expr._trusted(some) for some in found), key=len)


def fillings(
    blank: Equation, operators: Sequence[str], numbers: Iterable[str], knows: Callable[[str], bool]
) -> list[Expr]:
    """Expressions to fill a blank with, each once, the smallest first.

    Parameters
    ----------
    blank : Equation
        With one blank.
    operators, numbers : sequence of str
        Those of a model, for the plain enumeration.
    knows : callable
        Whether a model knows a word; expressions with others are left out.
    """
    parts = _Parts(blank, operators)
    built = _built(parts, operators, [Expr.leaf(word) for word in numbers])
    found = dict.fromkeys(expression.words for expression in built)
    known = {word for word in set().union(*found) if knows(word)}
    readable = sorted((words for words in found if known.issuperset(words)), key=len)
    return [Expr._trusted(words) for words in readable[:MOST]]


class _Parts:
    """An equation's pieces, by what they are good for."""

    def __init__(self, blank: Equation, operators: Sequence[str]) -> None:
        whole = [piece for piece in pieces(blank) if len(piece) <= LARGEST][:PIECES]
        self.variables = [Expr.leaf(name) for name in blank.variables]
        self.numbers = [piece for piece in whole if len(piece) == 1 and not is_variable(piece.word)]
        self.pieces = [piece for piece in whole if piece not in self.numbers]
        self.functions = _functions(blank, operators)
        self.powers = any(piece.word == "Pow" and piece.children[1].variables for piece in self.pieces)
        bases = [piece.children[1] for piece in self.pieces if piece.word == "log"]
        self.bases = list(dict.fromkeys([*bases, Expr.leaf("e")])) if "log" in blank.words else []
        inner = [piece.children[0] for piece in self.pieces if ARITY.get(piece.word) == 1 or piece.word == "log"]
        self.inner = list(dict.fromkeys([*self.variables, *inner]))[:ARGUMENTS]

    def arguments(self) -> list[Expr]:
        """What functions are applied to: the equation's arguments, and these doubled, halved, negated, added."""
        half = Expr.leaf("1/2")
        found = [*self.inner, *(times(TWO, a) for a in self.inner), *(times(half, a) for a in self.inner)]
        for a, b in combinations(self.inner[:4], 2):
            found += [plus(a, b), minus(a, b), times(a, b), over(a, b)]
        found += [times(number, a) for number in self.numbers for a in self.inner]
        found += [_negative(a) for a in self.inner]
        if set(self.functions) & set(FAMILIES["circular"]):
            pi = Expr.leaf("pi")
            right = times(half, pi)
            found += [e for a in self.inner for e in (minus(right, a), plus(a, right), minus(pi, a), plus(a, pi))]
        return list(dict.fromkeys(found))

    def applied(self, arguments: Sequence[Expr]) -> list[Expr]:
        """The equation's functions of some arguments, and logarithms of its numbers."""
        found = [Expr._trusted((name, *a.words)) for a, name in product(arguments, self.functions)]
        logarithms = product([*arguments, *self.numbers], self.bases)
        return found + [Expr._trusted(("log", *a.words, *b.words)) for a, b in logarithms if a != b]


def _functions(blank: Equation, operators: Sequence[str]) -> list[str]:
    """The functions of one argument that occur in an equation, then their kin."""
    known = [name for name in operators if ARITY[name] == 1]
    own = [word for word in dict.fromkeys(blank.words) if word in known]
    kin = [name for family in FAMILIES.values() if set(family) & set(own) for name in family if name in known]
    if {"e", "log"} & set(blank.words) and "exp" in known:
        kin.append("exp")
    return list(dict.fromkeys([*own, *kin]))


def _built(parts: _Parts, operators: Sequence[str], numbers: Sequence[Expr]) -> Iterator[Expr]:
    arguments = parts.arguments()
    usual = [*parts.numbers, *(Expr.leaf(word) for word in USUAL if Expr.leaf(word) not in parts.numbers)]
    applied = parts.applied(arguments)
    yield from (*parts.variables, *usual, *numbers, *parts.pieces, *arguments, *applied)
    yield from _plain(parts, operators, numbers)
    for term in (*parts.pieces, *arguments, *applied):
        yield from _changed(term, parts.numbers)
    for a, b in product(usual, repeat=2):
        yield from (times(a, b), over(a, b)) if b.word != "0" else ()
    # Two of the equation's pieces, or of its functions, or their squares.
    core = [*parts.pieces, *parts.applied(parts.inner[:2])]
    squares = [raised(term, TWO) for term in core]
    core = list(dict.fromkeys([*core[:CORE], *squares[: CORE // 2]]))
    for a, b in combinations(core, 2):
        yield from _combined(a, b)
    if parts.powers:
        below = [*parts.variables, *(number for number in usual if number.word not in ("0", "1", "-1"))]
        yield from (raised(a, b) for a in below for b in (*parts.variables, *arguments, *parts.pieces) if a != b)


def _plain(parts: _Parts, operators: Sequence[str], numbers: Sequence[Expr]) -> Iterator[Expr]:
    """Single variables with every function and number."""
    for x in parts.variables:
        for name in operators:
            if ARITY[name] == 1:
                yield Expr._trusted((name, *x.words))
        yield from (raised(x, exponent) for exponent in EXPONENTS)
        if "log" in operators:
            yield Expr._trusted(("log", *x.words, "e"))
        for number in numbers:
            yield from (times(number, x), plus(x, number), minus(number, x))
    for x, y in combinations(parts.variables, 2):
        yield from _combined(x, y)


def _changed(term: Expr, numbers: Sequence[Expr]) -> Iterator[Expr]:
    """A term by itself, changed as terms are in identities."""
    yield from (_negative(term), times(TWO, term), over(term, TWO), plus(term, ONE), minus(ONE, term), minus(term, ONE))
    yield from (raised(term, exponent) for exponent in EXPONENTS)
    yield _negative(raised(term, TWO))
    for number in numbers:
        yield from (times(number, term), over(term, number), plus(term, number), minus(number, term))


def _combined(a: Expr, b: Expr) -> Iterator[Expr]:
    both = times(a, b)
    yield from (plus(a, b), minus(a, b), minus(b, a), both, over(a, b), over(b, a), times(TWO, both))
    yield over(ONE, both)


def _negative(term: Expr) -> Expr:
    return times(MINUS_ONE, term)
