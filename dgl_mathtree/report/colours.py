"""How each model is drawn, the same in all figures: related models in related colours."""

from __future__ import annotations

from dataclasses import dataclass

DASHED, SOLID, DOTTED = "--", "-", ":"


@dataclass(frozen=True)
class Look:
    """How a model is drawn.

    Attributes
    ----------
    colour : str
        One that reads on white and on a dark page.
    line : str
        Solid for what the paper proposes, dashed for what is of first order, dotted for floors.
    marker : str
        Its own among the models of a panel: colours alone do not tell them apart for everyone.
    """

    colour: str
    line: str
    marker: str


LOOKS: dict[str, Look] = {
    "majority": Look("#8a8f98", DOTTED, ""),
    "bag-of-operators": Look("#8f7f6a", DOTTED, "x"),
    "rnn": Look("#b8860b", DASHED, "o"),
    "lstm": Look("#a0673b", DASHED, "s"),
    "stack-rnn": Look("#d2793c", DASHED, "^"),
    "tree-rnn": Look("#3fa17a", DASHED, "o"),
    "second-order-tree-rnn": Look("#1f8a4c", SOLID, "s"),
    "tree-lstm": Look("#4a90d9", DASHED, "o"),
    "m-tree-lstm": Look("#2f6fde", SOLID, "s"),
    "mi-tree-lstm": Look("#1a9cb0", SOLID, "^"),
    "tree-lstm+stack": Look("#d9608c", DASHED, "o"),
    "m-tree-lstm+stack": Look("#d62f4b", SOLID, "s"),
    "mi-tree-lstm+stack": Look("#e2683c", SOLID, "^"),
    "tree-smu": Look("#a37be0", DASHED, "o"),
    "tree-smu-no-op": Look("#8458c9", DASHED, "s"),
    "tree-smu-no-op-normalize": Look("#c06fd0", DASHED, "^"),
}
OTHER = Look("#7a7a7a", DASHED, "D")
"""Of a model that has no look of its own yet."""
PANELS: dict[str, tuple[str, ...]] = {
    "Tree-LSTM": ("tree-lstm", "m-tree-lstm", "mi-tree-lstm"),
    "Tree-LSTM with a stack": ("tree-lstm+stack", "m-tree-lstm+stack", "mi-tree-lstm+stack"),
    "Tree-RNN": ("tree-rnn", "second-order-tree-rnn"),
    "Tree-SMU": ("tree-smu", "tree-smu-no-op", "tree-smu-no-op-normalize"),
    "Sequences and floors": ("rnn", "lstm", "stack-rnn", "bag-of-operators"),
}
"""Models that are drawn together; `majority` is drawn with all of them, for comparison."""


def look(model: str) -> Look:
    return LOOKS.get(model, OTHER)
