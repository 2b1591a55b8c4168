"""Files of every kind, handled in one place: written whole or not at all, and read without surprises.

What is being written is a *draft*, ``.NAME.partial-PID`` beside its place, and moved there at the end. The draft of a
process that was killed is cleared away by whoever next writes the same thing.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dgl_mathtree.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_DRAFT = ".partial-"
MOST_BYTES = 4 << 30
"""No file that is read whole is as large."""
_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
_TOO_MUCH = "nested too deeply, or a number is too long"


def parse_json(text: str) -> Any:
    """What a JSON text holds.

    Raises
    ------
    json.JSONDecodeError
        Where it is none, is nested without end, or has a number of thousands of digits.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError):  # Python refuses numbers of thousands of digits
        raise json.JSONDecodeError(_TOO_MUCH, text, 0) from None


def read_json(file: str | Path, error: type[InputError] = InputError, stream: bool = False) -> Any:
    """What a JSON file holds; else an error of the given kind that says what is wrong with the file."""
    text = read_text(file, error, "JSON", stream)
    try:
        return parse_json(text)
    except json.JSONDecodeError as reason:
        where = f" at line {reason.lineno}, column {reason.colno}" if reason.msg != _TOO_MUCH else ""
        raise error(f"{file} is not JSON: {reason.msg}{where}") from None


def read_json_lines(file: str | Path, error: type[InputError] = InputError) -> list[Any]:
    """What the lines of a file hold, each JSON; else an error of the given kind that names the line."""
    values = []
    for number, line in enumerate(read_text(file, error, "JSON").splitlines(), start=1):
        try:
            values.append(parse_json(line))
        except json.JSONDecodeError as reason:
            raise error(f"{file}: line {number} is not JSON: {reason.msg}") from None
    return values


def read_toml(file: str | Path, error: type[InputError] = InputError) -> dict[str, Any]:
    """What a TOML file holds; else an error of the given kind that says what is wrong with the file."""
    text = read_text(file, error, "a TOML file", stream=True)
    try:
        entries: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as reason:
        raise error(f"{file} is not a TOML file: {reason}") from None
    except (RecursionError, ValueError):
        raise error(f"{file} is not a TOML file to be read: {_TOO_MUCH}") from None
    return entries


def read_text(
    file: str | Path, error: type[InputError] = InputError, kind: str = "a text", stream: bool = False
) -> str:
    """The text of a UTF-8 file of some kind; else an error of the given type.

    Parameters
    ----------
    file : str or Path
        What to read.
    error : type of InputError
        The kind of error to raise.
    kind : str
        What the file should be, for the message.
    stream : bool
        Whether it may be a pipe or a device, as a file that a person names may. One that belongs to a folder may not:
        reading would wait for a writer that never comes.
    """
    try:
        if not stream:
            check_regular(file, error)
        return Path(file).read_text(encoding="utf-8")
    except OSError as reason:
        raise error(f"cannot read {file}: {reason.strerror or reason}") from None
    except (ValueError, MemoryError) as reason:
        if not isinstance(reason, UnicodeDecodeError):
            raise error(f"cannot read {file}: {reason or 'it is too large'}") from None
        raise error(f"{file} is not {kind}: byte {reason.start} is not UTF-8") from None


def check_regular(file: str | Path, error: type[InputError] = InputError) -> None:
    """Raise an error where there is something else than a file: a folder, a pipe or a device.

    What is not there raises the OSError of opening it.
    """
    status = os.stat(file)
    if not stat.S_ISREG(status.st_mode):
        raise error(f"cannot read {file}: it is {_KINDS.get(stat.S_IFMT(status.st_mode), 'a device')}, not a file")
    if status.st_size > MOST_BYTES:
        raise error(f"cannot read {file}: it has {status.st_size:,} bytes, which is too much to be one of ours")


