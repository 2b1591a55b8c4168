"""The examples, run as their users run them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", str(EXAMPLES / name), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_verify() -> None:
    result = run("verify.py")
    assert result.returncode == 0
    assert len(result.stdout.splitlines()) == 9
    assert run("verify.py", "x = x").stdout.splitlines()[1].startswith("true")
    assert run("verify.py", "x =").returncode == 2


def test_other_trees_are_learnt() -> None:
    result = run("other_trees.py", "--steps", "150")
    assert result.returncode == 0, result.stderr
    shares = [float(line.split(": ")[1].rstrip("% right")) for line in result.stdout.splitlines()[-2:]]
    assert min(shares) > 98
