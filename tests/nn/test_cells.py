"""Every cell, with every driver, against the recursion written from its equations."""

from __future__ import annotations

import copy
import gc
import random
from typing import Any

import dgl
import pytest
import torch

from dgl_mathtree.graphs import GraphError
from dgl_mathtree.nn import (
    MemoryCell,
    MITreeLSTM,
    MTreeLSTM,
    SecondOrderTreeRNN,
    Stacked,
    TreeCell,
    TreeLSTM,
    TreeRNN,
    TreeSMU,
)
from dgl_mathtree.nn.linear import TypedLinear

from .drivers.native import NEEDS_LIBRARY
from .reference import recursion

SIZE, TYPES = 5, 4


def make(name: str, children: int = 2, driver: str = "levels", **options: Any) -> TreeCell:
    torch.manual_seed(1)
    base = {"size": SIZE, "types": TYPES, "children": children}
    cell: TreeCell = {
        "tree-rnn": lambda: TreeRNN(**base, **options),
        "tree-rnn sigmoid": lambda: TreeRNN(**base, activation="sigmoid", **options),
        "tree-rnn product": lambda: TreeRNN(**base, integration="product", **options),
        "tree-lstm": lambda: TreeLSTM(**base, **options),
        "second-order": lambda: SecondOrderTreeRNN(**base, **options),
        "second-order T=3 first-order": lambda: SecondOrderTreeRNN(**base, steps=3, first_order=True, **options),
        "m": lambda: MTreeLSTM(**base, **options),
        "m sum": lambda: MTreeLSTM(**base, integration="sum", **options),
        "mi": lambda: MITreeLSTM(**base, **options),
        "mi general": lambda: MITreeLSTM(**base, integration="general", **options),
        "smu": lambda: TreeSMU(**base, slots=3, **options),
        "smu softmax": lambda: TreeSMU(**base, slots=3, actions="softmax", **options),
        "smu no-op": lambda: TreeSMU(**base, slots=3, no_op=False, **options),
        "smu no-op normalize": lambda: TreeSMU(**base, slots=3, no_op=False, normalize=False, **options),
        "tree-lstm+stack": lambda: Stacked(TreeLSTM(**base, **options), slots=3),
        "m+stack": lambda: Stacked(MTreeLSTM(**base, **options), slots=3),
        "mi+stack": lambda: Stacked(MITreeLSTM(**base, **options), slots=3),
        "m+stack no-op": lambda: Stacked(MTreeLSTM(**base, **options), slots=3, no_op=False),
        "mi+stack sum": lambda: Stacked(MITreeLSTM(**base, **options), slots=2, merge="sum"),
        "tree-rnn+stack": lambda: Stacked(TreeRNN(**base, **options), slots=3),
        "tree-rnn+stack printed": lambda: Stacked(
            TreeRNN(**base, integration="product", **options), slots=3, no_op=False, merge="sum", read="state"
        ),
        "second-order+stack": lambda: Stacked(SecondOrderTreeRNN(**base, **options), slots=3),
        "second-order+stack T=2 first-order state": lambda: Stacked(
            SecondOrderTreeRNN(**base, steps=2, first_order=True, **options), slots=3, read="state"
        ),
    }[name]()
    with torch.no_grad():  # biases start at 0 and would hide a mistake
        for parameter in cell.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    cell.driver = driver
    return cell


CELLS = [
    "tree-rnn",
    "tree-rnn sigmoid",
    "tree-rnn product",
    "tree-lstm",
    "second-order",
    "second-order T=3 first-order",
    "m",
    "m sum",
    "mi",
    "mi general",
    "smu",
    "smu softmax",
    "smu no-op",
    "smu no-op normalize",
    "tree-lstm+stack",
    "m+stack",
    "mi+stack",
    "m+stack no-op",
    "mi+stack sum",
    "tree-rnn+stack",
    "tree-rnn+stack printed",
    "second-order+stack",
    "second-order+stack T=2 first-order state",
]
EVERY_CELL = pytest.mark.parametrize("name", CELLS)
EVERY_DRIVER = pytest.mark.parametrize("driver", ["levels", "dgl", pytest.param("native", marks=NEEDS_LIBRARY)])


