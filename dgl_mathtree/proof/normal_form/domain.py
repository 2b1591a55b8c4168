"""What an equation says about its own domain: facts that hold wherever all of its subexpressions are defined."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dgl_mathtree.language.expr import Words, subtree_ends
from dgl_mathtree.language.vocabulary import ARITY, is_integer, is_number, is_variable

LONGEST = 1000
"""The characters of a number that is still read."""
Fact = tuple[Words, str]
"""An expression and ``>``, ``>=`` or ``!=``, which says how it compares with 0."""


def _minus(a: Words, b: Words) -> Words:
    return ("Add", *a, "Mul", "-1", *b)


_ONE: Words = ("1",)


def facts_of(words: Words) -> Iterator[Fact]:
    """The facts of every function in an expression, innermost first, but not of powers whose exponent is no number."""
    ends = subtree_ends(words)
    for at in range(len(words) - 1, -1, -1):
        word = words[at]
        if word not in ARITY:
            continue
        u = words[at + 1 : ends[at + 1]]
        if word == "Pow":
            exponent = words[ends[at + 1] : ends[at]]
            if len(exponent) == 1 and is_number(exponent[0]):
                yield from _of_power(u, exponent[0])
        elif word == "log":
            base = words[ends[at + 1] : ends[at]]
            yield u, ">"
            if base != ("e",):
                yield base, ">"
                yield ("log", *base, "e"), "!="
        else:
            yield from _of_function(word, u)


def _of_power(base: Words, exponent: str) -> Iterator[Fact]:
    negative = exponent.startswith("-")
    if len(exponent) > LONGEST:
        return
    if Fraction(exponent).denominator != 1:
        yield base, ">" if negative else ">="
    elif negative:
        yield base, "!="


def _of_function(word: str, u: Words) -> Iterator[Fact]:
    if word in ("tan", "sec"):
        yield ("cos", *u), "!="
    elif word in ("cot", "csc"):
        yield ("sin", *u), "!="
    elif word in ("coth", "csch"):
        yield u, "!="
    elif word in ("asin", "acos", "atanh"):
        relation = ">" if word == "atanh" else ">="
        yield _minus(_ONE, u), relation
        yield ("Add", "1", *u), relation
    elif word == "acosh":
        yield _minus(u, _ONE), ">="
    elif word == "asech":
        yield u, ">"
        yield _minus(_ONE, u), ">="
    elif word in ("acsc", "asec", "acoth", "acsch"):
        yield u, "!="
        if word != "acsch":
            yield _minus(("Pow", *u, "2"), _ONE), ">" if word == "acoth" else ">="


def fractional_powers(words: Words) -> Iterator[Words]:
    """The bases with variables of powers whose exponent is not written as a whole number."""
    ends = subtree_ends(words)
    for at, word in enumerate(words):
        if word == "Pow":
            base, exponent = words[at + 1 : ends[at + 1]], words[ends[at + 1] : ends[at]]
            whole = len(exponent) == 1 and is_integer(exponent[0])
            if not whole and any(w not in ARITY and is_variable(w) for w in (*base, *exponent)):
                yield base


def odd_exponents(words: Words) -> Iterator[tuple[Words, Words]]:
    """Bases and exponents of powers whose exponent is not written as a number; innermost first."""
    ends = subtree_ends(words)
    for at in range(len(words) - 1, -1, -1):
        if words[at] == "Pow":
            exponent = words[ends[at + 1] : ends[at]]
            if not (len(exponent) == 1 and is_number(exponent[0])):
                yield words[at + 1 : ends[at + 1]], exponent
