"""The stream of discovered equations: determined by the seed, labelled right, its parts apart, its provenance kept."""

from collections import Counter

import pytest

from dgl_mathtree.data.candidate import Candidate
from dgl_mathtree.data.canonical import canonical_key, fold_key
from dgl_mathtree.data.data_files import read_rows
from dgl_mathtree.data.discovery.assemble import DEEPEST
from dgl_mathtree.data.discovery.discover import discover
from dgl_mathtree.data.discovery.holdout import Exclusion
from dgl_mathtree.data.discovery.pairing import share_part
from dgl_mathtree.data.discovery.side_classes import parts_of
from dgl_mathtree.data.discovery.templates import LARGEST_SIDE
from dgl_mathtree.data.edits import MISTAKES
from dgl_mathtree.data.finished_blocks import BlockRunner
from dgl_mathtree.data.provenance import from_json, replay, to_json
from dgl_mathtree.data.recipe_checks import RecipeError
from dgl_mathtree.data.splits import PARTS
from dgl_mathtree.language import Equation, infix, parse_equation
from dgl_mathtree.language.build import nested
from dgl_mathtree.language.vocabulary import OPERATORS
from dgl_mathtree.oracle import Oracle

FAMILIES = ("trig-basic", "logarithms", "inverse-circular")
WANTED = 900


def _stream(seed: int = 0, apart: Exclusion | None = None) -> list[Candidate]:
    return list(discover(WANTED, seed, BlockRunner.on_processes(1), set(), apart or Exclusion(), FAMILIES))


@pytest.fixture(scope="module")
def made() -> list[Candidate]:
    return _stream()


def test_a_seed_determines_the_stream(made: list[Candidate]) -> None:
    assert len(made) == WANTED
    assert _stream() == made


def test_labels_hold_at_fresh_points(made: list[Candidate]) -> None:
    judged = Oracle(77, complex_plane=False).judge(Equation._trusted(labelled.words) for labelled in made)
    agree = [j.verdict == labelled.verdict for labelled, j in zip(made, judged, strict=True)]
    assert sum(agree) >= 0.998 * len(agree)


def test_equations_are_balanced_small_and_read_back(made: list[Candidate]) -> None:
    assert 0.4 < sum(labelled.label for labelled in made) / len(made) < 0.6
    for labelled in made:
        equation = Equation._trusted(labelled.words)
        assert equation.depth <= DEEPEST
        assert max(len(equation.left.words), len(equation.right.words)) <= LARGEST_SIDE
        assert parse_equation(infix(equation)) == equation


def test_pairs_are_not_trivial(made: list[Candidate]) -> None:
    found = [
        Equation._trusted(labelled.words)
        for labelled in made
        if labelled.label and labelled.derivation[0].source.startswith("class.")
    ]
    shared = sum(share_part(nested(e.left.words), nested(e.right.words)) for e in found)
    assert shared < 0.3 * len(found)


def test_kinds_sources_and_operators_are_many(made: list[Candidate]) -> None:
    kinds = Counter(labelled.kind for labelled in made if not labelled.label)
    assert set(kinds) <= {*MISTAKES, "mismatch", "unlike"} and len(kinds) > 12
    sources = {labelled.derivation[0].source.partition(".")[0] for labelled in made}
    assert sources == {"class", "law", "template", "small", "supposed"}
    assert len({word for labelled in made for word in labelled.words} & set(OPERATORS)) > 24


def test_many_are_long_and_lengths_do_not_tell_the_label(made: list[Candidate]) -> None:
    sides = [max(len(e.left.words), len(e.right.words)) for e in (Equation._trusted(m.words) for m in made)]
    long = [labelled for labelled, side in zip(made, sides, strict=True) if side >= 17]
    assert 0.3 < len(long) / len(made) < 0.6
    assert 0.4 < sum(labelled.label for labelled in long) / len(long) < 0.6


def test_what_holds_on_one_branch_only_is_incorrect(made: list[Candidate]) -> None:
    assert {labelled.label for labelled in made if labelled.verdict == "branch"} == {False}


def test_parts_are_apart_by_class(made: list[Candidate]) -> None:
    counts = Counter(labelled.part for labelled in made)
    assert set(counts) == set(PARTS) and counts["train"] > 0.85 * len(made)
    train = [labelled.words for labelled in made if labelled.part == "train"]
    assert set(parts_of(train)) == {0}


def test_derivations_end_at_the_equation(made: list[Candidate]) -> None:
    for labelled in made:
        steps = from_json(to_json(labelled.derivation))
        assert list(replay(steps))[-1].words == labelled.words


def test_no_training_equation_is_a_twin_of_what_is_kept_apart(made: list[Candidate]) -> None:
    apart = Exclusion.of(["textbook"])
    assert len(apart.keys) > 700
    words = parse_equation("b + a = a + b").words
    apart.keys.add(canonical_key(words))
    apart.folds.add(fold_key(words))
    again = _stream(0, apart)
    assert not any(apart.has(labelled.key, labelled.fold) for labelled in again if labelled.part == "train")


def test_what_other_data_sets_aside_is_excluded() -> None:
    aside = Exclusion.of_data(["paper"])
    row = next(read_rows("paper", "test"))
    assert canonical_key(row.parsed().words) in aside.keys
    assert fold_key(parse_equation("x + 0 = x").words) not in aside.folds
    assert len(aside.keys) > 14_000


def test_an_unknown_collection_is_refused() -> None:
    with pytest.raises(RecipeError, match="unknown collection 'nowhere'"):
        Exclusion.of(["nowhere"])
