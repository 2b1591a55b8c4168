"""Keys under which equations count as the same: the canonical form and the fold form.

Two equations are duplicates if they differ only by commutativity and associativity of + and ×, by the names of their
variables, or by which side stands left: they have the same canonical key. The fold key is coarser: neutral elements
are stripped and arithmetic on rational numbers is carried out as well, so that ``x*1 + 0 = x`` and ``x = x`` fall
together.

Keys are 64-bit hashes of nested tuples of fixed numbers (`mix`), the same on every machine and for every Python; a new
operator changes none.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from typing import Any

from dgl_mathtree.data.hashing import mix
from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.vocabulary import ARITY, CODES, COMMUTATIVE, is_variable

_ADD, _MUL, _POW = CODES["Add"], CODES["Mul"], CODES["Pow"]
_NEUTRAL = {_ADD: Fraction(0), _MUL: Fraction(1)}
_FIRST_VARIABLE = 1000  # not negative: `mix` does not tell -1 from -2
_LARGEST_POWER = 16
_LARGEST_NUMBER = 10**6
MOST_PERMUTED = 5
"""With more variables than this, those of equal frequency keep their order, and a duplicate may be missed."""


@lru_cache(maxsize=65536)
def _leaf_code(word: str) -> int:
    return mix((0, *word.encode()))


def canonical_key(words: Words) -> int:
    """The key of an equation up to commutativity, associativity, renaming and side swap.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> canonical_key(parse_equation("x + y = z").words) == canonical_key(parse_equation("b = c + a").words)
    True
    """
    return min(_pair_key(*_canonical_sides(words, codes)) for codes in _namings(_variables(words)))


def fold(words: Words) -> tuple[int, bool]:
    """The fold key: the canonical key after neutral elements are stripped and rational arithmetic is carried out.

    Beside it, whether both sides have the same fold form: whether the equation is a tautology.
    """
    form = _FoldForm(words)
    names = _variables(words)
    if len(names) > 1:  # one may fold away; it must not take a name from those that stay
        form.drop_unused()
        names = [name for name in names if name in form.steps]
    sides = [form.sides(codes) for codes in _namings(names)]
    return min(_pair_key(left, right) for left, right in sides), sides[0][0] == sides[0][1]


def fold_key(words: Words) -> int:
    """The key of an equation's fold form."""
    return fold(words)[0]


def _variables(words: Words) -> list[str]:
    """The variables of an equation, the most frequent first."""
    distinct = dict.fromkeys(word for word in words if word not in ARITY and is_variable(word))
    return sorted(distinct, key=words.count, reverse=True)


def _namings(names: list[str]) -> Iterator[dict[str, int]]:
    """The ways of naming the variables, as numbers."""
    for order in permutations(names) if len(names) <= MOST_PERMUTED else [names]:
        yield {name: _FIRST_VARIABLE + k for k, name in enumerate(order)}


def _pair_key(left: int, right: int) -> int:
    return mix((left, right) if left < right else (right, left))


# In the canonical form a node is its hash, or a tuple (code, terms) for a sum or product that is still open.


def _canonical_sides(words: Words, codes: dict[str, int]) -> tuple[int, int]:
    stack: list[Any] = []
    for word in reversed(words[1:]):
        arity = ARITY.get(word)
        if arity is None:
            stack.append(codes.get(word) or _leaf_code(word))
        elif arity == 1:
            stack.append(mix((CODES[word], _closed(stack.pop()))))
        else:
            code, first, second = CODES[word], stack.pop(), stack.pop()
            if word in COMMUTATIVE:
                stack.append((code, _terms(code, first) + _terms(code, second)))
            else:
                stack.append(mix((code, _closed(first), _closed(second))))
    left, right = stack.pop(), stack.pop()
    return _closed(left), _closed(right)


def _terms(code: int, node: Any) -> tuple[int, ...]:
    """What a node contributes to a sum or product: its own terms if it is of the same kind, else itself."""
    if node.__class__ is tuple and node[0] == code:
        return node[1]  # type: ignore[no-any-return]
    return (_closed(node),)


def _closed(node: Any) -> int:
    """The hash of a node; a sum or product that was kept open for its parent is closed."""
    if node.__class__ is tuple:
        return mix((node[0], *sorted(node[1])))
    return node  # type: ignore[no-any-return]


