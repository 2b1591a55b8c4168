"""Completion: which candidate fills the blank? Each filled equation is scored by a verifier; the ranking is the answer.

Filled equations share everything but the path from the blank to the root of its side. For a recursive network the
states off the path are computed once, the candidates' own states once for all blanks, and then the path for all
candidates together, node by node. For any other model the filled equations are made as one forest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.graphs.plan import LevelPlan
from dgl_mathtree.graphs.planning import chain_plan
from dgl_mathtree.inference.blanks import path_to_blank
from dgl_mathtree.inference.metrics import Floats, score
from dgl_mathtree.language import Equation, Expr, Forest
from dgl_mathtree.language.vocabulary import ARITY, BLANK
from dgl_mathtree.nn import EquationVerifier, TreeEncoder, Verifier, drivers
from dgl_mathtree.nn.leaves import unknown_word

ROWS = 2048
"""Candidates that are carried up a path together."""
CHUNK = 500
"""Equations whose states off the path are computed together."""
LAST = -np.inf
"""The score of a candidate with words that the model does not know."""


class FilledForests:
    """Blanks filled with each of some candidates, as forests.

    Parameters
    ----------
    candidates : sequence of Expr
        The expressions to fill in.
    """

    def __init__(self, candidates: Sequence[Expr]) -> None:
        self.count = len(candidates)
        self._forest = Forest.of_expressions(candidates)

    def fill(self, blank: Equation) -> Forest:
        """The forest of a blank's filled equations, in the order of the candidates."""
        own, whole, count = self._forest, Forest.of([blank]), self.count
        words = dict.fromkeys(word for word in (*own.words, *whole.words) if word != BLANK)
        ids = {word: k for k, word in enumerate(words)}
        side, path = path_to_blank(blank)
        nodes, siblings = _walk(whole, 0, side, path)
        off = np.delete(np.arange(len(whole)), nodes)  # what does not hold the blank
        base = len(own)
        place_of = np.full(len(whole) + 1, -1)  # where a missing child, -1, is found too
        place_of[off] = base + np.arange(len(off))
        word = [own.word, np.array([ids.get(w, -1) for w in whole.words], dtype=np.int32)[whole.word[off]]]
        children = [own.children, place_of[whole.children[off]]]
        height = [own.height, whole.height[off]]
        below, tall = own.equations[:, 0], own.height[own.equations[:, 0]]
        ends = base + len(off)
        for (operator, place), sibling in zip(reversed(path), reversed(siblings), strict=True):
            pair = np.full((count, 2), -1, dtype=np.int64)
            pair[:, place] = below
            tall = tall + 1
            if sibling >= 0:
                pair[:, 1 - place] = place_of[sibling]
                tall = np.maximum(tall, 1 + whole.height[sibling])
            word.append(np.full(count, ids[operator], dtype=np.int32))
            children.append(pair)
            height.append(tall)
            below = np.arange(ends, ends + count, dtype=np.int32)
            ends += count
        sides = np.stack([below, np.full(count, place_of[whole.equations[0, 1 - side]])], axis=1)
        members, offsets = self._members(base, len(off), len(path))
        return Forest.from_nodes(
            tuple(words),
            np.concatenate(word),
            np.concatenate(children),
            np.concatenate(height),
            sides[:, ::-1] if side else sides,
            offsets,
            members,
        )

    def _members(self, base: int, rest: int, steps: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The nodes of each filled equation: the candidate's, the rest of the equation, and the path."""
        own = self._forest
        counts = np.diff(own.offsets)
        offsets = np.concatenate([[0], np.cumsum(counts + rest + steps)])
        members = np.empty(offsets[-1], dtype=np.int64)
        inner = np.repeat(offsets[:-1] - own.offsets[:-1], counts) + np.arange(len(own.members))
        members[inner] = own.members
        after = (offsets[:-1] + counts)[:, None]
        members[after + np.arange(rest)] = base + np.arange(rest)
        members[after + rest + np.arange(steps)] = (
            base + rest + np.arange(self.count)[:, None] + self.count * np.arange(steps)
        )
        return members, offsets


def _walk(forest: Forest, equation: int, side: int, path: Sequence[tuple[str, int]]) -> tuple[list[int], list[int]]:
    """The forest's nodes on the path to the blank and it itself, from the top down, and those beside the path, -1 where
    an operator has one child."""
    nodes, siblings = [int(forest.equations[equation, side])], []
    for operator, place in path:
        pair = forest.children[nodes[-1]]
        siblings.append(int(pair[1 - place]) if ARITY[operator] == 2 else -1)
        nodes.append(int(pair[place]))
    return nodes, siblings


class Completer:
    """Scores every candidate for every blank with a verifier.

    Parameters
    ----------
    verifier : Verifier
        Any model.
    candidates : sequence of Expr
        The expressions to fill in; those with words that the model does not know score `LAST`.
    """

    def __init__(self, verifier: Verifier, candidates: Sequence[Expr]) -> None:
        self.verifier = verifier
        words = [expression.words for expression in candidates]
        known = {word for word in set().union(*words) if verifier.knows(word)}
        self._known = [k for k, some in enumerate(words) if known.issuperset(some)]
        distinct = dict.fromkeys(words[k] for k in self._known)
        places = {some: k for k, some in enumerate(distinct)}
        self._place = np.array([places[words[k]] for k in self._known], dtype=np.int64)
        self._distinct = [Expr._trusted(some) for some in distinct]
        self._count = len(candidates)

    def scores(self, blanks: Iterable[Equation]) -> Iterator[Floats]:
        """(candidates,) logits for each of some equations with a blank."""
        verifier = self.verifier
        network, encoder = verifier.as_network, verifier.as_tree
        if network is None or encoder is None:
            found = self._by_forest(blanks)
        else:
            found = self._by_path(network, encoder, blanks)
        for some in found:
            logits = np.full(self._count, LAST)
            logits[self._known] = some[self._place]
            yield logits

    def _by_forest(self, blanks: Iterable[Equation]) -> Iterator[Floats]:
        forests = FilledForests(self._distinct)
        for blank in blanks:
            yield score(self.verifier, forests.fill(blank))

    @torch.no_grad()
    def _by_path(
        self, verifier: EquationVerifier, encoder: TreeEncoder, blanks: Iterable[Equation]
    ) -> Iterator[Floats]:
        if not self._distinct:
            for _ in blanks:
                yield np.zeros(0)
            return
        training = verifier.training
        verifier.eval()
        try:
            own = Forest.of_expressions(self._distinct)
            first = encoder.node_states(own)[torch.from_numpy(own.equations[:, 0].astype(np.int64))]
            climber = _Climber(verifier, encoder)
            for some in _chunks(blanks):
                # Any leaf may stand where the blank is: nothing that depends on it is looked at.
                leaf = encoder.vocabulary[0]
                whole = [Equation._trusted(tuple(leaf if w == BLANK else w for w in b.words)) for b in some]
                forest = Forest.of(whole)
                states = encoder.node_states(forest)
                for k, blank in enumerate(some):
                    side, path = path_to_blank(blank)
                    _, siblings = _walk(forest, k, side, path)
                    other = states[int(forest.equations[k, 1 - side]), : encoder.cell.size]
                    yield climber.scores(first, path, [states[s] if s >= 0 else None for s in siblings], other)
        finally:
            verifier.train(training)


def _chunks(blanks: Iterable[Equation]) -> Iterator[list[Equation]]:
    some: list[Equation] = []
    for blank in blanks:
        some.append(blank)
        if len(some) == CHUNK:
            yield some
            some = []
    if some:
        yield some


class _Climber:
    """Carries states up a path."""

    def __init__(self, verifier: EquationVerifier, encoder: TreeEncoder) -> None:
        self.compare, self.cell = verifier.compare, encoder.cell
        self.node_types = {name: k for k, name in enumerate(encoder.operators)}

    def scores(
        self,
        first: torch.Tensor,
        path: Sequence[tuple[str, int]],
        siblings: Sequence[torch.Tensor | None],
        other: torch.Tensor,
    ) -> Floats:
        """(candidates,) logits.

        Parameters
        ----------
        first : torch.Tensor
            (candidates, state_size) states of the candidates.
        path : sequence of tuple[str, int]
            From the top down.
        siblings : sequence of torch.Tensor or None
            (state_size,) each, beside the path, or None.
        other : torch.Tensor
            (size,) the vector of the other side.
        """
        steps = [
            (self.node_types[operator], place, sibling is not None)
            for (operator, place), sibling in zip(reversed(path), reversed(siblings), strict=True)
        ]
        beside = [sibling[None] for sibling in reversed(siblings) if sibling is not None]
        plans: dict[int, LevelPlan] = {}
        logits = []
        for states in torch.split(first, ROWS):
            count = len(states)
            if count not in plans:
                plans[count] = chain_plan(steps, count).to(states.device)
            plan = plans[count]
            top = drivers.run(self.cell, plan, torch.cat([states, *beside]), _tops(plan, count))
            logits.append(self.compare(top[:, : self.cell.size], other))
        return torch.cat(logits).double().cpu().numpy()


def _tops(plan: LevelPlan, count: int) -> torch.Tensor:
    """The rows of the tops of a plan's chains; where there is no step, of the chains' only nodes."""
    return plan.row[-count:] if plan.levels else plan.row[:count]


def check_words(verifier: Verifier, equation: Equation) -> None:
    """Raise a VocabularyError for an equation, with a blank or without, that the model cannot read."""
    for word in equation.words[1:]:
        if word != BLANK and not verifier.knows(word):
            raise unknown_word(word, verifier.vocabulary, verifier.operators)
