"""Conditions of a proof: only such as cut thin sets out of the equation's domain.

That a set is thin is shown, not sampled. A function that is a quotient of real-analytic functions on a convex set, and
is not 0 at one of its points, is not 0 on any open subset; and such a function that has whole values only on an open
set is constant.
"""

from __future__ import annotations

from flint import arb

from dgl_mathtree.language.vocabulary import is_variable
from dgl_mathtree.proof.check.balls import Values, differ
from dgl_mathtree.proof.check.definedness import Definedness
from dgl_mathtree.proof.check.domain import depends_on_exponent, parts
from dgl_mathtree.proof.check.form import Derivation, Relation
from dgl_mathtree.proof.check.limits import ProofError
from dgl_mathtree.proof.check.nodes import Node, inverse, mul, variables_of
from dgl_mathtree.proof.check.region import Region
from dgl_mathtree.proof.check.sample import Sample
from dgl_mathtree.proof.check.signs import NEGATIVE, NONZERO, POSITIVE

ENTIRE = frozenset("sin cos exp sinh cosh tanh sech atan asinh".split())
"""Functions that are real-analytic on all real numbers."""
WITH_POLES = frozenset("tan cot sec csc coth csch".split())
"""Quotients of such functions."""


def check(domain: Region, proof: Derivation, found: Sample) -> None:
    """Refuse conditions that are not of the allowed kinds.

    Raises
    ------
    ProofError
        If a condition may cut away an open part of the equation's domain.
    """
    for relation in proof.conditions:
        what = f"the condition {relation.text[:60]!r}"
        if not variables_of(relation.node) or not variables_of(relation.node) <= set(found.names):
            raise ProofError(f"{what} must be about the equation's variables")
        if relation.mask not in (POSITIVE, NONZERO):
            raise ProofError(f"{what} must be of the form u > 0 or u != 0")
    region, pending = domain, list(proof.conditions)
    while pending:
        # Each may rest on those before it: what they cut away is thin already.
        allowed = next((relation for relation in pending if _is_allowed(region, relation, proof, found)), None)
        if allowed is None:
            text = pending[0].text[:60]
            raise ProofError(f"the condition {text!r} may cut away more than a thin set of points")
        pending.remove(allowed)
        region = region.narrowed([(allowed.node, allowed.mask)], frozenset(), found.points)


def _is_allowed(region: Region, relation: Relation, proof: Derivation, found: Sample) -> bool:
    defined = Definedness(region, (proof.left, proof.right))
    return defined.holds(relation.node) and _is_thin(region, relation, proof, found)


def _is_thin(region: Region, relation: Relation, proof: Derivation, found: Sample) -> bool:
    """Whether the points of the domain at which a condition does not hold are a thin set."""
    if not _is_meromorphic(region, relation.node) or not _is_somewhere_nonzero(region, relation.node, found):
        return False
    if relation.mask == NONZERO or not region.signs(relation.node) & NEGATIVE:
        return True
    # Where the base of a power is negative, the exponent is whole: a thin set, unless the exponent is constant.
    for side in (proof.left, proof.right):
        for part in parts(side):
            if not depends_on_exponent(part, region.base.constant):
                continue
            base, exponent = part.args
            varies = _is_meromorphic(region, exponent) and _varies(region, exponent, found)
            if varies and region.base.same(base, relation.node):
                return True
    return False


def _is_somewhere_nonzero(region: Region, node: Node, found: Sample) -> bool:
    balls = [Values(point, region.budget).of(node) for point in found.points]
    return any(isinstance(ball, arb) and not ball.contains(0) for ball in balls)


def _varies(region: Region, node: Node, found: Sample) -> bool:
    balls = [Values(point, region.budget).of(node) for point in found.points]
    return any(differ(balls[0], other) for other in balls[1:])


def _is_analytic(region: Region, node: Node) -> bool:
    """Whether an expression is real-analytic inside a convex set: no poles, roots and logs of variables only."""
    word, args = node.word, node.args
    if not args or not variables_of(node):
        return True
    if word == "log":
        return is_variable(args[0].word) and not variables_of(args[1])
    if word == "Pow":
        value = region.base.constant(args[1])
        if value is None:
            # The powers of a positive number, or of a variable that is positive in all of the region.
            simple = not variables_of(args[0]) or is_variable(args[0].word)
            return simple and region.signs(args[0]) == POSITIVE and _is_analytic(region, args[1])
        if value.q != 1:
            return is_variable(args[0].word)
        return value >= 0 and _is_analytic(region, args[0])
    return (word in ENTIRE or word in ("Add", "Mul")) and all(_is_analytic(region, arg) for arg in args)


def _is_meromorphic(region: Region, node: Node) -> bool:
    """Whether an expression is such a quotient as it stands or as plain algebra reads it."""
    if _is_quotient(region, node):
        return True
    return _is_quotient(region, _tidied(region, node))


def _tidied(region: Region, node: Node) -> Node:
    """An expression with the arguments of its functions as plain algebra reads them."""
    if not node.args:
        return node
    inner = Node(node.word, *(_tidied(region, arg) for arg in node.args))
    num, den = region.base.read(inner)
    above = region.base.expression_of(num)
    return above if den.is_one() else mul(above, inverse(region.base.expression_of(den)))


def _is_quotient(region: Region, node: Node) -> bool:
    """Whether an expression is a quotient of such functions."""
    word, args = node.word, node.args
    if word in ("Add", "Mul"):
        return all(_is_quotient(region, arg) for arg in args)
    if word == "Pow" and (value := region.base.constant(args[1])) is not None and value.q == 1:
        return _is_quotient(region, args[0])
    if word in WITH_POLES:
        return _is_analytic(region, args[0])
    return _is_analytic(region, node)
