"""Cells run natively: their own step is recorded as a small program, which C runs over whole batches.

==================== ================================================================================================
`program`            what a recorded step is
`record`             from a step to a program
`optimise`           shorter programs that compute the same
`layout`             a program as tables for C
`library`            the C code, built from `csrc`
`engine`             what was recorded of a cell, or why it cannot be
`passes`             passes over a plan, forward and backward
`buffers`            memory that is used again
`adam`               clipping and Adam
`cutting`            batches cut from a forest
==================== ================================================================================================
"""

from __future__ import annotations

from dgl_mathtree.nn.drivers import Driver, register
from dgl_mathtree.nn.drivers.native.engine import obstacle
from dgl_mathtree.nn.drivers.native.passes import pair_dots, run_program

register(Driver("native", obstacle, run_program, takes_weights=True, dots=pair_dots))
