"""Pools: the families of expressions that are enumerated, read from `pools.toml`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from importlib import resources

from dgl_mathtree.language.build import Term, read_all

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class ExpressionPool:
    """A family of expressions.

    Attributes:
        name: of the family.
        base: the terms that are combined, separated by semicolons; ``{f}`` stands for each of the functions.
        functions: of the base, separated by spaces.
        unary: functions (also ``ln``) and powers (``^2``) applied to terms and pairs of them.
        binary: how terms are combined: Add, Sub, Mul, Div, Pow.
        low, high: between which the variables lie.
        representatives: terms of distinct value that are combined with the base once more.
        sampled: random pairs of representatives that are combined, for each way.
        share: of the pairs that are taken, relative to other pools.
    """

    name: str
    base: str
    low: float
    high: float
    representatives: int
    functions: str = ""
    unary: str = ""
    binary: str = "Add Sub Mul Div"
    sampled: int = 0
    share: float = 1.0

    def terms(self) -> list[Term]:
        """The terms of the base, each once."""
        texts = []
        for text in self.base.split(";"):
            texts += [text.replace("{f}", f) for f in self.functions.split()] if "{f}" in text else [text]
        return list(dict.fromkeys(read_all(";".join(texts))))


@cache
def all_pools() -> dict[str, ExpressionPool]:
    """The pools by name.

    Example:
        >>> all_pools()["trig-two"].terms()[0]
        ('sin', 'x')
    """
    text = resources.files(__package__).joinpath("pools.toml").read_text(encoding="utf-8")
    return {name: ExpressionPool(name=name, **entries) for name, entries in tomllib.loads(text).items()}
