"""Run pip and say what it does, a line for every large step: python tools/install.py -m pip install ...

pip alone is either silent for minutes or prints hundreds of lines. The exit code is pip's; what it says of an error is
printed whole.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence

LARGE = 5.0
"""Megabytes from which on a download is worth a line."""
_FETCHED = re.compile(r"\s*(Downloading|Using cached) (?:\S*/)?(\S+?)-(\d[^-]*)-\S+ \(([\d.]+) (MB|GB)\)")
_BUILT = re.compile(r"\s*(Building (?:wheel|editable)) for ([\w.-]+)")
_INSTALLED = re.compile(r"Installing collected packages: (.*)")


def told(line: str) -> str | None:
    """What to say of a line that pip prints; None for most of them.

    Examples
    --------
    >>> told("  Downloading torch-2.13.0-cp311-cp311-linux_x86_64.whl (191.2 MB)")
    'downloading torch 2.13.0, 191.2 MB'
    >>> told("Collecting numpy")
    """
    if found := _FETCHED.match(line):
        how, name, version, size, unit = found.groups()
        return f"{how.lower()} {name} {version}, {size} {unit}" if unit == "GB" or float(size) >= LARGE else None
    if found := _BUILT.match(line):
        return f"{found[1].lower()} for {found[2]}"
    if found := _INSTALLED.match(line):
        return f"installing {len(found[1].split(','))} packages"
    return line.strip() if line.startswith(("ERROR", "error:")) else None


def main(arguments: Sequence[str]) -> int:
    """Run Python with some arguments, and tell what it prints."""
    start, lines = time.monotonic(), []
    unbuffered = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=unbuffered
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if said := told(line):
                print(f"[{time.monotonic() - start:4.0f} s] {said}", flush=True)
    if process.returncode:
        print("".join(lines[-40:]), file=sys.stderr)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
