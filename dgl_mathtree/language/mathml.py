"""Trees to presentation MathML, which browsers typeset by themselves.

Every node is one element with its position in prefix order, ``data-node``, so that a page can link a node and its
place in the formula. A node that is not written, such as the -1 of a quotient or the 1/2 of a square root, has no
element: its parent's stands for it.
"""

from __future__ import annotations

import re

from dgl_mathtree.language.expr import LARGEST_FORMULA, Tree
from dgl_mathtree.language.printers import ANY, ATOM, BASE, FACTOR, LAST_FACTOR, TERM, Latex, Piece, infix
from dgl_mathtree.language.vocabulary import BLANK, EQUALITY, GREEK, OPERATORS, is_number
from dgl_mathtree.tables import Markup

LETTERS = {name: letter for letter, name in GREEK.items()} | {"pi": "π", BLANK: "□"}
MINUS, DOT, INVISIBLE_TIMES, APPLY = "\u2212", "\u22c5", "\u2062", "\u2061"
_NAME = re.compile(r"(.*?)_?([0-9]+|(?<=_)[A-Za-z])?")


class MathML(Latex):
    """Presentation MathML: a node is one element, brackets included."""

    opening, closing, times = "<mo>(</mo>", "<mo>)</mo>", f"<mo>{DOT}</mo>"

    def __init__(self, tree: Tree, first: int = 0) -> None:
        super().__init__(tree)
        self.first = first

    def enclosed(self, at: int, context: int) -> list[Piece]:
        return [f"<mrow{self.mark(at)}>", *super().enclosed(at, context), "</mrow>"]

    def mark(self, at: int) -> str:
        return f' data-node="{self.first + at}"'

    def pieces(self, at: int) -> list[Piece]:
        first, second = at + 1, self.ends[at + 1] if at + 1 < len(self.ends) else 0
        if self.words[at] == "Add":
            return [(first, ANY), *self.term(second)]
        if self.words[at] == "Mul":
            return self.quotient(at) or [*self.factor(first, second), (second, self.unsigned(second, LAST_FACTOR))]
        if self.words[at] == EQUALITY:
            return [(first, ANY), "<mo>=</mo>", (second, ANY)]
        return super().pieces(at)

    def term(self, at: int) -> list[Piece]:
        """What is added, after its sign: a product with -1 is taken away, any other negative stands in brackets."""
        if not self.signed(at):
            return ["<mo>+</mo>", (at, TERM)]
        if self.words[at : at + 2] != ("Mul", "-1"):
            return ["<mo>+</mo>", (at, ATOM)]
        minus = f'<mrow{self.mark(at + 1)}><mo form="infix">{MINUS}</mo></mrow>'
        return [f"<mrow{self.mark(at)}>", minus, (at + 2, self.unsigned(at + 2, TERM)), "</mrow>"]

    def factor(self, first: int, second: int) -> list[Piece]:
        """The first factor of a product and the sign after it; of -1 the minus alone, where that will do."""
        word = self.words[first]
        if word == "-1" and self.joined(second, fractions=True):
            return [f'<mrow{self.mark(first)}><mo form="prefix">{MINUS}</mo></mrow>']
        if word.startswith("-"):
            return [f"<mrow{self.mark(first)}>{self.leaf(word)}</mrow>", self.sign_of_product(first, second)]
        return [(first, FACTOR), self.sign_of_product(first, second)]

    def sign_of_product(self, first: int, second: int) -> str:
        if not is_number(self.words[first]) or not self.joined(second):
            return self.times
        space = ' rspace="0.1667em"' if self.starts_with_name(second) else ""
        return f"<mo{space}>{INVISIBLE_TIMES}</mo>"

    def starts_with_name(self, at: int) -> bool:
        """Whether what is written at a place starts with the name of a function."""
        while self.words[at] == "Mul" or (self.words[at] == "Pow" and not self.is_power(at, "1/2")):
            at += 1
        return self.words[at] in OPERATORS and self.words[at] not in ("Add", "Pow")

    def joined(self, at: int, fractions: bool = False) -> bool:
        """Whether a factor may follow a number without a sign: it starts with no number, nor with a fraction."""
        while not self.signed(at):
            word = self.words[at]
            if (word == "Mul" and self.divisor(at) is None) or (word == "Pow" and not self.is_power(at, "1/2")):
                at += 1
                continue
            return (fractions or word != "Mul") and not is_number(word)
        return True  # in brackets

    def signed(self, at: int) -> bool:
        """Whether a subtree is written with a minus first."""
        if self.words[at] == "Mul" and self.divisor(at) is None:
            at += 1
        return self.words[at].startswith("-")

    def unsigned(self, at: int, context: int) -> int:
        """A context in which what starts with a minus gets brackets."""
        return ATOM if self.signed(at) else context

    def quotient(self, at: int) -> list[Piece]:
        divisor = self.divisor(at)
        if divisor is None:
            return []
        return ["<mfrac>", (at + 1, ANY), f"<mrow{self.mark(divisor - 1)}>", (divisor, ANY), "</mrow></mfrac>"]

    def leaf(self, word: str) -> str:
        if is_number(word):
            return f'<mo form="prefix">{MINUS}</mo>{_number(word[1:])}' if word.startswith("-") else _number(word)
        match = _NAME.fullmatch(word)
        stem, index = match.groups() if match else (word, None)
        name = f"<mi>{LETTERS.get(stem, stem)}</mi>"
        if index is None:
            return name
        return f"<msub>{name}{f'<mn>{index}</mn>' if index.isdecimal() else f'<mi>{index}</mi>'}</msub>"

    def call(self, word: str, argument: int) -> list[Piece]:
        return [_function(word), f"<mo>{APPLY}</mo>", "<mrow>", self.opening, (argument, ANY), self.closing, "</mrow>"]

    def root(self, radicand: int) -> list[Piece]:
        return ["<msqrt>", (radicand, ANY), "</msqrt>"]

    def power(self, base: int, exponent: int) -> list[Piece]:
        return ["<msup>", (base, BASE), (exponent, ANY), "</msup>"]

    def logarithm(self, argument: int, base: int) -> list[Piece]:
        name: list[Piece] = ["<msub>", _function("log"), (base, ANY), "</msub>"]
        if self.words[base] == "e":
            name = ["<mi>ln</mi>"]
        return [*name, f"<mo>{APPLY}</mo>", "<mrow>", self.opening, (argument, ANY), self.closing, "</mrow>"]


