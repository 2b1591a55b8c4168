"""Equations with a blank: made from data, read and written.

A file has one JSON object a line: ``{"id", "equation": "sin(x)^2 + ? = 1", "filling": "cos(x)^2", "depth": 4}``. The
depth is that of the whole equation. The original project's completion files are read too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dgl_mathtree.data.data_files import DataError, read_rows
from dgl_mathtree.data.original import Skipped, example_id, examples_of, named, read_equation
from dgl_mathtree.data.splits import TEST
from dgl_mathtree.files import parse_json, write_atomically
from dgl_mathtree.language import Equation, Expr, ParseError, infix, parse_blank, parse_expression
from dgl_mathtree.language.expr import subtree_ends
from dgl_mathtree.language.vocabulary import BLANK

FILE = "blanks.jsonl"
"""The name that blanks have inside a data folder."""
SEED = 0


@dataclass(frozen=True)
class Blank:
    """An equation with a blank, and what was there.

    Attributes
    ----------
    id : str
        Of the equation in its data.
    equation : Equation
        With the word ``?`` at one place.
    filling : Expr
        What was there.
    """

    id: str
    equation: Equation
    filling: Expr

    @property
    def filled(self) -> Equation:
        """The whole equation."""
        return self.equation.replace(self.equation.words.index(BLANK), self.filling)

    def rename(self, names: dict[str, str]) -> Blank:
        """The blank with variables renamed."""
        return Blank(self.id, self.equation.rename(names), self.filling.rename(names)) if names else self

    def to_json(self) -> str:
        facts = {"id": self.id, "equation": infix(self.equation), "filling": infix(self.filling)}
        return json.dumps(facts | {"depth": self.filled.depth}, ensure_ascii=False)


def cut_blank(id: str, equation: Equation, position: int) -> Blank:
    """The blank that is left where a subexpression is taken away."""
    filling = equation.subexpression(position)
    return Blank(id, equation.replace(position, Expr._trusted((BLANK,))), filling)


def path_to_blank(equation: Equation) -> tuple[int, list[tuple[str, int]]]:
    """The side that the blank is on, and the operators from there down to it, each with the place it is below."""
    words = equation.words
    blank, ends = words.index(BLANK), subtree_ends(words)
    path = []
    at = 0
    while at != blank:
        child, place = at + 1, 0
        while blank >= ends[child]:
            child, place = ends[child], place + 1
        path.append((words[at], place))
        at = child
    return path[0][1], path[1:]


def make_blanks(data: str | Path, depth: int = 1, seed: int = SEED, part: str = TEST) -> list[Blank]:
    """A blank in every correct equation of a part of some data, at a node drawn uniformly among those whose
    subexpression has at most a depth."""
    if depth < 0:
        raise DataError(f"the depth of a blank must not be negative, not {depth}")
    rng = np.random.default_rng(seed)
    blanks = []
    for row in read_rows(data, part):
        if row.label:
            equation = row.parsed()
            places = [k for k, height in enumerate(equation.heights()) if height <= depth and k > 0]
            blanks.append(cut_blank(row.id, equation, places[rng.integers(len(places))]))
    if not blanks:
        raise DataError(f"{data} has no correct equation in {part}")
    return blanks


def write_blanks(file: str | Path, blanks: Iterable[Blank]) -> None:
    write_atomically(Path(file), "".join(f"{blank.to_json()}\n" for blank in blanks))


def read_blanks(source: str | Path) -> list[Blank]:
    """The blanks of a file, ours or the original project's, or of a data folder that has some."""
    file = Path(source)
    if file.is_dir():
        file = file / FILE
        if not file.is_file():
            raise DataError(f"{source} has no {FILE}: mathtree blanks makes a file of blanks from data")
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from None
    if text.lstrip()[:1] == "[":
        blanks = original_blanks([file])
    else:
        lines = enumerate(text.splitlines(), start=1)
        blanks = [_blank(line, f"{file}: line {number}") for number, line in lines if line.strip()]
    if not blanks:
        raise DataError(f"{file} holds no blanks")
    return blanks


def original_blanks(files: Iterable[str | Path]) -> list[Blank]:
    """The blanks of completion files of the original project; equations that cannot be read here are left out."""
    blanks = []
    for stem, file in named(files):
        for number, example in enumerate(examples_of(file)):
            try:
                blanks.append(original_blank(example_id(stem, number), example))
            except Skipped:
                continue
            except DataError as error:
                raise DataError(f"{file}: example {number}: {error}") from None
    return blanks


def has_blanks(files: Iterable[str | Path]) -> bool:
    """Whether all files are completion files of the original project."""
    return all("blankNodeNum" in example for file in files for example in examples_of(Path(file)))


def original_blank(id: str, example: Any) -> Blank:
    """The blank of an example of a completion file."""
    equation = read_equation(example)
    try:
        position = int(example["blankNodeNum"])
    except (KeyError, TypeError, ValueError):
        raise DataError("expected a node number in blankNodeNum: this is not a completion file") from None
    if not 0 < position < len(equation):
        raise DataError(f"blankNodeNum {position} is not a node below the root: the equation has {len(equation)} nodes")
    return cut_blank(id, equation, position)


def _blank(line: str, where: str) -> Blank:
    try:
        entries = parse_json(line)
        texts = [entries[key] for key in ("equation", "filling")]
        if not all(isinstance(text, str) for text in texts):
            raise DataError(f"{where}: equation and filling must be texts")
        blank = Blank(str(entries["id"]), parse_blank(texts[0]), parse_expression(texts[1]))
    except json.JSONDecodeError as error:
        raise DataError(f"{where} is not JSON: {error.msg} at column {error.colno}") from None
    except ParseError as error:
        raise DataError(f"{where}: column {error.column} of {error.text!r}: {error.reason}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{where}: expected an object with id, equation and filling; missing: {error}") from None
    return blank
