"""The files of the page: there once when the server starts, and matched by their exact names."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from dgl_mathtree.server.protocol import Response

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json",
}
FILES = ("playground.html", "playground.css", "playground.js", "icon.svg", "openapi.json")
FIRST = "playground.html"
"""What is shown at ``/``."""


def read_files() -> dict[str, Response]:
    """The answer for each path.

    Examples
    --------
    >>> read_files()["/openapi.json"].content_type
    'application/json'
    """
    folder = files("dgl_mathtree.server") / "static"
    return {f"/{'' if name == FIRST else name}": _response(name, (folder / name).read_bytes()) for name in FILES}


def given_files(texts: Mapping[str, str]) -> dict[str, Response]:
    """The answers for paths whose files are given as texts."""
    return {path: _response(path, text.encode()) for path, text in texts.items()}


def _response(name: str, body: bytes) -> Response:
    return Response(200, body, TYPES[name.rpartition(".")[2]])
