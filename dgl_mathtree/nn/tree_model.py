"""What models of any trees share: vectors for the leaves, a cell for the rest, and files."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import torch
from torch import nn

from dgl_mathtree import __version__
from dgl_mathtree.errors import RunError
from dgl_mathtree.files import new_folder, read_json, write_atomically
from dgl_mathtree.graphs import GraphError, TreeBatch, batch_trees
from dgl_mathtree.nn import drivers
from dgl_mathtree.nn.cell import TreeCell, check_whole
from dgl_mathtree.nn.models import make_cell
from dgl_mathtree.nn.shapes import shapes_alone
from dgl_mathtree.nn.tensor_files import read_weights, save_tensors
from dgl_mathtree.schema import check

CONFIG, WEIGHTS = "config.json", "model.safetensors"
MODEL_SHAPE = {"model": {"kind": str, "cell?": {"name": str, "size": int, "types": int}, "arguments": {"*?": object}}}
"""What `config.json` says of a model."""
Model = TypeVar("Model", bound="TreeModel")


class TreeModel(nn.Module, ABC):
    r"""Base of the models of trees; they differ in the layers on the vectors of the roots.

    Leaves have a learned vector for each symbol, drawn from :math:`\mathcal{N}(0, \mathrm{scale}^2)` at first, or a
    linear projection of their feature vectors.

    Parameters
    ----------
    cell : TreeCell
        Computes all other nodes: one of `dgl_mathtree.nn`, such as `make_cell` makes.
    symbols : int, optional
        How many symbols leaves may have.
    feat_size : int, optional
        The size of the feature vectors of leaves, in place of `symbols`.
    scale : float
        Standard deviation of the symbols' vectors at first.
    """

    TREES: ClassVar[int] = 1
    """How many trees make one item."""

    def __init__(
        self, cell: TreeCell, symbols: int | None = None, feat_size: int | None = None, scale: float = 0.1
    ) -> None:
        super().__init__()
        if (symbols is None) == (feat_size is None):
            raise ValueError("leaves have symbols or feature vectors: give one of symbols and feat_size")
        for name, value in (("symbols", symbols), ("feat_size", feat_size)):
            if value is not None:
                check_whole(name, value)
        if not isinstance(cell, TreeCell):
            raise TypeError(f"the cell must be a TreeCell, not {type(cell).__name__}")
        if not 0 <= scale < math.inf:
            raise ValueError(f"scale must be a finite number of at least 0, not {scale}")
        self.cell = cell
        self.arguments: dict[str, Any] = {"symbols": symbols, "feat_size": feat_size, "scale": scale}
        self.leaves: nn.Embedding | nn.Linear
        if symbols is not None:
            self.leaves = nn.Embedding(symbols, cell.size)
            nn.init.normal_(self.leaves.weight, std=scale)
        else:
            assert feat_size is not None
            self.leaves = nn.Linear(feat_size, cell.size)

    @property
    def driver(self) -> str:
        """The driver that runs the cell, which may be set."""
        return self.cell.driver

    @driver.setter
    def driver(self, name: str) -> None:
        self.cell.driver = name

    def chosen_driver(self, device: str | torch.device = "cpu") -> str:
        """The name of the driver that would run the cell on a device."""
        return drivers.choose(self.cell.driver, self.cell, self.leaves.weight.dtype, torch.device(device)).name

    @property
    def decaying(self) -> list[nn.Parameter]:
        """The weights that weight decay should act on: those that the cell names, or all."""
        named = [parameter for name in self.cell.decaying for parameter in self.cell.get_submodule(name).parameters()]
        return named or list(self.parameters())

    def draw_dropout(self, nodes: int, generator: torch.Generator | None = None) -> torch.Tensor | None:
        """What dropout multiplies with at this many nodes, (nodes, dropout_size), or None where it does not act."""
        return self.cell.draw_dropout(nodes, self.leaves.weight, generator)

    def vectors(self, trees: Any, dropout_mask: torch.Tensor | None = None) -> torch.Tensor:
        """The vectors of the roots of trees.

        Parameters
        ----------
        trees : TreeBatch or DGLGraph
            A graph has edges from child to parent, ``op`` and ``symbol`` or ``feat`` of nodes and ``pos`` of edges; it
            may be one of `dgl.batch`, and is left as it is.
        dropout_mask : torch.Tensor, optional
            From `draw_dropout` for the batch's nodes; by default it is drawn here.

        Returns
        -------
        torch.Tensor
            (trees, n)

        Raises
        ------
        GraphError
            Where a graph is not one of trees, or has types, symbols or features that the model does not have.
        """
        batch = (trees if isinstance(trees, TreeBatch) else batch_trees(trees)).to(self.leaves.weight.device)
        dropout_mask = self.draw_dropout(batch.num_nodes()) if dropout_mask is None else dropout_mask
        leaves = self.cell.leaf_states(self._leaf_vectors(batch))
        return drivers.run(self.cell, batch.plan, leaves, batch.root_rows, dropout_mask)[:, : self.cell.size]

    def _leaf_vectors(self, batch: TreeBatch) -> torch.Tensor:
        """(plan.leaves, n) of a batch."""
        if isinstance(self.leaves, nn.Linear):
            if batch.feat is None or batch.feat.shape[1] != self.leaves.in_features:
                found = "symbols" if batch.feat is None else f"vectors of {batch.feat.shape[1]} numbers"
                raise GraphError(f"leaves must be feature vectors of {self.leaves.in_features} numbers, not {found}")
            return self.leaves(batch.feat.to(self.leaves.weight.dtype))  # type: ignore[no-any-return]
        if batch.feat is not None:
            raise GraphError("leaves must be symbols, not feature vectors: the model was made without feat_size")
        most = int(batch.leaf_words_on_host.max(initial=0))
        if most >= self.leaves.num_embeddings:
            raise GraphError(
                f"symbol {most} is out of range: the model has symbols 0 to {self.leaves.num_embeddings - 1}"
            )
        return self.leaves(batch.leaf_words)  # type: ignore[no-any-return]

    @abstractmethod
    def forward(self, trees: Any, *, dropout_mask: torch.Tensor | None = None) -> torch.Tensor:
        """The outputs for a batch, (items, outputs)."""

    def description(self) -> dict[str, Any]:
        """What `config.json` says of the model: with it and the weights, `load` makes it again."""
        return {"kind": type(self).__name__, "cell": self.cell.made_by, "arguments": self.arguments}

    def save(self, folder: str | Path) -> None:
        """Write the model into a new folder: `config.json` and `model.safetensors`.

        Examples
        --------
        >>> import tempfile
        >>> from dgl_mathtree.nn import TreeClassifier, make_cell
        >>> model = TreeClassifier(make_cell("tree-lstm", 8, types=3), classes=2, symbols=6)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model")
        ...     again = TreeClassifier.load(f"{folder}/model")
        >>> torch.equal(again.leaves.weight, model.leaves.weight)
        True
        """
        about = {"model": self.description(), "version": {"dgl-mathtree": __version__, "torch": torch.__version__}}
        with new_folder(folder, RunError) as draft:
            save_tensors(draft / WEIGHTS, self.state_dict(), self.metadata())
            write_atomically(draft / CONFIG, json.dumps(about, indent=1) + "\n")

    def save_pretrained(self, folder: str | Path) -> None:
        """`save`, by the name that other libraries have for it."""
        self.save(folder)

    def metadata(self) -> dict[str, str]:
        """What a file of weights says of itself."""
        return {"model": type(self).__name__}

    @classmethod
    def load(cls: type[Model], folder: str | Path, cell: TreeCell | None = None, device: str = "cpu") -> Model:
        """A model from a folder that `save` or `dgl_mathtree.training.fit` wrote.

        Parameters
        ----------
        folder : str or Path
            That of the model.
        cell : TreeCell, optional
            A cell with the settings of the one that was saved; needed only for cells that `make_cell` did not make.
        device : str
            Where to compute.

        Raises
        ------
        RunError
            For what is missing or damaged, or of another kind of model.
        """
        place = Path(folder)
        entries = read_json(place / CONFIG, RunError)
        check(entries, MODEL_SHAPE, f"cannot read {place / CONFIG}: it", RunError)
        model = _made(cls, entries["model"], cell, place)
        read_weights(place / WEIGHTS, model, model.metadata())
        return model.to(device).eval()

    @classmethod
    def from_pretrained(cls: type[Model], folder: str | Path, **options: Any) -> Model:
        """`load`, by the name that other libraries have for it."""
        return cls.load(folder, **options)


def _kinds(cls: type[Model]) -> list[type[Model]]:
    """A class and all that are derived from it."""
    return [cls, *(kind for below in cls.__subclasses__() for kind in _kinds(below))]


def _made(cls: type[Model], about: dict[str, Any], cell: TreeCell | None, place: Path) -> Model:
    """A model with fresh weights from its description."""
    kinds = {kind.__name__: kind for kind in _kinds(cls)}
    if about["kind"] not in kinds:
        raise RunError(f"{place} is a {about['kind']!s:.40}, not a {cls.__name__}")
    if cell is None and not about.get("cell"):
        raise RunError(f"{place} has a cell that make_cell did not make: load it with cell=, a cell with its settings")
    try:
        with shapes_alone():  # what the file asks for may not fit into memory
            own = make_cell(**about["cell"]) if cell is None else cell
            kinds[about["kind"]](own, **about["arguments"])
        with torch.random.fork_rng(devices=[]):  # the weights that it is made with are not used
            own = make_cell(**about["cell"]) if cell is None else cell
            return kinds[about["kind"]](own, **about["arguments"])
    except (ValueError, TypeError, RuntimeError, LookupError, ArithmeticError) as error:
        raise RunError(f"cannot read {place / CONFIG}: no model can be made of it ({error})") from None
