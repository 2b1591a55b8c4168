"""Finished runs, read from their folders and grouped by data and model."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from dgl_mathtree.files import parse_json
from dgl_mathtree.nn import MODELS
from dgl_mathtree.report.shapes import ANALYSIS_SHAPE, CONFIG_SHAPE, LINE_SHAPE, METRICS_SHAPE, ReportError, check
from dgl_mathtree.training.jobs import ANALYSIS
from dgl_mathtree.training.runs import CONFIG, HISTORY, METRICS


@dataclass(frozen=True)
class Result:
    """A finished run.

    Attributes:
        folder: relative to the folder of the report.
        data, model: what was trained on what.
        config, metrics, analysis: the files of these names.
        history: its lines.
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
    def link(self) -> str:
        """A relative URL, with nothing in it that HTML or Markdown could take for its own."""
        return quote(f"{self.folder}/{CONFIG}", safe="/+")

    def right(self) -> np.ndarray:
        """(test equations,) whether each was judged rightly."""
        bits = np.unpackbits(np.frombuffer(bytes.fromhex(self.analysis["test_right"]), dtype=np.uint8))
        return bits[: self.metrics["test"]["overall"]["count"]].astype(bool)


@dataclass(frozen=True)
class Cell:
    """A number of a table, with the runs that it comes from.

    Attributes:
        value: the mean, or None where there is no run.
        deviation: the standard deviation over runs, where there are several.
        runs: the runs.
        digits: after the point.
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
        return f"{self.value:.{self.digits}f}{spread}"


def collect(out: Path) -> list[Result]:
    """The finished runs below a folder."""
    files = sorted((out / "runs").glob(f"*/*/*/{ANALYSIS}"))
    return [_read(out, file.parent) for file in files if file.parts[-3] in MODELS]


def _read(out: Path, folder: Path) -> Result:
    """A finished run, with all that a report needs of it."""
    try:
        config, metrics, analysis = (
            parse_json((folder / name).read_text(encoding="utf-8")) for name in (CONFIG, METRICS, ANALYSIS)
        )
        history = [parse_json(line) for line in (folder / HISTORY).read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise ReportError(f"cannot read the run {folder}: {error}") from None
    check(config, CONFIG_SHAPE, str(folder / CONFIG))
    check(metrics, METRICS_SHAPE, str(folder / METRICS))
    check(analysis, ANALYSIS_SHAPE, str(folder / ANALYSIS))
    for number, line in enumerate(history, start=1):
        check(line, LINE_SHAPE, f"{folder / HISTORY}: line {number}")
    right, count = analysis["test_right"], metrics["test"]["overall"]["count"]
    if not history:
        raise ReportError(f"{folder / HISTORY} is empty: a run has at least one epoch")
    if not re.fullmatch("([0-9a-f]{2})*", right) or len(right) != 2 * ((count + 7) // 8):
        raise ReportError(f"{folder / ANALYSIS}: test_right must be {count} bits as hexadecimal digits")
    place = folder.relative_to(out).as_posix()
    return Result(place, folder.parts[-3], folder.parts[-2], config, metrics, analysis, history)


class Results:
    """Finished runs by data and model; of several settings, those that were best on validation."""

    def __init__(self, runs: Sequence[Result]) -> None:
        self.runs = list(runs)
        groups: dict[tuple[str, str], dict[tuple[Any, Any], list[Result]]] = {}
        for run in self.runs:
            setting = run.config["config"]["hidden"], run.config["config"]["dropout"]
            groups.setdefault((run.data, run.model), {}).setdefault(setting, []).append(run)
        self._chosen = {
            key: sorted(max(settings.values(), key=_validation), key=lambda run: run.seed)
            for key, settings in groups.items()
        }

    def of(self, data: str, model: str) -> list[Result]:
        return self._chosen.get((data, model), [])

    def models(self, data: str = "paper") -> list[str]:
        """The models with a run on some data, in the order of the table of models."""
        return [name for name in MODELS if self.of(data, name)]

    def cell(self, data: str, model: str, value: Callable[[Result], float | None], digits: int = 1) -> Cell:
        """A value over the runs of a model."""
        runs = self.of(data, model)
        pairs = [(run, found) for run in runs if (found := value(run)) is not None]
        if not pairs:
            return Cell(None, None, (), digits)
        values = [found for _, found in pairs]
        spread = statistics.stdev(values) if len(values) > 1 else None
        return Cell(statistics.mean(values), spread, tuple(run for run, _ in pairs), digits)


def _validation(runs: Iterable[Result]) -> float:
    return statistics.mean(float(run.metrics["validation"]["overall"]["accuracy"]) for run in runs)
