from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.data import canonical, hashing
from dgl_mathtree.data.canonical import canonical_key, fold
from dgl_mathtree.data.hashing import mix, spelled_out
from dgl_mathtree.language import Equation
from tests.language.strategies import equations


@given(st.lists(st.integers() | st.integers(-(2**63), 2**63) | st.integers(-2, 2), max_size=8))
def test_the_hash_of_numbers_is_what_keys_were_made_with(numbers: list[int]) -> None:
    assert spelled_out(tuple(numbers)) == mix(tuple(numbers)) == hash(tuple(numbers))


def test_it_is_fixed() -> None:
    for some in (mix, spelled_out):
        assert some(()) == 5740354900026072187
        assert some((27, 1000, 1001)) == 539021095296702060


def test_a_python_with_another_hash_is_not_asked() -> None:
    assert hashing.chosen(hash) is hash
    assert hashing.chosen(lambda numbers: hash(numbers) + (len(numbers) > 50)) is spelled_out


@given(equations)
def test_keys_do_not_depend_on_which_is_used(equation: Equation) -> None:
    words = equation.words
    expected = canonical_key(words), *fold(words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canonical, "mix", spelled_out)
        assert (canonical_key(words), *fold(words)) == expected
