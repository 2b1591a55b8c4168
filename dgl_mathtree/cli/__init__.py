"""The `mathtree` command."""

from __future__ import annotations

import argparse
import io
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from dgl_mathtree import __version__
from dgl_mathtree.cli.command_table import BAD_INPUT, CommandError, command_modules
from dgl_mathtree.errors import InputError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0, or 2 for bad input.

    Signals, streams and environment of the process are afterwards as they were before.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    with _surroundings():
        try:
            _check_text(given)
            options = _parser(given).parse_args([_guarded(argument) for argument in given])
            options.arguments = given
            code: int = options.run(options)
            sys.stdout.flush()
            return code
        except InputError as error:
            print(f"mathtree: {error}", file=sys.stderr)
            return BAD_INPUT
        except BrokenPipeError:
            return 0  # the reader has gone (`mathtree ... | head`): nothing is left to say
        except OSError as error:  # a full disk, a folder that may not be written: what no command foresaw
            print(f"mathtree: {error}", file=sys.stderr)
            return BAD_INPUT
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


# One thread is the safe default: on a busy machine more of them wait for each other. Both are read when torch loads.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "TORCH_CPP_LOG_LEVEL": "ERROR"}


@contextmanager
def _surroundings() -> Iterator[None]:
    """What a command needs of its process: SIGTERM raises, unset variables have defaults, printing never fails."""
    added = [name for name in ENVIRONMENT if name not in os.environ]
    streams = [stream for stream in (sys.stdout, sys.stderr) if isinstance(stream, io.TextIOWrapper)]
    handling = [stream.errors for stream in streams]
    in_main_thread = threading.current_thread() is threading.main_thread()
    os.environ.update((name, ENVIRONMENT[name]) for name in added)
    for stream in streams:
        stream.reconfigure(errors="replace")
    before = signal.signal(signal.SIGTERM, _terminate) if in_main_thread else None
    try:
        yield
    finally:
        if in_main_thread:
            # None: a handler that was not set from Python, and cannot be from here.
            signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)
        for stream, errors in zip(streams, handling, strict=True):
            if not stream.closed:
                stream.reconfigure(errors=errors)
        for name in added:
            os.environ.pop(name, None)


def _check_text(arguments: Sequence[str]) -> None:
    """Refuse what is not text: arguments are written to files and printed."""
    for number, argument in enumerate(arguments, start=1):
        if any("\ud800" <= letter <= "\udfff" for letter in argument):
            shown = argument.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            raise CommandError(f"argument {number} is not UTF-8 text: {shown}")


def _guarded(argument: str) -> str:
    """An argument that argparse will not take for options: an equation may start with a minus."""
    starts_with_minus = argument.startswith("-") and not argument.startswith("--") and argument not in ("-", "-h")
    return f"{argument} " if starts_with_minus else argument


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and what may have been meant; the usage is a --help away."""

    given: Sequence[str] = ()
    """All arguments, for messages."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"mathtree: {message}{self._meant(message)}; see {self.prog} --help\n")

    def _meant(self, message: str) -> str:
        """The command or option that is most like one that there is not, as a question."""
        import difflib  # needed here alone

        unknown = re.match(r"argument COMMAND: invalid choice: '(.*?)'|unrecognized arguments: .*?(--[^\s=]+)", message)
        if unknown is None or self._subparsers is None:
            return ""
        commands: Any = self._subparsers._group_actions[0].choices
        known = list(commands)
        if unknown[2]:
            command = next((commands[word] for word in self.given if word in commands), None)
            shown = [] if command is None else [each for each in command._actions if each.help != argparse.SUPPRESS]
            known = [flag for each in shown for flag in each.option_strings]
        found = difflib.get_close_matches(unknown[1] or unknown[2], known, 1)
        return f"; did you mean {found[0]}?" if found else ""


def _parser(given: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(prog="mathtree", description="Neural reasoning over mathematical equations.", allow_abbrev=False)
    parser.given = given
    parser.add_argument("--version", action="version", version=f"mathtree {__version__}")
    commands: argparse._SubParsersAction[Any] = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True
    )
    for module in command_modules():
        module.register(commands)
    return parser
