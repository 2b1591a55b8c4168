"""The parser's machine: tokens to a tree by operator precedence, with stacks of its own instead of recursion."""

from __future__ import annotations

from dgl_mathtree.language.expr import Equation, Expr
from dgl_mathtree.language.parsing.ambiguity import binding_of_product
from dgl_mathtree.language.parsing.bare_functions import goes_on, power_of_root
from dgl_mathtree.language.parsing.call_heads import call, close_part, fraction_part, function_head
from dgl_mathtree.language.parsing.lexer import tokenize
from dgl_mathtree.language.parsing.syntax_errors import ParseError
from dgl_mathtree.language.parsing.syntax_trees import (
    BRACKET,
    CLOSE_PREFIX,
    CLOSE_PRODUCT,
    PLAIN_CALLS,
    POWER,
    PREFIX,
    PRODUCT,
    ROOT,
    SUM,
    Function,
    Node,
    Pending,
    flat,
    fraction_of,
    literal,
    plain_call,
)
from dgl_mathtree.language.parsing.tokens import BLANKS, CLOSING, OPENING, STARTS_OPERAND
from dgl_mathtree.language.vocabulary import BLANK, EQUALITY, negated

_ADD = Pending(SUM, "Add", before=SUM)
_TIMES = Pending(PRODUCT, "Mul", before=PRODUCT + 1)
_POWER = Pending(POWER, "Pow", before=POWER + 1)
_CLOSE_TIMES = Pending(CLOSE_PRODUCT, "Mul", before=CLOSE_PRODUCT + 1)
_INVERSE, _CLOSE_INVERSE = Pending(PREFIX, "inverse"), Pending(CLOSE_PREFIX, "inverse")
_NEGATE, _GROUP = Pending(PREFIX, "negate"), Pending(BRACKET, "group")
_INFIX = {"+": _ADD, "*": _TIMES, "^": _POWER}
_BINARY = frozenset(entry.action for entry in _INFIX.values())


