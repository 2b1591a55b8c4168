"""The rows of the table of commands in docs/commands.md, from what the commands say of themselves."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from dgl_mathtree.cli.command_table import command_modules

MANY = 12
"""From as many options on, a row names only those that must be given: `mathtree COMMAND --help` lists all."""


def command_rows() -> Iterator[list[str]]:
    """For each command its usage and what it does, in the order of `mathtree --help`."""
    commands = argparse.ArgumentParser(prog="mathtree").add_subparsers()
    for module in command_modules():
        module.register(commands)
    for action in commands._choices_actions:
        usage = _usage(commands.choices[action.dest])
        yield [f"`{usage}`", (action.help or "").rstrip(".")]


def _usage(command: argparse.ArgumentParser) -> str:
    """The usage in one line: first what must be given, then the options."""
    options = [action for action in command._actions if action.option_strings and action.help != argparse.SUPPRESS]
    command.formatter_class = lambda prog: argparse.HelpFormatter(prog, width=10_000)
    text = command.format_usage().removeprefix(f"usage: {command.prog} ").replace("[-h]", "").replace(" | ", "|")
    parts = re.findall(r"\[[^][]*(?:\[[^][]*\][^][]*)*\]|[^\s[]+(?: \[[^]]*\.\.\.\])?", text)
    optional = [part for part in parts if part.startswith("[-")]
    needed = [part for part in parts if part not in optional]
    return " ".join([command.prog, *needed, *(["[...]"] if len(options) > MANY else optional)])
