"""Checkpoints of the original project (Arabshahi et al., recursiveMemNet) as runs of ours.

Its state dicts have weights of shape (out, in) under an operator's name; ours are packed, (operators, in, out), with
the blocks of the children below each other and the gates side by side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from pickle import UnpicklingError

import torch

from dgl_mathtree import __version__
from dgl_mathtree.files import new_folder, write_atomically
from dgl_mathtree.language.vocabulary import ARITY
from dgl_mathtree.nn import EquationVerifier, MemoryCell, TreeEncoder
from dgl_mathtree.nn.cells.tree_smu import TreeSMU
from dgl_mathtree.nn.tensor_files import save_tensors
from dgl_mathtree.training.config import Config, RunError
from dgl_mathtree.training.run_folder import CONFIG, WEIGHTS, RunFacts

VOCABULARY = (
    *(f"var_{k}" for k in range(10)),
    *map(str, range(11)),
    *("-2", "-3", "2/5", "-1/2", "Rational 0", "0.7", "-1", "nan", "inf", "e", "pi", "One", "1/2"),
)
"""The leaves in the order of the rows of `Symbol.weight`. Two rows have words that nothing is read as: One is read as
the integer 1, and the rational 0 as the integer 0."""
OPERATORS = (
    *("sin", "cos", "tan", "csc", "sec", "cot", "asin", "acos", "atan", "acsc", "asec", "acot"),
    *("sinh", "cosh", "tanh", "csch", "sech", "coth", "asinh", "acosh", "atanh", "acsch", "asech", "acoth", "exp"),
    *("Add", "Mul", "Pow", "log"),
)
"""The operators that a checkpoint has weights for, whatever others there are here."""
UNUSED = re.compile(r"Number_(enc|dec)\..*")
State = Mapping[str, torch.Tensor]
Block = tuple[torch.Tensor, torch.Tensor]
"""Of one gate: weights (in, out) and bias (out,)."""


def import_checkpoint(file: str | Path, out: str | Path, command: str = "") -> RunFacts:
    """Turn a checkpoint of the original project into a run folder; what it says of the run."""
    state = _read(Path(file))
    model, blocks = _recognised(state, file)
    hidden = state["Symbol.weight"].shape[1]
    options = {"activation": "sigmoid"} if model == "tree-rnn" else {}
    facts = RunFacts(
        config=Config(data="original", model=model, hidden=hidden, options=options),
        vocabulary=VOCABULARY,
        operators=OPERATORS,
        checksum="",
        version={"dgl-mathtree": __version__, "torch": torch.__version__},
        command=command,
    )
    with torch.random.fork_rng(devices=[]):  # the weights that it is made with are not used
        verifier = facts.make_model()
    assert isinstance(verifier, EquationVerifier)
    used = _Used(state, str(file))
    _fill(verifier, used, blocks)
    if extra := [key for key in state if key not in used.seen and not UNUSED.fullmatch(key)]:
        raise RunError(f"{file} is not a checkpoint of {model}: it has {extra[0]}, which that model does not have")
    with new_folder(out) as folder:
        write_atomically(folder / CONFIG, facts.to_json())
        save_tensors(folder / WEIGHTS, verifier.state_dict(), facts.metadata())
    return facts


def _read(file: Path) -> State:
    try:
        state = torch.load(file, map_location="cpu", weights_only=True)
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise RunError(f"cannot read {file}: {error.strerror}") from None
    except UnpicklingError:
        reason = "it holds other things than tensors, or is not a file that torch saved"
        raise RunError(f"{file} is not a checkpoint that can be loaded safely: {reason}") from None
    except Exception:  # a damaged file makes torch raise almost anything
        raise RunError(f"{file} is not a checkpoint: it is damaged, or not a file that torch saved") from None
    if not isinstance(state, dict) or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise RunError(f"{file} is not a checkpoint of the original project: expected a state dict of tensors")
    for key, value in state.items():
        plain = value.layout == torch.strided and value.device.type == "cpu" and not value.is_quantized
        if not (plain and value.is_floating_point() and bool(torch.isfinite(value).all())):
            raise RunError(f"{file}: {key} is not a plain tensor of finite numbers")
    return {str(key): value.float() for key, value in state.items()}


class _Used:
    """A state dict that remembers what was taken from it, and checks it."""

    def __init__(self, state: State, file: str) -> None:
        self.state, self.file, self.seen = state, file, set[str]()

    def take(self, key: str, *shape: int) -> torch.Tensor:
        if key not in self.state:
            raise RunError(f"{self.file} is not a complete checkpoint: it has no {key}")
        if tuple(self.state[key].shape) != shape:
            raise RunError(f"{self.file}: {key} has the shape {tuple(self.state[key].shape)}, not {shape}")
        self.seen.add(key)
        return self.state[key]

    def linear(self, key: str, n: int, children: int) -> Block:
        """A linear layer of the children's vectors."""
        return self.take(f"{key}.weight", n, children * n).t(), self.take(f"{key}.bias", n)


