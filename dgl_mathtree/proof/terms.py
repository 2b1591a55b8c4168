"""Expressions of a search as numbered nodes, each distinct subexpression once, with a fingerprint of its value.

The fingerprint is the value in a finite field in which variables and functions of any argument are pseudo-random, but
sin and cos of one argument lie on the circle, sinh and cosh on the hyperbola, and a square root squares to what is
under it. Expressions that are equal by algebra have equal fingerprints; those that are not have different ones but for
accidents, so that the search looks for equal fingerprints first and lets exact algebra decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b

from flint import fmpz

from dgl_mathtree.language.expr import Expr, Words
from dgl_mathtree.language.vocabulary import ARITY, is_number, is_variable

PRIME = 2063158034073365759
"""Square roots are powers (it is 3 modulo 4), roots of order 3, 5, 7, 11 and 13 are unique, and 2, 3, 5 and all other
primes below 70 are squares."""
LARGEST_POWER = 64
LONGEST_NUMBER = 1000
"""The digits of a number that is computed with; a longer one is a constant of which nothing is known."""
MOST_BITS = 4 * LONGEST_NUMBER
_SMALL = {number % PRIME: Fraction(number) for number in range(-8, 9)}
SEEDS = 24
"""Fingerprints that are tried for one in which the square roots of an equation exist."""


@lru_cache(maxsize=65536)
def fraction(word: str) -> Fraction | None:
    """The number that a leaf stands for; None for other leaves and for numbers with very many digits."""
    if word in ARITY or len(word) > LONGEST_NUMBER or not is_number(word):
        return None
    return Fraction(word)


def is_small(value: Fraction) -> bool:
    """Whether a number has few enough digits to be computed with."""
    return max(value.numerator.bit_length(), value.denominator.bit_length()) <= MOST_BITS


class Terms:
    """Nodes by number: word, children, size and fingerprint.

    Parameters
    ----------
    seed : int
        Of the fingerprints.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.word: list[str] = []
        self.children: list[tuple[int, ...]] = []
        self.size: list[int] = []
        self.value: list[int | None] = []
        self.rational: list[Fraction | None] = []
        self.failed_roots = 0
        self._numbers: dict[tuple[str, tuple[int, ...]], int] = {}
        self._flat: dict[int, Words] = {}
        self._below: dict[int, tuple[int, ...]] = {}

    def node(self, word: str, *children: int) -> int:
        """The number of a node."""
        key = word, children
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.word)
            self.word.append(word)
            self.children.append(children)
            self.size.append(1 + sum(self.size[child] for child in children))
            self.rational.append(fraction(word) if not children else self._folded(word, children))
            self.value.append(self._evaluate(word, children, self.rational[-1]))
        return found

    def number(self, value: Fraction | int) -> int:
        """The node of a number."""
        exact = Fraction(value)
        if not is_small(exact):
            # Python does not write very long numbers as texts, and the language has no very long fractions.
            above = self.node(str(fmpz(exact.numerator)))
            below = self.node(str(fmpz(exact.denominator)))
            return (
                above if exact.denominator == 1 else self.node("Mul", above, self.node("Pow", below, self.node("-1")))
            )
        return self.node(str(exact))

    def read(self, words: Words) -> int:
        """The node of an expression."""
        stack: list[int] = []
        for word in reversed(words):
            arity = ARITY.get(word, 0)
            stack.append(self.node(word, *[stack.pop() for _ in range(arity)]))
        return stack.pop()

    def words(self, node: int) -> Words:
        """The expression of a node, in prefix order."""
        found = self._flat.get(node)
        if found is None:
            found = (self.word[node], *(word for child in self.children[node] for word in self.words(child)))
            self._flat[node] = found
        return found

    def expr(self, node: int) -> Expr:
        return Expr._trusted(self.words(node))

    def subnodes(self, *roots: int) -> Sequence[int]:
        """The distinct nodes below some, children first."""
        if len(roots) != 1:
            return list(self._walk(roots))
        found = self._below.get(roots[0])
        if found is None:
            found = self._below[roots[0]] = tuple(self._walk(roots))
        return found

    def _walk(self, roots: Sequence[int]) -> Iterator[int]:
        seen: set[int] = set()
        stack = [(root, False) for root in reversed(roots)]
        while stack:
            node, ready = stack.pop()
            if ready:
                yield node
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(self.children[node]))

    def replace(self, root: int, old: int, new: int) -> int:
        """The root with every occurrence of a node replaced."""
        return self.replace_all(root, {old: new})

    def replace_all(self, root: int, changes: dict[int, int]) -> int:
        """The root with nodes replaced, outermost first."""
        memo = dict(changes)

        def walk(node: int) -> int:
            if node in memo:
                return memo[node]
            children = self.children[node]
            if not children:
                return node
            new = tuple(map(walk, children))
            memo[node] = result = node if new == children else self.node(self.word[node], *new)
            return result

        return walk(root)

    def chain(self, node: int, word: str) -> list[int]:
        """The terms of a sum or the factors of a product, in order."""
        if self.word[node] != word:
            return [node]
        return [part for child in self.children[node] for part in self.chain(child, word)]

    def total(self, parts: list[int]) -> int:
        """A sum, grouped as the parser groups sums."""
        if not parts:
            return self.node("0")
        result = parts[0]
        for part in parts[1:]:
            result = self.node("Add", result, part)
        return result

    def product(self, parts: list[int]) -> int:
        """A product, grouped as the parser groups products."""
        if not parts:
            return self.node("1")
        result = parts[-1]
        for part in parts[-2::-1]:
            result = self.node("Mul", part, result)
        return result

    def _folded(self, word: str, children: tuple[int, ...]) -> Fraction | None:
        """The value of a node that is a rational number by arithmetic."""
        values = [self.rational[child] for child in children]
        if len(values) != 2 or values[0] is None or values[1] is None or word == "log":
            return None
        a, b = values[0], values[1]
        if word in ("Add", "Mul"):
            result = a + b if word == "Add" else a * b
        elif b.denominator != 1 or abs(b) > LARGEST_POWER or (a == 0 and b < 0):
            return None
        else:
            result = a ** int(b)
        return result if is_small(result) else None

    def _hash(self, *parts: object) -> int:
        digest = blake2b(repr((self.seed, *parts)).encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % PRIME

    def _evaluate(self, word: str, children: tuple[int, ...], rational: Fraction | None) -> int | None:
        if rational is not None:
            below = rational.denominator % PRIME
            return rational.numerator * pow(below, -1, PRIME) % PRIME if below else None
        if not children:
            return self._hash(word)
        values = [self.value[child] for child in children]
        if None in values:
            return None
        a = values[0]
        assert a is not None
        if len(values) == 1:
            return self._function(word, a)
        b = values[1]
        assert b is not None
        if word == "Add":
            return (a + b) % PRIME
        if word == "Mul":
            return a * b % PRIME
        if word == "Pow":
            exponent = self.rational[children[1]]
            if exponent is None:  # an exponent such as y*(1/y), which is a small whole number by algebra
                exponent = _SMALL.get(b)
            if exponent is not None and abs(exponent.numerator) <= LARGEST_POWER:
                return self._power(children[0], a, exponent)
        return self._hash(word, a, b)

    def _function(self, word: str, argument: int) -> int | None:
        name = word.removesuffix("h")
        if word in ("sin", "cos", "sinh", "cosh"):
            t = self._hash(word.endswith("h"), argument)
            square = t * t % PRIME
            sign = 1 if word.endswith("h") else -1
            below = pow(1 - sign * square, -1, PRIME)
            return (2 * t if name == "sin" else 1 + sign * square) * below % PRIME
        return self._hash(word, argument)

    def _power(self, base: int, value: int, exponent: Fraction) -> int | None:
        if value == 0:
            return 0 if exponent > 0 else None
        if exponent.denominator == 1:
            return pow(value, int(exponent), PRIME)
        root: int | None
        number = self.rational[base]
        if number is not None and number > 0:
            root = self._root_of_number(number, exponent.denominator)
        else:
            root = self._root(value, exponent.denominator)
        return self._hash("Pow", value, exponent) if root is None else pow(root, exponent.numerator, PRIME)

    def _root_of_number(self, number: Fraction, order: int) -> int | None:
        """A root of a number as the product of those of its prime factors, so that sqrt(8) is 2*sqrt(2)."""
        result = 1
        for prime, times in [*_factors(number.numerator), *((p, -k) for p, k in _factors(number.denominator))]:
            whole, rest = divmod(times, order)
            root = 1
            if rest:
                found = self._root(prime % PRIME, order)
                root = self._hash("root", prime, order) if found is None else found
            result = result * pow(prime, whole, PRIME) * pow(root, rest, PRIME) % PRIME
        return result

    def _root(self, value: int, order: int) -> int | None:
        root = value
        while order % 2 == 0:
            if pow(root, (PRIME - 1) // 2, PRIME) != 1:
                self.failed_roots += 1
                return None
            root = pow(root, (PRIME + 1) // 4, PRIME)
            order //= 2
        for prime in (3, 5, 7, 11, 13):
            while order % prime == 0:
                root = pow(root, pow(prime, -1, PRIME - 1), PRIME)
                order //= prime
        return root if order == 1 else None


@lru_cache(maxsize=4096)
def _factors(number: int) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    divisor = 2
    while divisor * divisor <= number and divisor < 2000:
        times = 0
        while number % divisor == 0:
            number //= divisor
            times += 1
        if times:
            found.append((divisor, times))
        divisor += 1
    return tuple(found) if number == 1 else (*found, (number, 1))


def terms_for(*sides: Words) -> Terms:
    """Nodes with fingerprints in which as many square roots of these expressions exist as can be had."""
    best: Terms | None = None
    for seed in range(SEEDS):
        terms = Terms(seed)
        for words in sides:
            terms.read(words)
        if best is None or terms.failed_roots < best.failed_roots:
            best = terms
        if best.failed_roots == 0:
            break
    assert best is not None
    return best


def is_letter(word: str) -> bool:
    """Whether a word is a variable."""
    return word not in ARITY and is_variable(word)
