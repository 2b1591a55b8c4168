"""Lines with bands, as SVG that reads on a light page and on a dark one."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import Any

from dgl_mathtree.reproduce.report.colours import line_style
from dgl_mathtree.reproduce.report.results import ReportError

INK = "#010203"
"""Stands for the colour of the page's text, and is replaced by it."""
SIZE = (4.4, 3.6)
"""Of a panel, in inches: about as wide as the page on a telephone, so that its text stays readable there."""
MARGIN = 1.3
"""Below the axis, in inches: what it says, and the legend."""
BELOW_TICKS, BELOW_COUNTS = 0.46, 0.66
"""How far below the axis the legend starts, in inches: under the axis' name, with ticks of one line and of two."""


@dataclass(frozen=True)
class Point:
    """A mean, with its deviation over seeds, or with the interval that it has because it rests on little."""

    x: float
    y: float
    deviation: float | None = None
    interval: tuple[float, float] | None = None


Lines = Mapping[str, Sequence[Point]]


@dataclass(frozen=True)
class Axes:
    """What the axes say.

    Attributes
    ----------
    x, y : str
        Their names.
    ticks : dict
        Text at some places of the x axis; none leaves them to the drawing.
    limits : tuple of float
        Of the y axis, the same for all panels of a figure.
    """

    x: str
    y: str
    limits: tuple[float, float]
    ticks: Mapping[float, str] | None = None


def check_figures() -> None:
    """Raise a ReportError if figures cannot be drawn: better said before what they show is computed."""
    if find_spec("matplotlib") is None:
        raise ReportError("figures need matplotlib: pip install 'dgl-mathtree[report]'")


def limits(groups: Sequence[Lines]) -> tuple[float, float]:
    """Limits of the y axis that hold all lines of a figure."""
    ends = [
        y
        for lines in groups
        for points in lines.values()
        for point in points
        for y in (point.y - (point.deviation or 0), point.y + (point.deviation or 0), *(point.interval or ()))
    ]
    low, high = min(ends), max(ends)
    room = max(0.05 * (high - low), 0.5)
    return max(0.0, low - room), min(100.0, high + room)


def draw(name: str, panels: Sequence[tuple[str, Lines]], axes: Axes) -> str:
    """One SVG with panels side by side, each with its title if there are several."""
    check_figures()
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    settings: Any = {"font.size": 10, "svg.fonttype": "none", "svg.hashsalt": name, "axes.edgecolor": INK}
    settings |= {f"{each}.color": INK for each in ("text", "xtick", "ytick")} | {"axes.labelcolor": INK}
    # Names of elements that do not change from run to run, and differ from figure to figure.
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(SIZE[0] * len(panels), SIZE[1]))
        FigureCanvasSVG(figure)  # type: ignore[no-untyped-call]
        places: Any = figure.subplots(1, len(panels), squeeze=False)[0]
        # Margins in inches that hold the labels: a layout that measures them takes as long as the drawing.
        width, height = figure.get_size_inches()
        left, right, top, bottom = 0.55, 0.1, 0.3 if len(panels) > 1 else 0.1, MARGIN
        figure.subplots_adjust(left / width, bottom / height, 1 - right / width, 1 - top / height, wspace=0.2)
        for place, (title, lines) in zip(places, panels, strict=True):
            _panel(place, lines, axes)
            if len(panels) > 1:
                place.set_title(title, fontsize=11)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None}, transparent=True)
    return _embedded(name, stream.getvalue(), "; ".join(title for title, _ in panels))


def _panel(place: Any, lines: Lines, axes: Axes) -> None:
    for number, (model, points) in enumerate(lines.items()):
        style = line_style(model)
        aside = 0.08 * (number - len(lines) / 2)  # intervals side by side, not over each other
        x, y = [point.x for point in points], [point.y for point in points]
        place.plot(
            x, y, style.line, marker=style.marker if len(x) < 20 else "", label=model, color=style.colour,
            markersize=4, linewidth=1.2 if model == "majority" else 1.8,
        )  # fmt: skip
        spread = [point.deviation or 0.0 for point in points]
        if any(spread):
            low = [a - b for a, b in zip(y, spread, strict=True)]
            high = [a + b for a, b in zip(y, spread, strict=True)]
            place.fill_between(x, low, high, color=style.colour, alpha=0.18, linewidth=0)
        for point in points:
            if point.interval is not None and model != "majority":
                place.vlines(point.x + aside, *point.interval, color=style.colour, linewidth=1.2, alpha=0.7)
    place.set(xlabel=axes.x, ylabel=axes.y, ylim=axes.limits)
    if axes.ticks is None:
        place.xaxis.get_major_locator().set_params(integer=True)
    else:
        place.set_xticks(list(axes.ticks), list(axes.ticks.values()))
    place.grid(alpha=0.15, color=INK)
    place.spines[["top", "right"]].set_visible(False)
    below = BELOW_COUNTS if axes.ticks else BELOW_TICKS
    inches = place.get_position().height * place.figure.get_figheight()
    place.legend(
        loc="upper center", bbox_to_anchor=(0.5, -below / inches), borderaxespad=0, ncols=2, fontsize=9, frameon=False
    )


def standalone(svg: str) -> str:
    """A drawing to stand in a file of its own: with colours for light and for dark pages."""
    colours = "svg{color:#1c2128}@media(prefers-color-scheme:dark){svg{color:#e3e8ee}}"
    return svg.replace(">", f"><style>{colours}</style>", 1) + "\n"


def _embedded(name: str, text: str, title: str) -> str:
    """An SVG to stand in a page with others: names of its own, the colour of the page's text, and words to hear."""
    own = re.sub(r'(\bid="|href="#)', rf"\1{name}-", text[text.index("<svg") :]).replace("url(#", f"url(#{name}-")
    own = re.sub(r"\s*<metadata>.*?</metadata>", "", own, flags=re.DOTALL).replace(INK, "currentColor")
    return own.replace("<svg ", f'<svg role="img" aria-label="{escape(title)}" ', 1).strip()
