"""The model process: it loads the model once and forks workers that answer requests.

A fork starts at once and shares the model's memory. A worker answers requests from its socket until that is closed. It
is ended by its own alarm when a request takes too long, whatever code it runs.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dgl_mathtree.errors import InputError
from dgl_mathtree.web.server.api import ENDPOINTS, error_fields, load_endpoints
from dgl_mathtree.web.server.limits import Limits

if TYPE_CHECKING:
    from dgl_mathtree.web.explain import Explainer

WARM_UP = [
    ("verify", "x = x + 1"),
    ("complete", "x + ? = x"),
    ("explain", "sin(x) = x"),
    ("explain", "x = y"),
    ("prove", "tan(x)*cot(x) = 1"),
]
"""Requests computed before the first fork."""
GROWTH = 64_000_000
"""Bytes by which a worker may grow before another replaces it."""
NO_MEMORY = ("allocate memory", "bad_alloc", "out of memory", "Cannot allocate")
"""What a RuntimeError or OSError says where torch or the system has no more memory."""


def fork_workers(control: socket.socket, run: str, limits: Limits) -> None:
    """Load a run's model, then fork a worker for every socket received, until the server closes its end.

    Once the model is loaded, the files that draw its explanations are sent; where it cannot be loaded, the reason.

    Parameters
    ----------
    control : socket.socket
        Connected to the server.
    run : str
        A run folder, or the word shipped.
    """
    from dgl_mathtree.web.explain.explain_page import drawing_script, drawing_style

    try:
        explainer = _load(run)
    except InputError as error:
        _send(control, {"error": str(error)})
        return
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # ended workers leave no zombies
    gc.collect()
    gc.freeze()  # the garbage collector of a worker does not touch, and so not copy, what is shared
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


def _send(control: socket.socket, fields: dict[str, object]) -> None:
    control.sendall(json.dumps(fields).encode("ascii") + b"\n")


def _load(run: str) -> Explainer:
    """Load a model and use it once: what is imported and compiled on first use is then shared by all workers."""
    from dgl_mathtree.training import load
    from dgl_mathtree.web.explain import Explainer

    explainer = Explainer(load(run))
    for name, equation in WARM_UP:  # a refusal, such as by a model with few words, does no harm
        compute(explainer, name, {"equation": equation}, Limits())
    return explainer


def _work(connection: socket.socket, explainer: Explainer, limits: Limits) -> None:
    """Answer requests, one line of JSON each.

    A worker first writes its process id in a line: the request has begun. Then follow a line of JSON with the status
    and size of the answer, and the answer.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    most = _peak_memory() + GROWTH
    with connection.makefile("rwb") as stream:
        for line in stream:
            signal.setitimer(signal.ITIMER_REAL, limits.working)
            stream.write(b"%d\n" % os.getpid())
            stream.flush()
            asked = json.loads(line)
            status, answer, fault = compute(explainer, asked["name"], asked["fields"], limits)
            last = _peak_memory() > most
            head = {"status": status, "size": len(answer), "last": last, "fault": fault}
            stream.write(json.dumps(head).encode("ascii") + b"\n" + answer)
            stream.flush()
            signal.setitimer(signal.ITIMER_REAL, 0)
            if last:  # its memory is returned, and another worker replaces it
                return


def compute(explainer: Explainer, name: str, fields: dict[str, Any], limits: Limits) -> tuple[int, bytes, str]:
    """The status and JSON of the answer to a checked request, and what went wrong if that is a fault of the server."""
    from dgl_mathtree.language import VocabularyError

    endpoint = ENDPOINTS[name]
    try:
        found = endpoint.compute(explainer, endpoint.request.model_construct(**fields), limits)
        answer = json.dumps(found, allow_nan=False).encode("ascii")
        endpoint.answer.validate_json(answer)
        return 200, answer, ""
    except (InputError, VocabularyError) as error:
        return 422, json.dumps(error_fields(error)).encode("ascii"), ""
    except Exception as error:
        if isinstance(error, MemoryError) or any(said in str(error) for said in NO_MEMORY):
            return 503, b'{"error": "this takes more memory than a request may have"}', ""
        said = b'{"error": "this is a fault of the server, which its terminal reports"}'
        return 500, said, f"{type(error).__name__}: {error}".replace("\n", " ")[:500]


def _peak_memory() -> int:
    """The most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _data_size() -> int | None:
    """The bytes of this process that RLIMIT_DATA counts, where the system tells."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    lines = status.read_text(encoding="ascii", errors="replace").splitlines()
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:")), None)


def main() -> None:
    """Run as a process of its own; arguments: a socket's file descriptor, a run, limits as JSON, further modules."""
    load_endpoints(sys.argv[4:])
    fork_workers(socket.socket(fileno=int(sys.argv[1])), sys.argv[2], Limits(**json.loads(sys.argv[3])))
