"""The connection to a Ray cluster, for experiments and for the generation of data."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dgl_mathtree.errors import InputError

LOCAL = "local"
"""The address of a cluster that is started here, and ends with what it was started for."""
TRIES = 5
"""How often work is begun again whose worker dies."""
NICENESS = "RAY_worker_niceness"
"""The variable that Ray reads when it starts."""


class PoolError(InputError):
    """Workers that cannot be had."""


def import_ray() -> Any:
    """The module `ray`; a PoolError where it is not installed."""
    try:
        import ray
    except ImportError:
        raise PoolError("Ray is not installed: pip install 'dgl-mathtree[cluster]'") from None
    return ray


@contextmanager
def connected(address: str, workers: int | None = None) -> Iterator[Any]:
    """The module `ray`, connected to a cluster within the block, unless it was before.

    Parameters
    ----------
    address : str
        Of the cluster, or `LOCAL`.
    workers : int, optional
        Processors of a cluster that is started here; by default those of this machine.

    Raises
    ------
    PoolError
        Where Ray is not installed, or the cluster cannot be reached.
    """
    ray = import_ray()
    started = not ray.is_initialized()
    if started:
        _connect(ray, address, workers)
    try:
        yield ray
    finally:
        if started:
            ray.shutdown()


def _connect(ray: Any, address: str, workers: int | None) -> None:
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        try:  # Ray itself would wait for minutes
            socket.create_connection((host, int(port)), timeout=10).close()
        except OSError as error:
            raise PoolError(f"cannot reach the Ray cluster {address}: {error.strerror or error}") from None
    unset = address == LOCAL and NICENESS not in os.environ
    try:
        if unset:
            os.environ[NICENESS] = "0"  # else its workers wait for everything else
        if address == LOCAL:
            ray.init(num_cpus=workers or os.cpu_count(), include_dashboard=False, log_to_driver=False)
        else:
            ray.init(address=address, log_to_driver=False)
    except Exception as error:  # Ray raises many kinds
        raise PoolError(f"cannot reach the Ray cluster {address}: {str(error).splitlines()[0]}") from None
    finally:
        if unset:
            del os.environ[NICENESS]
