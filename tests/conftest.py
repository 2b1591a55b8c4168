from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings

import dgl_mathtree  # noqa: F401  # tells DGL its backend before a test imports DGL
from tests.examples import examples

settings.register_profile("mathtree", examples(100))
settings.load_profile("mathtree")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for garbage, which takes a fifth of the time: what is collected stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()  # no later search has to go through it either


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
