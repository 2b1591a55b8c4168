"""The native driver against the others, and what it does with cells and calls that it cannot run."""

from __future__ import annotations

import copy
import gc
import io
import random
import threading
import warnings
import weakref
from typing import Any

import dgl
import pytest
import torch
import torch.nn.utils.prune
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.graphs import GraphError
from dgl_mathtree.graphs.planning import plan_of
from dgl_mathtree.nn import MODELS, TreeCell, TreeRNN, make_cell
from dgl_mathtree.nn.drivers import DriverError, choose, run
from dgl_mathtree.nn.drivers.native import library
from dgl_mathtree.nn.drivers.native.buffers import Pool
from dgl_mathtree.nn.drivers.native.engine import engine
from dgl_mathtree.nn.drivers.native.layout import LARGE_CHUNK
from dgl_mathtree.nn.linear import TypedLinear
from tests.examples import examples

from . import NEEDS_LIBRARY

pytestmark = NEEDS_LIBRARY
NAMES = [name for name, model in MODELS.items() if model.is_cell]
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "tree-rnn": [{"activation": "sigmoid"}, {"integration": "product"}],
    "tree-smu": [{"actions": "softmax"}],
    "m-tree-lstm": [{"integration": "sum"}],
    "mi-tree-lstm": [{"integration": "general"}],
    "second-order-tree-rnn": [{"steps": 3}, {"steps": 2, "first_order": True}],
    "tree-lstm+stack": [{"merge": "sum", "no_op": False}],
    "tree-rnn+stack": [{"integration": "product"}, {"integration": "product", "read": "state"}],
    "second-order-tree-rnn+stack": [{"read": "state"}, {"read": "state", "steps": 2, "first_order": True}],
}
VARIANTS = [(name, options) for name in NAMES for options in [{}, *OPTIONS.get(name, [])]]


def shared_forest(nodes: int, types: int, most: int, rng: random.Random) -> Any:
    """A random graph of trees that share subtrees, children in any order."""
    source, target, place = [], [], []
    for node in range(nodes - 1):
        if rng.random() < 0.6:
            below = range(node + 1, nodes)
            for k, child in enumerate(rng.sample(below, rng.randint(1, min(most, len(below))))):
                source.append(child), target.append(node), place.append(k)
    graph = dgl.graph((torch.tensor(source).long(), torch.tensor(target).long()), num_nodes=nodes)
    graph.ndata["op"] = torch.tensor([rng.randrange(types) for _ in range(nodes)])
    graph.edata["pos"] = torch.tensor(place).long()
    return graph


def results(cell: TreeCell, driver: str, graph: Any, feat: torch.Tensor, mask: Any, mix: torch.Tensor) -> list[Any]:
    """All states, with and without gradients, and the gradients of leaves and weights."""
    cell.driver = driver
    with torch.no_grad():
        plain = cell.states(graph, feat, dropout_mask=mask)
    states = cell.states(graph, feat, dropout_mask=mask)
    inputs = [feat, *cell.parameters()]
    found = torch.autograd.grad((states * mix).sum(), inputs, allow_unused=True)
    return [
        plain,
        states.detach(),
        *(torch.zeros_like(x) if g is None else g for x, g in zip(inputs, found, strict=True)),
    ]


