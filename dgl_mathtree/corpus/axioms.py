"""Axioms: equations whose letters stand for any expression, read from the text files beside this module."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from dgl_mathtree.expressions import Equation, parse_equation
from dgl_mathtree.expressions.tree import Words

SOUND, UNSOUND, WRONG = "axioms.txt", "unsound_axioms.txt", "wrong_axioms.txt"


@dataclass(frozen=True)
class Axiom:
    """An equation and its name, ``group/name``."""

    name: str
    equation: Equation

    @property
    def group(self) -> str:
        return self.name.partition("/")[0]

    @property
    def left(self) -> Words:
        return self.equation.left.words

    @property
    def right(self) -> Words:
        return self.equation.right.words


@cache
def axioms_of(file: str) -> dict[str, Axiom]:
    """The axioms of one of the files, by name, in the file's order.

    Example:
        >>> axioms_of(SOUND)["pythagorean/sin-cos"].equation
        Equation('sin(x)^2 + cos(x)^2 = 1')
    """
    found: dict[str, Axiom] = {}
    group = ""
    for line in resources.files(__package__).joinpath(file).read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"\[([a-z-]+)\]", line):
            group = heading[1]
        elif entry := re.fullmatch(r"([a-z-]+): (.*)", line):
            name = f"{group}/{entry[1]}"
            if name in found:
                raise ValueError(f"{file}: two axioms are called {name}")
            found[name] = Axiom(name, parse_equation(entry[2]))
        elif line and not line.startswith("#"):
            raise ValueError(f"{file}: not an axiom: {line}")
    return found


@cache
def every_axiom() -> dict[str, Axiom]:
    """The axioms of all files, by name: what a derivation may refer to."""
    return {**axioms_of(SOUND), **axioms_of(UNSOUND), **axioms_of(WRONG)}
