"""The files of the page: read once when the server starts, and matched by their exact names."""

from __future__ import annotations

from importlib.resources import files

from dgl_mathtree.server.protocol import Response

# Where each is asked for, the package and name of the file, and its type.
FILES = {
    "/": ("dgl_mathtree.server", "static/playground.html", "text/html; charset=utf-8"),
    "/playground.css": ("dgl_mathtree.server", "static/playground.css", "text/css; charset=utf-8"),
    "/playground.js": ("dgl_mathtree.server", "static/playground.js", "text/javascript; charset=utf-8"),
    "/icon.svg": ("dgl_mathtree.server", "static/icon.svg", "image/svg+xml"),
    "/openapi.json": ("dgl_mathtree.server", "static/openapi.json", "application/json"),
}


def read_files() -> dict[str, Response]:
    """The answer for each path.

    Examples
    --------
    >>> read_files()["/openapi.json"].content_type
    'application/json'
    """
    return {
        path: Response(200, files(package).joinpath(name).read_bytes(), content_type)
        for path, (package, name, content_type) in FILES.items()
    }
