"""Neural reasoning over mathematical equations with recursive networks on DGL."""

__version__ = "0.1.0"
