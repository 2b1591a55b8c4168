"""Where the time of training goes."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

COMPUTING = ("forward", "backward", "optimizer")


class Profile:
    """Seconds spent in each kind of work."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, work: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[work] += time.perf_counter() - start

    def shares(self) -> dict[str, float]:
        """The share of each kind of work in all that was measured."""
        whole = sum(self.seconds.values())
        return {work: seconds / whole for work, seconds in self.seconds.items()} if whole else {}

    def __str__(self) -> str:
        shares = self.shares()
        if not shares:
            return "time: nothing was trained"
        computing = sum(shares.get(work, 0.0) for work in COMPUTING)
        listed = ", ".join(f"{work} {share:.1%}" for work, share in shares.items())
        return f"time: {listed}; forward, backward and optimizer together {computing:.1%}"
