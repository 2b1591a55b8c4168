"""The report as a page: Markdown, and HTML that needs nothing else."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from dgl_mathtree.corpus.files import read_card
from dgl_mathtree.files import write_atomically
from dgl_mathtree.report.figures import figures
from dgl_mathtree.report.paper import VERIFICATION, Printed
from dgl_mathtree.report.results import Result, Results, collect
from dgl_mathtree.report.shapes import ReportError
from dgl_mathtree.report.tables import Entry, Table, percent, tables
from dgl_mathtree.training.experiments import Experiments, read_record

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 78rem; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 13px; margin: .5rem 0 1.5rem; }
.wide { overflow-x: auto; }
th, td { border-bottom: 1px solid #8884; padding: .25rem .6rem; text-align: right; white-space: nowrap; }
th { cursor: pointer; vertical-align: bottom; white-space: normal; }
th:first-child, td:first-child { text-align: left; }
td a { color: inherit; text-decoration: underline dotted; }
.printed { background: #fc83; font-style: italic; }
.note, small { color: #777; }
figure { margin: 1rem 0; } figure svg { background: white; height: auto; max-width: 100%; }
"""
SCRIPT = """
for (const head of document.querySelectorAll("th")) head.addEventListener("click", () => {
  const table = head.closest("table"), body = table.tBodies[0], at = head.cellIndex;
  const up = head.dataset.up !== "yes";
  for (const other of table.querySelectorAll("th")) delete other.dataset.up;
  head.dataset.up = up ? "yes" : "no";
  const key = row => { const t = row.cells[at].innerText, n = parseFloat(t); return isNaN(n) ? t : n; };
  const rows = [...body.rows].sort((a, b) => {
    const x = key(a), y = key(b);
    const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
    return up ? order : -order;
  });
  body.append(...rows);
});
"""


def write_report(out: str | Path) -> list[Path]:
    """Write `report.md` and `report.html` of the experiments in a folder; they cover what is finished."""
    folder = Path(out)
    if not folder.is_dir():
        raise ReportError(f"there is no folder {out}: mathtree reproduce makes one")
    asked = read_record(folder)
    runs = collect(folder)
    results = Results(runs)
    made, facts = tables(results), _facts(asked, runs)
    files = [folder / "report.md", folder / "report.html"]
    write_atomically(files[0], _markdown(made, facts, _differences(results)))
    write_atomically(files[1], _html(made, facts, _differences(results), figures(results) if runs else []))
    return files


def _facts(asked: Experiments, runs: Sequence[Result]) -> list[str]:
    """What was run on what, and what was not."""
    unfinished = [job for job in asked.jobs() if not asked.finished(job)]
    lines = [f"Budget {asked.budget}, experiment {asked.experiment}; {len(runs)} runs are finished."]
    if unfinished:
        names = ", ".join(job.folder.removeprefix("runs/") for job in unfinished[:40])
        more = f" and {len(unfinished) - 40} more" if len(unfinished) > 40 else ""
        lines.append(f"Not finished: {len(unfinished)} runs ({names}{more}).")
    if runs:
        card = read_card("paper")
        checksums = sorted({(run.data, run.config["checksum"][:12]) for run in runs})
        lines.append(f"Data: paper has {card['count']} equations. " + ", ".join(f"{d} {c}" for d, c in checksums) + ".")
        lines.append(f"Seeds: {', '.join(map(str, sorted({run.seed for run in runs})))}. " + _range("Epochs", runs))
        versions = sorted({", ".join(f"{k} {v}" for k, v in run.analysis["versions"].items()) for run in runs})
        machines = sorted({run.analysis["machine"] for run in runs})
        lines.append(f"Versions: {'; '.join(versions)}. Machine: {'; '.join(machines)}.")
    return lines


def _range(name: str, runs: Sequence[Result]) -> str:
    epochs = [run.metrics["epochs"] for run in runs if len(run.history) > 1 or run.metrics["epochs"] > 1]
    return f"{name} trained: {min(epochs)} to {max(epochs)}." if epochs else f"{name} trained: 1."


