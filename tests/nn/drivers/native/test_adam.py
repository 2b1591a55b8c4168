"""Clipping and Adam in C against torch's own."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from dgl_mathtree.nn.drivers.native.adam import NativeAdam

from . import NEEDS_LIBRARY

pytestmark = NEEDS_LIBRARY


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 2e-6)])
@pytest.mark.parametrize("decoupled", [True, False])
def test_steps_equal_those_of_torch(decoupled: bool, dtype: torch.dtype, tolerance: float) -> None:
    torch.manual_seed(0)
    ours = [torch.nn.Parameter(torch.randn(shape, dtype=dtype)) for shape in ((3, 7, 101), (5,), ())]
    theirs = copy.deepcopy(ours)
    one = NativeAdam([{"params": ours[:2], "weight_decay": 0.1}, {"params": ours[2:]}], lr=0.01, decoupled=decoupled)
    kind = torch.optim.AdamW if decoupled else torch.optim.Adam
    other = kind(
        [{"params": theirs[:2], "weight_decay": 0.1}, {"params": theirs[2:], "weight_decay": 0.0}], lr=0.01, fused=True
    )
    for number in range(8):
        for mine, their in zip(ours, theirs, strict=True):
            mine.grad = torch.randn_like(mine) * (0.01 if number % 2 else 1.0)  # clipped, and not
            their.grad = mine.grad.clone()
        for group in (*one.param_groups, *other.param_groups):
            group["lr"] = 0.01 / (1 + number)
        norm = torch.nn.utils.clip_grad_norm_(theirs, 1.0)
        torch.testing.assert_close(one.clip(1.0).to(dtype), norm, rtol=1e-5, atol=0)
        one.step()
        other.step()
        if number == 4:  # a state may be taken up by the other
            one.load_state_dict({**one.state_dict(), "state": copy.deepcopy(other.state_dict()["state"])})
    for mine, their in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, their, rtol=tolerance, atol=tolerance)
        assert one.state[mine].keys() == other.state[their].keys()
        torch.testing.assert_close(one.state[mine]["exp_avg_sq"], other.state[their]["exp_avg_sq"])


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_the_norm_of_a_gradient_that_is_not_finite_is_not_finite(bad: float) -> None:
    weight = torch.nn.Parameter(torch.ones(50))
    weight.grad = torch.ones(50)
    weight.grad[31] = bad
    assert not torch.isfinite(NativeAdam([weight], lr=0.1).clip(1.0))


def test_a_step_counts_as_a_change_in_place() -> None:
    weight = torch.nn.Parameter(torch.ones(3))
    value = (weight * weight).sum()
    value.backward(retain_graph=True)
    NativeAdam([weight], lr=0.1).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        value.backward()


def with_parts(pieces: dict[int, float], size: int = 5000) -> torch.Tensor:
    """A gradient that is 0 but for some numbers."""
    gradient = torch.zeros(size)
    for place, value in pieces.items():
        gradient[place] = value
    return gradient


GRADIENTS = [with_parts(pieces) for pieces in ({0: 1.0}, {}, {3000: -2.0}, {0: 0.5, 4999: 1e-30}, {}, {1500: 3.0})]


@pytest.mark.parametrize(("decoupled", "decay"), [(True, 0.0), (True, 0.1), (False, 0.1)])
@pytest.mark.parametrize("resumed", [False, True])
def test_what_never_had_a_gradient_is_left_alone_and_nothing_else(decoupled: bool, decay: float, resumed: bool) -> None:
    """Steps with gradients in ever more places are those of torch, and to the bit the same after a state is loaded."""
    torch.manual_seed(0)
    ours, theirs = (torch.nn.Parameter(weight) for weight in torch.randn(5000).repeat(2, 1).unbind())
    one = NativeAdam([ours], lr=0.01, weight_decay=decay, decoupled=decoupled)
    other = (torch.optim.AdamW if decoupled else torch.optim.Adam)([theirs], lr=0.01, weight_decay=decay)
    twin = torch.nn.Parameter(ours.detach().clone())
    again = NativeAdam([twin], lr=0.01, weight_decay=decay, decoupled=decoupled)
    for gradient in GRADIENTS:
        ours.grad, theirs.grad, twin.grad = gradient.clone(), gradient.clone(), gradient.clone()
        one.step()
        other.step()
        if resumed:
            fresh = NativeAdam([twin], lr=0.01, weight_decay=decay, decoupled=decoupled)
            fresh.load_state_dict(copy.deepcopy(again.state_dict()))
            again = fresh
        again.step()
    torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=1e-7)
    assert torch.equal(ours, twin)
    for moment in ("exp_avg", "exp_avg_sq"):
        torch.testing.assert_close(one.state[ours][moment], other.state[theirs][moment])
        assert torch.equal(one.state[ours][moment], again.state[twin][moment])


def test_moments_that_are_changed_from_outside_count() -> None:
    weight = torch.nn.Parameter(torch.zeros(5000))
    adam = NativeAdam([weight], lr=0.1)
    weight.grad = with_parts({0: 1.0})
    adam.step()
    adam.state[weight]["exp_avg"][4000] = 1.0
    adam.state[weight]["exp_avg_sq"][4000] = 1.0
    adam.step()
    assert weight[4000] < 0 and weight[3000] == 0


def test_additions_to_a_gradient_between_clipping_and_the_step_count() -> None:
    weight = torch.nn.Parameter(torch.zeros(5000))
    adam = NativeAdam([weight], lr=0.1)
    weight.grad = with_parts({0: 1.0})
    adam.clip(100.0)
    weight.grad.data[4000] = 1.0
    adam.step()
    torch.testing.assert_close(weight[4000], torch.tensor(-0.1))


def stepped(adam: torch.optim.Optimizer, weight: torch.nn.Parameter) -> torch.Tensor:
    weight.grad = torch.arange(1.0, weight.numel() + 1).view_as(weight)
    adam.step()
    return weight.detach().clone()


def test_the_whole_state_of_torch_is_taken_up() -> None:
    ours, theirs = (torch.nn.Parameter(torch.ones(3)) for _ in range(2))
    other, one = torch.optim.AdamW([theirs], lr=0.1), NativeAdam([ours], lr=0.5)
    ours.data.copy_(stepped(other, theirs))
    one.load_state_dict(copy.deepcopy(other.state_dict()))
    torch.testing.assert_close(stepped(one, ours), stepped(other, theirs))


@pytest.mark.parametrize("kind", [float, lambda n: torch.tensor(n, dtype=torch.float64), lambda n: torch.tensor([n])])
def test_the_number_of_steps_may_be_of_any_kind(kind: Callable[[float], Any]) -> None:
    """Older versions of torch, and files, have it as a number or in another type."""
    weight, twin = (torch.nn.Parameter(torch.ones(3)) for _ in range(2))
    adam, other = (NativeAdam([each], lr=0.1) for each in (weight, twin))
    stepped(adam, weight), stepped(other, twin)
    adam.state[weight]["step"] = kind(41.0)
    other.state[twin]["step"].fill_(41.0)
    assert torch.equal(stepped(adam, weight), stepped(other, twin))
    assert float(adam.state[weight]["step"]) == float(other.state[twin]["step"]) == 42.0


def test_parameters_of_several_types_are_clipped_and_stepped_together() -> None:
    torch.manual_seed(0)
    kinds = torch.float32, torch.float64, torch.float32
    ours = [torch.nn.Parameter(torch.randn(40, dtype=dtype)) for dtype in kinds]
    theirs = copy.deepcopy(ours)
    for mine, their in zip(ours, theirs, strict=True):
        mine.grad = 3 * torch.randn_like(mine)
        their.grad = mine.grad.clone()
    one, other = NativeAdam(ours, lr=0.1), torch.optim.AdamW(theirs, lr=0.1, weight_decay=0.0)
    norm = torch.nn.utils.clip_grad_norm_(theirs, 1.0)
    torch.testing.assert_close(float(one.clip(1.0)), float(norm), rtol=1e-5, atol=0)
    one.step()
    other.step()
    for mine, their in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, their, rtol=1e-5, atol=1e-6)


def test_nothing_is_stepped_where_one_gradient_does_not_fit() -> None:
    good, bad = (torch.nn.Parameter(torch.ones(3)) for _ in range(2))
    adam = NativeAdam([good, bad], lr=0.1)
    good.grad = bad.grad = torch.ones(3)
    bad.data = torch.ones(4)
    with pytest.raises(ValueError, match="make a new optimizer"):
        adam.step()
    assert torch.equal(good, torch.ones(3)) and not adam.state


def test_copies_go_on_where_the_optimizer_is() -> None:
    weight = torch.nn.Parameter(torch.ones(3))
    adam = NativeAdam([weight], lr=0.1)
    stepped(adam, weight)
    copies = [copy.deepcopy(adam), pickle.loads(pickle.dumps(adam))]
    found = [stepped(each, each.param_groups[0]["params"][0]) for each in copies]
    expected = stepped(adam, weight)
    assert all(torch.equal(each, expected) for each in found)


def test_gradients_are_dropped_or_zeroed() -> None:
    layer = torch.nn.Linear(2, 3)
    adam = NativeAdam(layer.parameters(), lr=0.1)
    layer(torch.ones(1, 2)).sum().backward()
    adam.zero_grad(set_to_none=False)
    assert layer.weight.grad is not None and not layer.weight.grad.any()
    adam.zero_grad()
    assert layer.weight.grad is None and layer.bias.grad is None


def test_a_closure_is_called() -> None:
    weight = torch.nn.Parameter(torch.ones(3))
    adam = NativeAdam([weight], lr=0.1)

    def closure() -> torch.Tensor:
        adam.zero_grad()
        loss = weight.square().sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    assert adam.step(closure) == 3.0
    torch.testing.assert_close(weight.detach(), torch.full((3,), 0.9))


def of_another_type(network: torch.nn.Linear) -> None:
    network.double()


def transposed(network: torch.nn.Linear) -> None:
    network.weight.data = network.weight.data.t()


def smaller(network: torch.nn.Linear) -> None:
    network.weight.data = network.weight.data[:1]


@pytest.mark.parametrize("change", [of_another_type, transposed, smaller])
def test_parameters_that_are_no_longer_as_they_were_are_refused(change: Callable[[torch.nn.Linear], None]) -> None:
    network = torch.nn.Linear(5, 5, bias=False)
    adam = NativeAdam(network.parameters(), lr=0.1)
    stepped(adam, network.weight)
    change(network)
    before = network.weight.detach().clone()
    network.weight.grad = torch.ones_like(network.weight)
    with pytest.raises(ValueError, match=r"make a new optimizer|contiguous float32"):
        adam.step()
    assert torch.equal(network.weight, before)


def test_gradients_that_are_not_dense_are_refused() -> None:
    table = torch.nn.Embedding(5, 3, sparse=True)
    table(torch.tensor([1])).sum().backward()
    with pytest.raises(ValueError, match="sparse"):
        NativeAdam(table.parameters(), lr=0.1).clip(1.0)


def test_hooks_and_the_profiler_hear_of_steps() -> None:
    weight = torch.nn.Parameter(torch.ones(3))
    adam, heard = NativeAdam([weight], lr=0.1), []
    weight.grad = torch.ones(3)
    adam.step()
    handles = [
        adam.register_step_pre_hook(lambda *_: heard.append("before")),
        adam.register_step_post_hook(lambda *_: heard.append("after")),
        register_optimizer_step_post_hook(lambda *_: heard.append("any")),
    ]
    adam.step()
    assert heard == ["before", "after", "any"]
    for handle in handles:
        handle.remove()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        adam.step()
    assert len(heard) == 3 and any(event.name == "Optimizer.step#NativeAdam.step" for event in profile.events())
