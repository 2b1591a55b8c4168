"""The process that has the model, and brings up a worker whenever it is asked for one.

A worker is a fork of it: there at once, with the model in memory that they share. It answers requests from its socket
until that is closed. One that works on a request for too long is ended by its own alarm, in whatever code it is.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dgl_mathtree.errors import InputError
from dgl_mathtree.server.limits import Limits
from dgl_mathtree.server.protocol import Refusal

if TYPE_CHECKING:
    from dgl_mathtree.explain import Explainer

WARMING = [("verify", "x = x + 1"), ("complete", "x + ? = x"), ("explain", "sin(x) = x"), ("explain", "x = y")]
"""What is asked before any worker is there."""
GROWTH = 64_000_000
"""Bytes by which a worker may grow before another takes its place."""


def tend(control: socket.socket, run: str, limits: Limits) -> None:
    """Load a run's model and fork a worker for every socket that comes, until none will.

    Once it is loaded, the files that draw its explanations are sent; where there is none, why.

    Parameters
    ----------
    control : socket.socket
        To the server.
    run : str
        A run folder, or the word shipped.
    """
    from dgl_mathtree.explain.page import drawing_script, drawing_style

    try:
        explainer = _warm(run)
    except InputError as error:
        _send(control, {"error": str(error)})
        return
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no worker is waited for
    gc.collect()
    gc.freeze()  # what is loaded stays shared: no worker's collection touches it
    memory = _data_size()
    _send(control, {"files": {"/explanation.js": drawing_script(), "/explanation.css": drawing_style()}})
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not message:
            return
        if os.fork() == 0:
            try:
                control.close()
                if memory is not None:
                    resource.setrlimit(resource.RLIMIT_DATA, (memory + limits.memory,) * 2)
                with socket.socket(fileno=descriptors[0]) as connection:
                    _work(connection, explainer, limits)
            finally:
                os._exit(0)  # whatever happens: never back into the loop
        os.close(descriptors[0])


def _send(control: socket.socket, facts: dict[str, object]) -> None:
    control.sendall(json.dumps(facts).encode("ascii") + b"\n")


def _warm(run: str) -> Explainer:
    """Who answers, after having done everything once: what is loaded and compiled on first use is shared too."""
    from dgl_mathtree.explain import Explainer
    from dgl_mathtree.server.answers import answer
    from dgl_mathtree.training import load

    explainer = Explainer(load(run))
    for name, equation in WARMING:
        with suppress(Refusal):  # a model that knows too few words: a request will hear of it
            answer(explainer, name, json.dumps({"equation": equation}), Limits())
    return explainer


def _work(connection: socket.socket, explainer: Explainer, limits: Limits) -> None:
    """Answer requests, a line of JSON each, with lines of JSON."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    most = _peak() + GROWTH
    with connection.makefile("rwb") as stream:
        for line in stream:
            signal.setitimer(signal.ITIMER_REAL, limits.working)
            reply = _reply(explainer, json.loads(line), limits)
            last = _peak() > most
            stream.write(json.dumps(reply | {"last": last}).encode("ascii") + b"\n")
            signal.setitimer(signal.ITIMER_REAL, 0)
            stream.flush()
            if last:  # what it has taken is given back, and another worker is soon there
                return


def _reply(explainer: Explainer, asked: dict[str, str], limits: Limits) -> dict[str, Any]:
    from dgl_mathtree.server.answers import answer

    try:
        return {"answer": answer(explainer, asked["name"], asked["body"], limits)}
    except Refusal as refusal:
        return {"status": refusal.status, "reason": refusal.reason, "place": refusal.place}
    except Exception as error:  # a fault of ours: the server tells of it, and the worker is as good as before
        return {"fault": f"{type(error).__name__}: {error}"[:500]}


def _peak() -> int:
    """The most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _data_size() -> int | None:
    """The bytes of this process that a limit of its data is about, where the system tells."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    lines = status.read_text(encoding="ascii", errors="replace").splitlines()
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:")), None)


def main() -> None:
    """What the server starts: the arguments are the number of a socket, a run, and limits as JSON."""
    tend(socket.socket(fileno=int(sys.argv[1])), sys.argv[2], Limits(**json.loads(sys.argv[3])))