def _recognised(state: State, file: str | Path) -> tuple[str, Callable[[_Used, str, int], dict[str, Block]]]:
    """The model that a state dict belongs to, by its keys."""
    if "Symbol.weight" not in state or "bias" not in state:
        raise RunError(f"{file} is not a checkpoint of the original project: it has no Symbol.weight and bias")
    rows = tuple(state["Symbol.weight"].shape)
    if len(rows) != 2 or rows[0] != len(VOCABULARY) or rows[1] == 0:
        raise RunError(
            f"{file}: Symbol.weight must have {len(VOCABULARY)} rows, one for each leaf; its shape is {rows}"
        )
    if any("_stack." in key for key in state):
        return "tree-smu", _smu
    if any(key.endswith(".data.weight") or key.endswith(".data_bias") for key in state):
        return "tree-lstm", _lstm
    if any(key.endswith(".linear.weight") for key in state):
        return "tree-rnn", _rnn
    raise RunError(f"{file} is not a Tree-RNN, Tree-LSTM or Tree-SMU of the original project: its keys are unknown")


def _fill(verifier: EquationVerifier, used: _Used, blocks: Callable[[_Used, str, int], dict[str, Block]]) -> None:
    """Put the weights of a state dict into a verifier."""
    encoder = verifier.encoder
    assert isinstance(encoder, TreeEncoder)
    n = encoder.cell.size
    (layer,) = encoder.cell.maps()
    columns = _columns(encoder)
    with torch.no_grad():
        verifier.beta.copy_(used.take("bias", 1)[0])
        encoder.embedding.weight.copy_(used.take("Symbol.weight", len(VOCABULARY), n))
        layer.weight.zero_()
        assert layer.bias is not None
        layer.bias.zero_()
        for kind, operator in enumerate(encoder.operators):
            for gate, (weight, bias) in blocks(used, operator, n).items():
                at = columns[gate] * n
                layer.weight[kind, : len(weight), at : at + n] = weight
                layer.bias[kind, at : at + n] = bias


def _columns(encoder: TreeEncoder) -> dict[str, int]:
    """Where each gate stands in the cell's one map."""
    names: tuple[str, ...] = ("value",)
    if isinstance(encoder.cell, TreeSMU):
        names = ("push", "pop", "no_op", "gate_1", "gate_2", "output", "value")
    elif isinstance(encoder.cell, MemoryCell):
        names = ("i", "o", "f_1", "f_2", "u")
    return {name: k for k, name in enumerate(names)}


def _rnn(used: _Used, operator: str, n: int) -> dict[str, Block]:
    return {"value": used.linear(f"{operator}.linear", n, ARITY[operator])}


def _lstm(used: _Used, operator: str, n: int) -> dict[str, Block]:
    if ARITY[operator] == 1:
        names = {"i": "data", "f_1": "forget", "o": "output", "u": "input"}
        return {gate: used.linear(f"{operator}.{name}", n, 1) for gate, name in names.items()}
    names = {"i": "data", "o": "output", "u": "input"}
    pairs = {gate: (f"{name}_left", f"{name}_right", f"{name}_bias") for gate, name in names.items()}
    pairs["f_1"] = ("forget_left_by_left", "forget_left_by_right", "forget_bias_left")
    pairs["f_2"] = ("forget_right_by_left", "forget_right_by_right", "forget_bias_right")
    return {
        gate: (
            torch.cat([used.take(f"{operator}.{name}.weight", n, n).t() for name in (left, right)]),
            used.take(f"{operator}.{bias}", n),
        )
        for gate, (left, right, bias) in pairs.items()
    }


def _smu(used: _Used, operator: str, n: int) -> dict[str, Block]:
    arity = ARITY[operator]
    names = {name: f"{name}_gate_linear" for name in ("push", "pop", "no_op")} | {"value": "input_linear"}
    names |= {"gate_1": "gate_linear"} if arity == 1 else {"gate_1": "gate_linear_l", "gate_2": "gate_linear_r"}
    found = {gate: used.linear(f"{operator}_stack.{name}", n, arity) for gate, name in names.items()}
    return found | {"output": used.linear(f"{operator}.o_linear", n, arity)}
