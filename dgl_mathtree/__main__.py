"""``python -m dgl_mathtree`` is the ``mathtree`` command."""

import sys

from dgl_mathtree.cli import main

if __name__ == "__main__":
    sys.exit(main())
