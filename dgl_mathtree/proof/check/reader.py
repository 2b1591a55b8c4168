"""Expressions read as quotients of polynomials over generators.

Without rules a function application is a generator of its own, told apart by its arguments, which are compared in the
same way; only sin^2 + cos^2 = 1, cosh^2 - sinh^2 = 1, (u^(1/k))^k = u and exact arithmetic are known. That is the rule
"algebra". Every other rule switches on more of `angles`, `exponentials`, `logarithms` and `inverses`.

What reading promises: at every point of the region (the equation's domain where the conditions and the current case
hold) at which the expression is defined, its quotient has its value and a denominator that is not 0. What reading
asks for: that all it is given is defined throughout the region. Where an argument is not, two others could both be
equal to it and yet differ from each other, and would share its generator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flint import fmpq

from dgl_mathtree.language.vocabulary import is_variable
from dgl_mathtree.proof.check import angles, exponentials, inverses, logarithms
from dgl_mathtree.proof.check.generators import Generators
from dgl_mathtree.proof.check.implications import QUOTIENTS, with_expanded_angles, with_quotients
from dgl_mathtree.proof.check.nodes import ONE, PI, E, Node, fraction, inverse, is_literal, mul, number
from dgl_mathtree.proof.check.polynomials import Quotient

if TYPE_CHECKING:
    pass

HIGHEST_POWER = 4_000
LARGEST_FACTORED = 10**24
SINES: dict[Any, Any] = {fmpq(0): 0, fmpq(1, 6): fmpq(1, 2), fmpq(1, 2): 1, fmpq(5, 6): fmpq(1, 2), fmpq(1): 0}
SINES.update({2 - turn: -value for turn, value in list(SINES.items())})
"""The rational values of sin at rational multiples of pi, by the multiple: numbers to plain algebra too."""
HYPERBOLIC = frozenset("sinh cosh tanh coth sech csch".split())


class Reader(Generators):
    """Reads expressions by some rules.

    Parameters
    ----------
    region : Region
        Where equalities are to hold: gives signs, ranges, and values at sample points.
    rules : frozenset of str
        Those of "definition", "angles", "powers", "logarithms", "inverse", "sign" and "value" that may be used.
    """

    def read(self, node: Node) -> Quotient:
        """The quotient of an expression."""
        found = self._read.get(node)
        if found is None:
            self.region.budget.spend(4)
            found = self._read[node] = self._compute(node)
        return found

    def constant(self, node: Node) -> Any:
        """The rational number that an expression is, or None."""
        if is_literal(node):
            return fraction(node.word)
        num, den = self.read(node)
        if num.is_constant() and den.is_one():
            return num.leading_coefficient() if num else fmpq(0)
        return self.region.rational(node)

    def _compute(self, node: Node) -> Quotient:
        word, args = node.word, node.args
        if not args:
            return self._leaf(node)
        if word == "Add":
            return self.ring.add(self.read(args[0]), self.read(args[1]))
        if word == "Mul":
            return self.ring.mul(self.read(args[0]), self.read(args[1]))
        if word == "Pow":
            return self._power(args[0], args[1])
        if word == "log":
            return logarithms.read(self, args[0], args[1])
        if word == "exp":
            return exponentials.exponential(self, args[0])
        if word in ("sin", "cos") or word in QUOTIENTS:
            return self._circular(word, args[0])
        if word in HYPERBOLIC:
            return exponentials.hyperbolic(self, word, args[0])
        return inverses.read(self, word, args[0])

    def _leaf(self, node: Node) -> Quotient:
        word = node.word
        if is_literal(node):
            return self.ring.constant(fraction(word))
        if is_variable(word) and word in self.region.zeros:
            return self.ring.constant(0)
        if word == "e":
            return exponentials.exponential(self, number(1))
        return self.ring.power_of(self.generator("leaf " + word, (), node), 1)

    def _circular(self, word: str, arg: Node) -> Quotient:
        if word in QUOTIENTS and self.has("definition", "angles", "inverse"):
            # Where tan, cot, sec or csc is defined, the divisor is not 0.
            above, below = QUOTIENTS[word]
            divisor = self.ring.inverse(self.read(Node(below, arg)))
            return divisor if above is None else self.ring.mul(self.read(Node(above, arg)), divisor)
        if word in QUOTIENTS:
            return self._rational_quotient(word, arg) or self.atom(word, arg)
        value = self._rational_sine(arg, fmpq(0) if word == "sin" else fmpq(1, 2))
        if value is not None:
            return self.ring.constant(value)
        if self.has("angles", "inverse"):
            return angles.read(self, word, arg)
        if word == "sin":
            return self.atom("sin", arg)

        def squared() -> tuple[int, Quotient]:
            sine = self.atom("sin", arg)
            return 2, self.ring.add(self.ring.constant(1), self.ring.neg(self.ring.mul(sine, sine)))

        return self.ring.power_of(self.generator("cos", (arg,), Node("cos", arg), squared), 1)

    def _rational_sine(self, arg: Node, shift: Any) -> Any:
        """The sine of an angle, moved by a multiple of pi, if it is a multiple of pi with a rational sine."""
        terms = self.region.base.linear_terms(with_quotients(arg))
        if len(terms) > 1 or any(piece != PI for _, piece in terms):
            return None
        turn = sum((coefficient for coefficient, _ in terms), shift)
        return SINES.get(turn - 2 * fmpq((turn / 2).floor()))

    def _rational_quotient(self, word: str, arg: Node) -> Quotient | None:
        """tan, cot, sec or csc of a multiple of pi with rational sine and cosine, where it is defined."""
        values = {"sin": self._rational_sine(arg, fmpq(0)), "cos": self._rational_sine(arg, fmpq(1, 2)), None: fmpq(1)}
        above, below = (values[name] for name in QUOTIENTS[word])
        return None if above is None or not below else self.ring.constant(fmpq(above) / below)

    def _power(self, base: Node, exponent: Node) -> Quotient:
        value = self.constant(exponent)
        if value is None:
            if base == E:
                return exponentials.exponential(self, exponent)
            return exponentials.general_power(self, base, exponent)
        if value.q == 1:
            if abs(value.p) > HIGHEST_POWER:
                return self.atom("Pow", base, number(value))
            return self.ring.power(self.read(base), int(value.p))
        return exponentials.rational_power(self, base, value)

    # What the other rules ask of plain algebra

    def factors(self, node: Node) -> tuple[Any, list[tuple[Node, int]]]:
        """A rational number and factors with exponents, whose product is an expression wherever it is defined."""
        num, den = self.read(node)
        constant, above = self.ring.factors(num)
        below_constant, below = self.ring.factors(den)
        sign_above, above_found = self._with_cosines(above)
        sign_below, below_found = self._with_cosines(below)
        found = above_found + [(factor, -k) for factor, k in below_found]
        return sign_above * sign_below * constant / below_constant, found

    def _with_cosines(self, factors: list[tuple[Any, int]]) -> tuple[int, list[tuple[Node, int]]]:
        """A sign and factors, with (s - 1)*(s + 1) = -c^2 and 1 + s^2 = c^2 for sines and cosines put together."""
        left = {str(p): (p, k) for p, k in factors}
        sign, found = 1, []
        for (arg,), index in self.group("cos"):
            sine = self.ring.power_of(self.generator("sin", (arg,), Node("sin", arg)), 1).num
            lower, upper = str(sine - 1), str(sine + 1)
            if lower in left and upper in left:
                times = min(left[lower][1], left[upper][1])
                sign *= (-1) ** times
                found.append((self.nodes[index], 2 * times))
                for key in (lower, upper):
                    left[key] = left[key][0], left[key][1] - times
        for (arg,), index in self.group("cosh"):
            sine = self.ring.power_of(self.generator("sinh", (arg,), Node("sinh", arg)), 1).num
            if str(sine * sine + 1) in left:
                found.append((self.nodes[index], 2 * left.pop(str(sine * sine + 1))[1]))
        found += [(self.expression_of(p), k) for p, k in left.values() if k]
        merged: dict[Node, int] = {}
        for node, times in found:
            merged[node] = merged.get(node, 0) + times
        return sign, list(merged.items())

    def pieces(self, node: Node) -> list[tuple[Any, Node]]:
        """An angle or exponent as a sum of rational multiples of pieces, the same piece for all multiples of it.

        Values at a sample point propose that a piece is a multiple of one that is known; that is then checked.
        """
        if self.has("angles", "definition", "inverse"):
            node = with_expanded_angles(self.region.base, with_quotients(node))
        found: list[tuple[Any, Node]] = []
        for coefficient, piece in self.region.base.linear_terms(node):
            for known in self._pieces:
                ratio = fmpq(1) if piece == known else self._ratio(piece, known)
                if ratio is not None:
                    found.append((coefficient * ratio, known))
                    break
            else:
                self._pieces.append(piece)
                found.append((coefficient, piece))
        merged: dict[Node, Any] = {}
        for coefficient, piece in found:
            merged[piece] = merged.get(piece, fmpq(0)) + coefficient
        return [(coefficient, piece) for piece, coefficient in merged.items() if coefficient != 0]

    def _ratio(self, piece: Node, known: Node) -> Any:
        if piece in (ONE, PI) or known in (ONE, PI):
            return None
        ratio = self.region.ratio(piece, known)
        if ratio is None or not self.equal(piece, mul(number(ratio), known)):
            return None
        return ratio

    def linear_terms(self, node: Node) -> list[tuple[Any, Node]]:
        """Rational numbers and expressions whose sum of products is an expression wherever it is defined."""
        num, den = self.read(node)
        if len(den) == 1:
            return [self._term(exponents, coefficient, den) for exponents, coefficient in num.terms()]
        # N/D = Q + R/D
        whole, rest = divmod(num, den)
        found = [self._term(exponents, coefficient, self.ring.one) for exponents, coefficient in whole.terms()]
        return found + [self._term(exponents, coefficient, den) for exponents, coefficient in rest.terms()]

    def _term(self, exponents: tuple[int, ...], coefficient: Any, den: Any) -> tuple[Any, Node]:
        """A term over a denominator, as a rational number and an expression."""
        above, below = self.ring.polynomial({exponents: fmpq(1)}), den
        if not den.is_one():
            common = above.gcd(den)
            above, below = above / common, den / common
        lead = above.leading_coefficient() / below.leading_coefficient()
        piece = self.expression_of(above / above.leading_coefficient())
        if not below.is_constant():
            piece = mul(piece, inverse(self.expression_of(below / below.leading_coefficient())))
        return coefficient * lead, piece
