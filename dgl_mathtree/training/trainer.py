"""The training loop: Adam, halving of the learning rate, early stopping, and a run that can be taken up again.

All chance comes from the seed, the epoch and the number of the batch, so nothing but weights, Adam's moments and a few
numbers has to be kept: a run that was killed goes on from its last epoch, and ends with the same weights to the bit.
"""

from __future__ import annotations

import dataclasses
import json
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from dgl_mathtree.corpus.files import DataError
from dgl_mathtree.expressions import Forest, VocabularyError
from dgl_mathtree.expressions.vocabulary import COMMUTATIVE
from dgl_mathtree.files import write_atomically
from dgl_mathtree.nn import EquationVerifier, Verifier
from dgl_mathtree.nn.floors import BagOfOperators
from dgl_mathtree.tasks.trained import TrainedVerifier
from dgl_mathtree.tasks.verification import accuracy, evaluation, score
from dgl_mathtree.training.config import Config
from dgl_mathtree.training.data import RunData
from dgl_mathtree.training.errors import RunError
from dgl_mathtree.training.lock import RunLock
from dgl_mathtree.training.processes import Processes, joined
from dgl_mathtree.training.profile import Profile
from dgl_mathtree.training.progress import Progress
from dgl_mathtree.training.runs import (
    HISTORY,
    METRICS,
    STATE,
    WEIGHTS,
    RunFacts,
    read_metrics,
    read_weights,
)
from dgl_mathtree.training.start import prepare
from dgl_mathtree.training.state import TrainingState
from dgl_mathtree.training.weights import read_tensors, save_tensors

NAMED = 5
"""Equations that an error names at most."""


def train(
    config: Config, out: str | Path, command: str = "", progress: Progress | None = None, profile: Profile | None = None
) -> dict[str, Any]:
    """Train a model, or go on with a run that was begun; the metrics of the finished run.

    Args:
        config: what to do. A run that was begun must have been asked for the same.
        out: the run folder.
        command: to be kept with the run.
        progress: is told how it goes.
        profile: measures where the time goes.
    """
    torch.set_num_threads(1)
    # Moments of Adam that fade to the smallest numbers there are would make every step several times slower.
    torch.set_flush_denormal(True)
    folder, progress = Path(out), progress or Progress()
    data = RunData(config.data)
    with joined(config.device) as processes, RunLock(folder) as lock:
        facts = prepare(config, data, lock, command, processes)
        if (folder / METRICS).is_file():
            metrics = read_metrics(folder)
            progress.finished_before(folder)
            return metrics
        run = _Run(facts, data, folder, processes, progress, profile or Profile())
        return run.fit() if isinstance(run.network, BagOfOperators) else run.train()


