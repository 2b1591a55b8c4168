"""The one table of model names: those of the paper's results, and what each is made of."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dgl_mathtree.expressions.vocabulary import OPERATOR_NAMES, OPERATORS
from dgl_mathtree.nn.cell import TreeCell
from dgl_mathtree.nn.encoder import TreeEncoder
from dgl_mathtree.nn.m_tree_lstm import MTreeLSTM
from dgl_mathtree.nn.mi_tree_lstm import MITreeLSTM
from dgl_mathtree.nn.second_order_tree_rnn import SecondOrderTreeRNN
from dgl_mathtree.nn.sequence import SequenceEncoder
from dgl_mathtree.nn.stack import Stacked
from dgl_mathtree.nn.tree_lstm import MemoryCell, TreeLSTM
from dgl_mathtree.nn.tree_rnn import TreeRNN
from dgl_mathtree.nn.tree_smu import TreeSMU
from dgl_mathtree.nn.verifier import EquationVerifier


@dataclass(frozen=True)
class Model:
    """A row of the table.

    Attributes:
        make: the cell, or the sequence encoder.
        scale: standard deviation of the embeddings that suits it.
        preset: options that the name stands for.
        stack: whether the cell is given a stack.
    """

    make: Callable[..., Any]
    scale: float = 0.1
    preset: dict[str, Any] = field(default_factory=dict)
    stack: bool = False

    @property
    def options(self) -> list[str]:
        """Names of the options that may be set."""
        names = list(inspect.signature(self.make).parameters) + (["slots", "no_op", "merge"] if self.stack else [])
        return [name for name in names if name not in ("size", "types", "kind", "vocabulary", "scale", *self.preset)]


MODELS: dict[str, Model] = {
    "rnn": Model(SequenceEncoder, preset={"kind": "rnn"}),
    "lstm": Model(SequenceEncoder, preset={"kind": "lstm"}),
    "stack-rnn": Model(SequenceEncoder, preset={"kind": "stack-rnn"}),
    "tree-rnn": Model(TreeRNN),
    "tree-lstm": Model(TreeLSTM),
    "tree-lstm+stack": Model(TreeLSTM, stack=True),
    "tree-smu": Model(TreeSMU),
    "tree-smu-no-op": Model(TreeSMU, preset={"no_op": False}),
    "tree-smu-no-op-normalize": Model(TreeSMU, preset={"no_op": False, "normalize": False}),
    "second-order-tree-rnn": Model(SecondOrderTreeRNN, scale=0.5),
    "m-tree-lstm": Model(MTreeLSTM),
    "mi-tree-lstm": Model(MITreeLSTM),
    "m-tree-lstm+stack": Model(MTreeLSTM, stack=True),
    "mi-tree-lstm+stack": Model(MITreeLSTM, stack=True),
}


def make_cell(name: str, size: int, types: int = len(OPERATORS), **options: Any) -> TreeCell:
    """The recursive cell of a model name.

    Example:
        >>> make_cell("tree-lstm+stack", size=8, slots=3).parts
        {'h': (8,), 'c': (8,), 'stack': (3, 8), 'actions': (3,)}
    """
    model = _model(name, options)
    if model.make is SequenceEncoder:
        raise ValueError(f"{name} reads sequences and has no cell")
    outer = {key: options.pop(key) for key in ("slots", "no_op", "merge") if model.stack and key in options}
    cell = model.make(size, types, **model.preset, **options)
    return Stacked(cell, **outer) if model.stack and isinstance(cell, MemoryCell) else cell


def make_verifier(
    name: str, size: int, vocabulary: Sequence[str], operators: Sequence[str] = OPERATOR_NAMES, **options: Any
) -> EquationVerifier:
    """A verifier with fresh weights, by the name of its model.

    Args:
        vocabulary: the leaves it is to know.
        operators: the operators it is to have weights for; sequence models have a row for every operator.
    """
    scale = options.pop("scale", None)
    model = _model(name, options)
    scale = model.scale if scale is None else scale
    if model.make is SequenceEncoder:
        encoder = SequenceEncoder(size=size, vocabulary=vocabulary, scale=scale, **model.preset, **options)
        return EquationVerifier(encoder)
    cell = make_cell(name, size, len(operators), **options)
    return EquationVerifier(TreeEncoder(cell, vocabulary, scale, operators))


def _model(name: str, options: dict[str, Any]) -> Model:
    if name not in MODELS:
        raise ValueError(f"there is no model {name!r}; there are {', '.join(MODELS)}")
    model = MODELS[name]
    for option in options:
        if option not in model.options:
            raise ValueError(f"{name} has no option {option!r}; it has {', '.join(model.options)}")
    return model
