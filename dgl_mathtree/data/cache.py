"""What was read of some data, kept as arrays: the forest of its equations, their labels and depths, and texts.

A cache is a file of tensors (safetensors). It is mapped into memory, so that a million equations are there at once, for
all processes together, and no Python object stands for any of them. It is a convenience and nothing more: where it
cannot be written, or turns out to be damaged, the data itself is read.
"""

from __future__ import annotations

import json
import os
import stat
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from dgl_mathtree.data.data_files import DataError, find_data
from dgl_mathtree.data.recipe import DATASETS
from dgl_mathtree.data.text_arrays import Texts
from dgl_mathtree.errors import InputError
from dgl_mathtree.files import check_regular, new_file, parse_json
from dgl_mathtree.language import Forest

_IN_PACKAGE = DATASETS.parent == Path(__file__).resolve().parents[1]
"""Whether the data that comes with the project is inside of the package, as in one that was installed."""
FORMAT = 5
"""Number of the format."""
SUFFIX = ".safetensors"
_NODES = ("word", "children", "height", "equations", "offsets", "members")
_TEXTS = ("text", "ids")
_ONLY = "array"
_NAMES = ("kind", "source")
"""Texts of which there are few different ones: they are kept as numbers."""

_DAMAGE = (OSError, SafetensorError, LookupError, TypeError, ValueError, AttributeError, RuntimeError)
"""What reading a damaged cache may raise."""

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Cached:
    """Equations as they are kept.

    Parameters
    ----------
    forest : Forest
        All of them, every distinct subexpression once.
    label, depth : numpy.ndarray
        (equations,) of each.
    text, ids : Texts
        Of each.
    kind, source : sequence of str
        Of each; there are few different ones.
    vocabulary : sequence of str
        The leaves of the data.
    checksum : str
        Of the data.
    """

    forest: Forest
    label: NDArray[np.int64]
    depth: NDArray[np.int64]
    text: Texts
    ids: Texts
    kind: Sequence[str]
    source: Sequence[str]
    vocabulary: Sequence[str]
    checksum: str


def store(file: Path, cached: Cached) -> None:
    """Keep equations in a file, if it can be written."""
    arrays: Arrays = {name: getattr(cached.forest, name) for name in _NODES}
    arrays |= {"label": cached.label, "depth": cached.depth}
    for name in _TEXTS:
        texts: Texts = getattr(cached, name)
        arrays |= {f"{name}.content": texts.content, f"{name}.ends": texts.ends}
    facts = {"words": cached.forest.words, "vocabulary": cached.vocabulary, "checksum": cached.checksum}
    for name in _NAMES:
        names = list(dict.fromkeys(getattr(cached, name)))
        codes = {value: code for code, value in enumerate(names)}
        arrays[name] = np.array([codes[value] for value in getattr(cached, name)], dtype=np.int32)
        facts[name] = names
    _keep(file, {name: np.ascontiguousarray(array) for name, array in arrays.items()}, {"facts": json.dumps(facts)})


def _keep(file: Path, arrays: Arrays, about: Mapping[str, str]) -> None:
    """Write arrays and a checksum of them, if the file can be written; whoever may read new files may read it."""
    with suppress(OSError, InputError, SafetensorError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with new_file(file) as draft:
            draft.touch()  # the library would let nobody else read the file
            mode = stat.S_IMODE(draft.stat().st_mode)
            save_file(arrays, draft, {**about, "crc": str(_crc(arrays))})
            draft.chmod(mode)


def restore(file: Path) -> Cached | None:
    """What a file keeps, or None where it is damaged."""
    try:
        check_regular(file)
        with safe_open(file, framework="pt") as stored:  # torch maps the file, numpy would copy it
            about = stored.metadata() or {}
            arrays: Arrays = {name: stored.get_tensor(name).numpy() for name in stored.keys()}  # noqa: SIM118
        if about["crc"] != str(_crc(arrays)):
            return None
        facts = parse_json(about["facts"])
        cached = Cached(
            forest=Forest(words=tuple(facts["words"]), **{name: arrays[name] for name in _NODES}),
            label=arrays["label"],
            depth=arrays["depth"],
            text=Texts(arrays["text.content"], arrays["text.ends"]),
            ids=Texts(arrays["ids.content"], arrays["ids.ends"]),
            kind=_named(facts["kind"], arrays["kind"]),
            source=_named(facts["source"], arrays["source"]),
            vocabulary=facts["vocabulary"],
            checksum=facts["checksum"],
        )
        return cached if _fits(cached) else None
    except _DAMAGE:
        return None


def kept_array(file: Path, make: Callable[[], NDArray[Any]], rows: int) -> NDArray[Any]:
    """An array of so many rows that a file keeps, or that is made and, if the file can be written, kept."""
    with suppress(*_DAMAGE):
        check_regular(file)
        with safe_open(file, framework="pt") as stored:
            array: NDArray[Any] = stored.get_tensor(_ONLY).numpy()
            if (stored.metadata() or {})["crc"] == str(_crc({_ONLY: array})) and len(array) == rows:
                return array
    made = np.ascontiguousarray(make())
    _keep(file, {_ONLY: made}, {})
    return made


def _crc(arrays: Mapping[str, NDArray[Any]]) -> int:
    """Of all bytes."""
    crc = 0
    for _, array in sorted(arrays.items()):
        crc = zlib.crc32(array.data, crc) if array.size else crc
    return crc


def _named(names: Sequence[str], codes: NDArray[np.int32]) -> list[str]:
    return [names[code] for code in codes.tolist()]


def _fits(cached: Cached) -> bool:
    """Whether nothing in the arrays points beyond them."""
    forest, nodes = cached.forest, len(cached.forest.word)
    count = len(forest.equations)
    within: list[tuple[NDArray[Any], int, int]] = [
        (forest.word, 0, len(forest.words)),
        (forest.children, -1, nodes),
        (forest.equations, 0, nodes),
        (forest.members, 0, nodes),
        (forest.offsets, 0, len(forest.members) + 1),
    ]
    shapes = forest.children.shape == (nodes, 2) and forest.equations.shape == (count, 2)
    lengths = [len(getattr(cached, name)) for name in ("label", "depth", *_TEXTS, *_NAMES)]
    return (
        shapes
        and lengths == [count] * len(lengths)
        and len(forest.offsets) == count + 1
        and cached.text.fits()
        and cached.ids.fits()
        and all(array.size == 0 or (low <= array.min() and array.max() < high) for array, low, high in within)
    )


def cache_folder(data: str | Path) -> Path:
    """Where to keep what is read or generated, unless a place is given: never in a home that was not asked for.

    It is what ``DGL_DOWNLOAD_DIR`` names, or ``dgl-mathtree`` in what ``XDG_CACHE_HOME`` names, or ``.cache`` beside
    the data; ``~/.cache/dgl-mathtree`` for data that has no place of its own because it is yet to be generated, or
    because it is part of an installed package, to whose folder nothing is added.
    """
    if asked := os.environ.get("DGL_DOWNLOAD_DIR"):
        return Path(asked)
    # The specification of XDG_CACHE_HOME has relative paths ignored.
    if (caches := os.environ.get("XDG_CACHE_HOME", "")) and os.path.isabs(caches):
        return Path(caches, "dgl-mathtree")
    with suppress(DataError):
        folder = find_data(data)
        if not (_IN_PACKAGE and folder.resolve().is_relative_to(DATASETS.resolve())):
            return folder / ".cache"
    return Path(os.path.expanduser("~"), ".cache", "dgl-mathtree")
