from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dgl_mathtree.data.data_files import Row, read_rows
from dgl_mathtree.data.data_writer import write_rows

MakeData = Callable[..., Path]
SIZES = {"train": 230, "validation": 60, "test": 40}


@pytest.fixture(scope="session")
def paper() -> list[Row]:
    found: dict[str, list[Row]] = {part: [] for part in SIZES}
    for row in read_rows("paper"):
        if row.depth < 10:
            found[row.part].append(row)
    return [row for part, size in SIZES.items() for row in found[part][:: len(found[part]) // size][:size]]


@pytest.fixture(scope="session")
def data(paper: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A little of `paper`."""
    out = tmp_path_factory.mktemp("data") / "little"
    write_rows(out, paper, {"name": "little"})
    return out


@pytest.fixture
def correct_only(paper: list[Row], tmp_path: Path) -> Path:
    write_rows(tmp_path / "correct", [replace(row, derivation=[]) for row in paper if row.label], {"name": "correct"})
    return tmp_path / "correct"
