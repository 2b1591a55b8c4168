"""The report's figures: what is drawn from which runs."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from dgl_mathtree.reproduce.report.colours import model_panels
from dgl_mathtree.reproduce.report.document import Figure
from dgl_mathtree.reproduce.report.measures import BLANKS, FEW
from dgl_mathtree.reproduce.report.plotting import Axes, Lines, Point, draw, limits
from dgl_mathtree.reproduce.report.results import Result, Results
from dgl_mathtree.reproduce.report.statistics import wilson
from dgl_mathtree.reproduce.studies import LIKE

Share = Callable[[Result, str], tuple[float, int] | None]
"""A share at some depth, and of how many."""
MAIN = ("Tree-LSTM", "Tree-LSTM with a stack", "Tree-RNN")
"""The panels that a reader sees first: each proposed cell beside its partner of first order."""
BAND = "Bands are ± a standard deviation over seeds; dashed lines are of first order, solid ones are proposed."


def depths_figure(results: Results, panels: Sequence[str] = MAIN, name: str = "depths", data: str = "paper") -> Figure:
    """Accuracy on test equations by depth."""
    title = f"Accuracy on test equations by depth, {data}"
    note = f"Percent; below each depth the number of equations. {BAND} The dotted line is the majority class."
    return _by_depth(results, name, (title, note), _accuracy, panels, data)


def completion_figure(results: Results, blanks: str, top: int, data: str = "paper") -> Figure:
    """Top-1 or Top-5 by depth."""
    name = f"top{top}-{blanks.removeprefix('completion_').removeprefix('completion') or 'ours'}"
    name += "" if data == "paper" else f"-{data}"
    title = f"Completion Top-{top} by depth, {BLANKS[blanks]}, networks trained on {data}"
    note = (
        f"Percent of blanks with a filling that makes the equation true among the first {top}; below each depth the "
        f"number of blanks. Of fewer than {FEW}, bars are 95% intervals (Wilson). {BAND}"
    )
    return _by_depth(results, name, (title, note), _filled(blanks, top), list(model_panels()), data)


def convergence_figure(results: Results, data: str) -> Figure:
    """Accuracy on validation while training, as far as all seeds went."""
    groups: dict[str, Lines] = {
        title: {model: line for model in models if len(line := _history(results.of(data, model))) > 1}
        for title, models in model_panels().items()
    }
    note = f"Percent, mean over seeds as far as all of them went. {BAND}"
    words = (f"Accuracy on validation while training, {data}", note)
    return _figure(f"curves-{data}", words, groups, "epoch", None)


def overview(results: Results) -> str:
    """The figure by depth as one SVG, for a page that takes no other."""
    data = LIKE if results.models(LIKE) else "paper"
    groups = _groups(results, _accuracy, MAIN, data)
    axes = Axes("depth", "accuracy, %", limits(list(groups.values())), _ticks(results, _accuracy, data))
    return draw("overview", list(groups.items()), axes)


def _by_depth(
    results: Results, name: str, words: tuple[str, str], share: Share, panels: Sequence[str], data: str
) -> Figure:
    groups = _groups(results, share, panels, data)
    return _figure(name, words, groups, "depth", _ticks(results, share, data))


def _groups(results: Results, share: Share, panels: Sequence[str], data: str) -> dict[str, Lines]:
    """The lines of each panel that has some, the majority class with them."""
    groups: dict[str, Lines] = {}
    for title in panels:
        lines = {model: _line(results.of(data, model), share) for model in model_panels()[title]}
        if found := {model: line for model, line in lines.items() if line}:
            floor = _line(results.of(data, "majority"), share)
            groups[title] = found | ({"majority": floor} if floor else {})
    return groups


def _figure(
    name: str, words: tuple[str, str], groups: dict[str, Lines], x: str, ticks: dict[float, str] | None
) -> Figure:
    title, note = words
    shown = {panel: lines for panel, lines in groups.items() if lines}
    if not shown:
        return Figure(name, title, note, [])
    axes = Axes(x, "%", limits(list(shown.values())), ticks)
    panels = [
        (panel, draw(f"{name}-{number}", [(f"{title}: {panel}", lines)], axes))
        for number, (panel, lines) in enumerate(shown.items())
    ]
    return Figure(name, title, note, panels)


def _depths(runs: Sequence[Result], share: Share) -> list[str]:
    return [str(depth) for depth in range(1, 100) if any(share(run, str(depth)) for run in runs)]


def _line(runs: Sequence[Result], share: Share) -> list[Point]:
    points = []
    for depth in _depths(runs, share):
        found = [value for run in runs if (value := share(run, depth)) is not None]
        values, count = [100 * value for value, _ in found], min(count for _, count in found)
        mean = statistics.mean(values)
        interval = tuple(100 * end for end in wilson(mean / 100, count)) if 0 < count < FEW else None
        deviation = statistics.stdev(values) if len(values) > 1 else None
        points.append(Point(float(depth), mean, deviation, interval))  # type: ignore[arg-type]
    return points


def _ticks(results: Results, share: Share, data: str) -> dict[float, str]:
    """Each depth with the number of equations below it."""
    runs = [run for model in results.models(data) for run in results.of(data, model)]
    ticks = {}
    for depth in _depths(runs, share):
        count = min(found[1] for run in runs if (found := share(run, depth)) is not None)
        ticks[float(depth)] = f"{depth}\n{count:,}" if count else depth
    return ticks


def _accuracy(run: Result, depth: str) -> tuple[float, int] | None:
    found = run.metrics["test"]["by_depth"].get(depth)
    return None if found is None else (float(found["accuracy"]), int(found.get("count") or 0))


def _filled(blanks: str, top: int) -> Share:
    def value(run: Result, depth: str) -> tuple[float, int] | None:
        row = (run.analysis.get(blanks) or {}).get("by_depth", {}).get(depth, {})
        found = row.get(f"top{top}_oracle")
        return None if found is None else (float(found), int(row.get("decided", row.get("count", 0))))

    return value


def _history(runs: Sequence[Result]) -> list[Point]:
    if not runs:
        return []
    points = []
    for epoch in range(min(len(run.history) for run in runs)):
        values = [100 * float(run.history[epoch]["validation_accuracy"]) for run in runs]
        deviation = statistics.stdev(values) if len(values) > 1 else None
        points.append(Point(float(epoch + 1), statistics.mean(values), deviation))
    return points