class Forest:
    """Random trees: as a graph with leaf features, and nested for the recursion."""

    def __init__(
        self, seed: int, arities: tuple[int, ...] = (1, 2), trees: int = 4, dtype: torch.dtype = torch.float64
    ):
        rng = random.Random(seed)
        self.types: list[int] = []
        self.edges: list[tuple[int, int, int]] = []
        self.roots = [self.grow(rng, rng.randint(0, 4), arities) for _ in range(trees)]
        generator = torch.Generator().manual_seed(seed)
        self.feat = torch.randn(len(self.types), SIZE, generator=generator, dtype=dtype)

    @property
    def inner(self) -> list[int]:
        """The nodes with children."""
        return sorted({parent for _, parent, _ in self.edges})

    def grow(self, rng: random.Random, depth: int, arities: tuple[int, ...]) -> int:
        node = len(self.types)
        self.types.append(rng.randrange(TYPES))
        if depth:
            for place in range(rng.choice(arities)):
                child = self.grow(rng, rng.choice((depth - 1, rng.randrange(depth))), arities)
                self.edges.append((child, node, place))
        return node

    def graph(self, order: list[int] | None = None) -> Any:
        edges = [self.edges[k] for k in order] if order else self.edges
        child, parent, place = zip(*edges, strict=True) if edges else ((), (), ())
        graph = dgl.graph((torch.tensor(child).long(), torch.tensor(parent).long()), num_nodes=len(self.types))
        graph.ndata["op"] = torch.tensor(self.types)
        graph.edata["pos"] = torch.tensor(place).long()
        return graph

    def tree(self, node: int, feat: torch.Tensor) -> Any:
        below = sorted((place, child) for child, parent, place in self.edges if parent == node)
        return (self.types[node], [self.tree(child, feat) for _, child in below]) if below else feat[node]


def gradients(cell: TreeCell, value: torch.Tensor, feat: torch.Tensor) -> list[torch.Tensor]:
    inputs = [feat, *cell.parameters()]
    found = torch.autograd.grad(value, inputs, allow_unused=True)
    return [torch.zeros_like(p) if g is None else g for p, g in zip(inputs, found, strict=True)]


def weigh(parts: list[dict[str, torch.Tensor]], generator_seed: int = 3) -> torch.Tensor:
    """A number that depends on every entry of some states."""
    generator = torch.Generator().manual_seed(generator_seed)
    total = torch.zeros((), dtype=torch.float64)
    for state in parts:
        for part in state.values():
            total = total + (part.double() * torch.randn(part.shape, generator=generator, dtype=torch.float64)).sum()
    return total


@EVERY_CELL
@EVERY_DRIVER
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-10), (torch.float32, 1e-5)])
def test_cells_equal_the_recursion(name: str, driver: str, dtype: torch.dtype, tolerance: float) -> None:
    cell = make(name, driver=driver).to(dtype)
    for seed in range(3):
        forest = Forest(seed, dtype=dtype)
        feat = forest.feat.requires_grad_()
        states = cell.split(cell.states(forest.graph(), feat))
        ours = [{key: part[root] for key, part in states.items()} for root in forest.roots]
        theirs = [recursion(cell, forest.tree(root, feat)) for root in forest.roots]
        for mine, other in zip(ours, theirs, strict=True):
            assert set(mine) == set(other)
            for key in mine:
                torch.testing.assert_close(mine[key], other[key], atol=tolerance, rtol=tolerance)
        mine, other = gradients(cell, weigh(ours), feat), gradients(cell, weigh(theirs), feat)
        for a, b in zip(mine, other, strict=True):
            torch.testing.assert_close(a, b, atol=10 * tolerance, rtol=10 * tolerance)


@EVERY_CELL
@EVERY_DRIVER
def test_more_children_and_any_order_of_edges(name: str, driver: str) -> None:
    cell = make(name, children=4, driver=driver).double()
    forest = Forest(7, arities=(1, 3, 4), trees=2)
    order = list(range(len(forest.edges)))
    random.Random(0).shuffle(order)
    for graph in (forest.graph(), forest.graph(order)):
        states = cell(graph, forest.feat)
        for root in forest.roots:
            torch.testing.assert_close(states[root], recursion(cell, forest.tree(root, forest.feat))["h"])


class Counting(TreeCell):
    """A cell with a part that no cell of the package has: beside h the sum of its own below a node."""

    def __init__(self, size: int, types: int, children: int = 2) -> None:
        super().__init__(size, types, children)
        self.layer = TypedLinear(types, size, children, size)

    @property
    def parts(self) -> dict[str, tuple[int, ...]]:
        return {"h": (self.size,), "total": (self.size,)}

    def step(self, weights: Any, segments: Any, children: torch.Tensor, dropout_mask: Any = None) -> torch.Tensor:
        h, totals = torch.split(children, self.size, dim=-1)
        h = torch.tanh(self.layer.apply_segments(weights["layer"], h.flatten(1), segments))
        return torch.cat([h, h + totals.sum(dim=1)], dim=1)


