from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.data.axioms import every_axiom
from dgl_mathtree.data.rewriting import Rule, RuleBook, match, rewrite
from dgl_mathtree.language import Expr, parse_equation, parse_expression
from dgl_mathtree.language.expr import subtree_ends
from tests.examples import examples
from tests.language.strategies import expressions

RULES = [Rule(axiom, forward) for axiom in every_axiom().values() for forward in (True, False)]


def matched(axiom: str, forward: bool, text: str, unify: bool = True) -> dict[str, str] | None:
    words = parse_expression(text).words
    bound = match(Rule(every_axiom()[axiom], forward), words, 0, subtree_ends(words), unify)
    return None if bound is None else {name: str(Expr(value)) for name, value in bound.items()}


def test_letters_match_any_subtree() -> None:
    assert matched("commutativity/add", True, "sin(x) + 2*y") == {"x": "sin(x)", "y": "2*y"}
    assert matched("commutativity/add", True, "sin(x) * 2") is None
    assert matched("cofunction/sin", True, "sin(2^-1*pi - y/2)") == {"x": "y/2"}


def test_a_repeated_letter_must_match_equal_subtrees() -> None:
    assert matched("powers/double", True, "sin(y) + sin(y)") == {"x": "sin(y)"}
    assert matched("powers/double", True, "sin(y) + sin(z)") is None
    assert matched("powers/double", True, "sin(y) + sin(z)", unify=False) == {"x": "sin(y)"}
    assert matched("neutral/cancel-sum", True, "x - y") is None


def test_rewriting_at_a_position_in_both_directions() -> None:
    words = parse_equation("cos(x + y) = z").words
    ends = subtree_ends(words)
    forward = rewrite(Rule(every_axiom()["sum/cos"], True), words, 1, ends, {})
    assert forward == parse_equation("cos(x)*cos(y) - sin(x)*sin(y) = z").words
    back = rewrite(Rule(every_axiom()["sum/cos"], False), forward, 1, subtree_ends(forward), {})
    assert back == words
    assert rewrite(Rule(every_axiom()["sum/sin"], True), words, 1, ends, {}) is None


def test_free_letters_are_filled() -> None:
    rule = Rule(every_axiom()["neutral/mul-zero"], False)
    assert rule.free == ("x",)
    words = parse_equation("0 = y").words
    filled = rewrite(rule, words, 1, subtree_ends(words), {"x": parse_expression("sin(z)").words})
    assert filled == parse_equation("sin(z)*0 = y").words


@given(expressions, st.sampled_from(RULES), st.data())
@examples(300)
def test_what_a_rule_makes_can_be_undone_by_its_reverse(subject: Expr, rule: Rule, data: st.DataObject) -> None:
    words, ends = subject.words, subtree_ends(subject.words)
    at = data.draw(st.integers(0, len(words) - 1))
    bound = match(rule, words, at, ends)
    new = rewrite(rule, words, at, ends, dict.fromkeys(rule.free, ("w",)))
    assert (new is None) == (bound is None)
    if new is None or bound is None:
        return
    Expr(new)  # still spells a tree
    reverse = Rule(rule.axiom, not rule.forward)
    lost = {letter: bound[letter] for letter in reverse.free}
    assert rewrite(reverse, new, at, subtree_ends(new), lost) == words


@given(expressions, st.data())
@examples(200)
def test_the_book_finds_exactly_the_rules_that_match(subject: Expr, data: st.DataObject) -> None:
    words, ends = subject.words, subtree_ends(subject.words)
    at = data.draw(st.integers(0, len(words) - 1))
    found = {rule for rule, _ in RuleBook(RULES, lambda _: 1.0).matching(words, at, ends, True)}
    assert found == {rule for rule in RULES if match(rule, words, at, ends) is not None}
