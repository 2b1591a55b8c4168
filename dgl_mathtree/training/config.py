"""What a training run is asked to do: a dataclass that checks itself.

The command line reads its defaults here, so torch and all that needs it are imported where they are used.
"""

from __future__ import annotations

import dataclasses
import math
import reprlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dgl_mathtree.errors import InputError
from dgl_mathtree.files import read_json

AUGMENTATIONS = ("none", "commute")
DECAYS = ("decoupled", "l2")
MOST_HIDDEN = 5000
WANTED = {"str": "a text", "int": "a whole number below 2^63", "float": "a number", "dict[str, Any]": "an object"}
HOW = ("device", "propagate")
"""Entries that say how to run and not what: a run may go on with others."""
PAPER = {"lr": 0.1, "weight_decay": 2e-5, "decay": "l2", "augment": "none"}
"""The values that the paper prints, and what it does not do."""


class ConfigError(InputError):
    """A configuration that cannot be: which value, and what would be right."""


@dataclass(frozen=True)
class Config:
    """A training run.

    Attributes
    ----------
    data : str
        A data folder, or the name of a recipe.
    model : str
        A name of `dgl_mathtree.nn.MODELS`.
    seed : int
        Of weights, order of the equations and dropout.
    epochs : int
        Maximum number of epochs.
    hidden : int
        Size of the vectors.
    batch_size : int
        Equations a step, over all processes.
    together : int
        So many equations that stand side by side in the data come into a batch together.
    lr : float
        Largest learning rate; by default the model's.
    schedule : str
        ``halving`` or ``one-cycle``, a name of `dgl_mathtree.training.schedules.SCHEDULES`.
    dropout : float
        Chance that a new value is dropped in training.
    weight_decay : float
        By default the model's.
    decay : str
        ``decoupled`` from the gradient (AdamW), or ``l2``, added to it (Adam); by default the model's.
    clip : float
        Largest norm of a gradient, 0 for any.
    patience : int
        With ``halving``, the learning rate is halved after this many epochs without improvement on validation.
    stop : int
        With ``halving``, training ends after this many epochs without improvement on validation.
    scale : float
        Standard deviation of the embeddings at first; by default the model's.
    augment : str
        ``commute`` draws, each epoch, which sums and products are read with their operands swapped; ``none`` does not.
    options : dict
        Of the model; those not given are the model's.
    root : str
        How the two sides are compared, a name of `dgl_mathtree.nn.roots.ROOTS`.
    leaves : str
        Which leaves a recursive model reads, a name of `dgl_mathtree.nn.leaves.LEAVES`.
    objective : str
        What is minimised, a name of `dgl_mathtree.training.objectives.OBJECTIVES`.
    objective_options : dict
        Of the objective; those not given are its own.
    start_from : str
        A run whose weights training starts from; by default they are drawn.
    device : str
        Where to train.
    propagate : str
        The driver that runs a recursive cell, ``auto`` or a name of `dgl_mathtree.nn.drivers.DRIVERS`.
    """

    data: str
    model: str = "m-tree-lstm+stack"
    seed: int = 0
    epochs: int = 500
    hidden: int = 50
    batch_size: int = 50
    together: int = 1
    lr: float | None = None
    schedule: str = "halving"
    dropout: float = 0.1
    weight_decay: float | None = None
    decay: str | None = None
    clip: float = 1.0
    patience: int = 1
    stop: int = 6
    scale: float | None = None
    augment: str = "commute"
    options: dict[str, Any] = field(default_factory=dict)
    root: str = "dot"
    leaves: str = "table"
    objective: str = "verification"
    objective_options: dict[str, Any] = field(default_factory=dict)
    start_from: str = ""
    device: str = "cpu"
    propagate: str = "auto"

    def __post_init__(self) -> None:
        self._check_values()
        try:
            self._fill_in()
        except ValueError as error:
            raise ConfigError(str(error)) from None
        check_device(self.device)

    def _check_values(self) -> None:
        """What can be said of each value alone."""
        for each in dataclasses.fields(self):
            _check_type(each.name, getattr(self, each.name), str(each.type))
        for name in ("epochs", "hidden", "batch_size", "together", "patience", "stop", "seed"):
            least = 0 if name == "seed" else 1
            if getattr(self, name) < least:
                raise ConfigError(f"{name} must be at least {least}, not {getattr(self, name)}")
        if self.hidden > MOST_HIDDEN:
            raise ConfigError(f"hidden must be at most {MOST_HIDDEN}, not {self.hidden}")
        if self.lr is not None and self.lr <= 0:
            raise ConfigError(f"lr must be above 0, not {self.lr}")
        for name in ("weight_decay", "clip", "scale"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise ConfigError(f"{name} must not be negative, not {value}")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"dropout must be at least 0 and below 1, not {self.dropout}")
        for name, allowed in (("augment", AUGMENTATIONS), ("decay", (*DECAYS, None))):
            if getattr(self, name) not in allowed:
                listed = ", ".join(filter(None, allowed))
                raise ConfigError(f"{name} must be one of {listed}, not {getattr(self, name)!r}")

    def _fill_in(self) -> None:
        """Check the names and options, and take what is not given from the model and the objective."""
        from dgl_mathtree.nn import drivers
        from dgl_mathtree.nn.leaves import LEAVES
        from dgl_mathtree.nn.models import MODELS, check_options
        from dgl_mathtree.nn.roots import ROOTS
        from dgl_mathtree.training.objectives import find_objective
        from dgl_mathtree.training.schedules import SCHEDULES

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
        if self.schedule not in SCHEDULES:
            raise ConfigError(f"schedule must be one of {', '.join(SCHEDULES)}, not {self.schedule!r}")
        for name, allowed in (("root", ROOTS), ("leaves", LEAVES)):
            if getattr(self, name) not in allowed:
                raise ConfigError(f"{name} must be one of {', '.join(allowed)}, not {getattr(self, name)!r}")
        if self.root != "dot" and model.is_floor:
            raise ConfigError(f"root must be dot for {self.model}, which is not a network")
        if self.leaves != "table" and not model.is_cell:
            raise ConfigError(f"leaves must be table for {self.model}, which is not a recursive network")
        if self.propagate not in drivers.names():
            raise ConfigError(f"propagate must be one of {', '.join(drivers.names())}, not {self.propagate!r}")
        if self.propagate != drivers.AUTO and not model.is_cell:
            raise ConfigError(f"propagate must be {drivers.AUTO} for {self.model}, which is not a recursive network")

    @classmethod
    def of(cls, given: dict[str, Any], source: str = "the configuration") -> Config:
        """A configuration from names and values; a driver among the model's options, as in older runs, is taken out."""
        options = given.get("options")
        if isinstance(options, dict) and "propagate" in options:
            rest = {name: value for name, value in options.items() if name != "propagate"}
            given = {"propagate": options["propagate"]} | given | {"options": rest}
        names = [each.name for each in dataclasses.fields(cls)]
        if unknown := [name for name in given if name not in names]:
            raise ConfigError(f"{source} has an unknown entry {unknown[0]!r}; there are {', '.join(names)}")
        if "data" not in given:
            raise ConfigError(f"{source} names no data")
        return cls(**given)

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    def differences(self, other: Config) -> list[str]:
        """How another configuration asks for something else, one text for each entry; how it is run does not count."""
        mine, theirs = self.to_json(), other.to_json()
        names = [name for name in mine if name not in HOW and mine[name] != theirs[name]]
        return [f"{name} {mine[name]!r} here, {theirs[name]!r} there" for name in names]


