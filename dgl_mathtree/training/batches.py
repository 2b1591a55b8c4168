"""What every step of training gets: items in an order drawn anew each epoch, cut into batches and shares.

All chance comes from the seed, the epoch and the number of the batch.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.data.tree_dataset import TreeDataset
from dgl_mathtree.graphs import EquationBatch, TreeBatch
from dgl_mathtree.graphs.node_batch import NodeBatch
from dgl_mathtree.graphs.transfer import on_device
from dgl_mathtree.language import Forest
from dgl_mathtree.language.vocabulary import COMMUTATIVE
from dgl_mathtree.nn import EquationVerifier, TreeModel
from dgl_mathtree.training.config import Settings
from dgl_mathtree.training.distributed import Processes

Ints = NDArray[Any]


class Items(ABC):
    """The training items of an epoch: equations, or trees, and their labels.

    Attributes
    ----------
    labels : torch.Tensor
        (items, ...)
    """

    labels: torch.Tensor

    @abstractmethod
    def batch(self, items: Ints) -> NodeBatch:
        """A batch of some items, given by index, as the network takes it."""

    @abstractmethod
    def nodes(self, items: Ints) -> Ints:
        """What `NodeBatch.node` of such a batch would be, in ascending order."""


class EquationItems(Items):
    """The equations of a data set, with operands swapped where the configuration asks for it.

    Parameters
    ----------
    data : EquationDataset
        The training equations.
    network : EquationVerifier
        For which batches are made.
    augment : str
        See `Config.augment`.
    rng : numpy.random.Generator
        What chance there is.
    """

    def __init__(
        self, data: EquationDataset, network: EquationVerifier, augment: str, rng: np.random.Generator
    ) -> None:
        self.network, self.labels = network, data.label.float()
        self.forest = commuted(data.forest, rng) if augment == "commute" else data.forest

    def batch(self, items: Ints) -> EquationBatch:
        return self.network.batch(self.forest, items)

    def nodes(self, items: Ints) -> Ints:
        return self.forest.take_with_nodes(items)[1]


class TreeItems(Items):
    """The trees of a data set, with identical subtrees as one node."""

    def __init__(self, data: TreeDataset) -> None:
        self.data, self.labels = data, data.labels

    def batch(self, items: Ints) -> TreeBatch:
        return self.data.batch(items)

    def nodes(self, items: Ints) -> Ints:
        return self.data.batch(items).node


@dataclass(frozen=True)
class Share:
    """What one process computes of a batch.

    Attributes
    ----------
    items : numpy.ndarray
        Those of the whole batch, as places in the training data.
    mine : numpy.ndarray
        Those of this process; there may be none.
    batch : NodeBatch
        This process's items. One without a share has the first of the whole batch, with the weight 0: the other
        processes wait for its gradient.
    labels, weights : torch.Tensor
        (items of `batch`,) as `Objective.loss` expects them.
    dropout_mask : torch.Tensor or None
        (nodes of `batch`, dropout_size).
    generator : torch.Generator
        For further draws.
    """

    items: Ints
    mine: Ints
    batch: NodeBatch
    labels: torch.Tensor
    weights: torch.Tensor
    dropout_mask: torch.Tensor | None
    generator: torch.Generator


class Epoch:
    """The batches of one epoch.

    Parameters
    ----------
    number : int
        Of the epoch, counted from 1.
    config : Settings
        Those of the run.
    draw : callable
        ``draw(rng)`` gives the `Items` of the epoch; what is drawn comes from the generator of random numbers.
    network : EquationVerifier or TreeModel
        For which dropout is drawn.
    processes : Processes
        Among which batches are divided.
    """

    def __init__(
        self,
        number: int,
        config: Settings,
        draw: Callable[[np.random.Generator], Items],
        network: EquationVerifier | TreeModel,
        processes: Processes,
    ) -> None:
        self.number, self.config, self.network, self.processes = number, config, network, processes
        rng = np.random.default_rng([config.seed, number])
        self.items = draw(rng)
        self._order = shuffled(len(self.items.labels), config.group_neighbours, rng)

    @property
    def labels(self) -> torch.Tensor:
        """(items, ...) those of all items."""
        return self.items.labels

    def __len__(self) -> int:
        """How many batches there are."""
        return math.ceil(len(self._order) / self.config.batch_size)

    def batches(self) -> Iterator[Ints]:
        """The items of each batch."""
        for at in range(0, len(self._order), self.config.batch_size):
            yield self._order[at : at + self.config.batch_size]

    def shares(self) -> Generator[Share, None, None]:
        """This process's share of every batch, each prepared by a thread while the one before it is computed."""
        with ThreadPoolExecutor(1, "batches") as pool:
            waiting: Future[Share] | None = None
            for number, items in enumerate(self.batches()):
                ahead = pool.submit(self.share, number, items)
                if waiting is not None:
                    yield waiting.result()
                waiting = ahead
            if waiting is not None:
                yield waiting.result()

    def share(self, number: int, items: Ints) -> Share:
        """This process's share of a batch, given by its number from 0 and its items."""
        device, count = self.processes.device, self.processes.count
        mine = self.processes.share(items)
        taken = mine if len(mine) else items[:1]
        batch = self.items.batch(taken).to(device)
        weight = count / len(items) if len(mine) else 0.0
        generator = torch.Generator(device)  # its own, as the one before may still draw
        return Share(
            items=items,
            mine=mine,
            batch=batch,
            labels=on_device(self.labels[taken], device),
            weights=torch.full((len(taken),), weight, device=device),
            dropout_mask=self._dropout_mask(items, batch.node, number, generator),
            generator=generator,
        )

    def _dropout_mask(self, items: Ints, nodes: Ints, number: int, generator: torch.Generator) -> torch.Tensor | None:
        """The mask at this process's nodes, drawn for those of the whole batch by all processes."""
        seed = ((self.config.seed * 1_000_003 + self.number) * 1_000_003 + number) % 2**63
        generator.manual_seed(seed)
        if self.processes.count == 1:
            return self.network.draw_dropout(len(nodes), generator)
        everyone = self.items.nodes(items)
        mask = self.network.draw_dropout(len(everyone), generator)
        own = torch.from_numpy(np.searchsorted(everyone, nodes))
        return None if mask is None else mask.index_select(0, on_device(own, mask.device))


def shuffled(count: int, neighbours: int, rng: np.random.Generator) -> Ints:
    """The numbers from 0 up to a count in random order, with groups of this many neighbours side by side.

    Data that was made has an equation beside its near misses. In one batch they have most nodes in common, which are
    computed once, and are contrasted with each other.

    Examples
    --------
    >>> shuffled(7, 3, np.random.default_rng(0))
    array([0, 4, 5, 6, 1, 2, 3])
    """
    if neighbours == 1:
        return rng.permutation(count)
    # The cuts are elsewhere in every epoch, so that no two neighbours are always apart.
    run = (np.arange(count) + rng.integers(neighbours)) // neighbours
    return np.argsort(rng.permutation(count)[run], kind="stable")


def commuted(forest: Forest, rng: np.random.Generator) -> Forest:
    """The forest with the operands of every commutative operator swapped or not, as drawn; nodes keep their ids."""
    commutative = np.array([word in COMMUTATIVE for word in forest.words])[forest.word]
    swapped = commutative & (rng.random(len(forest)) < 0.5)
    return dataclasses.replace(forest, children=np.where(swapped[:, None], forest.children[:, ::-1], forest.children))
