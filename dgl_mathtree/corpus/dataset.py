"""Equations as a DGL data set."""

from __future__ import annotations

import json
import os
import zipfile
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from dgl.data import DGLDataset

from dgl_mathtree import __version__
from dgl_mathtree.corpus.files import COMPRESSED, EQUATIONS, DataError, data_checksum, find_data, read_card, read_rows
from dgl_mathtree.corpus.recipes import load_recipe, recipe_names
from dgl_mathtree.corpus.splits import PARTS
from dgl_mathtree.corpus.writing import make_data
from dgl_mathtree.errors import InputError
from dgl_mathtree.expressions import Equation, Forest
from dgl_mathtree.files import new_file
from dgl_mathtree.graphs import to_graph

FORMAT = 3
"""Number of the cache's format."""
FACTS = ("vocabulary", "checksum", "text", "ids", "kind")


class EquationDataset(DGLDataset):  # type: ignore[misc]
    r"""Equations and whether they are correct.

    Data of a recipe that does not come with the project is generated on first use. What was read is kept under a key
    made from the data, so that it is parsed once; where it cannot be written, it is parsed each time.

    Parameters
    ----------
    data : str or Path
        A data folder, or the name of a recipe (seed 0).
    split : str
        ``train``, ``validation``, ``test`` or ``all``.
    raw_dir : str, optional
        Where to keep what was read or generated. By default the folder that ``DGL_DOWNLOAD_DIR`` or
        ``XDG_CACHE_HOME`` names; without either, what was read is kept in ``.cache`` beside the data, and what was
        generated in ``~/.cache/dgl-mathtree``.

    Attributes
    ----------
    vocabulary : list[str]
        The leaves that occur; ``ndata["symbol"]`` counts them.
    depth : torch.Tensor
        (equations,) depth of each equation.
    label : torch.Tensor
        (equations,) 1 for correct, 0 for incorrect.
    text : list[str]
        The equations as text.
    ids : list[str]
        Their ids in the data.
    kind : list[str]
        `correct`, or how each was made incorrect.
    checksum : str
        Of the data.
    forest : Forest
        All equations with every distinct subexpression once; made on first use.

    Examples
    --------
    >>> dataset = EquationDataset("paper", split="test")
    >>> len(dataset)
    7923
    >>> graph, label = dataset[0]
    >>> sorted(graph.ndata), sorted(graph.edata), label.item()
    (['op', 'symbol'], ['pos'], 1)
    """

    def __init__(self, data: str | Path = "paper", split: str = "train", raw_dir: str | None = None) -> None:
        if split not in (*PARTS, "all"):
            raise DataError(f"there is no split {split!r}; there are {', '.join(PARTS)} and all")
        self._data, self._split = data, split
        shelf = str(_shelf(data)) if raw_dir is None else raw_dir
        super().__init__(name="equations", raw_dir=shelf, hash_key=(_identity(data), split, FORMAT), verbose=False)

    @property
    def _cache(self) -> Path:
        return Path(self.save_path, self.hash, f"{self._split}.npz")  # DGL itself leaves the hash out

    def _download(self) -> None:
        """Nothing: DGL would make its folder here, even where it must not."""

    def process(self) -> None:
        folder = self._folder()
        rows = list(read_rows(folder, self._split))
        if not rows:
            raise DataError(f"{folder} has no equations in {self._split}")
        card = read_card(folder)
        self.vocabulary: list[str] = card["symbols"]
        self.checksum: str = data_checksum(folder)
        self._equations = [row.parsed() for row in rows]
        self.label = torch.tensor([row.label for row in rows])
        self.depth = torch.tensor([row.depth for row in rows])
        self.text = [row.equation for row in rows]
        self.ids = [row.id for row in rows]
        self.kind = [row.kind for row in rows]

    def _folder(self) -> Path:
        try:
            return find_data(self._data)
        except DataError:
            if str(self._data) not in recipe_names():
                raise
        folder = Path(self.raw_dir) / "dgl_mathtree" / _identity(self._data)
        if not folder.is_dir():
            make_data(folder, load_recipe(str(self._data)))
        return folder

    def save(self) -> None:
        words = sorted({word for equation in self._equations for word in equation.words})
        ids = {word: k for k, word in enumerate(words)}
        flat = np.array([ids[word] for equation in self._equations for word in equation.words], dtype=np.int32)
        ends = np.cumsum([len(equation) for equation in self._equations])
        facts = json.dumps({"words": words} | {name: getattr(self, name) for name in FACTS})
        label, depth = self.label.numpy(), self.depth.numpy()
        with suppress(OSError, InputError):  # it will be read again the next time
            self._cache.parent.mkdir(parents=True, exist_ok=True)
            with new_file(self._cache) as draft, draft.open("wb") as stream:
                np.savez_compressed(stream, flat=flat, ends=ends, label=label, depth=depth, facts=np.array(facts))

    def load(self) -> None:
        try:
            self._load_cache()
        except (OSError, KeyError, ValueError, zipfile.BadZipFile):  # damaged
            self.process()

    def _load_cache(self) -> None:
        with np.load(self._cache, allow_pickle=False) as stored:
            facts = json.loads(str(stored["facts"]))
            words = np.array(facts["words"])[stored["flat"]].tolist()
            ends = stored["ends"].tolist()
            self.label, self.depth = torch.from_numpy(stored["label"]), torch.from_numpy(stored["depth"])
        self._equations = [
            Equation._trusted(tuple(words[start:end])) for start, end in zip([0, *ends], ends, strict=False)
        ]
        for name in FACTS:
            setattr(self, name, facts[name])

    def has_cache(self) -> bool:
        return self._cache.is_file()

    @cached_property
    def forest(self) -> Forest:
        return Forest.of(self._equations)

    def equation(self, index: int) -> Equation:
        """The equation at an index."""
        return self._equations[index]

    def __getitem__(self, index: int) -> tuple[Any, torch.Tensor]:
        return to_graph(self._equations[index], self.vocabulary), self.label[index]

    def __len__(self) -> int:
        return len(self._equations)


def _shelf(data: str | Path) -> Path:
    """Where to keep what is read or generated, unless a place is given: never in a home that was not asked for."""
    if asked := os.environ.get("DGL_DOWNLOAD_DIR"):
        return Path(asked)
    # The specification of XDG_CACHE_HOME has relative paths ignored.
    if (caches := os.environ.get("XDG_CACHE_HOME", "")) and os.path.isabs(caches):
        return Path(caches, "dgl-mathtree")
    try:
        return find_data(data) / ".cache"
    except DataError:
        return Path(os.path.expanduser("~"), ".cache", "dgl-mathtree")


def _identity(data: str | Path) -> str:
    """What tells one state of the data from another: its checksum, or the fingerprint of its recipe."""
    try:
        folder = find_data(data)
    except DataError:
        if str(data) not in recipe_names():
            raise
        return f"{data}-{__version__}-{load_recipe(str(data)).fingerprint()}"
    file = next(f for f in (folder / EQUATIONS, folder / COMPRESSED) if f.is_file())
    status = file.stat()
    return f"{folder.resolve()}-{read_card(folder)['checksum']}-{status.st_size}-{status.st_mtime_ns}"
