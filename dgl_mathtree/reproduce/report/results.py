"""Finished runs, read from their folders and grouped by data and model."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from dgl_mathtree.errors import InputError
from dgl_mathtree.files import read_json, read_json_lines
from dgl_mathtree.nn import MODELS
from dgl_mathtree.reproduce.jobs import ANALYSIS
from dgl_mathtree.reproduce.studies import LIKE, PRINTED
from dgl_mathtree.schema import check
from dgl_mathtree.training.config import with_new_names
from dgl_mathtree.training.run_folder import CONFIG, HISTORY, METRICS

SHARES = {"*?": float}
PART = {"overall": {"accuracy": float, "count": int, **SHARES}, "by_depth": {"#": {"accuracy": float, "count?": int}}}
COMPLETION = {"overall": SHARES, "by_depth": {"#": SHARES}}
SETTINGS = {"hidden": int, "dropout": float, "lr?": float, "epochs?": int, "objective?": str, "head?": str}
SETTINGS |= {"scale?": float, "augment?": str, "options?": dict}
CONFIG_SHAPE = {"config": {"seed": int, **SETTINGS}, "checksum": str}
METRICS_SHAPE = {
    "parameters": int,
    "epochs": int,
    "best_epoch": int,
    "seconds": float,
    "train?": PART,
    "validation": PART,
    "test": PART,
}
ANALYSIS_SHAPE = {
    "test_right": str,
    "machine": str,
    "versions": {"*": str},
    "completion?": COMPLETION,
    "completion_original?": COMPLETION,
    "also?": {"*": {"overall": {"accuracy": float}}},
}
LINE_SHAPE = {"epoch": int, "validation_accuracy": float, "seconds": float}
"""What the files of a run must hold for a report, as shapes of `dgl_mathtree.schema`."""
Value = Callable[["Result"], float | None]
"""What is read from a run: a number, or None where the run does not have it."""
PLAIN = ("verification", "dot")
"""The objective and the head of the paper's."""


SEARCH = "paper-search"
"""The folder of runs that only choose settings; they may be shorter than others."""
OWN_SEARCHES = {LIKE: "original-search", PRINTED: "printed-search"}
"""Those of studies that have one of their own."""


class ReportError(InputError):
    """Results that cannot be read: what and where."""


@dataclass(frozen=True, order=True)
class Setting:
    """What is searched on validation: hidden size, dropout, and how many times the model's own learning rate."""

    hidden: int
    dropout: float
    times_lr: float = 1.0

    @property
    def words(self) -> str:
        rate = "" if self.times_lr == 1 else f", learning rate × {self.times_lr:g}"
        return f"hidden {self.hidden}, dropout {self.dropout:g}{rate}"


@dataclass(frozen=True)
class Result:
    """A finished run.

    Attributes
    ----------
    folder : str
        Relative to the folder of the report.
    data, model : str
        What was trained on what.
    config, metrics, analysis : dict
        The files of these names.
    history : list of dict
        Its lines.
    """

    folder: str
    data: str
    model: str
    config: dict[str, Any]
    metrics: dict[str, Any]
    analysis: dict[str, Any]
    history: list[dict[str, Any]]

    @property
    def seed(self) -> int:
        return int(self.config["config"]["seed"])

    @property
    def setting(self) -> Setting:
        """What is searched on validation."""
        config, own = self.config["config"], MODELS[self.model].lr
        times = float(config.get("lr") or own) / own
        return Setting(int(config["hidden"]), float(config["dropout"]), float(f"{times:.2g}"))

    @property
    def variant(self) -> tuple[str, str]:
        """Objective and head; older runs do not name them, and have those of the paper."""
        config = self.config["config"]
        return config.get("objective") or PLAIN[0], config.get("head") or PLAIN[1]

    @property
    def link(self) -> str:
        """A relative URL, with nothing in it that HTML or Markdown could take for its own."""
        return quote(f"{self.folder}/{CONFIG}", safe="/+")

    @property
    def label(self) -> str:
        """What the run is, in words."""
        variant = "" if self.variant == PLAIN else f", {' with root '.join(self.variant)}"
        return f"{self.model}, seed {self.seed}, on {self.data} ({self.setting.words}{variant})"

    def right(self) -> np.ndarray:
        """(test equations,) whether each was classified correctly."""
        bits = np.unpackbits(np.frombuffer(bytes.fromhex(self.analysis["test_right"]), dtype=np.uint8))
        return bits[: self.metrics["test"]["overall"]["count"]].astype(bool)


@dataclass(frozen=True)
class Cell:
    """A number of a table, with the runs that it comes from.

    Attributes
    ----------
    value : float, optional
        The mean; None where there is no run.
    deviation : float, optional
        The standard deviation over runs, where there are several.
    runs : tuple of Result
        The runs.
    digits : int
        After the point.
    """

    value: float | None
    deviation: float | None
    runs: tuple[Result, ...]
    digits: int = 1

    @property
    def text(self) -> str:
        if self.value is None:
            return ""
        if self.digits > 2 and abs(self.value) < 10**-self.digits:
            return f"< {10**-self.digits:.{self.digits}f}"
        spread = "" if self.deviation is None else f" ± {self.deviation:.{self.digits}f}"
        return f"{self.value:,.{self.digits}f}{spread}"


