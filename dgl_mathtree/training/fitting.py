"""Training of any model on any trees: the loop that trains verifiers, on a classifier or a regressor."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from dgl_mathtree import __version__
from dgl_mathtree.data.data_files import DataError
from dgl_mathtree.data.splits import PARTS, TRAIN, VALIDATION
from dgl_mathtree.data.tree_dataset import TreeDataset
from dgl_mathtree.files import read_json, read_json_lines, write_atomically
from dgl_mathtree.nn import MODELS, TreeModel, TreeRegressor, drivers
from dgl_mathtree.nn.tensor_files import read_weights
from dgl_mathtree.schema import check, check_fields
from dgl_mathtree.training.config import ConfigError, RunError, Settings, check_device
from dgl_mathtree.training.distributed import joined
from dgl_mathtree.training.loop import Loop
from dgl_mathtree.training.objectives import Objective
from dgl_mathtree.training.objectives.tree_objectives import TREE_OBJECTIVES, Classification, Regression
from dgl_mathtree.training.progress import Profile, Progress
from dgl_mathtree.training.run_folder import CONFIG, HISTORY, METRICS, WEIGHTS, read_metrics
from dgl_mathtree.training.run_lock import RunLock
from dgl_mathtree.training.run_start import chosen_again, start_folder
from dgl_mathtree.training.torch_settings import own_settings
from dgl_mathtree.training.tree_task import TreeTask, tree_metrics

HELD_OUT = 0.1
"""The share of the items that validation gets where no validation data is given."""
DEFAULTS = {"lr": 2e-3, "weight_decay": 0.03, "decay": "decoupled"}
"""For cells that are not made by name; others have those of their row of `MODELS`."""
FIT_SHAPE = {"config": {"*?": object}, "model": {"*?": object}, "checksum": str, "driver": str}
"""What `config.json` holds."""


@dataclass(frozen=True, kw_only=True)
class FitSettings(Settings):
    """The settings of `fit`."""

    objective: str = "classification"
    """What is minimised: `classification` or `regression`, or the name of one's own."""

    def __post_init__(self) -> None:
        check_fields(self, ConfigError)
        if self.driver not in drivers.names():
            raise ConfigError(f"driver must be one of {', '.join(drivers.names())}, not {self.driver!r}")
        check_device(self.device)


