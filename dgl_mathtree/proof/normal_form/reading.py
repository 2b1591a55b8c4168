"""Reads expressions as quotients over generators, operator by operator, and remembers which rules that took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from dgl_mathtree.language.expr import Words, subtree_ends
from dgl_mathtree.language.vocabulary import ARITY, is_variable
from dgl_mathtree.proof.normal_form.angles import direction, turn
from dgl_mathtree.proof.normal_form.domain import LONGEST
from dgl_mathtree.proof.normal_form.exponentials import exponential, logarithm
from dgl_mathtree.proof.normal_form.form import Form
from dgl_mathtree.proof.normal_form.inverse import (
    inverse_function,
    inverse_of_cosh,
    inverse_of_sine,
    inverse_of_tangent,
)
from dgl_mathtree.proof.normal_form.powers import rational_power
from dgl_mathtree.proof.normal_form.ring import GENERATORS, ONE, Quotient, Unsettled, number, support
from dgl_mathtree.proof.normal_form.signs import is_nonzero, quotient_sign

HALF: Final = Fraction(1, 2)
RECIPROCAL: Final = {"acsc": "asin", "asec": "acos", "acsch": "asinh", "asech": "acosh", "acoth": "atanh"}
"""Inverse functions that are others of 1/u; `acot` is one too, except at 0."""
_INVERSES: Final = frozenset({*RECIPROCAL, *RECIPROCAL.values(), "atan", "acot"})
_UNDOES: Final = {
    ("asin", "sin"): (inverse_of_sine, False),
    ("asin", "cos"): (inverse_of_sine, True),
    ("acsc", "csc"): (inverse_of_sine, False),
    ("acsc", "sec"): (inverse_of_sine, True),
    ("atan", "tan"): (inverse_of_tangent, False),
    ("atan", "cot"): (inverse_of_tangent, True),
    ("acot", "cot"): (inverse_of_tangent, False),
    ("acot", "tan"): (inverse_of_tangent, True),
}
"""An inverse function of a function: the rule, and whether it is about pi/2 less the angle."""
_UNDOES_ALWAYS: Final = {("asinh", "sinh"), ("atanh", "tanh"), ("acsch", "csch"), ("acoth", "coth")}
_UNDONE: Final = {"sinh": "asinh", "cosh": "acosh", "tanh": "atanh"}
_UNDOES_ABSOLUTE: Final = {("acosh", "cosh"), ("asech", "sech")}


@dataclass
class Reading:
    """Values of expressions in one reading of an equation, by their words, and the rules behind each."""

    form: Form
    values: dict[Words, Quotient] = field(default_factory=dict)
    rules: dict[Words, frozenset[str]] = field(default_factory=dict)

    def value(self, words: Words) -> Quotient:
        """The value of an expression."""
        if words in self.values:
            return self.values[words]
        ends = subtree_ends(words)
        for at in range(len(words) - 1, -1, -1):
            here = words[at : ends[at]]
            if here in self.values:
                continue
            self.form.ring.budget.spend(10)
            self.form.kinds.clear()
            if words[at] not in ARITY:
                self.values[here] = self._leaf(words[at])
                continue
            first = words[at + 1 : ends[at + 1]]
            if ARITY[words[at]] == 1:
                self.values[here] = self._function(words[at], first)
            else:
                self.values[here] = self._operator(words[at], first, words[ends[at + 1] : ends[at]])
            self.rules[here] = frozenset(self.form.kinds)
        return self.values[words]

    def _leaf(self, word: str) -> Quotient:
        if word == "pi":
            return self.form.pi()
        if word == "e":
            return exponential(self.form, number(1))
        if is_variable(word):
            return Quotient(GENERATORS[self.form.ring.generator("var", word, 1, word, False)], ONE)
        if len(word) > LONGEST:
            raise Unsettled("large numbers")
        return number(Fraction(word))

    def _operator(self, word: str, first: Words, second: Words) -> Quotient:
        ring = self.form.ring
        a, b = self.values[first], self.values[second]
        if word == "Add":
            return ring.add(a, b)
        if word == "Mul":
            return ring.multiply(a, b)
        if word == "Pow":
            return self._power(a, b)
        if word != "log":
            raise Unsettled(f"nothing is known of {word}")
        below = logarithm(self.form, b)
        return ring.multiply(logarithm(self.form, a), ring.inverse(below))

    def _power(self, base: Quotient, exponent: Quotient) -> Quotient:
        ring, facts = self.form.ring, self.form.facts
        r = ring.rational(exponent)
        if r is not None:
            if r.denominator != 1:
                return rational_power(self.form, base, r)
            return (
                self.form.function("power", base, exponent) if ring.is_large(base, int(r)) else ring.power(base, int(r))
            )
        if ring.equal(base, number(1)):
            return number(1)
        if self.form.opaque:
            return self.form.function("power", base, exponent)
        known = quotient_sign(ring, facts, base)
        if base.above == 0 and quotient_sign(ring, facts, exponent) == 2:
            return number(0)
        if known != 2:
            raise Unsettled("a base that may not be positive")
        return exponential(self.form, ring.multiply(exponent, logarithm(self.form, base)))

    def _function(self, word: str, argument: Words) -> Quotient:
        u = self.values[argument]
        if word in ("tan", "cot"):
            found = direction(self.form, u)
            if found is not None:
                self.form.kinds.add("inverse")
                return _CIRCULAR[word](self.form, *found)
        if word in _CIRCULAR:
            return _CIRCULAR[word](self.form, *turn(self.form, u))
        if word == "exp":
            return exponential(self.form, u)
        if word in _UNDONE and u.below == ONE and _kind(self.form, u) == _UNDONE[word]:
            self.form.kinds.add("inverse")
            return self.form.ring.quotient(*self.form.ring.generators[support(u.above)[0]].argument)
        if word in _HYPERBOLIC:
            return _HYPERBOLIC[word](self.form, exponential(self.form, u))
        if word not in _INVERSES:
            raise Unsettled(f"nothing is known of {word}")
        return self._inverse(word, u, argument)

    def _inverse(self, word: str, u: Quotient, argument: Words) -> Quotient:
        form, ring = self.form, self.form.ring
        if word in ("acos", "asec"):
            other = "asin" if word == "acos" else "acsc"
            return ring.subtract(ring.scale(HALF, form.pi()), self._inverse(other, u, argument))
        undone = self.undone(word, argument)
        if undone is not None:
            return undone
        if word == "acot":
            return self._inverse_cotangent(u)
        if word in RECIPROCAL:
            u, word = ring.inverse(u), RECIPROCAL[word]
        return inverse_function(form, word, u)

    def _inverse_cotangent(self, u: Quotient) -> Quotient:
        """acot(u) = atan(1/u), and pi/2 at 0."""
        form, ring = self.form, self.form.ring
        known = quotient_sign(ring, form.facts, u)
        if u.above != 0 and (abs(known) == 2 or is_nonzero(ring, form.facts, u.above)):
            return inverse_function(form, "atan", ring.inverse(u))
        if u.above == 0 or known > 0:
            return ring.subtract(ring.scale(HALF, form.pi()), inverse_function(form, "atan", u))
        if form.opaque:
            return form.function("acot", u)
        raise Unsettled("acot where its argument may be 0")

    def undone(self, word: str, argument: Words) -> Quotient | None:
        """An inverse function of the function that it inverts, on the branch where the argument is known to be."""
        form, ring = self.form, self.form.ring
        if argument[0] not in ARITY:
            return None
        pair, v = (word, argument[0]), argument[1:]
        if pair in _UNDOES:
            rule, complement = _UNDOES[pair]
            angle = self.values[v]
            if complement:
                angle = ring.subtract(ring.scale(HALF, form.pi()), angle)
            return rule(form, angle)
        if pair in _UNDOES_ALWAYS:
            form.kinds.add("inverse")
            return self.values[v]
        return inverse_of_cosh(form, self.values[v]) if pair in _UNDOES_ABSOLUTE else None


def _kind(form: Form, u: Quotient) -> str:
    """The kind of the generator that a value is, if it is one."""
    generator = form.ring.of_kind(u.above, *_UNDONE.values())
    return generator.kind if generator is not None else ""


def _over(form: Form, a: Quotient, b: Quotient) -> Quotient:
    return form.ring.multiply(a, form.ring.inverse(b))


_CIRCULAR: Final[dict[str, Callable[[Form, Quotient, Quotient], Quotient]]] = {
    "sin": lambda form, c, s: s,
    "cos": lambda form, c, s: c,
    "tan": lambda form, c, s: _over(form, s, c),
    "cot": lambda form, c, s: _over(form, c, s),
    "sec": lambda form, c, s: form.ring.inverse(c),
    "csc": lambda form, c, s: form.ring.inverse(s),
}


def _sinh(form: Form, x: Quotient) -> Quotient:
    return form.ring.scale(HALF, form.ring.subtract(x, form.ring.inverse(x)))


def _cosh(form: Form, x: Quotient) -> Quotient:
    return form.ring.scale(HALF, form.ring.add(x, form.ring.inverse(x)))


_HYPERBOLIC: Final[dict[str, Callable[[Form, Quotient], Quotient]]] = {
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": lambda form, x: _over(form, _sinh(form, x), _cosh(form, x)),
    "coth": lambda form, x: _over(form, _cosh(form, x), _sinh(form, x)),
    "sech": lambda form, x: form.ring.inverse(_cosh(form, x)),
    "csch": lambda form, x: form.ring.inverse(_sinh(form, x)),
}
