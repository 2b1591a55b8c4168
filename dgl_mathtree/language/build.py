"""Trees while equations are put together: a leaf is its word, any other node a tuple (operator, child, ...).

The builders give the shapes that the parser gives to what a person types: products to the right, sums to the left,
``a - b`` as ``a + (-1*b)``, ``a/b`` as ``a*b^-1``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from dgl_mathtree.language import parse_expression
from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.parsing.syntax_trees import flat, fraction_of
from dgl_mathtree.language.vocabulary import ARITY, is_number, is_variable, negated

Term = Any  # a word, or a tuple (operator, child, ...)
Pair = tuple[Term, Term]


@lru_cache(maxsize=16384)
def read(text: str) -> Term:
    """The term that a text spells.

    Example:
        >>> read("1 - x/2")
        ('Add', '1', ('Mul', '-1', ('Mul', 'x', ('Pow', '2', '-1'))))
    """
    return nested(parse_expression(text).words)


def read_all(texts: str) -> list[Term]:
    """The terms of a list with semicolons."""
    return [read(text.strip()) for text in texts.split(";") if text.strip()]


def nested(words: Words) -> Term:
    """The term that words in prefix order spell."""
    stack: list[Term] = []
    for word in reversed(words):
        arity = ARITY.get(word, 0)
        if arity == 0:
            stack.append(word)
        elif arity == 1:
            stack.append((word, stack.pop()))
        else:
            stack.append((word, stack.pop(), stack.pop()))
    return stack.pop()


def equation_words(left: Term, right: Term) -> Words:
    """The words of an equation."""
    return flat(("Equality", left, right))


def number(term: Term) -> bool:
    return isinstance(term, str) and is_number(term)


def add(a: Term, b: Term) -> Term:
    return ("Add", a, b)


def neg(a: Term) -> Term:
    if number(a):
        return negated(a)
    if a[0] == "Mul" and number(a[1]):
        return a[2] if a[1] == "-1" else ("Mul", negated(a[1]), a[2])
    return ("Mul", "-1", a)


def sub(a: Term, b: Term) -> Term:
    """a - b, or a + c where b is -c."""
    if isinstance(b, tuple) and b[0] == "Mul" and number(b[1]) and b[1].startswith("-"):
        return ("Add", a, neg(b))
    if number(b) and b.startswith("-"):
        return ("Add", a, negated(b))
    return ("Add", a, ("Mul", "-1", b))


def mul(a: Term, b: Term) -> Term:
    if isinstance(a, tuple) and a[0] == "Mul":
        return ("Mul", a[1], mul(a[2], b))
    return ("Mul", a, b)


def inv(a: Term) -> Term:
    return ("Pow", a, "-1")


def div(a: Term, b: Term) -> Term:
    return fraction_of(a, b) or mul(a, inv(b))


def power(a: Term, b: Term) -> Term:
    return ("Pow", a, b)


def depth(term: Term) -> int:
    return 0 if isinstance(term, str) else 1 + max(map(depth, term[1:]))


def size(term: Term) -> int:
    return 1 if isinstance(term, str) else 1 + sum(map(size, term[1:]))


def chain(term: Term, operator: str) -> list[Term]:
    """The terms of a sum or the factors of a product, in order."""
    if isinstance(term, tuple) and term[0] == operator:
        return chain(term[1], operator) + chain(term[2], operator)
    return [term]


def total(parts: list[Term]) -> Term:
    """The sum of some terms; those with a minus are subtracted."""
    term = parts[0]
    for part in parts[1:]:
        term = ("Add", term, part)
    return term


def product(parts: list[Term]) -> Term:
    term = parts[-1]
    for part in parts[-2::-1]:
        term = ("Mul", part, term)
    return term


def nodes(term: Term) -> Iterator[Term]:
    yield term
    if isinstance(term, tuple):
        for child in term[1:]:
            yield from nodes(child)


def variables(*terms: Term) -> list[str]:
    """The distinct variables, sorted."""
    return sorted({node for term in terms for node in nodes(term) if isinstance(node, str) and is_variable(node)})


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    if isinstance(term, str):
        return values.get(term, term)
    return (term[0], *(substitute(child, values) for child in term[1:]))


def replaced(term: Term, path: tuple[int, ...], new: Callable[[Term], Term]) -> Term:
    """The term with the node at a path replaced by a function of it."""
    if not path:
        return new(term)
    at = path[0]
    return (*term[:at], replaced(term[at], path[1:], new), *term[at + 1 :])


@lru_cache(maxsize=1 << 18)
def shape(term: Term) -> int:
    """A hash that is the same for terms that differ only by the order of sums and products, or by factors 1."""
    if isinstance(term, str):
        return hash(term)
    if term[0] in ("Add", "Mul"):
        parts = [shape(part) for part in chain(term, term[0]) if part != "1" or term[0] == "Add"]
        return hash((term[0], *sorted(parts))) if len(parts) != 1 else parts[0]
    return hash((term[0], *(shape(child) for child in term[1:])))


def tidy(term: Term, rng: random.Random, ordered: bool = True) -> Term:
    """The term as somebody would rather type it: signs in front, chains without needless brackets.

    Args:
        ordered: whether numbers are to stand first in a product and divisors last.
    """
    if isinstance(term, str):
        return term
    if term[0] == "Mul":
        return _tidy_product([tidy(part, rng, ordered) for part in chain(term, "Mul")], rng, ordered)
    children = [tidy(child, rng, ordered) for child in term[1:]]
    if term[0] == "Add":
        parts = [part for child in children for part in chain(child, "Add")]
        return total([parts[0], *map(_subtracted, parts[1:])])
    if term[0] == "Pow" and children[1] == "1":
        return children[0]
    return (term[0], *children)


def is_inverse(term: Term) -> bool:
    """Whether a term is of the form b^-1."""
    return isinstance(term, tuple) and term[0] == "Pow" and term[2] == "-1"


def _tidy_product(factors: list[Term], rng: random.Random, ordered: bool) -> Term:
    negative = False
    parts: list[Term] = []
    for factor in (part for whole in factors for part in chain(whole, "Mul")):
        if number(factor) and factor.startswith("-"):
            negative = not negative
            factor = negated(factor)
        if factor != "1":
            parts.append(factor)
    if ordered:
        parts.sort(key=lambda part: 0 if number(part) else 2 if is_inverse(part) else 1)
        below = [part for part in parts if is_inverse(part)]
        if len(below) > 1 and rng.random() < 0.8:
            parts = [*parts[: -len(below)], ("Pow", product([part[1] for part in below]), "-1")]
    first = next((k for k, part in enumerate(parts) if not is_inverse(part)), None)
    parts.insert(0, "1" if first is None else parts.pop(first))
    if len(parts) == 2 and is_inverse(parts[1]) and (exact := fraction_of(parts[0], parts[1][1])):
        parts = [exact]
    if negative:
        parts = [negated(parts[0]), *parts[1:]] if number(parts[0]) else ["-1", *parts]
    return product(parts)


def _subtracted(part: Term) -> Term:
    """A later term of a sum: with a minus before it where it has a negative number."""
    if number(part) and part.startswith("-"):
        return ("Mul", "-1", negated(part))
    if isinstance(part, tuple) and part[0] == "Mul" and number(part[1]) and part[1].startswith("-") and part[1] != "-1":
        return ("Mul", "-1", ("Mul", negated(part[1]), part[2]))
    if isinstance(part, tuple) and part[0] == "Mul" and part[1] == "-1" and is_inverse(part[2]):
        return ("Mul", "-1", ("Mul", "1", part[2]))
    return part


def reordered(term: Term, rng: random.Random, chance: float) -> Term:
    """The term with sums and products in another order here and there."""
    if isinstance(term, str):
        return term
    if term[0] in ("Add", "Mul") and rng.random() < chance:
        parts = [reordered(part, rng, chance) for part in chain(term, term[0])]
        rng.shuffle(parts)
        return total(parts) if term[0] == "Add" else product(parts)
    return (term[0], *(reordered(child, rng, chance) for child in term[1:]))


def respelled(term: Term, rng: random.Random) -> Term:
    """The term in another spelling: exp(u) for e^u, u/2 for (1/2)*u, u^-1 for 1/u, or none of these."""
    swaps = {name for name, chance in (("exp", 0.3), ("half", 0.3), ("inverse", 0.2)) if rng.random() < chance}
    return _respelled(term, swaps) if swaps else term


def _respelled(term: Term, swaps: set[str]) -> Term:
    if isinstance(term, str):
        return term
    term = (term[0], *(_respelled(child, swaps) for child in term[1:]))
    if "exp" in swaps and term[0] == "exp":
        return ("Pow", "e", term[1])
    if "exp" in swaps and term[0] == "Pow" and term[1] == "e" and isinstance(term[2], tuple):
        return ("exp", term[2])
    if term[0] == "Mul" and "half" in swaps and number(term[1]) and "/" in term[1] and term[1][0] != "-":
        above, below = term[1].split("/")
        return div(term[2] if above == "1" else mul(above, term[2]), below)
    if term[0] == "Mul" and "half" in swaps and is_inverse(term[2]) and number(term[2][1]) and not number(term[1]):
        half = fraction_of("1", term[2][1])
        return term if half is None else ("Mul", half, term[1])
    if term[0] == "Mul" and "inverse" in swaps and term[1] == "1" and is_inverse(term[2]):
        return term[2]
    return term
