"""Proofs: chains of expressions, each equal to the next by a law that stands beside it."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from dgl_mathtree.errors import InputError
from dgl_mathtree.language import Equation, Expr, infix, latex, parse_equation, parse_expression, readable
from dgl_mathtree.oracle.verdict import Witness
from dgl_mathtree.proof.terms import Terms
from dgl_mathtree.proof.tidy import Tidier
from dgl_mathtree.schema import check as check_shape

Method = Literal["laws", "normal form"]
ALGEBRA = "algebra"
"""The name of a step that holds for all rational functions of its parts."""
WIDEST = 64
"""The width in characters of an expression that still has its law on the same line."""


class ProofFormError(InputError):
    """Raised for JSON that is not the form of a proof."""


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
        return merged_lines(self.steps)

    def __str__(self) -> str:
        rows = [(readable(expression), law) for expression, law in self.lines()]
        lines = [readable(self.equation), f"  {readable(self.equation.left)}"]
        width = max((len(text) for text, _ in rows if len(text) <= WIDEST), default=0)
        for text, law in rows:
            lines += [f"    = {text:<{width}}    {law}"] if len(text) <= width else [f"    = {text}", " " * 10 + law]
        if self.conditions:
            lines.append(f"  for {', '.join(map(_plain_condition, self.conditions))}")
        return "\n".join(lines)

    def _repr_latex_(self) -> str:
        rows = [rf"{latex(self.equation.left)} && \\"]
        rows += [rf"&= {latex(expression)} && \text{{{law}}} \\" for expression, law in self.lines()]
        shown = "\n".join(rows).replace(" && \\\\", " \\\\", 1)
        note = rf"\text{{for }} {', '.join(_latex_condition(c) for c in self.conditions)}" if self.conditions else ""
        return "$$\\begin{aligned}\n" + shown + ("\n" + note if note else "") + "\n\\end{aligned}$$"

    def _repr_html_(self) -> str:
        cell = '<td style="text-align:left;padding:.2em .6em">'
        rows = [f"<tr>{cell}</td>{cell}${latex(self.equation.left)}$</td>{cell}</td></tr>"]
        rows += [
            f"<tr>{cell}$=$</td>{cell}${html.escape(latex(expression))}$</td>{cell}{html.escape(law)}</td></tr>"
            for expression, law in self.lines()
        ]
        if self.conditions:
            conditions = ", ".join(map(_plain_condition, self.conditions))
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


def merged_lines(steps: Sequence[Step]) -> list[tuple[Expr, str]]:
    """The lines that show a chain of steps: each expression with the laws that lead to it from the line before."""
    lines: list[tuple[Expr, list[str]]] = []
    laws: list[str] = []  # those of the line that is still open
    forms: list[Expr] = []  # what the line may show: the shortest of these
    for step in steps:
        names = step.law.split(", ")
        small = step.law == ALGEBRA and is_rearrangement(step.left, step.right)
        if not small:
            if laws and (ALGEBRA in (laws[-1], names[0]) or _family(laws[-1]) != _family(names[0])):
                lines.append((min(forms, key=lambda form: len(infix(form))), laws))
                laws = []
            laws = laws + [name for name in names if name not in laws]
            forms = []
        forms.append(step.right)
    if steps:
        lines.append((steps[-1].right, laws or [ALGEBRA]))
    return [(expression, ", ".join(names)) for expression, names in lines]


def is_rearrangement(left: Expr, right: Expr) -> bool:
    """Whether two expressions differ in the order of terms and factors and in folded numbers only."""
    tidier = Tidier(Terms())
    return _sorted(tidier, left) == _sorted(tidier, right)


def _sorted(tidier: Tidier, expression: Expr) -> int:
    """An expression with its numbers folded and its terms and factors in one order."""
    terms = tidier.terms
    found: dict[int, int] = {}
    for node in terms.subnodes(tidier.tidy(terms.read(expression.words))):
        word = terms.word[node]
        children = [found[child] for child in terms.children[node]]
        if word in ("Add", "Mul"):
            parts = sorted((part for child in children for part in terms.chain(child, word)), key=terms.words)
            found[node] = tidier.tidy(terms.total(parts) if word == "Add" else terms.product(parts))
        else:
            found[node] = terms.node(word, *children)
    return found[node]


def _family(law: str) -> str:
    return law.partition("/")[0]


def _plain_condition(condition: str) -> str:
    return condition.replace("!=", "≠").replace(">=", "≥").replace("<=", "≤")


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
