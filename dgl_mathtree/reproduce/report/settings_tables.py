"""Hidden sizes, dropout and learning rates: what was tried, and what was chosen."""

from __future__ import annotations

from dgl_mathtree.nn import MODELS
from dgl_mathtree.reproduce.report.document import Entry, Row, Table
from dgl_mathtree.reproduce.report.measures import percent
from dgl_mathtree.reproduce.report.results import SEARCH, Results, Setting, cell_of


def settings_table(results: Results) -> Table:
    """Validation accuracy of each setting that was tried, and the setting of the rows."""
    tried = {model: _tried(results, model) for model in MODELS}
    tried = {model: settings for model, settings in tried.items() if len(settings) > 1}
    columns = sorted({setting for settings in tried.values() for setting in settings})
    rows: list[Row] = []
    for model, settings in tried.items():
        entries: list[Entry] = [settings.get(setting, "") for setting in columns]
        best = max(settings, key=lambda setting: _value(settings[setting]))
        used = results.of("paper", model)
        rows.append((model, [_words(best), _words(used[0].setting) if used else "", *entries]))
    heads = ["model", "best of the search", "setting of the row", *map(_words, columns)]
    note = (
        "Accuracy on validation in percent of each hidden size / dropout that was tried, some with × so many times the "
        "model's learning rate; nothing else decides the choice. Runs of a search may be shorter than those of rows."
    )
    return Table("settings", "Settings tried", note, heads, rows)


def chosen_table(results: Results) -> Table:
    """The setting of each row where nothing was searched."""
    rows: list[Row] = []
    for model in results.models():
        runs = results.of("paper", model)
        if MODELS[model].is_baseline:
            continue
        config = runs[0].config["config"]
        shown = [
            str(config.get(key, "")) for key in ("hidden", "dropout", "lr", "batch_size", "weight_decay", "epochs")
        ]
        rows.append((model, [*shown]))
    columns = ["model", "hidden", "dropout", "learning rate", "batch", "weight decay", "most epochs"]
    return Table("chosen", "Settings of the rows", "As in the configuration of their runs.", columns, rows)


def _tried(results: Results, model: str) -> dict[Setting, Entry]:
    settings = results.settings(SEARCH, model) or results.settings("paper", model)
    return {setting: cell_of(runs, percent("validation", "accuracy")) for setting, runs in settings.items()}


def _value(entry: Entry) -> float:
    return 0.0 if isinstance(entry, str) or entry.value is None else entry.value


def _words(setting: Setting) -> str:
    rate = "" if setting.times_lr == 1 else f" / × {setting.times_lr:g}"
    return f"{setting.hidden} / {setting.dropout:g}{rate}"
