"""What all commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable

BAD_INPUT = 2
Commands = argparse._SubParsersAction  # the type of argparse's table of commands


class CommandError(Exception):
    """Bad input that ends a command: a message for standard error."""


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
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.set_defaults(run=run)
    return command
