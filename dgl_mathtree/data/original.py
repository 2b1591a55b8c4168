"""The original project's data (Arabshahi et al., recursiveMemNet): its JSON, read into rows of ours.

A file is a list of groups by depth, each a list of examples. `func` and `vars` are parallel lists in prefix order,
joined by commas, with ``#`` for a missing child. The published label is kept and our verdict put beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from dgl_mathtree.data.data_files import DataError, Row
from dgl_mathtree.files import read_json
from dgl_mathtree.language import Equation, VocabularyError, infix
from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.variable_indices import place
from dgl_mathtree.oracle import Oracle

CONSTANTS = {"NegativeOne": "-1", "Half": "1/2", "One": "1", "Pi": "pi", "Exp1": "e"}
LITERALS = ("Symbol", "Integer", "Rational", "Float")
UNSUPPORTED = {"Number": "decimal evaluation", "NaN": "not a number", "Infinity": "infinity"}
UNDEFINED = {"NaN": "nan", "Infinity": "inf"}
"""Leaves that no equation of ours has, but that candidates and vocabularies of the original have."""
KIND = "original"


class Skipped(Exception):
    """An example that is not ours to read; the reason is its argument."""


def original_words(example: Any) -> Words:
    """The words of one example, an equation or an expression, in prefix order."""
    try:
        functions = example["equation"]["func"].split(",")
        values = example["equation"]["vars"].split(",")
    except (KeyError, TypeError, AttributeError):
        raise DataError("expected an example with an equation of func and vars") from None
    if len(functions) != len(values):
        raise DataError(f"func has {len(functions)} entries and vars {len(values)}")
    return tuple(_word(f, v) for f, v in zip(functions, values, strict=True) if f != "#")


def read_equation(example: Any) -> Equation:
    """The equation of one example."""
    words = original_words(example)
    for function, reason in UNSUPPORTED.items():
        if UNDEFINED.get(function, function) in words:
            raise Skipped(reason)
    try:
        return Equation.from_words(words)
    except VocabularyError as error:
        raise Skipped(f"not an equation of ours: {error}") from None


def _word(function: str, value: str) -> str:
    if function in LITERALS:
        return value
    return CONSTANTS.get(function, UNDEFINED.get(function, function))


def read_original(files: Iterable[str | Path], skipped: Counter[str]) -> Iterator[Row]:
    """Rows of some original files, all of them test data; what is left out is counted by reason in `skipped`."""
    oracle = Oracle(complex_plane=False)
    for stem, file in named(files):
        examples = list(examples_of(file))
        kept: list[tuple[int, Equation, int]] = []
        for number, example in enumerate(examples):
            try:
                equation = read_equation(example)
                label = int(example["label"])
                if label not in (0, 1):
                    raise DataError(f"the label must be 0 or 1, not {label}")
                kept.append((number, equation, label))
            except Skipped as reason:
                skipped[str(reason)] += 1
            except (DataError, KeyError, TypeError, ValueError) as error:
                raise DataError(f"{file}: example {number}: {error}") from None
        counts = oracle.count(place(equation for _, equation, _ in kept))
        for (number, equation, label), found in zip(kept, counts, strict=True):
            yield Row(example_id(stem, number), infix(equation), label, equation.depth, "test", found.verdict, KIND, [])


def named(files: Iterable[str | Path]) -> Iterator[tuple[str, Path]]:
    """Files with what the ids of their examples start with: the file's name, counted where it comes again."""
    stems: Counter[str] = Counter()
    for file in map(Path, files):
        stems[file.stem] += 1
        yield file.stem if stems[file.stem] == 1 else f"{file.stem}.{stems[file.stem]}", file


def example_id(stem: str, number: int) -> str:
    return f"{stem}-{number:05d}"


def examples_of(file: Path) -> Iterator[Any]:
    """The examples of an original file, group after group."""
    groups = read_json(file, DataError, stream=True)
    if not isinstance(groups, list) or not all(isinstance(group, list) for group in groups):
        raise DataError(f"{file}: expected a list of groups of examples")
    for group in groups:
        yield from group
