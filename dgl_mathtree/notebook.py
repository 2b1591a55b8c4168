"""How records show in a notebook: as small HTML tables that need nothing else and suit light and dark pages."""

from __future__ import annotations

from typing import TypeVar

from dgl_mathtree.tables import html_table


class Record:
    """What shows as a row of a table."""

    def cells(self) -> dict[str, object]:
        """The row: what stands under each head."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return html_table([self.cells()])


_R = TypeVar("_R", bound=Record)


class Records(list[_R]):
    """A list that shows as a table, a row for each record."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return html_table([record.cells() for record in self]) if self else None
