"""The report's figures, as SVG."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from dgl_mathtree.report.results import Result, Results
from dgl_mathtree.report.shapes import ReportError

Curves = Mapping[str, Sequence[tuple[float, float]]]


def check_figures() -> None:
    """Raise a ReportError if figures cannot be drawn: better said before what they show is computed."""
    if find_spec("matplotlib") is None:
        raise ReportError("figures need matplotlib: pip install 'dgl-mathtree[report]'")


def figures(results: Results) -> list[tuple[str, str, str]]:
    """For each figure that there are runs for: its name, its title and its SVG."""
    models = results.models()
    curves = {model: _history(results.of("paper", model)[0]) for model in models}
    made = [
        ("depths", "Accuracy on test equations by depth", "depth", "accuracy, %", _by_depth(results, _accuracy)),
        ("top1", "Top-1 by depth: any filling that makes the equation true", "depth", "%", _by_depth(results, _top(1))),
        ("top5", "Top-5 by depth: any filling that makes the equation true", "depth", "%", _by_depth(results, _top(5))),
        ("curves", "Validation accuracy while training (first seed)", "epoch", "accuracy, %", curves),
    ]
    return [
        (name, title, _svg(name, x, y, {model: line for model, line in lines.items() if len(line) > 1}))
        for name, title, x, y, lines in made
        if any(len(line) > 1 for line in lines.values())
    ]


def _by_depth(results: Results, value: Callable[[Result, str], float | None]) -> Curves:
    """For each model the mean over seeds at every depth."""
    curves = {}
    for model in results.models():
        runs = results.of("paper", model)
        points = []
        for depth in sorted(runs[0].metrics.get("test", {}).get("by_depth", {}), key=int):
            found = [v for run in runs if (v := value(run, depth)) is not None]
            if found:
                points.append((float(depth), 100 * sum(found) / len(found)))
        curves[model] = points
    return curves


def _accuracy(run: Result, depth: str) -> float | None:
    found = run.metrics["test"]["by_depth"].get(depth)
    return None if found is None else float(found["accuracy"])


def _top(top: int) -> Callable[[Result, str], float | None]:
    def value(run: Result, depth: str) -> float | None:
        row = run.analysis.get("completion", {}).get("by_depth", {}).get(depth, {})
        found = row.get(f"top{top}_oracle")
        return None if found is None else float(found)

    return value


def _history(run: Result) -> list[tuple[float, float]]:
    return [(float(line["epoch"]), 100 * float(line["validation_accuracy"])) for line in run.history]


def _svg(name: str, x: str, y: str, curves: Curves) -> str:
    """Lines with a legend."""
    check_figures()
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    # Names of elements that do not change from run to run, and differ from figure to figure.
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=(8.5, 4.4), layout="constrained")
        FigureCanvasSVG(figure)  # type: ignore[no-untyped-call]
        axes: Any = figure.add_subplot()
        colours = matplotlib.colormaps["tab20"]
        for k, (model, line) in enumerate(curves.items()):
            axes.plot(*zip(*line, strict=True), "o-", label=model, color=colours(k % 20), markersize=3, linewidth=1.4)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.grid(alpha=0.3)
        figure.legend(loc="outside right upper", fontsize=8, frameon=False)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None})
    text = stream.getvalue()
    # Several figures stand in one page: their elements must not have the same names.
    own = re.sub(r'(\bid="|href="#)', rf"\1{name}-", text[text.index("<svg") :])
    return own.replace("url(#", f"url(#{name}-")
