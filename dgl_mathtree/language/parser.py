r"""Text to trees: an operator-precedence parser with explicit stacks, so that no nesting is too deep for it.

What it reads, beyond the obvious:

- Sums associate to the left, products to the right, ``^`` to the right. ``a - b`` is ``a + (-1*b)``, ``a/b`` is
  ``a*b^-1``, ``sqrt(a)`` is ``a^(1/2)``, ``log(a)`` and ``ln(a)`` are ``log(a, e)``.
- A fraction of two integers in lowest terms is one number: ``1/2`` is a leaf, ``4/2`` is ``4*2^-1``.
- Minus before a number makes a negative number unless a power follows: ``-2^2`` is ``-1*2^2``. Before anything else
  it is a product with -1.
- Products need no sign: ``2x``, ``2 pi x``, ``(a)(b)``, ``xy``. After a quotient, a root or a power they may mean two
  things, ``1/2x``: such texts are refused (`ambiguity`).
- A function takes the bracket after it, or else the factors after it: ``sin 2x cos x`` is ``sin(2*x)*cos(x)``, and
  ``cos 2pi/3`` is ``cos(2*pi/3)``. ``sin^2(x)`` is ``sin(x)^2``; ``sin^-1(x)`` is refused because it means two things.
- ``|a|`` and ``abs(a)`` are ``sqrt(a^2)``.
"""

from __future__ import annotations

from dgl_mathtree.language.expr import Equation, Expr
from dgl_mathtree.language.parsing.precedence import Parser
from dgl_mathtree.language.parsing.syntax_errors import ParseError
from dgl_mathtree.language.vocabulary import BLANK


def parse(text: str, blanks: bool = False) -> Equation | Expr:
    """An equation if the text has an equals sign, else an expression; with `blanks`, one blank may stand in it."""
    return Parser(text, blanks).parse()


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
    tree = Parser(text, blanks=True).parse()
    if isinstance(tree, Expr):
        raise ParseError("expected an equation: there is no equals sign", text, len(text))
    return tree


def parse_expression(text: str) -> Expr:
    """The expression that a text spells."""
    tree = parse(text)
    if isinstance(tree, Equation):
        raise ParseError("expected an expression without an equals sign", text, text.index("="))
    return tree
