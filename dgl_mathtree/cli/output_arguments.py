"""Arguments that say where to write, checked before anything is computed."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from dgl_mathtree.cli.command_table import CommandError
from dgl_mathtree.files import is_replaceable


class FileToWrite(argparse.Action):
    """The action of an argument that names a file to write."""

    def __call__(self, parser: object, namespace: argparse.Namespace, values: Any, option: object = None) -> None:
        name = self.option_strings[0] if self.option_strings else str(self.metavar)
        setattr(namespace, self.dest, None if values is None else self.checked(values, name))

    @staticmethod
    def checked(text: str, name: str) -> str:
        """The file, if it can be written; it may be a pipe or a device."""
        if not text.strip():
            raise CommandError(f"{name} must name a file to write, not {text!r}")
        place = Path(os.path.realpath(text))
        replaceable = _is_replaceable(text)
        if Path(text).is_dir():
            raise CommandError(f"{name} must name a file to write, and {text} is a folder")
        if replaceable and not place.parent.is_dir():
            raise CommandError(f"cannot write {text}: there is no folder {place.parent}")
        if replaceable and not os.access(place.parent, os.W_OK | os.X_OK):
            raise CommandError(f"cannot write {text}: nothing may be written into {place.parent}")
        return text


class PlainFileToWrite(FileToWrite):
    """The action of an argument that names a file to write which may not be a pipe or a device."""

    @staticmethod
    def checked(text: str, name: str) -> str:
        """The file, if it can be written."""
        text = FileToWrite.checked(text, name)
        if not _is_replaceable(text):
            raise CommandError(f"{name} must name a file to write, and {text} is a pipe or a device")
        return text


class FolderToWrite(FileToWrite):
    """The action of an argument that names a folder to make, or to continue with."""

    @staticmethod
    def checked(text: str, name: str) -> str:
        """The folder, if there is one or one can be made."""
        if not text.strip():
            raise CommandError(f"{name} must name a folder, not {text!r}")
        nothing = _is_replaceable(text) and not os.path.exists(text)
        if not (nothing or Path(text).is_dir()):
            what = "a file" if Path(text).is_file() else "a pipe or device"
            raise CommandError(f"{name} must name a folder, and {text} is {what}")
        return text


def _is_replaceable(text: str) -> bool:
    try:
        return is_replaceable(text)
    except OSError as reason:
        raise CommandError(f"cannot write {text}: {reason.strerror or reason}") from None