@pytest.mark.parametrize(("name", "options"), VARIANTS)
@examples(8, fast=4)
@given(seed=st.integers(0, 2**32), dropout=st.sampled_from([0.0, 0.3]), double=st.booleans())
def test_all_drivers_agree(name: str, options: dict[str, Any], seed: int, dropout: float, double: bool) -> None:
    rng = random.Random(seed)
    dtype, tolerance = (torch.float64, 1e-10) if double else (torch.float32, 1e-5)
    size, types, most = rng.randint(1, 40), rng.randint(1, 4), rng.randint(1, 4)
    torch.manual_seed(seed)
    cell = make_cell(name, size, types, children=most, dropout=dropout, **options).to(dtype)
    with torch.no_grad():
        for parameter in cell.parameters():
            # Matrices keep their scale: a second-order network with larger ones would amplify any rounding.
            scale = float(parameter.abs().mean()) if parameter.dim() == 3 else 0.2
            parameter.add_(0.5 * scale * torch.randn_like(parameter))
    graph = shared_forest(rng.randint(1, 60), types, most, rng)
    feat = (0.3 * torch.randn(graph.num_nodes(), size, dtype=dtype)).requires_grad_()
    mask = cell.draw_dropout(graph.num_nodes(), feat)
    mix = torch.randn(graph.num_nodes(), cell.state_size, dtype=dtype)
    expected = results(cell, "levels", graph, feat, mask, mix)
    others = {driver: results(cell, driver, graph, feat, mask, mix) for driver in ("dgl", "native")}
    # Where a network amplifies rounding (a second-order one with large weights), no two drivers agree in float32: then
    # each must be about as close to the exact result as `levels` is.
    wide = [None if x is None else x.detach().double() for x in (feat, mask, mix)]
    assert wide[0] is not None and wide[2] is not None
    exact = results(cell.double(), "levels", graph, wide[0].requires_grad_(), wide[1], wide[2])
    for found in others.values():
        for ours, theirs, truth in zip(found, expected, exact, strict=True):
            if theirs.numel():
                rounding = float((theirs - truth).abs().max()) if not double else 0.0
                allowed = tolerance * max(float(theirs.abs().max()), 1e-3) + 4 * rounding
                torch.testing.assert_close(ours, theirs, rtol=0, atol=allowed)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("options", "parted"), [({}, True), ({"first_order": True}, True), ({"steps": 2}, False)])
