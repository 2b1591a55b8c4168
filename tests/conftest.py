from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

import dgl_mathtree  # noqa: F401  # tells DGL its backend before a test imports DGL


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Data sets keep what they read in a folder of the tests, not in the home of whoever runs them."""
    folder = tmp_path_factory.getbasetemp().parent / "dgl-cache"
    before = os.environ.get("DGL_DOWNLOAD_DIR")
    os.environ["DGL_DOWNLOAD_DIR"] = str(folder)
    yield
    if before is None:
        del os.environ["DGL_DOWNLOAD_DIR"]
    else:
        os.environ["DGL_DOWNLOAD_DIR"] = before
