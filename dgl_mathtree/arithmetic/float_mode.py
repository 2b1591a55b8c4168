"""Floating point in the mode that error bounds rest on.

Bounds hold where results are rounded to nearest and small ones lose their digits gradually, as IEEE 754 has it. A
thread may compute in another mode: ``torch.set_flush_denormal(True)``, for one, turns what is below 2^-1022 into 0 in
the thread that calls it and in those that it starts later. A bound that was flushed claims that a rounded value is
exact.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_SMALLEST_NORMAL = sys.float_info.min
_FAR_BELOW_ONE = 2.0**-60
_ENVIRONMENT_BYTES = 256
"""More than any C library needs for the state of the floating-point unit."""


def flushes_denormals() -> bool:
    """Whether this thread turns numbers below 2^-1022 into 0.

    Examples
    --------
    >>> flushes_denormals()
    False
    """
    return _SMALLEST_NORMAL * 0.5 == 0.0


def is_trusted() -> bool:
    """Whether this thread computes as error bounds need it: it keeps small numbers and rounds to nearest."""
    to_nearest = 1.0 + _FAR_BELOW_ONE == 1.0 == 1.0 - _FAR_BELOW_ONE
    return to_nearest and not flushes_denormals()


@contextmanager
def trusted_floats() -> Iterator[bool]:
    """Within it this thread computes in the mode of IEEE 754; afterwards in the one that it had.

    Yields
    ------
    bool
        Whether it does. It is False where the mode is another and the C library cannot change it: then floating point
        proves nothing, and callers must leave everything to ball arithmetic.
    """
    if is_trusted():
        yield True
        return
    if _FENV is None:
        yield False
        return
    get, set_, default = _FENV
    before = ctypes.create_string_buffer(_ENVIRONMENT_BYTES)
    get(before)
    set_(default)
    try:
        yield is_trusted()
    finally:
        set_(before)


def _find_fenv() -> tuple[Callable[..., Any], Callable[..., Any], Any] | None:
    """C's `fegetenv`, `fesetenv` and the environment that a program starts with, where they are known."""
    try:
        library = ctypes.CDLL(None)
        default: Any = ctypes.c_void_p(-1)  # FE_DFL_ENV of the C libraries of Linux
        if sys.platform == "darwin":
            default = ctypes.byref(ctypes.c_char.in_dll(library, "_FE_DFL_ENV"))
        elif not sys.platform.startswith("linux"):
            return None
        return library.fegetenv, library.fesetenv, default
    except (OSError, AttributeError, TypeError, ValueError):
        return None


_FENV = _find_fenv()
