"""Training verifiers: configuration, run folders and the loop."""

from dgl_mathtree.training.config import Config, ConfigError
from dgl_mathtree.training.errors import RunError
from dgl_mathtree.training.runs import load
from dgl_mathtree.training.trainer import train

__all__ = ["Config", "ConfigError", "RunError", "load", "train"]
