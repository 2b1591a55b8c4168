"""What resuming needs: weights, Adam's moments, the state of the run and its history."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import torch

from dgl_mathtree.files import write_atomically
from dgl_mathtree.nn import EquationVerifier
from dgl_mathtree.training.errors import RunError
from dgl_mathtree.training.runs import HISTORY, STATE, WEIGHTS, RunFacts
from dgl_mathtree.training.state import TrainingState
from dgl_mathtree.training.weights import read_tensors, save_tensors

History = list[dict[str, Any]]
"""A line for each epoch."""


class Checkpoint:
    """The files of a run under way.

    Parameters
    ----------
    folder : Path
        The run folder.
    facts : RunFacts
        What it says of the run.
    network : EquationVerifier
        The network in training.
    optimizer : torch.optim.Optimizer
        Its optimizer.
    """

    def __init__(
        self, folder: Path, facts: RunFacts, network: EquationVerifier, optimizer: torch.optim.Optimizer
    ) -> None:
        self.folder, self.facts, self.network, self.optimizer = folder, facts, network, optimizer

    def save(self, state: TrainingState, history: History, better: bool) -> None:
        """Keep the run. The state comes last: what precedes it is written again, the same, after a crash between.

        Parameters
        ----------
        state : TrainingState
            After the epoch that just ended.
        history : list of dict
            A line for each epoch.
        better : bool
            Whether the weights are the best so far.
        """
        if better:
            save_tensors(self.folder / WEIGHTS, self.network.state_dict(), self.facts.metadata())
        write_atomically(self.folder / HISTORY, "".join(json.dumps(line) + "\n" for line in history))
        tensors = {f"model.{name}": tensor for name, tensor in self.network.state_dict().items()}
        for name, parameter in self.network.named_parameters():
            moments = self.optimizer.state[parameter]
            tensors |= {f"adam.{name}.{moment}": tensor for moment, tensor in moments.items()}
        about = self.facts.metadata() | {"state": json.dumps(dataclasses.asdict(state))}
        save_tensors(self.folder / STATE, tensors, about)

    def resume(self) -> tuple[TrainingState, History] | None:
        """Take up what was saved last: its state and history, or None if nothing was saved yet."""
        if not (self.folder / STATE).is_file():
            return None
        tensors, about = read_tensors(self.folder / STATE)
        try:
            state = TrainingState(**json.loads(about["state"]))
            self._fill(tensors)
            lines = (self.folder / HISTORY).read_text(encoding="utf-8").splitlines()[: state.epoch]
            history = [json.loads(line) for line in lines]
            if len(history) < state.epoch:
                raise ValueError(f"{HISTORY} has {len(history)} lines for {state.epoch} epochs")
            if state.best_epoch and not (self.folder / WEIGHTS).is_file():
                raise ValueError(f"{WEIGHTS} is missing")
        except (OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
            raise RunError(f"cannot go on with {self.folder}: its state is damaged ({error})") from None
        return state, history

    @torch.no_grad()
    def _fill(self, tensors: dict[str, torch.Tensor]) -> None:
        """Put weights and moments where they belong."""
        for name, parameter in self.network.named_parameters():
            parameter.copy_(tensors[f"model.{name}"])
            prefix = f"adam.{name}."
            self.optimizer.state[parameter] = {
                key.removeprefix(prefix): tensor if key.endswith(".step") else tensor.to(parameter.device)
                for key, tensor in tensors.items()
                if key.startswith(prefix)
            }
