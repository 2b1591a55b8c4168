"""Templates: every form makes identities, the oracle confirms them, and they are long, many and readable."""

import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from dgl_mathtree.data.discovery import (
    angle_identities,
    constant_identities,
    fraction_identities,
    inverse_identities,
    many_variable_forms,
    number_identities,
    suppositions,
    surds,
)
from dgl_mathtree.data.discovery.many_variables import Known, Ring, TooLargeError, divided
from dgl_mathtree.data.discovery.templates import GROUPS, LARGEST_SIDE, template
from dgl_mathtree.language import Equation, infix, parse_equation
from dgl_mathtree.language.build import Pair, equation_words, read, size, tidy
from dgl_mathtree.oracle import Oracle

OF_RNG = {
    name: form
    for forms in (
        constant_identities.FORMS,
        surds.FORMS,
        inverse_identities.FORMS,
        fraction_identities.FORMS,
        number_identities.FORMS,
    )
    for name, (_, form) in forms.items()
}


def _verdicts(pairs: list[Pair]) -> list[str]:
    oracle = Oracle(5, complex_plane=False)
    return [judged.verdict for judged in oracle.judge(Equation._trusted(equation_words(*pair)) for pair in pairs)]


def _made(form: Callable[[random.Random], Pair | None], count: int = 60) -> list[Pair]:
    rng = random.Random(form.__name__)
    return [pair for _ in range(count) if (pair := form(rng)) is not None]


@pytest.mark.parametrize("name", list(OF_RNG))
def test_what_a_form_makes_is_true(name: str) -> None:
    pairs = _made(OF_RNG[name])
    assert len(pairs) > 15 and len(set(map(str, pairs))) > 8
    assert set(_verdicts(pairs)) <= {"true", "undefined", "branch"}
    assert _verdicts(pairs).count("true") > 0.7 * len(pairs)


@pytest.mark.parametrize("name", list(angle_identities.FORMS))
def test_identities_of_angles_are_true(name: str) -> None:
    rng = random.Random(3)
    form = angle_identities.FORMS[name][1]
    pairs = [form(angle_identities.Angles(rng, rng.choice(("x", read("x/2"))), k % 2 == 0)) for k in range(60)]
    assert set(_verdicts(pairs)) == {"true"}


@pytest.mark.parametrize("name", list(many_variable_forms.FORMS))
def test_identities_in_several_letters_are_true(name: str) -> None:
    rng = random.Random(4)
    _, counts, form = many_variable_forms.FORMS[name]
    pairs: list[Pair] = []
    for _ in range(60):
        ring = Ring(tuple("xyzw"[: rng.choice(counts)]), rng)
        try:
            made = form(ring)
        except TooLargeError:
            continue
        if made is not None:
            pairs.append(made)
    assert len(pairs) > 20
    assert set(_verdicts(pairs)) == {"true"}


def test_templates_are_of_all_groups_long_and_readable() -> None:
    rng = random.Random(5)
    made = [found for _ in range(600) if (found := template(rng)) is not None]
    assert len(GROUPS) == 8 and len({name for name, _ in made}) > 45
    sides = [max(size(a), size(b)) for _, (a, b) in made]
    assert max(sides) <= LARGEST_SIDE
    assert 0.35 < sum(side >= 17 for side in sides) / len(sides) < 0.75
    for _, (a, b) in made:
        equation = Equation._trusted(equation_words(tidy(a, rng), tidy(b, rng)))
        assert parse_equation(infix(equation)) == equation


def test_suppositions_are_right_wrong_and_of_one_branch() -> None:
    rng = random.Random(6)
    verdicts = _verdicts([suppositions.supposed(rng)[1] for _ in range(300)])
    assert min(verdicts.count(verdict) for verdict in ("true", "false", "branch")) > 30


@pytest.mark.parametrize(
    ("text", "value"), [("(x + y)^3", {(3, 0): 1, (2, 1): 3, (1, 2): 3, (0, 3): 1}), ("x*y - x*y", {})]
)
def test_polynomials_are_kept_beside_their_terms(text: str, value: dict[tuple[int, ...], int]) -> None:
    ring = Ring(("x", "y"), random.Random(0))
    x, y = ring.letter(0), ring.letter(1)
    known = (x + y) ** 3 if value else x * y - x * y
    assert known == Known(read(text), value)


def test_polynomials_are_factored_and_divided() -> None:
    ring = Ring(("x", "y"), random.Random(0))
    x, y = ring.letter(0), ring.letter(1)
    whole = (x - y) * (x - y) * (x + y) * ring.number(3)
    found = ring.factored(whole.value)
    assert found is not None and _verdicts([(found.term, whole.term)]) == ["true"]
    assert size(found.term) < 16
    assert divided(whole.value, (x - ring.number(1)).value) is None


def test_a_root_is_taken_out() -> None:
    assert surds.root_of(Fraction(50)) == surds.Surd(Fraction(5), 2)
    assert surds.root_of(Fraction(1, 12)).term() == read("sqrt(3)/6")
