"""How things show in a notebook: as small HTML tables that need nothing else and suit light and dark pages."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

LONGEST = 30
"""The rows of a table that are shown."""
_RULE = "1px solid #8886"  # half transparent: seen on white and on black
_NUMBER = re.compile(r"[-−]?[0-9][0-9.,]*%?")


class Markup(str):
    """HTML that stands in a table as it is; any other text is escaped."""

    __slots__ = ()


def table(rows: Sequence[Mapping[str, object]], caption: str = "") -> Markup:
    """A table in HTML, columns of numbers flush right.

    Parameters
    ----------
    rows : sequence of mapping
        For each row its cells under the heads of their columns; after the first 30 their number alone is told.
    caption : str
        What stands above it.

    Examples
    --------
    >>> shown = table([{"operator": "<", "count": 2}])
    >>> "&lt;" in shown, "<td>" in shown
    (True, False)
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    texts = [["" if row.get(name) is None else as_cell(row[name]) for name in columns] for row in rows[:LONGEST]]
    right = [all(_NUMBER.fullmatch(text) for text in column if text) for column in zip(*texts, strict=True)]
    styles = [f"text-align:{'right' if flush else 'left'};padding:.2em .6em" for flush in right]
    heads = "".join(f'<th scope="col" style="{s}">{html.escape(c)}</th>' for c, s in zip(columns, styles, strict=False))
    body = [
        f'<tr style="border-top:{_RULE}">'
        + "".join(f'<td style="{style}">{text}</td>' for text, style in zip(line, styles, strict=True))
        + "</tr>"
        for line in texts
    ]
    if len(rows) > LONGEST:
        body.append(f'<tr><td colspan="{len(columns)}">and {len(rows) - LONGEST:,} more</td></tr>')
    title = f'<caption style="caption-side:top;text-align:left">{html.escape(caption)}</caption>' if caption else ""
    return Markup(
        '<div style="overflow-x:auto;overflow-y:hidden"><table style="border-collapse:collapse;margin:0">'
        f"{title}<thead><tr>{heads}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def as_cell(cell: object) -> str:
    """The HTML of a cell."""
    if isinstance(cell, Markup):
        return cell
    if isinstance(cell, float):
        return f"{cell:.4g}"
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else html.escape(str(cell))


class Record:
    """What shows as a row of a table."""

    def cells(self) -> dict[str, object]:
        """The row: what stands under each head."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return table([self.cells()])


_R = TypeVar("_R", bound=Record)


class Records(list[_R]):
    """A list that shows as a table, a row for each record."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return table([record.cells() for record in self]) if self else None
