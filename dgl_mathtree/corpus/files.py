"""Data on disk: a folder with `equations.jsonl` (plain or compressed as .xz), `card.json` and `card.md`."""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from dgl_mathtree.corpus.recipes import DATASETS, recipe_names
from dgl_mathtree.corpus.splits import PARTS
from dgl_mathtree.errors import InputError
from dgl_mathtree.expressions import Equation, ParseError, parse_equation
from dgl_mathtree.files import parse_json, read_json

EQUATIONS, COMPRESSED, CARD = "equations.jsonl", "equations.jsonl.xz", "card.json"
KEYS = ("id", "equation", "label", "depth", "split", "verdict", "kind", "derivation")


class DataError(InputError):
    """Data that cannot be read or written: what and where."""


@dataclass(frozen=True)
class Row:
    """One line of `equations.jsonl`.

    Attributes:
        id: unique in the data.
        equation: as text.
        label: 1 for correct, 0 for incorrect.
        depth: of the equation.
        split: train, validation or test.
        verdict: the oracle's: true, false, branch or undefined.
        kind: `correct`, the kind of edit that made it incorrect, or `original` for imported data.
        derivation: the steps that made it, as in `dgl_mathtree.corpus.derivation`; empty for imported data.
    """

    id: str
    equation: str
    label: int
    depth: int
    split: str
    verdict: str
    kind: str
    derivation: list[list[Any]]

    def parsed(self) -> Equation:
        try:
            return parse_equation(self.equation)
        except ParseError as error:
            raise DataError(f"equation {self.id}: column {error.column}: {error.reason}") from None

    def to_json(self) -> str:
        return json.dumps({key: getattr(self, key) for key in KEYS}, ensure_ascii=False)


def find_data(name: str | Path) -> Path:
    """The folder of some data: a path, or the name of a recipe whose data comes with the project."""
    for folder in (Path(name), DATASETS / str(name)):
        if any((folder / file).is_file() for file in (EQUATIONS, COMPRESSED)):
            return folder
    if Path(name).exists():
        raise DataError(f"{name} is not a data folder: it has no {EQUATIONS}")
    if str(name) in recipe_names():
        raise DataError(f"the data of {name} does not come with the project: mathtree generate OUT --recipe {name}")
    raise DataError(f"there is no data {name}: expected a folder with {EQUATIONS}")


def _open_equations(folder: Path) -> IO[str]:
    plain = folder / EQUATIONS
    if plain.is_file():
        return plain.open(encoding="utf-8")
    return lzma.open(folder / COMPRESSED, "rt", encoding="utf-8")


def read_rows(name: str | Path, split: str | None = None) -> Iterator[Row]:
    """The rows of some data, or of one part of it."""
    if split is not None and split not in (*PARTS, "all"):
        raise DataError(f"there is no split {split!r}; there are {', '.join(PARTS)} and all")
    folder = find_data(name)
    try:
        with _open_equations(folder) as stream:
            for number, line in enumerate(stream, start=1):
                row = _row(line, f"{folder}: line {number}")
                if split in (None, "all", row.split):
                    yield row
    except (OSError, lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read the equations of {folder}: {error}") from None


def _row(line: str, where: str) -> Row:
    try:
        entries = parse_json(line)
        row = Row(**{key: entries[key] for key in KEYS})
    except json.JSONDecodeError as error:
        raise DataError(f"{where} is not JSON: {error.msg} at column {error.colno}") from None
    except (KeyError, TypeError) as error:
        raise DataError(f"{where}: expected an object with the keys {', '.join(KEYS)}; missing: {error}") from None
    if row.label not in (0, 1) or row.split not in PARTS or not isinstance(row.depth, int):
        raise DataError(f"{where}: label must be 0 or 1, split one of {', '.join(PARTS)}, depth a whole number")
    if not all(isinstance(text, str) for text in (row.id, row.equation, row.verdict, row.kind)):
        raise DataError(f"{where}: id, equation, verdict and kind must be texts")
    return row


def data_checksum(name: str | Path) -> str:
    """The checksum of some data's equations as they are now."""
    folder = find_data(name)
    checksum = hashlib.sha256()
    plain = folder / EQUATIONS
    try:
        with plain.open("rb") if plain.is_file() else lzma.open(folder / COMPRESSED, "rb") as stream:
            while block := stream.read(1 << 20):
                checksum.update(block)
    except (OSError, lzma.LZMAError, EOFError) as error:
        raise DataError(f"cannot read the equations of {folder}: {error}") from None
    return checksum.hexdigest()


def find_row(name: str | Path, wanted: str) -> Row:
    """The row of an id."""
    for row in read_rows(name):
        if row.id == wanted:
            return row
    raise DataError(f"there is no equation {wanted} in {name}")


def read_card(name: str | Path) -> dict[str, Any]:
    """The card of some data, as it was made with it."""
    file = find_data(name) / CARD
    card: dict[str, Any] = read_json(file, DataError)
    if not isinstance(card, dict) or not {"name", "symbols", "checksum", "by_depth"} <= card.keys():
        raise DataError(f"{file} is not a data card")
    return card