class Parser:
    """What has been read of a text, and the stacks of what is not complete.

    Attributes:
        kinds, texts, positions: the tokens.
        at: index of the token at hand.
        values: complete operands.
        pending: operators and brackets that wait for theirs.
        places: for each of them the index of its token.
        bare: whether a function has been read that has no bracket after it.
        trial: whether the text is a reading on trial, so that its own ambiguities need no explanation.
    """

    def __init__(self, text: str, blanks: bool = False, trial: bool = False) -> None:
        self.text = text
        self.blanks = blanks
        self.trial = trial
        self.bare = False
        self.tokens = tokenize(text)
        self.kinds, self.texts, self.positions = self.tokens
        self.at = 0
        self.values: list[Node] = []
        self.pending: list[Pending] = []
        self.places: list[int] = []
        self.left: Node | None = None
        self.blank_seen = False

    def parse(self) -> Equation | Expr:
        kinds, texts, values, pending, places = self.kinds, self.texts, self.values, self.pending, self.places
        wants_operand = True
        while True:
            kind = kinds[self.at]
            if wants_operand:
                if kind == "NAME" or kind == "NUMBER":
                    values.append(texts[self.at])
                    self.at += 1
                    wants_operand = False
                else:
                    wants_operand = self.operand(kind)
            elif kind in _INFIX and not self.bare:
                entry = _INFIX[kind]  # as in `infix`: calls would cost as much as all else here
                if pending and pending[-1].binding >= entry.before:
                    self.reduce(entry.before)
                pending.append(entry)
                places.append(self.at)
                self.at += 1
                wants_operand = True
            elif kind in CLOSING:
                self.at += 1
                wants_operand = self.close(kind, self.at - 1)
            elif kind == "END":
                break
            else:
                wants_operand = self.operator(kind)
        self.reduce(0)
        if pending:
            bracket = places[-1]
            raise self.error(f"this bracket is not closed: expected {OPENING[kinds[bracket]]}", bracket)
        if self.left is None:
            return Expr._trusted(flat(values.pop()))
        return Equation._trusted(flat((EQUALITY, self.left, values.pop())))

    # Reading. Each method takes the kind of the token at hand and returns whether an operand is wanted next.

    def operand(self, kind: str) -> bool:
        """What an operand starts with, other than a name or number, which are complete."""
        at = self.at
        if kind == "FRACTION" and (number := literal(self.tokens, at)) is not None:
            word, self.at = number
            self.values.append(word)
            return False
        self.at += 1
        if kind == "FUNCTION":
            return self.function(at)
        if kind in OPENING:
            if self.holds_leaf(at):
                self.values.append(self.texts[at + 1])
                self.at = at + 3
                return False
            self.push(_GROUP, at)
            return True
        if kind == "-":
            return self.minus(at)
        if kind == "FRACTION":
            return fraction_part(self, "numerator", Function(self.texts[at], at))
        if kind == "+":
            return True
        if kind in BLANKS:
            return self.blank(at)
        raise self.error("expected a number, a variable, a function or a bracket", at)

    def function(self, at: int) -> bool:
        """A function: in most texts the bracket of its argument follows at once."""
        name, bracket = self.texts[at], self.kinds[at + 1]
        plain = bracket == "(" or (bracket == "{" and name == "sqrt")
        if not plain or self.character(at) == "√":
            return function_head(self, Function(name, at))
        if self.holds_leaf(at + 1):
            self.values.append(plain_call(name, self.texts[at + 2]))
            self.at = at + 4
            return False
        self.push(PLAIN_CALLS[name], at + 1)
        self.at = at + 2
        return True

    def holds_leaf(self, at: int) -> bool:
        """Whether the bracket at a token is one around a name or number."""
        kinds = self.kinds
        return kinds[at + 1] in ("NAME", "NUMBER") and kinds[at + 2] == OPENING[kinds[at]]

    def operator(self, kind: str) -> bool:
        """What follows an operand, other than a closing bracket: an operator, or the next factor."""
        if kind in STARTS_OPERAND:
            return self.product_without_sign()
        at = self.at
        if kind in BLANKS and self.blanks:
            raise self.error("a blank stands for an expression, not for an operator: write x + ? or x * ?", at)
        self.at += 1
        if kind == "^":
            if self.pending and self.pending[-1].binding == ROOT:
                raise power_of_root(self)
            self.infix(_POWER, at)
        elif kind == "*" or kind == "/":
            close = self.bare and goes_on(self)
            self.infix(_CLOSE_TIMES if close else _TIMES, at)
            if kind == "/":
                self.push(_CLOSE_INVERSE if close else _INVERSE, at)
        elif kind == "+" or kind == "-":
            self.infix(_ADD, at)
            if kind == "-":
                self.times_minus_one(at)
        elif kind == "=":
            self.equals(at)
        elif kind == ",":
            self.comma(at)
        else:
            raise self.error("expected an operator", at)
        return True

    def blank(self, at: int) -> bool:
        """A missing expression, where one may be missing."""
        if not self.blanks:
            raise self.error("a blank may stand only in an equation that is to be completed", at)
        if self.blank_seen:
            raise self.error("there is a second blank here: one can be filled", at)
        self.blank_seen = True
        self.values.append(BLANK)
        return False

    def minus(self, at: int) -> bool:
        """A minus before an operand."""
        number = literal(self.tokens, self.at)
        if number is not None and self.kinds[number[1]] != "^":
            self.values.append(negated(number[0]))
            self.at = number[1]
            return False
        if self.pending and self.pending[-1].binding >= PREFIX:
            self.push(_NEGATE, at)
        else:
            self.times_minus_one(at)
        return True

    def times_minus_one(self, at: int) -> None:
        self.values.append("-1")
        self.push(_TIMES, at)

    def product_without_sign(self) -> bool:
        """Two operands side by side: the second is looked at again, as an operand."""
        at = self.at
        if self.kinds[at - 1] in BLANKS:
            raise self.error("a blank stands for an expression, not for a function or operator: write ? * x", at)
        self.infix(_TIMES if binding_of_product(self) == PRODUCT else _CLOSE_TIMES, at)
        return True

    def comma(self, at: int) -> None:
        self.reduce(0)
        bracket = self.pending[-1] if self.pending else None
        if bracket is not None and bracket.action in PLAIN_CALLS:  # no longer plain
            bracket = Pending(BRACKET, "arguments", Function(bracket.action, self.places[-1] - 1))
            self.pending[-1] = bracket
        if bracket is None or bracket.action != "arguments" or bracket.function is None:
            raise self.error("a comma may stand only between the arguments of a function", at)
        bracket.function.arguments.append(self.values.pop())

    def close(self, kind: str, at: int) -> bool:
        if self.pending and self.pending[-1].binding != BRACKET:
            self.reduce(0)
        if not self.pending:
            raise self.error("expected an operator: there is no open bracket to close", at)
        _, action, function, _ = self.pending.pop()
        opening = self.places.pop()
        wanted = OPENING[self.kinds[opening]]
        if kind != wanted:
            wanted, column = wanted.removesuffix(">"), self.positions[opening] + 1
            raise self.error(f"expected {wanted} to close the bracket of column {column}", at)
        if function is not None:
            return close_part(self, action, function)
        if action != "group":
            self.values[-1] = plain_call(action, self.values[-1])
        return False

    def equals(self, at: int) -> None:
        self.reduce(0)
        if self.pending:
            raise self.error(f"expected {OPENING[self.kinds[self.places[-1]]]} before the equals sign", at)
        if self.left is not None:
            raise self.error("expected the end: an equation has one equals sign", at)
        self.left = self.values.pop()

    # Stacks.

    def push(self, entry: Pending, at: int) -> None:
        self.pending.append(entry)
        self.places.append(at)

    def infix(self, entry: Pending, at: int) -> None:
        """Push an operator once those before it that are its operand are complete."""
        pending = self.pending
        if pending and pending[-1].binding >= entry.before:
            self.reduce(entry.before)
        pending.append(entry)
        self.places.append(at)

    def reduce(self, binding: int) -> None:
        """Complete every operator on the stack that binds at least as tightly."""
        pending, places, values = self.pending, self.places, self.values
        while pending and pending[-1].binding >= binding:
            _, action, function, _ = pending.pop()
            places.pop()
            last = values.pop()
            if action in _BINARY:
                values[-1] = (action, values[-1], last)
            elif function is not None:
                function.arguments.append(last)
                values.append(call(self, function))
            elif action == "inverse":
                # The product sign pushed with it is next on the stack: p / q of integers is one number.
                fraction = fraction_of(values[-1], last)
                if fraction is None:
                    values.append(("Pow", last, "-1"))
                else:
                    values[-1] = fraction
                    pending.pop()
                    places.pop()
            else:  # negate
                values.append(("Mul", "-1", last))

    def character(self, at: int) -> str:
        """The character with which a token starts."""
        return self.text[self.positions[at]]

    def error(self, reason: str, at: int) -> ParseError:
        if reason.startswith("expected"):
            found = "the text ends" if self.kinds[at] == "END" else f"found {self.character(at)}"
            reason = f"{reason}, but {found}"
        return ParseError(reason, self.text, self.positions[at])
