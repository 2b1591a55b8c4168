"""The training loop: Adam on an objective, with a schedule, and a run that can be taken up again.

All chance comes from the seed, the epoch and the number of the batch, so nothing but weights, Adam's moments and a few
numbers has to be kept: a run that was killed goes on from its last epoch, and ends with the same weights to the bit.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.errors import RunError
from dgl_mathtree.inference.metrics import Floats
from dgl_mathtree.nn import EquationVerifier, TreeModel
from dgl_mathtree.nn.tensor_files import read_weights, save_tensors
from dgl_mathtree.training.batches import Epoch, Ints, Items
from dgl_mathtree.training.checkpoint import Checkpoint
from dgl_mathtree.training.config import Settings
from dgl_mathtree.training.distributed import Processes
from dgl_mathtree.training.epoch_record import EpochRecord
from dgl_mathtree.training.objectives import Objective, ObjectiveStep
from dgl_mathtree.training.optim import clip, make_optimizer
from dgl_mathtree.training.progress import Profile, Progress
from dgl_mathtree.training.run_folder import WEIGHTS
from dgl_mathtree.training.schedules import SCHEDULES, Schedule, TrainingState

NAMED = 5
"""Items that an error names at most."""


class Task(ABC):
    """What a loop has to know of what is trained: a network, an objective, and the data of both.

    Attributes
    ----------
    settings : Settings
        How to train; `lr` is set.
    network : EquationVerifier or TreeModel
        What is trained.
    objective : Objective
        What is minimised.
    metadata : mapping of str to str
        What files of weights say of themselves.
    count : int
        Number of training items.
    validation_labels : numpy.ndarray
        (validation items, ...)
    """

    ITEMS: ClassVar[str] = "items"
    """What messages call the items."""
    LR: ClassVar[str] = "lr"
    """What they call the learning rate."""

    settings: Settings
    network: EquationVerifier | TreeModel
    objective: Objective
    metadata: Mapping[str, str]
    count: int
    validation_labels: NDArray[Any]

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Items:
        """The training items of an epoch."""

    @abstractmethod
    def validation_logits(self) -> Floats:
        """(validation items, ...) what the network says of them, without dropout."""

    @abstractmethod
    def names(self, items: Ints, validation: bool = False) -> list[str]:
        """What messages call some training or validation items, given by index."""

    def begin(self) -> None:
        """Called before the first epoch of a run, not where one is taken up; by default nothing is to be done."""
        return

    @abstractmethod
    def finish(self) -> dict[str, Any]:
        """Called with the best weights, which it may change; see `Objective.finish`."""


class Loop:
    """A run under way.

    Parameters
    ----------
    task : Task
        What is trained.
    folder : Path
        Where weights, history and state are kept.
    processes : Processes
        Those that train together.
    progress : Progress
        Is told how it goes.
    profile : Profile
        Measures where the time goes.
    keeps : bool
        Whether the folder is there for longer than the loop.

    Attributes
    ----------
    finished : dict
        What the task's `finish` has to say, once the loop has ended.
    """

    def __init__(
        self,
        task: Task,
        folder: Path,
        processes: Processes,
        progress: Progress,
        profile: Profile,
        keeps: bool = True,
    ) -> None:
        self.task, self.settings, self.folder, self.keeps = task, task.settings, folder, keeps
        self.processes, self.progress, self.profile = processes, progress, profile
        self.finished: dict[str, Any] = {}

    def train(self) -> TrainingState:
        """Train to the end, and leave the network with the weights that were best on validation."""
        task, settings, metric = self.task, self.settings, self.task.objective.metric
        assert settings.lr is not None
        schedule = SCHEDULES[settings.schedule](settings, math.ceil(task.count / settings.batch_size))
        adam = make_optimizer(task.network, settings)
        checkpoint = Checkpoint(self.folder, task.metadata, task.network, adam, metric)
        state, history = checkpoint.resume() or (TrainingState(epoch=0, lr=settings.lr), [])
        if state.epoch:
            self.progress.resumed(self.folder, state.epoch)
        else:
            task.begin()
        step = self.processes.wrap(ObjectiveStep(task.network, task.objective))
        while not schedule.ended(state):
            start = time.perf_counter()
            loss, reached_in_training, lr = self._epoch(state, step, adam, schedule)
            with self.profile("validation"):
                # All processes have the same weights; that of the first counts.
                found = self._validate(state.epoch + 1)
                (reached,) = self.processes.total(found if self.processes.first else 0.0)
            better = state.judge(reached)
            schedule.adjust(state)
            line = {
                "epoch": state.epoch,
                "loss": loss,
                f"train_{metric}": reached_in_training,
                f"validation_{metric}": reached,
                "lr": lr,
                "seconds": round(time.perf_counter() - start, 3),
            }
            history.append(line)
            with self.profile("saving"):
                if self.processes.first:
                    checkpoint.save(state, history, better)
            self.progress.epoch(line, state.best)
        self._settle()
        floor = task.objective.floor(task.validation_labels)
        # Chance alone lifts the best of some epochs above the floor: by about a standard error.
        if state.best <= floor + math.sqrt(floor * (1 - floor) / len(task.validation_labels)):
            self.progress.learnt_nothing(state.best, floor, settings.lr)
        return state

    def _epoch(
        self, state: TrainingState, step: Any, adam: torch.optim.Optimizer, schedule: Schedule
    ) -> tuple[float, float, float]:
        """One pass over the training items: mean loss, mean measure, and the last learning rate."""
        network, count = self.task.network, self.processes.count
        epoch = Epoch(state.epoch + 1, self.settings, self.task.draw, network, self.processes)
        size = len(epoch.labels)
        network.train()
        shown, lr, batches = 0.0, 0.0, list(epoch.batches())
        mine = [self.processes.share(batch) for batch in batches]
        record = EpochRecord(len(batches), sum(map(len, mine)), self.processes.device)
        self.progress.begin(epoch.number, self.settings.epochs, size)
        with closing(epoch.shares()) as shares:
            for number, batch in enumerate(batches):
                lr = schedule.rate(state, number)
                for group in adam.param_groups:
                    group["lr"] = lr
                with self.profile("preparing"):
                    share = next(shares)
                with self.profile("forward"):
                    loss, logits = step(share.batch, share.labels, share.weights, share.dropout_mask, share.generator)
                with self.profile("backward"):
                    adam.zero_grad()
                    loss.backward()
                with self.profile("optimizer"):
                    norm = clip(adam, self.settings.clip or math.inf)
                    record.add(loss, norm, logits[: len(mine[number])])
                    if (seen := record.latest) and not math.isfinite(seen[1]):
                        self._check_finite(record, epoch.number, batches, mine)
                    adam.step()
                shown += seen[0] * len(batch) if seen else 0.0
                self.progress.step(len(batch), shown if seen else None)
        self._check_finite(record, epoch.number, batches, mine)
        labels = epoch.labels.numpy()[np.concatenate(mine)]
        weighted = float(record.losses @ [len(batch) / count for batch in batches])
        measured = float(self.task.objective.measures(record.logits, labels).sum())
        losses, total = self.processes.total(weighted, measured)
        return losses / size, total / size, lr

    def _check_finite(self, record: EpochRecord, epoch: int, batches: list[Ints], mine: list[Ints]) -> None:
        """Stop when the gradient, and so the loss, is not finite any more. All processes see the same norms."""
        number = record.first_not_finite()
        if number is None:
            return
        before = sum(map(len, mine[:number]))
        bad = mine[number][~_finite(record.logits[before : before + len(mine[number])])]
        named = ", ".join(self.task.names(bad if len(bad) else batches[number]))
        where = f"epoch {epoch}, batch {number + 1}"
        raise RunError(f"the loss is not finite in {where}, with the {self.task.ITEMS} {named}; {self._advice()}")

    def _validate(self, epoch: int) -> float:
        """The mean measure on validation."""
        logits = self.task.validation_logits()
        finite = _finite(logits)
        if not finite.all():
            named = ", ".join(self.task.names(np.flatnonzero(~finite)[:NAMED], validation=True))
            what = f"the scores of validation {self.task.ITEMS} ({named}, ...) are not finite after epoch {epoch}"
            raise RunError(f"{what}; {self._advice()}")
        return float(np.mean(self.task.objective.measures(logits, self.task.validation_labels)))

    def _advice(self) -> str:
        kept = f"what was reached before is kept in {self.folder}; " if self.keeps else ""
        return f"{kept}a smaller {self.task.LR} may help (it was {self.settings.lr})"

    def _settle(self) -> None:
        """Take up the best weights and let the task have its last word on them."""
        file, network, metadata = self.folder / WEIGHTS, self.task.network, self.task.metadata
        self.processes.wait()
        read_weights(file, network, metadata)
        if self.processes.first:
            network.eval()
            self.finished = self.task.finish()
            save_tensors(file, network.state_dict(), metadata)
        self.processes.wait()
        read_weights(file, network, metadata)


def _finite(logits: Floats) -> NDArray[np.bool_]:
    """(items,) whether all numbers of each are finite."""
    return np.asarray(np.isfinite(logits.reshape(len(logits), -1)).all(axis=1))
