"""What all commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

from dgl_mathtree.errors import InputError

SHOWN_FIRST = (
    *("expression_commands", "data_commands", "train_commands", "evaluate_command", "prove_command"),
    *("verify_command", "check_proof_command", "explain_command", "nearest_command", "blank_commands"),
    *("reproduce_commands", "serve_command", "benchmark", "doctor"),
)
"""Modules of commands in the order in which `mathtree --help` lists them; others follow by name."""
BAD_INPUT = 2
Commands = argparse._SubParsersAction  # the type of argparse's table of commands


class CommandError(InputError):
    """A value of an option or argument that a command does not accept."""


class _Paragraphs(argparse.HelpFormatter):
    """Help whose paragraphs are wrapped each by itself; examples, which can be copied, are left as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.split("\n\n")
        filled = [
            p if p.startswith("Example: ") else super(_Paragraphs, self)._fill_text(p, width, indent)
            for p in paragraphs
        ]
        return "\n\n".join(filled)


def add_command(
    commands: Commands[argparse.ArgumentParser],
    name: str,
    run: Callable[[argparse.Namespace], int],
    description: str,
    example: str,
    epilog: str = "",
) -> argparse.ArgumentParser:
    """Add a command with its help and an example of its use."""
    command = commands.add_parser(
        name,
        help=description,
        description=description,
        epilog=f"Example: {example}" + (f"\n\n{epilog}" if epilog else ""),
        formatter_class=_Paragraphs,
        allow_abbrev=False,
    )
    command.set_defaults(run=run)
    return command


def command_modules() -> list[ModuleType]:
    """The modules of this package that define commands: those named after commands, each with a function `register`."""
    package = __name__.rpartition(".")[0]
    found = [module.name for module in iter_modules([str(Path(__file__).parent)])]
    named = [name for name in found if name.endswith(("_command", "_commands")) and name not in SHOWN_FIRST]
    return [import_module(f"{package}.{name}") for name in (*SHOWN_FIRST, *sorted(named))]


def add_old_name(command: argparse.ArgumentParser, old: str, new: str) -> None:
    """Let an option be given by the name that it had in version 0.1.0, which no help mentions."""
    (same,) = (action for action in command._actions if new in action.option_strings)
    command.add_argument(
        old,
        dest=same.dest,
        type=same.type or str,
        choices=same.choices,
        metavar=same.metavar,
        default=argparse.SUPPRESS,
        help=argparse.SUPPRESS,
    )
