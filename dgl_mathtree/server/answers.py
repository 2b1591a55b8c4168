"""What the API answers: the same facts as the commands with ``--json``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from dgl_mathtree.errors import InputError
from dgl_mathtree.expressions import Equation, Expr, ParseError, VocabularyError, parse, parse_blank, parse_equation
from dgl_mathtree.expressions.facts import tree_facts
from dgl_mathtree.server.limits import Limits
from dgl_mathtree.server.protocol import Refusal
from dgl_mathtree.server.questions import Question, read_question
from dgl_mathtree.tasks.facts import verification_facts
from dgl_mathtree.tasks.trained import TrainedVerifier

_Tree = TypeVar("_Tree", Equation, Expr, Equation | Expr)


def answer(trained: TrainedVerifier, name: str, body: str, limits: Limits) -> Any:
    """The answer to a request, as what JSON can hold.

    Parameters
    ----------
    trained : TrainedVerifier
        Who answers.
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
        return ANSWERS[name](trained, question, limits)
    except ParseError as error:
        place = {"position": error.position, "line": error.line, "column": error.column}
        raise Refusal(422, error.reason, place=place) from None
    except (VocabularyError, InputError) as error:
        raise Refusal(422, str(error)) from None
    except MemoryError:
        raise Refusal(503, "this takes more memory than a request may have") from None


def _parse(_: TrainedVerifier, question: Question, limits: Limits) -> Any:
    return tree_facts(_within(limits, parse(question.equation, blanks=True)))


def _verify(trained: TrainedVerifier, question: Question, limits: Limits) -> Any:
    return verification_facts(trained, [_within(limits, parse_equation(question.equation))])[0]


def _complete(trained: TrainedVerifier, question: Question, limits: Limits) -> Any:
    blank = _within(limits, parse_blank(question.equation))
    return [filling.to_json() for filling in trained.complete(blank, top=question.top)]


def _within(limits: Limits, tree: _Tree) -> _Tree:
    if tree.size > limits.nodes:
        raise Refusal(422, f"this has {tree.size} nodes; {limits.nodes} are answered at most")
    return tree


ANSWERS: dict[str, Callable[[TrainedVerifier, Question, Limits], Any]] = {
    "parse": _parse,
    "verify": _verify,
    "complete": _complete,
}
