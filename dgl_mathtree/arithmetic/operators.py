"""The operators, one row each: what an operator is called, what it computes, and what it is related to.

Everything else that is specific to an operator is derived from its row: the arithmetic of the oracle, the values that
discovery groups by, the parser's names, the printers, the bridge to SymPy, the kin that completion and the edits of
equations try, and the JavaScript of the page of an explanation. A new operator is a row at the end of `_ROWS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from flint import acb, arb

from dgl_mathtree.arithmetic import arb_balls, arb_plane, float_balls
from dgl_mathtree.arithmetic.arb_balls import Field, Value, arb_of_inverse, leaf, method
from dgl_mathtree.arithmetic.arb_plane import acb_of_inverse
from dgl_mathtree.arithmetic.float_balls import Array, Ball

SMALLEST_DIVISOR = 1e-10
"""Plain values have no quotient by less than this: the digits of the divisor may be noise."""


@dataclass(frozen=True)
class Operator:
    """An operator: all that is known of it.

    Parameters
    ----------
    name : str
        Its name, which is also its word.
    code : int
        Its number in canonical forms, and so in what tells equations apart: fixed, never reused.
    arity : int
        How many arguments it takes, 1 or 2.
    evaluate : callable
        What it computes, on balls of floats (`float_balls`).
    javascript : str
        What it computes, as an expression of JavaScript that is a function; ``finite`` and ``inverse`` are available.
    arb, acb : callable, optional
        What it computes in ball arithmetic of any precision, on the reals and on the complex plane: functions of its
        arguments and `exact` (`arb_balls`). By default Arb's function of the same name. An operator for which there is
        none is judged in floating point alone.
    plain : callable, optional
        What it computes on arrays of floats without error bounds, NaN where it is not defined or close to a pole. By
        default the values of `evaluate`.
    symbol, latex : str, optional
        How it is written in plain text and in LaTeX (by default its name).
    aliases : tuple of str
        Other names that are read as this one.
    sympy : str, optional
        Its name in SymPy (by default its name). If SymPy has no such function, it is an undefined one there.
    commutative : bool
        Whether its two arguments may be exchanged (such operators are associative as well).
    verb : str, optional
        What applying it to both sides of an equation is called; None where that is not done.
    family : str, optional
        Functions that occur in one another's identities have the same family.
    parity : str, optional
        ``"even"`` or ``"odd"``, for a function of one argument that is.
    inverse, reciprocal, cofunction : str, optional
        The operators that undo it (on its principal branch), that give 1 over its value, and that give its value at
        π/2 less the argument.
    growth : str, optional
        ``"fast"`` if it makes very large or very small numbers of moderate ones, ``"limit"`` if its values also come
        very close to a limit.

    Examples
    --------
    >>> OPERATORS["sin"].parity, OPERATORS["sin"].inverse, OPERATORS["Add"].verb
    ('odd', 'asin', 'add')
    """

    name: str
    code: int
    arity: int
    evaluate: Callable[..., Ball]
    javascript: str
    arb: Callable[..., Value] | None = None
    acb: Callable[..., Value] | None = None
    plain: Callable[..., Array] | None = None
    symbol: str = ""
    latex: str = ""
    aliases: tuple[str, ...] = ()
    sympy: str = ""
    commutative: bool = False
    verb: str | None = None
    family: str | None = None
    parity: Literal["even", "odd"] | None = None
    inverse: str | None = None
    reciprocal: str | None = None
    cofunction: str | None = None
    growth: Literal["fast", "limit"] | None = None

    def __post_init__(self) -> None:
        defaults = {
            "symbol": self.name,
            "latex": rf"\operatorname{{{self.name}}}",
            "sympy": self.name,
            "arb": method(arb, self.name),
            "acb": method(acb, self.name),
            "plain": self._values,
        }
        for field, value in defaults.items():
            object.__setattr__(self, field, getattr(self, field) or value)

    @property
    def both_sides(self) -> bool:
        """Whether it may be applied to both sides of an equation."""
        return self.verb is not None

    def _values(self, *arguments: Array) -> Array:
        return self.evaluate(*(Ball(values, np.zeros(np.shape(values))) for values in arguments)).value


def nonzero(values: Array) -> Array:
    """The values, NaN where they are too small to divide by."""
    return np.where(np.abs(values) < SMALLEST_DIVISOR, np.nan, values)


def _plain_of_inverse(f: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda a: f(1 / nonzero(a))


# fmt: off
_ROWS = (
    Operator("sin", 2, 1, float_balls.sin, "Math.sin", plain=np.sin, latex=r"\sin", family="circular", parity="odd",
             inverse="asin", reciprocal="csc", cofunction="cos"),
    Operator("cos", 3, 1, float_balls.cos, "Math.cos", plain=np.cos, latex=r"\cos", family="circular", parity="even",
             inverse="acos", reciprocal="sec", cofunction="sin"),
    Operator("tan", 4, 1, float_balls.tan, "(x) => Math.sin(x) / Math.cos(x)",
             plain=lambda a: np.sin(a) / nonzero(np.cos(a)), latex=r"\tan", aliases=("tg",), family="circular",
             parity="odd", inverse="atan", reciprocal="cot", cofunction="cot"),
    Operator("csc", 5, 1, float_balls.csc, "(x) => 1 / Math.sin(x)", plain=lambda a: 1 / nonzero(np.sin(a)),
             latex=r"\csc", aliases=("cosec",), family="circular", parity="odd", inverse="acsc", reciprocal="sin",
             cofunction="sec"),
    Operator("sec", 6, 1, float_balls.sec, "(x) => 1 / Math.cos(x)", plain=lambda a: 1 / nonzero(np.cos(a)),
             latex=r"\sec", family="circular", parity="even", inverse="asec", reciprocal="cos", cofunction="csc"),
    Operator("cot", 7, 1, float_balls.cot, "(x) => Math.cos(x) / Math.sin(x)",
             plain=lambda a: np.cos(a) / nonzero(np.sin(a)), latex=r"\cot", aliases=("ctg",), family="circular",
             parity="odd", inverse="acot", reciprocal="tan", cofunction="tan"),
    Operator("asin", 8, 1, float_balls.asin, "Math.asin", arb=arb_balls.arb_asin, plain=np.arcsin, latex=r"\arcsin",
             aliases=("arcsin",), family="inverse circular", parity="odd", inverse="sin"),
    Operator("acos", 9, 1, float_balls.acos, "Math.acos", arb=arb_balls.arb_acos, plain=np.arccos, latex=r"\arccos",
             aliases=("arccos",), family="inverse circular", inverse="cos"),
    Operator("atan", 10, 1, float_balls.atan, "Math.atan", plain=np.arctan, latex=r"\arctan", aliases=("arctan",),
             family="inverse circular", parity="odd", inverse="tan"),
    Operator("acsc", 11, 1, float_balls.acsc, "(x) => Math.asin(inverse(x))", arb=arb_of_inverse(arb_balls.arb_asin),
             acb=acb_of_inverse(acb.asin), plain=_plain_of_inverse(np.arcsin), aliases=("arccsc",),
             family="inverse circular", parity="odd", inverse="csc"),
    Operator("asec", 12, 1, float_balls.asec, "(x) => Math.acos(inverse(x))", arb=arb_of_inverse(arb_balls.arb_acos),
             acb=acb_of_inverse(acb.acos), plain=_plain_of_inverse(np.arccos), aliases=("arcsec",),
             family="inverse circular", inverse="sec"),
    Operator("acot", 13, 1, float_balls.acot, "(x) => (x === 0 ? Math.PI / 2 : Math.atan(1 / x))",
             arb=arb_balls.arb_acot, acb=acb_of_inverse(acb.atan, lambda: acb(arb.pi() / 2)),
             plain=_plain_of_inverse(np.arctan), aliases=("arccot",), family="inverse circular", parity="odd",
             inverse="cot"),
    Operator("sinh", 14, 1, float_balls.sinh, "Math.sinh", plain=np.sinh, latex=r"\sinh", family="hyperbolic",
             parity="odd", inverse="asinh", reciprocal="csch", growth="fast"),
    Operator("cosh", 15, 1, float_balls.cosh, "Math.cosh", plain=np.cosh, latex=r"\cosh", family="hyperbolic",
             parity="even", inverse="acosh", reciprocal="sech", growth="fast"),
    Operator("tanh", 16, 1, float_balls.tanh, "Math.tanh", plain=np.tanh, latex=r"\tanh", family="hyperbolic",
             parity="odd", inverse="atanh", reciprocal="coth", growth="limit"),
    Operator("csch", 17, 1, float_balls.csch, "(x) => inverse(Math.sinh(x))", plain=lambda a: 1 / nonzero(np.sinh(a)),
             family="hyperbolic", parity="odd", inverse="acsch", reciprocal="sinh", growth="fast"),
    Operator("sech", 18, 1, float_balls.sech, "(x) => inverse(Math.cosh(x))", plain=lambda a: 1 / np.cosh(a),
             family="hyperbolic", parity="even", inverse="asech", reciprocal="cosh", growth="fast"),
    Operator("coth", 19, 1, float_balls.coth, "(x) => 1 / Math.tanh(x)", plain=lambda a: 1 / nonzero(np.tanh(a)),
             latex=r"\coth", family="hyperbolic", parity="odd", inverse="acoth", reciprocal="tanh", growth="limit"),
    Operator("asinh", 20, 1, float_balls.asinh, "Math.asinh", plain=np.arcsinh, aliases=("arsinh", "arcsinh"),
             family="inverse hyperbolic", parity="odd", inverse="sinh"),
    Operator("acosh", 21, 1, float_balls.acosh, "Math.acosh", arb=arb_balls.arb_acosh, plain=np.arccosh,
             aliases=("arcosh", "arccosh"), family="inverse hyperbolic", inverse="cosh"),
    Operator("atanh", 22, 1, float_balls.atanh, "Math.atanh", arb=arb_balls.arb_atanh, plain=np.arctanh,
             aliases=("artanh", "arctanh"), family="inverse hyperbolic", parity="odd", inverse="tanh"),
    Operator("acsch", 23, 1, float_balls.acsch, "(x) => Math.asinh(inverse(x))",
             arb=arb_of_inverse(lambda x, exact: x.asinh()), acb=acb_of_inverse(acb.asinh),
             plain=_plain_of_inverse(np.arcsinh), aliases=("arcsch", "arccsch"), family="inverse hyperbolic",
             parity="odd", inverse="csch"),
    Operator("asech", 24, 1, float_balls.asech, "(x) => Math.acosh(inverse(x))",
             arb=arb_of_inverse(arb_balls.arb_acosh), acb=acb_of_inverse(acb.acosh),
             plain=_plain_of_inverse(np.arccosh), aliases=("arsech", "arcsech"), family="inverse hyperbolic",
             inverse="sech"),
    Operator("acoth", 25, 1, float_balls.acoth,
             "(x) => (Math.abs(x) > 1 ? Math.sign(x) * 0.5 * Math.log1p(2 / (Math.abs(x) - 1)) : NaN)",
             arb=arb_of_inverse(arb_balls.arb_atanh), acb=acb_of_inverse(acb.atanh, lambda: acb(0, arb.pi() / 2)),
             plain=_plain_of_inverse(np.arctanh), aliases=("arcoth", "arccoth"), family="inverse hyperbolic",
             parity="odd", inverse="coth"),
    Operator("exp", 26, 1, float_balls.exp, "Math.exp", plain=np.exp, latex=r"\exp", family="hyperbolic",
             growth="fast"),
    Operator("Add", 27, 2, float_balls.ball_add, "(a, b) => a + b", arb=arb_balls.arb_add, acb=arb_balls.arb_add,
             plain=np.add, symbol="+", latex=r"+", commutative=True, verb="add"),
    Operator("Mul", 28, 2, float_balls.multiply, "(a, b) => a * b", arb=arb_balls.arb_multiply,
             acb=arb_balls.arb_multiply, plain=np.multiply, symbol="*", latex=r"\times", commutative=True,
             verb="multiply by"),
    Operator("Pow", 29, 2, float_balls.ball_power, "(a, b) => Math.pow(a, b)", arb=arb_balls.arb_power,
             acb=arb_plane.acb_power, plain=np.power, symbol="^", latex=r"^", verb="raise to", growth="fast"),
    Operator("log", 30, 2, float_balls.log, "(x, base) => finite(Math.log(x)) / finite(Math.log(base))",
             arb=arb_balls.arb_log, acb=arb_plane.acb_log, plain=lambda a, b: np.log(a) / nonzero(np.log(b)),
             latex=r"\log"),
)
# fmt: on
OPERATORS: dict[str, Operator] = {operator.name: operator for operator in _ROWS}


def _families() -> dict[str, tuple[str, ...]]:
    families = dict.fromkeys(row.family for row in _ROWS if row.family)
    return {family: tuple(row.name for row in _ROWS if row.family == family) for family in families}


FAMILIES = _families()
"""The functions of each family, in the order of the rows."""
GROWING = frozenset(row.name for row in _ROWS if row.growth)
"""The operators that make very large or very small numbers, or come very close to a limit."""
_SATURATING = frozenset(row.name for row in _ROWS if row.growth == "limit")


def _functions(ball: Literal["arb", "acb"], arity: int) -> dict[str, Callable[..., Value]]:
    rows = ((row.name, getattr(row, ball)) for row in _ROWS if row.arity == arity)
    return {name: function for name, function in rows if function is not None}


def _real_is_extreme(word: str, argument: Any, value: Any) -> bool:
    return arb_balls.arb_is_extreme(word in _SATURATING, argument, value)


def _complex_is_extreme(word: str, argument: Any, value: Any) -> bool:
    return arb_plane.acb_is_extreme(word in _SATURATING, argument, value)


REALS = Field(
    number=lambda value: arb(float(value)),
    leaf=leaf,
    ball=arb,
    unary=_functions("arb", 1),
    binary=_functions("arb", 2),
    whole_power=arb_balls.arb_whole_power,
    is_extreme=_real_is_extreme,
    exactly=lambda value: value,
)
PLANE = Field(
    number=lambda value: acb(complex(value)),
    leaf=lambda word: acb(leaf(word)),
    ball=acb,
    unary=_functions("acb", 1),
    binary=_functions("acb", 2),
    whole_power=arb_plane.acb_whole_power,
    is_extreme=_complex_is_extreme,
    exactly=arb_plane.on_axes,
)


def javascript() -> str:
    """The operators as a table of JavaScript: ``const OPERATORS = { name: function, ... };``."""
    rows = "".join(f"  {row.name}: {row.javascript},\n" for row in _ROWS)
    return f"const OPERATORS = {{\n{rows}}};\n"
