"""Square roots of numbers as sums of cosines and sines of rational angles: the sums of Gauss."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from dgl_mathtree.proof.algebra import Undecided
from dgl_mathtree.proof.laws import law
from dgl_mathtree.proof.product_sums.angle import read_angle
from dgl_mathtree.proof.product_sums.equation_chain import EquationChain
from dgl_mathtree.proof.terms import Terms, _factors

ROOTS = {
    f"root-angles/{name}": prime
    for name, prime in zip(
        "two three five seven eleven thirteen seventeen nineteen twenty-three".split(),
        (2, 3, 5, 7, 11, 13, 17, 19, 23),
        strict=True,
    )
}
"""The laws, by the number under the root."""
OF_PRODUCT = "root-rules/of-product"


def as_cosines(terms: Terms, chains: Sequence[EquationChain]) -> None:
    """Lead chains to expressions without square roots of numbers, if all angles are rational multiples of pi."""
    nodes = list(terms.subnodes(*(chain.here for chain in chains)))
    angles = [read_angle(terms, terms.children[node][0]) for node in nodes if terms.word[node] in ("sin", "cos")]
    if not angles or any(angle.parts for angle in angles):
        return
    whole = lcm(*(angle.turn.denominator for angle in angles))
    for chain in chains:
        for node in list(terms.subnodes(chain.here)):
            number = _under_root(terms, node)
            if number is not None:
                _replace(terms, chain, node, number, whole)


def _under_root(terms: Terms, node: int) -> int | None:
    """The whole number whose square root a node is."""
    if terms.word[node] != "Pow" or terms.word[terms.children[node][1]] != "1/2":
        return None
    value = terms.rational[terms.children[node][0]]
    return int(value) if value is not None and value.denominator == 1 and value > 1 else None


def _replace(terms: Terms, chain: EquationChain, node: int, number: int, whole: int) -> None:
    names = {prime: name for name, prime in ROOTS.items()}
    primes = [prime for prime, times in _factors(number) if times % 2]
    if any(prime not in names or (prime > 5 and whole % prime) for prime in primes):
        raise Undecided("a root that is no sum of cosines of such angles")
    half = terms.node("1/2")
    square = terms.number(1)
    for prime, times in _factors(number):
        square = terms.number(int(terms.word[square]) * prime ** (times // 2))
    roots = [terms.node("Pow", terms.number(prime), half) for prime in primes]
    if len(primes) > 1 or terms.word[square] != "1":
        scale = [] if terms.word[square] == "1" else [square]
        chain.go(
            terms.replace(chain.here, node, terms.product([*scale, *roots])),
            OF_PRODUCT if len(roots) > 1 else "algebra",
        )
    for prime, root in zip(primes, roots, strict=True):
        name = names[prime]
        chain.go(terms.replace(chain.here, root, terms.read(law(name).right)), name)
