"""The one table of model names: those of the paper's results, and what each is made of."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from dgl_mathtree.expressions.vocabulary import OPERATOR_NAMES, OPERATORS
from dgl_mathtree.nn.cell import TreeCell, check_choice
from dgl_mathtree.nn.encoder import TreeEncoder
from dgl_mathtree.nn.floors import BagOfOperators, Majority
from dgl_mathtree.nn.m_tree_lstm import MTreeLSTM
from dgl_mathtree.nn.memory_cell import MemoryCell
from dgl_mathtree.nn.mi_tree_lstm import MITreeLSTM
from dgl_mathtree.nn.second_order_tree_rnn import SecondOrderTreeRNN
from dgl_mathtree.nn.sequence import SequenceEncoder
from dgl_mathtree.nn.stack import Stacked
from dgl_mathtree.nn.tree_lstm import TreeLSTM
from dgl_mathtree.nn.tree_rnn import TreeRNN
from dgl_mathtree.nn.tree_smu import TreeSMU
from dgl_mathtree.nn.verifier import EquationVerifier

MOST = 1000
"""The largest whole number that an option may have."""
STACK_OPTIONS = ("slots", "no_op", "merge")
GIVEN = ("size", "types", "children", "kind", "vocabulary", "operators", "scale", "dropout", "root", "leaves")
"""Arguments of constructors that are given by other means than options."""
Verifier = EquationVerifier | BagOfOperators


@dataclass(frozen=True)
class Model:
    """A row of the table.

    Attributes
    ----------
    make : callable
        The cell, or the sequence encoder.
    lr : float
        Learning rate that suits it.
    scale : float
        Standard deviation of the embeddings that suits it.
    weight_decay : float
        That suits it.
    decay : str
        How the weights decay, ``decoupled`` (AdamW) or ``l2`` (Adam).
    preset : dict
        Options that the name stands for.
    defaults : dict
        Options that train best, unless others are asked for.
    stack : bool
        Whether the cell is given a stack.
    """

    make: Callable[..., Any]
    lr: float = 1e-2
    scale: float = 0.1
    weight_decay: float = 0.1
    decay: str = "decoupled"
    preset: dict[str, Any] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    stack: bool = False

    @property
    def options(self) -> list[str]:
        """Names of the options that may be set."""
        names = list(inspect.signature(self.make).parameters) + ([*STACK_OPTIONS] if self.stack else [])
        return [name for name in names if name not in (*GIVEN, *self.preset)]

    @property
    def is_cell(self) -> bool:
        """Whether it is a recursive cell."""
        return isinstance(self.make, type) and issubclass(self.make, TreeCell)

    @property
    def is_floor(self) -> bool:
        """Whether it is fitted at once instead of being trained."""
        return self.make in (Majority, BagOfOperators)


MODELS: dict[str, Model] = {
    "majority": Model(Majority),
    "bag-of-operators": Model(BagOfOperators),
    "rnn": Model(SequenceEncoder, lr=3e-3, preset={"kind": "rnn", "slots": 1}),
    "lstm": Model(SequenceEncoder, weight_decay=0.03, preset={"kind": "lstm", "slots": 1}),
    "stack-rnn": Model(SequenceEncoder, lr=3e-3, preset={"kind": "stack-rnn"}),
    "tree-rnn": Model(TreeRNN, lr=3e-3),
    "tree-lstm": Model(TreeLSTM, weight_decay=0.03),
    "tree-lstm+stack": Model(TreeLSTM, weight_decay=0.03, stack=True),
    "tree-smu": Model(TreeSMU, weight_decay=0.03),
    "tree-smu-no-op": Model(TreeSMU, weight_decay=0.03, preset={"no_op": False}),
    "tree-smu-no-op-normalize": Model(TreeSMU, weight_decay=0.03, preset={"no_op": False, "normalize": False}),
    "second-order-tree-rnn": Model(
        SecondOrderTreeRNN, lr=2e-4, scale=0.5, weight_decay=5e-3, decay="l2", defaults={"first_order": True}
    ),
    "m-tree-lstm": Model(MTreeLSTM, lr=3e-3),
    "mi-tree-lstm": Model(MITreeLSTM, lr=3e-3),
    "m-tree-lstm+stack": Model(MTreeLSTM, lr=2e-3, stack=True),
    "mi-tree-lstm+stack": Model(MITreeLSTM, lr=3e-3, stack=True),
}


def make_cell(name: str, size: int, types: int = len(OPERATORS), **options: Any) -> TreeCell:
    """The recursive cell of a model name.

    Parameters
    ----------
    name : str
        One of `MODELS` that is a cell.
    size : int
        Size n of the vectors.
    types : int
        Number of node types.
    **options
        Of the model, and ``dropout`` and ``children``.

    Examples
    --------
    >>> make_cell("tree-lstm+stack", size=8, slots=3).parts
    {'h': (8,), 'c': (8,), 'stack': (3, 8), 'actions': (3,)}
    """
    model = _model(name, options)
    if not model.is_cell:
        raise ValueError(f"{name} has no cell")
    outer = {key: options.pop(key) for key in STACK_OPTIONS if model.stack and key in options}
    cell = model.make(size, types, **model.preset, **options)
    return Stacked(cell, **outer) if model.stack and isinstance(cell, MemoryCell) else cell


def make_verifier(
    name: str,
    size: int,
    vocabulary: Sequence[str],
    operators: Sequence[str] = OPERATOR_NAMES,
    root: str = "dot",
    leaves: str = "table",
    **options: Any,
) -> EquationVerifier:
    """A verifier with fresh weights, by the name of its model.

    Parameters
    ----------
    name : str
        One of `MODELS` that is a network.
    size : int
        Size n of the vectors.
    vocabulary : sequence of str
        The leaves it is to know.
    operators : sequence of str
        The operators it is to have weights for.
    root : str
        How the sides are compared; see `EquationVerifier`.
    leaves : str
        Which leaves a recursive network reads; see `TreeEncoder`.
    **options
        Of the model; beside them ``dropout`` and ``scale`` (by default the model's).

    Examples
    --------
    >>> verifier = make_verifier("tree-lstm", 8, vocabulary=["x", "1"], operators=["Add", "sin"])
    >>> sum(parameter.numel() for parameter in verifier.parameters())
    1377
    """
    scale = options.pop("scale", None)
    model = _model(name, options)
    scale = model.scale if scale is None else scale
    if model.is_floor:
        raise ValueError(f"{name} is not a network: make_model makes it")
    if model.make is SequenceEncoder:
        check_choice("leaves", leaves, ["table"])
        encoder = SequenceEncoder(
            size=size, vocabulary=vocabulary, scale=scale, operators=operators, **model.preset, **options
        )
        return EquationVerifier(encoder, root)
    cell = make_cell(name, size, len(operators), **options)
    return EquationVerifier(TreeEncoder(cell, vocabulary, scale, operators, leaves), root)


def make_model(
    name: str,
    size: int,
    vocabulary: Sequence[str],
    operators: Sequence[str] = OPERATOR_NAMES,
    root: str = "dot",
    leaves: str = "table",
    **options: Any,
) -> Verifier:
    """`make_verifier` for every name there is, the floors included, which have no root."""
    model = _model(name, {})
    if model.is_floor:
        _model(name, {key: value for key, value in options.items() if key not in GIVEN})
        return model.make(vocabulary, operators)  # type: ignore[no-any-return]
    return make_verifier(name, size, vocabulary, operators, root, leaves, **options)


def _model(name: str, options: dict[str, Any]) -> Model:
    if name not in MODELS:
        raise ValueError(f"there is no model {name!r}; there are {', '.join(MODELS)}")
    model = MODELS[name]
    for option in options:
        if option not in (*model.options, "dropout", *(["children"] if model.is_cell else [])):
            raise ValueError(f"{name} has no option {option!r}; it has {', '.join(model.options) or 'none'}")
    return model


def check_options(name: str, options: dict[str, Any]) -> None:
    """Raise a ValueError for a model name or an option of it that cannot be."""
    if given := [option for option in options if option in GIVEN]:
        raise ValueError(f"{given[0]!r} is not an option of a model; {name} has {', '.join(_model(name, {}).options)}")
    model = _model(name, options)
    signatures = [inspect.signature(model.make), inspect.signature(Stacked)]
    for option, value in options.items():
        default = next(s.parameters[option].default for s in signatures if option in s.parameters)
        if isinstance(default, bool):
            fits, wanted = isinstance(value, bool), "true or false"
        elif isinstance(default, int):
            whole = isinstance(value, int) and not isinstance(value, bool)
            fits, wanted = whole and value <= MOST, f"a whole number up to {MOST}"
        else:
            fits, wanted = isinstance(value, str), "a text"
        if not fits:
            raise ValueError(f"option {option!r} must be {wanted}, not {value!r}")
    with torch.random.fork_rng(devices=[]):  # checking moves nobody's random numbers on
        make_model(name, 2, ["x"], ["sin"], **options)
