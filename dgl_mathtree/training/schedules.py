"""How far a run has come, and schedules: the learning rate of every step, and when training ends."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dgl_mathtree.training.config import Settings

WARM_UP = 0.04
"""Share of all steps in which the rate of `OneCycle` rises."""
LAST_RATE = 0.003
"""What is left of the rate of `OneCycle` at the end, as a share."""


@dataclasses.dataclass
class TrainingState:
    """How far a run has come.

    Attributes
    ----------
    epoch : int
        Epochs that are finished.
    lr : float
        Learning rate that the schedule has come to; only `halving` changes it.
    best : float
        Best accuracy, or other measure, on validation.
    best_epoch : int
        The epoch that reached it.
    since : int
        Epochs since then.
    waited : int
        Epochs since then or since the learning rate was last halved.
    """

    epoch: int
    lr: float
    best: float = -1.0
    best_epoch: int = 0
    since: int = 0
    waited: int = 0

    def judge(self, reached: float) -> bool:
        """Take the measure of a finished epoch into account; whether it is the best so far."""
        self.epoch += 1
        if reached > self.best or not self.best_epoch:  # a measure such as R2 may start anywhere below
            self.best, self.best_epoch, self.since, self.waited = reached, self.epoch, 0, 0
            return True
        self.since += 1
        self.waited += 1
        return False


class Schedule(ABC):
    """Learning rates from the configuration and the state of a run alone, so that a run resumes to the bit.

    Parameters
    ----------
    config : Settings
        Those of the run.
    steps : int
        Steps of an epoch.
    """

    def __init__(self, config: Settings, steps: int) -> None:
        assert config.lr is not None
        self.lr, self.epochs, self.patience, self.early_stopping = (
            config.lr,
            config.epochs,
            config.patience,
            config.early_stopping,
        )
        self.steps = steps

    @abstractmethod
    def rate(self, state: TrainingState, step: int) -> float:
        """The learning rate of a step of the next epoch, counted from 0."""

    def adjust(self, state: TrainingState) -> None:
        """Change the state after an epoch was judged; by default not."""
        return

    def ended(self, state: TrainingState) -> bool:
        """Whether training is over."""
        return state.epoch >= self.epochs


class Halving(Schedule):
    """Half the rate after `patience` epochs without improvement; the end after `early_stopping` of them."""

    def rate(self, state: TrainingState, step: int) -> float:
        """See `Schedule.rate`."""
        return state.lr

    def adjust(self, state: TrainingState) -> None:
        """See `Schedule.adjust`."""
        if state.waited >= self.patience:
            state.lr, state.waited = state.lr / 2, 0

    def ended(self, state: TrainingState) -> bool:
        """See `Schedule.ended`."""
        return super().ended(state) or state.since >= self.early_stopping


class OneCycle(Schedule):
    """The rate rises linearly in the first steps and falls along a cosine to the last; all epochs are trained.

    After Smith and Topin (2019), https://arxiv.org/abs/1708.07120.
    """

    def rate(self, state: TrainingState, step: int) -> float:
        """See `Schedule.rate`."""
        whole = self.epochs * self.steps
        rising = max(1, round(WARM_UP * whole))
        at = state.epoch * self.steps + step
        if at < rising:
            return self.lr * (at + 1) / rising
        fallen = (at + 1 - rising) / (whole - rising)
        return self.lr * (LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * fallen)) / 2)


SCHEDULES: dict[str, type[Schedule]] = {"halving": Halving, "one-cycle": OneCycle}
