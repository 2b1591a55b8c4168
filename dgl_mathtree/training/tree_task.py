"""A model in training on trees: what the loop has to know of it, and how good it is on every part."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.data.data_files import DataError
from dgl_mathtree.data.splits import TRAIN, VALIDATION
from dgl_mathtree.data.tree_dataset import TreeDataset
from dgl_mathtree.files import read_json_lines
from dgl_mathtree.inference.metrics import Floats
from dgl_mathtree.nn import TreeModel
from dgl_mathtree.training.batches import Ints, TreeItems
from dgl_mathtree.training.config import RunError, Settings
from dgl_mathtree.training.loop import Task
from dgl_mathtree.training.objectives import Objective
from dgl_mathtree.training.objectives.tree_objectives import Classification, Regression
from dgl_mathtree.training.run_folder import HISTORY
from dgl_mathtree.training.schedules import TrainingState

CHUNK = 1000
"""Items that are scored together."""


class TreeTask(Task):
    """A model in training on trees.

    Parameters
    ----------
    model : TreeModel
        What is trained.
    parts : mapping of str to TreeDataset
        ``train``, ``validation`` and if there is one ``test``.
    config : Settings
        How to train.
    objective : type of Objective
        What is minimised.
    """

    ITEMS = "items"

    def __init__(
        self, model: TreeModel, parts: Mapping[str, TreeDataset], config: Settings, objective: type[Objective]
    ) -> None:
        self.network = self.model = model
        self.settings, self.parts = config, parts
        self.metadata, self.count = model.metadata(), len(parts[TRAIN])
        self.objective = objective(config, parts[TRAIN])
        self.validation_labels = parts[VALIDATION].labels.numpy()

    def check_labels(self) -> None:
        """Raise a DataError for labels that the model has no outputs for."""
        outputs = tree_outputs(self.model, self.parts[TRAIN].subset([0]))
        for name, part in self.parts.items():
            if isinstance(self.objective, Classification):
                if part.labels.is_floating_point() or part.labels.dim() != 1:
                    raise DataError(f"the labels of {name} must be classes, whole numbers from 0, one for each item")
                if outputs.ndim != 2:
                    raise DataError(f"{type(self.model).__name__} has numbers for outputs, not classes")
                if (most := int(part.labels.max())) >= outputs.shape[1]:
                    raise DataError(f"{name} has the class {most}; the model has classes 0 to {outputs.shape[1] - 1}")
            elif isinstance(self.objective, Regression) and part.labels.shape[1:] != outputs.shape[1:]:
                found, own = (" x ".join(map(str, shape[1:])) or "one" for shape in (part.labels.shape, outputs.shape))
                raise DataError(f"{name} has {found} number(s) for each item, the model {own}")

    def draw(self, rng: np.random.Generator) -> TreeItems:
        return TreeItems(self.parts[TRAIN])

    def validation_logits(self) -> Floats:
        return tree_outputs(self.model, self.parts[VALIDATION])

    def names(self, items: Ints, validation: bool = False) -> list[str]:
        return [str(item) for item in items.tolist()]

    def finish(self) -> dict[str, Any]:
        return self.objective.finish(self.model, self.parts[VALIDATION])


@torch.no_grad()
def tree_outputs(model: TreeModel, data: TreeDataset) -> Floats:
    """(items, ...) what a model says of all items of a data set, without dropout; its mode is left as it is."""
    training = model.training
    model.eval()
    try:
        chunks = (np.arange(at, min(at + CHUNK, len(data))) for at in range(0, len(data), CHUNK))
        outputs = [model(data.batch(chunk)) for chunk in chunks]
    finally:
        model.train(training)
    return torch.cat(outputs).cpu().double().numpy()


def tree_metrics(task: TreeTask, state: TrainingState, folder: Path) -> dict[str, Any]:
    """What `metrics.json` says of the best weights on every part."""
    lines = read_json_lines(folder / HISTORY, RunError)
    description = task.model.description()
    result: dict[str, Any] = {
        "model": description["kind"],
        "cell": (description["cell"] or {}).get("name", type(task.model.cell).__name__),
        "metric": task.objective.metric,
        "checksum": task.parts[TRAIN].checksum,
        "parameters": sum(parameter.numel() for parameter in task.model.parameters()),
        "epochs": state.epoch,
        "best_epoch": state.best_epoch,
        "seconds": round(sum(line["seconds"] for line in lines), 1),
    }
    for name, part in task.parts.items():
        measures = task.objective.measures(tree_outputs(task.model, part), part.labels.numpy()).astype(np.float64)
        result[name] = {"overall": _mean(task.objective.metric, measures)}
        if part.groups is not None:
            found = {int(group): measures[part.groups == group] for group in np.unique(part.groups)}
            result[name]["by_group"] = {str(group): _mean(task.objective.metric, some) for group, some in found.items()}
    return result


def _mean(metric: str, measures: NDArray[np.float64]) -> dict[str, float]:
    return {metric: float(measures.mean()), "count": len(measures)}
