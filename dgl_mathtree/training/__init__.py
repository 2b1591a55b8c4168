"""Training of verifiers and of models of other trees: configuration, run folders and the loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dgl_mathtree.lazy import lazy

if TYPE_CHECKING:
    from dgl_mathtree.training.config import Config, ConfigError, RunError, Settings
    from dgl_mathtree.training.fitting import fit
    from dgl_mathtree.training.objectives import Objective
    from dgl_mathtree.training.progress import Bar, Progress
    from dgl_mathtree.training.run_folder import load
    from dgl_mathtree.training.trainer import train

__all__ = ["Bar", "Config", "ConfigError", "Objective", "Progress", "RunError", "Settings", "fit", "load", "train"]

# The trainer brings torch along; the command line needs the defaults alone.
__getattr__ = lazy(
    __name__,
    {
        "config": "Config ConfigError RunError Settings",
        "fitting": "fit",
        "objectives": "Objective",
        "progress": "Bar Progress",
        "run_folder": "load",
        "trainer": "train",
    },
)
