"""What a blank is likely to be filled with: expressions built from the rest of its equation.

Its subexpressions; functions that occur in it, and their kin, of its arguments doubled, halved, added; their negatives,
reciprocals, squares and multiples; sums, differences, products and quotients of two and products of three; multiples of
pi, and roots of polynomials in its variables; as a plain enumeration, what the model's operators and numbers make of
single variables; and what the equation is solved for (`solve_blank`). Shapes that nobody writes are never made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product
from math import gcd

from dgl_mathtree.arithmetic.operators import FAMILIES
from dgl_mathtree.inference.solve_blank import solved_fillings
from dgl_mathtree.language import Equation, Expr
from dgl_mathtree.language.expr import subtree_ends
from dgl_mathtree.language.plain_terms import MINUS_ONE, ONE, TWO, minus, over, plus, raised, times
from dgl_mathtree.language.vocabulary import ARITY, BLANK, is_variable

MOST = 8000
"""Candidates at most, the smallest first."""
PIECES, LARGEST, ARGUMENTS, CORE = 24, 15, 6, 30
"""Pieces of an equation at most and their size, arguments that functions are applied to before they are changed, and
expressions that are combined in pairs."""
USUAL = ("0", "1", "2", "3", "-1", "1/2", "pi", "e")
"""Numbers that are tried whatever the equation has."""
EXPONENTS = tuple(Expr.leaf(word) for word in ("2", "3", "1/2", "-1", "-2"))
BASIS = 40
"""Terms that sums and products are fitted with."""
HALF, PI = Expr.leaf("1/2"), Expr.leaf("pi")
PRIMARY = {"circular": ("sin", "cos"), "hyperbolic": ("sinh", "cosh")}
"""Functions of a family that its others are made of."""


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
    blank: Equation, operators: Sequence[str], numbers: Iterable[str], knows: Callable[[str], bool], most: int = MOST
) -> list[Expr]:
    """Expressions to fill a blank with, each once, the smallest first.

    All of the expressions that are built are compared with what the equation is solved for, which is kept in any case.

    Parameters
    ----------
    blank : Equation
        With one blank.
    operators, numbers : sequence of str
        Those of a model, for the plain enumeration.
    knows : callable
        Whether a model knows a word; expressions with others are left out.
    most : int
        How many are kept.
    """
    parts = _Parts(blank, operators)
    decimals = any("." in word for word in blank.words)  # 1/2 and 0.5 are equal, and nobody mixes them
    plain_numbers = [Expr.leaf(word) for word in numbers if decimals or "." not in word]
    built = sorted(dict.fromkeys(_built(parts, operators, plain_numbers)), key=len)
    solved = solved_fillings(blank, built[:MOST], parts.basis(), parts.inner)
    found = dict.fromkeys(expression.words for expression in (*solved, *built))
    known = {word for word in set().union(*found) if knows(word)}
    readable = [words for words in found if known.issuperset(words)][:most]
    return [Expr._trusted(words) for words in sorted(readable, key=len)]


class _Parts:
    """An equation's pieces, by what they are good for."""

    def __init__(self, blank: Equation, operators: Sequence[str]) -> None:
        whole = [piece for piece in pieces(blank) if len(piece) <= LARGEST][:PIECES]
        self.variables = [Expr.leaf(name) for name in blank.variables]
        self.numbers = [piece for piece in whole if len(piece) == 1 and not is_variable(piece.word)]
        self.pieces = [piece for piece in whole if piece not in self.numbers]
        self.functions = _functions(blank, operators)
        self.own = set(blank.words)
        self.powers = any(piece.word == "Pow" and piece.children[1].variables for piece in self.pieces)
        bases = [piece.children[1] for piece in self.pieces if piece.word == "log"]
        self.bases = list(dict.fromkeys([*bases, Expr.leaf("e")])) if "log" in blank.words else []
        inner = [piece.children[0] for piece in self.pieces if ARITY.get(piece.word) == 1 or piece.word == "log"]
        self.inner = list(dict.fromkeys([*self.variables, *inner]))[:ARGUMENTS]

    def arguments(self) -> list[Expr]:
        """What functions are applied to: the equation's arguments, and these doubled, halved, negated, added."""
        found = [*self.inner, *(times(TWO, a) for a in self.inner), *(times(HALF, a) for a in self.inner)]
        for a, b in combinations(self.inner[:4], 2):
            found += [plus(a, b), minus(a, b), times(a, b), over(a, b), over(plus(a, b), TWO), over(minus(a, b), TWO)]
        found += [times(number, a) for number in self.numbers for a in self.inner]
        found += [_negative(a) for a in self.inner]
        if set(self.functions) & set(FAMILIES["circular"]):
            right = times(HALF, PI)
            found += [e for a in self.inner for e in (minus(right, a), plus(a, right), minus(PI, a), plus(a, PI))]
        return list(dict.fromkeys(found))

    def basis(self) -> list[Expr]:
        """Terms that a filling may be a sum or product of, the shortest first."""
        primary = [
            name for family, names in PRIMARY.items() if set(self.functions) & set(FAMILIES[family]) for name in names
        ]
        names = list(dict.fromkeys([*(n for n in self.functions if n in self.own), *primary]))
        angles = [*self.inner, *(times(TWO, a) for a in self.inner), *(times(HALF, a) for a in self.inner)]
        for a, b in combinations(self.inner[:3], 2):
            angles += [plus(a, b), minus(a, b)]
        first = [*self.variables, *(piece for piece in self.pieces if piece.variables)]
        first += [Expr._trusted((name, *a.words)) for a in dict.fromkeys(angles[:12]) for name in names]
        first = sorted(dict.fromkeys(first), key=len)[: BASIS // 2]
        squares = [raised(term, TWO) for term in first[:10]]
        products = [times(a, b) for a, b in combinations(first[:6], 2)]
        return sorted(dict.fromkeys([*first, *squares, *products]), key=len)[:BASIS]

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
    yield from _multiples_of_pi(parts)
    yield from _roots_of_polynomials(parts)
    # Two of the equation's pieces, or of its functions, or their squares.
    core = [*parts.pieces, *parts.applied(parts.inner[:2])]
    squares = [raised(term, TWO) for term in core]
    core = list(dict.fromkeys([*core[:CORE], *squares[: CORE // 2]]))
    for a, b in combinations(core, 2):
        yield from _combined(a, b)
    for a, b, c in combinations(core[:9], 3):
        yield from (times(a, times(b, c)), over(times(a, b), c), over(times(a, c), b), over(times(b, c), a))
    if parts.powers:
        below = [*parts.variables, *(number for number in usual if number.word not in ("0", "1", "-1"))]
        yield from (raised(a, b) for a in below for b in (*parts.variables, *arguments, *parts.pieces) if a != b)


def _multiples_of_pi(parts: _Parts) -> Iterator[Expr]:
    """Angles of the circle, where the equation has any."""
    circular = {*FAMILIES["circular"], *FAMILIES["inverse circular"], "pi"}
    if not circular & parts.own:
        return
    for below in (1, 2, 3, 4, 5, 6, 8, 10, 12):
        for above in range(1, 2 * below + 1):
            if gcd(above, below) == 1:
                angle = times(Expr.leaf(f"{above}/{below}" if below > 1 else str(above)), PI)
                yield from (angle, _negative(angle))


def _roots_of_polynomials(parts: _Parts) -> Iterator[Expr]:
    """Square roots of quadratic polynomials in one or two variables, and of the equation's numbers."""
    squares = [raised(x, TWO) for x in parts.variables[:3]]
    inside = [e for s in squares for e in (plus(s, ONE), minus(ONE, s), minus(s, ONE))]
    inside += [e for x in parts.variables[:3] for e in (plus(x, ONE), minus(ONE, x), minus(x, ONE))]
    inside += [e for s, t in combinations(squares, 2) for e in (plus(s, t), minus(s, t), minus(t, s))]
    inside += [*parts.numbers, *(Expr.leaf(word) for word in ("2", "3", "5", "6"))]
    for term in dict.fromkeys(inside):
        root = raised(term, HALF)
        yield from (root, over(ONE, root))
        for x in parts.variables[:2]:
            yield from (plus(x, root), minus(x, root), times(x, root), over(x, root))


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
