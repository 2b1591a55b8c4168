"""The sequence networks against a recursion token by token, in C and without it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from dgl_mathtree.graphs import batch_graph
from dgl_mathtree.language import Forest, parse_equation
from dgl_mathtree.nn import SequenceEncoder
from dgl_mathtree.nn.cells.sequence_cells import SequenceCell, sequence_cell
from dgl_mathtree.nn.drivers.inputs import DriverError
from dgl_mathtree.nn.drivers.native import engine, library
from tests.nn.drivers.native import NEEDS_LIBRARY

KINDS = ("rnn", "lstm", "stack-rnn")
WORDS = ["x", "y", "1", "2"]
Found = tuple[torch.Tensor, dict[str, torch.Tensor]]


def rnn_ends(network: Any, xs: torch.Tensor) -> torch.Tensor:
    h = xs.new_zeros(network.hidden_size)
    for x in xs:
        h = torch.tanh(network.weight_ih_l0 @ x + network.bias_ih_l0 + network.weight_hh_l0 @ h + network.bias_hh_l0)
    return h


def lstm_ends(network: Any, xs: torch.Tensor) -> torch.Tensor:
    h = c = xs.new_zeros(network.hidden_size)
    for x in xs:
        sums = network.weight_ih_l0 @ x + network.bias_ih_l0 + network.weight_hh_l0 @ h + network.bias_hh_l0
        i, f, g, o = sums.chunk(4)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
    return h


def stack_ends(network: Any, xs: torch.Tensor) -> torch.Tensor:
    h, empty = xs.new_zeros(network.size), xs.new_zeros(network.size)
    stack = [empty] * network.stack_slots
    for x in xs:
        h = torch.tanh(network.layer.weight @ torch.cat([x, h, stack[0]]) + network.layer.bias)
        push, pop, stay = torch.softmax(network.act.weight @ h + network.act.bias, dim=0)
        around = [torch.sigmoid(network.push.weight @ h), *stack, empty]
        stack = [push * around[k] + pop * around[k + 2] + stay * around[k + 1] for k in range(len(stack))]
    return h


PLAIN = {"rnn": rnn_ends, "lstm": lstm_ends, "stack-rnn": stack_ends}


def plain(encoder: SequenceEncoder, tokens: torch.Tensor, lengths: torch.Tensor, mask: Any) -> torch.Tensor:
    """What `encode` should give, one token at a time."""
    rows = []
    for k, length in enumerate(lengths.tolist()):
        xs = encoder.embedding.weight[tokens[k, :length]]
        rows.append(PLAIN[encoder.kind](encoder.network, xs if mask is None else xs * mask[k]))
    return torch.stack(rows)


def found(encoder: SequenceEncoder, run: Callable[[], torch.Tensor], mix: torch.Tensor) -> Found:
    """Vectors, and the gradients of all parameters."""
    encoder.zero_grad(set_to_none=True)
    vectors = run()
    (vectors * mix).sum().backward()  # type: ignore[no-untyped-call]
    return vectors.detach(), {name: p.grad for name, p in encoder.named_parameters() if p.grad is not None}


@pytest.fixture
def no_c_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "FILE", tmp_path / "missing.so")
    monkeypatch.setattr(library, "load_library", library.load_library.__wrapped__)
    monkeypatch.setattr(library, "_file", library._file.__wrapped__)


def make(kind: str, size: int = 7, dropout: float = 0.0, seed: int = 0) -> SequenceEncoder:
    torch.manual_seed(seed)
    options = {"slots": 3} if kind == "stack-rnn" else {}
    return SequenceEncoder(kind, size, WORDS, scale=1.0, dropout=dropout, operators=["Add", "sin"], **options)


def compare(kind: str, dropout: float, dtype: torch.dtype, size: int, seed: int) -> None:
    encoder = make(kind, size, dropout, seed).to(dtype)
    rng = np.random.default_rng(seed)
    # few tokens, so that many sequences begin alike or are equal; one is empty
    tokens = torch.from_numpy(rng.integers(0, 3, (30, 9)))
    tokens[:, 4:] = torch.from_numpy(rng.integers(0, len(encoder.tokens), (30, 5)))
    lengths = torch.from_numpy(rng.integers(0, 10, 30))
    lengths[3], lengths[4] = 0, 9
    mask = encoder.draw_dropout(30)
    mask = None if mask is None else mask[:, None].to(dtype)
    mix = torch.randn(30, size, dtype=dtype)
    ours = found(encoder, lambda: encoder.encode(tokens, lengths, mask), mix)
    theirs = found(encoder, lambda: plain(encoder, tokens, lengths, mask), mix)
    close = {"rtol": 0, "atol": 1e-11 if dtype == torch.float64 else 2e-5}
    torch.testing.assert_close(ours[0], theirs[0], **close)
    assert ours[0][3].abs().max() == 0
    assert set(ours[1]) == set(theirs[1]) == {name for name, _ in encoder.named_parameters()}
    for name, gradient in ours[1].items():
        scale = float(theirs[1][name].abs().max())
        torch.testing.assert_close(gradient / scale, theirs[1][name] / scale, **close)
    with torch.no_grad():
        torch.testing.assert_close(encoder.encode(tokens, lengths, mask), theirs[0], **close)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("kind", KINDS)
def test_vectors_and_gradients_are_those_of_the_plain_recursion(kind: str, dropout: float, dtype: torch.dtype) -> None:
    for seed, size in enumerate((1, 7, 20)):
        compare(kind, dropout, dtype, size, seed)


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("kind", KINDS)
def test_without_the_c_code_they_are_the_same(kind: str, dropout: float, no_c_code: None) -> None:
    encoder = make(kind)
    cell = sequence_cell(kind, encoder.size, encoder.slots)
    assert not cell.can_run(cell.borrowed(encoder.network))
    compare(kind, dropout, torch.float64, 7, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_cell_has_the_shapes_of_what_it_borrows(kind: str) -> None:
    encoder = make(kind)
    cell = sequence_cell(kind, encoder.size, encoder.slots)
    borrowed = cell.borrowed(encoder.network)
    assert [p.shape for p in engine.parameters_of(cell)] == [w.shape for w in borrowed]
    assert not set(engine.parameters_of(cell)) & set(encoder.parameters())
    assert cell.can_run(borrowed)


@pytest.mark.parametrize("kind", KINDS)
def test_drivers_run_the_cell_with_the_weights_of_the_network(kind: str) -> None:
    encoder = make(kind, size=5).double()
    rng = np.random.default_rng(1)
    tokens, lengths = rng.integers(0, len(encoder.tokens), (20, 6)), rng.integers(0, 7, 20)
    mix = torch.randn(20, 5, dtype=torch.float64)
    expected = found(encoder, lambda: encoder.encode_in_torch(torch.from_numpy(tokens), torch.from_numpy(lengths)), mix)
    for name in ("levels",) if NEEDS_LIBRARY.args[0] else ("levels", "native"):
        cell = sequence_cell.__wrapped__(kind, encoder.size, encoder.slots)
        cell.driver = name
        own = [p.clone() for p in cell.parameters()]

        def run(cell: SequenceCell = cell) -> torch.Tensor:
            x, plan, rows = encoder._trie(tokens, lengths, None)
            return cell.ends(cell.borrowed(encoder.network), cell.shares(encoder.network, x), plan, rows)

        ours = found(encoder, run, mix)
        torch.testing.assert_close(ours, expected, rtol=0, atol=1e-11)
        assert all(torch.equal(p, q) and p.grad is None for p, q in zip(cell.parameters(), own, strict=True))
        cell.driver = "dgl"
        with pytest.raises(DriverError, match="as in sequences"):
            run(cell)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_by_differences(kind: str) -> None:
    encoder = make(kind, size=3).double()
    names = [name for name, _ in encoder.named_parameters()]
    tokens, lengths = torch.tensor([[0, 2, 5, 3], [0, 2, 1, 1], [0, 2, 1, 1]]), torch.tensor([4, 3, 2])

    def encode(*values: torch.Tensor) -> torch.Tensor:
        state = dict(zip(names, values, strict=True))
        called = torch.func.functional_call(
            _Encode(encoder), {f"encoder.{k}": v for k, v in state.items()}, (tokens, lengths)
        )
        return called  # type: ignore[no-any-return]

    values = [p.detach().clone().requires_grad_() for p in encoder.parameters()]
    assert torch.autograd.gradcheck(encode, values)


class _Encode(torch.nn.Module):
    def __init__(self, encoder: SequenceEncoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, tokens: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        return self.encoder.encode(tokens, lengths)


def test_sequences_of_nothing() -> None:
    for kind in KINDS:
        for dropout in (0.0, 0.5):
            encoder = make(kind, dropout=dropout)
            mask = encoder.draw_dropout(2)
            nothing = torch.zeros(2, 0, dtype=torch.int64), torch.zeros(2, dtype=torch.int64)
            ended = encoder.encode(*nothing, None if mask is None else mask[:, None])
            assert ended.shape == (2, 7) and ended.abs().max() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_only_dropout_draws_and_equal_sides_of_a_batch_are_equal(kind: str) -> None:
    forest = Forest.of(parse_equation(text) for text in ("sin(x) + 1 = 1 + sin(x)", "x + 2 = sin(x) + 1"))
    batch = batch_graph(forest, [0, 1], operators=["Add", "sin"])
    sequence_cell.cache_clear()
    encoder = make(kind)
    before = torch.get_rng_state()
    left, right = encoder.sides(batch)
    torch.testing.assert_close(torch.get_rng_state(), before, rtol=0, atol=0)
    torch.testing.assert_close(left[0], right[1], rtol=0, atol=1e-6)
    encoder.dropout = 0.4
    drawn = encoder.sides(batch)
    after = torch.get_rng_state()
    torch.set_rng_state(before)
    given = encoder.sides(batch, encoder.draw_dropout(batch.num_nodes()))
    torch.testing.assert_close(torch.get_rng_state(), after, rtol=0, atol=0)
    torch.testing.assert_close(torch.cat(drawn), torch.cat(given), rtol=0, atol=0)


def test_the_parameters_are_those_of_saved_runs() -> None:
    shapes = {kind: {name: tuple(p.shape) for name, p in make(kind).network.named_parameters()} for kind in KINDS}
    assert shapes == {
        "rnn": {"weight_ih_l0": (7, 7), "weight_hh_l0": (7, 7), "bias_ih_l0": (7,), "bias_hh_l0": (7,)},
        "lstm": {"weight_ih_l0": (28, 7), "weight_hh_l0": (28, 7), "bias_ih_l0": (28,), "bias_hh_l0": (28,)},
        "stack-rnn": {
            "layer.weight": (7, 21), "layer.bias": (7,), "act.weight": (3, 7), "act.bias": (3,), "push.weight": (7, 7),
        },
    }  # fmt: skip


def test_a_programmed_stack_rnn_remembers_what_was_pushed() -> None:
    encoder = SequenceEncoder("stack-rnn", size=4, vocabulary=["a", "b", "pop", "top"], operators=[], slots=12)
    weights = {name: torch.zeros_like(parameter) for name, parameter in encoder.named_parameters()}
    first = encoder.tokens.index("a")
    # What a token does (1 pushes, -1 pops) and what it pushes; the other two units read the top: is it there, is it a?
    weights["embedding.weight"][first : first + 3, :2] = torch.tensor([[1.0, 1.0], [1.0, -1.0], [-1.0, 0.0]])
    weights["network.layer.weight"][[0, 1, 2, 3], [0, 1, 8, 9]] = 40.0
    weights["network.layer.bias"][2:] = -20.0
    weights["network.act.weight"][:2, 0] = torch.tensor([100.0, -100.0])
    weights["network.act.bias"][2] = 50.0
    weights["network.push.weight"][[0, 1], [0, 1]] = 40.0
    encoder.load_state_dict(weights)
    draw = np.random.default_rng(0)
    tokens = np.full((40, 61), first + 3)
    lengths, tops = np.zeros(40, dtype=np.int64), []
    for k in range(40):
        stack: list[str] = []
        lengths[k] = draw.integers(2, 61) + 1
        for t in range(lengths[k] - 1):
            pushed = ["a", "b"] if len(stack) < 12 else []
            word = draw.choice([*pushed, *(["pop"] if len(stack) > 1 else []), *(["top"] if stack else [])])
            tokens[k, t] = encoder.tokens.index(word)
            stack = stack[:-1] if word == "pop" else stack if word == "top" else [*stack, word]
        tops.append(1.0 if stack[-1] == "a" else -1.0)
    assert len(set(tops)) == 2
    for encode in (encoder.encode, encoder.encode_in_torch):
        ended = encode(torch.from_numpy(tokens), torch.from_numpy(lengths))
        torch.testing.assert_close(ended[:, 2:], torch.tensor([[1.0, top] for top in tops]))
