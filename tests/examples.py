"""How many examples a property test takes: a part of them in the fast suite, all of them in the slow one."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

EVERY = os.environ.get("MATHTREE_EXAMPLES") == "all"
"""Set by `make test-slow`, which runs the property tests once more."""


def examples(count: int, fast: int | None = None, **options: Any) -> settings:
    """Settings for a property test of a number of examples; the fast suite tries a third of them, and at least 20."""
    if not EVERY:
        count = fast or max(-(-count // 3), min(count, 20))
    return settings(max_examples=count, deadline=None, **options)
