"""What must not enter a driver: all drivers refuse it with one error, or take it and agree."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import dgl
import numpy as np
import pytest
import torch

from dgl_mathtree.errors import InputError
from dgl_mathtree.graphs import GraphError, LevelPlan, batch_graph, plan_of
from dgl_mathtree.graphs.plan import Level, Segment
from dgl_mathtree.graphs.planning import chain_plan, level_plan
from dgl_mathtree.language import Forest, parse_equation
from dgl_mathtree.nn import TreeCell, TreeLSTM
from dgl_mathtree.nn.drivers import DRIVERS, dots, run

SIZE, NODES, LEAVES = 8, 4, 2
META = torch.device("meta")


def tree(nodes: int = NODES) -> Any:
    """Leaves 2 and 3 under node 1, and that alone under node 0; further nodes are leaves."""
    graph = dgl.graph(([1, 2, 3], [0, 1, 1]), num_nodes=nodes)
    graph.ndata["op"] = torch.tensor([0, 1, 0, 0] + [0] * (nodes - NODES))
    graph.edata["pos"] = torch.tensor([0, 0, 1])
    return graph


def cell() -> TreeLSTM:
    torch.manual_seed(0)
    return TreeLSTM(SIZE, types=2)


def inputs(**given: Any) -> dict[str, Any]:
    """What `run` takes, with something else in the place of some of it."""
    torch.manual_seed(1)
    plan = plan_of(tree())
    return {"plan": plan, "leaves": torch.randn(LEAVES, 2 * SIZE), "rows": plan.row} | given


def outcomes(call: Callable[[TreeCell], Any]) -> list[Any]:
    """The result of a call on every driver, or its error."""
    found = []
    for name in DRIVERS:
        used = cell()
        used.driver = name
        try:
            found.append(call(used))
        except InputError as error:
            found.append((type(error).__name__, str(error)))
    return found


def assert_refused(call: Callable[[TreeCell], Any], message: str) -> None:
    first, *others = outcomes(call)
    assert isinstance(first, tuple), "the first driver takes it"
    assert message in first[1] and "\n" not in first[1]
    assert all(other == first for other in others)


def assert_agreed(call: Callable[[TreeCell], torch.Tensor]) -> torch.Tensor:
    first, *others = outcomes(call)
    for other in others:
        assert isinstance(other, torch.Tensor), other
        torch.testing.assert_close(other, first)
    return first  # type: ignore[no-any-return]


MASK = torch.arange(NODES * SIZE).reshape(NODES, SIZE) / 20
MASKS: dict[str, Any] = {
    "whole": MASK,
    "one for a node": MASK[:, :1],
    "bool": MASK > 0.7,
    "float64": MASK.double(),
    "float16": MASK.half(),
    "int64": (MASK * 3).long(),
    "uint8": (MASK * 3).byte(),
    "expanded": torch.tensor(0.5).expand(NODES, SIZE),
    "expanded bool": torch.tensor([[True], [False], [True], [True]]).expand(NODES, SIZE),
    "strided": MASK.repeat(1, 2)[:, ::2],
    "transposed": MASK.t().contiguous().t(),
    "negative view": torch.complex(MASK, MASK).conj().imag,
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("train", [False, True])
def test_masks_with_one_meaning_have_it_on_every_driver(mask: torch.Tensor, train: bool) -> None:
    feat = torch.randn(NODES, SIZE, generator=torch.Generator().manual_seed(2))
    plain = mask.expand(NODES, SIZE).to(torch.float32).clone()
    with torch.set_grad_enabled(train):
        found = assert_agreed(lambda c: c.states(tree(), feat, dropout_mask=mask))
        torch.testing.assert_close(found, assert_agreed(lambda c: c.states(tree(), feat, dropout_mask=plain)))


BAD_MASKS: dict[str, tuple[Any, str]] = {
    "too few rows": (torch.ones(NODES - 1, SIZE), "must have the shape (4, 8) or (4, 1), not (3, 8)"),
    "too many rows": (torch.ones(NODES + 1, SIZE), "not (5, 8)"),
    "one row": (torch.ones(1, SIZE), "not (1, 8)"),
    "too narrow": (torch.ones(NODES, SIZE - 1), "not (4, 7)"),
    "too wide": (torch.ones(NODES, SIZE + 1), "not (4, 9)"),
    "of a state": (torch.ones(NODES, 2 * SIZE), "not (4, 16)"),
    "one dimension": (torch.ones(SIZE), "not (8,)"),
    "no dimension": (torch.ones(()), "not ()"),
    "three dimensions": (torch.ones(1, NODES, SIZE), "not (1, 4, 8)"),
    "nothing": (torch.ones(0, SIZE), "not (0, 8)"),
    "complex": (torch.ones(NODES, SIZE, dtype=torch.complex64), "a real type"),
    "numpy": (np.ones((NODES, SIZE), dtype=np.float32), "dropout_mask must be a torch.Tensor, not ndarray"),
    "a list": ([[1.0] * SIZE] * NODES, "not list"),
    "a number": (1.0, "not float"),
    "sparse": (torch.ones(NODES, SIZE).to_sparse(), "dense"),
    "meta": (torch.ones(NODES, SIZE, device=META), "on meta"),
    "a gradient": (torch.ones(NODES, SIZE).requires_grad_(), "must not require a gradient"),
}


@pytest.mark.parametrize(("mask", "message"), BAD_MASKS.values(), ids=BAD_MASKS)
def test_masks_that_are_refused(mask: Any, message: str) -> None:
    assert_refused(lambda c: c.states(tree(), torch.randn(NODES, SIZE), dropout_mask=mask), message)
    assert_refused(lambda c: run(c, dropout_mask=mask, **inputs()), message)


ROWS: dict[str, tuple[Any, str]] = {
    "int32": (torch.tensor([1], dtype=torch.int32), "rows must be of torch.int64"),
    "uint8": (torch.tensor([1], dtype=torch.uint8), "torch.uint8"),
    "bool": (torch.tensor([True]), "torch.bool"),
    "float": (torch.tensor([1.0]), "torch.float32"),
    "no dimension": (torch.tensor(1), "with 0"),
    "two dimensions": (torch.tensor([[1]]), "with 2"),
    "negative": (torch.tensor([1, -1]), "between 0 and 4: 0 is the empty state"),
    "far below": (torch.tensor([-(2**63)]), "between 0"),
    "beyond": (torch.tensor([5]), "between 0"),
    "far beyond": (torch.tensor([2**62]), "between 0"),
    "strided and beyond": (torch.tensor([1, 5, 9, 5])[::2], "between 0"),
    "numpy": (np.array([1]), "not ndarray"),
    "a list": ([1], "not list"),
    "none": (None, "not NoneType"),
    "meta": (torch.tensor([1], device=META), "on meta"),
}


@pytest.mark.parametrize(("rows", "message"), ROWS.values(), ids=ROWS)
def test_rows_that_are_refused(rows: Any, message: str) -> None:
    assert_refused(lambda c: run(c, **inputs(rows=rows)), message)


GOOD_ROWS = {
    "none": [],
    "the empty state": [0],
    "repeated": [4, 4, 0, 1, 4],
}


@pytest.mark.parametrize("rows", GOOD_ROWS.values(), ids=GOOD_ROWS)
@pytest.mark.parametrize("strided", [False, True])
def test_rows_that_are_taken(rows: list[int], strided: bool) -> None:
    wanted = torch.tensor(rows, dtype=torch.int64)
    wanted = wanted.repeat_interleave(2)[::2] if strided else wanted
    leaves = inputs()["leaves"].requires_grad_()

    def call(used: TreeCell) -> torch.Tensor:
        found = run(used, **inputs(rows=wanted, leaves=leaves))
        slopes = torch.autograd.grad(found.sum(), [leaves, *used.parameters()])
        return torch.cat([found.reshape(-1), *(slope.reshape(-1) for slope in slopes)])

    found = assert_agreed(call)
    assert not found[: len(rows) * 2 * SIZE].reshape(-1, 2 * SIZE)[wanted == 0].any()


LEAF_STATES: dict[str, tuple[Any, str]] = {
    "too wide": (torch.ones(LEAVES, 2 * SIZE + 1), "must have the shape (2, 16), not (2, 17)"),
    "too narrow": (torch.ones(LEAVES, SIZE - 1), "not (2, 7)"),
    "between a vector and a state": (torch.ones(LEAVES, SIZE + 1), "not (2, 9)"),
    "just below a state": (torch.ones(LEAVES, 2 * SIZE - 1), "not (2, 15)"),
    "no width": (torch.ones(LEAVES, 0), "not (2, 0)"),
    "too few": (torch.ones(LEAVES - 1, 2 * SIZE), "not (1, 16)"),
    "too many": (torch.ones(LEAVES + 1, 2 * SIZE), "not (3, 16)"),
    "none": (torch.ones(0, 2 * SIZE), "not (0, 16)"),
    "one dimension": (torch.ones(LEAVES * 2 * SIZE), "not (32,)"),
    "no dimension": (torch.ones(()), "not ()"),
    "float64": (torch.ones(LEAVES, 2 * SIZE).double(), "torch.float64, but the weights are of torch.float32"),
    "float16": (torch.ones(LEAVES, 2 * SIZE).half(), "torch.float16, but"),
    "bfloat16": (torch.ones(LEAVES, 2 * SIZE).bfloat16(), "torch.bfloat16, but"),
    "int64": (torch.ones(LEAVES, 2 * SIZE).long(), "floating-point"),
    "complex": (torch.ones(LEAVES, 2 * SIZE, dtype=torch.complex64), "floating-point"),
    "numpy": (np.ones((LEAVES, 2 * SIZE), dtype=np.float32), "not ndarray"),
    "sparse": (torch.ones(LEAVES, 2 * SIZE).to_sparse(), "dense"),
    "meta": (torch.ones(LEAVES, 2 * SIZE, device=META), "on meta"),
}


def test_vectors_of_leaves_stand_for_states_whose_rest_is_zero() -> None:
    vectors = torch.randn(LEAVES, SIZE)
    short = assert_agreed(lambda c: run(c, **inputs(leaves=vectors)))
    torch.testing.assert_close(short, assert_agreed(lambda c: run(c, **inputs(leaves=c.leaf_states(vectors)))))


@pytest.mark.parametrize(("leaves", "message"), LEAF_STATES.values(), ids=LEAF_STATES)
def test_leaves_that_are_refused(leaves: Any, message: str) -> None:
    assert_refused(lambda c: run(c, **inputs(leaves=leaves)), message)


@pytest.mark.parametrize("train", [False, True])
def test_vectors_alone_have_zeros_for_the_rest_of_a_state(train: bool) -> None:
    vectors = torch.randn(LEAVES, SIZE, generator=torch.Generator().manual_seed(3))
    states = torch.cat([vectors, torch.zeros(LEAVES, SIZE)], dim=1)
    with torch.set_grad_enabled(train):
        found = assert_agreed(lambda c: run(c, **inputs(leaves=vectors)))
        torch.testing.assert_close(found, assert_agreed(lambda c: run(c, **inputs(leaves=states))))


VIEWS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "strided": lambda x: x.repeat_interleave(2, dim=1)[:, ::2],
    "transposed": lambda x: x.t().contiguous().t(),
    "expanded": lambda x: x[:1, :1].expand_as(x),
    "offset": lambda x: torch.cat([x, x])[1:3],
    "negative view": lambda x: torch.complex(x, x).conj().imag,
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("train", [False, True])
def test_leaves_may_lie_in_memory_as_they_like(view: Any, train: bool) -> None:
    leaves = view(inputs()["leaves"])
    with torch.set_grad_enabled(train):
        found = assert_agreed(lambda c: run(c, **inputs(leaves=leaves)))
        torch.testing.assert_close(found, assert_agreed(lambda c: run(c, **inputs(leaves=leaves.clone()))))


FEATURES: dict[str, tuple[Any, str]] = {
    "numpy": (np.ones((NODES, SIZE), dtype=np.float32), "feat must be a torch.Tensor, not ndarray"),
    "float64": (
        torch.ones(NODES, SIZE).double(),
        "torch.float64, but the weights are of torch.float32",
    ),
    "bfloat16": (torch.ones(NODES, SIZE).bfloat16(), "feat is of type torch.bfloat16"),
    "too few": (torch.ones(NODES - 1, SIZE), "must have the shape (4, 8), not (3, 8)"),
    "no dimension": (torch.ones(()), "not ()"),
    "meta": (torch.ones(NODES, SIZE, device=META), "feat is on meta"),
}


@pytest.mark.parametrize(("feat", "message"), FEATURES.values(), ids=FEATURES)
def test_vectors_of_a_graph_that_are_refused(feat: Any, message: str) -> None:
    assert_refused(lambda c: c.states(tree(), feat), message)


def test_low_precision_runs_where_the_weights_have_it() -> None:
    for dtype in (torch.bfloat16, torch.float16):
        for name in ("levels", "dgl"):
            used = cell().to(dtype)
            used.driver = name
            assert used.states(tree(), torch.ones(NODES, SIZE, dtype=dtype)).dtype == dtype


@pytest.mark.parametrize("nodes", [NODES + 1, NODES + 100])
def test_a_plan_of_another_graph_is_refused(nodes: int) -> None:
    feat, large = torch.randn(NODES, SIZE), plan_of(tree(nodes))
    assert_refused(lambda c: c.states(tree(), feat, large), f"it has {nodes} nodes and 3 edges, the graph 4 and 3")
    assert_refused(lambda c: c.states(tree(nodes), torch.randn(nodes, SIZE), plan_of(tree())), "of another graph")
    batch = batch_graph(Forest.of([parse_equation("x + 1 = sin(x)")]), [0], operators=["Add", "sin"])
    assert_refused(lambda c: c.states(batch, torch.randn(batch.num_nodes(), SIZE), large), "of another graph")
    flat = dgl.graph(([1, 2], [0, 0]), num_nodes=NODES)
    flat.ndata["op"], flat.edata["pos"] = torch.zeros(NODES).long(), torch.tensor([0, 1])
    assert_refused(lambda c: c.states(tree(), feat, plan_of(flat)), "4 nodes and 2 edges")
    assert_refused(lambda c: run(c, **inputs(plan=None)), "plan must be a LevelPlan, not NoneType")
    assert_refused(lambda c: c.states(tree(), feat, tree()), "plan must be a LevelPlan, not DGLGraph")


def changed(**fields: Any) -> LevelPlan:
    return dataclasses.replace(plan_of(tree()), **fields)


CHILDREN = np.array([[1, -1], [2, 3], [-1, -1], [-1, -1]])
LEVELS = plan_of(tree()).levels
PLANS: dict[str, tuple[Callable[[], Any], str]] = {
    "children beyond": (
        lambda: changed(children=torch.tensor([[0, 0], [0, 0], [1, 9], [3, 0]])),
        "not below",
    ),
    "negative children": (lambda: changed(children=torch.tensor([[0, 0], [0, 0], [1, -2], [3, 0]])), "not below"),
    "a child of itself": (lambda: changed(children=torch.tensor([[0, 0], [0, 0], [1, 3], [3, 0]])), "not below"),
    "a leaf's child": (lambda: changed(children=torch.tensor([[1, 0], [0, 0], [1, 2], [3, 0]])), "a leaf has"),
    "one child too many": (lambda: changed(children=torch.tensor([[0, 0], [0, 0], [1, 2], [3, 1]])), "more children"),
    "a gap": (lambda: changed(children=torch.tensor([[0, 0], [0, 0], [0, 2], [3, 0]])), "a child that is not there"),
    "too few slots": (lambda: changed(children=torch.tensor([[0], [0], [1], [3]])), "slots"),
    "int32": (lambda: changed(children=plan_of(tree()).children.int()), "'children' must be a tensor of torch.int64"),
    "numpy": (lambda: changed(row=plan_of(tree()).row.numpy()), "'row' must be a tensor of torch.int64, not ndarray"),
    "shorter": (lambda: changed(node_types=torch.zeros(2).long()), "'node_types' is (2,)"),
    "other types": (lambda: changed(node_types=torch.zeros(4).long()), "'node_types' are not"),
    "no permutation": (lambda: changed(node=torch.tensor([2, 2, 1, 0])), "not the inverse"),
    "nodes beyond": (lambda: changed(node=torch.tensor([2, 3, 1, 70000])), "'node' must be between 0 and 3"),
    "rows beyond": (lambda: changed(row=torch.tensor([4, 3, 1, 70000])), "not the inverse"),
    "more leaves": (lambda: changed(leaves=3), "does not follow"),
    "negative leaves": (lambda: changed(leaves=-1), "its leaves are -1"),
    "no levels": (lambda: changed(levels=()), "levels end at row 2"),
    "a huge type": (
        lambda: changed(
            levels=(LEVELS[0], Level(4, 5, (Segment(2**40, 1, 1),), 1)), node_types=torch.tensor([0, 0, 1, 2**40])
        ),
        "node type 1099511627776 is out of range",
    ),
    "a large type": (
        lambda: changed(levels=(LEVELS[0], Level(4, 5, (Segment(7, 1, 1),), 1)), node_types=torch.tensor([0, 0, 1, 7])),
        "the cell was built for types 0 to 1",
    ),
    "a negative type": (
        lambda: changed(
            levels=(LEVELS[0], Level(4, 5, (Segment(-1, 1, 1),), 1)), node_types=torch.tensor([0, 0, 1, -1])
        ),
        "node type -1 is out of range",
    ),
    "a segment of another size": (
        lambda: changed(levels=(LEVELS[0], Level(4, 5, (Segment(0, 1, 9),), 1))),
        "does not follow",
    ),
    "heights that are not": (
        lambda: level_plan(np.array([0, 1, 0, 0]), CHILDREN, np.array([1, 1, 0, 0])),
        "not below",
    ),
    "types that are not": (
        lambda: level_plan(np.array([0, -1, 0, 0]), CHILDREN, np.array([2, 1, 0, 0])),
        "is out of range",
    ),
    "a child in another place": (lambda: chain_plan([(0, 1, False)] * 2, 2), "more children"),
    "meta": (lambda: plan_of(tree()).to("meta"), "on meta"),
}


@pytest.mark.parametrize(("make", "message"), PLANS.values(), ids=PLANS)
def test_plans_that_are_refused(make: Callable[[], Any], message: str) -> None:
    rows = torch.tensor([1])
    assert_refused(lambda c: run(c, **inputs(plan=make(), rows=rows)), message)


@pytest.mark.parametrize("name", ["node", "row", "children", "node_types"])
def test_a_plan_that_was_changed_in_place_is_refused(name: str) -> None:
    plan = plan_of(tree())
    assert_agreed(lambda c: run(c, **inputs(plan=plan)))
    getattr(plan, name)[-1] = 10**9
    assert_refused(lambda c: run(c, **inputs(plan=plan, rows=torch.tensor([1]))), "the plan was changed in place")
    with pytest.raises((ValueError, TypeError)):
        plan.segment_table[0, 3] = 10**9
    with pytest.raises(TypeError):
        plan.rows_by_arity[1] = 10**9  # type: ignore[index]


def test_copies_of_a_plan_are_plans() -> None:
    plan = chain_plan([(0, 0, True)], 2)
    plan.check()
    leaves, expected = torch.randn(3, 2 * SIZE), None
    for each in (plan, copy.copy(plan), copy.deepcopy(plan), pickle.loads(pickle.dumps(plan)), plan.to("cpu")):
        found = assert_agreed(lambda c, each=each: run(c, each, leaves, torch.tensor([4, 5])))  # type: ignore[misc]
        torch.testing.assert_close(found, found if expected is None else expected)
        expected = found


def test_a_plan_without_nodes_and_one_without_levels() -> None:
    nothing = level_plan(np.zeros(0, dtype=int), np.zeros((0, 1), dtype=int), np.zeros(0, dtype=int))
    for rows in ([], [0, 0]):
        wanted = torch.tensor(rows, dtype=torch.int64)
        found = assert_agreed(lambda c, wanted=wanted: run(c, nothing, torch.ones(0, 2 * SIZE), wanted))  # type: ignore[misc]
        assert found.shape == (len(rows), 2 * SIZE) and not found.any()
    leaves = torch.randn(3, 2 * SIZE)
    alone = level_plan(np.zeros(3, dtype=int), np.full((3, 1), -1), np.zeros(3, dtype=int))
    found = assert_agreed(lambda c: run(c, alone, leaves, torch.tensor([3, 0, 1])))
    torch.testing.assert_close(found, torch.stack([leaves[2], torch.zeros(2 * SIZE), leaves[0]]))


@pytest.mark.parametrize("op", [-1, -(2**63), 2**24, 2**62])
def test_types_that_no_plan_can_have(op: int) -> None:
    graph = tree()
    graph.ndata["op"] = torch.tensor([0, op, 0, 0])
    with pytest.raises(GraphError, match=f"node type {op} is out of range: node types are 0 to 16777215"):
        plan_of(graph)
    graph.ndata["op"] = torch.tensor([0, 1, op, op])  # that of a leaf does not matter
    assert plan_of(graph).needed == ((0, 1), (1, 2))


@pytest.mark.parametrize("dtype", [torch.bool, torch.complex64, torch.float32])
def test_numbers_of_nodes_and_edges_are_whole(dtype: torch.dtype) -> None:
    for where, name in (("ndata", "op"), ("edata", "pos")):
        graph = tree()
        data = getattr(graph, where)
        data[name] = data[name].to(dtype)
        with pytest.raises(GraphError, match=f"'{name}' must hold one whole number"):
            plan_of(graph)


def test_every_combination_of_gradients_agrees() -> None:
    for of_leaves in (False, True):
        for of_weights in (False, True):
            leaves = inputs()["leaves"].requires_grad_(of_leaves)

            def call(used: TreeCell, leaves: torch.Tensor = leaves, of_weights: bool = of_weights) -> torch.Tensor:
                used.requires_grad_(of_weights)
                found = run(used, **inputs(leaves=leaves))
                assert found.requires_grad == (leaves.requires_grad or of_weights)
                asked = [x for x in (leaves, *used.parameters()) if x.requires_grad]
                slopes = torch.autograd.grad(found.sum(), asked) if asked else ()
                return torch.cat([found.reshape(-1), *(slope.reshape(-1) for slope in slopes)])

            assert_agreed(call)


@pytest.mark.parametrize("name", ["levels", "native"])
@pytest.mark.parametrize("changed", ["rows", "children", "index"])
def test_what_is_changed_between_forward_and_backward_is_refused(name: str, changed: str) -> None:
    """The checks are made in the forward pass; C would follow other rows out of its arrays."""
    if obstacle := DRIVERS[name].obstacle(cell(), torch.float32, torch.device("cpu")):
        pytest.skip(obstacle)
    used, given = cell(), inputs(rows=torch.tensor([4, 3]))
    used.driver = name
    index = torch.tensor([0, 1])
    if changed == "index":
        table = torch.randn(3, SIZE, requires_grad=True)
        found = dots(used, given["plan"], table, index, given["rows"])
    else:
        found = run(used, **given)
    {"rows": given["rows"], "children": given["plan"].children, "index": index}[changed].fill_(0)
    with pytest.raises(RuntimeError, match=r"changed in place between|modified by an inplace operation"):
        found.sum().backward()


@pytest.mark.parametrize("name", sorted(DRIVERS))
def test_a_gradient_of_a_gradient_is_refused(name: str) -> None:
    """Torch would take the first gradient for a constant, and a penalty on it would be without effect."""
    if obstacle := DRIVERS[name].obstacle(cell(), torch.float32, torch.device("cpu")):
        pytest.skip(obstacle)
    used, feat = cell(), torch.randn(NODES, SIZE, requires_grad=True)
    used.driver = name
    with pytest.raises(RuntimeError, match="cannot be differentiated again"):
        torch.autograd.grad(used.states(tree(), feat).sum(), feat, create_graph=True)
