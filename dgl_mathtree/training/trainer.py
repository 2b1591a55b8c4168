"""The training loop: Adam on an objective, with a schedule, and a run that can be taken up again.

All chance comes from the seed, the epoch and the number of the batch, so nothing but weights, Adam's moments and a few
numbers has to be kept: a run that was killed goes on from its last epoch, and ends with the same weights to the bit.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import torch

from dgl_mathtree.data.data_files import DataError
from dgl_mathtree.files import read_json_lines, write_atomically
from dgl_mathtree.inference.metrics import VERDICTS, accuracy, majority_share, right_answers, score
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.nn import EquationVerifier, Verifier
from dgl_mathtree.nn.tensor_files import save_tensors
from dgl_mathtree.training.batches import Epoch, Ints
from dgl_mathtree.training.checkpoint import Checkpoint
from dgl_mathtree.training.config import Config, RunError
from dgl_mathtree.training.distributed import Processes, joined
from dgl_mathtree.training.epoch_record import EpochRecord
from dgl_mathtree.training.evaluate_run import measure
from dgl_mathtree.training.objectives import ObjectiveStep, find_objective
from dgl_mathtree.training.optim import clip, make_optimizer
from dgl_mathtree.training.progress import Profile, Progress
from dgl_mathtree.training.run_data import RunData
from dgl_mathtree.training.run_folder import (
    HISTORY,
    METRICS,
    WEIGHTS,
    RunFacts,
    check_weights,
    read_metrics,
    read_weights,
)
from dgl_mathtree.training.run_lock import RunLock
from dgl_mathtree.training.run_start import prepare, take_over
from dgl_mathtree.training.schedules import SCHEDULES, Schedule, TrainingState
from dgl_mathtree.training.torch_settings import own_settings

NAMED = 5
"""Equations that an error names at most."""


def train(
    config: Config, out: str | Path, command: str = "", progress: Progress | None = None, profile: Profile | None = None
) -> dict[str, Any]:
    """Train a model, or resume a run.

    Parameters
    ----------
    config : Config
        What to do. A run that was begun must have been asked for the same.
    out : str or Path
        The run folder.
    command : str
        To be kept with the run.
    progress : Progress, optional
        Is told how it goes.
    profile : Profile, optional
        Measures where the time goes.

    Returns
    -------
    dict
        The metrics of the finished run, as in its `metrics.json`.
    """
    folder, progress = Path(out), progress or Progress()
    data = RunData(config.data)
    with own_settings(), joined(config.device) as processes, RunLock(folder) as lock:
        facts = prepare(config, data, lock, command, processes)
        if (folder / METRICS).is_file():
            metrics = read_metrics(folder)
            _check_finished(folder, facts)
            progress.finished_before(folder)
            return metrics
        return _Run(facts, data, folder, processes, progress, profile or Profile()).result()


def _check_finished(folder: Path, facts: RunFacts) -> None:
    """Raise a RunError where a finished run cannot be used: training again would not bring its weights back."""
    try:
        check_weights(folder, facts)
    except RunError as error:
        raise RunError(
            f"{folder} is finished, but {error}; take the file from where it came from, or train in another folder"
        ) from None


class _Run:
    """A run under way."""

    def __init__(
        self, facts: RunFacts, data: RunData, folder: Path, processes: Processes, progress: Progress, profile: Profile
    ) -> None:
        self.facts, self.config, self.data, self.folder = facts, facts.config, data, folder
        self.processes, self.progress, self.profile = processes, progress, profile
        self.finished: dict[str, Any] = {}
        if data.train.checksum != facts.checksum:
            raise RunError(f"{folder} was started with other data: the checksum of {data.name} has changed")
        labels = np.unique(data.train.label)
        if len(labels) < 2:
            only = VERDICTS[int(labels[0])]
            raise DataError(f"all training equations of {data.name} are {only}: a verifier needs both kinds")

    def result(self) -> dict[str, Any]:
        """The metrics of the trained or fitted model."""
        torch.manual_seed(self.config.seed)
        network: Verifier = self.facts.make_model().to(self.processes.device)
        trained = network.as_network
        state = self._train(trained) if trained is not None else self._fit(network)
        return self._measure(network, state)

    def _fit(self, network: Verifier) -> TrainingState:
        """Baselines are fitted, not trained."""
        start = time.perf_counter()
        network.fit(self.data.train.forest, self.data.train.label)
        reached = accuracy(score(network, self.data.validation.forest), self.data.validation.label.numpy())
        line = {"epoch": 1, "validation_accuracy": reached, "seconds": time.perf_counter() - start}
        if self.processes.first:
            save_tensors(self.folder / WEIGHTS, network.state_dict(), self.facts.metadata())
            write_atomically(self.folder / HISTORY, json.dumps(line) + "\n")
        self.processes.wait()
        read_weights(self.folder / WEIGHTS, self.facts, network)
        return TrainingState(epoch=1, lr=0.0, best=reached, best_epoch=1)

    def _train(self, network: EquationVerifier) -> TrainingState:
        """Train to the end, and leave the network with the weights that were best on validation."""
        config, data = self.config, self.data
        assert config.lr is not None
        objective = find_objective(config.objective)(config, data.train)
        schedule = SCHEDULES[config.schedule](config, math.ceil(len(data.train) / config.batch_size))
        adam = make_optimizer(network, config)
        checkpoint = Checkpoint(self.folder, self.facts, network, adam)
        state, history = checkpoint.resume() or (TrainingState(epoch=0, lr=config.lr), [])
        if config.start_from and not state.epoch:
            take_over(network, self.facts, config.start_from)
        if state.epoch:
            self.progress.resumed(self.folder, state.epoch)
        step = self.processes.wrap(ObjectiveStep(network, objective))
        while not schedule.ended(state):
            start = time.perf_counter()
            loss, right, lr = self._epoch(state, network, step, adam, schedule)
            with self.profile("validation"):
                # All processes have the same weights; that of the first counts.
                found = self._validate(network, state.epoch + 1)
                (reached,) = self.processes.total(found if self.processes.first else 0.0)
            better = state.judge(reached)
            schedule.adjust(state)
            line = {
                "epoch": state.epoch,
                "loss": loss,
                "train_accuracy": right,
                "validation_accuracy": reached,
                "lr": lr,
                "seconds": round(time.perf_counter() - start, 3),
            }
            history.append(line)
            with self.profile("saving"):
                if self.processes.first:
                    checkpoint.save(state, history, better)
            self.progress.epoch(line, state.best)
        self._settle(network, objective.finish)
        majority = majority_share(data.validation.label.numpy())
        # Chance alone lifts the best of some epochs above the majority: by about a standard error.
        if state.best <= majority + math.sqrt(majority * (1 - majority) / len(data.validation)):
            self.progress.learnt_nothing(state.best, majority, config.lr)
        return state

    def _epoch(
        self,
        state: TrainingState,
        network: EquationVerifier,
        step: Any,
        adam: torch.optim.Optimizer,
        schedule: Schedule,
    ) -> tuple[float, float, float]:
        """One pass over the training equations: mean loss, share of right answers, and the last learning rate."""
        epoch = Epoch(state.epoch + 1, self.config, self.data.train, network, self.processes)
        size, count = len(epoch.labels), self.processes.count
        network.train()
        shown, lr, batches = 0.0, 0.0, list(epoch.batches())
        mine = [self.processes.share(batch) for batch in batches]
        record = EpochRecord(len(batches), sum(map(len, mine)), self.processes.device)
        self.progress.begin(epoch.number, self.config.epochs, size)
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
                    norm = clip(adam, self.config.clip or math.inf)
                    record.add(loss, norm, logits[: len(mine[number])])
                    if (seen := record.latest) and not math.isfinite(seen[1]):
                        self._check_finite(record, epoch.number, batches, mine)
                    adam.step()
                shown += seen[0] * len(batch) if seen else 0.0
                self.progress.step(len(batch), shown if seen else None)
        self._check_finite(record, epoch.number, batches, mine)
        labels = epoch.labels.numpy()[np.concatenate(mine)]
        weighted = float(record.losses @ [len(batch) / count for batch in batches])
        losses, right = self.processes.total(weighted, float(right_answers(record.logits, labels).sum()))
        return losses / size, right / size, lr

    def _check_finite(self, record: EpochRecord, epoch: int, batches: list[Ints], mine: list[Ints]) -> None:
        """Stop when the gradient, and so the loss, is not finite any more. All processes see the same norms."""
        number = record.first_not_finite()
        if number is None:
            return
        before = sum(map(len, mine[:number]))
        finite = np.isfinite(record.logits[before : before + len(mine[number])])
        bad = mine[number][~finite]
        named = ", ".join(self.data.train.ids[k] for k in (bad if len(bad) else batches[number]))
        where = f"epoch {epoch}, batch {number + 1}"
        raise RunError(f"the loss is not finite in {where}, with the equations {named}; {self._advice()}")

    def _validate(self, network: EquationVerifier, epoch: int) -> float:
        """The accuracy on validation."""
        data = self.data.validation
        logits = score(network, data.forest)
        if not np.isfinite(logits).all():
            named = ", ".join(data.ids[k] for k in np.flatnonzero(~np.isfinite(logits))[:NAMED])
            what = f"the scores of validation equations ({named}, ...) are not finite after epoch {epoch}"
            raise RunError(f"{what}; {self._advice()}")
        return accuracy(logits, data.label.numpy())

    def _advice(self) -> str:
        kept = f"what was reached before is kept in {self.folder}"
        return f"{kept}; a smaller --lr may help (it was {self.config.lr})"

    def _settle(self, network: EquationVerifier, finish: Callable[..., dict[str, Any]]) -> None:
        """Take up the best weights and let the objective have its last word on them."""
        file = self.folder / WEIGHTS
        self.processes.wait()
        read_weights(file, self.facts, network)
        if self.processes.first:
            network.eval()
            self.finished = finish(network, self.data.validation)
            save_tensors(file, network.state_dict(), self.facts.metadata())
        self.processes.wait()
        read_weights(file, self.facts, network)

    def _measure(self, network: Verifier, state: TrainingState) -> dict[str, Any]:
        """Measure the weights that were best on validation, on every part of the data."""
        lines = read_json_lines(self.folder / HISTORY, RunError)
        result: dict[str, Any] = {
            "model": self.config.model,
            "data": self.config.data,
            "checksum": self.facts.checksum,
            "parameters": sum(parameter.numel() for parameter in network.parameters()),
            "epochs": state.epoch,
            "best_epoch": state.best_epoch,
            "seconds": round(sum(line["seconds"] for line in lines), 1),
            **self.finished,
        }
        result |= measure(TrainedVerifier(network, self.config.model, str(self.folder)), self.data)
        if self.processes.first:
            write_atomically(self.folder / METRICS, json.dumps(result, indent=1) + "\n")
        self.processes.wait()
        self.progress.done(result, self.folder)
        return result
