"""Work shared by the processes of a Ray cluster, with results in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from dgl_mathtree import __version__
from dgl_mathtree.data.process_map import OrderedMap, Place
from dgl_mathtree.ray_cluster import TRIES, PoolError, connected, import_ray


def on_cluster(address: str, workers: int | None = None) -> Place:
    """Work is done on a Ray cluster, whose machines need the same version of this package.

    Parameters
    ----------
    address : str
        Of the cluster, or ``local`` for one that is started here.
    workers : int, optional
        How many processes; by default one for each processor of the cluster.
    """
    import_ray()
    return partial(_ray_map, address, workers)


@contextmanager
def _ray_map(
    address: str, workers: int | None, prepare: Callable[[Any], object] | None = None, given: Any = None
) -> Iterator[OrderedMap]:
    """A `map` by processes that live as long as the block; see `ordered_map`. One that dies is started again."""
    with connected(address, workers) as ray:
        from ray.util import ActorPool

        kind = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=TRIES)(_Worker)
        shared = ray.put((prepare, given))
        actors: list[Any] = []

        def mapped(function: Callable[[Any], Any], jobs: Iterable[Any]) -> Iterator[Any]:
            waiting = list(jobs)
            if waiting and not actors:
                count = workers or int(ray.cluster_resources().get("CPU", 1))
                actors.extend(kind.remote(__version__, shared) for _ in range(count))
            if not waiting:
                return
            try:
                yield from ActorPool(actors).map(lambda actor, job: actor.run.remote(function, job), waiting)
            except ray.exceptions.RayTaskError as error:
                raise error.cause from None
            except ray.exceptions.RayActorError as error:
                reason = str(error).strip().splitlines()[-1]
                raise PoolError(f"a worker of the Ray cluster {address} cannot be had: {reason}") from None

        try:
            yield mapped
        finally:
            for actor in actors:
                ray.kill(actor)


class _Worker:
    """What a process of the cluster does."""

    def __init__(self, version: str, shared: tuple[Callable[[Any], object] | None, Any]) -> None:
        if version != __version__:
            raise PoolError(f"it has version {__version__} of dgl-mathtree, not {version}")
        prepare, given = shared
        if prepare is not None:
            prepare(given)

    def run(self, function: Callable[[Any], Any], job: Any) -> Any:
        return function(job)
