"""What was read of some data, kept as arrays: the forest of its equations, their labels and depths, and texts.

A cache is an ``.npz`` without pickled objects. It is a convenience and nothing more: where it cannot be written, or
turns out to be damaged, the data itself is read.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.corpus.files import DataError, find_data
from dgl_mathtree.errors import InputError
from dgl_mathtree.expressions import Forest
from dgl_mathtree.files import new_file, parse_json

FORMAT = 4
"""Number of the format."""
_NODES = ("word", "children", "height", "equations", "offsets", "members")
_TEXTS = ("text", "ids", "kind")


@dataclass(frozen=True)
class Cached:
    """Equations as they are kept.

    Parameters
    ----------
    forest : Forest
        All of them, every distinct subexpression once.
    label, depth : numpy.ndarray
        (equations,) of each.
    facts : mapping
        ``text``, ``ids`` and ``kind`` of each equation, and ``vocabulary`` and ``checksum`` of the data.
    """

    forest: Forest
    label: NDArray[np.int64]
    depth: NDArray[np.int64]
    facts: Mapping[str, Any]


def store(file: Path, cached: Cached) -> None:
    """Keep equations in a file, if it can be written."""
    facts = json.dumps({**cached.facts, "words": cached.forest.words}).encode()
    arrays = {name: getattr(cached.forest, name) for name in _NODES}
    with suppress(OSError, InputError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with new_file(file) as draft, draft.open("wb") as stream:
            np.savez_compressed(
                stream,
                label=cached.label,
                depth=cached.depth,
                facts=np.frombuffer(facts, dtype=np.uint8),
                **arrays,
            )


def restore(file: Path) -> Cached | None:
    """What a file keeps, or None where it is damaged."""
    try:
        # numpy leaves a damaged file open if it opens it itself.
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            facts = parse_json(stored["facts"].tobytes().decode("utf-8"))
            forest = Forest(words=tuple(facts.pop("words")), **{name: stored[name] for name in _NODES})
            cached = Cached(forest, stored["label"], stored["depth"], facts)
        return cached if _fits(cached) else None
    except (OSError, EOFError, KeyError, TypeError, ValueError, AttributeError, zipfile.BadZipFile):
        return None


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
    lengths = [len(cached.label), len(cached.depth), *(len(cached.facts[name]) for name in _TEXTS)]
    return (
        shapes
        and {"vocabulary", "checksum"} <= cached.facts.keys()
        and lengths == [count] * len(lengths)
        and len(forest.offsets) == count + 1
        and all(array.size == 0 or (low <= array.min() and array.max() < high) for array, low, high in within)
    )


def cache_folder(data: str | Path) -> Path:
    """Where to keep what is read or generated, unless a place is given: never in a home that was not asked for.

    It is what ``DGL_DOWNLOAD_DIR`` names, or ``dgl-mathtree`` in what ``XDG_CACHE_HOME`` names, or ``.cache`` beside
    the data; ``~/.cache/dgl-mathtree`` for data that has no place of its own because it is yet to be generated.
    """
    if asked := os.environ.get("DGL_DOWNLOAD_DIR"):
        return Path(asked)
    # The specification of XDG_CACHE_HOME has relative paths ignored.
    if (caches := os.environ.get("XDG_CACHE_HOME", "")) and os.path.isabs(caches):
        return Path(caches, "dgl-mathtree")
    try:
        return find_data(data) / ".cache"
    except DataError:
        return Path(os.path.expanduser("~"), ".cache", "dgl-mathtree")
