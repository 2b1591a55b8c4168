"""`mathtree check-proof`: checks stored proofs with the independent checker."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from dgl_mathtree.cli.command_table import BAD_INPUT, Commands, add_command
from dgl_mathtree.errors import InputError

LARGEST_FILE = 64 * 2**20
"""Bytes of a file of one object; one with an object a line may have any number of lines of this size."""


class _GivenTwiceError(ValueError):
    """An object that has a key twice: which of the two values counts is not said."""


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "check-proof",
        _run_check_proof,
        "Check proofs that `mathtree prove --json` printed.",
        "mathtree check-proof proof.json",
        epilog="The file holds one JSON object, or one a line; - is standard input. The checker does not know how a "
        "proof was found: it replays every step. A proof that does not check is one line on "
        "standard error and exit code 2.",
    )
    command.add_argument("file", metavar="FILE", help="a file of proofs in JSON, or - for standard input")


def _run_check_proof(options: argparse.Namespace) -> int:
    from dgl_mathtree.proof.check import ProofError, check

    code = 0
    for place, proof in _proofs(options.file):
        try:
            check(proof)
        except ProofError as error:
            print(f"mathtree: {place}: {error}", file=sys.stderr, flush=True)
            code = BAD_INPUT
        else:
            print(f"checked: {_claim(proof)}", flush=True)
    return code


def _claim(proof: dict[str, Any]) -> str:
    """What a proof shows, in one line: its equation, and the conditions under which it holds."""
    from dgl_mathtree.proof.shown_lines import plain_relation

    conditions = ", ".join(map(plain_relation, proof.get("conditions", ())))
    return " ".join((proof["equation"] + (f" for {conditions}" if conditions else "")).split())


def _proofs(name: str) -> Iterator[tuple[str, Any]]:
    """The proofs of a file, each with its place for messages."""
    shown = "standard input" if name == "-" else name
    try:
        file = sys.stdin if name == "-" else open(name, encoding="utf-8")  # noqa: SIM115
        with file:
            text = file.read(LARGEST_FILE + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text in UTF-8"
        raise InputError(f"{shown}: {reason}") from None
    if len(text) > LARGEST_FILE:
        raise InputError(f"{shown}: larger than {LARGEST_FILE // 2**20} MiB")
    lines = [(k, line) for k, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise InputError(f"{shown}: no proof")
    try:
        whole = _parsed(text)
    except _GivenTwiceError as error:
        raise InputError(f"{shown}: {error}") from None
    except ValueError:
        for number, line in lines:
            try:
                yield f"{shown}, line {number}", _parsed(line)
            except _GivenTwiceError as error:
                raise InputError(f"{shown}, line {number}: {error}") from None
            except ValueError as error:
                raise InputError(f"{shown}, line {number}: not JSON: {str(error)[:80]}") from None
        return
    if isinstance(whole, list):
        raise InputError(f"{shown}: expected one JSON object, or one a line")
    yield shown, whole


def _parsed(text: str) -> Any:
    """JSON without the numbers that are none, keys given twice, and nesting that the parser cannot follow."""

    def refuse(word: str) -> float:
        raise ValueError(f"{word} is not a number")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entry = dict(pairs)
        if len(entry) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise _GivenTwiceError(f"{twice[:40]!r} is given twice")
        return entry

    try:
        return json.loads(text, parse_constant=refuse, object_pairs_hook=once)
    except RecursionError:
        raise ValueError("nested too deeply") from None
