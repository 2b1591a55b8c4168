from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dgl_mathtree.data import DataError, generate_logic, logic_data, read_logic, relation_of
from dgl_mathtree.data.logic import LETTERS, RELATIONS, as_leaves, count_operators, parse_formula, truth_table

PUBLISHED = Path(__file__).parents[3] / "shared" / "logic" / "propositional-logic.tar.xz"
NEEDS_FILES = pytest.mark.skipif(not PUBLISHED.is_file(), reason="the published files are not here")


def value(formula: Any, truth: dict[str, bool]) -> bool:
    if isinstance(formula, str):
        return truth[formula]
    arguments = [value(argument, truth) for argument in formula[1:]]
    return {"and": all(arguments), "or": any(arguments), "not": not arguments[0]}[formula[0]]


def relation_by_hand(first: Any, second: Any) -> str | None:
    rows = [dict(zip(LETTERS, row, strict=True)) for row in itertools.product([False, True], repeat=len(LETTERS))]
    seen = {(value(first, row), value(second, row)) for row in rows}
    firsts, seconds = ({pair[k] for pair in seen} for k in (0, 1))
    if len(firsts) < 2 or len(seconds) < 2:
        return None
    both, neither, left, right = (
        (a, b) in seen for a, b in ((True, True), (False, False), (True, False), (False, True))
    )
    names = {
        (True, True, False, False): "=",
        (True, True, False, True): "<",
        (True, True, True, False): ">",
        (False, False, True, True): "^",
        (False, True, True, True): "|",
        (True, False, True, True): "v",
        (True, True, True, True): "#",
    }
    return names[both, neither, left, right]


def test_relations_are_those_of_truth_tables() -> None:
    pairs = generate_logic(dict.fromkeys(range(9), 60))
    assert set(Counter(pair.relation for pair in pairs)) == set(RELATIONS)
    for pair in pairs:
        assert pair.relation == relation_by_hand(pair.first, pair.second)
    assert relation_of("a", ("or", "b", ("not", "b"))) is None


def test_generated_pairs_are_as_described() -> None:
    sizes = {0: 20, 4: 50, 12: 50}
    pairs = generate_logic(sizes, seed=3)
    assert pairs == generate_logic(sizes, seed=3) != generate_logic(sizes, seed=4)
    assert Counter(pair.operators for pair in pairs) == sizes
    assert len({(pair.first, pair.second) for pair in pairs}) == len(pairs)
    for pair in pairs:
        assert len(_letters(pair.first) | _letters(pair.second)) <= 4
        assert max(count_operators(pair.first), count_operators(pair.second)) == pair.operators
    others = generate_logic(sizes, seed=3, without=pairs)
    assert not {(pair.first, pair.second) for pair in pairs} & {(pair.first, pair.second) for pair in others}
    assert len(generate_logic({0: 100})) == 36
    with pytest.raises(DataError, match="0 to 12 operators, not 13"):
        generate_logic({13: 1})


def _letters(formula: Any) -> set[str]:
    return {formula} if isinstance(formula, str) else set().union(*map(_letters, formula[1:]))


def test_data_with_operators_as_types_and_as_leaves() -> None:
    pairs = generate_logic({2: 10, 5: 10})
    typed, leaves = logic_data(pairs), logic_data(pairs, "leaves")
    assert typed.labels.tolist() == leaves.labels.tolist() == [RELATIONS.index(pair.relation) for pair in pairs]
    assert typed.groups is not None and typed.groups.tolist() == [2] * 10 + [5] * 10
    assert typed.trees.node_types.max() == 2 and leaves.trees.node_types.max() == 0
    assert leaves.trees.children.shape[1] == 2 and leaves.trees.word.max() == 8
    with pytest.raises(DataError, match="types or leaves"):
        logic_data(pairs, "words")


def test_published_spelling() -> None:
    assert parse_formula("d") == "d"
    formula = parse_formula("( ( not ( e ( or f ) ) ) ( and ( not c ) ) )")
    assert formula == ("and", ("not", ("or", "e", "f")), ("not", "c"))
    assert as_leaves(formula) == (("not", ("e", ("or", "f"))), ("and", ("not", "c")))
    assert truth_table(formula) == truth_table(("not", ("or", ("or", "e", "f"), "c")))


@pytest.mark.parametrize(
    "text",
    ["", "and", "a b", "( a", "a )", "( a b )", "( and a )", "( not )", "( a ( not b ) )", "g", "( not ( and a ) )"],
)
def test_what_is_not_a_formula(text: str) -> None:
    with pytest.raises(DataError):
        parse_formula(text)


def test_formulas_nest_only_so_deep() -> None:
    assert count_operators(parse_formula("( not " * 150 + "a" + " )" * 150)) == 150
    with pytest.raises(DataError, match="more than 200 parentheses within each other"):
        parse_formula("( not " * 5000 + "a" + " )" * 5000)


def test_files_are_read_with_suspicion(tmp_path: Path) -> None:
    (tmp_path / "train0").write_text("#\ta\tb\n=\ta\ta\n")
    assert [pair.relation for pair in read_logic(tmp_path, "train", [0])] == ["#", "="]
    (tmp_path / "train1").write_text("#\ta\tb\nx\ta\ta\n")
    with pytest.raises(DataError, match="train1, line 2 is not a relation"):
        read_logic(tmp_path, "train", [1])
    (tmp_path / "train1").write_text("#\ta\t( b\n")
    with pytest.raises(DataError, match=r"train1, line 1: .* is not a formula"):
        read_logic(tmp_path, "train", [1])
    with pytest.raises(DataError, match="cannot read"):
        read_logic(tmp_path, "test", [1])
    with pytest.raises(DataError, match="cannot read"):
        read_logic(tmp_path / "nowhere", "test", [1])
    with pytest.raises(DataError, match="cannot read"):
        read_logic(tmp_path / "train0", "test", [1])


@NEEDS_FILES
def test_published_pairs_have_the_relations_that_we_find() -> None:
    pairs = read_logic(PUBLISHED, "test")
    assert len(pairs) == 37_367
    assert all(pair.relation == relation_of(pair.first, pair.second) for pair in pairs)
    assert all(len(_letters(pair.first) | _letters(pair.second)) <= 4 for pair in pairs)
    assert [pair.operators for pair in read_logic(PUBLISHED, "test", [7])] == [7] * 4_707
