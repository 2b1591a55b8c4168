"""What an objective is, and the table of them by name."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from numpy.typing import NDArray
from torch import nn

from dgl_mathtree.inference.metrics import Floats, majority_share, right_answers

if TYPE_CHECKING:
    from dgl_mathtree.training.config import Settings


class Objective(ABC):
    """What training minimises.

    It is made once for a run, so that what it needs of all training items is computed once.

    Parameters
    ----------
    config : Config, or other Settings
        That of the run; `objective_options` holds a value for every option.
    data : EquationDataset, or TreeDataset
        The training items. The nodes of a batch of equations are found in its forest by `EquationBatch.node`, also
        where operands were swapped by augmentation.
    """

    name: ClassVar[str]
    defaults: ClassVar[Mapping[str, bool | int | float | str]] = {}
    """The options there are, with the values they have unless others are given."""
    metric: ClassVar[str] = "accuracy"
    """What `measures` are called in the history of a run."""

    def __init__(self, config: Settings, data: Any) -> None:
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
        network: Any,
        batch: Any,
        labels: torch.Tensor,
        weights: torch.Tensor,
        dropout_mask: torch.Tensor | None,
        generator: torch.Generator,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The loss of a batch, and its logits.

        Parameters
        ----------
        network : EquationVerifier or TreeModel
            The network in training.
        batch : EquationBatch or TreeBatch
            The share of this process in a batch of training items.
        labels : torch.Tensor
            (items, ...) of equations 1.0 for correct, 0.0 for incorrect.
        weights : torch.Tensor
            (items,) what each item counts: with one process the weights add up to 1, with k of them to k in
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
            (items, ...) of equations above 0 where one is judged correct.
        """

    def measures(self, logits: Floats, labels: NDArray[Any]) -> NDArray[Any]:
        """(items,) how good each logit is, the larger the better; the mean decides which weights are the best.

        By default, whether an equation is judged as its label says.
        """
        return right_answers(logits, labels)

    def floor(self, labels: NDArray[Any]) -> float:
        """The mean of `measures` without a look at the items: by default that of one verdict for all."""
        return majority_share(labels)

    def finish(self, network: Any, data: Any) -> dict[str, Any]:
        """Change the best weights at the end, such as to calibrate them; by default nothing.

        It is called once, without dropout, before the final metrics. It must not depend on the present values of what
        it sets: it is called again on its own result if the run is killed right after it.

        Parameters
        ----------
        network : EquationVerifier or TreeModel
            The network with the weights that were best on validation.
        data : EquationDataset or TreeDataset
            The validation items.

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
    network : EquationVerifier or TreeModel
        What is trained.
    objective : Objective
        What is minimised.
    """

    def __init__(self, network: nn.Module, objective: Objective) -> None:
        super().__init__()
        self.network, self.objective = network, objective

    def forward(
        self,
        batch: Any,
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
