"""What the steps of an epoch leave behind: losses, norms of gradients and logits, on the device until the epoch ends.

Reading a number from a GPU makes the host wait until all that was asked of it is done. So the numbers are kept there,
and read at once at the end. On the CPU there is nothing to wait for, and they can be seen after each step.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class EpochRecord:
    """The numbers of an epoch.

    Parameters
    ----------
    steps : int
        Number of batches.
    items : int
        Number of equations, or other items, of this process.
    device : str or torch.device
        Where they are computed.

    Examples
    --------
    >>> record = EpochRecord(steps=2, items=3, device="cpu")
    >>> record.add(torch.tensor(0.5), torch.tensor(1.0), torch.tensor([2.0, -1.0]))
    >>> record.add(torch.tensor(0.25), torch.tensor(3.0), torch.tensor([4.0]))
    >>> record.latest
    (0.25, 3.0)
    >>> record.losses.tolist(), record.norms.tolist(), record.logits.tolist()
    ([0.5, 0.25], [1.0, 3.0], [2.0, -1.0, 4.0])
    """

    def __init__(self, steps: int, items: int, device: str | torch.device) -> None:
        self._losses, self._norms = (torch.zeros(steps, device=device) for _ in range(2))
        self._logits: torch.Tensor | None = None
        self.steps, self.items, self._all = 0, 0, items
        here = self._losses.device.type == "cpu"
        self._seen = [each.numpy() for each in (self._losses, self._norms)] if here else None

    @property
    def latest(self) -> tuple[float, float] | None:
        """The loss and the norm of the last step, where they can be seen without waiting."""
        if self._seen is None:
            return None
        loss, norm = (float(each[self.steps - 1]) for each in self._seen)
        return loss, norm

    def add(self, loss: torch.Tensor, norm: torch.Tensor, logits: torch.Tensor) -> None:
        """The next step's loss and norm of the gradient, and the logits of this process's items."""
        self._losses[self.steps] = loss.detach()
        self._norms[self.steps] = norm.detach()
        if self._logits is None:
            self._logits = torch.zeros(self._all, *logits.shape[1:], device=self._losses.device)
        self._logits[self.items : self.items + len(logits)] = logits.detach()
        self.steps, self.items = self.steps + 1, self.items + len(logits)

    @property
    def losses(self) -> Floats:
        """(steps,) so far; reading them may wait for the device, as may all that follow."""
        return _read(self._losses, self.steps)

    @property
    def norms(self) -> Floats:
        """(steps,) so far."""
        return _read(self._norms, self.steps)

    @property
    def logits(self) -> Floats:
        """(items, ...) so far, in the order in which they were added."""
        return np.zeros(0) if self._logits is None else _read(self._logits, self.items)

    def first_not_finite(self) -> int | None:
        """The number from 0 of the first step whose gradient was not finite."""
        bad = np.flatnonzero(~np.isfinite(self.norms))
        return int(bad[0]) if len(bad) else None


def _read(values: torch.Tensor, count: int) -> Floats:
    return values.cpu().numpy()[:count].astype(np.float64)
