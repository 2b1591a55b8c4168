from __future__ import annotations

from dgl_mathtree.data.canonical import canonical_key
from dgl_mathtree.data.data_files import read_rows
from dgl_mathtree.data.duplicates import have_twins, sides_seen
from dgl_mathtree.language import Forest, parse_equation


def test_twins_are_those_of_the_same_key() -> None:
    rows = [row.parsed() for _, row in zip(range(400), read_rows("paper", "train"), strict=False)]
    data, asked = rows[:300], rows[200:]
    keys = {canonical_key(equation.words) for equation in data}
    expected = [canonical_key(equation.words) in keys for equation in asked]
    assert have_twins(asked, Forest.of(data)).tolist() == expected
    assert any(expected) and not all(expected)


def test_other_names_orders_and_sides() -> None:
    data = Forest.of([parse_equation("x + (y + sin(z)) = 2*x"), parse_equation("x = x")])
    texts = ["b*2 = sin(a) + b + c", "b*2 = sin(b) + b + c", "q = q", "q = r"]
    assert have_twins([parse_equation(text) for text in texts], data).tolist() == [True, False, True, False]
    assert have_twins([], data).tolist() == []


def test_sides_are_found_anywhere_in_the_data_up_to_order_and_names() -> None:
    data = Forest.of([parse_equation("sin(x*y + 1)^2 = z"), parse_equation("x^y = 3")])
    asked = ["a*b = 1 + b*a", "a^b = b^a", "sin(a*a + 1) = 2", "sin(1 + a*b)^2 = cos(x)"]
    expected = [[True, True], [True, True], [False, True], [True, False]]
    assert sides_seen([parse_equation(text) for text in asked], data).tolist() == expected
    assert sides_seen([], data).shape == (0, 2)
