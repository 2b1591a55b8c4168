"""What is said about a text that cannot be read: what is wrong, where, and what would be right."""

from __future__ import annotations

import re

from dgl_mathtree.errors import InputError
from dgl_mathtree.language.vocabulary import suggest

SHOWN_WIDTH = 72
"""How much of a long text an error message shows around the place it points to."""


class ParseError(InputError):
    """A text that is not an equation or expression: what is wrong, where, and what would be right.

    Attributes:
        reason: one line, without the place.
        text: the whole text.
        position: index of the offending character; `len(text)` for an early end.
    """

    def __init__(self, reason: str, text: str, position: int) -> None:
        super().__init__(reason, text, position)
        self.reason = reason
        self.text = text
        self.position = position

    @property
    def line(self) -> int:
        """The line of the offending character, counted from 1."""
        return self.text.count("\n", 0, self.position) + 1

    @property
    def column(self) -> int:
        """The offending character's column in its line, counted from 1."""
        return self.position - self.text.rfind("\n", 0, self.position)

    def excerpt(self) -> str:
        """The line around the place, and under it a caret."""
        line = self.text.split("\n")[self.line - 1]
        start = max(0, self.column - 1 - SHOWN_WIDTH // 2)
        shown = line[start : start + SHOWN_WIDTH]
        head = "..." if start else ""
        tail = "..." if start + SHOWN_WIDTH < len(line) else ""
        visible = "".join(c if c.isprintable() else " " for c in shown)
        return f"  {head}{visible}{tail}\n  {' ' * (len(head) + self.column - 1 - start)}^"

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason}\n{self.excerpt()}"


_RELATIONS = frozenset(
    "ne neq not le leq leqslant ge geq geqslant lt gt ll gg approx approxeq equiv sim simeq cong propto to rightarrow "
    "Rightarrow leftarrow Leftrightarrow implies iff mapsto triangleq doteq coloneqq in".split()
)
_RELATION = re.compile(r"!=|:=|<=|>=|=>|->|[<>≠≤≥≈≡∼≃≅∝≔→⇒⇔]")
_ADVICE = {
    "!": "factorials are not supported",
    "±": "± stands for two equations: write one of them",
    "∓": "∓ stands for two equations: write one of them",
    "°": "angles are in radians: write 30*pi/180 for 30 degrees",
    "∞": "infinity is not a number here",
    "'": "derivatives are not supported",
    "‖": "norms are not supported: |x| is the absolute value",
    ".": "a decimal needs a digit after the point, as in 0.5",
    "&": "& may stand only before or after an equals sign",
}
_UNSUPPORTED = {
    **dict.fromkeys("min max sgn sign floor ceil round gcd lcm mod bmod pmod arg Re Im erf sinc cis det".split(), None),
    **dict.fromkeys(["lim", "limsup", "liminf", "sup", "inf"], "limits are not supported"),
    **dict.fromkeys(["sum", "prod"], "sums and products over an index are not supported"),
    **dict.fromkeys(["int", "iint", "oint"], "integrals are not supported"),
    **dict.fromkeys(["Gamma", "Γ"], "the gamma function is not supported"),
    **dict.fromkeys(["partial", "nabla", "prime"], "derivatives are not supported"),
    **dict.fromkeys(["infty", "infinity"], "infinity is not a number here"),
    **dict.fromkeys(["pm", "mp"], "it stands for two equations: write one of them"),
    **dict.fromkeys(["Vert", "lVert", "rVert", "norm"], "norms are not supported: |x| is the absolute value"),
    **dict.fromkeys(["lg", "lb"], "its base differs from place to place: write log(x, 10) or log(x, 2)"),
    **dict.fromkeys(["degree", "circ"], "angles are in radians: write 30*pi/180 for 30 degrees"),
    **dict.fromkeys(["text", "mathrm", "mbox"], "only a name can be read in it"),
    **dict.fromkeys(["operatorname", "mathop"], "only the name of a function can be read in it"),
}
"""Names that many people know and nothing here stands for: no other name is meant by them."""


def unexpected(text: str, position: int) -> ParseError:
    """The error for a character with which no token starts."""
    while text[position].isspace():
        position += 1
    character = text[position]
    if relation := _RELATION.match(text, position):
        return _relation(relation[0], text, position)
    if character == "\\":
        return _unexpected_command(text, position)
    expected = "expected a number, a name, a function, an operator or a bracket"
    return ParseError(_ADVICE.get(character, f"{expected}, but found {character!r}"), text, position)


def _unexpected_command(text: str, position: int) -> ParseError:
    command = text[position : position + 2]
    if command == "\\\\":
        return ParseError("expected one equation in one line: \\\\ starts another", text, position)
    if command in ("\\[", "\\(", "\\]", "\\)"):
        return ParseError(f"{command} has no partner around the equation", text, position)
    if command == "\\|":
        return ParseError(_ADVICE["‖"], text, position)
    return ParseError(f"unknown LaTeX command {command.strip()}", text, position)


def _relation(found: str, text: str, position: int) -> ParseError:
    return ParseError(f"an equation has one =: expected =, but found {found}", text, position)


def unknown_name(name: str, command: bool, called: bool, text: str, position: int) -> ParseError:
    r"""The error for a name that stands for nothing; `command`: after a backslash, `called`: before a bracket."""
    slash = "\\" if command else ""
    if command and (stem := name.split("_")[0]) in _UNSUPPORTED:  # \int_0
        name = stem
    if command and name in _RELATIONS:
        return _relation(f"\\{name}", text, position)
    if command and name in ("begin", "end"):
        return ParseError(f"\\{name} has no partner around the equation, or of another kind", text, position)
    if name in _UNSUPPORTED:
        remark = _UNSUPPORTED[name]
        return ParseError(f"{slash}{name}: {remark}" if remark else f"{slash}{name} is not supported", text, position)
    near = suggest(name, "command" if command else "function" if called else "name")
    meant = f": did you mean {slash}{near}?" if near else ""
    if command:
        reason = f"unknown LaTeX command \\{name}{meant}"
    elif name in ("i", "I"):
        reason = f"{name} is not a variable here, lest it be taken for the imaginary unit"
    elif called:
        reason = f"unknown function {name}{meant}"
    else:
        reason = f"unknown name {name}{meant} (a variable is a letter, x_1, x1 or theta; a product is x*y)"
    return ParseError(reason, text, position)
