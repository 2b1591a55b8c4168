"""Axioms: equations whose letters stand for any expression, in the named sets of the folder `axiom_sets`.

A set is a text file: ``[group]``, then one axiom a line, ``name: equation``; lines that start with # are comments. An
axiom is referred to as ``group/name``, and no two sets use one such name. A recipe says which sets it uses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from dgl_mathtree.language import Equation, parse_equation
from dgl_mathtree.language.expr import Words

ELEMENTARY, UNSOUND, WRONG = "elementary", "unsound", "wrong"
"""The set of every day; axioms that hold on one branch only; near misses, which only edits use."""
ORIGINAL = "original"
"""What the original project's data was derived from; some of it does not hold."""
SELF = "neutral/self"
"""x = x: where a derivation can always start."""


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


def axiom_set_names() -> list[str]:
    """The sets that a recipe may use."""
    return [name for name in sorted(_texts()) if name != WRONG]


@cache
def axioms_of(name: str) -> dict[str, Axiom]:
    """The axioms of a set.

    Parameters
    ----------
    name : str
        The set's name: that of its file, without ``.txt``.

    Returns
    -------
    dict of str to Axiom
        By name, in the file's order.

    Examples
    --------
    >>> axioms_of("elementary")["pythagorean/sin-cos"].equation
    Equation('sin(x)^2 + cos(x)^2 = 1')
    """
    return read_axioms(_texts()[name], name)


def read_axioms(text: str, source: str) -> dict[str, Axiom]:
    """The axioms of a text, by name; `source` is what errors call it."""
    found: dict[str, Axiom] = {}
    group = ""
    for line in text.splitlines():
        if heading := re.fullmatch(r"\[([a-z-]+)\]", line):
            group = heading[1]
        elif entry := re.fullmatch(r"([a-z-]+): (.*)", line):
            name = f"{group}/{entry[1]}"
            if name in found:
                raise ValueError(f"{source}: two axioms are called {name}")
            found[name] = Axiom(name, parse_equation(entry[2]))
        elif line and not line.startswith("#"):
            raise ValueError(f"{source}: not an axiom: {line}")
    return found


@cache
def every_axiom() -> dict[str, Axiom]:
    """The axioms of all sets, by name: what a derivation may refer to."""
    found: dict[str, Axiom] = {}
    for source in sorted(_texts()):
        for name, axiom in axioms_of(source).items():
            if found.setdefault(name, axiom) is not axiom:
                raise ValueError(f"axioms of two sets are called {name}: one of them is in {source}")
    return found


@cache
def _texts() -> dict[str, str]:
    """The texts of the sets, by name."""
    files = resources.files(__package__).joinpath("axiom_sets").iterdir()
    return {f.name.removesuffix(".txt"): f.read_text(encoding="utf-8") for f in files if f.name.endswith(".txt")}