def write_atomically(file: str | Path, content: str | bytes, error: type[InputError] = InputError) -> None:
    """Write a file whole or not at all, and to the disk before it gets its name.

    Parameters
    ----------
    file : str or Path
        Where to. A link is followed; what cannot be replaced, such as ``/dev/stdout``, is written to.
    content : str or bytes
        A text is stored as UTF-8.
    error : type of InputError
        The kind of error to raise where it cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "greeting.txt", "hello")
    ...     (Path(folder) / "greeting.txt").read_text()
    'hello'
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if not is_replaceable(file):
            _write_into(file, data)
            return
    except OSError as reason:
        why = "nothing reads this pipe" if reason.errno == errno.ENXIO else reason.strerror or reason
        raise error(f"cannot write {file}: {why}") from None
    with new_file(os.path.realpath(file), error) as draft, draft.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def is_replaceable(file: str | Path) -> bool:
    """Whether a path is that of a file, or of nothing yet; not so are folders, pipes and devices.

    Raises
    ------
    OSError
        Where that cannot be told: links that lead in a circle, or a folder that may not be searched.
    """
    try:
        return stat.S_ISREG(os.stat(file).st_mode)
    except FileNotFoundError:
        return True


def _write_into(file: str | Path, data: bytes) -> None:
    """Write to a pipe or a device. A pipe that nothing reads is an error: to wait for a reader may take forever."""
    opened = os.open(file, os.O_WRONLY | os.O_NONBLOCK)
    os.set_blocking(opened, True)
    with open(opened, "wb") as stream:
        stream.write(data)


@contextmanager
def new_file(file: str | Path, error: type[InputError] = InputError) -> Iterator[Path]:
    """A draft to write to, which takes its place when all went well and is removed when not."""
    place = Path(file)
    draft = _draft(place)
    try:
        clear_drafts(place.parent, place.name)
        yield draft
        os.replace(draft, place)
    except OSError as reason:
        raise error(f"cannot write {file}: {reason.strerror or reason}") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


@contextmanager
def new_folder(out: str | Path, error: type[InputError] = InputError) -> Iterator[Path]:
    """A folder to write into, which appears at its place when all went well and is removed when not."""
    place = Path(out).absolute()
    draft = _draft(place)
    try:
        empty = place.is_dir() and not any(place.iterdir())
        if os.path.lexists(place) and not empty:
            raise error(f"{out} exists: name a new folder")
        clear_drafts(place.parent, place.name)
        draft.mkdir(parents=True)
        yield draft
        if empty:
            place.rmdir()
        os.replace(draft, place)
    except OSError as reason:
        raise error(f"cannot write {out}: {reason.strerror or reason}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def clear_drafts(folder: str | Path, name: str | None = None) -> None:
    """Remove drafts that processes now gone left in a folder.

    Parameters
    ----------
    folder : str or Path
        Where to look; its subfolders are left alone.
    name : str, optional
        Of what the drafts are; by default of anything.
    """
    with suppress(OSError):
        for stale in os.scandir(folder):
            what, found, process = stale.name.rpartition(_DRAFT)
            if not (found and what.startswith(".") and name in (None, what[1:]) and _has_ended(process)):
                continue
            if stale.is_dir(follow_symlinks=False):
                shutil.rmtree(stale.path, ignore_errors=True)
            else:
                with suppress(OSError):
                    os.unlink(stale.path)


def is_draft(file: Path, name: str | None = None) -> bool:
    """Whether a path is a draft (of something by that name)."""
    what, found, process = file.name.rpartition(_DRAFT)
    return bool(found) and what.startswith(".") and name in (None, what[1:]) and process.isdecimal()


def _draft(place: Path) -> Path:
    return place.with_name(f".{place.name}{_DRAFT}{os.getpid()}")


def _has_ended(process: str) -> bool:
    """Whether a process, by its id as text, is no longer there."""
    if not (process.isascii() and process.isdecimal()):
        return False
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:  # it is somebody else's
        return False
    return False