def test_the_wide_map_in_parts_gives_the_same_bits(dtype: torch.dtype, options: dict[str, Any], parted: bool) -> None:
    """Inference makes the second-order matrix a few rows at a time, in chunks of other sizes than training."""
    load = library.load_library
    cell = make_cell("second-order-tree-rnn", 37, 1, **options).to(dtype)
    graph = shared_forest(900, 1, 2, random.Random(0))
    sizes = [part.size for level in plan_of(graph).levels for part in level.segments]
    assert max(sizes) > LARGE_CHUNK > min(sizes)
    feat = torch.randn(900, 37, dtype=dtype)
    assert (engine(cell, False).layout(cell, 2).chunk == LARGE_CHUNK) is parted
    with pytest.MonkeyPatch.context() as patch:
        for variant in load().variants:
            patch.setattr(library, "load_library", lambda variant=variant: load(variant))
            cell.driver = "native"
            with torch.no_grad():
                plain = cell.states(graph, feat)
            assert torch.equal(plain, cell.states(graph, feat).detach())
            cell.driver = "levels"
            assert torch.allclose(plain, cell.states(graph, feat).detach(), atol=1e-10 if dtype.itemsize == 8 else 1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_every_model_records_without_falling_back(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cell = make_cell(name, 8)
        assert choose("auto", cell, torch.float32, torch.device("cpu")).name == "native"


def small() -> tuple[TreeCell, Any, torch.Tensor]:
    torch.manual_seed(0)
    cell = make_cell("m-tree-lstm+stack", 7, 3)
    cell.driver = "native"
    graph = shared_forest(30, 3, 2, random.Random(0))
    return cell, graph, torch.randn(30, 7)


def test_any_rows_may_be_asked_for() -> None:
    cell, graph, feat = small()
    plan = plan_of(graph)
    leaves = cell.leaf_states(feat[plan.node[: plan.leaves]])
    every = cell.states(graph, feat)
    for nodes in ([3], [0, 0, 5], [], list(range(30))):
        wanted = torch.tensor(nodes).long()
        torch.testing.assert_close(run(cell, plan, leaves, plan.row[wanted]), every[wanted])
    with pytest.raises(IndexError, match="rows must be between"):
        run(cell, plan, leaves, torch.tensor([31]))


def test_a_very_deep_tree() -> None:
    depth = 20_000
    graph = dgl.graph((torch.arange(1, depth), torch.arange(depth - 1)))
    graph.ndata["op"], graph.edata["pos"] = torch.zeros(depth).long(), torch.zeros(depth - 1).long()
    cell = make_cell("tree-lstm", 3, 1)
    cell.driver = "native"
    feat = torch.randn(depth, 3, requires_grad=True)
    cell(graph, feat)[0].sum().backward()
    assert feat.grad is not None and torch.isfinite(feat.grad).all()


def test_weights_of_other_types_and_a_graph_of_other_types_are_refused() -> None:
    cell, graph, feat = small()
    graph.ndata["op"][:] = 5
    with pytest.raises(GraphError, match="type 5 is out of range"):
        cell(graph, feat)
    plan = plan_of(graph)
    with pytest.raises(GraphError, match="type 5 is out of range"):
        run(cell, plan, cell.leaf_states(feat[: plan.leaves]), plan.row)
    with pytest.raises(DriverError, match="float32 and float64 alone"):
        choose("native", cell, torch.bfloat16, torch.device("cpu"))
    with pytest.raises(DriverError, match="the CPU alone"):
        choose("native", cell, torch.float32, torch.device("meta"))
    with torch.autocast("cpu", dtype=torch.bfloat16), pytest.raises(DriverError, match="autocast"):
        choose("native", cell, torch.float32, torch.device("cpu"))
    assert choose("auto", cell, torch.bfloat16, torch.device("cpu")).name == "levels"


def test_copies_and_pickles_of_a_cell_run_on_their_own() -> None:
    cell, graph, feat = small()
    expected = cell(graph, feat)
    twin = copy.deepcopy(cell)
    torch.testing.assert_close(twin(graph, feat), expected, rtol=0, atol=0)
    file = io.BytesIO()
    torch.save(cell, file)
    file.seek(0)
    again = torch.load(file, weights_only=False)
    torch.testing.assert_close(again(graph, feat), expected, rtol=0, atol=0)
    with torch.no_grad():
        next(twin.parameters()).zero_()
    assert not torch.equal(twin(graph, feat), expected)
    torch.testing.assert_close(cell(graph, feat), expected, rtol=0, atol=0)


def test_parameters_that_were_replaced_are_used() -> None:
    cell, graph, feat = small()
    cell(graph, feat)
    cell.load_state_dict({k: 0.5 * v for k, v in cell.state_dict().items()}, assign=True)
    ours = cell(graph, feat)
    cell.driver = "levels"
    torch.testing.assert_close(ours, cell(graph, feat))
    cell.double().driver = "native"
    assert cell(graph, feat.double()).dtype == torch.float64


def test_many_threads_at_once() -> None:
    cell, graph, feat = small()
    plan = plan_of(graph)
    leaves = cell.leaf_states(feat[plan.node[: plan.leaves]])
    expected = run(cell, plan, leaves, plan.row).detach()
    fresh = copy.deepcopy(cell)
    wrong: list[str] = []

    def work() -> None:
        for _ in range(20):
            states = run(fresh, plan, leaves, plan.row)
            torch.autograd.grad(states.sum(), list(fresh.parameters()))
            if not torch.equal(states, expected):
                wrong.append("differs")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


class Rectified(TreeRNN):
    """A cell of a user's own with an operation that is not recorded."""

    def step(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        return torch.relu(super().step(*args, **kwargs))


def test_an_unknown_operation_falls_back_with_one_warning() -> None:
    _, graph, feat = small()
    cell = Rectified(7, 3)
    with pytest.warns(UserWarning, match=r"Rectified runs on the driver 'levels': .*aten\.relu"):
        ours = cell(graph, feat)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.testing.assert_close(cell(graph, feat), ours)
        cell.driver = "native"
        with pytest.raises(DriverError, match=r"cannot run Rectified .*aten\.relu"):
            cell(graph, feat)


class Affine(TreeRNN):
    """A cell of a user's own with numbers, differences and a map that is used twice."""

    def __init__(self, size: int, types: int) -> None:
        super().__init__(size, types)
        self.layer = TypedLinear(types, size, 2, size, padded=False)

    def step(self, weights: Any, segments: Any, children: torch.Tensor, dropout_mask: Any = None) -> torch.Tensor:
        once = self.layer.apply_segments(weights["layer"], children.flatten(1), segments)
        x = torch.cat([once, 1 - once], dim=1)[:, : children[0].numel()]
        twice = self.layer.apply_segments(weights["layer"], x, segments)
        return (torch.sigmoid(twice) - 0.5) * 2.0 - once / 4 + torch.ones_like(once) * twice


def test_a_cell_of_a_users_own_is_recorded() -> None:
    _, graph, feat = small()
    cell = Affine(7, 3).double()
    assert choose("auto", cell, torch.float64, torch.device("cpu")).name == "native"
    feat = feat.double().requires_grad_()
    mix = torch.randn(30, 7, dtype=torch.float64)
    for ours, theirs in zip(*(results(cell, d, graph, feat, None, mix) for d in ("native", "levels")), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_only_what_is_needed_is_kept() -> None:
    """A tree-LSTM's program: its gates, what the functions of them are, and no copies but that of the input."""
    cell = make_cell("tree-lstm", 5, 2)
    layout = engine(cell, False).layout(cell, 2)
    assert layout.total == 10 + 25 + 25 + 5  # x, preactivations, gates and u, tanh(c)
    assert layout.needed == 10 + 25 + 5  # no gradient is computed from the preactivations
    assert layout.table.operations == 9


@pytest.mark.parametrize(("name", "options"), VARIANTS)
@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_nothing_depends_on_what_was_in_memory(
    name: str, options: dict[str, Any], dropout: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most gradients are set by the first that gives one, and memory is used again: it may hold anything."""
    taken = Pool.take

    def spoiled(self: Pool, *args: Any, **kwargs: Any) -> torch.Tensor:
        tensor = taken(self, *args, **kwargs)
        return tensor.fill_(float("nan"))

    torch.manual_seed(0)
    cell = make_cell(name, 19, 2, children=3, dropout=dropout, **options)
    graph = shared_forest(60, 2, 3, random.Random(1))
    feat = torch.randn(60, 19).requires_grad_()
    given = cell.draw_dropout(60, feat), torch.randn(60, cell.state_size)
    expected = results(cell, "native", graph, feat, *given)
    monkeypatch.setattr(Pool, "take", spoiled)
    for ours, theirs in zip(results(cell, "native", graph, feat, *given), expected, strict=True):
        assert torch.equal(ours, theirs)


def test_a_change_of_a_part_of_a_cell_is_noticed() -> None:
    """Attributes, parts and parameters of parts may be replaced between two passes."""
    cell, graph, feat = small()
    parts = [part for part in cell.modules() if isinstance(part, TypedLinear)]
    expected = cell(graph, feat)

    def compare() -> torch.Tensor:
        ours = cell(graph, feat)
        cell.driver = "levels"
        torch.testing.assert_close(ours, cell(graph, feat))
        cell.driver = "native"
        return ours

    parts[0].weight = torch.nn.Parameter(0.5 * parts[0].weight.detach())
    second = compare()
    assert not torch.equal(second, expected)
    name, old = next((k, v) for k, v in cell.named_modules() if isinstance(v, TypedLinear) and v.bias is not None)
    new = copy.deepcopy(old)
    new.reset_parameters()
    cell.get_submodule(name.rpartition(".")[0])._modules[name.rpartition(".")[2]] = new
    third = compare()
    assert not torch.equal(third, second)
    new.note = torch.ones(3)  # type: ignore[assignment]
    assert torch.equal(compare(), third)
    new.note = torch.ones(3)  # another tensor, which has no one answer to whether it is equal
    assert torch.equal(compare(), third)


def test_what_is_recorded_of_a_cell_goes_with_it() -> None:
    cell, graph, feat = small()
    cell(graph, feat).sum().backward()
    known = weakref.ref(cell)
    del cell
    gc.collect()
    assert known() is None


@pytest.mark.parametrize("change", ["add_", "data", "numpy"])
def test_gradients_are_right_after_someone_wrote_into_earlier_ones(change: str) -> None:
    """Types without nodes have a gradient of 0, whatever was in the memory of an earlier gradient."""
    cell = make_cell("tree-lstm", 20, 12)
    cell.driver = "native"
    feat = torch.randn(40, 20)
    graphs = [shared_forest(40, types, 2, random.Random(types)) for types in (3, 8, 3)]
    addresses = set()
    for graph in graphs * 2:
        cell.zero_grad()
        cell(graph, feat).sum().backward()
        expected = make_cell("tree-lstm", 20, 12)
        expected.load_state_dict(cell.state_dict())
        expected.driver = "levels"
        expected(graph, feat).sum().backward()
        for ours, theirs in zip(cell.parameters(), expected.parameters(), strict=True):
            assert ours.grad is not None and theirs.grad is not None
            torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-4, atol=1e-5)
            if change == "add_":
                ours.grad.add_(1.0)
            elif change == "data":
                ours.grad.data.add_(1.0)
            else:
                ours.grad.numpy()[:] += 1.0
        addresses.add(cell.gate.weight.grad.data_ptr())
    assert len(addresses) == 1  # the memory was used again


def test_two_passes_before_their_gradients() -> None:
    """Nothing of a pass is used again while its gradient may be asked for: also twice, and also after an error."""
    cell, graph, feat = small()
    other = shared_forest(45, 3, 2, random.Random(7))
    more = torch.randn(45, 7)
    parameters = list(cell.parameters())

    def gradients(states: torch.Tensor) -> list[torch.Tensor]:
        return list(torch.autograd.grad(states.square().sum(), parameters, retain_graph=True, allow_unused=True))

    alone = [gradients(cell.states(*each)) for each in ((graph, feat), (other, more))]
    first = cell.states(graph, feat)
    second = cell.states(other, more)
    with pytest.raises(ValueError, match="must have the shape"):
        cell.states(graph, feat, dropout_mask=torch.ones(1, 1))
    together = [gradients(second), gradients(first), gradients(second)]
    for found, expected in zip(together, (alone[1], alone[0], alone[1]), strict=True):
        for ours, theirs in zip(found, expected, strict=True):
            assert (ours is None) == (theirs is None)
            assert ours is None or torch.equal(ours, theirs)


def test_gradients_that_are_kept_do_not_change() -> None:
    cell, graph, feat = small()
    kept = []
    for _ in range(6):
        cell.zero_grad()
        cell(graph, feat).sum().backward()
        kept.append([parameter.grad for parameter in cell.parameters()])
    for found in kept[1:]:
        for ours, first in zip(found, kept[0], strict=True):
            assert (ours is None and first is None) or torch.equal(ours, first)
    weight = next(p for p in cell.parameters() if p.grad is not None)
    once = weight.grad.clone()
    cell(graph, feat).sum().backward()  # adds to what there is
    torch.testing.assert_close(weight.grad, 2 * once)


def test_frozen_shared_and_hooked_parameters() -> None:
    """Weights without a gradient get none, hooks see the gradient, and a map used by two cells gets both."""
    graph, feat = shared_forest(30, 3, 2, random.Random(0)), torch.randn(30, 7)
    cell = make_cell("tree-lstm", 7, 3)
    twin = make_cell("tree-lstm", 7, 3)
    twin.gate.weight = cell.gate.weight
    cell.gate.bias.requires_grad_(False)
    seen: list[torch.Tensor] = []
    cell.gate.weight.register_hook(lambda gradient: seen.append(gradient.clone()) or gradient * 2)
    found = {}
    for driver in ("native", "levels"):
        cell.driver = twin.driver = driver
        for each in (cell, twin):
            each.zero_grad()
        (cell(graph, feat).sum() + twin(graph, feat).sum()).backward()
        assert cell.gate.bias.grad is None and twin.gate.bias.grad is not None
        found[driver] = cell.gate.weight.grad.clone(), twin.gate.bias.grad.clone()
    assert len(seen) == 2
    torch.testing.assert_close(found["native"], found["levels"], rtol=1e-4, atol=1e-5)


def test_leaves_and_masks_of_other_shapes_are_refused() -> None:
    cell, graph, feat = small()
    plan = plan_of(graph)
    leaves = cell.leaf_states(feat[plan.node[: plan.leaves]])
    for wrong in (leaves[:-1], torch.cat([leaves, leaves], dim=1), leaves[0]):
        with pytest.raises(ValueError, match="leaves"):
            run(cell, plan, wrong, plan.row)
    with pytest.raises(ValueError, match="mask"):
        run(cell, plan, leaves, plan.row, torch.ones(30, 2))


class Tempered(TreeRNN):
    """A step that looks at attributes of the cell."""

    temperature = 1.0

    def step(self, *arguments: Any, **named: Any) -> torch.Tensor:
        states = super().step(*arguments, **named)
        return states * (self.temperature if self.training else 0.5)


def pair() -> Any:
    graph = dgl.graph(([1, 2], [0, 0]))
    graph.ndata["op"], graph.edata["pos"] = torch.zeros(3, dtype=torch.int64), torch.tensor([0, 1])
    return graph


def test_a_step_that_looks_at_attributes_is_recorded_anew_when_they_change() -> None:
    torch.manual_seed(0)
    cell, feat = Tempered(size=4, types=1), torch.randn(3, 4)
    changes = [
        lambda: setattr(cell, "temperature", 2.0),
        lambda: cell.eval(),
        lambda: cell.train(),
        lambda: setattr(cell, "temperature", 3.0),
    ]
    for change in (lambda: None, *changes):
        change()
        found = []
        for name in ("native", "levels"):
            cell.driver = name
            found.append(cell.states(pair(), feat))
        torch.testing.assert_close(*found)


def test_a_cell_whose_parts_change_in_number_is_recorded_anew() -> None:
    torch.manual_seed(0)
    cell, feat = make_cell("tree-smu", 4, 1, slots=5), torch.randn(3, 4)
    for slots in (5, 2, 7):
        cell.stack_slots = slots
        found = []
        for name in ("native", "levels"):
            cell.driver = name
            found.append(cell.states(pair(), feat))
        torch.testing.assert_close(*found)


def test_a_cell_that_can_no_longer_be_recorded_runs_on_levels() -> None:
    cell, feat = TreeRNN(size=4, types=1), torch.randn(3, 4)
    cell.states(pair(), feat)
    torch.nn.utils.prune.random_unstructured(cell.maps()[0], "weight", 0.5)
    with pytest.warns(UserWarning, match="runs on the driver 'levels'"):
        found = cell.states(pair(), feat)
    cell.driver = "levels"
    assert torch.equal(found, cell.states(pair(), feat))


class RectifiedAtTimes(TreeRNN):
    """A step that can be recorded for two children without dropout alone."""

    def step(self, weights: Any, segments: Any, children: torch.Tensor, dropout_mask: Any = None) -> torch.Tensor:
        states = super().step(weights, segments, children, dropout_mask)
        special = dropout_mask is not None if self.dropout else children.shape[1] == 1
        return torch.relu(states) if special else states


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_a_step_that_can_be_recorded_in_part_runs_on_levels(dropout: float) -> None:
    cell = RectifiedAtTimes(size=4, types=1, dropout=dropout)
    with pytest.warns(UserWarning, match="runs on the driver 'levels'"):
        assert choose("auto", cell, torch.float32, torch.device("cpu")).name == "levels"
    assert cell(pair(), torch.randn(3, 4)).shape == (3, 4)
