"""The parser's machine: tokens to a tree by operator precedence, with stacks of its own instead of recursion."""

from __future__ import annotations

from functools import partial

from dgl_mathtree.expressions.ambiguity import binding_of_product, inverse
from dgl_mathtree.expressions.assembly import (
    BRACKET,
    CALL,
    CLOSE_PREFIX,
    CLOSE_PRODUCT,
    POWER,
    PREFIX,
    PRODUCT,
    ROOT,
    SUM,
    Function,
    Node,
    Pending,
    applied,
    flat,
    fraction_of,
    literal,
    quotient,
)
from dgl_mathtree.expressions.bare_functions import (
    check_call,
    check_radicand,
    digits,
    first_sign,
    goes_on,
    is_base,
    power_of_root,
)
from dgl_mathtree.expressions.lexer import tokenize
from dgl_mathtree.expressions.text_errors import ParseError
from dgl_mathtree.expressions.tokens import BLANKS, CLOSING, OPENING, STARTS_OPERAND, Token
from dgl_mathtree.expressions.tree import Equation, Expr
from dgl_mathtree.expressions.vocabulary import BLANK, negated

_pending = partial(tuple.__new__, Pending)  # as the constructor, without its cost


class Parser:
    """What has been read of a text, and the stacks of what is not complete.

    Attributes:
        at: index of the token at hand.
        values: complete operands.
        pending: operators and brackets that wait for theirs.
        bare: whether a function has been read that has no bracket after it.
        trial: whether the text is a reading on trial, so that its own ambiguities need no explanation.
    """

    def __init__(self, text: str, blanks: bool = False, trial: bool = False) -> None:
        self.text = text
        self.blanks = blanks
        self.trial = trial
        self.bare = False
        self.tokens = tokenize(text)
        self.at = 0
        self.values: list[Node] = []
        self.pending: list[Pending] = []
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
        if kind == "FRACTION" and (number := literal(self.tokens, self.at)) is not None:
            word, self.at = number
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
            return self.fraction_part("numerator", Function(token))
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
            close = self.bare and goes_on(self)
            product, prefix = (CLOSE_PRODUCT, CLOSE_PREFIX) if close else (PRODUCT, PREFIX)
            self.reduce(product + 1)
            self.push(product, "Mul", token)
            if kind == "/":
                self.push(prefix, "inverse", token)
        elif kind == "^":
            if self.pending and self.pending[-1].binding == ROOT:
                raise power_of_root(self)
            self.reduce(POWER + 1)
            self.push(POWER, "Pow", token)
        elif kind == "=":
            self.equals(token)
        elif kind == ",":
            self.comma(token)
            return True
        elif kind in CLOSING:
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
        number = literal(self.tokens, self.at)
        if number is not None and self.tokens[number[1]].kind != "^":
            self.values.append(negated(number[0]))
            self.at = number[1]
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
        binding = binding_of_product(self)
        self.reduce(binding + 1)
        self.push(binding, "Mul", token)
        return True

    def fraction_part(self, part: str, function: Function) -> bool:
        """The numerator or denominator: a group, or as in TeX one digit or name."""
        token = self.tokens[self.at]
        if token.kind not in ("NUMBER", "NAME") or (token.kind == "NUMBER" and not token.text.isdigit()):
            return self.expect_group(part, function)
        self.at += 1
        first, rest = first_sign(token)
        if rest:
            if part == "denominator" or len(rest) > 1:
                raise digits(self)
            function.arguments += first, rest
            return self.after_part("denominator", function)
        function.arguments.append(token.text)
        return self.after_part(part, function)

    def after_part(self, part: str, function: Function) -> bool:
        if part == "numerator":
            return self.fraction_part("denominator", function)
        p, q = function.arguments
        if q[:2] == ("Mul", "d") and isinstance(q[2], str) and (p == "d" or p[:2] == ("Mul", "d")):
            raise self.error(
                "derivatives are not supported: write d as another letter if it is a number", function.token
            )
        self.values.append(quotient(p, q))
        return False

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
        if name == "sqrt" and token.kind in ("NUMBER", "NAME"):
            check_radicand(self, function.token)
        elif token.kind == "NUMBER" and is_base(self, function.token):
            self.at += 1
            function.base = token.text
            return self.function_head(function)
        self.bare = True
        self.push(ROOT if name == "sqrt" else CALL, "call", function.token, function)
        return True

    def head_part(self, part: str, function: Function) -> bool:
        """An exponent or base between a function's name and its argument: a number, a name or a group."""
        token = self.tokens[self.at]
        number = literal(self.tokens, self.at)
        if number is not None:
            value, self.at = number
        elif token.kind == "NAME":
            value, self.at = token.text, self.at + 1
        elif token.kind == "-" and (negative := literal(self.tokens, self.at + 1)) is not None:
            value, self.at = negated(negative[0]), negative[1]
        else:
            return self.expect_group(part, function, "{(")
        return self.set_part(part, function, value)

    def set_part(self, part: str, function: Function, value: Node) -> bool:
        if part == "base":
            function.base = value
        elif value == "-1":
            raise inverse(self, function)
        else:
            function.exponent = value
        return self.function_head(function)

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
        if len(arguments) == 2 and function.base is not None:
            raise self.error("log has two bases here: one below it, one as an argument", function.token)
        return applied(function)

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
            wanted = wanted.removesuffix(">")
            raise self.error(f"expected {wanted} to close the bracket of column {bracket.token.position + 1}", token)
        function = bracket.function
        if function is None:
            return False
        value = self.values.pop()
        function.arguments.append(value)
        if bracket.action == "arguments":
            if token.kind == "}" or self.text[function.token.position] == "√":
                check_call(self, function)
            self.values.append(self.call(function))
            return False
        if bracket.action == "numerator" or bracket.action == "denominator":
            return self.after_part(bracket.action, function)
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
