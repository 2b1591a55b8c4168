"""What can be wrong with a run."""

from __future__ import annotations

from dgl_mathtree.errors import InputError


class RunError(InputError):
    """A run folder that cannot be read or written: what and where."""
