"""Rules that rewrite subexpressions of a proof's lines: definitions, inverse functions undone, exponents as numbers."""

from __future__ import annotations

from collections.abc import Callable

from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.vocabulary import ARITY
from dgl_mathtree.proof.normal_form.definitions import DEFINITIONS, HALF_PI, children, inverse, minus, negative, over
from dgl_mathtree.proof.normal_form.expressions import LONGEST, quotient_words
from dgl_mathtree.proof.normal_form.reading import Reading
from dgl_mathtree.proof.normal_form.ring import Unsettled
from dgl_mathtree.proof.normal_form.signs import is_nonzero, quotient_sign

ORDER = ("definition", "angles", "powers", "logarithms", "inverse", "sign", "value", "denest")
"""The names of rules, in the order in which a step lists them."""
QUOTIENTS = frozenset({"tan", "cot", "sec", "csc"})
AREA = frozenset({"asinh", "acosh", "atanh"})
INVERSES = frozenset({"asin", "acos", "atan", "acsc", "asec", "acot"})
COMPLEMENTS = {
    (inverse_, function): other
    for inverse_, function, other in (
        ("asin", "cos", "sin"),
        ("acos", "sin", "cos"),
        ("acsc", "sec", "csc"),
        ("asec", "csc", "sec"),
        ("atan", "cot", "tan"),
        ("acot", "tan", "cot"),
    )
}


def rewrite(words: Words, rule: Callable[[Words], Words | None]) -> Words:
    """A rule applied to all subexpressions, the inner ones first."""
    if words[0] not in ARITY:
        return words
    if len(words) > LONGEST:
        raise Unsettled("too long to write out")
    new: Words = (words[0], *(word for child in children(words) for word in rewrite(child, rule)))
    return rule(new) or new


def literal_exponent(reading: Reading, node: Words) -> Words | None:
    """A power whose exponent is a number, written as one."""
    if node[0] != "Pow":
        return None
    base, exponent = children(node)
    if len(exponent) == 1:
        return None
    value = reading.form.ring.rational(reading.value(exponent))
    return None if value is None else ("Pow", *base, str(value))


def laws_of_functions(words: Words) -> str:
    """The laws about the functions that occur in an expression."""
    kinds = {"definition" for word in words if word in DEFINITIONS}
    kinds |= {"angles" for word in words if word in ("sin", "cos", *QUOTIENTS)}
    kinds |= {"powers" for word in words if word == "exp" or "/" in word or word in DEFINITIONS}
    kinds |= {"logarithms" for word in words if word == "log"}
    kinds |= {"inverse" for word in words if word in INVERSES}
    return ", ".join(kind for kind in ORDER if kind in kinds) or "algebra"


def _inverted(reading: Reading, node: Words) -> tuple[str, Words] | None:
    """The function and its argument, if a node is an inverse function of it that can be undone."""
    if ARITY[node[0]] != 1 or node[1] not in ARITY:
        return None
    word = {"acos": "asin", "asec": "acsc"}.get(node[0], node[0])
    reading.value(node)
    return None if reading.undone(word, node[1:]) is None else (node[1], node[2:])


def complement(reading: Reading, node: Words) -> Words | None:
    """asin(cos(v)) = asin(sin(pi/2 - v)) and the like."""
    pair = (node[0], node[1]) if ARITY[node[0]] == 1 else ("", "")
    if pair not in COMPLEMENTS or _inverted(reading, node) is None:
        return None
    return (node[0], COMPLEMENTS[pair], *minus(HALF_PI, node[2:]))


RECIPROCALS = {("acot", "cot"): ("atan", "tan"), ("acsc", "csc"): ("asin", "sin"), ("asec", "sec"): ("acos", "cos")}


def reciprocal(reading: Reading, node: Words) -> Words | None:
    """acot(cot(v)) = atan(tan(v)) and the like, where v is not a place at which tan is undefined."""
    pair = RECIPROCALS.get((node[0], node[1])) if ARITY[node[0]] == 1 else None
    if pair is None or _inverted(reading, node) is None:
        return None
    return (*pair, *node[2:])


def even(reading: Reading, node: Words) -> Words | None:
    """acosh(cosh(v)) = acosh(cosh(-v)) for v <= 0."""
    if node[:2] not in (("acosh", "cosh"), ("asech", "sech")):
        return None
    v = node[2:]
    if quotient_sign(reading.form.ring, reading.form.facts, reading.value(v)) >= 0:
        return None
    return (*node[:2], *negative(v))


def undone(reading: Reading, node: Words) -> Words | None:
    if _inverted(reading, node) is None:
        return None
    return quotient_words(reading.form.ring, reading.value(node))


def defined(reading: Reading, node: Words) -> Words | None:
    word, arguments = node[0], children(node)
    if word in QUOTIENTS and arguments[0][0] in INVERSES:
        return None  # tan(asin(u)) is known as it is
    if arguments[0][0] == f"a{word}" and arguments[0][0] in AREA:
        return None
    if word in DEFINITIONS:
        return DEFINITIONS[word](arguments[0])
    if word == "log" and arguments[1] != ("e",):
        return over(("log", *arguments[0], "e"), ("log", *arguments[1], "e"))
    ring, facts = reading.form.ring, reading.form.facts
    if word == "acot":
        u = reading.value(arguments[0])
        if u.above != 0 and (abs(quotient_sign(ring, facts, u)) == 2 or is_nonzero(ring, facts, u.above)):
            return ("atan", *inverse(arguments[0]))
        return None if reading.form.opaque else minus(HALF_PI, ("atan", *arguments[0]))
    if word == "Pow" and not reading.form.opaque and ring.rational(reading.value(arguments[1])) is None:
        if arguments[0] == ("e",):
            return ("exp", *arguments[1])
        return ("exp", "Mul", *arguments[1], "log", *arguments[0], "e")
    return None
