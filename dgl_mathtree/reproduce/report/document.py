"""What a report consists of, before it is written as a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from dgl_mathtree.reproduce.report.printed_figures import Printed
from dgl_mathtree.reproduce.report.results import Cell, Result

Entry = Cell | Printed | str
Row = tuple[str, list[Entry]]
PAIR = "– "
"""How the name of a row begins that belongs to the one above."""


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes
    ----------
    name : str
        Of its place in the page.
    title : str
        What it is.
    note : str
        What to know to read it.
    columns : list of str
        Their heads, that of the row names first.
    rows : list of tuple
        For each row its name and its entries.
    printed : sequence of int
        Columns with figures of the paper's, not ours.
    ranked : sequence of int
        Columns whose best entry is marked.
    """

    name: str
    title: str
    note: str
    columns: list[str]
    rows: list[Row]
    printed: Sequence[int] = ()
    ranked: Sequence[int] = ()

    def best(self) -> set[tuple[int, int]]:
        """Row and column (the row names are column 0) of the best entry of each ranked column."""
        found = set()
        for column in self.ranked:
            values = [(value, row) for row, (_, entries) in enumerate(self.rows)
                      if (value := sorting_value(entries[column - 1])) is not None]  # fmt: skip
            if len(values) > 1:
                best = max(values)[0]
                found |= {(row, column) for value, row in values if value == best}
        return found


@dataclass(frozen=True)
class Figure:
    """Panels that belong together.

    Attributes
    ----------
    name, title, note : str
        As those of a table.
    panels : list of tuple
        For each its title and its SVG.
    """

    name: str
    title: str
    note: str
    panels: list[tuple[str, str]]


@dataclass(frozen=True)
class Links:
    """Runs, with what they are."""

    rows: list[tuple[str, list[Result]]]


@dataclass(frozen=True)
class Unfolding:
    """One line, and the lines that it unfolds to."""

    line: str
    more: list[str]


@dataclass(frozen=True)
class Findings:
    """Sentences, each with words for what it is about."""

    lines: list[tuple[str, str]]


Block = Table | Figure | Links | Unfolding | Findings | str
"""What a section is made of; a text is a paragraph."""


@dataclass(frozen=True)
class Section:
    """A part of the report that folds.

    Attributes
    ----------
    name, title : str
        As those of a table.
    blocks : list
        Tables, figures and paragraphs.
    """

    name: str
    title: str
    blocks: list[Block] = field(default_factory=list)


def sorting_value(entry: Entry) -> float | None:
    """What an entry is sorted by, if it is a number."""
    return None if isinstance(entry, str) else entry.value


def without_empty_columns(table: Table) -> Table:
    """The table without columns in which no row has anything."""
    kept = [0] + [
        column for column in range(1, len(table.columns)) if any(entry_text(row[column - 1]) for _, row in table.rows)
    ]
    return replace(
        table,
        columns=[table.columns[column] for column in kept],
        rows=[(name, [row[column - 1] for column in kept[1:]]) for name, row in table.rows],
        printed=[kept.index(column) for column in table.printed if column in kept],
        ranked=[kept.index(column) for column in table.ranked if column in kept],
    )


def entry_text(entry: Entry) -> str:
    """What an entry shows."""
    return entry if isinstance(entry, str) else entry.text


def with_content(blocks: Iterable[Block]) -> list[Block]:
    """Those that have something to show."""
    return [block for block in blocks if _content(block)]


def _content(block: Block) -> object:
    if isinstance(block, Table | Links):
        return block.rows
    return block.panels if isinstance(block, Figure) else block
