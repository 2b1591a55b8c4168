"""Makes DGL 2 importable beside a torch that its `dgl.graphbolt` was not built for.

DGL 2.1 imports `dgl.graphbolt`, which loads neighbours of large graphs, whenever `dgl` is imported. That part needs
`torchdata.datapipes`, which torchdata no longer has, and a library compiled for torch 2.0 to 2.2; without them
`import dgl` fails. Nothing else in DGL needs it, and this package does not. `install` puts a finder before Python's own
that gives an empty `dgl.graphbolt` where the real one cannot be loaded, and does nothing where it can.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False  # as in typing, without the time that importing typing takes
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

NAME = "dgl.graphbolt"


class _Placeholder:
    """The loader of the empty module, whose missing names say why they are missing."""

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        def missing(name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(f"module {NAME!r} has no attribute {name!r}")
            import torch

            raise AttributeError(
                f"{NAME}.{name} is not available: {NAME} of this DGL cannot be loaded with torch {torch.__version__}; "
                "dgl_mathtree replaced it by an empty module so that the rest of DGL can be imported"
            )

        setattr(module, "__getattr__", missing)  # noqa: B010  # of the module (PEP 562)


class GraphboltFinder:
    """Finds an empty `dgl.graphbolt` where the real one cannot be loaded."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != NAME or not path or loadable(path[0]):
            return None
        return ModuleSpec(name, _Placeholder())  # type: ignore[arg-type]  # a loader by its methods


def loadable(dgl_folder: str) -> bool:
    """Whether the `graphbolt` in DGL's folder has what it needs: its library for this torch, and datapipes."""
    from importlib.util import find_spec

    import torch

    library = f"libgraphbolt_pytorch_{torch.__version__.partition('+')[0]}.so"
    if not os.path.exists(os.path.join(dgl_folder, "graphbolt", library)):
        return False
    return find_spec("torchdata") is not None and find_spec("torchdata.datapipes") is not None


def install() -> None:
    """Put the finder in its place, once."""
    if not any(isinstance(finder, GraphboltFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, GraphboltFinder())  # type: ignore[arg-type]  # a finder by its method
