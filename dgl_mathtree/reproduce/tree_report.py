"""The results of studies on trees: one file of numbers, and a table, claims and a figure made from it."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dgl_mathtree.files import write_atomically
from dgl_mathtree.reproduce.report.plotting import Axes, Point, draw, limits, standalone
from dgl_mathtree.reproduce.report.statistics import welch
from dgl_mathtree.reproduce.studies import LSTMS, PARTNERS, TREES
from dgl_mathtree.reproduce.tree_studies import LEAVES, LOGIC, TREE_STUDIES, TYPES, TreeStudy, tree_runs
from dgl_mathtree.tables import markdown_table

Run = Mapping[str, Any]
Measure = Callable[[Run], float]
SEEN = range(7)
"""Numbers of operators that training has."""
LENGTHS = range(7, 13)
"""Numbers of operators that only the test has."""
QUOTED = {
    "LSTM": ("tokens", (88, 84, 80, 78, 71, 69)),
    "ON-LSTM": ("tokens", (91, 87, 85, 81, 78, 75)),
    "Tree-LSTM": ("leaves", (94, 92, 92, 88, 87, 86)),
    "Ordered Memory": ("tokens", (98, 97, 96, 94, 93, 92)),
}
"""How others read operators, and accuracies at 7 to 12 of them: Shen et al. (2019), Table 1, not measured here."""
STACKS = tuple((f"{name}+stack", name) for name in TREES if f"{name}+stack" in TREES)
"""Each model with a stack, and the one without."""
WORDS = {TYPES: "types of nodes", LEAVES: "leaves"}


def write_tree_report(out: str | Path, study: str) -> list[Path]:
    """Write what is known of a study: ``STUDY.json``, ``STUDY.md`` and ``STUDY.svg``.

    Parameters
    ----------
    out : str or Path
        The folder of the runs.
    study : str
        A name of `TREE_STUDIES`.

    Returns
    -------
    list of Path
        The files; none where no run is finished.
    """
    folder, about = Path(out), TREE_STUDIES[study]
    runs = list(tree_runs(folder, study))
    if not runs:
        return []
    files = [folder / f"{study}.{kind}" for kind in ("json", "md", "svg")]
    settings = {"size": about.size, "hidden": about.hidden, "dropout": about.dropout, "scale": about.scale}
    entries = {"study": study, "settings": settings | about.settings, "runs": runs}
    write_atomically(files[0], json.dumps(entries, indent=1) + "\n")
    write_atomically(files[1], tree_page(about, runs))
    figure = tree_figure(about, runs)
    if figure:
        write_atomically(files[2], standalone(figure))
    return files if figure else files[:2]


def accuracy_at(groups: Iterable[int]) -> Measure:
    """The accuracy, in percent, of a run on the test items of some groups."""
    wanted = {str(group) for group in groups}

    def measure(run: Run) -> float:
        found = [part for group, part in run["test"].items() if group in wanted]
        count: int = sum(part["count"] for part in found)
        right: float = sum(part["accuracy"] * part["count"] for part in found)
        return 100 * right / count

    return measure


def mean_over(groups: Sequence[int]) -> Measure:
    """The mean over some groups, each counting the same, of the accuracy of a run in percent."""
    return lambda run: statistics.fmean(accuracy_at([group])(run) for group in groups if str(group) in run["test"])


def tree_page(study: TreeStudy, runs: Sequence[Run]) -> str:
    """The page of a study in Markdown."""
    return f"# {'Logical inference' if study is LOGIC else 'ListOps'}\n\n{tree_section(study, runs, '##')}"


def tree_section(study: TreeStudy, runs: Sequence[Run], heading: str) -> str:
    """What a page says of a study: its settings, the table, and the claims below a heading of some level."""
    data, items = ", ".join(sorted({run["data"] for run in runs})), max(run["items"] for run in runs)
    lines = [
        f"Data: {data}, {items:,} items to train on, of which a tenth is held out for validation. Vectors of "
        f"{study.size} numbers, dropout {study.dropout:g}, at most {max(run['epochs'] for run in runs)} epochs. "
        f"Accuracies in percent, means over seeds with their standard deviation. {_progress(study, runs)}",
        "",
        *(_logic_table(runs) if study is LOGIC else _listops_table(runs)),
    ]
    if claims := _claims(study, runs):
        heads = ["claim", "operators as", *(["mean of 7 to 12", "at 12"] if study is LOGIC else ["test"])]
        note = (
            "Differences of means in points, with simultaneous 95% intervals of Welch's t if there are several seeds."
        )
        lines += [
            "",
            f"{heading} Does multiplication help? Does the stack?",
            "",
            note,
            "",
            *markdown_table(heads, claims),
        ]
    return "\n".join(lines) + "\n"


def _progress(study: TreeStudy, runs: Sequence[Run]) -> str:
    """How many of the study's runs are finished, and what one seed is worth."""
    ways = f", operators read in {len(study.ways)} ways" if len(study.ways) > 1 else ""
    text = f"Finished runs: {len(runs)}; the standard budget has {study.seeds} of every row{ways}."
    if study.seeds > 1 and max(map(len, _rows(runs).values())) == 1:
        text += " With one seed for each row, differences of a few points between rows decide nothing."
    return text


