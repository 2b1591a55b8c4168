"""What the oracle said of filled blanks, kept in a file: many networks fill the same blanks with the same candidates.

A file belongs to one list of candidates and one state of the code that decides; its name has a hash of both, so that a
change of either begins another file. It is a convenience and nothing more: what is damaged is made anew, and of two
processes that write at once one may lose what it had added.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from dgl_mathtree.errors import InputError
from dgl_mathtree.files import check_regular, write_atomically
from dgl_mathtree.language import Equation, Expr
from dgl_mathtree.oracle import Oracle

UNKNOWN = 2
"""What stands where the oracle was not asked; its answers are 1, 0 and -1."""
DECIDING = ("arithmetic", "language", "oracle", "inference/candidates.py", "inference/complete.py")
"""The code that verdicts depend on, relative to the package."""
_DAMAGE = (OSError, SafetensorError, LookupError, TypeError, ValueError, AttributeError, InputError)
"""What reading a damaged file may raise."""
Verdicts = NDArray[np.int8]


class FillingVerdicts:
    """Verdicts on blanks that are filled with each of some candidates.

    Parameters
    ----------
    folder : Path, optional
        Where they are kept between processes; by default nowhere.
    candidates : sequence of Expr
        The expressions to fill in.
    oracle : Oracle
        The one that decides.
    """

    def __init__(self, folder: Path | None, candidates: Sequence[Expr], oracle: Oracle) -> None:
        self.width = len(candidates)
        self._rows: dict[str, Verdicts] = {}
        self._file = None if folder is None else folder / f"{_key(candidates, oracle)}.safetensors"
        self._changed = False
        if self._file is not None:
            self._rows = _read(self._file, self.width)

    def of(self, blank: Equation) -> tuple[Verdicts, Verdicts]:
        """What is known of a blank, to be filled in: (candidates,) what a glance says, and (candidates,) what is
        settled. `note_change` is to be called after a change."""
        found = self._rows.setdefault(" ".join(blank.words), np.full((2, self.width), UNKNOWN, dtype=np.int8))
        return found[0], found[1]

    def note_change(self) -> None:
        """Remember that there is something to be written."""
        self._changed = True

    def save(self) -> None:
        """Write what was added, if the file can be written, together with what others added meanwhile."""
        if self._file is None or not self._changed:
            return
        rows = _read(self._file, self.width)
        for text, mine in self._rows.items():
            theirs = rows.get(text)
            rows[text] = mine if theirs is None else np.where(mine == UNKNOWN, theirs, mine)
        with suppress(OSError, InputError, SafetensorError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            stacked = np.stack(list(rows.values()))
            about = {"blanks": list(rows), "crc": _crc(stacked, list(rows))}
            texts = np.frombuffer(json.dumps(about).encode("utf-8"), dtype=np.uint8)
            write_atomically(self._file, save({"verdicts": stacked, "about": texts}))
            self._changed = False


def _read(file: Path, width: int) -> dict[str, Verdicts]:
    """What a file keeps: nothing where there is none, or where it is damaged."""
    try:
        check_regular(file)
        arrays: dict[str, NDArray[Any]] = load(file.read_bytes())
        stacked = arrays["verdicts"]
        about = json.loads(arrays["about"].tobytes())
        texts = about["blanks"]
        fits = stacked.dtype == np.int8 and stacked.shape == (len(texts), 2, width)
        if not (fits and about["crc"] == _crc(stacked, texts)):
            return {}
        return {str(text): row.copy() for text, row in zip(texts, stacked, strict=True)}
    except _DAMAGE:
        return {}


def _crc(stacked: NDArray[np.int8], texts: Sequence[str]) -> int:
    """Of all that a file keeps."""
    return zlib.crc32("\n".join(texts).encode("utf-8"), zlib.crc32(stacked.data))


def _key(candidates: Sequence[Expr], oracle: Oracle) -> str:
    """A hash of all that a verdict on a filled blank depends on beside the blank."""
    settings = f"{oracle.seed} {oracle.certify}"
    words = "\n".join(" ".join(expression.words) for expression in candidates)
    return hashlib.sha256("\n\n".join([_code(), settings, words]).encode("utf-8")).hexdigest()[:32]


@cache
def _code() -> str:
    """A hash of the code that decides, and of the libraries that it computes with."""
    package = Path(__file__).parents[1]
    files = [file for name in DECIDING for file in (sorted((package / name).rglob("*.py")) or [package / name])]
    found = hashlib.sha256()
    for file in files:
        found.update(file.relative_to(package).as_posix().encode("utf-8") + b"\0" + file.read_bytes())
    for library in ("numpy", "python-flint"):
        with suppress(PackageNotFoundError):
            found.update(f"{library} {version(library)}".encode())
    return found.hexdigest()
