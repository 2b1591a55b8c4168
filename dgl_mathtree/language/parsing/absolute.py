"""Bars to brackets: which of them open an absolute value and which close it."""

from __future__ import annotations

import re

from dgl_mathtree.language.parsing.syntax_errors import ParseError
from dgl_mathtree.language.parsing.tokens import CLOSING, ENDS_OPERAND, OPENING, STARTS_OPERAND, Token


def paired_bars(tokens: list[Token], text: str) -> list[Token]:
    """The tokens with every bar as a bracket of the function abs: its opening or its closing one."""
    out: list[Token] = []
    open_: list[Token] = []
    factor_after_bar = False  # |a|b: the next bar without a sign before it could belong to either side
    for token in tokens:
        kind = token.kind
        if kind == "|":
            after_operand = bool(out) and out[-1].kind in ENDS_OPERAND
            if _closes(token, open_, after_operand):
                open_.pop()
                out.append(Token("|>", token.text, token.position))
                factor_after_bar = False
                continue
            if after_operand and factor_after_bar:
                reason = "these bars mean two things: write |x|*y*|z| or abs(x*abs(y)*z)"
                raise ParseError(reason, text, token.position)
            open_.append(token)
            out += [Token("FUNCTION", "abs", token.position), Token("|<", token.text, token.position)]
            continue
        if out and out[-1].kind == "|>":
            factor_after_bar = kind in STARTS_OPERAND
        elif kind in "+-*/=,^":
            factor_after_bar = False
        if kind in OPENING:
            open_.append(token)
        elif kind in CLOSING and open_:
            if open_[-1].kind == "|":
                raise ParseError(f"expected | before {token.text}", text, token.position)
            open_.pop()
        out.append(token)
    left = [token for token in open_ if token.kind == "|"]
    if left:
        raise ParseError("this | is not closed: an absolute value is |x| or abs(x)", text, left[-1].position)
    return out


def _closes(bar: Token, open_: list[Token], after_operand: bool) -> bool:
    """Whether a bar is a closing one, by its name or else by its place."""
    inside = bool(open_) and open_[-1].kind == "|"
    if re.search(r"left|lvert|\\[bB]igg?l", bar.text):
        return False
    if re.search(r"right|rvert|\\[bB]igg?r", bar.text):
        return inside
    return inside and after_operand
