"""The C code: found beside this file, where building the package puts it, and loaded for this processor."""

from __future__ import annotations

import ctypes
import platform
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

INTERFACE = 8
"""Has to be that of csrc/interface.h."""
FILE = Path(__file__).parent / "_kernels.so"
HOW = "install a C compiler (Debian: apt install gcc) and run `make native`, or `pip install` the package again"
SUFFIXES = {torch.float32: "f32", torch.float64: "f64"}


SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "forward": (ctypes.c_int, [ctypes.c_void_p]),
    "backward": (ctypes.c_int, [ctypes.c_void_p]),
    "square_norms": (ctypes.c_double, [ctypes.c_int64, ctypes.c_void_p, ctypes.c_double]),
    "adam": (None, [ctypes.c_int64, ctypes.c_void_p]),
    "find_awake": (None, [ctypes.c_int64, *[ctypes.c_void_p] * 3]),
}


class LibraryError(Exception):
    """There is no library that could be used; the message says why and what to do."""


@dataclass(frozen=True)
class Library:
    """The functions for one kind of processor.

    Attributes
    ----------
    variant : str
        ``v2``, ``v3``, ``v4`` for x86-64 or ``generic``.
    variants : tuple of str
        Those that the file holds and this processor can run.
    forward, backward : dict
        For each dtype a function of a pass.
    square_norms, adam, find_awake : dict
        For each dtype the functions of csrc/adam.h.
    cut : callable
        That of csrc/cutting.c.
    """

    variant: str
    variants: tuple[str, ...]
    forward: dict[torch.dtype, Any]
    backward: dict[torch.dtype, Any]
    square_norms: dict[torch.dtype, Any]
    adam: dict[torch.dtype, Any]
    find_awake: dict[torch.dtype, Any]
    cut: Any


@lru_cache(maxsize=1)
def _file() -> ctypes.CDLL:
    if not FILE.is_file():
        raise LibraryError(f"the C code was not built: {HOW}")
    try:
        library = ctypes.CDLL(str(FILE))
        number = library.mathtree_interface()
    except (OSError, AttributeError) as error:
        raise LibraryError(f"{FILE.name} cannot be loaded ({error}): {HOW}") from None
    if number != INTERFACE:
        raise LibraryError(f"{FILE.name} was built from other sources: {HOW}")
    return library


@lru_cache(maxsize=8)
def load_library(variant: str | None = None) -> Library:
    """The library, for the best variant that the processor can run or for another one.

    Raises
    ------
    LibraryError
        Where there is none.
    """
    library = _file()
    library.mathtree_variant.restype = ctypes.c_char_p
    found = [library.mathtree_variant(k) for k in range(8)]
    variants = tuple(name.decode() for name in found if name)
    if not variants:
        raise LibraryError(f"{FILE.name} was built for another processor than {platform.machine()}: {HOW}")
    variant = variant or variants[0]
    if variant not in variants:
        raise LibraryError(f"this processor cannot run the variant {variant}, only {', '.join(variants)}")
    functions: list[Any] = []
    for name, (result, arguments) in SIGNATURES.items():
        table = {dtype: getattr(library, f"{name}_{suffix}_{variant}") for dtype, suffix in SUFFIXES.items()}
        for function in table.values():
            function.restype, function.argtypes = result, arguments
        functions.append(table)
    functions.append(library.mathtree_cut)
    functions[-1].argtypes = [ctypes.c_void_p]
    return Library(variant, variants, *functions)