def fit(
    model: TreeModel,
    data: TreeDataset | Mapping[str, TreeDataset],
    out: str | Path | None = None,
    *,
    objective: str | type[Objective] | None = None,
    command: str = "",
    progress: Progress | None = None,
    profile: Profile | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Train a model of trees, or resume its run, and leave it with the weights that were best on validation.

    It is the loop of `mathtree train`: the same settings, schedules, drivers, processes (under torchrun) and files. A
    run that was killed goes on from its last epoch, and ends with the same weights to the bit.

    Parameters
    ----------
    model : TreeModel
        A `TreeClassifier`, `PairClassifier`, `TreeRegressor` or a class of one's own.
    data : TreeDataset or mapping of str to TreeDataset
        ``train``, and if there are any ``validation`` and ``test``. Without ``validation``, a tenth of the training
        items, drawn by the seed, takes its place.
    out : str or Path, optional
        The run folder, from which the run is taken up if it was begun there, and from which `TreeModel.load` reads the
        model. Without one, nothing is kept.
    objective : str or type of Objective, optional
        ``classification`` or ``regression``, by default as the labels and the model are; or a class of one's own.
    command : str
        To be kept with the run.
    progress : Progress, optional
        Is told how it goes: `Bar` shows a progress bar.
    profile : Profile, optional
        Measures where the time goes.
    **settings
        Entries of `Settings`: ``epochs``, ``batch_size``, ``lr``, ``schedule``, ``seed``, ``device``, ``driver``, ...
        What is not given of learning rate and weight decay comes from the cell's row of `dgl_mathtree.nn.MODELS`.

    Returns
    -------
    dict
        The metrics, as in `metrics.json`: for each part ``overall`` and, where the data has groups, ``by_group``; and
        under ``history`` a line for each epoch.

    Raises
    ------
    InputError
        For settings, data or a run folder that cannot be: what, and what would be right.

    Examples
    --------
    >>> from dgl_mathtree.data import TreeDataset
    >>> from dgl_mathtree.nn import TreeClassifier, make_cell
    >>> trees = [(k % 2, k % 3, k % 5) for k in range(200)]  # two types of nodes
    >>> data = TreeDataset(trees, labels=[k % 2 for k in range(200)])
    >>> _ = torch.manual_seed(0)
    >>> model = TreeClassifier(make_cell("tree-lstm", 8, types=2), classes=2, symbols=5)
    >>> metrics = fit(model, data, epochs=5)
    >>> metrics["validation"]["overall"]["accuracy"]
    1.0
    """
    given = _given(settings)
    parts = _parts(model, data, given.seed)
    kind = _objective(objective, model, parts[TRAIN])
    config = _filled(given, model, kind)
    progress, profile = progress or Progress(), profile or Profile()
    with own_settings(), joined(config.device) as processes, _folder(out) as folder, RunLock(folder) as lock:
        model.driver = config.driver
        about = _About(model, config, parts, command)
        start_folder(lock, processes, about.check_same, about.to_json)
        model.driver = chosen_again(config, read_json(folder / CONFIG, RunError)["driver"])
        model.to(processes.device)
        torch.manual_seed(config.seed)
        if (folder / METRICS).is_file():
            metrics = read_metrics(folder, kind.metric)
            read_weights(folder / WEIGHTS, model, model.metadata())
            progress.finished_before(folder)
        else:
            task = TreeTask(model, parts, config, kind)
            task.check_labels()
            loop = Loop(task, folder, processes, progress, profile, keeps=out is not None)
            metrics = tree_metrics(task, loop.train(), folder) | loop.finished
            if processes.first:
                write_atomically(folder / METRICS, json.dumps(metrics, indent=1) + "\n")
            processes.wait()
            progress.done(metrics, folder if out else Path(type(model).__name__))
        model.eval()
        return metrics | {"history": read_json_lines(folder / HISTORY, RunError)}


def _parts(model: TreeModel, data: TreeDataset | Mapping[str, TreeDataset], seed: int) -> dict[str, TreeDataset]:
    """The parts of the data, with validation."""
    if not isinstance(model, TreeModel):
        raise ConfigError(f"fit trains a TreeModel such as TreeClassifier, not {type(model).__name__}")
    if not isinstance(data, (TreeDataset, Mapping)):
        raise DataError(f"data must be a TreeDataset, or a mapping of parts to such, not {type(data).__name__}")
    parts: dict[str, TreeDataset] = {TRAIN: data} if isinstance(data, TreeDataset) else dict(data)
    if TRAIN not in parts or any(name not in PARTS for name in parts):
        raise DataError(f"the parts are {', '.join(parts)}; expected {TRAIN} and any others of {', '.join(PARTS)}")
    for name, part in parts.items():
        if not isinstance(part, TreeDataset):
            raise DataError(f"the part {name} must be a TreeDataset, not {type(part).__name__}")
        if not len(part):
            raise DataError(f"the part {name} has no items")
        if part.per_item != model.TREES:
            wanted = {1: "single trees", 2: "pairs of trees"}
            raise DataError(
                f"{type(model).__name__} takes {wanted[model.TREES]}, the part {name} has {wanted[part.per_item]}"
            )
    if VALIDATION not in parts:
        count = len(parts[TRAIN])
        if count < 2:
            raise DataError("a tenth of the training items is held out for validation: there must be two at least")
        order = np.random.default_rng([seed, 0]).permutation(count)
        held = max(round(HELD_OUT * count), 1)
        whole = parts[TRAIN]
        parts = {**parts, TRAIN: whole.subset(np.sort(order[held:])), VALIDATION: whole.subset(np.sort(order[:held]))}
    return {name: parts[name] for name in PARTS if name in parts}


def _objective(objective: str | type[Objective] | None, model: TreeModel, train: TreeDataset) -> type[Objective]:
    if isinstance(objective, type) and issubclass(objective, Objective):
        return objective
    if objective is None:
        numbers = isinstance(model, TreeRegressor) or train.labels.is_floating_point()
        return Regression if numbers else Classification
    if objective not in TREE_OBJECTIVES:
        raise ConfigError(f"objective must be one of {', '.join(TREE_OBJECTIVES)} or a class, not {objective!r}")
    return TREE_OBJECTIVES[str(objective)]


def _given(settings: Mapping[str, Any]) -> FitSettings:
    """The settings as they were given, checked."""
    names = [each.name for each in dataclasses.fields(Settings)]
    if unknown := [name for name in settings if name not in names]:
        raise ConfigError(f"fit has no setting {unknown[0]!r}; it has {', '.join(names)}")
    return FitSettings(**settings)


def _filled(given: FitSettings, model: TreeModel, kind: type[Objective]) -> FitSettings:
    """The settings with what the model and the objective add to them."""
    row = MODELS.get((model.cell.made_by or {}).get("name", ""))
    missing = [name for name in DEFAULTS if getattr(given, name) is None]
    changes: dict[str, Any] = {name: DEFAULTS[name] if row is None else getattr(row, name) for name in missing}
    try:
        options = kind.check("", given.objective_options)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    return dataclasses.replace(given, **changes, objective=kind.name, objective_options=options)


@contextmanager
def _folder(out: str | Path | None) -> Iterator[Path]:
    """The run folder, or one that is gone afterwards."""
    if out is not None:
        yield Path(out)
        return
    with TemporaryDirectory(prefix="mathtree-") as place:
        yield Path(place) / "run"


class _About:
    """What `config.json` says of a run."""

    def __init__(self, model: TreeModel, config: FitSettings, parts: Mapping[str, TreeDataset], command: str) -> None:
        self.model, self.config, self.parts, self.command = model, config, parts, command

    @property
    def entries(self) -> dict[str, Any]:
        return {
            "config": self.config.to_json(),
            "model": self.model.description(),
            "checksum": self.parts[TRAIN].checksum,
            "version": {"dgl-mathtree": __version__, "torch": torch.__version__},
            "command": self.command,
            "driver": self.model.chosen_driver(self.config.device),
        }

    def to_json(self) -> str:
        return json.dumps(self.entries, indent=1) + "\n"

    def check_same(self, folder: Path) -> None:
        """Raise a RunError for the folder of another run."""
        found = read_json(folder / CONFIG, RunError)
        check(found, FIT_SHAPE, f"cannot read {folder / CONFIG}: it", RunError)
        mine, theirs = self.config.to_json(), found["config"]
        if unknown := sorted(mine.keys() ^ theirs.keys()):
            raise RunError(f"{folder} is not a run of fit: its configuration differs in the entry {unknown[0]!r:.40}")
        if differences := self.config.differences(FitSettings(**dict(theirs, device="cpu", driver="auto"))):
            raise RunError(f"{folder} is a run with another configuration: {'; '.join(differences)}")
        if found["model"] != json.loads(json.dumps(self.model.description())):
            raise RunError(f"{folder} is a run of another model: {found['model']!s:.300} there")
        if found["checksum"] != self.parts[TRAIN].checksum:
            raise RunError(f"{folder} was started with other data: the checksum of its training items is another")
