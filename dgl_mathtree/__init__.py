"""Neural reasoning over mathematical equations with recursive networks on DGL."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as in typing, without the time that importing typing takes: see __main__
if TYPE_CHECKING:
    from typing import Any

    from dgl_mathtree.training import load

__version__ = "0.1.0"
__all__ = ["__version__", "load"]

# DGL that is not told its backend writes ~/.dgl/config.json and says so on standard output. It reads this when it is
# imported, which nothing in the package does before this line; no other backend can run the package.
os.environ["DGLBACKEND"] = "pytorch"


def __getattr__(name: str) -> Any:
    """`load` brings torch and DGL along, so it is imported when it is asked for."""
    if name == "load":
        from dgl_mathtree.training import load

        return load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
