"""Batches cut in C are to the bit those that numpy makes, and what C does not answer to is left to numpy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.graphs import GraphError, batch_graph
from dgl_mathtree.graphs.batch import EquationBatch
from dgl_mathtree.language import Equation, Forest, parse_equation
from dgl_mathtree.language.vocabulary import OPERATOR_NAMES
from dgl_mathtree.nn.drivers.native import cutting, library
from dgl_mathtree.nn.drivers.native.cutting import cut_batch
from tests.examples import examples

from ....language.strategies import equations
from . import NEEDS_LIBRARY

SOME = [
    parse_equation(text) for text in ("sin(x) + sin(x) = 2*sin(x)", "x = x", "1 = 2", "x^2*y = y*x^2", "2 = sin(1)")
]
FOREST = Forest.of(SOME)
BATCH = "node_types word children sides node words operators side_nodes side_rows leaf_words leaf_words_on_host".split()
PLAN = "node row leaves children node_types segment_table rows_by_arity most edges has_gaps levels".split()


def assert_same(ours: EquationBatch, theirs: EquationBatch) -> None:
    pairs = [(name, ours, theirs) for name in BATCH] + [(name, ours.plan, theirs.plan) for name in PLAN]
    for name, one, other in pairs:
        mine, their = getattr(one, name), getattr(other, name)
        assert type(mine) is type(their), name
        if isinstance(mine, (np.ndarray, torch.Tensor)):
            assert mine.dtype == their.dtype and mine.shape == their.shape, name
            assert np.array_equal(mine, their), name
        else:
            assert mine == their, name
    ours.plan.__dict__.pop("_versions")
    ours.plan.check()  # looks at all of it, now that nobody vouches for it


@NEEDS_LIBRARY
@given(st.lists(equations, min_size=1, max_size=6), st.data())
@examples(60)
def test_a_batch_is_that_of_numpy(some: list[Equation], data: st.DataObject) -> None:
    forest = Forest.of(some)
    chosen = np.array(data.draw(st.lists(st.integers(0, len(some) - 1), min_size=1, max_size=8)))
    operators = tuple(data.draw(st.permutations(OPERATOR_NAMES)))
    ours = cutting._cut(forest, chosen, operators)
    assert ours is not None
    for name in ("rows_by_arity", "most", "edges", "has_gaps", "segment_table"):
        assert name in ours.plan.__dict__  # known before a pass asks for it
    assert_same(ours, batch_graph(forest, chosen, operators=operators))


OTHERS: dict[str, Any] = {
    "a list": [3, 0],
    "a range": range(2),
    "a mask": np.array([True, False, False, True, False]),
    "from the end": np.array([-1, 0]),
    "32 bits": np.array([1, 1, 4], dtype=np.int32),
    "a view with steps": np.arange(5)[::2],
}


@pytest.mark.parametrize("chosen", OTHERS.values(), ids=OTHERS)
def test_equations_may_be_given_in_any_way(chosen: Any) -> None:
    assert_same(cut_batch(FOREST, chosen, OPERATOR_NAMES), batch_graph(FOREST, chosen))


@pytest.mark.parametrize(("chosen", "error"), [([], GraphError), ([5], IndexError), ([-6], IndexError)])
def test_what_is_not_there_is_refused(chosen: list[int], error: type[Exception]) -> None:
    with pytest.raises(error):
        cut_batch(FOREST, np.array(chosen, dtype=np.int64), OPERATOR_NAMES)


FORESTS = {
    "other types": replace(FOREST, word=FOREST.word.astype(np.int64)),
    "not contiguous": replace(FOREST, height=np.repeat(FOREST.height, 2)[::2]),
    "not ordered by height": replace(FOREST, height=FOREST.height[::-1].copy()),
    "members out of range": replace(FOREST, members=FOREST.members + len(FOREST)),
    "children that are not members": replace(FOREST, members=np.repeat(FOREST.members[:1], len(FOREST.members))),
    "words out of range": replace(FOREST, word=FOREST.word + len(FOREST.words)),
    "offsets that go back": replace(FOREST, offsets=FOREST.offsets[::-1].copy()),
    "too short": replace(FOREST, height=FOREST.height[:-1]),
}


@NEEDS_LIBRARY
@pytest.mark.parametrize("forest", FORESTS.values(), ids=FORESTS)
def test_c_leaves_alone_what_no_forest_of_ours_has(forest: Forest) -> None:
    chosen = np.arange(len(FOREST.equations))
    assert cutting._cut(FOREST, chosen, OPERATOR_NAMES) is not None
    assert cutting._cut(forest, chosen, OPERATOR_NAMES) is None


def test_without_the_c_code_numpy_makes_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "FILE", tmp_path / "missing.so")
    monkeypatch.setattr(library, "load_library", library.load_library.__wrapped__)
    monkeypatch.setattr(library, "_file", library._file.__wrapped__)
    chosen = np.array([0, 3])
    assert_same(cut_batch(FOREST, chosen, OPERATOR_NAMES), batch_graph(FOREST, chosen))


@NEEDS_LIBRARY
def test_a_large_forest_is_left_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "LARGEST", len(FOREST) - 1)
    monkeypatch.setattr(cutting, "_cut", None)
    chosen = np.array([0, 3])
    assert_same(cut_batch(FOREST, chosen, OPERATOR_NAMES), batch_graph(FOREST, chosen))
