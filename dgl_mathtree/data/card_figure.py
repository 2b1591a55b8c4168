"""The figure of a data card: how many equations there are of each depth."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def plot_depths(card: Mapping[str, Any], file: Path) -> bool:
    """Draw the depth distribution; False where matplotlib is not installed."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError:
        return False
    depths = list(card["by_depth"])
    correct = [row["correct"] for row in card["by_depth"].values()]
    wrong = [row["count"] - row["correct"] for row in card["by_depth"].values()]
    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    axes.bar(depths, correct, label="correct", color="#2a6f97")
    axes.bar(depths, wrong, bottom=correct, label="incorrect", color="#e09f3e")
    axes.set(xlabel="depth", ylabel="equations", title=str(card["name"]))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    with rc_context({"svg.hashsalt": "mathtree"}):  # the same bytes every time
        FigureCanvasSVG(figure).print_svg(str(file), metadata={"Date": None})  # type: ignore[no-untyped-call]
    return True
