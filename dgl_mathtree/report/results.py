"""Finished runs, read from their folders and grouped by data and model."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dgl_mathtree.errors import InputError
from dgl_mathtree.nn import MODELS
from dgl_mathtree.training.jobs import ANALYSIS
from dgl_mathtree.training.runs import CONFIG, HISTORY, METRICS


class ReportError(InputError):
    """Results that cannot be read: what and where."""


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
        return f"{self.folder}/{CONFIG}"

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
    results = []
    for file in sorted((out / "runs").glob(f"*/*/*/{ANALYSIS}")):
        folder = file.parent
        try:
            config, metrics, analysis = (
                json.loads((folder / name).read_text(encoding="utf-8")) for name in (CONFIG, METRICS, ANALYSIS)
            )
            history = [json.loads(line) for line in (folder / HISTORY).read_text(encoding="utf-8").splitlines()]
        except (OSError, ValueError) as error:
            raise ReportError(f"cannot read the run {folder}: {error}") from None
        data, model = folder.parts[-3], folder.parts[-2]
        if model in MODELS:
            results.append(Result(folder.relative_to(out).as_posix(), data, model, config, metrics, analysis, history))
    return results


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
