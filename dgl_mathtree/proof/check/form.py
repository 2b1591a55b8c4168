"""The JSON form of a proof, read strictly: anything that is not of this form is one `ProofError`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from dgl_mathtree.language import parse_equation, parse_expression
from dgl_mathtree.language.expr import Tree
from dgl_mathtree.language.vocabulary import is_number
from dgl_mathtree.proof.check.limits import (
    DEEPEST_BECAUSE,
    DEEPEST_TREE,
    LARGEST_TEXT,
    LARGEST_TREE,
    LONGEST_NUMBER,
    MOST_CONDITIONS,
    MOST_STEPS,
    ProofError,
)
from dgl_mathtree.proof.check.nodes import ZERO, Node, node_of, sub
from dgl_mathtree.proof.check.signs import RELATIONS

_RELATION = re.compile(r"\s*([^<>=!]+?)\s*(>=|<=|!=|>|<|=)\s*([^<>=!]+?)\s*")
PROOF_KEYS = {"equation", "verdict", "proved", "method", "conditions", "steps", "checked", "seconds"}
STEP_KEYS = {"left", "right", "law", "at", "because"}
CASE_KEYS = {"case", "steps"}
CHAIN_KEYS = {"range", "sides", "steps"}
SAID: Mapping[str, tuple[object, ...]] = {
    "verdict": ("true",),
    "proved": (True,),
    "checked": (True,),
    "method": ("laws", "normal form"),
}
"""What a proof may say of itself, besides what is checked."""
MOST_CASES = 8


@dataclass(frozen=True)
class Relation:
    """A condition or case: an expression and the signs that it has."""

    text: str
    node: Node
    mask: int


@dataclass(frozen=True)
class Case:
    """A case and the chain that holds in it."""

    relation: Relation
    steps: list[Step]


@dataclass(frozen=True)
class Step:
    """One line: two expressions, why they are equal, and what that rests on."""

    name: str
    left: Node
    right: Node
    law: str
    at: Node | None
    cases: list[Case] | None
    inner: list[Step] | None
    moved: tuple[Node, Node] | None = None
    """The sides of the same equation with terms on other sides, or of twice it, which the inner chain is about."""
    where: str | None = None
    """The interval that the sides are said to lie in."""


@dataclass(frozen=True)
class Derivation:
    """A whole proof."""

    text: str
    left: Node
    right: Node
    conditions: list[Relation]
    steps: list[Step]


def read_proof(proof: object) -> Derivation:
    """The proof that a JSON object spells.

    Raises
    ------
    ProofError
        If it is not of the form of a proof, or too large.
    """
    if not isinstance(proof, Mapping):
        raise ProofError("not a proof: expected a JSON object")
    if proof.get("proved") is False:
        raise ProofError("not a proof: the equation is not called proved")
    _only_keys(proof, PROOF_KEYS, "the proof")
    for key, allowed in SAID.items():
        if key in proof and not any(proof[key] is value or proof[key] == value != 1 for value in allowed):
            raise ProofError(f"not a proof: {key} is {str(proof[key])[:40]!r}")
    seconds = proof.get("seconds", 0)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < float("inf"):
        raise ProofError("not a proof: the seconds are not a number of seconds")
    text = _text(proof, "equation", "the proof")
    equation = _tree(text, "the equation", parse_equation)
    root = node_of(equation.words)
    conditions = proof.get("conditions", [])
    if not isinstance(conditions, list) or len(conditions) > MOST_CONDITIONS:
        raise ProofError(f"the conditions must be a list of at most {MOST_CONDITIONS} texts")
    relations = [read_relation(condition, "a condition") for condition in conditions]
    counter = [0]
    steps = _steps(proof.get("steps"), "step ", counter, 0)
    return Derivation(text, root.args[0], root.args[1], relations, steps)


def read_relation(text: object, what: str) -> Relation:
    """A text such as ``x > 0`` or ``cos(x) != 0``."""
    if not isinstance(text, str) or len(text) > LARGEST_TEXT or not (found := _RELATION.fullmatch(text)):
        raise ProofError(f"{what} must be a text such as 'x > 0' or 'x != 0'")
    left, right = (node_of(_tree(part, what, parse_expression).words) for part in (found[1], found[3]))
    return Relation(text, left if right == ZERO else sub(left, right), RELATIONS[found[2]])


def _only_keys(entry: Mapping[Any, Any], keys: Collection[str], what: str) -> None:
    unknown = [key for key in entry if key not in keys]
    if unknown:
        raise ProofError(f"{what} has an unknown key {str(unknown[0])[:40]!r}")


def _text(entry: Mapping[str, Any], key: str, what: str) -> str:
    text = entry.get(key)
    if not isinstance(text, str):
        raise ProofError(f"{what} has no text {key!r}")
    if len(text) > LARGEST_TEXT:
        raise ProofError(f"{what} has a text {key!r} of more than {LARGEST_TEXT} characters")
    return text


def _tree(text: str, what: str, parse: Any) -> Tree:
    try:
        tree: Tree = parse(text)
    except ValueError as error:
        reason = str(error).splitlines()[0] if str(error) else "unreadable"
        raise ProofError(f"{what} cannot be read: {reason}") from None
    if len(tree) > LARGEST_TREE or tree.depth > DEEPEST_TREE:
        raise ProofError(f"{what} is too large to be checked")
    if any(len(word) > LONGEST_NUMBER and is_number(word) for word in tree.words):
        raise ProofError(f"{what} has a number of more than {LONGEST_NUMBER} digits")
    return tree


def _expression(entry: Mapping[str, Any], key: str, what: str) -> Node:
    return node_of(_tree(_text(entry, key, what), f"{key} of {what}", parse_expression).words)


def _steps(entries: object, prefix: str, counter: list[int], depth: int) -> list[Step]:
    where = f"the steps below {prefix.strip(' .')}" if depth else "the steps"
    if not isinstance(entries, list):
        raise ProofError(f"{where} must be a list")
    if depth > DEEPEST_BECAUSE:
        raise ProofError(f"{where} are nested too deeply")
    counter[0] += len(entries)
    if counter[0] > MOST_STEPS:
        raise ProofError(f"the proof has more than {MOST_STEPS} steps")
    return [_step(entry, f"{prefix}{k}", counter, depth) for k, entry in enumerate(entries, 1)]


def _step(entry: object, name: str, counter: list[int], depth: int) -> Step:
    if not isinstance(entry, Mapping):
        raise ProofError(f"{name} must be an object")
    _only_keys(entry, STEP_KEYS, name)
    left, right = (_expression(entry, key, name) for key in ("left", "right"))
    at = None if entry.get("at") is None else _expression(entry, "at", name)
    because = entry.get("because")
    cases = inner = moved = where = None
    if isinstance(because, list):
        if len(because) > MOST_CASES:
            raise ProofError(f"{name} has more than {MOST_CASES} cases")
        cases = [_case(case, f"{name}.{k}", counter, depth) for k, case in enumerate(because, 1)]
    elif isinstance(because, Mapping):
        _only_keys(because, CHAIN_KEYS, name)
        inner = _steps(because.get("steps"), f"{name}.", counter, depth + 1)
        where = None if because.get("range") is None else _text(because, "range", name)
        moved = None if because.get("sides") is None else _sides(because["sides"], name)
    elif because is not None:
        raise ProofError(f"{name} has a 'because' that is neither cases nor a chain")
    return Step(name, left, right, _text(entry, "law", name), at, cases, inner, moved, where)


def _sides(texts: object, name: str) -> tuple[Node, Node]:
    """The two sides that a step's chain is about."""
    if not isinstance(texts, list) or len(texts) != 2:
        raise ProofError(f"{name} has 'sides' that are not two expressions")
    left, right = (_expression({"sides": text}, "sides", name) for text in texts)
    return left, right


def _case(entry: object, name: str, counter: list[int], depth: int) -> Case:
    if not isinstance(entry, Mapping):
        raise ProofError(f"case {name} must be an object")
    _only_keys(entry, CASE_KEYS, f"case {name}")
    relation = read_relation(entry.get("case"), f"case {name}")
    return Case(relation, _steps(entry.get("steps"), f"{name}.", counter, depth + 1))
