"""Tables of completion: in all and by depth, on our blanks and on the original's."""

from __future__ import annotations

from dgl_mathtree.reproduce.report.document import Entry, Row, Table
from dgl_mathtree.reproduce.report.measures import BLANKS, FEW, filled
from dgl_mathtree.reproduce.report.printed_figures import GAINS
from dgl_mathtree.reproduce.report.results import Cell, Result, Results, Value
from dgl_mathtree.reproduce.report.statistics import wilson
from dgl_mathtree.reproduce.studies import LIKE, ROWS

KINDS = ("class", "collapse", "oracle")
MEASURED_ON = ((LIKE, "completion_original"), (ROWS, "completion"), (ROWS, "completion_original"))
"""On what networks were trained, and which blanks they fill."""


def completion_tables(results: Results) -> list[Table]:
    """For each kind of blanks a table of all measures and two by depth."""
    tables = []
    for data, blanks in MEASURED_ON:
        tables += [_overall(results, data, blanks), *(_by_depth(results, data, blanks, top) for top in (1, 5))]
    return tables


def _name(data: str, blanks: str) -> str:
    return blanks if data == ROWS else f"{data}-{blanks}"


def _title(data: str, blanks: str) -> str:
    return f"{BLANKS[blanks]}, networks trained on {data}"


def _overall(results: Results, data: str, blanks: str) -> Table:
    kinds = [f"top{top}_{kind}" for kind in KINDS for top in (1, 5)]
    rows: list[Row] = []
    for model in results.models(data):
        cells: list[Entry] = [results.cell(data, model, filled(kind, blanks)) for kind in kinds]
        counts = [run for run in results.of(data, model) if run.analysis.get(blanks)]
        if counts:
            rows.append((model, [*cells, str(len(counts))]))
    columns = ["model", *(f"Top-{kind[3]} {kind[5:]}" for kind in kinds), "seeds"]
    note = (
        "Percent of blanks; candidates are all expressions of depth 0 and 1. class: the first rank of any candidate "
        "equal to what was there; collapse: the same among classes; oracle: any class that makes the equation true, "
        "where some do and some do not. The paper only plots its own; it claims mean gains of "
        f"{GAINS['top1']} points at Top-1 and {GAINS['top5']} at Top-5 for its models."
    )
    title = f"Completion, {_title(data, blanks)}"
    return Table(f"{_name(data, blanks)}-overall", title, note, columns, rows, ranked=range(1, 7))


def _by_depth(results: Results, data: str, blanks: str, top: int) -> Table:
    models = results.models(data)
    depths = sorted({depth for model in models for run in results.of(data, model)
                     for depth in (run.analysis.get(blanks) or {}).get("by_depth", {})}, key=int)  # fmt: skip
    counts = {depth: _count(results, data, blanks, depth) for depth in depths}
    rows: list[Row] = []
    for model in models:
        cells = [_shown(results.cell(data, model, at_depth_filled(blanks, depth, f"top{top}_oracle")), counts[depth])
                 for depth in depths]  # fmt: skip
        if any(cell.value is not None for cell in cells if isinstance(cell, Cell)):
            rows.append((model, cells))
    columns = ["model", *(f"depth {depth} (n\u00a0=\u00a0{count})" for depth, count in counts.items())]
    note = f"Top-{top} oracle in percent. Of fewer than {FEW} blanks the 95% interval (Wilson) stands in brackets."
    title = f"Completion Top-{top} by depth, {_title(data, blanks)}"
    name = f"{_name(data, blanks)}-depths{'' if top == 1 else f'-top{top}'}"
    return Table(name, title, note, columns, rows, ranked=range(1, len(columns)))


def _shown(cell: Cell, count: int) -> Entry:
    if cell.value is None or count >= FEW or not count:
        return cell
    low, high = wilson(cell.value / 100, count)
    return f"{cell.text} [{100 * low:.0f}, {100 * high:.0f}]"


def at_depth_filled(blanks: str, depth: str, kind: str) -> Value:
    """A share of the blanks at one depth, in percent."""

    def value(run: Result) -> float | None:
        found = (run.analysis.get(blanks) or {}).get("by_depth", {}).get(depth, {}).get(kind)
        return None if found is None else 100 * float(found)

    return value


def _count(results: Results, data: str, blanks: str, depth: str) -> int:
    """How many blanks of a depth are decided: the same for all runs, but for those with other blanks."""
    counts = [
        int(row.get("decided", row.get("count", 0)))
        for model in results.models(data)
        for run in results.of(data, model)
        if (row := (run.analysis.get(blanks) or {}).get("by_depth", {}).get(depth))
    ]
    return min(counts, default=0)
