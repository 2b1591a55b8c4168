"""How each model is drawn, the same in all figures: related models in related colours."""

from __future__ import annotations

from dataclasses import dataclass

from dgl_mathtree.nn.models import MODELS, SHOWN_FIRST
from dgl_mathtree.reproduce.studies import PARTNERS, TABLED

DASHED, SOLID, DOTTED = "--", "-", ":"


@dataclass(frozen=True)
class LineStyle:
    """How a model is drawn.

    Attributes
    ----------
    colour : str
        One that reads on white and on a dark page.
    line : str
        Solid for what the paper proposes, dashed for what is of first order, dotted for floors.
    marker : str
        Its own among the models of a panel: colours alone do not tell them apart for everyone.
    """

    colour: str
    line: str
    marker: str


def line_style(model: str) -> LineStyle:
    """How figures show a model, by its row in the table of models; what is quoted from others is dotted and grey."""
    if model not in MODELS:
        return LineStyle("#8a8f98", DOTTED, "D" if "Memory" in model else "x")
    row = MODELS[model]
    return LineStyle(row.colour, DOTTED if row.is_baseline else SOLID if model in PARTNERS else DASHED, row.marker)


def model_panels() -> dict[str, list[str]]:
    """The rows of the tables by family, which are drawn together: baselines last, and `majority` with all of them."""
    rows = sorted(((name, MODELS[name]) for name in TABLED), key=lambda item: item[1].is_baseline)
    found: dict[str, list[str]] = {family: [] for family in (*SHOWN_FIRST, *(row.family for row in MODELS.values()))}
    for name, row in rows:
        found[row.family] += [name] if name != "majority" else []
    return found
