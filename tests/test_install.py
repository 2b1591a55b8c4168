from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.install import main, told

ROOT = Path(__file__).parent.parent
PRINTED = """Looking in indexes: somewhere
Collecting torch
  Downloading torch-2.13.0-cp311-cp311-linux_x86_64.whl (191.2 MB)
  Using cached https/nowhere/scipy-1.15.1-cp311-linux.whl (37.6 MB)
  Downloading six-1.16.0-py2.py3-none-any.whl (11 kB)
  Downloading small-1.0-py3-none-any.whl (1.2 MB)
Building editable for dgl-mathtree (pyproject.toml): started
Installing collected packages: torch, scipy, six
"""


def test_the_large_steps_are_told_when_they_start_and_the_exit_code_is_kept(capfd: pytest.CaptureFixture[str]) -> None:
    said = [found for line in PRINTED.splitlines() if (found := told(line))]
    assert said == [
        "downloading torch 2.13.0, 191.2 MB",
        "using cached scipy 1.15.1, 37.6 MB",
        "building editable for dgl-mathtree",
        "installing 3 packages",
    ]
    assert main(["-c", f"print({PRINTED!r})"]) == 0
    out, err = capfd.readouterr()
    assert [line.partition("] ")[2] for line in out.splitlines()] == said and err == ""
    assert main(["-c", "import sys; print('ERROR: no matching distribution'); sys.exit(3)"]) == 3
    out, err = capfd.readouterr()
    assert "no matching distribution" in out and "no matching distribution" in err


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_says_what_to_expect_before_it_installs() -> None:
    named = f"PYTHON={sys.executable}"
    done = subprocess.run(
        ["make", "-n", "-B", "demo", named], cwd=ROOT, capture_output=True, text=True, check=True, timeout=100
    )
    expected, first = done.stdout.index("about 2 GB on disk"), done.stdout.index("pip install")
    assert expected < done.stdout.index("-m venv") < first and "--quiet" not in done.stdout
