"""What a command does not need, it does not import: each starts as soon as it can."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("torch", "dgl", "sklearn", "networkx", "pandas", "scipy", "sympy", "matplotlib", "ray")


PROGRAM = f"""
import contextlib, io, sys
from dgl_mathtree.cli import main
for arguments in {{}}:
    with contextlib.redirect_stdout(io.StringIO()) as written, contextlib.suppress(SystemExit):
        main(arguments)
    assert written.getvalue(), arguments
    print(*(name for name in {HEAVY!r} if name in sys.modules))
"""


def imported(commands: list[list[str]]) -> list[set[str]]:
    """The heavy packages that are loaded after each of some commands, run one after the other in a new process."""
    command = [sys.executable, "-c", PROGRAM.format(commands)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=200)
    assert not done.stderr
    return [set(line.split()) for line in done.stdout.splitlines()]


def test_what_needs_no_network_needs_no_torch() -> None:
    needed = [["--help"], ["verify", "--help"], ["parse", "x = x"], ["oracle", "x = x"]]
    needed += [["data", "paper"], ["serve", "--help"]]
    assert imported(needed) == [set()] * len(needed)


def test_scoring_needs_torch_alone() -> None:
    scoring = [["verify", "x + x = 2*x", "sqrt(x^2) = x"], ["complete", "sin(x)^2 + ? = 1"], ["nearest", "sin(2*x)"]]
    assert imported(scoring) == [{"torch"}] * len(scoring)
