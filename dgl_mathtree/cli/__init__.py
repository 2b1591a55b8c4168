"""The `mathtree` command."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
import threading
from collections.abc import Sequence

from dgl_mathtree import __version__
from dgl_mathtree.cli import benchmark, completion, corpus, experiments, expressions, training, verification
from dgl_mathtree.cli.command import BAD_INPUT, CommandError
from dgl_mathtree.errors import InputError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0, or 2 for bad input."""
    _speak_utf8()
    # One thread is the safe default: on a busy machine more of them wait for each other. It is read when torch loads.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _terminate)
    given = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args([_guarded(argument) for argument in given])
    options.arguments = list(given)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except (CommandError, InputError) as error:
        print(f"mathtree: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # The reader has gone (`mathtree ... | head`): nothing is left to say, and nothing to flush at exit.
        sys.stdout = None  # type: ignore[assignment]
        return 0
    except KeyboardInterrupt:
        print("mathtree: interrupted", file=sys.stderr)
        return 130
    except _Terminated:
        print("mathtree: terminated", file=sys.stderr)
        return 143


class _Terminated(BaseException):
    """Raised by SIGTERM, so that what was begun is cleared away."""


def _terminate(*_: object) -> None:
    raise _Terminated


def _guarded(argument: str) -> str:
    """An argument that argparse will not take for options: an equation may start with a minus."""
    starts_with_minus = argument.startswith("-") and not argument.startswith("--") and argument not in ("-", "-h")
    return f"{argument} " if starts_with_minus else argument


def _speak_utf8() -> None:
    """Read UTF-8 whatever the locale, and never fail to print."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8-sig", errors="replace")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mathtree", description="Neural reasoning over mathematical equations.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"mathtree {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    expressions.register(commands)
    corpus.register(commands)
    training.register(commands)
    verification.register(commands)
    completion.register(commands)
    experiments.register(commands)
    benchmark.register(commands)
    return parser
