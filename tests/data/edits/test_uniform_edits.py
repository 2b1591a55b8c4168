"""The edits of the original project and how often each is drawn."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from dgl_mathtree.data.edits.uniform_edits import BINARY, UNARY, edit_uniformly, new_constant, new_variable
from dgl_mathtree.language import parse_equation
from dgl_mathtree.language.expr import depth_of, subtree_ends
from dgl_mathtree.language.vocabulary import ARITY

EQUATION = parse_equation("sin(x) + 2*y = cos(1)").words
DRAWS = 4000


def near(count: int, share: float, of: int = DRAWS) -> bool:
    """Within five standard deviations of a binomial share."""
    return abs(count - share * of) < 5 * (share * (1 - share) * of) ** 0.5


def test_nodes_and_kinds_are_uniform() -> None:
    rng = random.Random(3)
    edits = [edit_uniformly(rng, EQUATION) for _ in range(DRAWS)]
    places = Counter(edit.at for edit in edits)
    assert set(places) == set(range(1, len(EQUATION)))  # never the root
    assert all(near(count, 1 / (len(EQUATION) - 1)) for count in places.values())
    kinds = Counter(edit.kind for edit in edits)
    leaves = sum(word not in ARITY for word in EQUATION[1:]) / (len(EQUATION) - 1)
    assert near(kinds["grow"], 1 / 3)
    assert near(kinds["shrink"], (1 - leaves) / 3)  # a leaf that was to shrink is replaced
    assert near(kinds["replace"], (1 + leaves) / 3)


def test_every_edit_changes_one_node_as_its_kind_says() -> None:
    rng = random.Random(5)
    ends = subtree_ends(EQUATION)
    for _ in range(500):
        edit = edit_uniformly(rng, EQUATION)
        edited = edit.apply(EQUATION)
        old = EQUATION[edit.at : ends[edit.at]]
        new = edited[edit.at : len(edited) - (len(EQUATION) - ends[edit.at])]
        assert edited[: edit.at] == EQUATION[: edit.at]
        assert edited != EQUATION
        assert depth_of(edited) <= depth_of(EQUATION) + 1
        if edit.kind == "grow":
            assert new == (new[0], *old) if new[0] in UNARY else new[0] in BINARY and new[1 : 1 + len(old)] == old
        elif edit.kind == "shrink":
            assert len(new) < len(old) and new in {old[1:], old[1 : 1 + len(new)], old[-len(new) :]}
        else:
            assert len(new) == len(old) and new[1:] == old[1:]
            assert ARITY.get(new[0], 0) == ARITY.get(old[0], 0)


def test_constants_are_drawn_by_kind() -> None:
    rng = random.Random(7)
    counts = Counter(new_constant(rng) for _ in range(DRAWS))
    assert all(near(counts[word], 1 / 7) for word in ("-1", "pi", "1", "1/2", "2/5", "0.7"))
    assert all(near(counts[word], 1 / 35) for word in ("0", "2", "3", "4", "10"))
    assert "10" not in {new_constant(rng, unlike="3") for _ in range(300)}  # another kind, not another integer


@pytest.mark.parametrize(("text", "variable"), [("1 = 1", "x"), ("x = 1", "y"), ("y = 1", "z"), ("x + w = 0", "x_4")])
def test_the_new_variable_comes_after_the_largest(text: str, variable: str) -> None:
    assert new_variable(parse_equation(text).words) == variable
