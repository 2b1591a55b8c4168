"""Value classes: the same for equal values and under renaming."""

from dgl_mathtree.data.discovery.side_classes import TRAIN, parts_of, parts_of_sides, side_keys
from dgl_mathtree.language import parse_equation


def _keys(text: str) -> list[int]:
    return [int(key) for key in side_keys([parse_equation(text).words])[0]]


def test_equal_sides_have_one_key() -> None:
    left, right = _keys("sin(2*x) = 2*sin(x)*cos(x)")
    assert left == right
    left, right = _keys("sin(2*x) = 2*sin(x)*cos(y)")
    assert left != right


def test_keys_do_not_depend_on_names() -> None:
    assert _keys("sin(x)*cos(y) = x") == _keys("sin(b)*cos(a) = b")
    assert _keys("x/y - z = 1")[0] == _keys("y/z - x = 1")[0]


def test_numbers_variables_and_small_expressions_stay_in_training() -> None:
    texts = ["1 = 2", "x = y", "x + x = 2*x", "sin(x)^2 = cos(x)", "x^2 = y*x"]
    assert parts_of([parse_equation(text).words for text in texts]) == [TRAIN] * len(texts)


def test_some_classes_are_held_out() -> None:
    equations = [parse_equation(f"x^{n} + {k}*sin(x) = 0").words for n in range(2, 40) for k in range(2, 30)]
    parts = parts_of_sides(side_keys(equations))[:, 0]
    assert 0.005 < (parts == 1).mean() < 0.03
    assert 0.005 < (parts == 2).mean() < 0.03
