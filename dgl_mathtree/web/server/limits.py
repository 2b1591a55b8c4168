"""How much a request may ask for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What the server refuses, and when it gives up; sizes in bytes, times in seconds.

    Attributes
    ----------
    head, body : int
        Size of a request's line and headers, and of its body.
    nodes : int
        Number of nodes of an equation.
    connections : int
        Connections open at once.
    waiting : int
        Requests that wait for a worker.
    workers : int
        Processes that compute answers.
    reading : float
        Time until a request has to be complete, and until its answer has to be read.
    waited : float
        Time after which a waiting request is told to try again.
    working : float
        Time after which a worker is ended and its request refused.
    memory : int
        Memory that a worker may use beyond what the model needs.
    """

    head: int = 8_000
    body: int = 10_000
    nodes: int = 2_000
    connections: int = 256
    waiting: int = 32
    workers: int = 2
    reading: float = 10.0
    waited: float = 10.0
    working: float = 10.0
    memory: int = 200_000_000
