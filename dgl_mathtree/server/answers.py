"""What the API answers: the same facts as the commands with ``--json``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from dgl_mathtree.errors import InputError
from dgl_mathtree.explain import Explainer
from dgl_mathtree.expressions import (
    Equation,
    Expr,
    ParseError,
    VocabularyError,
    parse,
    parse_blank,
    parse_equation,
    parse_question,
)
from dgl_mathtree.expressions.facts import tree_facts
from dgl_mathtree.expressions.vocabulary import BLANK
from dgl_mathtree.server.limits import Limits
from dgl_mathtree.server.protocol import Refusal
from dgl_mathtree.server.questions import Question, read_question
from dgl_mathtree.tasks.facts import verification_facts

_Tree = TypeVar("_Tree", Equation, Expr, Equation | Expr)


def answer(explainer: Explainer, name: str, body: str, limits: Limits) -> Any:
    """The answer to a request, as what JSON can hold.

    Parameters
    ----------
    explainer : Explainer
        Who answers, with its network.
    name : str
        What is asked for, one of `ANSWERS`.
    body : str
        The request's JSON.
    limits : Limits
        With the nodes that an equation may have.

    Raises
    ------
    Refusal
        Where the request is not as it should be, or the answer takes too much memory.
    """
    question = read_question(name, body)
    try:
        return _answer(explainer, name, question, limits)
    except Refusal as refusal:
        if question.draft and refusal.status == 422:
            return refusal.facts
        raise


def _answer(explainer: Explainer, name: str, question: Question, limits: Limits) -> Any:
    try:
        return ANSWERS[name](explainer, question, limits)
    except ParseError as error:
        place = {"position": error.position, "line": error.line, "column": error.column}
        raise Refusal(422, error.reason, place=place) from None
    except (VocabularyError, InputError) as error:
        raise Refusal(422, str(error)) from None
    except MemoryError:
        raise Refusal(503, "this takes more memory than a request may have") from None


def _parse(_: Explainer, question: Question, limits: Limits) -> Any:
    return tree_facts(_within(limits, parse(question.equation, blanks=True)))


def _verify(explainer: Explainer, question: Question, limits: Limits) -> Any:
    equation = _within(limits, parse_equation(question.equation))
    return verification_facts(explainer.network.trained, [equation])[0]


def _complete(explainer: Explainer, question: Question, limits: Limits) -> Any:
    blank = _within(limits, parse_blank(question.equation))
    return [filling.to_json() for filling in explainer.network.trained.complete(blank, top=question.top)]


def _explain(explainer: Explainer, question: Question, limits: Limits) -> Any:
    equation = _within(limits, parse_question(question.equation))
    return (explainer.complete if BLANK in equation.words else explainer.explain)(equation).to_json()


def _within(limits: Limits, tree: _Tree) -> _Tree:
    if tree.size > limits.nodes:
        raise Refusal(422, f"this has {tree.size} nodes; {limits.nodes} are answered at most")
    return tree


ANSWERS: dict[str, Callable[[Explainer, Question, Limits], Any]] = {
    "parse": _parse,
    "verify": _verify,
    "complete": _complete,
    "explain": _explain,
}
