from __future__ import annotations

from dgl_mathtree.inference.near_misses import Pair, edit_distance, near_misses
from dgl_mathtree.language import parse_equation


def pairs(*rows: tuple[int, str, str]) -> list[Pair]:
    labels, subjects, texts = zip(*rows, strict=True)
    return near_misses([parse_equation(text).words for text in texts], labels, subjects)


def test_a_false_equation_belongs_to_the_nearest_true_one_of_its_subject() -> None:
    found = pairs(
        (1, "trig", "sin(x)^2 + cos(x)^2 = 1"),
        (1, "trig", "sin(x)*csc(x) = 1"),
        (1, "algebra", "sin(y)^2 + cos(x)^2 = 1"),
        (0, "trig", "sin(y)^2 + cos(x)^2 = 1"),
        (0, "trig", "sin(x)*sin(x) = 1"),
        (0, "trig", "tan(x + y) = cot(x)^3*7"),
    )
    assert found == [Pair(0, 3, one_variable=True), Pair(1, 4, one_variable=False)]


def test_of_equally_near_ones_the_first_is_taken() -> None:
    assert pairs((1, "a", "x + 1 = 1 + x"), (1, "a", "x + 2 = 2 + x"), (0, "a", "x + 1 = 2 + x"))[0].true == 0


def test_one_variable_for_another_is_all_that_differs() -> None:
    assert pairs((1, "a", "x + y + x = 2*x + y"), (0, "a", "x + y + y = 2*x + y"))[0].one_variable
    assert not pairs((1, "a", "x + y + x = 2*x + y"), (0, "a", "x + y + 1 = 2*x + y"))[0].one_variable
    assert not pairs((1, "a", "x + y + z = z + y + x"), (0, "a", "y + x + z = z + y + y"))[0].one_variable


def test_what_cannot_be_read_belongs_to_no_pair() -> None:
    assert near_misses([parse_equation("x = x").words, None], [1, 0], ["a", "a"]) == []


def test_distance() -> None:
    assert edit_distance((), ("x", "y")) == 2
    assert edit_distance(("Add", "x", "y"), ("Add", "y", "x")) == 2
    assert edit_distance(("Add", "x", "y"), ("Add", "x", "y")) == 0
