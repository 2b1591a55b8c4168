"""A proof as pages show it: the derivation line by line, typeset, and what the laws beside the lines say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dgl_mathtree.language import Expr, mathml, readable
from dgl_mathtree.proof import NoProof, Proof
from dgl_mathtree.proof.laws import all_laws
from dgl_mathtree.proof.shown_lines import ProofLine, plain_relation, shown_lines
from dgl_mathtree.web.explain.tree_view import WRITTEN

RULES = {
    "algebra": "equal as rational functions of their parts",
    "definition": "a function by its definition in terms of others",
    "angles": "sums, multiples and shifts of angles",
    "powers": "rules of powers and roots",
    "logarithms": "rules of logarithms",
    "inverse": "a function of its inverse, or an inverse of its function",
    "sign": "the sign of a part is known, and so are its roots and absolute value",
    "value": "numbers whose values are equal exactly",
    "denest": "a root of a sum with roots, written as a sum of roots",
    "cases": "each case is proved, and together they cover all values",
}
"""What the rules that are not single laws say."""
BOTH_SIDES = "both sides: "


def derivation_json(answer: Proof | NoProof) -> dict[str, Any] | None:
    """The lines of a proof as they are shown, and the laws that stand beside them; None where there is no proof.

    Examples
    --------
    >>> from dgl_mathtree import prove
    >>> found = derivation_json(prove("tan(x)*cot(x) = 1"))
    >>> [(line["expression"], line["laws"]) for line in found["lines"]]
    [('tan(x)/tan(x)', ['reciprocal/cot']), ('1', ['algebra'])]
    >>> found["laws"]["reciprocal/cot"]["says"]
    'cot(x) = tan(x)^-1'
    """
    if not isinstance(answer, Proof):
        return None
    chain = _chain(answer.equation.left, shown_lines(answer.steps))
    return {**chain, "laws": {name: _law(name) for name in sorted(set(_names(chain)))}, "holds": holds(answer)}


def holds(proof: Proof) -> str:
    """For which values a proof holds, as a sentence.

    Examples
    --------
    >>> from dgl_mathtree import prove
    >>> holds(prove("x + x = 2*x"))
    'The equation is proved (laws) for all values at which both sides are defined.'
    """
    conditions = [plain_relation(condition) for condition in proof.conditions]
    where = " and ".join(["both sides are defined", *conditions])
    return f"The equation is proved ({proof.method}) for all values at which {where}."


def _chain(start: Expr, lines: Sequence[ProofLine]) -> dict[str, Any]:
    """A chain as its first expression and the lines below it."""
    return {"start": _typeset(start), "lines": list(map(_line, lines))}


def _line(line: ProofLine) -> dict[str, Any]:
    because = [
        {"given": ", ".join(filter(None, (reason.sides, reason.given))), **_chain(reason.start, reason.lines)}
        for reason in line.reasons
    ]
    return {**_typeset(line.expression), "laws": line.law.split(", "), "because": because}


def _typeset(expression: Expr) -> dict[str, Any]:
    """An expression as text, and as MathML if it is not large."""
    return {
        "expression": readable(expression),
        "mathml": mathml(expression) if expression.size <= WRITTEN else None,
    }


def _names(chain: Mapping[str, Any]) -> Iterator[str]:
    """The names of all laws and rules of a chain and of the chains below it."""
    for line in chain["lines"]:
        yield from line["laws"]
        for inner in line["because"]:
            yield from _names(inner)


def _law(name: str) -> dict[str, Any]:
    """What a law says: its equation with its conditions, or for a rule a description."""
    found = all_laws().get(name)
    if found is None:
        return {"says": _rule(name), "mathml": None, "conditions": []}
    conditions = [plain_relation(str(condition)) for condition in found.conditions]
    says = readable(found.equation) + (f", if {', '.join(conditions)}" if conditions else "")
    return {"says": says, "mathml": mathml(found.equation), "conditions": conditions}


def _rule(name: str) -> str:
    if name.startswith(BOTH_SIDES):
        function = name.removeprefix(BOTH_SIDES)
        return f"{function} takes no value twice where both sides lie, and is the same of both"
    return RULES.get(name, name)
