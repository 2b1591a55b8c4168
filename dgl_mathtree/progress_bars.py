"""Progress bars: on a terminal, in a notebook, and nowhere else."""

from __future__ import annotations

import sys
import warnings
from contextlib import AbstractContextManager
from typing import Any

from tqdm import TqdmWarning, tqdm


def in_notebook() -> bool:
    """Whether the program runs in a notebook's kernel."""
    found = sys.modules.get("IPython")
    shell = found.get_ipython() if found else None
    return shell is not None and "IPKernelApp" in shell.config


def bar(**options: Any) -> tqdm[Any]:
    """A progress bar with the options of tqdm; it shows nothing where the output is kept in a file."""
    if not in_notebook():
        return tqdm(disable=None, file=sys.stderr, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TqdmWarning)  # without ipywidgets the bar is of text, which will do
        from tqdm.auto import tqdm as suited
    # What a notebook gets on standard error looks like a failure.
    return suited(file=sys.stdout, mininterval=0.5, **options)


def above_bars() -> AbstractContextManager[None]:
    """What is printed inside stands above the bars of this terminal, which are drawn again below it."""
    return tqdm.external_write_mode(file=sys.stdout)  # type: ignore[no-any-return]
