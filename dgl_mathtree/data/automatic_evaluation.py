"""Automatic evaluation: what a computer algebra system makes of an equation without being asked to simplify it.

The original project labelled an edited equation correct if building it in SymPy made it ``True``. This module decides
like that, without SymPy: numbers are computed, like terms and powers collected, number times sum multiplied out, and
functions at multiples of π and at negative arguments rewritten. Nothing is expanded or factored, so most equations that
are true stay undecided.

A value is a number (`Fraction` or `float`), or a tuple that starts with its kind::

    ("x",), ("pi",), ("nan",), ("zoo",)     a variable, π, undefined, complex infinity
    ("fn", name, argument)
    ("pow", base, exponent)
    ("product", coefficient, {((base, term), multiple), ...})   base^(multiple*term); frozen sets
    ("sum", constant, {(term, coefficient), ...})
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.vocabulary import ARITY, is_variable

Value = Any
NAN, ZOO, PI = ("nan",), ("zoo",), ("pi",)
ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)
LARGEST_BITS = 1 << 16
"""Powers of numbers that would be longer than this are left as they are."""
LARGEST_FACTOR = 1 << 15
"""Prime factors up to this one are taken out of roots."""


def evaluates_to_true(words: Words) -> bool:
    """Whether the sides of an equation become the same by automatic evaluation alone.

    Parameters
    ----------
    words : tuple of str
        The equation's, over + × ^ and the trigonometric functions.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> evaluates_to_true(parse_equation("sin(x + pi) = 0 - 1*sin(x)").words)
    True
    >>> evaluates_to_true(parse_equation("sin(x)^2 + cos(x)^2 = 1").words)
    False
    """
    stack: list[Value] = []
    for word in reversed(words[1:]):
        arity = ARITY.get(word, 0)
        if arity == 0:
            stack.append(_leaf(word))
        elif arity == 1:
            stack.append(function(word, stack.pop()))
        else:
            stack.append(_BINARY[word](stack.pop(), stack.pop()))
    left, right = stack
    return bool(left == right and left != NAN)


def _leaf(word: str) -> Value:
    if is_variable(word) or word == "pi":
        return (word,)
    return float(word) if "." in word else Fraction(word)


def _is_number(value: Value) -> bool:
    return not isinstance(value, tuple)


def _is_whole(value: Value) -> bool:
    return isinstance(value, Fraction) and value.denominator == 1


def _add(a: Value, b: Value) -> Value:
    """The sum: numbers added, like terms collected."""
    return _sum((a, b))


def _sum(parts: Iterable[Value]) -> Value:
    constant: Value = ZERO
    terms: dict[Value, Value] = {}
    infinite = False
    for part in parts:
        if part == NAN or (part == ZOO and infinite):
            return NAN
        if part == ZOO:
            infinite = True
        elif _is_number(part):
            constant += part
        else:
            number, entries = part[1:] if part[0] == "sum" else (ZERO, (_with_coefficient(part),))
            constant += number
            for term, coefficient in entries:
                if term == ZOO:
                    if infinite:
                        return NAN
                    infinite = True
                    continue
                terms[term] = terms.get(term, ZERO) + coefficient
    terms = {term: coefficient for term, coefficient in terms.items() if coefficient != 0}
    if infinite:
        unknown = {term: coefficient for term, coefficient in terms.items() if not _is_constant(term)}
        return ("sum", ZERO, frozenset([(ZOO, ONE), *unknown.items()])) if unknown else ZOO
    if not terms:
        return constant
    if constant == 0 and len(terms) == 1:
        ((term, coefficient),) = terms.items()
        return _scaled(coefficient, term)
    return ("sum", constant, frozenset(terms.items()))


def _with_coefficient(value: Value) -> tuple[Value, Value]:
    """What is left of a value without its number, and the number."""
    if value[0] == "product" and value[1] not in (ONE, ZOO):
        return _product(ONE, value[2]), value[1]
    return value, ONE


def _scaled(number: Value, value: Value) -> Value:
    """A number times a value that has none of its own."""
    if number == ONE and not isinstance(number, float):
        return value
    if value[0] == "sum":
        return ("sum", number * value[1], frozenset((term, number * c) for term, c in value[2]))
    entries = value[2] if value[0] == "product" else frozenset([_entry(value)])
    return ("product", number, entries)


def _entry(value: Value) -> tuple[tuple[Value, Value], Value]:
    """A value as a power: its base, and its exponent as a term and a multiple of it."""
    base, exponent = value[1:] if value[0] == "pow" else (value, ONE)
    if _is_number(exponent):
        return (base, ONE), exponent
    term, multiple = _with_coefficient(exponent)
    return (base, term), multiple


def _product(number: Value, entries: Iterable[tuple[tuple[Value, Value], Value]]) -> Value:
    """The value of a number and powers that need no more evaluation."""
    powers = list(entries)
    if not powers:
        return number
    if len(powers) == 1:
        (base, term), multiple = powers[0]
        if multiple == ONE and term == ONE:
            return _scaled(number, base)
        if number == ONE and not isinstance(number, float):
            return ("pow", base, _exponent(term, multiple))
    return ("product", number, frozenset(powers))


def _exponent(term: Value, multiple: Value) -> Value:
    return multiple if term == ONE else _scaled(multiple, term)


def _multiply(a: Value, b: Value) -> Value:
    """The product: numbers multiplied, powers of one base collected, a number times a sum multiplied out."""
    return _multiplied((a, b))


def _times(a: Value, b: Value) -> Value:
    """The product of two numbers; zero makes a decimal exact."""
    return a * b if a and b else ZERO


def _multiplied(parts: Iterable[Value]) -> Value:
    number: Value = ONE
    powers: dict[tuple[Value, Value], Value] = {}
    infinite = False
    queue = list(parts)
    for part in queue:
        if part == NAN:
            return NAN
        if part == ZOO:
            infinite = True
        elif _is_number(part):
            number = _times(number, part)
        elif part[0] == "product":
            if part[1] == ZOO:
                infinite = True
            else:
                number = _times(number, part[1])
            for key, multiple in part[2]:
                powers[key] = powers.get(key, ZERO) + multiple
        else:
            key, multiple = _entry(part)
            powers[key] = powers.get(key, ZERO) + multiple
    if number == 0:
        return NAN if infinite or any(_has_infinity(base) for base, _ in powers) else number
    number, entries = _evaluated(number, powers)
    if entries is None or number == 0:
        return number
    if infinite:
        unknown = [entry for entry in entries if not _is_constant(entry[0][0]) or not _is_constant(entry[0][1])]
        return ("product", ZOO, frozenset(unknown)) if unknown else ZOO
    return _product(number, entries)


def _evaluated(number: Value, powers: dict[tuple[Value, Value], Value]) -> tuple[Value, Any]:
    """A number and powers once each power is evaluated; what that brings in is multiplied in as well."""
    entries: dict[tuple[Value, Value], Value] = {}
    roots: dict[Fraction, Fraction] = {}
    by_exponent: dict[Value, Fraction] = {}
    again: list[Value] = []
    for (base, term), multiple in powers.items():
        if multiple == 0:
            continue
        if isinstance(base, Fraction) and term == ONE and isinstance(multiple, Fraction):
            roots[base] = roots.get(base, ZERO) + multiple
            continue
        exponent = _exponent(term, multiple)
        if isinstance(base, Fraction) and base > 0:
            by_exponent[exponent] = by_exponent.get(exponent, ONE) * base
            continue
        value = _power(base, exponent)
        if value == NAN:
            return NAN, None
        if _is_number(value) or value[0] == "product" or value[0] == "sum":
            if value == base:
                entries[base, ONE] = entries.get((base, ONE), ZERO) + 1
            else:
                again.append(value)
            continue
        key, times = _entry(value)
        entries[key] = entries.get(key, ZERO) + times
    for exponent, base in by_exponent.items():
        value = _power(base, exponent)
        if _is_number(value):
            number = _times(number, value)
        else:
            key, times = _entry(value)
            entries[key] = times
    coefficient, surds = _roots(roots)
    number = _times(number, coefficient)
    entries.update(surds)
    if again:
        rest = _multiplied([number, *(_power_of(entry) for entry in entries.items()), *again])
        if _is_number(rest) or rest in (NAN, ZOO):
            return rest, None
        if rest[0] == "product":
            return rest[1], list(rest[2])
        return ONE, [_entry(rest)]
    return number, list(entries.items())


def _power_of(entry: tuple[tuple[Value, Value], Value]) -> Value:
    (base, term), multiple = entry
    exponent = _exponent(term, multiple)
    return base if exponent == ONE else ("pow", base, exponent)


def _roots(roots: dict[Fraction, Fraction]) -> tuple[Fraction, dict[tuple[Value, Value], Value]]:
    """The product of rational powers of rational numbers: a number, and powers of primes with exponents in (0, 1)."""
    exponents: dict[int, Fraction] = {}
    for base, exponent in roots.items():
        if base < 0:
            exponents[-1] = exponents.get(-1, ZERO) + exponent
        for factor, times in _factors(abs(base)).items():
            exponents[factor] = exponents.get(factor, ZERO) + times * exponent
    number = ONE
    surds: dict[tuple[Value, Value], Value] = {}
    for factor, exponent in exponents.items():
        whole = math.floor(exponent)
        if factor == -1:
            number *= -1 if whole % 2 else 1
        else:
            number *= Fraction(factor) ** whole
        if exponent != whole:
            surds[Fraction(factor), ONE] = exponent - whole
    return number, surds


def _factors(number: Fraction) -> dict[int, int]:
    """The prime factors of a positive number up to a limit, and what is left as a factor of its own."""
    found: dict[int, int] = {}
    for part, sign in ((number.numerator, 1), (number.denominator, -1)):
        factor = 2
        while factor * factor <= part and factor < LARGEST_FACTOR:
            while part % factor == 0:
                part //= factor
                found[factor] = found.get(factor, 0) + sign
            factor += 1
        if part > 1:
            found[part] = found.get(part, 0) + sign
    return found


def _power(base: Value, exponent: Value) -> Value:
    """The power, as far as it evaluates by itself."""
    if isinstance(exponent, Fraction) and exponent in (0, 1):
        return base if exponent else ONE
    if NAN in (base, exponent) or exponent == ZOO:
        return NAN
    if isinstance(base, Fraction) and base == 1:
        return ONE
    if base == ZOO or (_is_number(base) and base == 0):
        return _power_of_extreme(base, exponent)
    if _is_number(base) and _is_number(exponent):
        return _number_power(base, exponent)
    if _is_number(base):
        return ("pow", base, exponent)
    if base[0] == "pow" and _joins(base[1], base[2], exponent):
        return _power(base[1], _multiply(base[2], exponent))
    if base[0] == "product" and base[1] != ZOO:
        return _product_power(base, exponent)
    return ("pow", base, exponent)


def _power_of_extreme(base: Value, exponent: Value) -> Value:
    """A power of zero or infinity, which depends on the sign of the exponent."""
    sign = _sign(exponent)
    if sign:
        small = (sign > 0) == (base != ZOO)
        return (base if base != ZOO else ZERO) if small else ZOO
    if base != ZOO and not _is_number(exponent):
        term, coefficient = _with_coefficient(exponent) if exponent[0] != "sum" else (exponent, ONE)
        if coefficient != ONE:
            return _power(ZOO if coefficient < 0 else base, term)
    return ("pow", base, exponent)


def _joins(base: Value, inner: Value, outer: Value) -> bool:
    """Whether (base^inner)^outer is base^(inner*outer)."""
    if _is_whole(outer):
        return True
    if _is_number(inner):
        return abs(inner) < 1 or _sign(base) == 1
    return _is_constant(inner) and _sign(base) == 1


def _number_power(base: Value, exponent: Value) -> Value:
    if isinstance(base, float) or isinstance(exponent, float):
        try:
            result = float(base) ** float(exponent)
        except (OverflowError, ZeroDivisionError):
            return ("pow", base, exponent)
        return ("pow", base, exponent) if isinstance(result, complex) else result
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(exponent) * size > LARGEST_BITS:
        return ("pow", base, exponent)
    if exponent.denominator == 1:
        return base ** int(exponent)
    number, surds = _roots({base: exponent})
    return _product(number, surds.items())


def _product_power(base: Value, exponent: Value) -> Value:
    """A power of a product: taken apart if the exponent is whole, else what is positive is taken out."""
    _, number, entries = base
    if _is_whole(exponent):
        return _multiplied([_power(number, exponent), *(_power(_power_of(entry), exponent) for entry in entries)])
    if not _is_number(exponent):
        return ("pow", base, exponent)
    outside: list[Value] = []
    inside: list[Value] = []
    if abs(number) != ONE:
        outside.append(_power(abs(number), exponent))
    if number < 0:
        inside.append(-ONE)
    for entry in entries:
        factor = _power_of(entry)
        if _sign(factor) == 1:
            outside.append(_power(factor, exponent))
        else:
            inside.append(factor)
    if not outside:
        return ("pow", base, exponent)
    rest = _multiplied(inside)
    return _multiplied([*outside, ("pow", rest, exponent) if not _is_number(rest) else _power(rest, exponent)])


_PARITY = {"sin": -1, "csc": -1, "tan": -1, "cot": -1, "cos": 1, "sec": 1}
_RECIPROCAL = {"csc": "sin", "sec": "cos", "cot": "tan"}
_PLAIN = {"sin": math.sin, "cos": math.cos, "tan": math.tan}
_SHIFTED = {
    "sin": ((1, "sin"), (1, "cos"), (-1, "sin"), (-1, "cos")),
    "cos": ((1, "cos"), (-1, "sin"), (-1, "cos"), (1, "sin")),
    "tan": ((1, "tan"), (-1, "cot"), (1, "tan"), (-1, "cot")),
    "cot": ((1, "cot"), (-1, "tan"), (1, "cot"), (-1, "tan")),
    "sec": ((1, "sec"), (-1, "csc"), (-1, "sec"), (1, "csc")),
    "csc": ((1, "csc"), (1, "sec"), (-1, "csc"), (-1, "sec")),
}
"""What a function of x + k·π/2 is of x, for k = 0, 1, 2, 3: a sign and a function."""


def function(name: str, argument: Value) -> Value:
    """A trigonometric function of a value."""
    if argument in (NAN, ZOO):
        return NAN
    if isinstance(argument, float):
        plain = _PLAIN[_RECIPROCAL.get(name, name)](argument)
        return (1 / plain if plain else ZOO) if name in _RECIPROCAL else plain
    rest, quarters = _without_quarters(argument)
    if quarters % 4:
        sign, other = _SHIFTED[name][quarters % 4]
        return _multiply(Fraction(sign), function(other, rest))
    if rest != argument:
        return function(name, rest)
    if isinstance(argument, Fraction) and argument == 0:
        return {"sin": ZERO, "tan": ZERO, "cos": ONE, "sec": ONE, "csc": ZOO, "cot": ZOO}[name]
    if _prefers_minus(argument):
        value = function(name, _multiply(-ONE, argument))
        return value if _PARITY[name] > 0 else _multiply(-ONE, value)
    turns = _turns(argument)
    if turns is not None:
        return _at_turns(name, turns)
    return ("fn", name, argument)


def _without_quarters(argument: Value) -> tuple[Value, int]:
    """An argument without multiples of π/2, and how many there were; [0, π/2) is left of a multiple of π."""
    terms = argument[2] if not _is_number(argument) and argument[0] == "sum" else ()
    alone = _turns(argument)
    multiple = alone if alone is not None else next((c for term, c in terms if term == PI), None)
    if not isinstance(multiple, Fraction):
        return argument, 0
    quarters = math.floor(2 * multiple)
    if alone is not None:
        return (_multiply(multiple - Fraction(quarters, 2), PI) if quarters else argument), quarters
    return (_add(argument, _multiply(Fraction(-quarters, 2), PI)) if quarters else argument), quarters


def _turns(argument: Value) -> Fraction | None:
    """The rational number that an argument is a multiple of π by."""
    if argument == PI:
        return ONE
    if not _is_number(argument) and argument[0] == "product" and set(argument[2]) == {((PI, ONE), ONE)}:
        return argument[1] if isinstance(argument[1], Fraction) else None
    return None


_ROOT_2, _ROOT_3 = (("pow", Fraction(n), HALF) for n in (2, 3))
_SINES = {Fraction(1, 6): HALF, Fraction(1, 4): _scaled(HALF, _ROOT_2), Fraction(1, 3): _scaled(HALF, _ROOT_3)}
"""Sines at multiples of π in (0, 1/2)."""


def _at_turns(name: str, turns: Fraction) -> Value:
    """A function at a multiple of π in (0, 1/2)."""
    sine, cosine = _SINES.get(turns), _SINES.get(HALF - turns)
    if sine is None or cosine is None:
        return ("fn", name, _multiply(turns, PI))
    over = {"sin": sine, "cos": cosine, "tan": sine, "cot": cosine}.get(name, ONE)
    under = {"tan": cosine, "cot": sine, "csc": sine, "sec": cosine}.get(name, ONE)
    return _multiply(over, _power(under, -ONE))


def _prefers_minus(value: Value) -> bool:
    """Whether a value or minus it is taken for the argument of a function: one of the two, always the same."""
    if _is_number(value):
        return bool(value < 0)
    if value[0] == "product":
        return bool(value[1] != ZOO and value[1] < 0)
    if value[0] != "sum":
        return False
    numbers = [c for _, c in value[2]] + ([value[1]] if value[1] else [])
    minus = sum(c < 0 for c in numbers)
    if 2 * minus != len(numbers):
        return bool(2 * minus > len(numbers))
    other = _multiply(-ONE, value)
    return _order(value) < _order(other)


def _order(value: Value) -> str:
    """A text to order values by, the same wherever it is made."""
    if isinstance(value, tuple):
        return "(" + ",".join(map(_order, value)) + ")"
    if isinstance(value, frozenset):
        return "{" + ",".join(sorted(map(_order, value))) + "}"
    return str(value)


def _is_constant(value: Value) -> bool:
    """Whether a value has no variables."""
    return _float(value) is not None


def _has_infinity(value: Value) -> bool:
    if isinstance(value, (tuple, frozenset)):
        return value == ZOO or any(map(_has_infinity, value))
    return False


def _sign(value: Value) -> int:
    """The sign of a real constant; 0 where it is not known."""
    number = _float(value)
    if number is None or isinstance(number, complex) or abs(number) < 1e-9:
        return 0
    return 1 if number > 0 else -1


def _float(value: Value) -> float | complex | None:
    """The value of a constant as a float; None for one that has variables or is not finite."""
    try:
        return _approximated(value)
    except (OverflowError, ZeroDivisionError, ValueError):
        return None


def _approximated(value: Value) -> float | complex:
    if _is_number(value):
        return float(value)
    kind = value[0]
    if kind == "pi" and len(value) == 1:
        return math.pi
    if kind == "fn" and len(value) == 3:
        inner = _approximated(value[2])
        if isinstance(inner, complex):
            raise ValueError("complex")
        plain = _PLAIN[_RECIPROCAL.get(value[1], value[1])](inner)
        return 1 / plain if value[1] in _RECIPROCAL else plain
    if kind == "pow" and len(value) == 3:
        result: float | complex = _approximated(value[1]) ** _approximated(value[2])
        return result
    if kind == "product":
        result = _approximated(value[1])
        for entry in value[2]:
            result *= _approximated(_power_of(entry))
        return result
    if kind == "sum":
        return _approximated(value[1]) + sum(_approximated(c) * _approximated(term) for term, c in value[2])
    raise ValueError("not a constant")


_BINARY = {"Add": _add, "Mul": _multiply, "Pow": _power}
