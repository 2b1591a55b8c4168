"""Whether the lines of a proof are defined wherever the equation is: without that, a chain of equalities has gaps.

`x = sqrt(x)^2` and `sqrt(x)^2 = |x|` both hold wherever both of their sides are defined, and yet x = |x| is false.
"""

from __future__ import annotations

from collections.abc import Iterable

from flint import arb

from dgl_mathtree.proof.check import multiples
from dgl_mathtree.proof.check.balls import has_variable
from dgl_mathtree.proof.check.domain import consequences, depends_on_exponent, parts, requirements
from dgl_mathtree.proof.check.limits import ProofError
from dgl_mathtree.proof.check.nodes import Node, expression
from dgl_mathtree.proof.check.region import Region
from dgl_mathtree.proof.check.signs import NEGATIVE, POSITIVE


def domain_facts(region: Region, sides: Iterable[Node]) -> list[tuple[Node, int]]:
    """What holds at every point at which all parts of some expressions are defined."""
    found = []
    for side in sides:
        for part in parts(side):
            try:
                found += requirements(part, region.base.constant, lambda node: never_whole(region, node))
                found += consequences(part)
            except ZeroDivisionError:
                raise ProofError("the equation divides by 0 and is nowhere defined") from None
    return list(dict.fromkeys(found))


def never_whole(region: Region, node: Node) -> bool | None:
    """False if an exponent without variables is certainly not whole, else None."""
    if has_variable(node):
        return None
    value = region.ball(node)
    return False if isinstance(value, arb) and not value.contains_integer() else None


class Definedness:
    """The expressions that are known to be defined throughout a region.

    Parameters
    ----------
    region : Region
        Where.
    known : iterable of Node
        Expressions that are defined there by assumption, with all their parts.
    """

    def __init__(self, region: Region, known: Iterable[Node]) -> None:
        self.region = region
        self._known = dict.fromkeys(part for node in known for part in parts(node))

    def narrowed(self, region: Region) -> Definedness:
        """The same in a part of the region."""
        other = Definedness(region, ())
        other._known = dict(self._known)
        return other

    def require(self, node: Node, where: str) -> None:
        """Establish that an expression is defined throughout the region.

        Raises
        ------
        ProofError
            If that does not follow from the facts.
        """
        for part in parts(node):
            if part in self._known:
                continue
            try:
                missing = self._missing(part)
            except ZeroDivisionError:
                missing = "it divides by 0"
            if missing:
                raise ProofError(f"{where}: {_shown(part)} may be undefined where the equation is defined: {missing}")
            self._known[part] = None

    def holds(self, node: Node) -> bool:
        """Whether an expression is known to be defined throughout the region."""
        try:
            self.require(node, "")
        except ProofError:
            return False
        return True

    def _missing(self, part: Node) -> str:
        """What is not known for the operator at the top of an expression to be defined."""
        region = self.region
        if depends_on_exponent(part, region.base.constant):
            base, exponent = part.args
            signs = region.signs(base)
            if region.has_signs(base, POSITIVE) or (not signs & NEGATIVE and region.signs(exponent) == POSITIVE):
                return ""
            return "" if self._is_like_known(part) else f"{_shown(base)} > 0 is not known"
        for node, mask in requirements(part, region.base.constant, lambda _: None):
            if not region.has_signs(node, mask) and not self._is_like_known(part):
                return f"the sign of {_shown(node)} is not known"
        return ""

    def _is_like_known(self, part: Node) -> bool:
        """Whether the same operator is known to be defined at arguments that are equal, by any of the rules.

        Then it is defined at these arguments too, whatever it requires of them.
        """
        for known in self._known:
            if known.word == part.word and all(
                a == b or multiples.same(self.region, a, b) for a, b in zip(known.args, part.args, strict=True)
            ):
                return True
        return False


def _shown(node: Node) -> str:
    text = str(expression(node))
    return text if len(text) <= 80 else f"{text[:77]}..."
