import pytest

from dgl_mathtree.nn.drivers.native.library import LibraryError, load

try:
    REASON = load() and ""
except LibraryError as error:
    REASON = str(error)
NEEDS_LIBRARY = pytest.mark.skipif(bool(REASON), reason=REASON)
