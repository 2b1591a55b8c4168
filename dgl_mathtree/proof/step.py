"""A step of a proof: two expressions and why they are equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dgl_mathtree.language import Expr, infix, parse_expression

ALGEBRA = "algebra"
"""The name of a step that holds for all rational functions of its parts."""


@dataclass(frozen=True)
class Step:
    """One line of a proof: two expressions and the law by which they are equal.

    Parameters
    ----------
    left, right : Expr
        The whole expression before and after.
    law : str
        The names of the laws used, joined by ``", "``, or a rule such as ``algebra``.
    at : Expr, optional
        The subexpression of `left` that the law rewrites; None where it is found without help.
    because : list or dict, optional
        The proofs that the step rests on, in their JSON form (cases, both sides).
    """

    left: Expr
    right: Expr
    law: str
    at: Expr | None = None
    because: Any = None

    def to_json(self) -> dict[str, Any]:
        """The step as `mathtree prove --json` prints it."""
        entry: dict[str, Any] = {
            "left": infix(self.left),
            "right": infix(self.right),
            "law": self.law,
            "at": None if self.at is None else infix(self.at),
        }
        return entry if self.because is None else {**entry, "because": self.because}

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Step:
        """The step that `to_json` wrote."""
        at = entry.get("at")
        return cls(
            parse_expression(entry["left"]),
            parse_expression(entry["right"]),
            entry["law"],
            None if at is None else parse_expression(at),
            entry.get("because"),
        )
