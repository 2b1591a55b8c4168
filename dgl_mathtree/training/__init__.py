"""Training verifiers: configuration, run folders and the loop."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dgl_mathtree.training.config import Config, ConfigError
    from dgl_mathtree.training.errors import RunError
    from dgl_mathtree.training.runs import load
    from dgl_mathtree.training.trainer import train

__all__ = ["Config", "ConfigError", "RunError", "load", "train"]

_PLACES = {"Config": "config", "ConfigError": "config", "RunError": "errors", "load": "runs", "train": "trainer"}


def __getattr__(name: str) -> Any:
    """The trainer brings torch and DGL along; the command line needs the defaults alone."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
