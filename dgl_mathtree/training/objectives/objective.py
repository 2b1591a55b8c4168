"""What an objective is, and the table of them by name."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch import nn

from dgl_mathtree.graphs import EquationBatch
from dgl_mathtree.nn import EquationVerifier

if TYPE_CHECKING:
    from dgl_mathtree.data.dataset import EquationDataset
    from dgl_mathtree.training.config import Config


class Objective(ABC):
    """What training minimises.

    It is made once for a run, so that what it needs of all training equations is computed once.

    Parameters
    ----------
    config : Config
        That of the run; `objective_options` holds a value for every option.
    data : EquationDataset
        The training equations. The nodes of a batch are found in its forest by `EquationBatch.node`, also where
        operands were swapped by augmentation.
    """

    name: ClassVar[str]
    defaults: ClassVar[Mapping[str, bool | int | float | str]] = {}
    """The options there are, with the values they have unless others are given."""

    def __init__(self, config: Config, data: EquationDataset) -> None:
        self.options, self.data = config.objective_options, data

    @classmethod
    def check(cls, model: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """All options of the objective; a ValueError for one that cannot be, or for a model that it cannot train.

        Parameters
        ----------
        model : str
            A name of `dgl_mathtree.nn.MODELS`.
        options : mapping
            Those that were given.
        """
        for option, value in options.items():
            if option not in cls.defaults:
                there = ", ".join(cls.defaults) or "none"
                raise ValueError(f"the objective {cls.name} has no option {option!r}; it has {there}")
            _check_type(option, value, cls.defaults[option])
        return {**cls.defaults, **options}

    @abstractmethod
    def loss(
        self,
        network: EquationVerifier,
        batch: EquationBatch,
        labels: torch.Tensor,
        weights: torch.Tensor,
        dropout_mask: torch.Tensor | None,
        generator: torch.Generator,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The loss of a batch, and its logits.

        Parameters
        ----------
        network : EquationVerifier
            The network in training.
        batch : EquationBatch
            The share of this process in a batch of training equations.
        labels : torch.Tensor
            (equations,) 1.0 for correct, 0.0 for incorrect.
        weights : torch.Tensor
            (equations,) what each equation counts: with one process the weights add up to 1, with k of them to k in
            all. They are 0 in a process without a share, and then its whole loss must be 0.
        dropout_mask : torch.Tensor or None
            (nodes, dropout_size) what dropout multiplies with, by node of the batch.
        generator : torch.Generator
            For further draws; it depends on the seed, the epoch and the number of the batch alone.

        Returns
        -------
        loss : torch.Tensor
            A number; its gradient is averaged over the processes.
        logits : torch.Tensor
            (equations,) above 0 where an equation is judged correct.
        """

    def finish(self, network: EquationVerifier, data: EquationDataset) -> dict[str, Any]:
        """Change the best weights at the end, such as to calibrate them; by default nothing.

        It is called once, without dropout, before the final metrics. It must not depend on the present values of what
        it sets: it is called again on its own result if the run is killed right after it.

        Parameters
        ----------
        network : EquationVerifier
            The network with the weights that were best on validation.
        data : EquationDataset
            The validation equations.

        Returns
        -------
        dict
            What the run's metrics shall say of it, under names of their own.
        """
        return {}


class ObjectiveStep(nn.Module):
    """A network and its objective as one module, whose forward is `Objective.loss`.

    What averages gradients over processes has to see all that is computed from the weights in one forward.

    Parameters
    ----------
    network : EquationVerifier
        What is trained.
    objective : Objective
        What is minimised.
    """

    def __init__(self, network: EquationVerifier, objective: Objective) -> None:
        super().__init__()
        self.network, self.objective = network, objective

    def forward(
        self,
        batch: EquationBatch,
        labels: torch.Tensor,
        weights: torch.Tensor,
        dropout_mask: torch.Tensor | None,
        generator: torch.Generator,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """See `Objective.loss`."""
        return self.objective.loss(self.network, batch, labels, weights, dropout_mask, generator)


OBJECTIVES: dict[str, type[Objective]] = {}


def register(objective: type[Objective]) -> type[Objective]:
    """Add an objective to the registry; to be used as a decorator."""
    if objective.name in OBJECTIVES:
        raise ValueError(f"there is an objective {objective.name!r} already")
    OBJECTIVES[objective.name] = objective
    return objective


def find_objective(name: str) -> type[Objective]:
    """The objective of a name; a ValueError that lists those there are.

    Examples
    --------
    >>> find_objective("verification").defaults
    {}
    """
    if name not in OBJECTIVES:
        raise ValueError(f"unknown objective {name!r}; expected one of {', '.join(sorted(OBJECTIVES))}")
    return OBJECTIVES[name]


def _check_type(option: str, value: Any, default: bool | int | float | str) -> None:
    """Raise a ValueError for a value that is not of its default's kind."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if isinstance(default, bool):
        fits, wanted = isinstance(value, bool), "true or false"
    elif isinstance(default, int):
        fits, wanted = number and isinstance(value, int) and abs(value) < 2**63, "a whole number below 2^63"
    elif isinstance(default, float):
        fits, wanted = number and abs(value) < 1e300 and math.isfinite(value), "a number"
    else:
        fits, wanted = isinstance(value, str), "a text"
    if not fits:
        raise ValueError(f"option {option!r} must be {wanted}, not {value!r}")
