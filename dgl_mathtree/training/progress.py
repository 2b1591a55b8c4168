"""How training goes, told while it goes; and where its time went."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tqdm import tqdm

from dgl_mathtree.data.splits import PARTS
from dgl_mathtree.progress_bars import bar, in_notebook

COMPUTING = ("forward", "backward", "optimizer")


class Progress:
    """Says nothing; `Bar` shows a progress bar."""

    def finished_before(self, folder: Path) -> None:
        """The run was finished before."""

    def resumed(self, folder: Path, epoch: int) -> None:
        """The run goes on after an epoch."""

    def begin(self, epoch: int, epochs: int, equations: int) -> None:
        """An epoch begins."""

    def step(self, equations: int, loss: float | None) -> None:
        """A batch is done; the loss is the sum since the epoch's begin, None where it would have to be waited for."""

    def epoch(self, line: dict[str, Any], best: float) -> None:
        """An epoch is finished; its line of the history."""

    def learnt_nothing(self, best: float, majority: float, lr: float) -> None:
        """The best accuracy on validation is not clearly above the share of the more frequent label."""

    def done(self, metrics: dict[str, Any], folder: Path) -> None:
        """The run is finished."""


class Bar(Progress):
    """A bar for each epoch, with loss, validation accuracy, equations a second and the time left; see `bars`."""

    def __init__(self, epochs_shown: bool = False, items: str = "equations") -> None:
        self._items = items
        self._bar: tqdm[Any] | None = None
        self._epochs_shown = epochs_shown
        self._validation = ""
        self._started = time.perf_counter()
        self._first = 0

    def finished_before(self, folder: Path) -> None:
        print(f"{folder} is finished: nothing to do")

    def resumed(self, folder: Path, epoch: int) -> None:
        print(f"{folder}: going on after epoch {epoch}")

    def begin(self, epoch: int, epochs: int, equations: int) -> None:
        self._first = self._first or epoch
        done = epoch - self._first
        left = ""
        if done:
            seconds = (time.perf_counter() - self._started) / done * (epochs - epoch + 1)
            left = f", at most {tqdm.format_interval(seconds)} in all"
        self._bar = bar(total=equations, unit=f" {self._items}", desc=f"epoch {epoch}/{epochs}{left}", leave=False)

    def step(self, equations: int, loss: float | None) -> None:
        if self._bar is not None and not self._bar.disable:
            self._bar.update(equations)
            shown = "" if loss is None else f"loss {loss / max(self._bar.n, 1):.4f}"
            self._bar.set_postfix_str(f"{shown}{self._validation}".removeprefix(", "), refresh=False)

    def epoch(self, line: dict[str, Any], best: float) -> None:
        watched = self._bar is not None and not self._bar.disable
        if self._bar is not None:
            self._bar.close()
        reached = next(value for name, value in line.items() if name.startswith("validation_"))
        self._validation = f", validation {reached:.4f} (best {best:.4f})"
        if watched or self._epochs_shown:
            text = f"epoch {line['epoch']}: loss {line['loss']:.4f}{self._validation}, {line['seconds']:.1f} s"
            tqdm.write(text, file=sys.stdout if self._epochs_shown or in_notebook() else sys.stderr)

    def learnt_nothing(self, best: float, majority: float, lr: float) -> None:
        print(
            f"the model did not learn: its best accuracy on validation is {best:.4f}, and always giving the "
            f"more frequent label has {majority:.4f}; another lr (it was {lr:g}) or more epochs may help"
        )

    def done(self, metrics: dict[str, Any], folder: Path) -> None:
        metric = metrics.get("metric", "accuracy")
        parts = (f"{part} {metrics[part]['overall'][metric]:.4f}" for part in PARTS if part in metrics)
        print(f"{folder}: best after epoch {metrics['best_epoch']} of {metrics['epochs']}; {metric} {', '.join(parts)}")


class Profile:
    """Seconds spent in each kind of work."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, work: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[work] += time.perf_counter() - start

    def shares(self) -> dict[str, float]:
        """The share of each kind of work in all that was measured."""
        whole = sum(self.seconds.values())
        return {work: seconds / whole for work, seconds in self.seconds.items()} if whole else {}

    def __str__(self) -> str:
        shares = self.shares()
        if not shares:
            return "time: nothing was trained"
        computing = sum(shares.get(work, 0.0) for work in COMPUTING)
        listed = ", ".join(f"{work} {share:.1%}" for work, share in shares.items())
        return f"time: {listed}; forward, backward and optimizer together {computing:.1%}"
