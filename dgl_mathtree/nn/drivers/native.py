"""The driver ``native``: the step recorded once and run in C; see `dgl_mathtree.nn.native`."""

from __future__ import annotations

from dgl_mathtree.nn.drivers import Driver, register
from dgl_mathtree.nn.native.driver import dots, run
from dgl_mathtree.nn.native.engine import obstacle

register(Driver("native", obstacle, run, dots))
