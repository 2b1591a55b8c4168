"""The lines that show a proof: laws that belong together on one line, and below it the chains that it rests on."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from dgl_mathtree.language import Expr, infix, latex, parse_expression, readable
from dgl_mathtree.proof.step import ALGEBRA, Step
from dgl_mathtree.proof.terms import Terms
from dgl_mathtree.proof.tidy import Tidier

WIDEST = 64
"""The width in characters of an expression that still has its law on the same line."""
RELATIONS = {"!=": "≠", ">=": "≥", "<=": "≤"}


@dataclass(frozen=True)
class Reason:
    """A chain that a line rests on: for one of several cases, or for a function of both sides.

    Parameters
    ----------
    given : str
        The case, or the numbers among which the function has different values at different arguments.
    start : Expr
        The first expression.
    lines : tuple of ProofLine
        What follows.
    is_case : bool
        Whether it is a case.
    sides : str
        The equation that it is about, where terms of the line have changed sides.
    """

    given: str
    start: Expr
    lines: tuple[ProofLine, ...]
    is_case: bool
    sides: str = ""

    @property
    def intro(self) -> str:
        """What stands before the first expression."""
        return f"for {self.given}" if self.is_case else f"of {self.sides}" if self.sides else ""


@dataclass(frozen=True)
class ProofLine:
    """One line: an expression, the laws by which it follows from the line before, and what that rests on."""

    expression: Expr
    law: str
    reasons: tuple[Reason, ...] = ()


def shown_lines(steps: Sequence[Step]) -> list[ProofLine]:
    """The lines that show a chain of steps."""
    found: list[ProofLine] = []
    for has_reasons, group in groupby(steps, key=lambda step: step.because is not None):
        if has_reasons:  # each on a line of its own
            found += [ProofLine(step.right, step.law, _reasons(step.because)) for step in group]
        else:
            found += [ProofLine(expression, law) for expression, law in merged_lines(list(group))]
    return found


def _reasons(because: Any) -> tuple[Reason, ...]:
    parts = because if isinstance(because, list) else [because]
    found = []
    for part in parts:
        steps = [Step.from_json(entry) for entry in part["steps"]]
        if steps:
            given = plain_relation(part["case"] if "case" in part else part.get("range", ""))
            sides = " = ".join(readable(parse_expression(side)) for side in part.get("sides", ()))
            found.append(Reason(given, steps[0].left, tuple(shown_lines(steps)), "case" in part, sides))
    return tuple(found)


def text_rows(lines: Sequence[ProofLine], indent: int) -> list[str]:
    """Lines as plain text, with the laws beside them and their reasons below."""
    rows = []
    width = max(
        (len(readable(line.expression)) for line in lines if len(readable(line.expression)) <= WIDEST), default=0
    )
    space = " " * indent
    for line in lines:
        text = readable(line.expression)
        short = len(text) <= width
        rows += (
            [f"{space}= {text:<{width}}    {line.law}"] if short else [f"{space}= {text}", f"{space}      {line.law}"]
        )
        for reason in line.reasons:
            start = f"{reason.intro}: " if reason.intro else ""
            rows += [f"{space}    {start}{readable(reason.start)}", *text_rows(reason.lines, indent + 6)]
    return rows


def latex_rows(lines: Sequence[ProofLine], depth: int = 0) -> list[str]:
    """Lines as rows of an aligned formula."""
    rows = []
    space = r"\quad " * depth
    for line in lines:
        rows.append(rf"&= {space}{latex(line.expression)} && \text{{{line.law}}} \\")
        for reason in line.reasons:
            given = rf" && \text{{for }} {_latex_relation(reason.given)}" if reason.is_case else ""
            given = rf" && \text{{of }} {_latex_sides(reason.sides)}" if reason.sides else given
            rows.append(rf"&\quad {space}{latex(reason.start)}{given} \\")
            rows += latex_rows(reason.lines, depth + 1)
    return rows


def html_rows(start: Expr, lines: Sequence[ProofLine], depth: int = 0, note: str = "") -> list[str]:
    """Lines as rows of a table."""
    cell = '<td style="text-align:left;padding:.2em .6em">'
    inner = f'<td style="text-align:left;padding:.2em .6em .2em {0.6 + 1.5 * depth:.1f}em">'
    rows = [f"<tr>{cell}</td>{inner}${html.escape(latex(start))}$</td>{cell}{html.escape(note)}</td></tr>"]
    for line in lines:
        formula = html.escape(latex(line.expression))
        rows.append(f"<tr>{cell}$=$</td>{inner}${formula}$</td>{cell}{html.escape(line.law)}</td></tr>")
        for reason in line.reasons:
            rows += html_rows(reason.start, reason.lines, depth + 1, reason.intro)
    return rows


def plain_relation(text: str) -> str:
    """A relation for people.

    Examples
    --------
    >>> plain_relation("x*y != 0")
    'x*y ≠ 0'
    """
    for written, sign in RELATIONS.items():
        text = text.replace(written, sign)
    return text


def _latex_relation(text: str) -> str:
    return text.replace("≠", r"\neq").replace("≥", r"\geq").replace("≤", r"\leq")


def _latex_sides(sides: str) -> str:
    return " = ".join(latex(parse_expression(side)) for side in sides.split(" = "))


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
