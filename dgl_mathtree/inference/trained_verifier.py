"""A trained verifier in use: equations in, judgements, fillings and states out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.errors import InputError
from dgl_mathtree.inference.answer_blank import answer_blank
from dgl_mathtree.inference.candidates import Candidates
from dgl_mathtree.inference.complete import LAST, check_words
from dgl_mathtree.inference.metrics import Floats, score, score_trees, verdicts
from dgl_mathtree.inference.node_states import equation_states, side_vectors
from dgl_mathtree.inference.records import Answer, Filling, NodeStates
from dgl_mathtree.language import Equation, Expr, Forest, VocabularyError, parse_blank, parse_equation, parse_expression
from dgl_mathtree.language.prefix_trees import PrefixTrees
from dgl_mathtree.language.renaming import known_variables, names_for, renaming
from dgl_mathtree.language.variables import in_known_names
from dgl_mathtree.language.vocabulary import is_variable
from dgl_mathtree.nn import Verifier
from dgl_mathtree.notebook import Records

RENAMED = 20_000
"""Equations that are renamed together: memory for their words is needed at a time."""


class ScoreError(InputError):
    """Scores that are not finite: which model gives them."""


class TrainedVerifier:
    """A verifier with what it learnt.

    Parameters
    ----------
    network : Verifier
        The verifier as a torch module.
    model : str
        The name of its model.
    name : str
        The run that it comes from.
    """

    def __init__(self, network: Verifier, model: str, name: str) -> None:
        self.network, self.model, self.name = network, model, name

    @property
    def variables(self) -> list[str]:
        """The variables that it knows, those first that others are renamed to first."""
        return known_variables(self.network.vocabulary)

    @property
    def reads_any_leaf(self) -> bool:
        """Whether it has vectors for variables and numbers that are not in its vocabulary."""
        return self.network.reads_any_leaf

    def renaming(self, words: Iterable[str]) -> dict[str, str]:
        """New names for the variables among some words that the model does not know, as far as it has any left."""
        return renaming(words, self.variables)

    def renaming_for(self, equation: Equation, candidates: Sequence[Expr] = ()) -> dict[str, str]:
        """New names for the variables of an equation and of what may fill its blank, see `renaming.names_for`."""
        return names_for(equation, self.variables, self.reads_any_leaf, candidates)

    def renamed(self, equation: Equation) -> Equation:
        """The equation in variables that the model knows, once all its other words are known.

        Where there are more variables than the vocabulary has, a model that reads any leaf has vectors for the rest of
        them as they are; for another it is an error.
        """
        names = self.renaming_for(equation)
        if not all(self.network.knows(names.get(name, name)) for name in equation.variables):
            count, known = len(equation.variables), self.variables
            raise VocabularyError(f"there are {count} variables; the model knows {len(known)}: {', '.join(known)}")
        if names:
            equation = equation.rename(names)
        check_words(self.network, equation)
        return equation

    def score_forest(self, forest: Forest, places: NDArray[np.int64] | None = None) -> Floats:
        """(equations,) logits of a forest's equations, or of those at some places; renamed only where they must be."""
        places = np.arange(len(forest.equations)) if places is None else places
        used = {forest.words[word] for word in np.unique(forest.word)}
        if not self.reads_any_leaf and all(word in self.variables for word in used if is_variable(word)):
            return self.checked(score(self.network, forest)[places])
        logits = [np.zeros(0)]
        for at in range(0, len(places), RENAMED):
            some = places[at : at + RENAMED]
            renamed, unread = self._in_own_words(forest.trees(some))
            if len(unread):
                self.renamed(forest.equation(int(some[unread[0]])))  # says what is wrong with it
            logits.append(score_trees(self.network, renamed))
        return self.checked(np.concatenate(logits))

    def scores(self, equations: str | Equation | Iterable[str | Equation]) -> Floats:
        """(equations,) logits: above 0 where the model finds an equation correct."""
        logits, unread = self.scores_of_readable(_read_all(equations))
        for error in unread.values():
            raise error
        return logits

    def scores_of_readable(self, equations: Sequence[Equation]) -> tuple[Floats, dict[int, VocabularyError]]:
        """(equations,) logits, NaN for equations that the model cannot read; and for each of these what is wrong.

        Examples
        --------
        >>> from dgl_mathtree import load
        >>> from dgl_mathtree.language import parse_equation
        >>> logits, unread = load().scores_of_readable([parse_equation("x = x"), parse_equation("x = y")])
        >>> (logits > 0).tolist(), unread
        ([True, False], {})
        """
        logits, unread = np.full(len(equations), np.nan), {}
        for at in range(0, len(equations), RENAMED):
            some = equations[at : at + RENAMED]
            renamed, wrong = self._in_own_words(PrefixTrees.of(equation.words for equation in some))
            for k in wrong.tolist():
                try:
                    self.renamed(some[k])
                except VocabularyError as error:
                    unread[at + k] = error
            read = np.delete(np.arange(len(some)), wrong)
            logits[at + read] = self.checked(score_trees(self.network, renamed.take(read) if len(wrong) else renamed))
        return logits, unread

    def _in_own_words(self, trees: PrefixTrees) -> tuple[PrefixTrees, NDArray[np.int64]]:
        """Equations in variables that the model knows, and the indices of those that it cannot read all the same."""
        renamed = in_known_names(trees, self.variables, self.reads_any_leaf)
        unknown = np.array([not self.network.knows(word) for word in renamed.words])
        return renamed, np.unique(renamed.equation[unknown[renamed.word]])

    @torch.no_grad()
    def of_graph(self, graph: Any) -> Floats:
        """(equations,) logits of a graph of equations, the same as `scores` gives for them as texts.

        Parameters
        ----------
        graph : DGLGraph
            Such as `dgl.batch` of what `mathtree export` wrote and `dgl.load_graphs` read.

        Examples
        --------
        >>> import dgl
        >>> from dgl_mathtree import load
        >>> from dgl_mathtree.language import parse_equation
        >>> from dgl_mathtree.graphs import to_graph
        >>> model, texts = load(), ["sin(-x) = -sin(x)", "b + a = a"]
        >>> graph = dgl.batch([to_graph(parse_equation(text), ["a", "b", "x", "-1"]) for text in texts])
        >>> bool(np.allclose(model.of_graph(graph), model.scores(texts), atol=1e-4))
        True
        """
        network = self.network.as_network
        if network is None:
            raise TypeError(f"{self.model} cannot read graphs: it is not a recursive network")
        return self.checked(network.of_graph(graph).double().cpu().numpy())

    def checked(self, logits: Floats) -> Floats:
        """The logits, if they are numbers; candidates that were not scored have the lowest."""
        if not np.isfinite(logits[logits != LAST]).all():
            raise ScoreError(f"the scores of {self.name} are not finite: its weights are too large")
        return logits

    def verify(self, equations: str | Equation | Iterable[str | Equation]) -> Records[Answer]:
        """The model's answer to each equation, given as text or as an `Equation`."""
        read = _read_all(equations)
        found = verdicts(self.scores(read))
        return Records(Answer(*each) for each in zip(read, found.probability.tolist(), found.names, strict=True))

    def complete(
        self,
        equation: str | Equation,
        candidates: Candidates | None = None,
        top: int = 5,
        depth: int | None = None,
        network_only: bool = False,
    ) -> Records[Filling]:
        """The best fillings of the blank in an equation: those first that make it true, as the oracle says.

        Parameters
        ----------
        equation : str or Equation
            With one blank, ``?``.
        candidates : Candidates, optional
            What to try. By default what `candidates_for` builds from the equation, or solves it for.
        top : int
            How many are wanted.
        depth : int, optional
            Try all expressions up to this depth over the equation's variables and the model's numbers instead.
        network_only : bool
            Let the network alone order the candidates.

        Examples
        --------
        >>> from dgl_mathtree import load
        >>> [str(filling.expression) for filling in load().complete("x^3 - 8 = (x - 2)*?", top=1)]
        ['x^2 + 2*x + 4']
        """
        blank = parse_blank(equation) if isinstance(equation, str) else equation
        return Records(answer_blank(self, blank, candidates, top, depth, network_only))

    def embed(self, expressions: Iterable[str | Expr], unit: bool = True) -> Floats:
        """Vectors of expressions, in which those of equal value are near as far as the model has learnt it.

        Variables that the model does not know are renamed, the same ones in all expressions alike. Those it knows keep
        their names: the vectors of two calls must not make y of one what x is in the other.

        Parameters
        ----------
        expressions : iterable of str or Expr
            Texts or trees, in words that the model knows.
        unit : bool
            Whether the vectors shall have the length 1, so that their products are cosines.

        Returns
        -------
        numpy.ndarray
            (expressions, n)

        Examples
        --------
        >>> from dgl_mathtree import load
        >>> len(load().embed(["sin(x)^2 + cos(x)^2", "1"]))
        2
        """
        network = self.network.as_network
        if network is None:
            raise TypeError(f"{self.model} gives expressions no vectors")
        read = [parse_expression(each) if isinstance(each, str) else each for each in expressions]
        names = self.renaming(word for each in read for word in each.words)
        pairs = [Equation(each, each).rename(names) for each in read]
        for pair in pairs:
            check_words(self.network, pair)
        vectors = side_vectors(network, Forest.of(pairs))
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.maximum(length, np.finfo(np.float64).tiny) if unit else vectors

    def states(self, equation: str | Equation) -> NodeStates:
        """The vectors, memories, stacks and stack actions at every node of an equation.

        Examples
        --------
        >>> from dgl_mathtree import load
        >>> states = load().states("sin(x) + 1 = 1")
        >>> [str(expression) for expression in states.expressions]
        ['sin(x) + 1', 'sin(x)', 'x', '1', '1']
        """
        encoder = self.network.as_tree
        if encoder is None:
            raise TypeError(f"{self.model} has no states at the nodes of a tree: it is not a recursive network")
        read = _read(equation)
        found = equation_states(encoder, self.renamed(read))
        back = {new: old for old, new in self.renaming_for(read).items()}
        return replace(found, expressions=tuple(expression.rename(back) for expression in found.expressions))


def _read(equation: str | Equation) -> Equation:
    return parse_equation(equation) if isinstance(equation, str) else equation


def _read_all(equations: str | Equation | Iterable[str | Equation]) -> list[Equation]:
    """Equations given as texts or trees, or a single one."""
    if isinstance(equations, (str, Equation)):
        equations = [equations]
    return [_read(equation) for equation in equations]
