"""Arguments that say where to write, checked before anything is computed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from dgl_mathtree.cli.command import CommandError
from dgl_mathtree.files import is_replaceable


def file_to_write(name: str, pipes: bool = True) -> Callable[[str], str]:
    """The type of an argument that names a file to write.

    Parameters
    ----------
    name : str
        What the argument is called.
    pipes : bool
        Whether it may be a pipe or a device.
    """

    def checked(text: str) -> str:
        if not text.strip():
            raise CommandError(f"{name} must name a file to write, not {text!r}")
        place = Path(os.path.realpath(text))
        try:
            replaceable = is_replaceable(text)
        except OSError as reason:
            raise CommandError(f"cannot write {text}: {reason.strerror or reason}") from None
        if Path(text).is_dir():
            raise CommandError(f"{name} must name a file to write, and {text} is a folder")
        if not replaceable and not pipes:
            raise CommandError(f"{name} must name a file to write, and {text} is a pipe or a device")
        if replaceable and not place.parent.is_dir():
            raise CommandError(f"cannot write {text}: there is no folder {place.parent}")
        if replaceable and not os.access(place.parent, os.W_OK | os.X_OK):
            raise CommandError(f"cannot write {text}: nothing may be written into {place.parent}")
        return text

    return checked


def folder_to_write(name: str) -> Callable[[str], str]:
    """The type of an argument that names a folder to make, or to go on with."""

    def checked(text: str) -> str:
        if not text.strip():
            raise CommandError(f"{name} must name a folder, not {text!r}")
        try:
            nothing = is_replaceable(text) and not os.path.exists(text)
        except OSError as reason:
            raise CommandError(f"cannot write {text}: {reason.strerror or reason}") from None
        if not (nothing or Path(text).is_dir()):
            what = "a file" if Path(text).is_file() else "a pipe or device"
            raise CommandError(f"{name} must name a folder, and {text} is {what}")
        return text

    return checked
