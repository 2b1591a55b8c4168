"""Names that are imported when they are asked for, so that importing a package stays fast."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing, without the time that importing typing takes
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazy(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package (PEP 562) that imports its public names on first use.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    modules : mapping
        From each module, relative to the package, to the names that come from it, separated by blanks. A module with no
        names is itself a name of the package.

    Examples
    --------
    >>> find = lazy("dgl_mathtree", {"errors": "InputError", "language": ""})
    >>> find("InputError").__module__, find("language").__name__
    ('dgl_mathtree.errors', 'dgl_mathtree.language')
    """
    where = {name: module for module, names in modules.items() for name in names.split() or [module]}

    def find(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{where[name]}")
        return module if name == where[name] else getattr(module, name)

    return find
