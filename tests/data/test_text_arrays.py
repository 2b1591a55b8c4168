from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.data.text_arrays import Texts


@given(st.lists(st.text()))
def test_texts_are_what_they_were_made_of(given: list[str]) -> None:
    texts = Texts.of(given)
    assert list(texts) == given and texts == given and texts.fits()
    assert texts[1:] == given[1:] and texts[::-1] == given[::-1]
    assert (texts == [*given, "more"]) is False


def test_places_beyond_the_end() -> None:
    with pytest.raises(IndexError):
        Texts.of(["a"])[1]
    assert not Texts(np.zeros(3, dtype=np.uint8), np.array([2, 1])).fits()
    assert not Texts(np.zeros(3, dtype=np.uint8), np.array([2])).fits()
