"""Tables as text for a terminal, as Markdown, and as HTML for a notebook."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence

LONGEST = 30
"""The rows of an HTML table that are shown."""
_RULE = "1px solid #8886"  # half transparent: seen on white and on black
_NUMBER = re.compile(r"[-−]?[0-9][0-9.,]*%?")


class Markup(str):
    """HTML that stands in a table as it is; any other text is escaped."""

    __slots__ = ()


def text_table(heads: Sequence[object], rows: Iterable[Sequence[object]], widths: Sequence[int]) -> str:
    """A table as lines of text: cells flush right, or flush left where their width is negative.

    Numbers with a fraction have four digits, None is a dash.

    Examples
    --------
    >>> print(text_table(["model", "count", "auc"], [["rnn", 3, 0.5], ["lstm", 12, None]], [-6, 6, 8]))
    model  count     auc
    rnn        3  0.5000
    lstm      12       -
    """
    return "\n".join(_text_row(row, widths) for row in (heads, *rows))


def _text_row(row: Sequence[object], widths: Sequence[int]) -> str:
    texts = ("-" if cell is None else f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row)
    shown = (text.ljust(-width) if width < 0 else text.rjust(width) for text, width in zip(texts, widths, strict=True))
    return "".join(shown).rstrip()


def markdown_table(heads: Sequence[object], rows: Iterable[Sequence[object]]) -> list[str]:
    r"""The lines of a table in Markdown; a bar in a cell is written ``\|``.

    Examples
    --------
    >>> markdown_table(["depth", "count"], [[1, 20]])
    ['| depth | count |', '|---|---|', '| 1 | 20 |']
    """
    lines = [f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in (heads, *rows)]
    return [lines[0], "|---" * len(heads) + "|", *lines[1:]]


def html_table(rows: Sequence[Mapping[str, object]], caption: str = "") -> Markup:
    """A table in HTML, columns of numbers flush right.

    Parameters
    ----------
    rows : sequence of mapping
        For each row its cells under the heads of their columns; after the first 30 their number alone is told.
    caption : str
        What stands above it.

    Examples
    --------
    >>> shown = html_table([{"operator": "<", "count": 2}])
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
