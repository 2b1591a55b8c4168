"""What resuming needs: weights, Adam's moments, the state of the run and its history."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from dgl_mathtree.files import parse_json, read_json_lines, write_atomically
from dgl_mathtree.nn.tensor_files import check_floats, read_tensors, save_tensors
from dgl_mathtree.schema import check
from dgl_mathtree.training.config import RunError
from dgl_mathtree.training.run_folder import HISTORY, STATE, WEIGHTS
from dgl_mathtree.training.schedules import TrainingState

STATE_SHAPE = {"epoch": int, "lr": float, "best": float, "best_epoch": int, "since": int, "waited": int}
"""What the metadata of the state holds."""
History = list[dict[str, Any]]
"""A line for each epoch."""


class Checkpoint:
    """The files of a run under way.

    Parameters
    ----------
    folder : Path
        The run folder.
    metadata : mapping of str to str
        What files of weights say of themselves.
    network : torch.nn.Module
        The network in training.
    optimizer : torch.optim.Optimizer
        Its optimizer.
    metric : str
        What lines of the history measure.
    """

    def __init__(
        self,
        folder: Path,
        metadata: Mapping[str, str],
        network: torch.nn.Module,
        optimizer: torch.optim.Optimizer,
        metric: str = "accuracy",
    ) -> None:
        self.folder, self.metadata, self.network, self.optimizer = folder, dict(metadata), network, optimizer
        self._line = {"epoch": int, f"validation_{metric}": float, "seconds": float}

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
            save_tensors(self.folder / WEIGHTS, self.network.state_dict(), self.metadata)
        write_atomically(self.folder / HISTORY, "".join(json.dumps(line) + "\n" for line in history))
        tensors = {f"model.{name}": tensor for name, tensor in self.network.state_dict().items()}
        for name, parameter in self.network.named_parameters():
            moments = self.optimizer.state[parameter]
            tensors |= {f"adam.{name}.{moment}": tensor for moment, tensor in moments.items()}
        about = self.metadata | {"state": json.dumps(dataclasses.asdict(state))}
        save_tensors(self.folder / STATE, tensors, about)

    def resume(self) -> tuple[TrainingState, History] | None:
        """Take up what was saved last: its state and history, or None if nothing was saved yet."""
        if not (self.folder / STATE).is_file():
            self._check_nothing_is_lost()
            return None
        tensors, about = read_tensors(self.folder / STATE)
        try:
            found = parse_json(about["state"])
            check(found, STATE_SHAPE, "state")
            state = TrainingState(**found)
            check_floats(tensors, self.folder / STATE)
            self._fill(tensors)
            history = read_json_lines(self.folder / HISTORY)[: max(state.epoch, 0)]
            for number, line in enumerate(history, start=1):
                check(line, self._line, f"{HISTORY}: line {number}")
            if len(history) < state.epoch:
                raise ValueError(f"{HISTORY} has {len(history)} lines for {state.epoch} epochs")
            if state.best_epoch and not (self.folder / WEIGHTS).is_file():
                raise ValueError(f"{WEIGHTS} is missing")
        except (OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
            raise RunError(f"cannot resume {self.folder}: its state is damaged ({error})") from None
        return state, history

    def _check_nothing_is_lost(self) -> None:
        """Raise a RunError for a run without a state that has epochs; a crash in the first one may leave its line."""
        file = self.folder / HISTORY
        if file.is_file() and (epochs := len(read_json_lines(file, RunError))) > 1:
            raise RunError(
                f"cannot resume {self.folder}: it has {epochs} epochs and no {STATE}; copy that from where the run was "
                "made, or remove the folder to train anew"
            )

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