@EVERY_DRIVER
@pytest.mark.parametrize("build", [TreeRNN, SecondOrderTreeRNN, TreeLSTM, MTreeLSTM, MITreeLSTM, Counting])
def test_a_stack_that_is_not_read_changes_nothing(build: Any, driver: str) -> None:
    cell = build(SIZE, TYPES).double()
    stacked = Stacked(cell, slots=2).double()
    forest = Forest(9)
    cell.driver = stacked.driver = driver
    expected = cell.split(cell.states(forest.graph(), forest.feat))
    read = stacked.split(stacked.states(forest.graph(), forest.feat))
    assert not torch.allclose(read["h"], expected["h"])
    with torch.no_grad():
        stacked.read.weight.zero_()
    found = stacked.split(stacked.states(forest.graph(), forest.feat))
    assert list(found) == [*expected, "stack", "actions"]
    for name, part in expected.items():
        torch.testing.assert_close(found[name], part)
    inner = torch.tensor(forest.inner)
    assert (found["stack"][inner, 0] > 0).all()  # but it is pushed to


@EVERY_CELL
def test_order_of_children_matters(name: str) -> None:
    cell = make(name).double()
    graph = dgl.graph(([1, 2], [0, 0]))
    graph.ndata["op"] = torch.zeros(3, dtype=torch.long)
    feat = torch.randn(3, SIZE, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    graph.edata["pos"] = torch.tensor([0, 1])
    one = cell(graph, feat)[0]
    graph.edata["pos"] = torch.tensor([1, 0])
    assert not torch.allclose(one, cell(graph, feat)[0])


@EVERY_CELL
@EVERY_DRIVER
def test_a_tree_does_not_depend_on_its_batch(name: str, driver: str) -> None:
    cell = make(name, driver=driver).double()
    forests = [Forest(seed, trees=1) for seed in range(5)]
    together = cell(dgl.batch([f.graph() for f in forests]), torch.cat([f.feat for f in forests]))
    alone = torch.cat([cell(f.graph(), f.feat) for f in forests])
    torch.testing.assert_close(together, alone)


@EVERY_CELL
@EVERY_DRIVER
def test_forests_of_leaves_and_of_one_node(name: str, driver: str) -> None:
    cell = make(name, driver=driver)
    for nodes in (1, 3):
        graph = dgl.graph(([], []), num_nodes=nodes)
        graph.ndata["op"] = torch.zeros(nodes, dtype=torch.long)
        feat = torch.randn(nodes, SIZE)
        torch.testing.assert_close(cell(graph, feat), feat)


@EVERY_CELL
@EVERY_DRIVER
def test_the_callers_graph_is_left_as_it_was(name: str, driver: str) -> None:
    graph = Forest(1).graph()
    cell = make(name, driver=driver).double()
    cell(graph, Forest(1).feat)
    assert set(graph.ndata) == {"op"}
    assert set(graph.edata) == {"pos"}


@EVERY_CELL
@EVERY_DRIVER
def test_gradients_by_finite_differences(name: str, driver: str) -> None:
    cell = make(name, driver=driver).double()
    forest = Forest(2, trees=2)
    graph = forest.graph()
    feat = forest.feat.requires_grad_()
    first = next(cell.parameters())
    assert torch.autograd.gradcheck(lambda x, _: cell.states(graph, x), (feat, first), fast_mode=True)


@EVERY_CELL
@EVERY_DRIVER
def test_everyday_operations(name: str, driver: str) -> None:
    forest = Forest(3, dtype=torch.float32)
    graph, feat = forest.graph(), 0.3 * forest.feat
    cell = make(name, driver=driver)
    expected = cell(graph, feat)
    with torch.no_grad():
        torch.testing.assert_close(cell(graph, feat), expected)
    twin = copy.deepcopy(cell)
    torch.testing.assert_close(twin(graph, feat), expected)
    twin.reset_parameters()
    assert not torch.allclose(twin(graph, feat), expected)
    twin.load_state_dict(cell.state_dict())
    torch.testing.assert_close(twin(graph, feat), expected)
    cell.driver = "auto" if driver == "native" else driver  # which does not run under autocast
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = cell(graph, feat)
        rough.float().sum().backward()
    torch.testing.assert_close(rough.float(), expected, atol=0.1, rtol=0.1)
    assert all(torch.isfinite(p.grad).all() for p in cell.parameters() if p.grad is not None)
    assert f"size={SIZE}" in repr(cell)


@EVERY_CELL
def test_backward_twice_gives_twice_the_gradient(name: str) -> None:
    cell = make(name).double()
    forest = Forest(4)
    value = cell(forest.graph(), forest.feat).sum()
    value.backward(retain_graph=True)
    once = [p.grad.clone() for p in cell.parameters() if p.grad is not None]
    value.backward()
    twice = [p.grad for p in cell.parameters() if p.grad is not None]
    for a, b in zip(once, twice, strict=True):
        torch.testing.assert_close(2 * a, b)


@EVERY_CELL
@EVERY_DRIVER
def test_gradients_asked_for_piecemeal(name: str, driver: str) -> None:
    """For features alone, for weights alone, each twice, and all at once: always the same."""
    cell = make(name, driver=driver).double()
    forest = Forest(4)
    feat = forest.feat.requires_grad_()
    weights = list(cell.parameters())
    value = cell(forest.graph(), feat).square().sum()
    whole = torch.autograd.grad(value, [feat, *weights], retain_graph=True, allow_unused=True)
    for _ in range(2):
        torch.testing.assert_close(torch.autograd.grad(value, [feat], retain_graph=True)[0], whole[0])
        found = torch.autograd.grad(value, weights, retain_graph=True, allow_unused=True)
        for a, b in zip(found, whole[1:], strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                torch.testing.assert_close(a, b)


@EVERY_DRIVER
def test_frozen_weights_and_two_forward_passes(driver: str) -> None:
    cell = make("m+stack", driver=driver).double()
    one, other = Forest(4), Forest(5)
    expected = gradients(cell, cell(one.graph(), one.feat.requires_grad_()).sum(), one.feat)
    first, second = cell(one.graph(), one.feat).sum(), cell(other.graph(), other.feat).sum()
    second.backward()
    cell.zero_grad()
    for a, b in zip(gradients(cell, first, one.feat), expected, strict=True):
        torch.testing.assert_close(a, b)
    cell.requires_grad_(False)
    (alone,) = torch.autograd.grad(cell(one.graph(), one.feat).sum(), [one.feat])
    torch.testing.assert_close(alone, expected[0])
    with torch.inference_mode():
        assert not cell(one.graph(), one.feat).requires_grad


def test_what_a_pass_kept_is_freed_without_the_garbage_collector() -> None:
    from dgl_mathtree.nn.linear import Unpacked

    cell, forest = make("tree-lstm").double(), Forest(4)
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            torch.autograd.grad(cell(forest.graph(), forest.feat.requires_grad_()).sum(), forest.feat)
            cell(forest.graph(), forest.feat).sum().backward()
        assert not [thing for thing in gc.get_objects() if type(thing) is Unpacked]
    finally:
        gc.enable()


def test_weights_changed_before_the_backward_pass_are_noticed() -> None:
    cell, forest = make("tree-rnn").double(), Forest(4)
    value = cell(forest.graph(), forest.feat).sum()
    with torch.no_grad():
        next(cell.parameters()).mul_(2)
    with pytest.raises(RuntimeError, match="changed in place"):
        value.backward()


@EVERY_CELL
def test_nothing_is_made_on_the_cpu_on_the_way(name: str) -> None:
    """On the meta device an operation with a tensor of another device fails."""
    from dgl_mathtree.graphs import plan_of
    from dgl_mathtree.nn import drivers

    forest = Forest(5, dtype=torch.float32)
    cell = make(name).to("meta")
    plan = plan_of(forest.graph()).to("meta")
    leaves = cell.leaf_states(torch.empty(plan.leaves, SIZE, device="meta", requires_grad=True))
    states = drivers.run(cell, plan, leaves, plan.row)
    assert states.device.type == "meta"
    states.sum().backward()
    assert all(p.grad is None or p.grad.device.type == "meta" for p in cell.parameters())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@EVERY_CELL
def test_cells_on_a_gpu(name: str) -> None:
    forest = Forest(6)
    cell = make(name).double()
    results = []
    for device in ("cpu", "cuda"):
        there = copy.deepcopy(cell).to(device)
        feat = forest.feat.detach().to(device).requires_grad_()
        states = there(forest.graph().to(device), feat)
        states.square().sum().backward()
        gradients = [None if p.grad is None else p.grad.cpu() for p in there.parameters()]
        assert feat.grad is not None
        results.append([states.detach().cpu(), feat.grad.cpu(), *gradients])
    for here, gpu in zip(*results, strict=True):
        torch.testing.assert_close(gpu, here)


@EVERY_CELL
def test_dropout_acts_in_training_only(name: str) -> None:
    cell = make(name, dropout=0.5).double()
    forest = Forest(8)
    graph = forest.graph()
    cell.eval()
    torch.testing.assert_close(cell(graph, forest.feat), cell(graph, forest.feat))
    cell.train()
    assert not torch.allclose(cell(graph, forest.feat), cell(graph, forest.feat))


def broken(change: str) -> Any:
    graph = Forest(1).graph()
    if change == "cycle":
        graph.add_edges([0], [1], {"pos": torch.tensor([0])})
        graph = dgl.graph(([0, 1], [1, 0]))
        graph.ndata["op"], graph.edata["pos"] = torch.zeros(2, dtype=torch.long), torch.zeros(2, dtype=torch.long)
    elif change == "op":
        del graph.ndata["op"]
    elif change == "pos":
        del graph.edata["pos"]
    elif change == "type":
        graph.ndata["op"][:] = TYPES
    elif change == "children":
        graph = Forest(1, arities=(3,)).graph()
    elif change == "same pos":
        graph = dgl.graph(([1, 2], [0, 0]))
        graph.ndata["op"], graph.edata["pos"] = torch.zeros(3, dtype=torch.long), torch.zeros(2, dtype=torch.long)
    elif change == "far pos":
        graph.edata["pos"][:] = 9
    elif change == "float op":
        graph.ndata["op"] = graph.ndata["op"].float()
    elif change == "wide pos":
        graph.edata["pos"] = graph.edata["pos"][:, None]
    elif change == "long cycle":
        count = 20_000
        graph = dgl.graph((torch.arange(count), (torch.arange(count) + 1) % count))
        graph.ndata["op"] = torch.zeros(count, dtype=torch.long)
        graph.edata["pos"] = torch.zeros(count, dtype=torch.long)
    elif change == "empty":
        graph = dgl.graph(([], []))
        graph.ndata["op"] = torch.zeros(0, dtype=torch.long)
    return graph


@EVERY_DRIVER
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("cycle", "has a cycle"),
        ("op", "no node data 'op'"),
        ("pos", "no edge data 'pos'"),
        ("type", "type 4 is out of range"),
        ("children", "3 children; the cell was built for at most 2"),
        ("same pos", "same 'pos'"),
        ("far pos", "'pos' must count"),
        ("empty", "has no nodes"),
        ("float op", "'op' must hold one whole number"),
        ("wide pos", "'pos' must hold one whole number"),
        ("long cycle", "has a cycle"),
    ],
)
def test_wrong_graphs_are_explained(change: str, message: str, driver: str) -> None:
    graph = broken(change)
    with pytest.raises(GraphError, match=message):
        make("tree-lstm", driver=driver)(graph, torch.zeros(graph.num_nodes(), SIZE))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: TreeRNN(0, 1), "size must be at least 1"),
        (lambda: TreeRNN(1, 1, activation="relu"), "'tanh', 'sigmoid', not 'relu'"),
        (lambda: MTreeLSTM(1, 1, integration="max"), "'product', 'sum', not 'max'"),
        (lambda: TreeSMU(1, 1, normalize=False), "needs no_op=False"),
        (lambda: TreeSMU(1, 1, slots=0), "slots must be at least 1"),
        (lambda: SecondOrderTreeRNN(1, 1, steps=0), "steps must be at least 1"),
        (lambda: TreeRNN(1, 1, integration="max"), "'sum', 'product', not 'max'"),
        (lambda: Stacked(TreeSMU(1, 1)), "needs a cell without one: TreeSMU has a stack already"),
        (lambda: Stacked(Stacked(TreeRNN(1, 1))), "needs a cell without one: Stacked has a stack already"),
        (lambda: Stacked(TreeRNN(1, 1), read="top"), "'children', 'state', not 'top'"),
        (lambda: Stacked(TreeRNN(1, 1), read="state"), "not this TreeRNN: second-order-tree-rnn, or tree-rnn with"),
        (lambda: Stacked(MTreeLSTM(1, 1), read="state"), "not this MTreeLSTM: second-order-tree-rnn, or tree-rnn with"),
        (lambda: Stacked(TreeLSTM(1, 1), merge="max"), "'gated', 'sum', not 'max'"),
        (lambda: TreeLSTM(3, 1)(Forest(1).graph(), torch.zeros(2, 3)), "feat must have the shape"),
        (lambda: TreeLSTM(5, 4)(Forest(1).graph(), Forest(1).feat), "float64, but the weights are of torch.float32"),
    ],
)
def test_bad_values_are_explained(build: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize("base", [TreeCell, MemoryCell])
def test_what_has_no_step_is_no_cell(base: type[TreeCell]) -> None:
    with pytest.raises(TypeError, match="abstract"):
        base(4, 2)
