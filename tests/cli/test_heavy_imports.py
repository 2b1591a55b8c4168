"""What a command does not need, it does not import: each starts as soon as it can."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("torch", "dgl", "sklearn", "networkx", "pandas", "scipy", "sympy", "matplotlib", "ray")


def imported(arguments: list[str]) -> set[str]:
    """The heavy packages that are loaded once a command has run, in a process of its own."""
    program = (
        "import sys\nfrom dgl_mathtree.cli import main\ntry:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        f"print(*(name for name in {HEAVY!r} if name in sys.modules), file=sys.stderr)"
    )
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=200)
    assert done.stdout
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["verify", "--help"], ["parse", "x = x"], ["oracle", "x = x"], ["data", "paper"], ["serve", "--help"]],
)
def test_what_needs_no_network_needs_no_torch(arguments: list[str]) -> None:
    assert imported(arguments) == set()


@pytest.mark.parametrize(
    "arguments",
    [["verify", "x + x = 2*x", "sqrt(x^2) = x"], ["complete", "sin(x)^2 + ? = 1"], ["nearest", "sin(2*x)"]],
)
def test_scoring_needs_torch_alone(arguments: list[str]) -> None:
    assert imported(arguments) == {"torch"}
