"""Hidden sizes, dropout and learning rates: what was tried, what was chosen, and what the paper does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from dgl_mathtree.nn import MODELS
from dgl_mathtree.reproduce.report.document import Entry, Row, Table
from dgl_mathtree.reproduce.report.measures import percent
from dgl_mathtree.reproduce.report.results import SEARCH, Result, Results, Setting, cell_of, search_of
from dgl_mathtree.reproduce.studies import BUDGETS, PROTOCOL, ROWS

SHOWN: dict[str, Callable[[Any], str]] = {
    "lr": lambda rate: f"{rate:g}",
    "batch_size": str,
    "decay": lambda kind: {"decoupled": "AdamW's", "l2": "L2"}.get(kind, kind),
    "weight_decay": lambda decay: f"{decay:g}",
    "augment": lambda kind: {"commute": "at random", "none": "not"}.get(kind, kind),
    "clip": lambda norm: f"at norm {norm:g}" if norm else "not",
    "patience": lambda epochs: f"{epochs} epochs without improvement" if epochs != 1 else "1",
    "epochs": str,
}
"""How entries of a configuration are written."""
NAMES = {
    "lr": "learning rate",
    "batch_size": "batch",
    "decay": "weight decay",
    "weight_decay": "of size",
    "augment": "operands swapped",
    "clip": "gradients clipped",
    "patience": "rate halved after",
    "epochs": "most epochs",
}
RANGES = ("lr", "batch_size", "weight_decay", "epochs")
PRINTED_VALUES = {"patience": 1} | PROTOCOL
"""What the paper's protocol has for each."""


def unlike_the_paper(runs: Iterable[Result]) -> str:
    """Which settings of some runs are not those that the paper prints, as a sentence; empty if there are none."""
    configs = [run.config["config"] for run in runs if not MODELS[run.model].is_baseline]
    said = []
    for key, name in NAMES.items():
        values = {config[key] for config in configs if config.get(key) is not None}
        if not values - {PRINTED_VALUES[key]}:
            continue
        texts = [SHOWN[key](value) for value in sorted(values)]
        own = f"{texts[0]} to {texts[-1]}" if key in RANGES and len(texts) > 1 else " or ".join(texts)
        said.append(f"{name} {own} ({SHOWN[key](PRINTED_VALUES[key])})")
    return f"Settings that are not the paper's, which are in brackets: {', '.join(said)}." if said else ""


def searched_on(results: Results, data: str) -> str:
    """On which data the settings of the rows on some data were searched, as a sentence; empty if none were."""
    for search, on in ((search_of(data), data), (SEARCH, ROWS)):
        if not results.models(search):
            continue
        runs = f"in runs of {_most_epochs(results, search)} epochs"
        text = f"Settings of the rows were searched on the validation part of {on}, {runs}"
        if on == data:
            return f"{text}."
        own = f"the budget full does that, in runs of {BUDGETS['full'][search_of(data)].settings['epochs']} epochs"
        return f"{text}, and for lack of time not on that of {data}: {own}."
    return ""


def _most_epochs(results: Results, data: str) -> int:
    runs = (run for model in results.models(data) for run in results.of(data, model))
    return max((run.config["config"].get("epochs", run.metrics["epochs"]) for run in runs), default=0)


def settings_table(results: Results, data: str = ROWS) -> Table:
    """Validation accuracy of each setting that was tried, and the setting of the rows."""
    tried = {model: _tried(results, data, model) for model in MODELS}
    tried = {model: settings for model, settings in tried.items() if len(settings) > 1}
    columns = sorted({setting for settings in tried.values() for setting in settings})
    rows: list[Row] = []
    for model, settings in tried.items():
        entries: list[Entry] = [settings.get(setting, "") for setting in columns]
        best = max(settings, key=lambda setting: _value(settings[setting]))
        used = results.of(data, model)
        rows.append((model, [_words(best), _words(used[0].setting) if used else "", *entries]))
    heads = ["model", "best of the search", "setting of the row", *map(_words, columns)]
    note = (
        "Accuracy on validation in percent of each hidden size / dropout that was tried, some with × so many times the "
        "model's learning rate; nothing else decides the choice. Runs of a search may be shorter than those of rows."
    )
    name, title = ("settings", "Settings tried") if data == ROWS else (f"settings-{data}", f"Settings tried on {data}")
    return Table(name, title, note, heads, rows)


def chosen_table(results: Results, data: str = ROWS) -> Table:
    """The settings of each row, whatever was searched."""
    rows: list[Row] = []
    for model in results.models(data):
        runs = results.of(data, model)
        if MODELS[model].is_baseline:
            continue
        config = runs[0].config["config"]
        shown = [
            str(config.get(key, "")) for key in ("hidden", "dropout", "lr", "batch_size", "weight_decay", "epochs")
        ]
        rows.append((model, [*shown]))
    columns = ["model", "hidden", "dropout", "learning rate", "batch", "weight decay", "most epochs"]
    name, title = ("chosen", "Settings of the rows") if data == ROWS else (f"chosen-{data}", f"Settings on {data}")
    return Table(name, title, "As in the configuration of their runs.", columns, rows)


def _tried(results: Results, data: str, model: str) -> dict[Setting, Entry]:
    settings = results.settings(search_of(data), model) or results.settings(data, model)
    return {setting: cell_of(runs, percent("validation", "accuracy")) for setting, runs in settings.items()}


def _value(entry: Entry) -> float:
    return 0.0 if isinstance(entry, str) or entry.value is None else entry.value


def _words(setting: Setting) -> str:
    rate = "" if setting.times_lr == 1 else f" / × {setting.times_lr:g}"
    return f"{setting.hidden} / {setting.dropout:g}{rate}"
