from __future__ import annotations

import pytest

from dgl_mathtree.data.axioms import (
    ELEMENTARY,
    ORIGINAL,
    UNSOUND,
    WRONG,
    axiom_set_names,
    axioms_of,
    every_axiom,
    read_axioms,
)
from dgl_mathtree.data.canonical import canonical_key
from dgl_mathtree.oracle import Oracle


def verdicts(file: str, seed: int) -> dict[str, str]:
    axioms = axioms_of(file)
    judged = Oracle(seed, complex_plane=False).judge(axiom.equation for axiom in axioms.values())
    return {name: judgement.verdict for name, judgement in zip(axioms, judged, strict=True)}


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", [*axiom_set_names(), WRONG])
def test_every_axiom_is_what_its_set_says(name: str, seed: int) -> None:
    expected = {UNSOUND: "branch", WRONG: "false"}.get(name, "true")
    if name == ORIGINAL:
        roots = {axiom for axiom in axioms_of(name) if axiom.startswith("first-root/")}
        found = verdicts(name, seed)
        assert {axiom for axiom in found if found[axiom] == "branch"} == roots
        assert {axiom for axiom in found if found[axiom] == "false"} == {"first-double-angle/cos-from-tan"}
        assert len(found) == 126
        return
    assert {axiom: verdict for axiom, verdict in verdicts(name, seed).items() if verdict != expected} == {}


def test_the_sets() -> None:
    sizes = {name: len(axioms_of(name)) for name in axiom_set_names()}
    large = ("algebra", "elementary", "exponentials", "hyperbolic", "inverse", "logarithms")
    assert {*large, UNSOUND} <= set(sizes)
    assert all(sizes[name] >= 50 for name in large) and all(sizes.values())


def test_no_axiom_comes_twice() -> None:
    """Twins are of use within a set (x + 0 = x and 0 + x = x rewrite other subtrees), but not between two."""
    first: dict[int, str] = {}
    for name in axiom_set_names():
        for axiom in axioms_of(name).values() if name != ORIGINAL else ():
            assert first.setdefault(canonical_key(axiom.equation.words), name) == name, axiom


def test_names_of_axioms_are_used_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [a.name for a in every_axiom().values()] == list(every_axiom())
    with pytest.raises(ValueError, match="two axioms are called powers/one"):
        read_axioms("[powers]\none: x^1 = x\none: x = x^1\n", "mine")
    with pytest.raises(ValueError, match="mine: not an axiom: x = x"):
        read_axioms("x = x\n", "mine")
    monkeypatch.setitem(axioms_of(UNSOUND), "parity/cos", axioms_of(UNSOUND)["one-branch/half-cos"])
    every_axiom.cache_clear()
    try:
        with pytest.raises(ValueError, match="axioms of two sets are called parity/cos: one of them is in unsound"):
            every_axiom()
    finally:
        monkeypatch.undo()
        every_axiom.cache_clear()


def test_there_are_about_140_axioms_in_named_groups() -> None:
    axioms = axioms_of(ELEMENTARY)
    assert 130 <= len(axioms) <= 160
    assert {axiom.group for axiom in axioms.values()} == set(
        "neutral commutativity associativity distributivity powers arithmetic values reciprocal pythagorean parity "
        "cofunction shift sum difference double-angle triple-angle power-reduction".split()
    )
    assert len(every_axiom()) == len(axioms_of(WRONG)) + sum(len(axioms_of(name)) for name in axiom_set_names())
