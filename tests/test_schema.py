from __future__ import annotations

from typing import Any

import pytest

from dgl_mathtree.errors import InputError
from dgl_mathtree.schema import check

SHAPE = {"name": str, "sizes": [int], "shares?": {"*?": float}, "depths": {"#": {"count": int}}, "any?": object}
GOOD: dict[str, Any] = {"name": "a", "sizes": [1], "depths": {"3": {"count": 2}}, "more": [{}]}


@pytest.mark.parametrize(
    "value", [GOOD, GOOD | {"shares": None}, GOOD | {"shares": {"x": 1, "y": None}, "any": [True]}]
)
def test_what_fits(value: Any) -> None:
    check(value, SHAPE, "file")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 5}, "file: name must be a text, not 5"),
        ({"name": "\ud800"}, "name must be a text"),
        ({"name": None}, "file has no 'name'"),
        ({"sizes": 5}, "sizes must be a list, not 5"),
        ({"sizes": [1, True]}, "sizes: entry 2 must be a whole number, not True"),
        ({"sizes": [2**70]}, "entry 1 must be a whole number"),
        ({"shares": {"x": float("nan")}}, "shares: x must be a number, not nan"),
        ({"shares": []}, r"shares must be an object, not \[\]"),
        ({"depths": {"three": {}}}, "depths must have whole numbers as keys, not 'three'"),
        ({"depths": {"3": {}}}, "depths: 3 has no 'count'"),
    ],
)
def test_what_does_not_fit(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check(GOOD | change, SHAPE, "file")
