"""Several processes that train one model: who this one is, and how they agree."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from numpy.typing import NDArray
from torch import nn


@dataclass(frozen=True)
class Processes:
    """The processes of a run: one, unless it was started by torchrun.

    Attributes
    ----------
    rank : int
        Number of this process.
    count : int
        How many there are.
    device : str
        Where this one computes.
    """

    rank: int = 0
    count: int = 1
    device: str = "cpu"

    @property
    def first(self) -> bool:
        """Whether this is the one that writes and speaks."""
        return self.rank == 0

    def wrap(self, network: nn.Module) -> Any:
        """The network, with its gradients averaged over all processes."""
        if self.count == 1:
            return network
        # A batch of nothing but leaves uses no weight of the cell.
        return nn.parallel.DistributedDataParallel(network, find_unused_parameters=True)

    def share(self, batch: NDArray[Any]) -> NDArray[Any]:
        """The part of a batch that this process computes; it may be empty."""
        return batch[self.rank :: self.count]

    def total(self, *values: float) -> list[float]:
        """Sums over all processes."""
        if self.count == 1:
            return list(values)
        device = self.device if self.device.startswith("cuda") else "cpu"  # mps has no double precision
        sums = torch.tensor(values, dtype=torch.float64, device=device)
        dist.all_reduce(sums)
        return sums.tolist()  # type: ignore[no-any-return]

    def wait(self) -> None:
        """Until all processes have come here."""
        if self.count > 1:
            dist.barrier()


@contextmanager
def joined(device: str) -> Iterator[Processes]:
    """The processes that torchrun started together with this one, or this one alone."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1 or "RANK" not in os.environ:
        yield Processes(device=device)
        return
    if device == "cuda":
        device = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if device.startswith("cuda") else "gloo")
    try:
        yield Processes(dist.get_rank(), count, device)
    finally:
        dist.destroy_process_group()
