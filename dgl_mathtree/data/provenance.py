"""Derivations: how an equation came about, step by step, in a form that can be stored and replayed.

A derivation starts from an axiom; each step then rewrites a subtree with an axiom, applies an operator to both sides,
or (in an incorrect equation, once) replaces a subtree by something else. Stored, a step is a short JSON list::

    ["axiom", "pythagorean/sin-cos", {"x": "y"}]      letters of the axiom, where they are replaced
    ["rewrite", "parity/cos", "<-", 7, {"z": "2"}]    read right to left, at position 7; free letters filled
    ["rewrite-loosely", "parity/cos", "->", 7, {"x": "2"}]    what the letters were taken to stand for
    ["both", "Add", "x"]                              x added to both sides
    ["both-before", "Pow", "2"]                       2 raised to the power of each side
    ["edit", "shrink", 3, "y"]                        the subtree at position 3 replaced by y

A discovered equation starts from what was found, a law, a template or two expressions of equal value, instead::

    ["found", "class.trig-basic", "sin(x)*csc(x) = 1"]
    ["becomes", "substitute", "sin(2*x)*csc(2*x) = 1"]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dgl_mathtree.data.axioms import every_axiom
from dgl_mathtree.data.loose_matching import match_loosely, rewrite_loosely
from dgl_mathtree.data.rewriting import Rule, instantiate, rewrite
from dgl_mathtree.errors import InputError
from dgl_mathtree.language import Equation, Expr, infix, parse_equation, parse_expression
from dgl_mathtree.language.expr import Words, subtree_ends
from dgl_mathtree.language.vocabulary import EQUALITY, OPERATORS

Fill = tuple[tuple[str, Words], ...]
_ARROWS = {True: "->", False: "<-"}


class DerivationError(InputError):
    """A stored derivation that cannot be replayed."""


@dataclass(frozen=True)
class Start:
    """The axiom a derivation starts from, with some of its letters replaced."""

    axiom: str
    fill: Fill = ()

    def apply(self, words: Words) -> Words:
        equation = every_axiom()[self.axiom].equation
        bound = {name: (name,) for name in equation.variables} | dict(self.fill)
        return instantiate(equation.words, frozenset(bound), bound)

    def to_json(self) -> list[Any]:
        return ["axiom", self.axiom, *_fill_json(self.fill)]


@dataclass(frozen=True)
class Rewrite:
    """A subtree rewritten with an axiom; `unify` is False for the matching of careless recipes."""

    axiom: str
    forward: bool
    at: int
    fill: Fill = ()
    unify: bool = True

    def apply(self, words: Words) -> Words:
        rule = Rule(every_axiom()[self.axiom], self.forward)
        if not 0 < self.at < len(words):
            raise DerivationError(f"there is no position {self.at} to rewrite")
        new = rewrite(rule, words, self.at, subtree_ends(words), dict(self.fill), self.unify)
        if new is None:
            raise DerivationError(f"{self.axiom} does not match at position {self.at}")
        return new

    def to_json(self) -> list[Any]:
        name = "rewrite" if self.unify else "rewrite-carelessly"
        return [name, self.axiom, _ARROWS[self.forward], self.at, *_fill_json(self.fill)]


@dataclass(frozen=True)
class LooseRewrite:
    """A subtree rewritten as the original project did; `bound` says what the letters were taken to stand for."""

    axiom: str
    forward: bool
    at: int
    bound: Fill = ()

    def apply(self, words: Words) -> Words:
        rule = Rule(every_axiom()[self.axiom], self.forward)
        if not 0 < self.at < len(words):
            raise DerivationError(f"there is no position {self.at} to rewrite")
        ends = subtree_ends(words)
        matches = match_loosely(rule, words, self.at, ends)
        if matches is None or any(subtree not in matches.get(letter, ()) for letter, subtree in self.bound):
            raise DerivationError(f"{self.axiom} does not match at position {self.at}")
        first = {letter: found[0] for letter, found in matches.items()}
        return rewrite_loosely(rule, words, self.at, ends, first | dict(self.bound))

    def to_json(self) -> list[Any]:
        return ["rewrite-loosely", self.axiom, _ARROWS[self.forward], self.at, *_fill_json(self.bound)]


@dataclass(frozen=True)
class Both:
    """The same operator and operand applied to both sides, which are the first operand unless `before` is set."""

    operator: str
    operand: Words
    before: bool = False

    def apply(self, words: Words) -> Words:
        middle = subtree_ends(words)[1]
        left, right = words[1:middle], words[middle:]
        if self.before:
            return (EQUALITY, self.operator, *self.operand, *left, self.operator, *self.operand, *right)
        return (EQUALITY, self.operator, *left, *self.operand, self.operator, *right, *self.operand)

    def to_json(self) -> list[Any]:
        return ["both-before" if self.before else "both", self.operator, _text(self.operand)]


@dataclass(frozen=True)
class Edit:
    """A subtree replaced by something else, which makes a correct equation incorrect."""

    kind: str
    at: int
    new: Words

    def apply(self, words: Words) -> Words:
        if not 0 < self.at < len(words):
            raise DerivationError(f"there is no position {self.at} to edit")
        return words[: self.at] + self.new + words[subtree_ends(words)[self.at] :]

    def to_json(self) -> list[Any]:
        return ["edit", self.kind, self.at, _text(self.new)]


@dataclass(frozen=True)
class Found:
    """An equation that was discovered, and how: the source of a derivation that starts from no axiom."""

    source: str
    equation: Words

    def apply(self, words: Words) -> Words:
        return self.equation

    def to_json(self) -> list[Any]:
        return ["found", self.source, infix(Equation._trusted(self.equation))]


@dataclass(frozen=True)
class Became:
    """What a substitution, rearrangement or rewriting made of an equation."""

    how: str
    equation: Words

    def apply(self, words: Words) -> Words:
        return self.equation

    def to_json(self) -> list[Any]:
        return ["becomes", self.how, infix(Equation._trusted(self.equation))]


Step = Start | Rewrite | LooseRewrite | Both | Edit | Found | Became
Derivation = tuple[Step, ...]


def replay(derivation: Sequence[Step]) -> Iterator[Equation]:
    """The equation after each step of a derivation."""
    words: Words = ()
    for step in derivation:
        words = step.apply(words)
        yield Equation._trusted(words)


def axioms_used(derivation: Sequence[Step]) -> set[str]:
    """Names of the axioms that a derivation uses."""
    return {step.axiom for step in derivation if isinstance(step, (Start, Rewrite, LooseRewrite))}


def to_json(derivation: Sequence[Step]) -> list[list[Any]]:
    return [step.to_json() for step in derivation]


def from_json(steps: Any) -> Derivation:
    """The derivation that `to_json` made a list of."""
    try:
        derivation = tuple(_step(*step) for step in steps)
    except (TypeError, KeyError, ValueError) as error:
        raise DerivationError(f"not a derivation: {error}") from None
    if not derivation or not isinstance(derivation[0], (Start, Found)):
        raise DerivationError("a derivation starts from an axiom or from what was found")
    return derivation


def _step(kind: str, name: str, *rest: Any) -> Step:
    if kind in ("axiom", "rewrite", "rewrite-carelessly", "rewrite-loosely") and name not in every_axiom():
        raise DerivationError(f"there is no axiom {name}")
    if kind == "axiom":
        return Start(name, _fill(*rest))
    if kind in ("rewrite", "rewrite-carelessly"):
        arrow, at, *fill = rest
        return Rewrite(name, arrow == _ARROWS[True], int(at), _fill(*fill), kind == "rewrite")
    if kind == "rewrite-loosely":
        arrow, at, *bound = rest
        return LooseRewrite(name, arrow == _ARROWS[True], int(at), _fill(*bound))
    if kind in ("both", "both-before"):
        if not (name in OPERATORS and OPERATORS[name].both_sides):
            raise DerivationError(f"unknown operator {name} for both sides")
        return Both(name, _words(*rest), kind == "both-before")
    if kind == "found":
        return Found(name, parse_equation(rest[0]).words)
    if kind == "becomes":
        return Became(name, parse_equation(rest[0]).words)
    if kind == "edit":
        return Edit(name, int(rest[0]), _words(rest[1]))
    raise DerivationError(f"there is no step {kind!r}")


def describe(step: Step) -> str:
    """The step in words."""
    if isinstance(step, Start):
        return f"axiom {step.axiom}" + _with(step.fill)
    if isinstance(step, Rewrite):
        direction = "" if step.forward else ", right to left,"
        return f"{step.axiom}{direction} at {step.at}" + _with(step.fill)
    if isinstance(step, LooseRewrite):
        direction = "" if step.forward else ", right to left,"
        return f"{step.axiom}{direction} loosely at {step.at}" + _with(step.bound)
    if isinstance(step, Both):
        if step.before:
            return f"{step.operator} of {_text(step.operand)} and each side"
        return f"{OPERATORS[step.operator].verb} {_text(step.operand)} on both sides"
    if isinstance(step, Found):
        return f"found: {step.source}"
    if isinstance(step, Became):
        return step.how
    return f"edit ({step.kind}): {_text(step.new)} at {step.at}"


def _with(fill: Fill) -> str:
    filled = ", ".join(f"{name} = {_text(words)}" for name, words in fill)
    return f" with {filled}" if filled else ""


@lru_cache(maxsize=16384)  # most of what steps fill in is small and comes again and again
def _text(words: Words) -> str:
    return infix(Expr._trusted(words))


def _words(text: str) -> Words:
    return parse_expression(text).words


def _fill_json(fill: Fill) -> list[dict[str, str]]:
    return [{name: _text(words) for name, words in fill}] if fill else []


def _fill(given: dict[str, str] | None = None) -> Fill:
    return tuple((name, _words(text)) for name, text in (given or {}).items())
