"""Keys under which equations count as the same: the canonical form and the fold form.

Two equations are twins if they differ only by commutativity and associativity of + and ×, by the names of their
variables, or by which side stands left: they have the same canonical key. The fold key is coarser: neutral elements
are stripped and arithmetic on rational numbers is carried out as well, so that ``x*1 + 0 = x`` and ``x = x`` fall
together.

Keys are 64-bit hashes of nested tuples of fixed numbers (`mix`), the same on every machine and for every Python; a new
operator changes none.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from typing import Any

from dgl_mathtree.expressions.tree import Words
from dgl_mathtree.expressions.vocabulary import ARITY, CODES, COMMUTATIVE, is_variable

_ADD, _MUL, _POW = CODES["Add"], CODES["Mul"], CODES["Pow"]
_CHAINS = frozenset(CODES[name] for name in COMMUTATIVE)
_NEUTRAL = {_ADD: Fraction(0), _MUL: Fraction(1)}
_FIRST_VARIABLE = 1000  # not negative: `mix` does not tell -1 from -2
_LARGEST_POWER = 16
_LARGEST_NUMBER = 10**6
MOST_PERMUTED = 5
"""With more variables than this, those of equal frequency keep their order, and a twin may be missed."""


_PRIME_1, _PRIME_2, _PRIME_5 = 11400714785074694791, 14029467366897019727, 2870177450012600261
_WORD, _LANE = 2**64 - 1, 2**61 - 1


@lru_cache(maxsize=65536)
def mix(*numbers: int) -> int:
    """A hash of whole numbers, of any size and sign: 64 bits, signed.

    The rounds of xxHash's tail, each number first reduced modulo 2**61 - 1. These are the values that 64-bit CPython
    (3.8 to 3.13) gives for ``hash(numbers)``; data was made with them, and they are spelled out here so that it stays
    the same whatever `hash` becomes.

    Examples
    --------
    >>> mix(27, 1000, 1001)
    539021095296702060
    """
    state = _PRIME_5
    for number in numbers:
        lane = number % _LANE if number >= 0 else -(-number % _LANE)
        state = (state + (lane if lane != -1 else -2) * _PRIME_2) & _WORD
        state = ((state << 31 & _WORD | state >> 33) * _PRIME_1) & _WORD
    state = (state + (len(numbers) ^ _PRIME_5 ^ 3527539)) & _WORD
    if state == _WORD:
        return 1546275796
    return state - (state >> 63 << 64)


@lru_cache(maxsize=65536)
def _leaf_code(word: str) -> int:
    return mix(0, *word.encode())


def canonical_key(words: Words) -> int:
    """The key of an equation up to commutativity, associativity, renaming and side swap.

    Examples
    --------
    >>> from dgl_mathtree.expressions import parse_equation
    >>> canonical_key(parse_equation("x + y = z").words) == canonical_key(parse_equation("b = c + a").words)
    True
    """
    return min(_side_keys(_canonical_sides, words, _variables(words)))


def fold(words: Words) -> tuple[int, bool]:
    """The fold key: the canonical key after neutral elements are stripped and rational arithmetic is carried out.

    Beside it, whether both sides have the same fold form: whether the equation is a tautology.
    """
    names = _variables(words)
    left, right = _fold_sides(words, {name: _FIRST_VARIABLE + k for k, name in enumerate(names)})
    if len(names) <= 1:
        return _pair_key(left, right), left == right
    # A variable may fold away; it must not take a name from those that stay.
    plain = _fold_sides(words, {})
    names = [name for name in names if _fold_sides(words, {name: _FIRST_VARIABLE}) != plain]
    return min(_side_keys(_fold_sides, words, names)), left == right


def fold_key(words: Words) -> int:
    """The key of an equation's fold form."""
    return fold(words)[0]


def _variables(words: Words) -> list[str]:
    """The variables of an equation, the most frequent first."""
    distinct = dict.fromkeys(word for word in words if word not in ARITY and is_variable(word))
    return sorted(distinct, key=words.count, reverse=True)


