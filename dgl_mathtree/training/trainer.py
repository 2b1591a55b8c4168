"""Training of verifiers on equations: a run folder, the loop on its task, and the metrics at the end."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from dgl_mathtree.data.data_files import DataError
from dgl_mathtree.files import read_json_lines, write_atomically
from dgl_mathtree.inference.metrics import VERDICTS, Floats, accuracy, score
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.nn import EquationVerifier, Verifier
from dgl_mathtree.nn.tensor_files import read_weights, save_tensors
from dgl_mathtree.training.batches import EquationItems, Ints
from dgl_mathtree.training.config import Config, RunError
from dgl_mathtree.training.distributed import Processes, joined
from dgl_mathtree.training.evaluate_run import measure
from dgl_mathtree.training.loop import Loop, Task
from dgl_mathtree.training.objectives import find_objective
from dgl_mathtree.training.progress import Profile, Progress
from dgl_mathtree.training.run_data import RunData
from dgl_mathtree.training.run_folder import HISTORY, METRICS, WEIGHTS, RunFacts, check_weights, read_metrics
from dgl_mathtree.training.run_lock import RunLock
from dgl_mathtree.training.run_start import prepare, take_over
from dgl_mathtree.training.schedules import TrainingState
from dgl_mathtree.training.torch_settings import own_settings


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


class EquationTask(Task):
    """A network in training on equations.

    Parameters
    ----------
    facts : RunFacts
        What the run folder says of the run.
    data : RunData
        Its data.
    network : EquationVerifier
        With fresh weights.
    """

    ITEMS = "equations"
    LR = "--lr"

    def __init__(self, facts: RunFacts, data: RunData, network: EquationVerifier) -> None:
        self.facts, self.data, self.config, self.settings = facts, data, facts.config, facts.config
        self.network = self.verifier = network
        self.metadata, self.count = facts.metadata(), len(data.train)
        self.objective = find_objective(facts.config.objective)(facts.config, data.train)
        self.validation_labels = data.validation.label.numpy()

    def draw(self, rng: np.random.Generator) -> EquationItems:
        return EquationItems(self.data.train, self.verifier, self.config.augment, rng)

    def validation_logits(self) -> Floats:
        return score(self.verifier, self.data.validation.forest)

    def names(self, items: Ints, validation: bool = False) -> list[str]:
        ids = (self.data.validation if validation else self.data.train).ids
        return [ids[k] for k in items.tolist()]

    def begin(self) -> None:
        if self.config.start_from:
            take_over(self.verifier, self.facts, self.config.start_from)

    def finish(self) -> dict[str, Any]:
        return self.objective.finish(self.verifier, self.data.validation)


class _Run:
    """A run under way."""

    def __init__(
        self, facts: RunFacts, data: RunData, folder: Path, processes: Processes, progress: Progress, profile: Profile
    ) -> None:
        self.facts, self.config, self.data, self.folder = facts, facts.config, data, folder
        self.processes, self.progress, self.profile = processes, progress, profile
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
        if trained is None:
            return self._measure(network, self._fit(network), {})
        task = EquationTask(self.facts, self.data, trained)
        loop = Loop(task, self.folder, self.processes, self.progress, self.profile)
        return self._measure(network, loop.train(), loop.finished)

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
        read_weights(self.folder / WEIGHTS, network, self.facts.metadata())
        return TrainingState(epoch=1, lr=0.0, best=reached, best_epoch=1)

    def _measure(self, network: Verifier, state: TrainingState, finished: dict[str, Any]) -> dict[str, Any]:
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
            **finished,
        }
        result |= measure(TrainedVerifier(network, self.config.model, str(self.folder)), self.data)
        if self.processes.first:
            write_atomically(self.folder / METRICS, json.dumps(result, indent=1) + "\n")
        self.processes.wait()
        self.progress.done(result, self.folder)
        return result