class _FoldForm:
    """The fold form of an equation: steps, from the leaves up, that hash it for any naming of its variables.

    A step is a variable, the hash of a leaf or number, or the head of a node, the steps of its children, and whether
    these are in any order. While the form is made, a node is a Fraction, a tuple (code, number, terms) for a sum or
    product that is still open, or else its step.
    """

    def __init__(self, words: Words) -> None:
        self.steps: list[Any] = []
        stack: list[Any] = []
        for word in reversed(words[1:]):
            arity = ARITY.get(word)
            if arity is None:
                stack.append(self._leaf(word))
            elif arity == 1:
                stack.append(self._step(((CODES[word],), (self._sealed(stack.pop()),), False)))
            elif word in COMMUTATIVE:
                stack.append(_combined(CODES[word], stack.pop(), stack.pop()))
            elif word == "Pow":
                stack.append(self._power(stack.pop(), stack.pop()))
            else:
                children = self._sealed(stack.pop()), self._sealed(stack.pop())
                stack.append(self._step(((CODES[word],), children, False)))
        self._left, self._right = self._sealed(stack.pop()), self._sealed(stack.pop())

    def sides(self, codes: dict[str, int]) -> tuple[int, int]:
        """The hashes of the two sides."""
        found: list[int] = []
        for step in self.steps:
            if step.__class__ is tuple:
                head, children, commute = step
                parts = [found[child] for child in children]
                found.append(mix((*head, *(sorted(parts) if commute else parts))))
            else:
                found.append(codes[step] if step.__class__ is str else step)
        return found[self._left], found[self._right]

    def drop_unused(self) -> None:
        """Leave out what folded away."""
        used = {self._left, self._right}
        for at in range(len(self.steps) - 1, -1, -1):
            if at in used and self.steps[at].__class__ is tuple:
                used.update(self.steps[at][1])
        for at in range(len(self.steps)):
            if at not in used:
                self.steps[at] = 0

    def _step(self, step: Any) -> int:
        self.steps.append(step)
        return len(self.steps) - 1

    def _leaf(self, word: str) -> Any:
        number = _fraction(word)
        return number if number is not None else self._step(word if is_variable(word) else _leaf_code(word))

    def _power(self, base: Any, exponent: Any) -> Any:
        known = type(exponent) is Fraction
        if (known and exponent == 0) or (type(base) is Fraction and base == 1):
            return Fraction(1)
        if known and exponent == 1:
            return base
        if type(base) is Fraction and known:
            whole = exponent.denominator == 1 and abs(exponent) <= _LARGEST_POWER
            if whole and (base or exponent > 0) and max(abs(base.numerator), base.denominator) < _LARGEST_NUMBER:
                return base ** int(exponent)
        return self._step(((_POW,), (self._sealed(base), self._sealed(exponent)), False))

    def _sealed(self, node: Any) -> int:
        """The step of a node; a sum or product that was kept open for its parent is closed."""
        if type(node) is Fraction:
            return self._step(mix((0, *_signed(node))))
        if type(node) is tuple:
            code, number, terms = node
            return self._step(((code, *_signed(number)), tuple(map(self._sealed, terms)), True))
        return int(node)


@lru_cache(maxsize=65536)
def _fraction(word: str) -> Fraction | None:
    return Fraction(word) if word[-1].isdigit() and not word[0].isalpha() and len(word) < 20 else None


def _combined(code: int, a: Any, b: Any) -> Any:
    """A sum or product with its numbers gathered into one."""
    neutral = _NEUTRAL.get(code)
    if neutral is None:  # no arithmetic is known of it
        chained = [node[2] if type(node) is tuple and node[0] == code else (node,) for node in (a, b)]
        return (code, Fraction(0), chained[0] + chained[1])
    number = neutral
    terms: tuple[Any, ...] = ()
    for node in (a, b):
        own = neutral
        if type(node) is Fraction:
            own = node
        elif type(node) is tuple and node[0] == code:
            own = node[1]
            terms += node[2]
        else:
            terms += (node,)
        if own is not neutral:
            number = own if number is neutral else number + own if code == _ADD else number * own
    if not terms or (code == _MUL and not number):
        return number
    if len(terms) == 1 and (number is neutral or number == neutral):
        return terms[0]  # still open, if it is a sum or product itself
    return (code, number, terms)


def _signed(number: Fraction) -> tuple[bool, int, int]:
    """A number in parts that are not negative, since `mix` does not tell -1 from -2."""
    above = number.numerator
    return above < 0, abs(above), number.denominator
