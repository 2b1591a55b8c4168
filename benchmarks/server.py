"""The server under many clients at once: `python benchmarks/server.py [--clients 50] [--seconds 60] [--json]`.

Every client asks one thing after the other: usual equations, ones made to be slow (towers of powers, nests of hundreds
of functions, near 2,000 nodes, numbers of thousands of digits), and broken requests. A tenth of the clients are slow:
they send half of a request and wait. Counted are the answers by status, what got none, how long they took, and the
memory of the server and all its processes, with what they share counted once, and as the sum of their resident sizes.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

USUAL = [
    "sin(x)^2 + cos(x)^2 = 1",
    "sin(x + y) = sin(x) + sin(y)",
    "sqrt(x^2) = x",
    r"\frac{x^2-1}{x-1} = x+1",
    "x = 1",
]
BLANKS = ["sin(x)^2 + ? = 1", "x + ? = 2x"]
NASTY = [
    "x^x^x^x = x",
    "9^9^9^9^x = 1",
    "sin(" * 400 + "x" + ")" * 400 + " = x",
    "x^" + "9" * 3000 + " = " + "7" * 3000,
    "+".join(f"x*{k}" for k in range(240)) + "=" + "+".join(f"x*{k}" for k in range(240)),
    "+".join(f"x_{k}" for k in range(450)) + "=" + "+".join(f"x_{k}" for k in range(450)),
    "?=" + "+".join(f"x*{k}" for k in range(490)),
    "+".join(["x"] * 1100) + "= x",
]
BROKEN = ["{", '{"equation": 1}', '{"equation": "sine(x) = 1"}', '{"equation": "' + "x" * 11_000 + '"}']


class Load:
    """What clients have seen."""

    def __init__(self, port: int, seconds: float) -> None:
        self.port, self.end = port, time.monotonic() + seconds
        self.statuses: Counter[str] = Counter()
        self.taken: list[float] = []
        self.lock = threading.Lock()

    def client(self, number: int) -> None:
        chance = random.Random(number)
        while time.monotonic() < self.end:
            if number % 10 == 9:
                self.count(f"slow {self.slow()}")
                continue
            kind = chance.choices(("usual", "nasty", "broken"), (0.8, 0.1, 0.1))[0]
            start = time.monotonic()
            status, pause = self.ask(*self.question(kind, chance))
            self.count(f"{kind} {status}")
            if status == 200:
                self.taken.append(time.monotonic() - start)
            time.sleep(pause)

    def question(self, kind: str, chance: random.Random) -> tuple[str, str]:
        if kind == "broken":
            return "verify", chance.choice(BROKEN)
        equation = chance.choice(NASTY if kind == "nasty" else [*USUAL, *BLANKS])
        names = ["complete", "explain"] if "?" in equation else ["parse", "verify", "verify", "explain"]
        return chance.choice(names), json.dumps({"equation": equation})

    def ask(self, name: str, body: str) -> tuple[int | str, float]:
        """The status of an answer, and the seconds after which one is told to come again."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("POST", f"/api/{name}", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            response.read()
            return response.status, float(response.headers.get("Retry-After", 0))
        except OSError as error:
            return f"no answer ({type(error).__name__})", 0.0
        finally:
            connection.close()

    def slow(self) -> int | str:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
                connection.sendall(b"POST /api/verify HTTP/1.1\r\nContent-Le")
                return int(connection.recv(1000).split()[1])
        except (OSError, IndexError) as error:
            return f"no answer ({type(error).__name__})"

    def count(self, what: str) -> None:
        with self.lock:
            self.statuses[what] += 1


def memory(root: int) -> tuple[int, int]:
    """The memory of a process and all below it in bytes: what they share counted once, and counted in each."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    family = {root}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    own = files = resident = 0
    for pid in family:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        sizes = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines[1:]}
        # Libraries are the same files in all of them, whatever other programs map them too.
        own, files = own + sizes["Pss_Anon"], max(files, sizes["Rss"] - sizes["Anonymous"])
        resident += sizes["Rss"]
    return own + files, resident


def measure(clients: int, seconds: float) -> dict[str, Any]:
    """Run a server under so many clients for so long, and stop it."""
    command = [sys.executable, "-m", "dgl_mathtree", "serve", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    port = urlsplit(server.stdout.readline()).port
    assert port is not None
    load = Load(port, seconds)
    threads = [threading.Thread(target=load.client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    peaks = [memory(server.pid)]
    while any(thread.is_alive() for thread in threads):
        peaks.append(memory(server.pid))
        time.sleep(0.2)
    start = time.monotonic()
    server.send_signal(signal.SIGTERM)
    _, errors = server.communicate(timeout=60)
    taken = sorted(load.taken)
    return {
        "clients": clients,
        "seconds": seconds,
        "requests": sum(load.statuses.values()),
        "statuses": dict(sorted(load.statuses.items())),
        "median_ms": round(1000 * statistics.median(taken)),
        "p95_ms": round(1000 * taken[int(0.95 * len(taken))]),
        "peak_mb": round(max(own for own, _ in peaks) / 1e6),
        "peak_rss_sum_mb": round(max(rss for _, rss in peaks) / 1e6),
        "stopped": {"code": server.returncode, "seconds": round(time.monotonic() - start, 2), "stderr": errors},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = measure(options.clients, options.seconds)
    if options.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:>16}  {value}")


if __name__ == "__main__":
    main()
