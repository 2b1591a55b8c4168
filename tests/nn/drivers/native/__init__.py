import pytest

from dgl_mathtree.nn.drivers.native.library import LibraryError, load_library

try:
    REASON = load_library() and ""
except LibraryError as error:
    REASON = str(error)
NEEDS_LIBRARY = pytest.mark.skipif(bool(REASON), reason=REASON)