def read_config(file: str | Path) -> dict[str, Any]:
    """The entries of a configuration in JSON: a file of one's own, or the `config.json` of a run."""
    entries = read_json(file, ConfigError, stream=True)
    if not isinstance(entries, dict):
        raise ConfigError(f"{file}: expected an object of names and values")
    config = entries.get("config", entries)
    if not isinstance(config, dict):
        raise ConfigError(f"{file}: 'config' must be an object of names and values")
    return dict(config)


def _check_type(name: str, value: Any, expected: str) -> None:
    kinds = expected.split(" | ")
    whole = isinstance(value, int) and not isinstance(value, bool)
    number = (whole and abs(value) < 2**63) or (isinstance(value, float) and math.isfinite(value))
    fits = {
        "str": isinstance(value, str),
        "int": whole and number,
        "float": number,
        "None": value is None,
        "dict[str, Any]": isinstance(value, dict),
    }
    if not any(fits[kind] for kind in kinds):
        raise ConfigError(f"{name} must be {WANTED[kinds[0]]}, not {reprlib.repr(value)}")


def check_device(device: str) -> None:
    """Raise a ConfigError for a device that is not here."""
    import torch

    try:
        kind = torch.device(device).type
    except RuntimeError:
        kind = ""
    if kind not in ("cpu", "cuda", "mps"):
        raise ConfigError(f"there is no device {device!r}; say cpu, cuda, cuda:0 or mps")
    here = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not here[kind]:
        raise ConfigError(f"device {device!r} was asked for, but torch sees no {kind.upper()} device here")