class _Run:
    """A run under way."""

    def __init__(
        self, facts: RunFacts, data: RunData, folder: Path, processes: Processes, progress: Progress, profile: Profile
    ) -> None:
        self.facts, self.config, self.folder = facts, facts.config, folder
        self.processes, self.progress, self.profile = processes, progress, profile
        self.parts, self.data, self.validation = data, data.train, data.validation
        if self.data.checksum != facts.checksum:
            raise RunError(f"{folder} was begun with other data: the checksum of {self.config.data} has changed")
        self.label = self.data.label.float()
        if len(np.unique(self.data.label)) < 2:
            only = "correct" if self.label[0] else "incorrect"
            raise DataError(f"all training equations of {self.config.data} are {only}: a verifier needs both kinds")
        torch.manual_seed(self.config.seed)
        self.network: Verifier = facts.make_model().to(processes.device)
        commutative = [word in COMMUTATIVE for word in self.data.forest.words]
        self.commutative = np.array(commutative)[self.data.forest.word]

    def fit(self) -> dict[str, Any]:
        """Floors are fitted, not trained."""
        assert isinstance(self.network, BagOfOperators)
        start = time.perf_counter()
        self.network.fit(self.data.forest, self.data.label)
        reached = accuracy(score(self.network, self.validation.forest), self.validation.label.numpy())
        state = TrainingState(epoch=1, lr=0.0, best=reached, best_epoch=1)
        line = {"epoch": 1, "validation_accuracy": reached, "seconds": time.perf_counter() - start}
        if self.processes.first:
            save_tensors(self.folder / WEIGHTS, self.network.state_dict(), self.facts.metadata())
            write_atomically(self.folder / HISTORY, json.dumps(line) + "\n")
        return self._finish(state)

    def train(self) -> dict[str, Any]:
        config = self.config
        parameters: list[torch.Tensor] = list(self.network.parameters())
        adam = self._optimizer()
        state, history = self._resume(adam)
        wrapped = self.processes.wrap(self.network)
        while state.epoch < config.epochs and state.since < config.stop:
            start = time.perf_counter()
            for group in adam.param_groups:
                group["lr"] = state.lr
            loss, right = self._epoch(state, wrapped, adam, parameters)
            with self.profile("validation"):
                # All processes have the same weights; that of the first counts.
                found = self._validate(state.epoch + 1)
                (reached,) = self.processes.total(found if self.processes.first else 0.0)
            lr = state.lr
            better = state.judge(reached, config.patience)
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
                self._save(state, adam, history, better)
            self.progress.epoch(line, state.best)
        return self._finish(state)

    def _optimizer(self) -> torch.optim.Optimizer:
        config = self.config
        assert isinstance(self.network, EquationVerifier)
        assert config.lr is not None
        decaying = {id(parameter) for parameter in self.network.decaying}
        parts = [[p for p in self.network.parameters() if (id(p) in decaying) is decays] for decays in (True, False)]
        decays = (config.weight_decay, 0.0)
        groups = [{"params": part, "weight_decay": decay} for part, decay in zip(parts, decays, strict=True) if part]
        kind = torch.optim.AdamW if config.decay == "decoupled" else torch.optim.Adam
        return kind(groups, lr=config.lr, fused=True)

    def _epoch(
        self, state: TrainingState, wrapped: Any, adam: torch.optim.Optimizer, parameters: list[torch.Tensor]
    ) -> tuple[float, float]:
        """One pass over the training equations: mean loss and share of right answers."""
        epoch, words, count = state.epoch + 1, self.data.forest.words, self.processes.count
        rng = np.random.default_rng([self.config.seed, epoch])
        generator = torch.Generator(self.processes.device)
        forest = self._augmented(rng)
        self.network.train()
        losses, right = 0.0, 0.0
        self.progress.begin(epoch, self.config.epochs, len(self.label))
        for number, chosen in enumerate(self._batches(rng)):
            with self.profile("preparing"):
                mine = self.processes.share(chosen)
                # A process without a share computes something that does not count: the others wait for its gradient.
                batch = self.network.batch(forest, mine if len(mine) else chosen[:1])
                dropout_mask = self._dropout_mask(forest, chosen, batch.node, generator, epoch, number)
                weight = torch.ones(len(mine)) if len(mine) else torch.zeros(1)
                label = self.label[mine if len(mine) else chosen[:1]].to(self.processes.device)
                weight = weight.to(self.processes.device)
            with self.profile("forward"):
                logits = wrapped(batch, words, dropout_mask)
                each = binary_cross_entropy_with_logits(logits, label, weight, reduction="sum")
                loss = each * (count / len(chosen))
            with self.profile("backward"):
                adam.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
            with self.profile("optimizer"):
                norm = torch.nn.utils.clip_grad_norm_(parameters, self.config.clip or math.inf)
                self._check_finite(norm, chosen, mine, logits, epoch, number)
                adam.step()
            losses += each.item()
            right += float((((logits >= 0) == (label > 0.5)) * weight).sum())
            self.progress.step(len(chosen), losses * count)
        losses, right = self.processes.total(losses, right)
        return losses / len(self.label), right / len(self.label)

    def _batches(self, rng: np.random.Generator) -> Iterator[np.ndarray]:
        order = rng.permutation(len(self.label))
        for at in range(0, len(order), self.config.batch_size):
            yield order[at : at + self.config.batch_size]

    def _augmented(self, rng: np.random.Generator) -> Forest:
        """The training equations, with the operands of some sums and products swapped if that is asked for."""
        forest = self.data.forest
        if self.config.augment != "commute":
            return forest
        swapped = self.commutative & (rng.random(len(forest)) < 0.5)
        return dataclasses.replace(
            forest, children=np.where(swapped[:, None], forest.children[:, ::-1], forest.children)
        )

    def _dropout_mask(
        self,
        forest: Forest,
        chosen: np.ndarray,
        nodes: np.ndarray,
        generator: torch.Generator,
        epoch: int,
        number: int,
    ) -> torch.Tensor | None:
        """What dropout multiplies with at this process's nodes, drawn for those of the whole batch by all processes."""
        generator.manual_seed(((self.config.seed * 1_000_003 + epoch) * 1_000_003 + number) % 2**63)
        if self.processes.count == 1:
            return self.network.draw_dropout(len(nodes), generator)
        _, everyone = forest.take_with_nodes(chosen)
        dropout_mask = self.network.draw_dropout(len(everyone), generator)
        if dropout_mask is None:
            return None
        return dropout_mask[torch.from_numpy(np.searchsorted(everyone, nodes)).to(dropout_mask.device)]

    def _check_finite(
        self, norm: torch.Tensor, chosen: np.ndarray, mine: np.ndarray, logits: torch.Tensor, epoch: int, number: int
    ) -> None:
        """Stop when the gradient, and so the loss, is no number any more. All processes see the same norm."""
        if bool(torch.isfinite(norm)):
            return
        bad = mine[~torch.isfinite(logits.detach()).cpu().numpy()] if len(mine) else mine
        named = ", ".join(self.data.ids[k] for k in (bad if len(bad) else chosen))
        raise RunError(
            f"the loss is not finite in epoch {epoch}, batch {number + 1}, with the equations {named}; "
            f"what was reached before is kept in {self.folder}; a smaller --lr may help (it was {self.config.lr})"
        )

    def _validate(self, epoch: int) -> float:
        logits = score(self.network, self.validation.forest)
        if not np.isfinite(logits).all():
            named = ", ".join(self.validation.ids[k] for k in np.flatnonzero(~np.isfinite(logits))[:NAMED])
            raise RunError(
                f"the scores of validation equations ({named}, ...) are not finite after epoch {epoch}; "
                f"what was reached before is kept in {self.folder}; a smaller --lr may help (it was {self.config.lr})"
            )
        return accuracy(logits, self.validation.label.numpy())

    def _save(
        self, state: TrainingState, adam: torch.optim.Optimizer, history: list[dict[str, Any]], better: bool
    ) -> None:
        """Keep the run. The state comes last: what precedes it is written again, the same, after a crash between."""
        if not self.processes.first:
            return
        if better:
            save_tensors(self.folder / WEIGHTS, self.network.state_dict(), self.facts.metadata())
        write_atomically(self.folder / HISTORY, "".join(json.dumps(line) + "\n" for line in history))
        tensors = {f"model.{name}": tensor for name, tensor in self.network.state_dict().items()}
        for name, parameter in self.network.named_parameters():
            tensors |= {f"adam.{name}.{moment}": tensor for moment, tensor in adam.state[parameter].items()}
        about = self.facts.metadata() | {"state": json.dumps(dataclasses.asdict(state))}
        save_tensors(self.folder / STATE, tensors, about)

    def _resume(self, adam: torch.optim.Optimizer) -> tuple[TrainingState, list[dict[str, Any]]]:
        """Take up the last state, if there is one."""
        assert self.config.lr is not None
        if not (self.folder / STATE).is_file():
            return TrainingState(epoch=0, lr=self.config.lr), []
        tensors, about = read_tensors(self.folder / STATE)
        try:
            state = TrainingState(**json.loads(about["state"]))
            with torch.no_grad():
                for name, parameter in self.network.named_parameters():
                    parameter.copy_(tensors[f"model.{name}"])
                    prefix = f"adam.{name}."
                    adam.state[parameter] = {
                        key.removeprefix(prefix): tensor if key.endswith(".step") else tensor.to(parameter.device)
                        for key, tensor in tensors.items()
                        if key.startswith(prefix)
                    }
            lines = (self.folder / HISTORY).read_text(encoding="utf-8").splitlines()[: state.epoch]
            history = [json.loads(line) for line in lines]
            if len(history) < state.epoch:
                raise ValueError(f"{HISTORY} has {len(history)} lines for {state.epoch} epochs")
            if state.best_epoch and not (self.folder / WEIGHTS).is_file():
                raise ValueError(f"{WEIGHTS} is missing")
        except (OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
            raise RunError(f"cannot go on with {self.folder}: its state is damaged ({error})") from None
        self.progress.resumed(self.folder, state.epoch)
        return state, history

    def _finish(self, state: TrainingState) -> dict[str, Any]:
        """Measure the weights that were best on validation, on every part of the data."""
        self.processes.wait()
        read_weights(self.folder / WEIGHTS, self.facts, self.network)
        lines = (self.folder / HISTORY).read_text(encoding="utf-8").splitlines()
        result: dict[str, Any] = {
            "model": self.config.model,
            "data": self.config.data,
            "checksum": self.facts.checksum,
            "parameters": sum(parameter.numel() for parameter in self.network.parameters()),
            "epochs": state.epoch,
            "best_epoch": state.best_epoch,
            "seconds": round(sum(json.loads(line)["seconds"] for line in lines), 1),
        }
        trained = TrainedVerifier(self.network, self.config.model, str(self.folder))
        for part, data in self.parts.parts().items():
            try:
                logits = trained.score_forest(data.forest)
            except VocabularyError as error:
                result.setdefault("unread", {})[part] = str(error)  # words that training did not have
                continue
            result[part] = evaluation(logits, data.label.numpy(), data.depth.numpy(), data.kind)
        if self.processes.first:
            write_atomically(self.folder / METRICS, json.dumps(result, indent=1) + "\n")
        self.processes.wait()
        self.progress.done(result, self.folder)
        return result
