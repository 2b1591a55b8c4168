"""A trained verifier in use: equations in, judgements and the states behind them out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from dgl_mathtree.expressions import Equation, Expr, Forest, Oracle, VocabularyError, infix, parse_blank, parse_equation
from dgl_mathtree.expressions.vocabulary import BLANK, OPERATOR_NAMES, is_leaf, is_variable
from dgl_mathtree.graphs import batch_graph
from dgl_mathtree.nn import TreeEncoder, Verifier
from dgl_mathtree.nn.floors import BagOfOperators
from dgl_mathtree.nn.leaves import symbol_table
from dgl_mathtree.tasks.candidates import Candidates, classify, default_candidates, enumerate_expressions
from dgl_mathtree.tasks.completion import Completer, check_words
from dgl_mathtree.tasks.verification import Floats, probabilities, score

FEW_NUMBERS, MOST_VARIABLES = ("-1", "1", "2"), 3
"""Numbers, and variables at most, in the deeper expressions that are tried for a blank."""
FIRST_VARIABLES = ("x", "y", "z")
"""The variables that others are renamed to first: the frequent ones of the data."""


@dataclass(frozen=True)
class Answer:
    """What a verifier says of an equation.

    Attributes:
        equation: as it was given.
        probability: that it is correct.
        verdict: `correct` or `incorrect`.
    """

    equation: Equation
    probability: float
    verdict: str


@dataclass(frozen=True)
class Filling:
    """One way to fill a blank.

    Attributes:
        expression: what is filled in.
        equation: the whole equation then.
        probability: that it is correct, by the model.
        oracle: the oracle's verdict on it.
        class_: the class of equal candidates that the expression belongs to, by its number or by its file's name.
    """

    expression: Expr
    equation: Equation
    probability: float
    oracle: str
    class_: object

    def to_json(self) -> dict[str, object]:
        return {
            "filling": infix(self.expression),
            "equation": infix(self.equation),
            "probability": round(self.probability, 6),
            "oracle": self.oracle,
            "class": self.class_,
        }


@dataclass(frozen=True)
class NodeStates:
    """What a recursive network computed at every node of an equation's two sides.

    Attributes:
        expressions: the nodes as expressions, in prefix order, the left side first; variables are the model's.
        parts: the parts of the states, (nodes, ...) each: `h` the vectors, and where the cell has them `c` the
            memories, `stack` the stacks (top first) and `actions` the stack's actions (push, pop and no-op).
        sides: the nodes of the two sides.
    """

    expressions: tuple[Expr, ...]
    parts: Mapping[str, torch.Tensor]
    sides: tuple[int, int]

    def __getitem__(self, part: str) -> torch.Tensor:
        return self.parts[part]

    def __len__(self) -> int:
        return len(self.expressions)


class TrainedVerifier:
    """A verifier with what it learnt.

    Attributes:
        network: the verifier as a torch module.
        model: the name of its model.
        name: the run that it comes from.
    """

    def __init__(self, network: Verifier, model: str, name: str) -> None:
        self.network, self.model, self.name = network, model, name

    @property
    def variables(self) -> list[str]:
        """The variables that it knows, those first that others are renamed to first."""
        found = [word for word in self.network.vocabulary if is_variable(word)]
        first = [word for word in FIRST_VARIABLES if word in found]
        return first + sorted(set(found) - set(first))

    def renaming(self, words: Iterable[str]) -> dict[str, str]:
        """New names for the variables among some words that the model does not know, as far as it has any left."""
        used = dict.fromkeys(word for word in words if is_variable(word))
        known = self.variables
        foreign = sorted((name for name in used if name not in known), key=_natural)
        return dict(zip(foreign, (name for name in known if name not in used), strict=False))

    def renaming_for(self, equation: Equation, candidates: Sequence[Expr]) -> dict[str, str]:
        """New names for the variables of an equation and of candidates: one set for all as far as it goes.

        Where names run out before the equation's own variables have some, these come first.
        """
        others = variables_of(tuple(candidates))
        names = self.renaming((*others, *equation.words))
        if all(names.get(name, name) in self.variables for name in equation.variables):
            return names
        first = self.renaming(equation.words)
        taken = {*first.values(), *equation.variables}
        free = [name for name in self.variables if name not in taken and name not in others]
        rest = [name for name in others if name not in first and name not in self.variables]
        return first | dict(zip(rest, free, strict=False))

    def renamed(self, equation: Equation) -> Equation:
        """The equation in variables that the model knows, once all its other words are known."""
        if isinstance(self.network, BagOfOperators):
            check_words(self.network, equation)
            return equation
        names, known = self.renaming(equation.words), self.variables
        if not all(names.get(name, name) in known for name in equation.variables):
            count, most = len(equation.variables), len(known)
            raise VocabularyError(f"there are {count} variables; the model knows {most}: {', '.join(known)}")
        if names:
            equation = equation.rename(names)
        words = sorted(set(equation.words[1:]))
        symbol_table(words, self.network.vocabulary, range(len(words)), self.network.operators)
        return equation

    def score_forest(self, forest: Forest) -> Floats:
        """(equations,) logits of a forest's equations; they are renamed only where they must be."""
        used = {forest.words[word] for word in np.unique(forest.word)}
        if not all(word in self.variables for word in used if is_variable(word)):
            forest = Forest.of(self.renamed(forest.equation(k)) for k in range(len(forest.equations)))
        return score(self.network, forest)

    def scores(self, equations: str | Equation | Iterable[str | Equation]) -> Floats:
        """(equations,) logits: above 0 where the model finds an equation correct."""
        return score(self.network, Forest.of(self.renamed(equation) for equation in _read_all(equations)))

    def verify(self, equations: str | Equation | Iterable[str | Equation]) -> list[Answer]:
        """The model's answer to each equation, given as text or as an `Equation`."""
        read = _read_all(equations)
        return [
            Answer(equation, probability, "correct" if probability >= 0.5 else "incorrect")
            for equation, probability in zip(read, probabilities(self.scores(read)).tolist(), strict=True)
        ]

    def complete(
        self, equation: str | Equation, candidates: Candidates | None = None, top: int = 5, depth: int | None = None
    ) -> list[Filling]:
        """The best fillings of the blank in an equation.

        Args:
            equation: with one blank, ``?``.
            candidates: what to try. By default the simplest expression of each class among those over the equation's
                variables and the model's operators that are of depth 1 and have the model's numbers, or of depth 2 and
                have the numbers -1, 1 and 2.
            top: how many are wanted.
            depth: try all expressions up to this depth over the equation's variables and the model's numbers instead.

        Example:
            >>> from dgl_mathtree import load
            >>> len(load().complete("x + ? = x", top=3))
            3
        """
        blank = parse_blank(equation) if isinstance(equation, str) else equation
        names = self.renaming(blank.words)
        if candidates is None:
            candidates = self._candidates(blank.variables, depth)
        else:
            names = self.renaming((*blank.words, *(word for e in candidates.expressions for word in e.words)))
            for expression in candidates.expressions:
                try:
                    check_words(self.network, Equation(expression, expression).rename(names))
                except VocabularyError as error:
                    raise VocabularyError(f"candidate {expression}: {error}") from None
        check_words(self.network, blank.rename(names))
        completer = Completer(self.network, [expression.rename(names) for expression in candidates.expressions])
        (logits,) = completer.scores([blank.rename(names)])
        order = np.argsort(-logits, kind="stable")
        best = list({candidates.expressions[k]: k for k in reversed(order)}.values())[::-1][:top]  # each once
        place = blank.words.index(BLANK)
        filled = [blank.replace(place, candidates.expressions[k]) for k in best]
        judged = Oracle(complex_plane=False).judge(filled)
        return [
            Filling(candidates.expressions[k], whole, float(p), judgement.verdict, candidates.label(class_))
            for k, whole, p, judgement, class_ in zip(
                best, filled, probabilities(logits[best]), judged, candidates.classes[best].tolist(), strict=True
            )
        ]

    def _candidates(self, variables: Sequence[str], depth: int | None) -> Candidates:
        """What to try for a blank in an equation with some variables."""
        numbers = [word for word in self.network.vocabulary if is_leaf(word) and not is_variable(word)]
        operators = self.network.operators or OPERATOR_NAMES
        if depth is not None:
            return default_candidates([*variables, *numbers], operators, depth)
        few = [word for word in numbers if word in FEW_NUMBERS]
        shallow = enumerate_expressions([*variables, *numbers], operators, 1)
        deep = enumerate_expressions([*variables, *few], operators, 2 if len(variables) <= MOST_VARIABLES else 1)
        return classify(list(dict.fromkeys(shallow + deep))).simplest()

    @torch.no_grad()
    def states(self, equation: str | Equation) -> NodeStates:
        """The vectors, memories, stacks and stack actions at every node of an equation.

        Example:
            >>> from dgl_mathtree import load
            >>> states = load().states("sin(x) + 1 = 1")
            >>> [str(expression) for expression in states.expressions]
            ['sin(x) + 1', 'sin(x)', 'x', '1', '1']
        """
        encoder = getattr(self.network, "encoder", None)
        if not isinstance(encoder, TreeEncoder):
            raise TypeError(f"{self.model} has no states at the nodes of a tree: it is no recursive network")
        forest = Forest.of([self.renamed(_read(equation))])
        batch = batch_graph(forest, [0], share=False, operators=encoder.operators)
        states = encoder.states(batch)
        order = _prefix_order(batch.children, batch.sides[0].tolist())
        parts = {name: part[order].cpu() for name, part in encoder.cell.split(states).items()}
        expressions = tuple(forest.expression(int(batch.node[node])) for node in order)
        return NodeStates(expressions, parts, (0, order.index(int(batch.sides[0, 1]))))


@lru_cache(maxsize=8)
def variables_of(expressions: tuple[Expr, ...]) -> tuple[str, ...]:
    """The variables of some expressions, x_2 before x_10."""
    return tuple(sorted({name for expression in expressions for name in expression.variables}, key=_natural))


def _natural(name: str) -> tuple[str, int]:
    """A key by which x_2 comes before x_10."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or -1)


def _read(equation: str | Equation) -> Equation:
    return parse_equation(equation) if isinstance(equation, str) else equation


def _read_all(equations: str | Equation | Iterable[str | Equation]) -> list[Equation]:
    """Equations given as texts or trees, or a single one."""
    if isinstance(equations, (str, Equation)):
        equations = [equations]
    return [_read(equation) for equation in equations]


def _prefix_order(children: np.ndarray, roots: list[int]) -> list[int]:
    """The nodes below some roots, each before its children."""
    order, stack = [], roots[::-1]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(child for child in reversed(children[node].tolist()) if child >= 0)
    return order