def _side_keys(sides: Any, words: Words, names: list[str]) -> Iterable[int]:
    """One key for each way of naming the variables."""
    if len(names) > MOST_PERMUTED:
        orders: Iterable[tuple[str, ...]] = [tuple(names)]
    else:
        orders = permutations(names)
    for order in orders:
        codes = {name: _FIRST_VARIABLE + k for k, name in enumerate(order)}
        yield _pair_key(*sides(words, codes))


def _pair_key(left: int, right: int) -> int:
    return mix(left, right) if left < right else mix(right, left)


def _canonical_sides(words: Words, codes: dict[str, int]) -> tuple[int, int]:
    stack: list[Any] = []
    for word in reversed(words[1:]):
        arity = ARITY.get(word, 0)
        if arity == 0:
            stack.append((0, (codes.get(word) or _leaf_code(word),)))
            continue
        code = CODES[word]
        if arity == 1:
            stack.append((0, (mix(code, _closed(stack.pop())),)))
        elif code in _CHAINS:
            parts: tuple[int, ...] = ()
            for kind, terms in (stack.pop(), stack.pop()):
                parts += terms if kind in (0, code) else (_closed((kind, terms)),)
            stack.append((code, parts))
        else:
            stack.append((0, (mix(code, _closed(stack.pop()), _closed(stack.pop())),)))
    left, right = stack.pop(), stack.pop()
    return _closed(left), _closed(right)


def _closed(node: tuple[int, tuple[int, ...]]) -> int:
    """The hash of a node; a sum or product that was kept open for its parent is closed."""
    kind, terms = node
    return mix(kind, *sorted(terms)) if kind else terms[0]


# In the fold form a node is a Fraction, a tuple (code, number, terms) for an open sum or product, or else a hash.


def _fold_sides(words: Words, codes: dict[str, int]) -> tuple[int, int]:
    stack: list[Any] = []
    for word in reversed(words[1:]):
        arity = ARITY.get(word, 0)
        if arity == 0:
            stack.append(_fold_leaf(word, codes))
        elif arity == 1:
            stack.append(mix(CODES[word], _sealed(stack.pop())))
        else:
            a, b = stack.pop(), stack.pop()
            code = CODES[word]
            if code in _CHAINS:
                stack.append(_combined(code, a, b))
            elif code == _POW:
                stack.append(_fold_power(a, b))
            else:
                stack.append(mix(code, _sealed(a), _sealed(b)))
    left, right = stack.pop(), stack.pop()
    return _sealed(left), _sealed(right)


def _fold_leaf(word: str, codes: dict[str, int]) -> Any:
    number = _fraction(word)
    return number if number is not None else codes.get(word) or _leaf_code(word)


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
    if not terms or (code == _MUL and number == 0):
        return number
    if len(terms) == 1 and number == neutral:
        return terms[0]  # still open, if it is a sum or product itself
    return (code, number, terms)


def _fold_power(base: Any, exponent: Any) -> Any:
    if exponent == 0 or base == 1:
        return Fraction(1)
    if exponent == 1:
        return base
    if type(base) is Fraction and type(exponent) is Fraction:
        whole = exponent.denominator == 1 and abs(exponent) <= _LARGEST_POWER
        if whole and (base or exponent > 0) and max(abs(base.numerator), base.denominator) < _LARGEST_NUMBER:
            return base ** int(exponent)
    return mix(_POW, _sealed(base), _sealed(exponent))


def _sealed(node: Any) -> int:
    """The hash of a node."""
    if type(node) is Fraction:
        return mix(0, *_signed(node))
    if type(node) is tuple:
        code, number, terms = node
        return mix(code, *_signed(number), *sorted(map(_sealed, terms)))
    return int(node)


def _signed(number: Fraction) -> tuple[bool, int, int]:
    """A number in parts that are not negative, since `mix` does not tell -1 from -2."""
    return number < 0, abs(number.numerator), number.denominator
