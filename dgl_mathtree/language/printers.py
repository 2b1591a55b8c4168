"""Trees to text: infix and LaTeX, both of which parse back to the same tree, and an indented tree.

One walk serves both notations. A notation writes a node as pieces: texts, and positions of subtrees with the context
each stands in. A subtree that binds more loosely than its context asks for gets brackets. The walk keeps its own
stack, so depth is no limit.
"""

from __future__ import annotations

from collections.abc import Iterator

from dgl_mathtree.language.expr import Tree, subtree_ends
from dgl_mathtree.language.vocabulary import ARITY, CONSTANT_LATEX, EQUALITY, GREEK, OPERATORS, is_integer, is_number

# How tightly a node holds together, and the least that a context accepts without brackets.
SUM, FRACTION, PRODUCT, NEGATIVE, POWER, ATOM = range(6)
ANY, TERM, LAST_FACTOR, FACTOR, BASE = SUM, FRACTION, PRODUCT, NEGATIVE, ATOM

Piece = str | tuple[int, int]  # a text, or the position of a subtree and its context


class Infix:
    """Plain text, as the parser's users type it."""

    opening, closing, plus, minus = "(", ")", f" {OPERATORS['Add'].symbol} ", " - "
    times = OPERATORS["Mul"].symbol

    def __init__(self, tree: Tree) -> None:
        self.words = tree.words
        self.ends = subtree_ends(tree.words)

    def text(self) -> str:
        out: list[str] = []
        stack: list[Piece] = [(0, ANY)]
        while stack:
            piece = stack.pop()
            if isinstance(piece, str):
                out.append(piece)
                continue
            stack.extend(reversed(self.enclosed(*piece)))
        return "".join(out)

    def enclosed(self, at: int, context: int) -> list[Piece]:
        """The pieces of a subtree, in brackets where its context asks for them."""
        pieces = self.pieces(at)
        return [self.opening, *pieces, self.closing] if self.binding(at) < context else pieces

    def binding(self, at: int) -> int:
        word = self.words[at]
        if word == "Add" or word == EQUALITY:
            return SUM
        if word == "Mul":
            return PRODUCT
        if word == "Pow":
            return ATOM if self.is_power(at, "1/2") else POWER
        return ATOM if word in ARITY else self.leaf_binding(word)

    def leaf_binding(self, word: str) -> int:
        if "/" in word:
            return FRACTION
        return NEGATIVE if word.startswith("-") else ATOM

    def pieces(self, at: int) -> list[Piece]:
        word = self.words[at]
        if word not in ARITY:
            return [self.leaf(word)]
        first, second = at + 1, self.ends[at + 1]
        if word == "Add":
            if self.words[second] == "Mul" and self.words[second + 1] == "-1":
                return [(first, ANY), self.minus, (second + 2, TERM)]
            return [(first, ANY), self.plus, (second, TERM)]
        if word == "Mul":
            return self.quotient(at) or [(first, FACTOR), self.times, (second, LAST_FACTOR)]
        if word == "Pow":
            return self.root(first) if self.is_power(at, "1/2") else self.power(first, second)
        if word == EQUALITY:
            return [(first, ANY), " = ", (second, ANY)]
        if word == "log":
            return self.logarithm(first, second)
        return self.call(word, first)

    def is_power(self, at: int, exponent: str) -> bool:
        return self.words[at] == "Pow" and self.words[self.ends[at + 1]] == exponent

    def divisor(self, at: int) -> int | None:
        """The position of b if the product at a position is a*b^-1 and would read so when written a/b."""
        first, second = at + 1, self.ends[at + 1]
        if not self.is_power(second, "-1"):
            return None
        # Two integers would read as one number.
        integers = is_integer(self.words[first]) and is_integer(self.words[second + 1])
        return None if integers else second + 1

    def quotient(self, at: int) -> list[Piece]:
        divisor = self.divisor(at)
        return [] if divisor is None else [(at + 1, FACTOR), "/", (divisor, FACTOR)]

    def leaf(self, word: str) -> str:
        return word

    def call(self, word: str, argument: int) -> list[Piece]:
        return [f"{OPERATORS[word].symbol}(", (argument, ANY), ")"]

    def root(self, radicand: int) -> list[Piece]:
        return ["sqrt(", (radicand, ANY), ")"]

    def power(self, base: int, exponent: int) -> list[Piece]:
        return [(base, BASE), OPERATORS["Pow"].symbol, (exponent, NEGATIVE)]

    def logarithm(self, argument: int, base: int) -> list[Piece]:
        if self.words[base] == "e":
            return ["log(", (argument, ANY), ")"]
        return ["log(", (argument, ANY), ", ", (base, ANY), ")"]


