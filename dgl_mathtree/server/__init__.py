"""A local page and a small JSON API: what `mathtree serve` runs (docs/serve.md)."""

from dgl_mathtree.server.limits import Limits
from dgl_mathtree.server.site import Site, serve
from dgl_mathtree.server.workers import ServerError

__all__ = ["Limits", "ServerError", "Site", "serve"]
