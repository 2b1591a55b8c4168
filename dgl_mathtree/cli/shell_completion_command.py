"""`mathtree shell-completion`: what a shell needs to complete commands, options and their choices."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from dgl_mathtree.cli.command_table import Commands, add_command

SHELLS = ("bash", "zsh", "fish")
Parsers = dict[str, argparse.ArgumentParser]


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "shell-completion",
        lambda options: _run(commands, options.shell),
        "Print what makes a shell complete commands and options",
        'eval "$(mathtree shell-completion bash)"',
        epilog="For good: add that line to ~/.bashrc or ~/.zshrc, or write the output for fish into "
        "~/.config/fish/completions/mathtree.fish.",
    )
    command.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")


def _run(commands: Commands[argparse.ArgumentParser], shell: str) -> int:
    parsers: Parsers = dict(commands.choices)
    print("\n".join(_fish(parsers) if shell == "fish" else _bash(parsers, zsh=shell == "zsh")))
    return 0


def _options(parser: argparse.ArgumentParser) -> Iterator[tuple[list[str], list[str]]]:
    """The names of every option that help shows, and its choices."""
    for action in parser._actions:
        if action.option_strings and action.help != argparse.SUPPRESS:
            yield (
                [name for name in action.option_strings if name.startswith("--")],
                list(map(str, action.choices or ())),
            )


def _bash(parsers: Parsers, zsh: bool) -> Iterator[str]:
    """A function for bash, which zsh runs as well; where nothing is known, files are completed."""
    if zsh:
        yield "autoload -U +X bashcompinit && bashcompinit"
    yield "_mathtree() {"
    yield '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""'
    yield f'    if [ "$COMP_CWORD" -eq 1 ]; then words="{" ".join(parsers)} --help --version"'
    yield '    else case "${COMP_WORDS[1]} $before" in'
    for name, parser in parsers.items():
        for options, choices in _options(parser):
            if choices:
                patterns = "|".join(f'"{name} {option}"' for option in options)
                yield f'        {patterns}) words="{" ".join(choices)}" ;;'
    yield '        *) case "${COMP_WORDS[1]}" in'
    for name, parser in parsers.items():
        yield f'            {name}) words="{" ".join(option for names, _ in _options(parser) for option in names)}" ;;'
    yield "        esac ;;"
    yield "    esac; fi"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$word"))'
    yield "}"
    yield "complete -o default -F _mathtree mathtree"


def _fish(parsers: Parsers) -> Iterator[str]:
    yield f"complete -c mathtree -n __fish_use_subcommand -f -a '{' '.join(parsers)}'"
    for name, parser in parsers.items():
        for options, choices in _options(parser):
            names = " ".join(f"-l {option[2:]}" for option in options)
            given = f" -x -a '{' '.join(choices)}'" if choices else ""
            yield f"complete -c mathtree -n '__fish_seen_subcommand_from {name}' {names}{given}"
