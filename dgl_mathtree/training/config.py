"""What a training run is asked to do: a dataclass that checks itself.

A field is an option of `mathtree train`, an entry of `config.json` and a row of the table in docs/training.md; the
string below it documents all of them. The command line reads its defaults here, so torch and all that needs it are
imported where they are used.
"""

from __future__ import annotations

import dataclasses
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

from dgl_mathtree.errors import InputError
from dgl_mathtree.errors import RunError as RunError
from dgl_mathtree.files import read_json
from dgl_mathtree.schema import check_fields, setting

RENAMED = {"together": "group_neighbours", "stop": "early_stopping", "root": "head", "propagate": "driver"}
"""What entries were called in version 0.1.0, whose runs and options are still read."""
HOW = ("device", "driver")
"""Entries that say how to run and not what: a run may be continued with others."""
PAPER = {"lr": 0.1, "weight_decay": 2e-5, "decay": "l2", "augment": "none", "clip": 0.0, "batch_size": 50}
"""The values that the paper prints, and what it does not do."""


class ConfigError(InputError):
    """A configuration that cannot be: which value, and what would be right."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a model is trained: what `mathtree train` and `dgl_mathtree.training.fit` have in common.

    What is None is taken from the model's row of `dgl_mathtree.nn.MODELS`.
    """

    seed: int = setting(0, least=0)
    """Seed of the weights, the order of the equations and dropout."""
    epochs: int = setting(500, least=1)
    """Maximum number of epochs."""
    batch_size: int = setting(50, least=1)
    """Equations per step, over all processes."""
    group_neighbours: int = setting(1, least=1)
    """Number of neighbouring equations of the data that stay together in a batch: an equation and its near misses share
    most of their nodes."""
    lr: float | None = setting(None, above=0)
    """Largest learning rate."""
    schedule: str = setting("halving", choices="training.schedules:SCHEDULES")
    """Schedule of the learning rate: `halving`, or `one-cycle`, which trains all epochs."""
    weight_decay: float | None = setting(None, least=0)
    """Weight decay."""
    decay: str | None = setting(None, choices=("decoupled", "l2"))
    """How weights decay: `decoupled` from the gradient (AdamW), or `l2`, added to it (Adam)."""
    clip: float = setting(1.0, least=0)
    """Largest norm of the gradient, 0 for no limit."""
    patience: int = setting(1, least=1)
    """With `halving`, halve the learning rate after this many epochs without improvement on validation."""
    early_stopping: int = setting(6, least=1)
    """With `halving`, end training after this many epochs without improvement on validation."""
    objective_options: dict[str, Any] = field(default_factory=dict)
    """An option of the objective."""
    device: str = "cpu"
    """Where to train: `cpu`, `cuda` or `mps`."""
    driver: str = "auto"
    """The driver that runs a recursive cell: `auto`, `native`, `levels` or `dgl`."""

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    def differences(self, other: Settings) -> list[str]:
        """How other settings ask for something else, one text for each entry; how it is run does not count."""
        mine, theirs = self.to_json(), other.to_json()
        names = [name for name in mine if name not in HOW and mine[name] != theirs[name]]
        return [f"{name} {mine[name]!r} here, {theirs[name]!r} there" for name in names]


@dataclass(frozen=True)
class EquationSettings:
    """What is trained on which equations."""

    data: str
    """A data folder, or the name of a recipe."""
    model: str = "m-tree-lstm+stack"
    """The model: one of those that `mathtree models` lists."""
    _: KW_ONLY
    hidden: int = setting(50, least=1, most=5000)
    """Size of the vectors."""
    dropout: float = setting(0.1, least=0, below=1)
    """Probability that a new value is dropped in training."""
    scale: float | None = setting(None, least=0)
    """Standard deviation of fresh embeddings."""
    augment: str = setting("commute", choices=("none", "commute"))
    """`commute` draws, each epoch, which sums and products are read with their operands swapped; `none` does not."""
    options: dict[str, Any] = field(default_factory=dict)
    """An option of the model, as in docs/models.md."""
    head: str = setting("dot", choices="nn.heads:HEADS")
    """How the two sides are compared: `dot`, `cosine`, or `output`, a dot product after a learned matrix."""
    leaves: str = setting("table", choices="nn.leaves:LEAVES")
    """Which leaves a recursive model reads: `table`, those of the data; or `open`, any, with vectors of numbers made
    from their values."""
    objective: str = "verification"
    """What is minimised: `verification` or `semantic`."""
    start_from: str = ""
    """Start from the weights of a run of the same model, or of the word shipped."""


