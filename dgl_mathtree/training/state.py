"""What decides on the learning rate and on the end of a run, epoch by epoch."""

from __future__ import annotations

import dataclasses


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
        Best accuracy on validation.
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
        """Take the accuracy of a finished epoch into account; whether it is the best so far."""
        self.epoch += 1
        if reached > self.best:
            self.best, self.best_epoch, self.since, self.waited = reached, self.epoch, 0, 0
            return True
        self.since += 1
        self.waited += 1
        return False