def _number(word: str) -> str:
    numerator, slash, denominator = word.partition("/")
    return f"<mfrac><mn>{numerator}</mn><mn>{denominator}</mn></mfrac>" if slash else f"<mn>{word}</mn>"


def function_name(word: str) -> str:
    """The name of a function in a formula: arcsin for asin."""
    latex = OPERATORS[word].latex
    return latex[1:] if latex[1:].isalpha() else word


def _function(word: str) -> str:
    return f"<mi>{function_name(word)}</mi>"


def mathml(tree: Tree, first: int = 0, display: str = "inline") -> str:
    """The tree in presentation MathML, one element for each node that is written.

    Parameters
    ----------
    tree : Expr or Equation
        What to typeset; a blank is a box.
    first : int
        The number of the root; nodes have the numbers from there in prefix order (``data-node``).
    display : str
        ``inline`` for a formula in a line of text, ``block`` for one that stands by itself.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_expression
    >>> print(mathml(parse_expression("x^2")).removeprefix('<math xmlns="http://www.w3.org/1998/Math/MathML" '))
    display="inline"><mrow data-node="0"><msup><mrow data-node="1"><mi>x</mi></mrow>\
<mrow data-node="2"><mn>2</mn></mrow></msup></mrow></math>
    """
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="{display}">{MathML(tree, first).text()}</math>'


def formula(tree: Tree) -> Markup | str:
    """The tree as a cell of a notebook's table: typeset, or as text where it is too large to be read as a formula."""
    return Markup(mathml(tree)) if len(tree) <= LARGEST_FORMULA else infix(tree)