def _differences(results: Results) -> list[str]:
    """Where our figures differ from the paper's, in words."""
    lines = []
    for model, parts in VERIFICATION.items():
        for part, measures in parts.items():
            theirs = measures["accuracy"].value
            ours = results.cell("paper", model, percent(part, "accuracy"))
            if ours.value is not None:
                gap = ours.value - theirs
                side = "the same as" if abs(gap) < 0.05 else f"{abs(gap):.2f} points {'above' if gap > 0 else 'below'}"
                lines.append(f"{model}, {part}: {ours.text}, {side} the paper's {theirs:g}.")
    tested = [
        (cell.value, model)
        for model in results.models()
        if (cell := results.cell("paper", model, percent("test", "accuracy"))).value is not None
    ]
    if tested:
        best, model = max((value, name) for value, name in tested if value is not None)
        theirs = max(parts["test"]["accuracy"].value for parts in VERIFICATION.values())
        side = "above" if best > theirs else "below"
        lines.append(f"Our best on test is {model} with {best:.1f}, {side} the paper's best of {theirs:g}.")
    lines.append("The paper's figures are of other data: a quarter of its correct test equations are not true.")
    return lines


def _markdown(made: Sequence[Table], facts: Sequence[str], differences: Sequence[str]) -> str:
    lines = [
        "# Results",
        "",
        *(f"- {html.escape(line, quote=False)}" for line in facts),
        "",
        "## Against the paper",
        "",
    ]
    lines += [f"- {line}" for line in differences]
    for table in made:
        heads = [f"*{c}*" if k in table.printed else c for k, c in enumerate(table.columns)]
        lines += ["", f"## {table.title}", "", table.note, "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
        lines += [f"| {' | '.join([name, *map(_in_markdown, entries)])} |" for name, entries in table.rows]
    return "\n".join(lines) + "\n"


def _in_markdown(entry: Entry) -> str:
    if isinstance(entry, Printed):
        return entry.text
    if isinstance(entry, str) or entry.value is None:
        return entry if isinstance(entry, str) else ""
    more = "".join(f" [{k}]({run.link})" for k, run in enumerate(entry.runs[1:], start=2))
    return f"[{entry.text}]({entry.runs[0].link}){more}"


def _html(
    made: Sequence[Table], facts: Sequence[str], differences: Sequence[str], drawn: Sequence[tuple[str, str, str]]
) -> str:
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>dgl-mathtree: results</title>',
        '<link rel="icon" href="data:,"><meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{STYLE}</style></head><body><h1>Results</h1>",
        _list(facts),
        "<h2>Against the paper</h2>",
        _list(differences),
    ]
    parts += [_html_table(table) for table in made]
    parts += [
        f'<h2>{html.escape(title)}</h2><figure id="figure-{html.escape(name)}">{svg}</figure>'
        for name, title, svg in drawn
    ]
    parts.append(f"<script>{SCRIPT}</script></body></html>")
    return "\n".join(parts) + "\n"


def _list(lines: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in lines) + "</ul>"


def _html_table(table: Table) -> str:
    classes = [' class="printed"' if k in table.printed else "" for k in range(len(table.columns))]
    heads = "".join(f"<th{c}>{html.escape(head)}</th>" for head, c in zip(table.columns, classes, strict=True))
    rows = []
    for name, entries in table.rows:
        cells = [html.escape(name), *map(_in_html, entries)]
        rows.append("<tr>" + "".join(f"<td{c}>{cell}</td>" for cell, c in zip(cells, classes, strict=True)) + "</tr>")
    return (
        f'<h2>{html.escape(table.title)}</h2><p class="note">{html.escape(table.note)}</p><div class="wide">'
        f'<table id="{table.name}"><thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _in_html(entry: Entry) -> str:
    if isinstance(entry, Printed):
        return html.escape(entry.text)
    if isinstance(entry, str) or entry.value is None:
        return html.escape(entry) if isinstance(entry, str) else ""
    links = [html.escape(run.link) for run in entry.runs]
    more = "".join(f' <small><a href="{link}">{k}</a></small>' for k, link in enumerate(links[1:], start=2))
    return f'<a href="{links[0]}">{html.escape(entry.text)}</a>{more}'
