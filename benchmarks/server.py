"""The server under load: `python benchmarks/server.py [--clients 50] [--seconds 60] [--requests 10000] [--slow 300]`.

Each of the three measurements starts a server of its own on loopback; 0 leaves one out.

- Clients at once, for a time: each sends one request after the other: usual equations, ones made to be slow (towers of
  powers, nests of hundreds of functions, near 2,000 nodes, numbers of thousands of digits), and broken requests. A
  tenth of the clients send half of a request and wait.
- Many requests, four at a time, one in twenty an explanation or completion: the memory after each tenth of them.
- Slow connections: many send half of a request and wait, while quick requests are timed.

Reported are the answers by status, how many got none, times, and the memory of the server and all its processes, with
what they share counted once, and as the sum of their resident sizes.
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
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
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


@contextmanager
def running() -> Iterator[tuple[int, int, dict[str, Any]]]:
    """A server: its process, its port, and a place for how it stopped, filled in at the end."""
    command = [sys.executable, "-m", "dgl_mathtree", "serve", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    port = urlsplit(server.stdout.readline()).port
    assert port is not None
    stopped: dict[str, Any] = {}
    try:
        yield server.pid, port, stopped
    finally:
        start = time.monotonic()
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate(timeout=60)
        seconds = round(time.monotonic() - start, 2)
        stopped |= {"code": server.returncode, "seconds": seconds, "stderr": errors}


def measure_clients(clients: int, seconds: float) -> dict[str, Any]:
    """So many clients at once, for so long."""
    with running() as (process, port, stopped):
        load = Load(port, seconds)
        threads = [threading.Thread(target=load.client, args=(number,)) for number in range(clients)]
        for thread in threads:
            thread.start()
        peaks = [memory(process)]
        while any(thread.is_alive() for thread in threads):
            peaks.append(memory(process))
            time.sleep(0.2)
    taken = sorted(load.taken)
    return {
        "clients": clients,
        "seconds": seconds,
        "requests": sum(load.statuses.values()),
        "unanswered": sum(count for what, count in load.statuses.items() if "no answer" in what),
        "statuses": dict(sorted(load.statuses.items())),
        "median_ms": round(1000 * statistics.median(taken)),
        "p95_ms": round(1000 * taken[int(0.95 * len(taken))]),
        "peak_mb": round(max(own for own, _ in peaks) / 1e6),
        "peak_rss_sum_mb": round(max(rss for _, rss in peaks) / 1e6),
        "stopped": stopped,
    }


def measure_requests(requests: int) -> dict[str, Any]:
    """So many requests, four at a time: does the memory grow?"""
    with running() as (process, port, stopped):
        load = Load(port, 0)
        descriptors = Path(f"/proc/{process}/fd")
        sizes, counts = [], []
        start = time.monotonic()

        def send(number: int) -> None:
            equation = USUAL[number % 5] if number % 40 else BLANKS[0]
            name = ("explain" if number % 20 == 10 else ("parse", "verify")[number % 2]) if number % 40 else "complete"
            load.count(str(load.ask(name, json.dumps({"equation": equation}))[0]))

        with ThreadPoolExecutor(4) as pool:
            for tenth in range(10):
                list(pool.map(send, range(tenth * requests // 10, (tenth + 1) * requests // 10)))
                sizes.append(memory(process)[0])
                counts.append(len(list(descriptors.iterdir())))
        took = time.monotonic() - start
    return {
        "requests": requests,
        "statuses": dict(load.statuses),
        "per_second": round(requests / took),
        "memory_mb_by_tenth": [round(size / 1e6) for size in sizes],
        "descriptors_by_tenth": counts,
        "stopped": stopped,
    }


def measure_slow(connections: int) -> dict[str, Any]:
    """So many half-sent requests, and quick ones beside them."""
    with running() as (process, port, stopped):
        load = Load(port, 0)
        with ThreadPoolExecutor(connections) as pool:
            waiting = [pool.submit(load.slow) for _ in range(connections)]
            times = []
            while not all(each.done() for each in waiting):
                start = time.monotonic()
                load.count(f"quick {load.ask('parse', json.dumps({'equation': USUAL[0]}))[0]}")
                times.append(time.monotonic() - start)
                time.sleep(0.1)
            size = memory(process)[0]
        for each in waiting:
            load.count(f"slow {each.result()}")
    return {
        "slow_connections": connections,
        "statuses": dict(sorted(load.statuses.items())),
        "quick_median_ms": round(1000 * statistics.median(times), 1),
        "memory_mb": round(size / 1e6),
        "stopped": stopped,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--slow", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = []
    if options.clients:
        results.append(measure_clients(options.clients, options.seconds))
    if options.requests:
        results.append(measure_requests(options.requests))
    if options.slow:
        results.append(measure_slow(options.slow))
    for result in results:
        if options.json:
            print(json.dumps(result))
            continue
        for name, value in result.items():
            print(f"{name:>20}  {value}")
        print()


if __name__ == "__main__":
    main()
