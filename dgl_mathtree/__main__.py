"""``python -m dgl_mathtree`` is the ``mathtree`` command: here is what holds for its process as a whole."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # what signal is made of: at hand at once, when Ctrl-C may come
import os
import sys


def main() -> int:
    """Run the command that this process was started for; the exit code is that of `dgl_mathtree.cli.main`."""
    interruptible = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
    if interruptible:
        _signal.signal(_signal.SIGINT, _leave)
    from dgl_mathtree.cli import main as run_command

    if interruptible:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    _open_streams()
    sys.stdin.reconfigure(encoding="utf-8-sig", errors="replace")  # type: ignore[union-attr]
    code = run_command()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = None  # type: ignore[assignment]  # what is left for nobody to read is not flushed at exit either
    return code


def _open_streams() -> None:
    """Give a stream that was closed before the start (``>&-``) a place to go, so that no command has to ask."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115  # open as long as the process
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _leave(*_: object) -> None:
    """End at once: while the program is loaded there is nothing to clear away, and no code expects an exception."""
    os.write(2, b"mathtree: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    sys.exit(main())
