"""The matcher of the original project: which patterns match where, and what letters then stand for."""

from __future__ import annotations

import random

import pytest

from dgl_mathtree.data.axioms import axioms_of
from dgl_mathtree.data.loose_matching import LooseRules, drawn, match_loosely, rewrite_loosely
from dgl_mathtree.data.rewriting import Rule
from dgl_mathtree.language import Equation, parse_equation
from dgl_mathtree.language.expr import subtree_ends

AXIOMS = axioms_of("original")


def words_of(text: str) -> tuple[str, ...]:
    """The words of ``text = 0``: the expression starts at position 1."""
    return parse_equation(f"{text} = 0").words


def matched(axiom: str, text: str, forward: bool = True, at: int = 1) -> dict[str, list[str]] | None:
    words = words_of(text)
    found = match_loosely(Rule(AXIOMS[axiom], forward), words, at, subtree_ends(words))
    return found and {letter: [" ".join(subtree) for subtree in several] for letter, several in found.items()}


@pytest.mark.parametrize(
    ("axiom", "forward", "text", "found"),
    [
        # Below an operator a letter matches anything, and repeated letters need not agree.
        ("first-pythagorean/sin-cos", True, "sin(2)^2 + cos(y)^2", {"x": ["2", "y"]}),
        ("first-pythagorean/sin-cos", True, "sin(x)^2 + cos(x)^2", {"x": ["x"]}),
        # Constants of a pattern must be there.
        ("first-pythagorean/sin-cos", True, "sin(x)^3 + cos(x)^2", None),
        ("first-shift/sin-pi", True, "sin(x + 2)", None),
        # Operands are alike in the subject if and only if they are in the pattern.
        ("first-algebra/swap-sum", True, "x + x", None),
        ("first-algebra/swap-sum", True, "x + 1", {"y": ["x"], "x": ["1"]}),
        ("first-numbers/square", True, "sin(x)*sin(x)", {"x": ["sin x"]}),
        ("first-numbers/square", True, "sin(x)*sin(y)", None),
        # A leaf matches only a side that is a leaf, and an inner node none.
        ("first-algebra/zero-add", False, "y", {"x": ["y"]}),
        ("first-algebra/zero-add", False, "2", None),
        ("first-algebra/zero-add", False, "sin(y)", None),
        ("first-pythagorean/sin-cos", False, "1", {}),
        ("first-pythagorean/sin-cos", False, "2", None),
    ],
)
def test_what_matches(axiom: str, forward: bool, text: str, found: dict[str, list[str]] | None) -> None:
    assert matched(axiom, text, forward) == found


def test_letters_that_nothing_is_bound_to_stay() -> None:
    words = words_of("1 + 2")
    rule = Rule(AXIOMS["first-pythagorean/sin-cos"], False)
    at = words.index("1")
    ends = subtree_ends(words)
    found = match_loosely(rule, words, at, ends)
    assert found == {}
    rewritten = rewrite_loosely(rule, words, at, ends, {})
    assert str(Equation._trusted(rewritten)) == "sin(x)^2 + cos(x)^2 + 2 = 0"


def test_any_of_the_matches_may_be_drawn() -> None:
    matches = {"x": [("2",), ("y",)], "z": [("3",)]}
    found = {tuple(sorted(drawn(matches, random.Random(seed)).items())) for seed in range(20)}
    assert found == {(("x", ("2",)), ("z", ("3",))), (("x", ("y",)), ("z", ("3",)))}


def test_rules_by_first_word_are_all_that_match() -> None:
    rules = [Rule(axiom, forward) for axiom in AXIOMS.values() for forward in (True, False)]
    indexed = LooseRules(rules)
    words = parse_equation("sin(2*x) + 1 = cos(y)^2*(0 + x)").words
    ends = subtree_ends(words)
    for at in range(1, len(words)):
        expected = [rule for rule in rules if match_loosely(rule, words, at, ends) is not None]
        assert [rule for rule, _ in indexed.matching(words, at, ends)] == expected
