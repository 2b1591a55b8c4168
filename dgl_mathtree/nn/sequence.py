"""Sequence baselines: each side in prefix words, read by one network from a zero state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from dgl_mathtree.graphs.batch import EquationBatch
from dgl_mathtree.graphs.plan import LevelPlan
from dgl_mathtree.graphs.transfer import on_device
from dgl_mathtree.graphs.trie import trie_plan
from dgl_mathtree.language.vocabulary import OPERATOR_NAMES
from dgl_mathtree.nn.cell import dropped
from dgl_mathtree.nn.cells.sequence_cells import sequence_cell
from dgl_mathtree.nn.cells.stack import shifted_stack
from dgl_mathtree.nn.encoder import Encoder
from dgl_mathtree.nn.leaves import symbol_table

Ints = NDArray[Any]
OPEN, COMMA, CLOSE = "(", ",", ")"


def side_tokens(batch: EquationBatch, word_tokens: Ints, marks: tuple[int, int, int]) -> tuple[Ints, Ints]:
    """Tokens of every side of a batch, left and right in turn: an operator before its parenthesised arguments.

    Parameters
    ----------
    batch : EquationBatch
        The equations.
    word_tokens : numpy.ndarray
        (words,), the token of each of the batch's words.
    marks : tuple of int
        The tokens of the opening parenthesis, the comma and the closing one.

    Returns
    -------
    tokens : numpy.ndarray
        (sides, longest), with 0 after the end of a side.
    lengths : numpy.ndarray
        (sides,)
    """
    plan = batch.plan.to("cpu")
    below, sizes = plan.children.numpy(), np.zeros(len(plan.row) + 1, dtype=np.int64)
    sizes[1 : plan.leaves + 1] = 1
    for level in plan.levels:  # children come before their parents
        children = below[level.start - 1 : level.stop - 1]
        # the word, parentheses, and the arguments with commas between them
        sizes[level.start : level.stop] = 2 + (children > 0).sum(axis=1) + sizes[children].sum(axis=1)
    words = word_tokens[batch.word[plan.node.numpy()]]
    rows = plan.row.numpy()[batch.sides.numpy().reshape(-1)]
    lengths = sizes[rows]
    longest = int(lengths.max())
    tokens = np.zeros(len(rows) * longest, dtype=np.int64)
    at = np.arange(len(rows)) * longest
    while len(rows):  # the nodes of one depth in all sides, and where their tokens begin
        tokens[at] = words[rows - 1]
        inner = rows > plan.leaves
        rows, at = rows[inner], at[inner]
        tokens[at + 1], tokens[at + sizes[rows] - 1] = marks[0], marks[2]
        children = below[rows - 1]
        ends = at[:, None] + 2 + np.cumsum(sizes[children] + 1, axis=1)  # each with the mark after it
        present = children > 0
        tokens[ends[:, :-1][present[:, 1:]] - 1] = marks[1]
        rows = children[present]
        at = ends[present] - 1 - sizes[rows]
    return tokens.reshape(-1, longest), lengths


class StackRNN(nn.Module):
    r"""Elman network with a continuous stack, from `Inferring Algorithmic Patterns with Stack-Augmented Recurrent Nets
    <https://arxiv.org/abs/1503.01007>`__:

    .. math::
        h_t &= \tanh(W [x_t; h_{t-1}; S_{t-1}[0]] + b) \\
        a &= \mathrm{softmax}(A h_t + b_a) \quad \text{(push, pop, no-op)}, \qquad v = \sigma(D h_t)

    and the stack moves as in `dgl_mathtree.nn.Stacked`.

    Parameters
    ----------
    size : int
        Size n of the vectors.
    slots : int
        Depth p of the stack.

    Shapes
    ------
    - x: (sequences, time, n), padded
    - lengths: (sequences,)
    - output: (sequences, n)
    """

    def __init__(self, size: int, slots: int = 5) -> None:
        super().__init__()
        self.size, self.stack_slots = size, slots
        self.layer = nn.Linear(3 * size, size)
        self.act = nn.Linear(size, 3)
        self.push = nn.Linear(size, size, bias=False)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """The last vectors of padded sequences."""
        h = x.new_zeros(len(x), self.size)
        stack = x.new_zeros(len(x), self.stack_slots, self.size)
        for t in range(x.shape[1]):
            new = torch.tanh(self.layer(torch.cat([x[:, t], h, stack[:, 0]], dim=1)))
            actions = torch.softmax(self.act(new), dim=1)
            moved = shifted_stack(actions[:, :, None, None], stack, torch.sigmoid(self.push(new)))
            running = (lengths > t)[:, None]
            h = torch.where(running, new, h)
            stack = torch.where(running[:, None], moved, stack)
        return h


class SequenceEncoder(Encoder):
    """Vectors of expressions read as sequences.

    Parameters
    ----------
    kind : str
        ``rnn``, ``lstm`` or ``stack-rnn``.
    size : int
        Size of the vectors.
    vocabulary : sequence of str
        The leaves. Operators and punctuation have rows of their own.
    operators : sequence of str
        The operators; by default all there are.
    scale : float
        Standard deviation of the embeddings at first.
    dropout : float
        Chance that an entry of the embeddings is dropped, in training; one draw for all the tokens of a side.
    slots : int
        Depth of the stack of a ``stack-rnn``.

    Examples
    --------
    >>> import torch
    >>> from dgl_mathtree.language import Forest, parse_equation
    >>> from dgl_mathtree.graphs import batch_graph
    >>> _ = torch.manual_seed(0)
    >>> encoder = SequenceEncoder("lstm", size=2, vocabulary=["x", "1"], scale=1.0, operators=["sin"])
    >>> forest = Forest.of([parse_equation("sin(x) = 1")])
    >>> left, right = encoder.sides(batch_graph(forest, [0], operators=encoder.operators))
    >>> left.detach().round(decimals=2), right.detach().round(decimals=2)
    (tensor([[0.1300, 0.2300]]), tensor([[0.0900, 0.1500]]))
    """

    def __init__(
        self,
        kind: str,
        size: int,
        vocabulary: Sequence[str],
        scale: float = 0.1,
        dropout: float = 0.0,
        slots: int = 5,
        operators: Sequence[str] = OPERATOR_NAMES,
    ) -> None:
        super().__init__()
        networks = {"rnn": nn.RNN, "lstm": nn.LSTM}
        if kind not in (*networks, "stack-rnn"):
            raise ValueError(f"kind must be one of rnn, lstm, stack-rnn, not {kind!r}")
        self.kind, self.size, self.vocabulary, self.scale = kind, size, tuple(vocabulary), scale
        self.slots = slots
        self.operators = tuple(operators)
        self.tokens = [*self.operators, OPEN, COMMA, CLOSE, *self.vocabulary]
        self.embedding = nn.Embedding(len(self.tokens), size)
        self.dropout = dropout
        self.network: nn.Module = (
            StackRNN(size, slots) if kind == "stack-rnn" else networks[kind](size, size, batch_first=True)
        )
        nn.init.normal_(self.embedding.weight, std=scale)

    def reset_parameters(self) -> None:
        for module in self.network.modules():
            if isinstance(module, (nn.RNNBase, nn.Linear)):
                module.reset_parameters()
        nn.init.normal_(self.embedding.weight, std=self.scale)

    def knows(self, word: str) -> bool:
        """Whether it can read a word."""
        return word in self.operators or word in self.vocabulary

    def draw_dropout(self, nodes: int, generator: torch.Generator | None = None) -> torch.Tensor | None:
        """What dropout multiplies with at this many nodes, or None where it does not act."""
        if not self.training or self.dropout == 0:
            return None
        mask = torch.empty(nodes, self.size, device=self.embedding.weight.device)
        return mask.bernoulli_(1 - self.dropout, generator=generator).div_(max(1 - self.dropout, 1e-9))

    def sides(
        self, batch: EquationBatch, dropout_mask: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The vectors of the left and right sides of a batch, (equations, n) each.

        Parameters
        ----------
        batch : EquationBatch
            Made with this encoder's operators.
        dropout_mask : torch.Tensor, optional
            (nodes, n), from `draw_dropout` for the batch's nodes, of which those of the sides count; by default it is
            drawn here.
        """
        batch.check_operators(self.operators)
        symbol = symbol_table(batch.words, self.vocabulary, batch.word, self.operators).numpy()
        count = len(self.operators)
        names = {name: k for k, name in enumerate(self.operators)}
        word_tokens = np.array([names.get(w, count + 3 + s) for w, s in zip(batch.words, symbol, strict=True)])
        marks = count, count + 1, count + 2
        dropout_mask = self.draw_dropout(batch.num_nodes()) if dropout_mask is None else dropout_mask
        mask = None
        if dropout_mask is not None:
            mask = dropout_mask.index_select(0, on_device(batch.side_nodes, dropout_mask.device))[:, None]
        tokens, lengths = side_tokens(batch, word_tokens, marks)
        ended = self.encode(torch.from_numpy(tokens), torch.from_numpy(lengths), mask)
        left, right = ended.view(len(batch), 2, -1).unbind(1)
        return left, right

    def encode(
        self, tokens: torch.Tensor, lengths: torch.Tensor, dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """The last vector of each sequence, (sequences, n).

        Parameters
        ----------
        tokens : torch.Tensor
            (sequences, longest), of which those beyond the end of a sequence do not matter.
        lengths : torch.Tensor
            (sequences,)
        dropout_mask : torch.Tensor, optional
            (sequences, 1, n)
        """
        cell = sequence_cell(self.kind, self.size, self.slots)
        borrowed = cell.borrowed(self.network)
        if cell.can_run(borrowed):
            x, plan, rows = self._trie(tokens.cpu().numpy(), lengths.cpu().numpy(), dropout_mask)
            return cell.ends(borrowed, cell.shares(self.network, x), plan, rows)
        return self.encode_in_torch(tokens, lengths, dropout_mask)

    def encode_in_torch(
        self, tokens: torch.Tensor, lengths: torch.Tensor, dropout_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """As `encode`, by the torch network, which needs no C code and runs on any device."""
        device = self.embedding.weight.device
        x = dropped(self.embedding(on_device(tokens, device)), dropout_mask)
        if self.kind == "stack-rnn":
            return self.network(x, on_device(lengths, device))  # type: ignore[no-any-return]
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths.clamp(min=1), batch_first=True, enforce_sorted=False)
        _, state = self.network(packed)
        ended = (state[0] if self.kind == "lstm" else state)[0]
        return ended * on_device(lengths > 0, device)[:, None]  # type: ignore[no-any-return]

    def _trie(
        self, tokens: Ints, lengths: Ints, dropout_mask: torch.Tensor | None
    ) -> tuple[torch.Tensor, LevelPlan, torch.Tensor]:
        """The vectors of the different tokens, the plan of the sequences and the rows where they end.

        With dropout the tokens of each sequence are its own, for the mask is.
        """
        count = len(self.tokens)
        if dropout_mask is None:
            return self.embedding.weight, *trie_plan(tokens, lengths, count)
        own = tokens + count * np.arange(len(tokens))[:, None]
        used = np.zeros(count * len(tokens), dtype=bool)
        used[own[np.arange(tokens.shape[1]) < lengths[:, None]]] = True
        found = np.flatnonzero(used)
        sequence, token = (torch.from_numpy(part) for part in np.divmod(found, count))
        x = dropped(self.embedding(token), dropout_mask[:, 0].index_select(0, sequence))
        return x, *trie_plan((np.cumsum(used) - 1)[own], lengths, len(found))