def cell_of(runs: Iterable[Result], value: Value, digits: int = 1) -> Cell:
    """The mean of a value over those runs that have it."""
    pairs = [(run, found) for run in runs if (found := value(run)) is not None]
    if not pairs:
        return Cell(None, None, (), digits)
    values = [found for _, found in pairs]
    spread = statistics.stdev(values) if len(values) > 1 else None
    return Cell(statistics.mean(values), spread, tuple(run for run, _ in pairs), digits)


def collect(out: Path) -> list[Result]:
    """The finished runs below a folder."""
    files = sorted((out / "runs").glob(f"*/*/*/{ANALYSIS}"))
    return [_read(out, file.parent) for file in files if file.parts[-3] in MODELS]


def _read(out: Path, folder: Path) -> Result:
    """A finished run, with all that a report needs of it."""
    try:
        config, metrics, analysis = (read_json(folder / name, ReportError) for name in (CONFIG, METRICS, ANALYSIS))
        history = read_json_lines(folder / HISTORY, ReportError)
    except ReportError as error:
        raise ReportError(f"cannot read the run {folder}: {error}") from None
    if isinstance(config, dict) and isinstance(config.get("config"), dict):
        config["config"] = with_new_names(config["config"])
    check(config, CONFIG_SHAPE, str(folder / CONFIG), ReportError)
    check(metrics, METRICS_SHAPE, str(folder / METRICS), ReportError)
    check(analysis, ANALYSIS_SHAPE, str(folder / ANALYSIS), ReportError)
    for number, line in enumerate(history, start=1):
        check(line, LINE_SHAPE, f"{folder / HISTORY}: line {number}", ReportError)
    right, count = analysis["test_right"], metrics["test"]["overall"]["count"]
    if not history:
        raise ReportError(f"{folder / HISTORY} is empty: a run has at least one epoch")
    if not re.fullmatch("([0-9a-f]{2})*", right) or len(right) != 2 * ((count + 7) // 8):
        raise ReportError(f"{folder / ANALYSIS}: test_right must be {count} bits as hexadecimal digits")
    place = folder.relative_to(out).as_posix()
    return Result(place, folder.parts[-3], folder.parts[-2], config, metrics, analysis, history)


class Results:
    """Finished runs by data, model, objective and head.

    Of several settings those that a search chose are taken, or without one those that were best on validation.
    """

    def __init__(self, runs: Sequence[Result]) -> None:
        self.runs = list(runs)
        self._groups: dict[tuple[str, str, tuple[str, str]], dict[Setting, list[Result]]] = {}
        for run in sorted(self.runs, key=lambda run: run.seed):
            settings = self._groups.setdefault((run.data, run.model, run.variant), {})
            settings.setdefault(run.setting, []).append(run)

    def of(self, data: str, model: str, variant: tuple[str, str] = PLAIN) -> list[Result]:
        """The runs of a model on some data, by seed."""
        settings = self._groups.get((data, model, variant))
        if not settings:
            return []
        searched = self._groups.get((search_of(data), model, PLAIN))
        chosen = _best(searched) if searched else None
        return settings[chosen if chosen in settings else _best(settings)]

    def settings(self, data: str, model: str) -> dict[Setting, list[Result]]:
        """All runs of a model on some data, by setting."""
        return dict(sorted(self._groups.get((data, model, PLAIN), {}).items()))

    def models(self, data: str = "paper", variant: tuple[str, str] = PLAIN) -> list[str]:
        """The models of the tables with a run on some data, in the order of the table of models."""
        return [name for name in self._run(data, variant) if not MODELS[name].beside]

    def beside(self, data: str = "paper", variant: tuple[str, str] = PLAIN) -> list[str]:
        """The models with a run on some data that stand beside the rows of the paper, and are in no other table."""
        return [name for name in self._run(data, variant) if MODELS[name].beside]

    def _run(self, data: str, variant: tuple[str, str]) -> list[str]:
        return [name for name in MODELS if (data, name, variant) in self._groups]

    def cell(self, data: str, model: str, value: Value, digits: int = 1, variant: tuple[str, str] = PLAIN) -> Cell:
        """A value over the runs of a model."""
        return cell_of(self.of(data, model, variant), value, digits)


def search_of(data: str) -> str:
    """The folder of the runs that choose the settings of others."""
    return OWN_SEARCHES.get(data, SEARCH)


def _best(settings: Mapping[Setting, list[Result]]) -> Setting:
    """The setting that was best on validation, judged by the seeds that all settings were tried with."""
    shared = set.intersection(*({run.seed for run in runs} for runs in settings.values()))

    def reached(setting: Setting) -> tuple[float, int]:
        runs = settings[setting]
        compared = [run for run in runs if run.seed in shared] or runs
        return statistics.mean(run.metrics["validation"]["overall"]["accuracy"] for run in compared), len(runs)

    return max(settings, key=reached)
