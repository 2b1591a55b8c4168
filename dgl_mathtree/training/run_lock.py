"""A run folder belongs to one run at a time: a lock that the system takes back when its holder dies.

It uses `fcntl` and not `filelock`, because the lock file names the process that holds it, and older releases of
`filelock` erase the file whenever another process tries to take the lock.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from dgl_mathtree.training.config import RunError

LOCK = ".lock"


class RunLock:
    """The right to write into a run folder; given back at the end of a `with` block.

    Parameters
    ----------
    folder : Path
        The run folder; it must exist when the lock is taken.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self._file = folder, folder / LOCK
        self._descriptor: int | None = None

    def take(self) -> None:
        """Take the lock, or raise a RunError that names the process that has it."""
        while self._descriptor is None:
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.read(descriptor, 20).decode("ascii", "replace") or "another process"
                os.close(descriptor)
                raise RunError(
                    f"{self.folder} is in use: {holder} trains in it; wait for its end, or name another folder"
                ) from None
            if self._is_current(descriptor):
                self._descriptor = descriptor
                os.truncate(descriptor, 0)
                os.write(descriptor, f"process {os.getpid()}".encode())
            else:
                os.close(descriptor)  # its holder removed the file after it was opened here

    def _is_current(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self._file))
        except FileNotFoundError:
            return False

    def __enter__(self) -> RunLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor is not None:
            self._file.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None
