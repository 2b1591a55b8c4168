"""The types of explanations and of what they consist of, which check answers and describe them in OpenAPI."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class StrictModel(BaseModel):
    """Fields of exactly these names and types: nothing is converted, and nothing else may be there."""

    model_config = ConfigDict(strict=True, extra="forbid")


Probability = Annotated[float, Field(ge=0, le=1)]
VerdictName = Annotated[
    Literal["true", "false", "branch", "undefined", "undecided"],
    Field(description="The oracle's verdict; true: the sides agree at every tested point. Only a proof is a proof."),
]
AnswerWord = Annotated[
    Literal["proved", "holds", "refuted", "branch", "undefined", "undecided"],
    Field(description="What is known: proved, holds at the tested points, refuted by a point, or why none of these."),
]
ProofMethod = Annotated[str, Field(description="The method by which it was proved.")]
Coordinates = Annotated[dict[str, str], Field(description="The exact value of each variable.")]
Numbers = list[float | None]
Pair = Annotated[list[float], Field(min_length=2, max_length=2)]
MathML = Annotated[str | None, Field(description="Null where the expression is large.")]


class WitnessAnswer(StrictModel):
    """A point at which the two sides differ, or agree."""

    point: Coordinates
    left: str
    right: str
    difference: str = Field(description="Left minus right.")
    bits: int = Field(ge=53, description="Precision; 53 is floating point, more is ball arithmetic.")
    taken: bool = Field(description="Whether a part was taken to be on the edge of a domain: then it proves nothing.")


class TestedAnswer(StrictModel):
    """What a true verdict without a proof rests on."""

    points: int = Field(ge=1, description="Points at which the sides agree.")
    low: float | None = Field(alias="from", description="The smallest value of a variable; null without variables.")
    high: float | None = Field(alias="to", description="The largest one.")


class FillingAnswer(StrictModel):
    """A way to fill the blank."""

    filling: str
    equation: str = Field(description="The whole equation.")
    probability: Probability
    oracle: VerdictName
    value_class: int | str = Field(alias="class", description="The class of candidates of equal value.")
    answer: AnswerWord
    proof: ProofMethod | None
    conditions: list[str] = Field(description="What the proof assumes beyond both sides being defined.")


class TypesetFilling(FillingAnswer):
    """A way to fill the blank, typeset."""

    mathml: str


class ModelAnswer(StrictModel):
    """Which network, and what its states consist of."""

    run: str
    name: str
    kind: Literal["stack", "tree", "sequence", "none"]
    root: str | None = None
    size: int | None = None
    slots: int | None = None
    actions: list[str] | None = None


class OracleAnswer(StrictModel):
    """What `mathtree oracle --json` prints beside the equation."""

    verdict: VerdictName
    complex_verdict: VerdictName | None
    defined: int = Field(ge=0, description="Points at which both sides are defined.")
    equal: int = Field(ge=0, description="Points at which they are equal.")
    method: Literal["float", "certified"]
    bits: int = Field(ge=53)
    witness: WitnessAnswer | None
    agreement: WitnessAnswer | None
    looked: Pair | None
    proof: ProofMethod | None
    conditions: list[str]
    tested: TestedAnswer | None


class StateAnswer(StrictModel):
    """What the network holds at a node."""

    vector: Numbers
    size: float
    stack: list[Numbers] | None = None
    actions: Numbers | None = None


class NeighbourAnswer(StrictModel):
    """A known expression near a node's state."""

    expression: str
    mathml: MathML
    cosine: float
    oracle: VerdictName


class NodeAnswer(StrictModel):
    """A node of the two trees."""

    id: int
    side: Literal[0, 1]
    parent: int | None
    children: list[int]
    word: str
    label: str
    expression: str | None
    mathml: str | None
    depth: int
    level: int
    value: float | None
    state: StateAnswer | None
    nearest: list[NeighbourAnswer]


class SubexpressionAnswer(StrictModel):
    """A subexpression of a side."""

    expression: str
    mathml: MathML
    nodes: list[int]


class PairAnswer(StrictModel):
    """Subexpressions of the two sides, and how alike they are."""

    left: SubexpressionAnswer
    right: SubexpressionAnswer
    probability: float
    oracle: VerdictName


class TrustAnswer(StrictModel):
    """Which verdict to believe, and why."""

    said: str
    why: str


class PointAnswer(StrictModel):
    """The point at which nodes have their values."""

    kind: Literal["witness", "example"]
    values: Coordinates