def _logic_table(runs: Sequence[Run]) -> list[str]:
    heads = ["model", "operators as", "weights", "≤ 6 operators", *map(str, LENGTHS), "seeds"]
    measures = [accuracy_at(SEEN), *(accuracy_at([length]) for length in LENGTHS)]
    rows = [
        [f"`{model}`", WORDS[way], f"{some[0]['parameters']:,}", *(_cell(some, each) for each in measures), len(some)]
        for (model, way), some in _rows(runs).items()
    ]
    quoted = [[f"{name} (quoted)", words, "", "", *values, ""] for name, (words, values) in QUOTED.items()]
    note = "Rows marked as quoted are those that Shen et al. (2019) print, from runs of others."
    return [*markdown_table(heads, [*rows, *quoted]), "", note]


def _listops_table(runs: Sequence[Run]) -> list[str]:
    rows = []
    for (model, way), some in _rows(runs).items():
        depths = [int(group) for run in some for group in run["test"]]
        cells = [_cell(some, accuracy_at(depths)), _cell(some, accuracy_at(d for d in depths if d > 5))]
        rows.append([f"`{model}`", WORDS[way], f"{some[0]['parameters']:,}", *cells, len(some)])
    return markdown_table(["model", "operators as", "weights", "test", "deeper than 5", "seeds"], rows)


def _rows(runs: Sequence[Run]) -> dict[tuple[str, str], list[Run]]:
    """The runs of each model in each way, in the order of the table of models."""
    keys = [(model, way) for way in (TYPES, LEAVES) for model in TREES]
    found = {key: [run for run in runs if (run["model"], run["way"]) == key] for key in keys}
    return {key: some for key, some in found.items() if some}


def _cell(runs: Sequence[Run], measure: Measure) -> str:
    values = [measure(run) for run in runs]
    deviation = f" ± {statistics.stdev(values):.1f}" if len(values) > 1 else ""
    return f"{statistics.fmean(values):.1f}{deviation}"


def _claims(study: TreeStudy, runs: Sequence[Run]) -> list[list[str]]:
    """What two rows differ in, for each pair of rows that differ in one thing: claims that are judged together."""
    found = _rows(runs)
    depths = sorted({int(group) for run in runs for group in run["test"]})
    measures = [mean_over(LENGTHS), accuracy_at([12])] if study is LOGIC else [accuracy_at(depths)]
    pairs = [
        (better, worse, way)
        for better, worse in (*PARTNERS.items(), *STACKS)
        for way in study.ways
        if (better, way) in found and (worse, way) in found
    ]
    rows = []
    for better, worse, way in pairs:
        cells = []
        for measure in measures:
            values = [[measure(run) for run in found[model, way]] for model in (better, worse)]
            estimate = welch([(1.0, values[0]), (-1.0, values[1])], claims=len(pairs))
            cells.append("" if estimate is None else f"{estimate.text} ({estimate.verdict})")
        rows.append([f"`{better}` is better than `{worse}`", WORDS[way], *cells])
    return rows


def tree_figure(study: TreeStudy, runs: Sequence[Run]) -> str:
    """Accuracy by the number of operators, or by depth, as an SVG; for logic beside what others print.

    It shows the six Tree-LSTMs: more lines would not be told apart, and the table has all.
    """
    panels = []
    for way in study.ways:
        found = {model: some for (model, of_way), some in _rows(runs).items() if of_way == way and model in LSTMS}
        lines = {model: _points(some) for model, some in found.items()}
        if lines and study is LOGIC:
            for name in ("Tree-LSTM", "Ordered Memory"):
                lines[f"{name} (quoted)"] = [Point(x, y) for x, y in zip(LENGTHS, QUOTED[name][1], strict=True)]
        if lines:
            panels.append((f"operators as {WORDS[way]}", lines))
    if not panels:
        return ""
    x = "operators of the longer formula" if study is LOGIC else "depth"
    return draw(study.name, panels, Axes(x, "accuracy, %", limits([lines for _, lines in panels])))


def _points(runs: Sequence[Run]) -> list[Point]:
    points = []
    for group in sorted({int(group) for run in runs for group in run["test"]} - {0}):
        values = [100 * run["test"][str(group)]["accuracy"] for run in runs if str(group) in run["test"]]
        points.append(Point(group, statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None))
    return points
