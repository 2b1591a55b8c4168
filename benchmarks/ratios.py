"""A benchmark run on this code and on another checkout in turn, and how many times as fast this one is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]


def in_turn(script: str, options: list[str], other: str, rounds: int) -> list[tuple[Any, Any]]:
    """What a benchmark prints as JSON, one object a line, for another checkout and for this one, round after round.

    Both run the same script, each on its own package, so that only the package differs.
    """
    return [(_run(script, options, Path(other)), _run(script, options, HERE)) for _ in range(rounds)]


def _run(script: str, options: list[str], checkout: Path) -> Any:
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve())}
    command = [sys.executable, script, *options, "--json"]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]
