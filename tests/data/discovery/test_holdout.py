from __future__ import annotations

from pathlib import Path

import pytest

from dgl_mathtree.data.canonical import canonical_key, fold_key
from dgl_mathtree.data.discovery import holdout
from dgl_mathtree.data.discovery.holdout import Exclusion
from dgl_mathtree.data.recipe_checks import RecipeError
from dgl_mathtree.language import parse_equation


def test_twins_and_relatives_of_a_collection_are_excluded() -> None:
    found = Exclusion.of(["textbook"])
    assert len(found.keys) > 500
    words = parse_equation("(3 - 4*cos(2*a) + cos(4*a))/8 = 1*sin(a)^4").words
    assert found.has(canonical_key(words), fold_key(words))


def test_collections_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RecipeError, match="unknown collection 'nothing'"):
        Exclusion.of(["nothing"])
    (tmp_path / "bad.tsv").write_text("true\ttrig\tsin(\n")
    monkeypatch.setattr(holdout, "find_collection", lambda _: tmp_path / "bad.tsv")
    with pytest.raises(RecipeError, match=r"an equation that cannot be read: sin\("):
        Exclusion.of(["bad"])
