"""The stream of discovered equations: determined by the seed, labelled right, its parts apart, its provenance kept."""

from collections import Counter

import pytest

from dgl_mathtree.corpus.canonical import canonical_key, fold_key
from dgl_mathtree.corpus.derivation import from_json, replay, to_json
from dgl_mathtree.corpus.discovery.assembly import Labelled
from dgl_mathtree.corpus.discovery.classes import parts_of
from dgl_mathtree.corpus.discovery.exclusion import Exclusion
from dgl_mathtree.corpus.discovery.mistakes import MISTAKES
from dgl_mathtree.corpus.discovery.pairing import share_part
from dgl_mathtree.corpus.discovery.stream import discover
from dgl_mathtree.corpus.discovery.terms import nested
from dgl_mathtree.corpus.files import read_rows
from dgl_mathtree.corpus.recipe_checks import RecipeError
from dgl_mathtree.corpus.splits import PARTS
from dgl_mathtree.expressions import Equation, Oracle, infix, parse_equation
from dgl_mathtree.expressions.vocabulary import OPERATORS

FAMILIES = ("trig-basic", "logarithms", "inverse-circular")
WANTED = 900


def _stream(seed: int = 0, apart: Exclusion | None = None) -> list[tuple[Labelled, str]]:
    return list(discover(WANTED, seed, 1, set(), apart or Exclusion(), FAMILIES))


@pytest.fixture(scope="module")
def made() -> list[tuple[Labelled, str]]:
    return _stream()


def test_a_seed_determines_the_stream(made: list[tuple[Labelled, str]]) -> None:
    assert len(made) == WANTED
    assert _stream() == made


def test_labels_hold_at_fresh_points(made: list[tuple[Labelled, str]]) -> None:
    judged = Oracle(77, complex_plane=False).judge(Equation._trusted(labelled.draft.words) for labelled, _ in made)
    agree = [j.verdict == str(labelled.label).lower() for (labelled, _), j in zip(made, judged, strict=True)]
    assert sum(agree) >= 0.998 * len(agree)


def test_equations_are_balanced_small_and_read_back(made: list[tuple[Labelled, str]]) -> None:
    assert 0.4 < sum(labelled.label for labelled, _ in made) / len(made) < 0.6
    for labelled, _ in made:
        equation = Equation._trusted(labelled.draft.words)
        assert equation.depth <= 7
        assert parse_equation(infix(equation)) == equation


def test_pairs_are_not_trivial(made: list[tuple[Labelled, str]]) -> None:
    found = [
        Equation._trusted(labelled.draft.words)
        for labelled, _ in made
        if labelled.label and labelled.draft.derivation[0].source.startswith("class.")
    ]
    shared = sum(share_part(nested(e.left.words), nested(e.right.words)) for e in found)
    assert shared < 0.3 * len(found)


def test_kinds_sources_and_operators_are_many(made: list[tuple[Labelled, str]]) -> None:
    kinds = Counter(labelled.draft.kind for labelled, _ in made if not labelled.label)
    assert set(kinds) <= {*MISTAKES, "mismatch", "unlike"} and len(kinds) > 12
    sources = {labelled.draft.derivation[0].source.partition(".")[0] for labelled, _ in made}
    assert sources == {"class", "law", "template", "small"}
    assert len({word for labelled, _ in made for word in labelled.draft.words} & set(OPERATORS)) > 24


def test_parts_are_apart_by_class(made: list[tuple[Labelled, str]]) -> None:
    counts = Counter(part for _, part in made)
    assert set(counts) == set(PARTS) and counts["train"] > 0.85 * len(made)
    train = [labelled.draft.words for labelled, part in made if part == "train"]
    assert set(parts_of(train)) == {0}


def test_derivations_end_at_the_equation(made: list[tuple[Labelled, str]]) -> None:
    for labelled, _ in made:
        steps = from_json(to_json(labelled.draft.derivation))
        assert list(replay(steps))[-1].words == labelled.draft.words


def test_no_training_equation_is_a_twin_of_what_is_kept_apart(made: list[tuple[Labelled, str]]) -> None:
    apart = Exclusion.of(["textbook"])
    assert len(apart.keys) > 700
    words = parse_equation("b + a = a + b").words
    apart.keys.add(canonical_key(words))
    apart.folds.add(fold_key(words))
    again = _stream(0, apart)
    assert not any(apart.has(labelled.key, labelled.fold) for labelled, part in again if part == "train")


def test_what_other_data_sets_aside_is_excluded() -> None:
    aside = Exclusion.of_data(["paper"])
    row = next(read_rows("paper", "test"))
    assert canonical_key(row.parsed().words) in aside.keys
    assert fold_key(parse_equation("x + 0 = x").words) not in aside.folds
    assert len(aside.keys) > 14_000


def test_an_unknown_collection_is_refused() -> None:
    with pytest.raises(RecipeError, match="there is no collection 'nowhere'"):
        Exclusion.of(["nowhere"])
