"""The one table of model names: those of the paper's results and a few beside them, what each is made of, and how
figures show it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from dgl_mathtree.language.vocabulary import OPERATOR_NAMES, OPERATORS
from dgl_mathtree.nn.baselines import BagOfOperators, Majority
from dgl_mathtree.nn.cell import TreeCell, check_choice
from dgl_mathtree.nn.cells.m_tree_lstm import MTreeLSTM
from dgl_mathtree.nn.cells.mi_tree_lstm import MITreeLSTM
from dgl_mathtree.nn.cells.second_order_tree_rnn import SecondOrderTreeRNN
from dgl_mathtree.nn.cells.stack import Stacked
from dgl_mathtree.nn.cells.tree_lstm import TreeLSTM
from dgl_mathtree.nn.cells.tree_rnn import TreeRNN
from dgl_mathtree.nn.cells.tree_smu import TreeSMU
from dgl_mathtree.nn.encoder import TreeEncoder
from dgl_mathtree.nn.sequence import SequenceEncoder
from dgl_mathtree.nn.verifier import EquationVerifier, Verifier

MOST = 1000
"""The largest whole number that an option may have."""
STACK_OPTIONS = ("slots", "no_op", "merge", "read")
GIVEN = ("size", "types", "children", "kind", "vocabulary", "operators", "scale", "dropout", "head", "leaves")
"""Arguments of constructors that are given by other means than options."""


@dataclass(frozen=True)
class Model:
    """A row of the table.

    Attributes
    ----------
    make : callable
        The cell, or the sequence encoder.
    family : str
        The models that figures show together.
    colour : str
        Its own in figures: one that reads on white and on a dark page.
    marker : str
        Its own among the models of its family, as matplotlib names it: colours alone do not tell lines apart for
        everyone.
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
    beside : bool
        Whether it stands beside the rows of the paper's table: no experiment trains it unless its study names it, and
        reports list it apart.
    """

    make: Callable[..., Any]
    family: str
    colour: str
    marker: str
    lr: float = 1e-2
    scale: float = 0.1
    weight_decay: float = 0.1
    decay: str = "decoupled"
    preset: dict[str, Any] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    stack: bool = False
    beside: bool = False

    @property
    def options(self) -> list[str]:
        """Names of the options that may be set."""
        names = list(inspect.signature(self.make).parameters) + ([*STACK_OPTIONS] if self.stack else [])
        # Where a stack is read into is a choice only for a cell that multiplies.
        cell = self.make if isinstance(self.make, type) and issubclass(self.make, TreeCell) else TreeCell
        without = ["read"] if cell.multiply is TreeCell.multiply else []
        return [name for name in names if name not in (*GIVEN, *self.preset, *without)]

    @property
    def is_cell(self) -> bool:
        """Whether it is a recursive cell."""
        return isinstance(self.make, type) and issubclass(self.make, TreeCell)

    @property
    def is_baseline(self) -> bool:
        """Whether it is fitted at once instead of being trained."""
        return self.make in (Majority, BagOfOperators)


# Families that figures show first, in this order; others follow in the order of the table.
TREE_LSTMS, WITH_STACK, TREE_RNNS, TREE_SMUS = "Tree-LSTM", "Tree-LSTM with a stack", "Tree-RNN", "Tree-SMU"
OTHERS = "Sequences and floors"
SHOWN_FIRST = (TREE_LSTMS, WITH_STACK, TREE_RNNS, TREE_SMUS, OTHERS)
SECOND_ORDER: dict[str, Any] = {"lr": 2e-4, "scale": 0.5, "weight_decay": 5e-3, "decay": "l2"}
MODELS: dict[str, Model] = {
    "majority": Model(Majority, OTHERS, "#8a8f98", ""),
    "bag-of-operators": Model(BagOfOperators, OTHERS, "#8f7f6a", "x"),
    "rnn": Model(SequenceEncoder, OTHERS, "#b8860b", "o", lr=3e-3, preset={"kind": "rnn", "slots": 1}),
    "lstm": Model(SequenceEncoder, OTHERS, "#a0673b", "s", weight_decay=0.03, preset={"kind": "lstm", "slots": 1}),
    "stack-rnn": Model(SequenceEncoder, OTHERS, "#d2793c", "^", lr=3e-3, preset={"kind": "stack-rnn"}),
    "tree-rnn": Model(TreeRNN, TREE_RNNS, "#3fa17a", "o", lr=3e-3),
    "tree-lstm": Model(TreeLSTM, TREE_LSTMS, "#4a90d9", "o", weight_decay=0.03),
    "tree-lstm+stack": Model(TreeLSTM, WITH_STACK, "#d9608c", "o", weight_decay=0.03, stack=True),
    "tree-smu": Model(TreeSMU, TREE_SMUS, "#a37be0", "o", weight_decay=0.03),
    "tree-smu-no-op": Model(TreeSMU, TREE_SMUS, "#8458c9", "s", weight_decay=0.03, preset={"no_op": False}),
    "tree-smu-no-op-normalize": Model(
        TreeSMU, TREE_SMUS, "#c06fd0", "^", weight_decay=0.03, preset={"no_op": False, "normalize": False}
    ),
    "second-order-tree-rnn": Model(
        SecondOrderTreeRNN, TREE_RNNS, "#1f8a4c", "s", **SECOND_ORDER, defaults={"first_order": True}
    ),
    "m-tree-lstm": Model(MTreeLSTM, TREE_LSTMS, "#2f6fde", "s", lr=3e-3),
    "mi-tree-lstm": Model(MITreeLSTM, TREE_LSTMS, "#1a9cb0", "^", lr=3e-3),
    "m-tree-lstm+stack": Model(MTreeLSTM, WITH_STACK, "#d62f4b", "s", lr=2e-3, stack=True),
    "mi-tree-lstm+stack": Model(MITreeLSTM, WITH_STACK, "#e2683c", "^", lr=3e-3, stack=True),
    "tree-rnn+stack": Model(TreeRNN, TREE_RNNS, "#7fb83f", "^", lr=3e-3, stack=True, beside=True),
    "second-order-tree-rnn-pure": Model(
        SecondOrderTreeRNN, TREE_RNNS, "#5f7f2a", "D", **SECOND_ORDER, preset={"first_order": False}, beside=True
    ),
    "second-order-tree-rnn+stack": Model(
        SecondOrderTreeRNN,
        TREE_RNNS,
        "#2fa8a0",
        "v",
        **SECOND_ORDER,
        defaults={"first_order": True},
        stack=True,
        beside=True,
    ),
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
    made_by = {"name": name, "size": size, "types": types, **options}
    outer = {key: options.pop(key) for key in STACK_OPTIONS if model.stack and key in options}
    cell: TreeCell = model.make(size, types, **model.preset, **options)
    cell = Stacked(cell, **outer) if model.stack else cell
    cell.made_by = made_by
    return cell


def make_verifier(
    name: str,
    size: int,
    vocabulary: Sequence[str],
    operators: Sequence[str] = OPERATOR_NAMES,
    head: str = "dot",
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
    head : str
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
    if model.is_baseline:
        raise ValueError(f"{name} is not a network: make_model makes it")
    if model.make is SequenceEncoder:
        check_choice("leaves", leaves, ["table"])
        encoder = SequenceEncoder(
            size=size, vocabulary=vocabulary, scale=scale, operators=operators, **model.preset, **options
        )
        return EquationVerifier(encoder, head)
    cell = make_cell(name, size, len(operators), **options)
    return EquationVerifier(TreeEncoder(cell, vocabulary, scale, operators, leaves), head)


def make_model(
    name: str,
    size: int,
    vocabulary: Sequence[str],
    operators: Sequence[str] = OPERATOR_NAMES,
    head: str = "dot",
    leaves: str = "table",
    **options: Any,
) -> Verifier:
    """`make_verifier` for every name there is, the baselines included, which have no head."""
    model = _model(name, {})
    if model.is_baseline:
        _model(name, {key: value for key, value in options.items() if key not in GIVEN})
        return model.make(vocabulary, operators)  # type: ignore[no-any-return]
    return make_verifier(name, size, vocabulary, operators, head, leaves, **options)


def _model(name: str, options: dict[str, Any]) -> Model:
    if name not in MODELS:
        raise ValueError(f"unknown model {name!r}; expected one of {', '.join(MODELS)}")
    model = MODELS[name]
    for option in options:
        if option not in (*model.options, "dropout", *(["children"] if model.is_cell else [])):
            raise ValueError(f"{name} has no option {option!r}; it has {', '.join(model.options) or 'none'}")
    return model


# Building a model takes long, and a plan of experiments checks the same options thousands of times.
_CHECKED: set[tuple[str, object, str]] = set()


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
    known = (name, model.make, repr(sorted((model.preset | options).items())))
    if known in _CHECKED:
        return
    with torch.random.fork_rng(devices=[]):  # checking moves nobody's random numbers on
        make_model(name, 2, ["x"], ["sin"], **options)
    _CHECKED.add(known)
