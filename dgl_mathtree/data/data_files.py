"""Data on disk: a folder with `equations.jsonl` (plain or compressed as .xz), `card.json` and `card.md`."""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from dgl_mathtree.data.recipe import DATASETS, recipe_names
from dgl_mathtree.data.splits import ALL, PART_CHOICES, PARTS
from dgl_mathtree.errors import InputError
from dgl_mathtree.files import parse_json, read_json
from dgl_mathtree.language import Equation, ParseError, parse_equation
from dgl_mathtree.language.vocabulary import OPERATOR_NAMES, is_leaf
from dgl_mathtree.schema import check
from dgl_mathtree.tables import html_table

EQUATIONS, COMPRESSED, CARD = "equations.jsonl", "equations.jsonl.xz", "card.json"
KEYS = {
    "id": "id",
    "equation": "equation",
    "label": "label",
    "depth": "depth",
    "split": "part",
    "verdict": "verdict",
    "kind": "kind",
    "derivation": "derivation",
}
"""The keys of a line, in their order, and what of a row each holds."""
MOST_DEPTH = 1 << 31


_COUNTS = {"*?": int}
_SHARES = {"*": {"*?": float}}
CARD_SHAPE = {
    "name": str,
    "symbols": [str],
    "checksum": str,
    "by_depth": {"#": {"nodes?": float, **{f"{name}?": int for name in ("count", "correct", *PARTS, "tautologies")}}},
    **{f"{name}?": str for name in ("description", "recipe", "split", "version", "fingerprint", "source")},
    **{f"{name}?": int for name in ("seed", "generator", "draws", "count")},
    **{f"{name}?": _COUNTS for name in ("variables", "kinds", "verdicts", "skipped")},
    **{f"{name}?": _SHARES for name in ("floors", "leaks", "words")},
    "verdicts_by_label?": {"*": _COUNTS},
    "splits?": {"*": {"count?": int, "correct?": int}},
}
"""What `card.json` holds. Cards are also written by people and other programs, so most of it may be missing."""
ROW_SHAPE = {
    **dict.fromkeys(("id", "equation", "split", "verdict", "kind"), str),
    "label": int,
    "depth": int,
    "derivation": [[object]],
}
"""What a line of `equations.jsonl` holds."""
_DECODER = json.JSONDecoder()
_KEYS, _LISTS = tuple(KEYS), {list}
_TYPES = tuple(list if isinstance(ROW_SHAPE[key], list) else ROW_SHAPE[key] for key in KEYS)


class DataError(InputError):
    """Data that cannot be read or written: what and where."""


@dataclass(frozen=True)
class Row:
    """One line of `equations.jsonl`.

    Parameters
    ----------
    id : str
        Unique in the data.
    equation : str
        As text.
    label : int
        1 for correct, 0 for incorrect.
    depth : int
        Of the equation.
    part : str
        ``train``, ``validation`` or ``test`` (under the key ``split`` in the file).
    verdict : str
        The oracle's: ``true``, ``false``, ``branch`` or ``undefined``; ``undecided`` is refused.
    kind : str
        ``correct``, the kind of edit that made it incorrect, or ``original`` for imported data.
    derivation : list
        The steps that made it, as in `dgl_mathtree.data.provenance`; empty for imported data.
    """

    id: str
    equation: str
    label: int
    depth: int
    part: str
    verdict: str
    kind: str
    derivation: list[list[Any]]

    def __post_init__(self) -> None:
        if self.verdict == "undecided":
            raise DataError(f"equation {self.id}: data holds no equation that the oracle has not decided")

    @property
    def source(self) -> str:
        """What it was made from: ``axiom``, or the kind of discovery (``class``, ``law``, ...); empty if not known."""
        kind, *rest = (self.derivation[0] if self.derivation else None) or [""]
        return str(rest[0]).partition(".")[0] if kind == "found" and rest else str(kind)

    def parsed(self) -> Equation:
        """The equation; a DataError where the text is none."""
        try:
            return parse_equation(self.equation)
        except ParseError as error:
            raise DataError(f"equation {self.id}: column {error.column}: {error.reason}") from None

    def to_json(self) -> str:
        """The line."""
        return json.dumps({key: getattr(self, name) for key, name in KEYS.items()}, ensure_ascii=False)


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


def check_part(part: str) -> str:
    """The part itself, or an error that lists what there is."""
    if part not in PART_CHOICES:
        raise DataError(f"unknown part {part!r}; expected one of {', '.join(PARTS)}, {ALL}")
    return part


