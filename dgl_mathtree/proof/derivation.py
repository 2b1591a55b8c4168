"""Proofs: chains of expressions, each equal to the next by a law that stands beside it."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from dgl_mathtree.errors import InputError
from dgl_mathtree.language import Equation, Expr, infix, latex, parse_equation, parse_expression, readable
from dgl_mathtree.oracle.verdict import Witness
from dgl_mathtree.proof.shown_lines import html_rows, latex_rows, plain_relation, shown_lines, text_rows
from dgl_mathtree.proof.step import Step
from dgl_mathtree.schema import check as check_shape

Method = Literal["laws", "normal form"]


class ProofFormError(InputError):
    """Raised for JSON that is not the form of a proof."""


@dataclass(frozen=True)
class Proof:
    """A proof of an equation: for all real values at which both sides are defined and the conditions hold.

    Parameters
    ----------
    equation : Equation
        What is proved.
    method : str
        ``laws`` if every step is a named law or algebra, ``normal form`` otherwise.
    steps : tuple of Step
        A chain from the left side of the equation to the right side.
    conditions : tuple of str
        What is assumed beyond both sides being defined, such as ``"x > 0"``.
    seconds : float
        The time that finding and checking it took.

    Examples
    --------
    >>> from dgl_mathtree.proof import prove
    >>> proof = prove("tan(x)*cot(x) = 1")
    >>> proof.proved, proof.method, proof.conditions
    (True, 'laws', ())
    """

    equation: Equation
    method: Method
    steps: tuple[Step, ...]
    conditions: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)
    proved: bool = field(default=True, init=False, compare=False)

    @property
    def verdict(self) -> str:
        """``true``: what is proved holds."""
        return "true"

    def to_json(self) -> dict[str, Any]:
        """What is kept of a proof, and what `mathtree check-proof` reads."""
        return {
            "equation": infix(self.equation),
            "method": self.method,
            "conditions": list(self.conditions),
            "steps": [step.to_json() for step in self.steps],
        }

    @classmethod
    def from_json(cls, entry: object) -> Proof:
        """The proof that `to_json` wrote; any other JSON raises `ProofFormError`."""
        checked = _checked(entry)
        steps = tuple(map(Step.from_json, checked["steps"]))
        return cls(parse_equation(checked["equation"]), checked["method"], steps, tuple(checked["conditions"]))

    def lines(self) -> list[tuple[Expr, str]]:
        """The expressions after the first, with their laws, as they are shown.

        An algebra step that prepares the next law or tidies up after the last one is merged with it, and so are steps
        by the same law. `steps` has each of them.
        """
        return [(line.expression, line.law) for line in shown_lines(self.steps)]

    def __str__(self) -> str:
        lines = [readable(self.equation), f"  {readable(self.equation.left)}", *text_rows(shown_lines(self.steps), 4)]
        if self.conditions:
            lines.append(f"  for {', '.join(map(plain_relation, self.conditions))}")
        return "\n".join(lines)

    def _repr_latex_(self) -> str:
        rows = [rf"{latex(self.equation.left)} \\", *latex_rows(shown_lines(self.steps))]
        if self.conditions:
            rows.append(rf"\text{{for }} {', '.join(_latex_condition(c) for c in self.conditions)}")
        return "$$\\begin{aligned}\n" + "\n".join(rows) + "\n\\end{aligned}$$"

    def _repr_html_(self) -> str:
        rows = html_rows(self.equation.left, shown_lines(self.steps))
        if self.conditions:
            conditions = ", ".join(map(plain_relation, self.conditions))
            rows.append(f'<tr><td colspan="3">for {html.escape(conditions)}</td></tr>')
        return f'<div style="overflow-x:auto"><table style="border-collapse:collapse">{"".join(rows)}</table></div>'


@dataclass(frozen=True)
class NoProof:
    """That an equation was not proved, and why.

    Parameters
    ----------
    equation : Equation
        What was asked for.
    verdict : str
        What the oracle says: ``true`` (but no proof was found), ``false``, ``branch``, ``undefined`` or ``undecided``.
    reason : str
        The same in words.
    witness, agreement : Witness, optional
        A point at which the sides differ, and for ``branch`` one at which they agree.
    seconds : float
        The time that it took.
    """

    equation: Equation
    verdict: str
    reason: str
    witness: Witness | None = None
    agreement: Witness | None = None
    seconds: float = field(default=0.0, compare=False)
    proved: bool = field(default=False, init=False, compare=False)

    def __str__(self) -> str:
        return f"{readable(self.equation)}\n  {self.reason}"

    def _repr_html_(self) -> str:
        return f"<div>{html.escape(readable(self.equation))}: {html.escape(self.reason)}</div>"


def _latex_condition(condition: str) -> str:
    left, relation, right = condition.rsplit(" ", 2)
    signs = {"!=": r"\neq", ">=": r"\geq", "<=": r"\leq"}
    return f"{latex(parse_expression(left))} {signs.get(relation, relation)} {right}"


def _checked(entry: object) -> dict[str, Any]:
    """The JSON of a proof, once it is known to have the form of one."""
    step = {"left": str, "right": str, "law": str, "at?": str}
    shape = {"equation": str, "method": str, "conditions": [str], "steps": [step]}
    check_shape(entry, shape, "proof", ProofFormError)
    assert isinstance(entry, dict)
    if entry["method"] not in get_args(Method):
        raise ProofFormError(f"proof: method must be one of {', '.join(get_args(Method))}, not {entry['method']!r:.40}")
    return entry


def proof_json(answer: Proof | NoProof) -> dict[str, Any]:
    """The object that `mathtree prove --json` prints of an answer.

    Examples
    --------
    >>> from dgl_mathtree import prove
    >>> found = proof_json(prove("x + x = 2*x"))
    >>> found["proved"], found["method"], found["steps"]
    (True, 'laws', [{'left': 'x + x', 'right': '2*x', 'law': 'algebra', 'at': None}])
    """
    seconds = round(answer.seconds, 4)
    if isinstance(answer, Proof):
        entry = answer.to_json()
        return {
            "equation": entry["equation"],
            "verdict": "true",
            "proved": True,
            "method": entry["method"],
            "conditions": entry["conditions"],
            "steps": entry["steps"],
            "checked": True,
            "seconds": seconds,
        }
    return {
        "equation": infix(answer.equation),
        "verdict": answer.verdict,
        "proved": False,
        "method": None,
        "conditions": [],
        "steps": [],
        "checked": False,
        "seconds": seconds,
        "reason": answer.reason,
        "witness": None if answer.witness is None else answer.witness.to_json(),
        "agreement": None if answer.agreement is None else answer.agreement.to_json(),
    }
