"""Collections for evaluation: equations that were written by people, with a label and a kind each.

A collection is a text file of three columns with tabs between them: the label (``true`` or ``false``), the kind (a
subject, and for a false equation the kind of error after a stroke: ``trig/sign``), and the equation.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dgl_mathtree.data.data_files import DataError
from dgl_mathtree.data.recipe import DATASETS
from dgl_mathtree.language import Equation, ParseError, parse_equation

SUFFIX = ".tsv"
LABELS = {"true": 1, "false": 0}


@dataclass(frozen=True)
class Entry:
    """One line of a collection.

    Parameters
    ----------
    label : int
        1 for correct, 0 for incorrect.
    subject : str
        What it is about: ``trig``, ``algebra``, ...
    error : str
        The kind of error; empty for a correct equation.
    text : str
        The equation as it stands there.
    equation : Equation or None
        None where the parser cannot read it.
    """

    label: int
    subject: str
    error: str
    text: str
    equation: Equation | None


def find_collection(name: str | Path) -> Path | None:
    """The file of a collection: a path to a .tsv file, or the name of one that comes with the project; None else.

    Examples
    --------
    >>> find_collection("textbook").name, find_collection("paper")
    ('textbook.tsv', None)
    """
    if Path(name).suffix == SUFFIX:
        return Path(name)
    file = DATASETS / str(name) / f"{name}{SUFFIX}"
    return file if file.is_file() else None


def read_collection(file: Path) -> list[Entry]:
    """The entries of a collection's file, in its order.

    Raises
    ------
    DataError
        Where the file cannot be read, or a line has not the three columns.
    """
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from None
    entries = [_entry(line, f"{file}: line {number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not entries:
        raise DataError(f"{file} has no equations")
    return entries


def _entry(line: str, where: str) -> Entry:
    columns = [column.strip() for column in line.split("\t")]
    if len(columns) != 3 or columns[0] not in LABELS:
        raise DataError(f"{where}: expected true or false, a kind and an equation, with tabs between them")
    label, kind, text = columns
    subject, _, error = kind.partition("/")
    try:
        equation = parse_equation(text)
    except ParseError:
        equation = None
    return Entry(LABELS[label], subject, error, text, equation)
