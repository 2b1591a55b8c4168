"""Finished blocks of data in the making, kept beside it so that generation that was killed resumes.

The blocks of ``OUT`` are in ``OUT.blocks`` until the data is complete. A block is a pure function of what the folder
says of itself and of the block's name, so that a block that is read is as good as one that is made again.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from dgl_mathtree.data.block_records import block_from_json, block_to_json
from dgl_mathtree.data.data_files import DataError
from dgl_mathtree.data.process_map import Place, ordered_map, shared_out
from dgl_mathtree.data.recipe_checks import RecipeError
from dgl_mathtree.files import clear_drafts, new_folder, read_json, write_atomically

ABOUT = "about.json"
SUFFIX, BLOCK = ".blocks", ".json.z"

Make = Callable[[Sequence[Any]], Sequence[Any]]
"""What makes the blocks of some jobs."""


class RunBlocks(Protocol):
    """What makes blocks, in order."""

    def __call__(self, make: Make, jobs: Mapping[str, Any], together: bool = False) -> Iterator[Any]:
        """The blocks of some jobs.

        Parameters
        ----------
        make : callable
            Makes the blocks of some jobs.
        jobs : mapping
            The jobs by the names of their blocks.
        together : bool
            Whether making many at once is faster, so that each worker is given its share at once.
        """


def _digest(name: str, text: str) -> str:
    """What tells that the text of a block was changed, or that the block has the name of another."""
    return hashlib.blake2b(f"{name}\n{text}".encode(), digest_size=16).hexdigest()


class FinishedBlocks:
    """The blocks of one data set that are finished.

    Parameters
    ----------
    folder : Path
        Where they are; see `kept_blocks`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __contains__(self, name: str) -> bool:
        return self._file(name).is_file()

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}{BLOCK}"

    def keep(self, name: str, block: Any) -> None:
        """Store a block that is finished."""
        text = json.dumps(block_to_json(block), separators=(",", ":"))
        write_atomically(self._file(name), zlib.compress(f"{_digest(name, text)}\n{text}".encode(), 1), DataError)

    def read(self, name: str) -> Any:
        """A block that was kept."""
        file = self._file(name)
        try:
            digest, _, text = zlib.decompress(file.read_bytes()).decode().partition("\n")
            if digest != _digest(name, text):
                raise ValueError("it is not as it was written")
            return block_from_json(json.loads(text))
        except (OSError, ValueError, RecursionError, zlib.error) as error:
            raise DataError(f"cannot read {file}: {error!s:.100}; remove the file and it is made again") from None

    def __len__(self) -> int:
        return sum(file.name.endswith(BLOCK) for file in self.folder.iterdir())


class BlockRunner:
    """Makes blocks; those that are finished already are read.

    Parameters
    ----------
    place : Place
        Where they are made.
    workers : int, optional
        How many processes there are; by default enough for all blocks.
    kept : FinishedBlocks, optional
        Where they are kept; without it they are not.
    """

    def __init__(self, place: Place, workers: int | None = None, kept: FinishedBlocks | None = None) -> None:
        self.place, self.workers, self.kept = place, workers, kept

    @classmethod
    def on_processes(cls, workers: int, kept: FinishedBlocks | None = None) -> BlockRunner:
        """One that makes them in processes of this machine."""
        if workers < 1:
            raise RecipeError(f"the number of workers must be at least 1, not {workers}")
        return cls(partial(ordered_map, workers), workers, kept)

    @contextmanager
    def running(self, prepare: Callable[[Any], object] | None = None, given: Any = None) -> Iterator[RunBlocks]:
        """What makes blocks within the `with` block; for the arguments see `ordered_map`."""
        with self.place(prepare, given) as mapped:

            def run(make: Make, jobs: Mapping[str, Any], together: bool = False) -> Iterator[Any]:
                names = [name for name in jobs if self.kept is None or name not in self.kept]
                parts = shared_out(names, self.workers if together and self.workers else max(len(names), 1))
                made = mapped(make, [[jobs[name] for name in part] for part in parts])
                return self._in_order(jobs, parts, made)

            yield run

    def _in_order(
        self, names: Iterable[str], parts: Sequence[Sequence[str]], made: Iterator[Sequence[Any]]
    ) -> Iterator[Any]:
        """The blocks of some names, those of `parts` from `made`, all at once as soon as they are there."""
        waiting, found = iter(parts), dict[str, Any]()
        new = {name for part in parts for name in part}
        for name in names:
            if name not in new:
                assert self.kept is not None
                yield self.kept.read(name)
                continue
            if name not in found:
                found.update(zip(next(waiting), next(made), strict=True))
                if self.kept is not None:
                    for each, block in found.items():
                        self.kept.keep(each, block)
            yield found.pop(name)


@contextmanager
def kept_blocks(out: str | Path, about: Mapping[str, Any]) -> Iterator[FinishedBlocks]:
    """The finished blocks of data that is being made, removed when all went well.

    Parameters
    ----------
    out : str or Path
        The folder of the data.
    about : mapping
        All that blocks depend on; blocks of anything else are not used.

    Raises
    ------
    DataError
        Where there are blocks of other data, or another process makes this data.
    """
    place = Path(out).absolute()
    folder = place.with_name(place.name + SUFFIX)
    text = json.dumps(about, indent=1) + "\n"
    if not folder.exists():
        with new_folder(folder, DataError) as draft:
            draft.chmod(0o700)
            (draft / ABOUT).write_text(text, encoding="utf-8")
    blocks = FinishedBlocks(folder)
    with _locked(folder):
        _check(folder, json.loads(text))
        clear_drafts(folder)
        complete = False
        try:
            yield blocks
            complete = True
        finally:
            if complete or not len(blocks):
                shutil.rmtree(folder, ignore_errors=True)


def _check(folder: Path, about: dict[str, Any]) -> None:
    """Raise a DataError for blocks that are not those of this data, or that somebody else could have written."""
    status = folder.stat()
    if status.st_uid != os.getuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise DataError(f"{folder} may be written by others: blocks are read only from a folder of your own")
    found = read_json(folder / ABOUT, DataError)
    if found != about:
        differs = [name for name in about if not isinstance(found, dict) or found.get(name) != about[name]]
        raise DataError(
            f"{folder} has blocks of other data (another {differs[0] if differs else 'description'}): "
            "finish that data with its own command, or remove the folder"
        )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """The right to write into a folder, which the system takes back when its holder dies."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise DataError(f"cannot read {folder}: {error.strerror or error}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise DataError(f"{folder} is in use: another process makes this data") from None
    finally:
        os.close(descriptor)
