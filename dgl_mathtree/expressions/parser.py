r"""Text to trees: an operator-precedence parser with explicit stacks, so that no nesting is too deep for it.

What it reads, beyond the obvious:

- Sums associate to the left, products to the right, ``^`` to the right. ``a - b`` is ``a + (-1*b)``, ``a/b`` is
  ``a*b^-1``, ``sqrt(a)`` is ``a^(1/2)``, ``log(a)`` and ``ln(a)`` are ``log(a, e)``.
- A fraction of two integers in lowest terms is one number: ``1/2`` is a leaf, ``4/2`` is ``4*2^-1``.
- Minus before a number makes a negative number unless a power follows: ``-2^2`` is ``-1*2^2``. Before anything else
  it is a product with -1.
- Products need no sign: ``2x``, ``2 pi x``, ``(a)(b)``, ``xy``. They bind as tightly as ``*``: ``1/2x`` is ``(1/2)*x``.
- A function takes the bracket after it, or else the factors after it: ``sin 2x cos x`` is ``sin(2*x)*cos(x)``.
  ``sin^2(x)`` is ``sin(x)^2``; ``sin^-1(x)`` is refused because it means two things.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from dgl_mathtree.expressions.assembly import Function, Node, flat, fraction_of, quotient, reciprocal
from dgl_mathtree.expressions.lexer import ParseError, Token, tokenize
from dgl_mathtree.expressions.tree import Equation, Expr
from dgl_mathtree.expressions.vocabulary import BLANK, is_integer, negated, rational

OPENING = {"(": ")", "{": "}", "[": "]"}
BLANKS = ("BLANK", "_")
STARTS_OPERAND = frozenset(["NUMBER", "NAME", "FUNCTION", "FRACTION", *OPENING])
BRACKET, SUM, PRODUCT, PREFIX, CALL, CLOSE_PRODUCT, POWER, ROOT = -1, 1, 2, 3, 4, 5, 6, 7


class _Pending(NamedTuple):
    """An operator or open bracket on the stack: how tightly it binds and what happens when it is complete."""

    binding: int
    action: str
    token: Token
    function: Function | None = None


_pending = partial(tuple.__new__, _Pending)  # as the constructor, without its cost


def parse(text: str, blanks: bool = False) -> Equation | Expr:
    """An equation if the text has an equals sign, else an expression; with `blanks`, one blank may stand in it."""
    return _Parser(text, blanks).parse()


def parse_equation(text: str) -> Equation:
    r"""The equation that a text spells.

    Raises:
        ParseError: with the place and what was expected there.

    Example:
        >>> parse_equation("sin(x)^2 + cos(x)^2 = 1")
        Equation('sin(x)^2 + cos(x)^2 = 1')
        >>> parse_equation(r"\frac{1}{2} \times \sqrt{4} x = 2 x / 2 - 0").words[:5]
        ('Equality', 'Mul', '1/2', 'Mul', 'Pow')
    """
    tree = parse(text)
    if isinstance(tree, Expr):
        raise ParseError("expected an equation: there is no equals sign", text, len(text))
    return tree


def parse_blank(text: str) -> Equation:
    r"""The equation that a text spells, with one blank: ``?``, ``_`` or ``\square``.

    Example:
        >>> parse_blank("sin(x)^2 + ? = 1").words
        ('Equality', 'Add', 'Pow', 'sin', 'x', '2', '?', '1')
    """
    tree = parse_question(text)
    if BLANK not in tree.words:
        raise ParseError("there is no blank to fill: write ? where something is missing", text, len(text))
    return tree


def parse_question(text: str) -> Equation:
    """The equation that a text spells, with one blank or none.

    Example:
        >>> parse_question("x + ? = 1"), parse_question("x = x")
        (Equation('x + ? = 1'), Equation('x = x'))
    """
    tree = _Parser(text, blanks=True).parse()
    if isinstance(tree, Expr):
        raise ParseError("expected an equation: there is no equals sign", text, len(text))
    return tree


def parse_expression(text: str) -> Expr:
    """The expression that a text spells."""
    tree = parse(text)
    if isinstance(tree, Equation):
        raise ParseError("expected an expression without an equals sign", text, text.index("="))
    return tree


class _Parser:
    def __init__(self, text: str, blanks: bool = False) -> None:
        self.text = text
        self.blanks = blanks
        self.tokens = tokenize(text)
        self.at = 0
        self.values: list[Node] = []
        self.pending: list[_Pending] = []
        self.sides: list[Node] = []
        self.blank_seen = False

    def parse(self) -> Equation | Expr:
        wants_operand = True
        while True:
            token = self.tokens[self.at]
            if wants_operand:
                wants_operand = self.operand(token)
            elif token.kind == "END":
                break
            else:
                wants_operand = self.operator(token)
        self.finish_side()
        if len(self.sides) == 1:
            return Expr._trusted(flat(self.sides[0]))
        return Equation._trusted(("Equality", *flat(self.sides[0]), *flat(self.sides[1])))

    # Reading. Each method takes the token at hand and returns whether an operand is wanted next.

    def operand(self, token: Token) -> bool:
        kind = token.kind
        if kind == "FRACTION" and (literal := self.literal(self.at)) is not None:
            word, self.at = literal
            self.values.append(word)
            return False
        self.at += 1
        if kind == "NAME" or kind == "NUMBER":
            self.values.append(token.text)
            return False
        if kind in OPENING:
            self.open("group", token)
            return True
        if kind == "FUNCTION":
            return self.function_head(Function(token))
        if kind == "FRACTION":
            return self.expect_group("numerator", Function(token))
        if kind == "-":
            return self.minus(token)
        if kind == "+":
            return True
        if kind in BLANKS:
            return self.blank(token)
        raise self.error("expected a number, a variable, a function or a bracket", token)

    def operator(self, token: Token) -> bool:
        kind = token.kind
        if kind in STARTS_OPERAND:
            return self.product_without_sign(token)
        if kind in BLANKS and self.blanks:
            raise self.error("a blank stands for an expression, not for an operator: write x + ? or x * ?", token)
        self.at += 1
        if kind == "+" or kind == "-":
            self.reduce(SUM)
            self.push(SUM, "Add", token)
            if kind == "-":
                self.times_minus_one(token)
        elif kind == "*" or kind == "/":
            self.reduce(PRODUCT + 1)
            self.push(PRODUCT, "Mul", token)
            if kind == "/":
                self.push(PREFIX, "inverse", token)
        elif kind == "^":
            self.reduce(POWER + 1)
            self.push(POWER, "Pow", token)
        elif kind == "=":
            self.equals(token)
        elif kind == ",":
            self.comma(token)
            return True
        elif kind in OPENING.values():
            return self.close(token)
        else:
            raise self.error("expected an operator", token)
        return True

    def blank(self, token: Token) -> bool:
        """A missing expression, where one may be missing."""
        if not self.blanks:
            raise self.error("a blank may stand only in an equation that is to be completed", token)
        if self.blank_seen:
            raise self.error("there is a second blank here: one can be filled", token)
        self.blank_seen = True
        self.values.append(BLANK)
        return False

    def minus(self, token: Token) -> bool:
        """A minus before an operand."""
        literal = self.literal(self.at)
        if literal is not None and self.tokens[literal[1]].kind != "^":
            self.values.append(negated(literal[0]))
            self.at = literal[1]
            return False
        if self.pending and self.pending[-1].binding >= PREFIX:
            self.push(PREFIX, "negate", token)
        else:
            self.times_minus_one(token)
        return True

    def times_minus_one(self, token: Token) -> None:
        self.values.append("-1")
        self.push(PRODUCT, "Mul", token)

    def product_without_sign(self, token: Token) -> bool:
        """Two operands side by side: the second is looked at again, as an operand."""
        before = self.tokens[self.at - 1]
        if before.kind in BLANKS:
            raise self.error("a blank stands for an expression, not for a function or operator: write ? * x", token)
        if token.kind == "NUMBER" and before.kind == "NUMBER":
            raise self.error("expected an operator between two numbers", token)
        binding = PRODUCT
        if token.kind != "FUNCTION" and self.in_open_call():
            if token.kind in OPENING:
                raise self.error(
                    "this bracket may belong to the function's argument or not: put brackets around it", token
                )
            binding = CLOSE_PRODUCT
        self.reduce(binding + 1)
        self.push(binding, "Mul", token)
        return True

    def in_open_call(self) -> bool:
        """Whether the factor at hand belongs to the argument of a function written without a bracket."""
        for entry in reversed(self.pending):
            if entry.binding == CALL:
                return True
            if entry.binding < CALL and entry.action != "negate":
                return False
        return False

    def literal(self, at: int) -> tuple[str, int] | None:
        r"""The number that starts at a token, \frac of two integers included, and the place after it."""
        token = self.tokens[at]
        if token.kind == "NUMBER":
            return token.text, at + 1
        if token.kind != "FRACTION":
            return None
        ahead = self.tokens[at + 1 : at + 7]
        if [t.kind for t in ahead] == ["{", "NUMBER", "}", "{", "NUMBER", "}"]:
            numerator, denominator, after = ahead[1].text, ahead[4].text, at + 7
        elif ahead[0].kind == "NUMBER" and len(ahead[0].text) == 2 and ahead[0].text.isdigit():
            numerator, denominator, after = ahead[0].text[0], ahead[0].text[1], at + 2
        else:
            return None
        if not (is_integer(numerator) and is_integer(denominator)):
            return None
        word = rational(numerator, denominator)
        return None if word is None else (word, after)

    # Functions: a name, then perhaps an exponent, a base or an index, then the argument.

    def function_head(self, function: Function) -> bool:
        """Continue with whatever follows a function's name, until its argument starts."""
        token = self.tokens[self.at]
        name = function.token.text
        if token.kind == "^" and function.exponent is None:
            self.at += 1
            return self.head_part("exponent", function)
        if token.kind == "_" and name == "log" and function.base is None:
            self.at += 1
            return self.head_part("base", function)
        if token.kind == "[" and name == "sqrt" and function.base is None:
            return self.expect_group("base", function, "[")
        if token.kind in OPENING:
            self.at += 1
            self.open("arguments", token, function)
            return True
        if token.kind not in STARTS_OPERAND and token.kind not in ("-", "+", "BLANK"):
            raise self.error(f"expected the argument of {name}", token)
        self.push(ROOT if name == "sqrt" else CALL, "call", function.token, function)
        return True

    def head_part(self, part: str, function: Function) -> bool:
        """An exponent or base between a function's name and its argument: a number, a name or a group."""
        token = self.tokens[self.at]
        literal = self.literal(self.at)
        if literal is not None:
            value, self.at = literal
        elif token.kind == "NAME":
            value, self.at = token.text, self.at + 1
        elif token.kind == "-" and (negative := self.literal(self.at + 1)) is not None:
            value, self.at = negated(negative[0]), negative[1]
        else:
            return self.expect_group(part, function, "{(")
        return self.set_part(part, function, value)

    def set_part(self, part: str, function: Function, value: Node) -> bool:
        if part == "base":
            function.base = value
        elif value == "-1":
            raise self.ambiguous_inverse(function)
        else:
            function.exponent = value
        return self.function_head(function)

    def ambiguous_inverse(self, function: Function) -> ParseError:
        name = function.token.text
        return self.error(
            f"{name}^-1 means two things: write {name}(x)^-1 for the reciprocal or a{name}(x) for the inverse",
            function.token,
        )

    def expect_group(self, part: str, function: Function, openings: str = "{") -> bool:
        token = self.tokens[self.at]
        if token.kind not in openings:
            raise self.error(f"expected {' or '.join(openings)} for the {part}", token)
        self.at += 1
        self.open(part, token, function)
        return True

    def comma(self, token: Token) -> None:
        self.reduce(0)
        bracket = self.pending[-1] if self.pending else None
        if bracket is None or bracket.action != "arguments" or bracket.function is None:
            raise self.error("a comma may stand only between the arguments of a function", token)
        bracket.function.arguments.append(self.values.pop())

    def call(self, function: Function) -> Node:
        name, arguments = function.token.text, function.arguments
        if len(arguments) > (2 if name == "log" else 1):
            takes = "1 or 2 arguments" if name == "log" else "1 argument"
            raise self.error(f"{name} takes {takes}, not {len(arguments)}", function.token)
        result: Node
        if name == "sqrt":
            result = ("Pow", arguments[0], reciprocal("2" if function.base is None else function.base))
        elif name in ("log", "ln"):
            if len(arguments) == 2 and function.base is not None:
                raise self.error("log has two bases here: one below it, one as an argument", function.token)
            base = arguments[1] if len(arguments) == 2 else function.base
            result = ("log", arguments[0], "e" if base is None else base)
        else:
            result = (name, arguments[0])
        return result if function.exponent is None else ("Pow", result, function.exponent)

    # Stacks.

    def push(self, binding: int, action: str, token: Token, function: Function | None = None) -> None:
        self.pending.append(_pending((binding, action, token, function)))

    def open(self, action: str, token: Token, function: Function | None = None) -> None:
        self.push(BRACKET, action, token, function)

    def close(self, token: Token) -> bool:
        self.reduce(0)
        if not self.pending:
            raise self.error("expected an operator: there is no open bracket to close", token)
        bracket = self.pending.pop()
        wanted = OPENING[bracket.token.kind]
        if token.kind != wanted:
            raise self.error(f"expected {wanted} to close the bracket of column {bracket.token.position + 1}", token)
        function = bracket.function
        if function is None:
            return False
        value = self.values.pop()
        function.arguments.append(value)
        if bracket.action == "arguments":
            self.values.append(self.call(function))
            return False
        if bracket.action == "numerator":
            return self.expect_group("denominator", function)
        if bracket.action == "denominator":
            self.values.append(quotient(*function.arguments))
            return False
        return self.set_part(bracket.action, function, function.arguments.pop())

    def reduce(self, binding: int) -> None:
        """Complete every operator on the stack that binds at least as tightly."""
        pending, values = self.pending, self.values
        while pending and pending[-1].binding >= binding:
            entry = pending.pop()
            last = values.pop()
            if entry.action == "inverse":
                # The product sign pushed with it is next on the stack: p / q of integers is one number.
                before = values[-1]
                fraction = fraction_of(before, last)
                if fraction is None:
                    values.append(("Pow", last, "-1"))
                else:
                    values[-1] = fraction
                    pending.pop()
            elif entry.action == "negate":
                values.append(("Mul", "-1", last))
            elif entry.function is not None:
                entry.function.arguments.append(last)
                values.append(self.call(entry.function))
            else:
                values[-1] = (entry.action, values[-1], last)

    def equals(self, token: Token) -> None:
        self.reduce(0)
        if self.pending:
            raise self.error(f"expected {OPENING[self.pending[-1].token.kind]} before the equals sign", token)
        if self.sides:
            raise self.error("expected the end: an equation has one equals sign", token)
        self.sides.append(self.values.pop())

    def finish_side(self) -> None:
        self.reduce(0)
        if self.pending:
            bracket = self.pending[-1].token
            raise self.error(f"this bracket is not closed: expected {OPENING[bracket.kind]}", bracket)
        self.sides.append(self.values.pop())

    def error(self, reason: str, token: Token) -> ParseError:
        if reason.startswith("expected"):
            found = "the text ends" if token.kind == "END" else f"found {self.text[token.position]}"
            reason = f"{reason}, but {found}"
        return ParseError(reason, self.text, token.position)