@dataclass(frozen=True)
class Config(Settings, EquationSettings):
    """A training run on equations. What is None is taken from the model's row of `dgl_mathtree.nn.MODELS`.

    Examples
    --------
    >>> config = Config(data="paper", model="tree-lstm", head="cosine")
    >>> config.lr, config.batch_size, config.head
    (0.01, 50, 'cosine')
    >>> Config(data="paper", hidden=0)
    Traceback (most recent call last):
    ...
    dgl_mathtree.training.config.ConfigError: hidden must be at least 1 and at most 5000, not 0
    """

    def __post_init__(self) -> None:
        check_fields(self, ConfigError)
        try:
            self._fill_in()
        except ValueError as error:
            raise ConfigError(str(error)) from None
        check_device(self.device)

    def _fill_in(self) -> None:
        """Check the names and options, and take what is not given from the model and the objective."""
        from dgl_mathtree.nn import drivers
        from dgl_mathtree.nn.models import MODELS, check_options
        from dgl_mathtree.training.objectives import find_objective

        check_options(self.model, self.options)
        model = MODELS[self.model]
        # A frozen dataclass fills in its defaults this way.
        for name in ("lr", "scale", "weight_decay", "decay"):
            value = getattr(self, name)
            if value is None:
                value = getattr(model, name)
            object.__setattr__(self, name, value if name == "decay" else float(value))
        object.__setattr__(self, "options", model.defaults | self.options)
        filled = find_objective(self.objective).check(self.model, self.objective_options)
        object.__setattr__(self, "objective_options", filled)
        if self.head != "dot" and model.is_baseline:
            raise ConfigError(f"head must be dot for {self.model}, which is not a network")
        if self.leaves != "table" and not model.is_cell:
            raise ConfigError(f"leaves must be table for {self.model}, which is not a recursive network")
        if self.driver not in drivers.names():
            raise ConfigError(f"driver must be one of {', '.join(drivers.names())}, not {self.driver!r}")
        if self.driver != drivers.AUTO and not model.is_cell:
            raise ConfigError(f"driver must be {drivers.AUTO} for {self.model}, which is not a recursive network")

    @classmethod
    def of(cls, given: dict[str, Any], source: str = "the configuration") -> Config:
        """A configuration from names and values, those of version 0.1.0 included."""
        options = given.get("options")
        if isinstance(options, dict) and "propagate" in options:  # as in the oldest runs
            rest = {name: value for name, value in options.items() if name != "propagate"}
            given = {"driver": options["propagate"]} | given | {"options": rest}
        given = with_new_names(given)
        names = [each.name for each in dataclasses.fields(cls)]
        if unknown := [name for name in given if name not in names]:
            raise ConfigError(f"{source} has an unknown entry {unknown[0]!r}; expected one of {', '.join(names)}")
        if "data" not in given:
            raise ConfigError(f"{source} names no data")
        return cls(**given)


def with_new_names(entries: dict[str, Any]) -> dict[str, Any]:
    """The entries of a configuration under today's names, of which the new one counts where both are given.

    Examples
    --------
    >>> with_new_names({"stop": 3, "root": "dot", "head": "cosine"})
    {'early_stopping': 3, 'head': 'cosine'}
    """
    kept = {name: value for name, value in entries.items() if RENAMED.get(name) not in entries}
    return {RENAMED.get(name, name): value for name, value in kept.items()}


def read_config(file: str | Path) -> dict[str, Any]:
    """The entries of a configuration in JSON: a file of one's own, or the `config.json` of a run."""
    entries = read_json(file, ConfigError, stream=True)
    if not isinstance(entries, dict):
        raise ConfigError(f"{file}: expected an object of names and values")
    config = entries.get("config", entries)
    if not isinstance(config, dict):
        raise ConfigError(f"{file}: 'config' must be an object of names and values")
    return with_new_names(config)


def check_device(device: str) -> None:
    """Raise a ConfigError for a device that is not here."""
    import torch

    try:
        kind = torch.device(device).type
    except RuntimeError:
        kind = ""
    if kind not in ("cpu", "cuda", "mps"):
        raise ConfigError(f"unknown device {device!r}; expected cpu, cuda, cuda:0 or mps")
    here = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not here[kind]:
        raise ConfigError(f"device {device!r} was asked for, but torch sees no {kind.upper()} device here")
