"""Processes that share work, give results in order, and are gone at once when the work is given up."""

from __future__ import annotations

import ctypes
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

_T = TypeVar("_T")
OrderedMap = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
Place = Callable[..., AbstractContextManager[OrderedMap]]
"""Where work is done: called with `prepare` and `given` of `ordered_map`, what gives a `map` for a `with` block."""


@contextmanager
def ordered_map(
    workers: int, prepare: Callable[[Any], object] | None = None, given: Any = None
) -> Iterator[OrderedMap]:
    """A `map` that runs in this many processes; with one, in this process.

    When the block is left by an error, Ctrl-C among them, the processes are killed in the middle of their work.

    Parameters
    ----------
    workers : int
        How many processes.
    prepare, given : callable, any
        Called once in each process with what is given, before its work.

    Examples
    --------
    >>> with ordered_map(1) as mapped:
    ...     list(mapped(abs, [-1, 2]))
    [1, 2]
    """
    if workers == 1:
        if prepare is not None:
            prepare(given)
        yield map
        return
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin, (prepare, given))

    def mapped(function: Callable[[Any], Any], jobs: Iterable[Any]) -> Iterator[Any]:
        # Processes start here and inherit it: a signal to all of them is for this one alone.
        with _signals_held_back():
            return pool.map(function, jobs)

    try:
        yield mapped
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def shared_out(items: Sequence[_T], parts: int) -> list[Sequence[_T]]:
    """The items in at most this many neighbouring parts of about equal length.

    Examples
    --------
    >>> shared_out(range(8), 3)
    [range(0, 3), range(3, 6), range(6, 8)]
    """
    size = max(1, -(-len(items) // parts))
    return [items[start : start + size] for start in range(0, len(items), size)]


@contextmanager
def _signals_held_back() -> Iterator[None]:
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(prepare: Callable[[Any], object] | None, given: Any) -> None:
    _end_with_parent()
    if prepare is not None:
        prepare(given)


def _end_with_parent() -> None:
    """Let a worker end when the process that wants its work is gone, even if that was killed."""
    if sys.platform == "linux":
        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
