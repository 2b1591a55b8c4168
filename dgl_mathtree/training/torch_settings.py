"""Settings of the whole process that training changes, and that are as before once it has ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from dgl_mathtree.arithmetic.float_mode import flushes_denormals

THREADS = 1
"""The safe default: on a busy machine several threads wait for each other."""


@contextmanager
def own_settings() -> Iterator[None]:
    """Within it torch computes as training needs it; afterwards, however it ends, as it did before.

    That is the number of threads, whether denormals are flushed (in the thread that calls) and the state of torch's
    generators, which training seeds.

    Examples
    --------
    >>> with own_settings():
    ...     inside = torch.get_num_threads(), flushes_denormals()
    >>> inside, flushes_denormals()
    ((1, True), False)
    """
    threads, flushed = torch.get_num_threads(), flushes_denormals()
    devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else ()  # type: ignore[no-untyped-call]
    with torch.random.fork_rng(devices):
        try:
            torch.set_num_threads(THREADS)
            # Moments of Adam that fade to the smallest numbers there are would make every step several times slower.
            torch.set_flush_denormal(True)
            yield
        finally:
            torch.set_flush_denormal(flushed)
            torch.set_num_threads(threads)
