"""The API: for each endpoint its request type, its answer type and the function that computes the answer.

A new endpoint is a function with the decorator `endpoint`, and its types, here or in the module of a command (see
`load_endpoints`). Route, checks, worker and OpenAPI document
follow from that. Functions run in a worker, with the model loaded; the server's own process imports this module for
the types only, so that functions import what they compute with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field, PlainValidator, TypeAdapter, WithJsonSchema

from dgl_mathtree.errors import InputError
from dgl_mathtree.web.server.explanation_types import (
    AnswerWord,
    FilledExplanation,
    FillingAnswer,
    FullExplanation,
    Probability,
    ProofMethod,
    ProvedAnswer,
    StrictModel,
    TestedAnswer,
    UnprovedAnswer,
    VerdictName,
    WitnessAnswer,
)
from dgl_mathtree.web.server.limits import Limits

if TYPE_CHECKING:
    from dgl_mathtree.language import Equation, Expr
    from dgl_mathtree.web.explain import Explainer

Compute = Callable[["Explainer", Any, Limits], Any]


@dataclass(frozen=True)
class Endpoint:
    """An endpoint of the API.

    Attributes
    ----------
    name : str
        Its path is ``/api/NAME``.
    request : type of BaseModel
        Checks the fields of a request.
    answer : TypeAdapter
        Checks an answer before it is sent.
    compute : callable
        Returns the answer, as what JSON can hold; an InputError refuses the request with status 422.
    long : bool
        Whether it may take seconds: one worker is kept free for the others.
    """

    name: str
    request: type[BaseModel]
    answer: TypeAdapter[Any]
    compute: Compute
    long: bool

    @property
    def summary(self) -> str:
        return (self.compute.__doc__ or "").partition("\n")[0]


ENDPOINTS: dict[str, Endpoint] = {}
"""All endpoints by name."""


def endpoint(name: str, request: type[BaseModel], answer: Any, long: bool = False) -> Callable[[Compute], Compute]:
    """Make a function an endpoint of the API; the first line of its docstring describes it."""

    def register(compute: Compute) -> Compute:
        ENDPOINTS[name] = Endpoint(name, request, TypeAdapter(answer), compute, long)
        return compute

    return register


LOADED: list[str] = []
"""Modules beyond this one that have defined endpoints."""


def load_endpoints(modules: Iterable[str]) -> None:
    """Call the function `define_endpoints` of modules, by their names; each defines endpoints with `endpoint`.

    The server calls it before it starts, and the model process again, for the same modules.
    """
    for name in modules:
        if name not in LOADED:
            import_module(name).define_endpoints()
            LOADED.append(name)


class ErrorAnswer(StrictModel):
    """Why a request is refused."""

    error: str = Field(description="One line: what is wrong, and what would be right.")
    position: int | None = Field(None, ge=0, description="Index of the offending character, in Unicode characters.")
    line: int | None = Field(None, ge=1)
    column: int | None = Field(None, ge=1)


def error_fields(error: Exception) -> dict[str, object]:
    """The fields of an `ErrorAnswer` for an error in what the user typed."""
    from dgl_mathtree.language import ParseError

    if isinstance(error, ParseError):
        return {"error": error.reason, "position": error.position, "line": error.line, "column": error.column}
    return {"error": str(error)}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("input should be a valid string")
    return value


# Any text, also one with lone surrogates, which pydantic refuses: the parser says what is wrong with it, and where.
Text = Annotated[str, PlainValidator(_text), WithJsonSchema({"type": "string"})]


class ParseRequest(StrictModel):
    """A text to parse."""

    equation: Text = Field(description="An equation or expression, in plain text or LaTeX; it may hold a blank.")
    draft: bool = Field(False, description="Whether it is still being typed: errors are then answers, not refusals.")


class EquationRequest(StrictModel):
    """An equation."""

    equation: Text = Field(description="In plain text or LaTeX.", examples=["sin(x)^2 + cos(x)^2 = 1"])


class CompleteRequest(StrictModel):
    """An equation to complete."""

    equation: Text = Field(description="With one blank: ?, _ or \\square.", examples=["sin(x)^2 + ? = 1"])
    top: int = Field(5, ge=1, le=20, description="Number of fillings.")


class ExplainRequest(StrictModel):
    """An equation to explain."""

    equation: Text = Field(description="With or without a blank.", examples=["sin(x + y) = sin(x) + sin(y)"])
    proof: bool = Field(False, description="Whether to look for a proof too.")


class ProveRequest(StrictModel):
    """An equation to prove."""

    equation: Text = Field(description="In plain text or LaTeX.", examples=["tan(x)*cot(x) = 1"])
    derivation: bool = Field(False, description="Whether the answer has the lines of the proof as they are shown.")


class _TreeFields(StrictModel):
    latex: str
    mathml: str = Field(description="Presentation MathML; data-node of an element is its node's index in prefix order.")
    depth: int = Field(ge=0)
    size: int = Field(ge=1, description="Number of nodes.")
    variables: list[str]
    prefix: list[str] = Field(description="The words of the tree in prefix order.")


class EquationTree(_TreeFields):
    """A parsed equation."""

    equation: str


class ExpressionTree(_TreeFields):
    """A parsed expression."""

    expression: str


class VerifyAnswer(StrictModel):
    """What `mathtree verify --json` prints."""

    equation: str
    depth: int = Field(ge=1)
    probability: Probability | None = Field(description="That the equation is correct, by the network.")
    verdict: Literal["correct", "incorrect"] | None = Field(description="The network's verdict.")
    oracle: VerdictName
    model: str = Field(description="The run of the network.")
    agree: bool | None = Field(description="Whether network and oracle agree; null where one has no verdict.")
    witness: WitnessAnswer | None
    proof: ProofMethod | None
    conditions: list[str] = Field(description="What the proof assumes beyond both sides being defined.")
    tested: TestedAnswer | None
    unread: str | None = Field(description="Why the network cannot read the equation, if it cannot.")
    answer: AnswerWord
    says: str = Field(description="The answer in words, and what it rests on.")
    agreement: WitnessAnswer | None = Field(description="For a branch, a point at which the sides agree.")


@endpoint("parse", ParseRequest, EquationTree | ExpressionTree | ErrorAnswer)
def answer_parse(_: Explainer, asked: ParseRequest, limits: Limits) -> Any:
    """Parse an equation or expression, with or without a blank; as `mathtree parse --json`."""
    from dgl_mathtree.language import parse
    from dgl_mathtree.language.tree_facts import tree_facts

    try:
        tree = parse(asked.equation, blanks=True)
        check_size(tree, limits)
    except InputError as error:
        if asked.draft:
            return error_fields(error)
        raise
    return tree_facts(tree)


@endpoint("verify", EquationRequest, VerifyAnswer)
def answer_verify(explainer: Explainer, asked: EquationRequest, limits: Limits) -> Any:
    """Verify an equation by prover, oracle and network; as `mathtree verify --json`."""
    from dgl_mathtree.inference.combined_verdicts import verification_facts
    from dgl_mathtree.language import parse_equation

    equation = parse_equation(asked.equation)
    check_size(equation, limits)
    return verification_facts(explainer.network.trained, [equation])[0]


@endpoint("complete", CompleteRequest, list[FillingAnswer], long=True)
def answer_complete(explainer: Explainer, asked: CompleteRequest, limits: Limits) -> Any:
    """Fill the blank in an equation, what makes it true first; as `mathtree complete --json`."""
    from dgl_mathtree.language import parse_blank

    blank = parse_blank(asked.equation)
    check_size(blank, limits)
    return [filling.to_json() for filling in explainer.network.trained.complete(blank, top=asked.top)]


@endpoint("explain", ExplainRequest, FullExplanation | FilledExplanation, long=True)
def answer_explain(explainer: Explainer, asked: ExplainRequest, limits: Limits) -> Any:
    """Explain an equation, or the completion of one with a blank; as `mathtree explain --json`."""
    from dgl_mathtree.language import parse_question
    from dgl_mathtree.language.vocabulary import BLANK

    equation = parse_question(asked.equation)
    check_size(equation, limits)
    explain = explainer.complete if BLANK in equation.words else explainer.explain
    return explain(equation, proof=asked.proof).to_json()


@endpoint("prove", ProveRequest, ProvedAnswer | UnprovedAnswer, long=True)
def answer_prove(_: Explainer, asked: ProveRequest, limits: Limits) -> Any:
    """Prove an equation, or say why there is no proof; as `mathtree prove --json`."""
    from dgl_mathtree.language import parse_equation
    from dgl_mathtree.proof import prove
    from dgl_mathtree.proof.derivation import proof_json
    from dgl_mathtree.web.explain.proof_view import derivation_json

    equation = parse_equation(asked.equation)
    check_size(equation, limits)
    found = prove(equation)
    shown = {"derivation": derivation_json(found)} if asked.derivation else {}
    return proof_json(found) | shown


def check_size(tree: Equation | Expr, limits: Limits) -> None:
    """Refuse an equation with too many nodes."""
    if tree.size > limits.nodes:
        raise InputError(f"this has {tree.size} nodes; {limits.nodes} are answered at most")
