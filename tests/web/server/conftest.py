from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.server.client import Server, running


@pytest.fixture(scope="package")
def server() -> Iterator[Server]:
    with running("waited=300, working=300") as started:  # however busy the machine is
        yield started


@pytest.fixture(scope="package")
def hurried() -> Iterator[Server]:
    """A server that gives up soon."""
    with running("working=0.5") as started:
        yield started