class CurvesAnswer(StrictModel):
    """Both sides along the first variable."""

    variable: str
    fixed: Coordinates
    start: float = Field(alias="from")
    to: float
    left: Numbers
    right: Numbers
    same: list[Literal[-1, 0, 1]]


class CaseAnswer(StrictModel):
    """A case of a step, and its proof."""

    case: str
    steps: list[StepAnswer]


class FunctionAnswer(StrictModel):
    """The proof of a step by a function that takes no value twice in the range of both sides."""

    range: str
    sides: list[str] | None = Field(None, description="The equation's sides, where terms of the step changed sides.")
    steps: list[StepAnswer]


class StepAnswer(StrictModel):
    """A step of a proof."""

    left: str
    right: str
    law: str = Field(description="Names of laws or rules, joined by a comma and a space.")
    at: str | None = Field(description="The part of the left expression that the law rewrites, where that is noted.")
    because: list[CaseAnswer] | FunctionAnswer | None = Field(None, description="The proofs that the step rests on.")


class TypesetExpression(StrictModel):
    """An expression as text and as MathML."""

    expression: str
    mathml: MathML


class ShownLine(TypesetExpression):
    """A line of a derivation: equal to the line before by the laws."""

    laws: list[str]
    because: list[ReasonAnswer]


class ChainAnswer(StrictModel):
    """Expressions, each equal to the next."""

    start: TypesetExpression
    lines: list[ShownLine]


class ReasonAnswer(ChainAnswer):
    """A chain that a line rests on."""

    given: str = Field(description="The case, or the equation and the range in which both sides lie.")


class LawAnswer(StrictModel):
    """What a law says."""

    says: str = Field(description="Its equation, and under which conditions it holds; of a rule a description.")
    mathml: str | None
    conditions: list[str]


class DerivationAnswer(ChainAnswer):
    """A proof as pages show it: steps that only rearrange are part of the next line."""

    laws: dict[str, LawAnswer] = Field(description="What the laws beside the lines say, by name.")
    holds: str = Field(description="For which values it is proved.")


class _ProofFields(StrictModel):
    equation: str
    seconds: float = Field(ge=0)
    derivation: DerivationAnswer | None = Field(None, description="Where it is asked for.")


class ProvedAnswer(_ProofFields):
    """What `mathtree prove --json` prints of an equation that is proved."""

    verdict: Literal["true"]
    proved: Literal[True]
    method: Literal["laws", "normal form"]
    conditions: list[str] = Field(description="What is assumed beyond both sides being defined.")
    steps: list[StepAnswer] = Field(description="A chain from the left side to the right side.")
    checked: Literal[True] = Field(description="Whether the independent checker has accepted it.")


class UnprovedAnswer(_ProofFields):
    """What `mathtree prove --json` prints of an equation that is not proved."""

    verdict: VerdictName
    proved: Literal[False]
    method: None
    conditions: Annotated[list[str], Field(max_length=0)]
    steps: Annotated[list[StepAnswer], Field(max_length=0)]
    checked: Literal[False]
    reason: str
    witness: WitnessAnswer | None
    agreement: WitnessAnswer | None


class _EquationFields(StrictModel):
    equation: str
    latex: str
    mathml: str = Field(description="Presentation MathML; data-node of an element is its node's index in prefix order.")
    depth: int = Field(ge=1)
    size: int = Field(ge=3)
    variables: list[str]
    model: ModelAnswer


class FullExplanation(_EquationFields):
    """What `mathtree explain --json` prints."""

    verdict: Literal["correct", "incorrect"]
    probability: Probability
    oracle: OracleAnswer
    agree: bool | None
    trust: TrustAnswer
    point: PointAnswer | None
    curves: CurvesAnswer | None
    sides: Annotated[list[int], Field(min_length=2, max_length=2)]
    nodes: list[NodeAnswer]
    pairs: list[PairAnswer] = Field(description="What the network takes for equal.")
    closest: list[PairAnswer] = Field(description="The most alike of what it does not take for equal.")
    proof: ProvedAnswer | UnprovedAnswer | None = Field(description="Null where it is not asked for.")
    derivation: DerivationAnswer | None = Field(description="The lines of the proof as they are shown.")


class FilledExplanation(_EquationFields):
    """What `mathtree explain --json` prints for an equation with a blank."""

    fillings: list[TypesetFilling]
    best: FullExplanation | None