def read_rows(name: str | Path, part: str = ALL) -> Iterator[Row]:
    """The rows of some data, or of one part of it.

    Whoever reads to the end knows that nothing is missing: what was read is held against the card's checksum.

    Parameters
    ----------
    name : str or Path
        A data folder, or a recipe whose data comes with the project.
    part : str
        ``train``, ``validation``, ``test`` or ``all``.

    Examples
    --------
    >>> next(read_rows("paper", "test")).depth >= 8
    True
    """
    check_part(part)
    folder = find_data(name)
    checksum, number = hashlib.sha256(), 0
    try:
        with _open_equations(folder) as stream:
            for number, line in enumerate(stream, start=1):
                checksum.update(line)
                text = line.decode("utf-8")
                row = _valid_row(text) or _row(text, f"{folder}: line {number}")
                if part in (ALL, row.part):
                    yield row
    except (OSError, lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read the equations of {folder}: {error}") from None
    if (folder / CARD).is_file() and read_card(folder)["checksum"] != checksum.hexdigest():
        raise DataError(
            f"the equations of {folder} are not those of its card: lines are missing or were changed since it was "
            f"written ({number} lines were read); take the folder from where it came from again"
        )


def _open_equations(folder: Path) -> IO[bytes]:
    plain = folder / EQUATIONS
    return plain.open("rb") if plain.is_file() else lzma.open(folder / COMPRESSED, "rb")


def _valid_row(line: str) -> Row | None:
    """The row of a line in which all is as it should be; None for any other, which takes longer to look at."""
    try:
        entries, end = _DECODER.raw_decode(line)
    except (ValueError, RecursionError):
        return None
    if (
        type(entries) is dict
        and tuple(entries) == _KEYS
        and tuple(map(type, entries.values())) == _TYPES
        and entries["label"] in (0, 1)
        and entries["split"] in PARTS
        and 0 <= entries["depth"] < MOST_DEPTH
        and set(map(type, entries["derivation"])) <= _LISTS
        and line[end:] in ("\n", "")
        and "\\" not in line  # what is spelled with it may be half a character
    ):
        entries["part"] = entries.pop("split")
        row = object.__new__(Row)
        row.__dict__.update(entries)  # a constructor that sets one after the other takes three times as long
        return row
    return None


def _row(line: str, where: str) -> Row:
    """The row of a line, or an error that says what is wrong with it."""
    try:
        entries = parse_json(line)
    except json.JSONDecodeError as error:
        raise DataError(f"{where} is not JSON: {error.msg} at column {error.colno}") from None
    if not isinstance(entries, dict) or not KEYS.keys() <= entries.keys():
        raise DataError(f"{where}: expected an object with the keys {', '.join(KEYS)}")
    check(entries, ROW_SHAPE, where, DataError)
    row = Row(**{name: entries[key] for key, name in KEYS.items()})
    if row.label not in (0, 1) or row.part not in PARTS or not 0 <= row.depth < MOST_DEPTH:
        raise DataError(f"{where}: label must be 0 or 1, split one of {', '.join(PARTS)}, depth a whole number")
    return row


def find_row(name: str | Path, wanted: str) -> Row:
    """The row of an id."""
    for row in read_rows(name):
        if row.id == wanted:
            return row
    raise DataError(f"there is no equation {wanted} in {name}")


class Card(dict[str, Any]):
    """A data card, as in `card.json`."""

    def _repr_html_(self) -> str:
        names = ("correct", *PARTS, "nodes")
        rows = [
            {"depth": depth, "equations": found.get("count"), **{name: found.get(name) for name in names}}
            for depth, found in self["by_depth"].items()
        ]
        return html_table(rows, f"{self['name']}: {self.get('count', 0):,} equations")


def generator_of(card: Mapping[str, Any]) -> int:
    """The version of the generator that made some data, by its card.

    Cards of version 0.1.0 do not name it, and those written soon after it call it ``draws``.

    Examples
    --------
    >>> generator_of(read_card("paper"))
    1
    """
    return int(card.get("generator", card.get("draws", 1)))


def operators_of(card: Mapping[str, Any]) -> list[str]:
    """The operators that occur in some data, by its card; all there are where the card does not list its words.

    Examples
    --------
    >>> operators_of({"words": {"x": 0.5, "sin": 0.2, "Add": 0.3}})
    ['sin', 'Add']
    """
    return [name for name in OPERATOR_NAMES if name in card.get("words", OPERATOR_NAMES)]


def read_card(name: str | Path) -> Card:
    """The card of some data, as it was made with it."""
    file = find_data(name) / CARD
    card: dict[str, Any] = read_json(file, DataError)
    if not isinstance(card, dict) or not {"name", "symbols", "checksum", "by_depth"} <= card.keys():
        raise DataError(f"{file} is not a data card: it must be an object with name, symbols, checksum and by_depth")
    check(card, CARD_SHAPE, str(file), DataError)
    symbols = card["symbols"]
    if wrong := [word for word in symbols if not is_leaf(word)]:
        raise DataError(f"{file}: symbols: {wrong[0]!r:.40} is not a variable, number or constant")
    if len(set(symbols)) < len(symbols):
        raise DataError(f"{file}: symbols: a leaf is listed twice")
    return Card({key: value for key, value in card.items() if value is not None})
