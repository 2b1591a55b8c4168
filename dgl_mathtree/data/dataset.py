"""Equations as a DGL data set."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from dgl.data import DGLDataset

from dgl_mathtree import __version__
from dgl_mathtree.data.cache import FORMAT, SUFFIX, Cached, cache_folder, kept_array, restore, store
from dgl_mathtree.data.data_files import (
    COMPRESSED,
    EQUATIONS,
    DataError,
    Row,
    check_part,
    find_data,
    read_card,
    read_rows,
)
from dgl_mathtree.data.data_writer import make_data
from dgl_mathtree.data.recipe import load_recipe, recipe_names
from dgl_mathtree.data.splits import TRAIN
from dgl_mathtree.data.text_arrays import Texts
from dgl_mathtree.graphs import to_graph
from dgl_mathtree.language import Equation, Forest
from dgl_mathtree.language.mathml import formula
from dgl_mathtree.language.vocabulary import OPERATOR_NAMES
from dgl_mathtree.oracle.value_keys import KEY_FORMAT, Keys, value_keys
from dgl_mathtree.tables import html_table

SHOWN = 5
"""The equations that a notebook shows of a data set."""


class EquationDataset(DGLDataset):  # type: ignore[misc]
    r"""Equations and whether they are correct.

    Data of a recipe that does not come with the project is generated on first use. What was read is kept under a key
    made from the data, so that it is parsed once; where it cannot be written, it is parsed each time.

    Parameters
    ----------
    data : str or Path
        A data folder, or the name of a recipe (seed 0).
    part : str
        ``train``, ``validation``, ``test`` or ``all``.
    raw_dir : str, optional
        Where to keep what was read or generated. By default the folder that ``DGL_DOWNLOAD_DIR`` or
        ``XDG_CACHE_HOME`` names; without either, what was read is kept in ``.cache`` beside the data, and what was
        generated, or comes with an installed package, in ``~/.cache/dgl-mathtree``.

    Attributes
    ----------
    vocabulary : list[str]
        The leaves that occur; ``ndata["symbol"]`` counts them.
    depth : torch.Tensor
        (equations,) depth of each equation.
    label : torch.Tensor
        (equations,) 1 for correct, 0 for incorrect.
    text : sequence of str
        The equations as text.
    ids : sequence of str
        Their ids in the data.
    kind : sequence of str
        `correct`, or how each was made incorrect.
    source : sequence of str
        What each was made from, as in `Row.source`.
    checksum : str
        Of the data.
    forest : Forest
        All equations with every distinct subexpression once.

    Examples
    --------
    >>> dataset = EquationDataset("paper", part="test")
    >>> len(dataset)
    7923
    >>> graph, label = dataset[0]
    >>> sorted(graph.ndata), sorted(graph.edata), label.item()
    (['op', 'symbol', 'text'], ['pos'], 1)
    """

    def __init__(self, data: str | Path = "paper", part: str = TRAIN, raw_dir: str | None = None) -> None:
        self._data, self._part = data, check_part(part)
        key = (_identity(data), part, FORMAT, OPERATOR_NAMES)  # a forest numbers its words by the operators
        shelf = str(cache_folder(data)) if raw_dir is None else raw_dir
        super().__init__(name="equations", raw_dir=shelf, hash_key=key, verbose=False)

    @property
    def _cache(self) -> Path:
        return Path(self.save_path, self.hash, f"{self._part}{SUFFIX}")  # DGL itself leaves the hash out

    def _download(self) -> None:
        """Nothing: DGL would make its folder here, even where it must not."""

    def process(self) -> None:
        folder = self._folder()
        rows = _Rows()
        forest = Forest.of(map(rows.take, read_rows(folder, self._part)))
        if not rows.label:
            raise DataError(f"{folder} has no equations in {self._part}")
        card = read_card(folder)
        self._take(
            Cached(
                forest=forest,
                label=np.array(rows.label, dtype=np.int64),
                depth=np.array(rows.depth, dtype=np.int64),
                text=Texts.of(rows.text),
                ids=Texts.of(rows.ids),
                kind=rows.kind,
                source=rows.source,
                vocabulary=card["symbols"],
                checksum=card["checksum"],
            )
        )

    def _take(self, cached: Cached) -> None:
        self._cached = cached
        self.forest = cached.forest
        self.label, self.depth = torch.from_numpy(cached.label), torch.from_numpy(cached.depth)
        self.text, self.ids = cached.text, cached.ids
        self.kind, self.source = cached.kind, cached.source
        self.vocabulary, self.checksum = list(cached.vocabulary), cached.checksum

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
        store(self._cache, self._cached)

    def load(self) -> None:
        cached = restore(self._cache)
        if cached is None:  # damaged: it is written again, or it would be found damaged each time
            self.process()
            self.save()
        else:
            self._take(cached)

    def has_cache(self) -> bool:
        return self._cache.is_file()

    def equation(self, index: int) -> Equation:
        """The equation at an index."""
        return self.forest.equation(index)

    def value_keys(self, points: int) -> Keys:
        """(nodes, regions) the keys of the values of the forest's nodes, see `dgl_mathtree.oracle.value_keys`.

        They are kept with what was read: those of a million equations take a minute.
        """
        file = self._cache.with_name(f"{self._part}-values-{KEY_FORMAT}-{points}{SUFFIX}")
        return kept_array(file, lambda: value_keys(self.forest, points), len(self.forest))

    def __getitem__(self, index: int) -> tuple[Any, torch.Tensor]:
        return to_graph(self.equation(index), self.vocabulary), self.label[index]

    def __len__(self) -> int:
        return len(self.text)

    def _repr_html_(self) -> str:
        rows = [
            {
                "equation": formula(self.equation(k)),
                "label": int(self.label[k]),
                "depth": int(self.depth[k]),
                "kind": self.kind[k],
            }
            for k in range(min(SHOWN, len(self)))
        ]
        return html_table(rows, f"{len(self):,} equations of {self._data}, {self._part}; the first {len(rows)}:")


class _Rows:
    """What is kept of rows beside their equations; the rows themselves, with their long derivations, come and go."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.ids: list[str] = []
        self.kind: list[str] = []
        self.source: list[str] = []
        self.label: list[int] = []
        self.depth: list[int] = []

    def take(self, row: Row) -> Equation:
        self.text.append(row.equation)
        self.ids.append(row.id)
        self.kind.append(sys.intern(row.kind))
        self.source.append(sys.intern(row.source))
        self.label.append(row.label)
        self.depth.append(row.depth)
        return row.parsed()


def _identity(data: str | Path) -> str:
    """What tells one state of the data from another: its checksum, or the fingerprint of its recipe."""
    try:
        folder = find_data(data)
    except DataError:
        if str(data) not in recipe_names():
            raise
        return f"{data}-{__version__}-{load_recipe(str(data)).fingerprint()}"
    # Size and time tell that the file was changed since, so that it is read, and its checksum looked at.
    status = next(f for f in (folder / EQUATIONS, folder / COMPRESSED) if f.is_file()).stat()
    return f"{read_card(folder)['checksum']}-{status.st_size}-{status.st_mtime_ns}"