class Readable(Infix):
    """Plain text for people: `-x` for the product of -1 and x, wherever that is read back as this product."""

    def binding(self, at: int) -> int:
        return SUM if self.is_negation(at) else super().binding(at)

    def pieces(self, at: int) -> list[Piece]:
        return ["-", (at + 2, LAST_FACTOR)] if self.is_negation(at) else super().pieces(at)

    def is_negation(self, at: int) -> bool:
        """Whether it is a product with -1, and no quotient or number stands where the minus would bind to it."""
        words = self.words
        if words[at] != "Mul" or words[at + 1] != "-1" or self.divisor(at) is not None:
            return False
        first = at + 2
        while words[first] in ("Mul", "Pow") and not self.is_power(first, "1/2"):
            first += 1
        return words[first] in ARITY or not is_number(words[first])


class Latex(Infix):
    """LaTeX mathematics, without dollar signs."""

    opening, closing, times = r"\left(", r"\right)", f" {OPERATORS['Mul'].latex} "

    def binding(self, at: int) -> int:
        if self.words[at] == "Mul" and self.divisor(at) is not None:
            return POWER
        return super().binding(at)

    def leaf_binding(self, word: str) -> int:
        if word.startswith("-"):
            return NEGATIVE
        return POWER if "/" in word else ATOM

    def quotient(self, at: int) -> list[Piece]:
        divisor = self.divisor(at)
        return [] if divisor is None else [r"\frac{", (at + 1, ANY), "}{", (divisor, ANY), "}"]

    def leaf(self, word: str) -> str:
        if word in CONSTANT_LATEX:
            return CONSTANT_LATEX[word]
        if "/" in word:
            numerator, denominator = word.lstrip("-").split("/")
            return rf"{'-' if word.startswith('-') else ''}\frac{{{numerator}}}{{{denominator}}}"
        name, underscore, index = word.partition("_")
        if name.rstrip("0123456789") in GREEK.values():
            name = rf"\{name}"
        return f"{name}_{{{index}}}" if underscore else name

    def call(self, word: str, argument: int) -> list[Piece]:
        return [OPERATORS[word].latex, self.opening, (argument, ANY), self.closing]

    def root(self, radicand: int) -> list[Piece]:
        return [r"\sqrt{", (radicand, ANY), "}"]

    def power(self, base: int, exponent: int) -> list[Piece]:
        return [(base, BASE), "^{", (exponent, ANY), "}"]

    def logarithm(self, argument: int, base: int) -> list[Piece]:
        if self.words[base] == "e":
            return [r"\ln", self.opening, (argument, ANY), self.closing]
        return [OPERATORS["log"].latex + "_{", (base, ANY), "}", self.opening, (argument, ANY), self.closing]


def infix(tree: Tree) -> str:
    """The tree in plain text; `parse` gives back the same tree."""
    return Infix(tree).text()


def readable(tree: Tree) -> str:
    """The tree in plain text for people, which `parse` reads as the same tree.

    The texts of data files are those of `infix`: they are to stay the same bytes.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_expression
    >>> [readable(parse_expression(text)) for text in ("-1*sin(-1*x)", "x^(-1*y)", "-1*2*x", "x*(-1*y)")]
    ['-sin(-x)', 'x^(-y)', '-1*2*x', 'x*(-y)']
    """
    return Readable(tree).text()


def latex(tree: Tree) -> str:
    """The tree in LaTeX; `parse` gives back the same tree."""
    return Latex(tree).text()


def outline(tree: Tree) -> Iterator[str]:
    """The lines of the tree drawn for a terminal, a node a line, children below their parent."""
    ends = subtree_ends(tree.words)
    stack = [(0, "", "")]
    while stack:
        at, lead, below = stack.pop()
        word = tree.words[at]
        yield lead + word
        children = []
        child = at + 1
        for _ in range(ARITY.get(word, 0)):
            children.append(child)
            child = ends[child]
        for k, child in reversed(list(enumerate(children))):
            last = k == len(children) - 1
            stack.append((child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  ")))
