"""The table of named laws that proofs may use: equations whose letters stand for any expression.

It has three parts: the axiom sets of the data generator but for those that are false, the laws from which equations are
discovered, and `laws.txt` beside this file. A law holds at every point at which both of its sides are defined and its
`conditions` are met. Applying it where the new side is not defined breaks a proof just as well, so `requirements` says
what each side of a law needs.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

from dgl_mathtree.data.axioms import ORIGINAL, UNSOUND, WRONG, axiom_set_names, axioms_of
from dgl_mathtree.data.discovery.law_instances import named_laws
from dgl_mathtree.errors import InputError
from dgl_mathtree.language import Equation, Expr, infix, parse_equation, parse_expression
from dgl_mathtree.language.expr import Words, subtree_ends
from dgl_mathtree.language.vocabulary import ARITY, is_number

RELATIONS = (">=", "<=", "!=", ">", "<")


class LawError(InputError):
    """Raised for a name that no law has."""


@dataclass(frozen=True)
class Condition:
    """A relation between two expressions, such as ``x > 0``.

    Examples
    --------
    >>> Condition.parse("cos(x) != 0")
    Condition(left=Expr('cos(x)'), relation='!=', right=Expr('0'))
    """

    left: Expr
    relation: str
    right: Expr

    @classmethod
    def parse(cls, text: str) -> Condition:
        """The condition that a text spells."""
        found = re.fullmatch(r"(.*?)\s*(>=|<=|!=|>|<)\s*(.*)", text.strip())
        if found is None:
            raise LawError(
                f"not a condition: {text!r}; expected an expression, one of {' '.join(RELATIONS)}, and another"
            )
        return cls(parse_expression(found[1]), found[2], parse_expression(found[3]))

    def __str__(self) -> str:
        return f"{infix(self.left)} {self.relation} {infix(self.right)}"


@dataclass(frozen=True)
class Law:
    """A named equation whose letters stand for any expression.

    Parameters
    ----------
    name : str
        ``group/name``.
    equation : Equation
        It holds wherever both sides are defined and the conditions are met.
    conditions : tuple of Condition
        Without them it is false at some points at which both sides are defined.
    """

    name: str
    equation: Equation
    conditions: tuple[Condition, ...] = ()

    @property
    def group(self) -> str:
        return self.name.partition("/")[0]

    @cached_property
    def left(self) -> Words:
        return self.equation.left.words

    @cached_property
    def right(self) -> Words:
        return self.equation.right.words

    @cached_property
    def letters(self) -> frozenset[str]:
        return frozenset(self.equation.variables)

    def side_conditions(self) -> tuple[Condition, ...]:
        """All that the law needs: that both sides are defined, and its conditions.

        Examples
        --------
        >>> [str(condition) for condition in law("ln-rules/product").side_conditions()]
        ['x*y > 0', 'x > 0', 'y > 0']
        """
        needed = [*requirements(self.left), *requirements(self.right), *self.conditions]
        return tuple(dict.fromkeys(c for c in needed if self.letters.intersection(c.left.words + c.right.words)))


@cache
def all_laws() -> dict[str, Law]:
    """All laws, by name: axiom sets first, then the laws of discovery, then those of the prover."""
    sound = [name for name in axiom_set_names() if name not in (ORIGINAL, UNSOUND, WRONG)]
    axioms = [some for name in sound for some in axioms_of(name).values()]
    sources = [*axioms, *named_laws().values()]
    return by_name([*(Law(some.name, some.equation) for some in sources), *own_laws()])


def by_name(laws: Iterable[Law]) -> dict[str, Law]:
    """Laws by their names; `LawError` if one name stands for two equations."""
    found: dict[str, Law] = {}
    for some in laws:
        known = found.setdefault(some.name, some)
        if (known.equation, known.conditions) != (some.equation, some.conditions):
            both = f"{infix(known.equation)} and {infix(some.equation)}"
            raise LawError(f"two laws are called {some.name}: {both}; rename one of them")
    return found


def law(name: str) -> Law:
    """The law of a name; `LawError` with a suggestion if there is none."""
    try:
        return all_laws()[name]
    except KeyError:
        raise LawError(unknown_law(name)) from None


def unknown_law(name: str) -> str:
    """What is said of a name that no law has, with the names that are most like it."""
    close = difflib.get_close_matches(name, all_laws(), n=3, cutoff=0.5)
    group = [other for other in all_laws() if other.rpartition("/")[2] == name.rpartition("/")[2]]
    meant = list(dict.fromkeys([*close, *group]))[:3]
    return f"unknown law {name!r}" + (f"; did you mean {' or '.join(meant)}?" if meant else "; see docs/proof.md")


def own_laws() -> list[Law]:
    """The laws of the file beside this one."""
    text = resources.files(__package__).joinpath("laws.txt").read_text(encoding="utf-8")
    found: list[Law] = []
    group = ""
    for line in text.splitlines():
        if heading := re.fullmatch(r"\[([a-z-]+)\]", line):
            group = heading[1]
        elif entry := re.fullmatch(r"([a-z-]+): ([^;]*)(?:; if (.*))?", line):
            conditions = tuple(map(Condition.parse, entry[3].split(", "))) if entry[3] else ()
            found.append(Law(f"{group}/{entry[1]}", parse_equation(entry[2]), conditions))
        elif line and not line.startswith("#"):
            raise ValueError(f"laws.txt: not a law: {line}")
    return found


def requirements(words: Words) -> list[Condition]:
    """What must hold for an expression to be defined, its subexpressions included.

    A power whose exponent is not a number needs nothing that could be said here: it is defined for negative bases and
    whole exponents too.

    Examples
    --------
    >>> [str(condition) for condition in requirements(parse_expression("tan(x)/sqrt(y)").words)]
    ['cos(x) != 0', 'sqrt(y) != 0', 'y >= 0']
    """
    ends = subtree_ends(words)
    found: list[Condition] = []
    for at, word in enumerate(words):
        if ARITY.get(word, 0):
            first = words[at + 1 : ends[at + 1]]
            second = words[ends[at + 1] : ends[at]]
            found += operator_requirements(word, first, second)
    return list(dict.fromkeys(found))


def _condition(words: Iterable[str], relation: str, right: str = "0") -> Condition:
    return Condition(Expr._trusted(tuple(words)), relation, Expr.leaf(right))


def operator_requirements(word: str, first: Words, second: Words = ()) -> list[Condition]:
    """What a function needs of its argument, or a power or logarithm of its two."""
    if word == "Pow":
        return _power_needs(first, second)
    if word == "log":
        base = [] if second == ("e",) else [_condition(second, ">"), _condition(second, "!=", "1")]
        return [_condition(first, ">"), *base]
    if word in ("tan", "sec"):
        return [_condition(("cos", *first), "!=")]
    if word in ("cot", "csc"):
        return [_condition(("sin", *first), "!=")]
    if word in ("coth", "csch", "acsch"):
        return [_condition(first, "!=")]
    if word in ("asin", "acos"):
        return [_condition(("Add", "1", "Mul", "-1", "Pow", *first, "2"), ">=")]
    if word in ("asec", "acsc"):
        return [_condition(("Add", "Pow", *first, "2", "-1"), ">=")]
    if word == "atanh":
        return [_condition(("Add", "1", "Mul", "-1", "Pow", *first, "2"), ">")]
    if word == "acoth":
        return [_condition(("Add", "Pow", *first, "2", "-1"), ">")]
    if word == "acosh":
        return [_condition(first, ">=", "1")]
    if word == "asech":
        return [_condition(first, ">"), _condition(("Add", "1", "Mul", "-1", *first), ">=")]
    return []


def _power_needs(base: Words, exponent: Words) -> list[Condition]:
    if len(exponent) > 1 or not is_number(exponent[0]):
        return []
    negative = exponent[0].startswith("-")
    whole = "/" not in exponent[0] and "." not in exponent[0]
    if whole:
        return [_condition(base, "!=")] if negative else []
    return [_condition(base, ">" if negative else ">=")]
