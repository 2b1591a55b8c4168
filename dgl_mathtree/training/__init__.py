"""Training verifiers: configuration, run folders and the loop."""

from dgl_mathtree.training.config import Config, ConfigError
from dgl_mathtree.training.runs import RunError, load
from dgl_mathtree.training.trainer import train

__all__ = ["Config", "ConfigError", "RunError", "load", "train"]
