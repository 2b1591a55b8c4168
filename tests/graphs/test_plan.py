from __future__ import annotations

from dataclasses import replace

import dgl
import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.graphs import batch_graph, plan_of
from dgl_mathtree.graphs.planning import chain_plan
from dgl_mathtree.language import Equation, Forest
from tests.examples import examples
from tests.language.strategies import equations


@given(st.lists(equations, min_size=1, max_size=4), st.booleans())
@examples(60)
def test_a_plan_computes_every_node_once_after_its_children(some: list[Equation], share: bool) -> None:
    forest = Forest.of(some)
    batch = batch_graph(forest, range(len(some)), share)
    plan = batch.plan
    nodes = batch.num_nodes()
    assert sorted(plan.node.tolist()) == list(range(nodes))
    assert torch.equal(plan.row[plan.node], torch.arange(1, nodes + 1))
    done = plan.leaves + 1
    for level in plan.levels:
        assert level.start == done
        assert sum(segment.size for segment in level.segments) == level.stop - level.start
        assert level.child_slots == max(segment.arity for segment in level.segments)
        row = level.start
        for segment in level.segments:
            for at in range(row, row + segment.size):
                node = int(plan.node[at - 1])
                assert batch.node_types[node] == segment.node_type == plan.node_types[at - 1]
                below = [child for child in batch.children[node].tolist() if child >= 0]
                rows = plan.children[at - 1].tolist()
                assert rows[: segment.arity] == plan.row[below].tolist()
                assert not any(rows[segment.arity :])
                assert max(rows) < level.start
            row += segment.size
        done = level.stop
    assert done == nodes + 1


@given(st.lists(equations, min_size=1, max_size=4), st.booleans())
@examples(30)
def test_what_is_made_with_a_batch_is_what_its_properties_would_give(some: list[Equation], share: bool) -> None:
    batch = batch_graph(Forest.of(some), range(len(some)), share)
    bare = replace(batch, plan=replace(batch.plan))  # copies know nothing but their fields
    for name in ("rows_by_arity", "most", "edges", "has_gaps"):
        assert name in batch.plan.__dict__ and name not in bare.plan.__dict__
        assert getattr(batch.plan, name) == getattr(bare.plan, name)
    assert np.array_equal(batch.plan.segment_table, bare.plan.segment_table)
    for name in ("side_nodes", "side_rows", "leaf_words_on_host", "leaf_words"):
        assert name in batch.__dict__ and name not in bare.__dict__
        assert np.array_equal(getattr(batch, name), getattr(bare, name))


@given(st.lists(equations, min_size=1, max_size=3))
@examples(30)
def test_a_graph_is_planned_as_the_batch_it_came_from(some: list[Equation]) -> None:
    batch = batch_graph(Forest.of(some), range(len(some)))
    plan = plan_of(batch.graph)
    assert plan.needed == batch.plan.needed
    assert plan.leaves == batch.plan.leaves
    assert [level.segments for level in plan.levels] == [level.segments for level in batch.plan.levels]


def test_long_chains_are_planned() -> None:
    count = 20_000
    chain = dgl.graph((torch.arange(1, count), torch.arange(count - 1)))
    chain.ndata["op"] = torch.zeros(count, dtype=torch.long)
    chain.edata["pos"] = torch.zeros(count - 1, dtype=torch.long)
    plan = plan_of(chain)
    assert len(plan.levels) == count - 1
    assert plan.node.tolist() == np.arange(count)[::-1].tolist()


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1), st.booleans()), max_size=4),
    st.integers(1, 3),
)
@examples(40)
def test_chains_are_planned_as_the_graph_that_they_are(steps: list[tuple[int, int, bool]], count: int) -> None:
    steps = [(node_type, place if sibling else 0, sibling) for node_type, place, sibling in steps]
    plan = chain_plan(steps, count)
    again = plan_of(plan.graph)
    assert plan.leaves == again.leaves == count + sum(sibling for _, _, sibling in steps)
    assert [level.segments for level in plan.levels] == [level.segments for level in again.levels]
    for at in range(count):  # down from each top
        below = int(plan.row[len(plan.row) - count + at] if steps else plan.row[at])
        for node_type, place, sibling in reversed(steps):
            assert int(plan.node_types[below - 1]) == node_type
            children = plan.children[below - 1]
            assert (int(children[1 - place]) > count) == sibling
            below = int(children[place])
        assert below == at + 1
