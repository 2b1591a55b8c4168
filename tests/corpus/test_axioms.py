from __future__ import annotations

import pytest

from dgl_mathtree.corpus.axioms import SOUND, UNSOUND, WRONG, axioms_of, every_axiom
from dgl_mathtree.expressions import Oracle


def verdicts(file: str, seed: int) -> dict[str, str]:
    axioms = axioms_of(file)
    judged = Oracle(seed, complex_plane=False).judge(axiom.equation for axiom in axioms.values())
    return {name: judgement.verdict for name, judgement in zip(axioms, judged, strict=True)}


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(("file", "verdict"), [(SOUND, "true"), (UNSOUND, "branch"), (WRONG, "false")])
def test_every_axiom_is_what_its_file_says(file: str, verdict: str, seed: int) -> None:
    assert set(verdicts(file, seed).values()) == {verdict}


def test_there_are_about_140_axioms_in_named_groups() -> None:
    axioms = axioms_of(SOUND)
    assert 130 <= len(axioms) <= 160
    assert {axiom.group for axiom in axioms.values()} == set(
        "neutral commutativity associativity distributivity powers arithmetic values reciprocal pythagorean parity "
        "cofunction shift sum difference double-angle triple-angle power-reduction".split()
    )
    assert len(every_axiom()) == len(axioms) + len(axioms_of(UNSOUND)) + len(axioms_of(WRONG))
