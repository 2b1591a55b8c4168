"""Tables of completion: in all and by depth, on our blanks and on the original's."""

from __future__ import annotations

from dgl_mathtree.reproduce.report.document import Entry, Row, Table
from dgl_mathtree.reproduce.report.measures import BLANKS, FEW, filled
from dgl_mathtree.reproduce.report.printed_figures import GAINS
from dgl_mathtree.reproduce.report.results import Cell, Result, Results, Value
from dgl_mathtree.reproduce.report.statistics import wilson

KINDS = ("class", "collapse", "oracle")


def completion_tables(results: Results) -> list[Table]:
    """For each kind of blanks a table of all measures and one by depth."""
    return [make(results, blanks) for blanks in BLANKS for make in (_overall, _by_depth)]


def _overall(results: Results, blanks: str) -> Table:
    kinds = [f"top{top}_{kind}" for kind in KINDS for top in (1, 5)]
    rows: list[Row] = []
    for model in results.models():
        cells: list[Entry] = [results.cell("paper", model, filled(kind, blanks)) for kind in kinds]
        counts = [run for run in results.of("paper", model) if run.analysis.get(blanks)]
        if counts:
            rows.append((model, [*cells, str(len(counts))]))
    columns = ["model", *(f"Top-{kind[3]} {kind[5:]}" for kind in kinds), "seeds"]
    note = (
        "Percent of blanks; candidates are all expressions of depth 0 and 1. class: the first rank of any candidate "
        "equal to what was there; collapse: the same among classes; oracle: any class that makes the equation true, "
        "where some do and some do not. The paper only plots its own; it claims mean gains of "
        f"{GAINS['top1']} points at Top-1 and {GAINS['top5']} at Top-5 for its models."
    )
    title = f"Completion, {BLANKS[blanks]}"
    return Table(f"{blanks}-overall", title, note, columns, rows, ranked=range(1, 7))


def _by_depth(results: Results, blanks: str) -> Table:
    depths = sorted({depth for model in results.models() for run in results.of("paper", model)
                     for depth in (run.analysis.get(blanks) or {}).get("by_depth", {})}, key=int)  # fmt: skip
    rows: list[Row] = []
    for model in results.models():
        cells = [_shown(results, model, blanks, depth) for depth in depths]
        if any(cell.value is not None for cell in cells if isinstance(cell, Cell)):
            rows.append((model, cells))
    counts = [_count(results, blanks, depth) for depth in depths]
    columns = ["model", *(f"depth {d} (n\u00a0=\u00a0{n})" for d, n in zip(depths, counts, strict=True))]
    note = f"Top-1 oracle in percent. Of fewer than {FEW} blanks the 95% interval (Wilson) stands in brackets."
    title = f"Completion by depth, {BLANKS[blanks]}"
    return Table(f"{blanks}-depths", title, note, columns, rows, ranked=range(1, len(columns)))


def _shown(results: Results, model: str, blanks: str, depth: str) -> Entry:
    cell = results.cell("paper", model, at_depth_filled(blanks, depth, "top1_oracle"))
    count = _count(results, blanks, depth)
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


def _count(results: Results, blanks: str, depth: str) -> int:
    """How many blanks of a depth are decided: the same for all runs, but for those with other blanks."""
    counts = [
        int(row.get("decided", row.get("count", 0)))
        for model in results.models()
        for run in results.of("paper", model)
        if (row := (run.analysis.get(blanks) or {}).get("by_depth", {}).get(depth))
    ]
    return min(counts, default=0)
