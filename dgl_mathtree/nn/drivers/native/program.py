"""A cell's step as a program: operations on the numbers of one node.

All numbers of a node are elements of one long row: the states of its children, what dropout multiplies with, and then
every value that the step makes. An operation names the elements it reads and writes. An element is set once and may
then be added to; whatever the gradient needs of it must not change after it was read (`check`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Elements = NDArray[np.int64]


class NotRecordable(Exception):
    """A step that cannot become a program; the message says why."""


class OpCode(IntEnum):
    """The operations, numbered as in csrc/interface.h."""

    FILL = 0
    COPY = 1
    SCALE = 2
    ACCUMULATE = 3
    ADD = 4
    MULTIPLY = 5
    MULTIPLY_ADD = 6
    SIGMOID = 7
    TANH = 8
    SOFTMAX = 9
    PRODUCT = 10
    VECTOR = 11
    ROW_PRODUCT = 12


ADDING = (OpCode.ACCUMULATE, OpCode.MULTIPLY_ADD)


class Role(IntEnum):
    """What a value is."""

    CHILD = 0
    MASK = 1
    OUT = 2
    MADE = 3


@dataclass(frozen=True)
class Value:
    """Elements `start` to `start + width`, which lie side by side in memory."""

    start: int
    width: int
    role: Role


@dataclass(eq=False)
class Elementwise:
    """d = or += a function of a and b, element by element.

    Attributes
    ----------
    d, a, b : arrays
        Elements, one of `a` and `b` for each of `d`.
    scale, shift : float
        The constants of FILL and SCALE.
    """

    code: OpCode
    d: Elements
    a: Elements | None = None
    b: Elements | None = None
    scale: float = 1.0
    shift: float = 0.0

    @property
    def adds(self) -> bool:
        """Whether it adds to what it writes."""
        return self.code in ADDING

    @property
    def operands(self) -> list[Elements]:
        return [x for x in (self.a, self.b) if x is not None]

    @property
    def reads(self) -> list[Elements]:
        """What it reads, what it adds to left out."""
        return self.operands

    @property
    def writes(self) -> Elements:
        return self.d

    @property
    def fixed(self) -> list[Elements]:
        """What must not change afterwards, since the gradient is computed from it."""
        if self.code in (OpCode.MULTIPLY, OpCode.MULTIPLY_ADD):
            return self.operands
        return [self.d] if self.code in (OpCode.SIGMOID, OpCode.TANH) else []

    def part(self, chosen: NDArray[Any]) -> Elementwise:
        """The same operation on some of its elements."""
        a, b = (None if x is None else x[chosen] for x in (self.a, self.b))
        return Elementwise(self.code, self.d[chosen], a, b, self.scale, self.shift)


@dataclass(eq=False)
class Block:
    """An operation on elements that must lie in evenly spaced rows.

    Attributes
    ----------
    out : array
        (rows, columns) elements that it writes.
    operands : dict
        By name, (rows, columns) each: `x` for all but VECTOR; `rest` (1, columns) and `matrix` (k, columns) for
        ROW_PRODUCT.
    weight, bias : int
        Parameters with an entry for each type, or -1.
    adds : bool
        Whether it adds to what it writes, as a PRODUCT may.
    """

    code: OpCode
    out: Elements
    operands: dict[str, Elements] = field(default_factory=dict)
    weight: int = -1
    bias: int = -1
    adds: bool = False

    @property
    def reads(self) -> list[Elements]:
        return [x.reshape(-1) for x in self.operands.values()]

    @property
    def writes(self) -> Elements:
        return self.out.reshape(-1)

    @property
    def fixed(self) -> list[Elements]:
        return [self.writes] if self.code is OpCode.SOFTMAX else self.reads


Operation = Elementwise | Block


@dataclass
class Program:
    """The operations of a node with this many children.

    Attributes
    ----------
    arity : int
        Number of children; the first values are their states.
    values : list of Value
        All values, in the order of their elements.
    operations : list
        In the order in which they are run.
    shapes : list
        Shapes of the cell's parameters.
    out : int
        The value that is the node's state.
    mask : int
        The value that dropout multiplies with, or -1.
    """

    arity: int
    shapes: list[tuple[int, ...]]
    values: list[Value] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    out: int = -1
    mask: int = -1

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.values[-1].start + self.values[-1].width if self.values else 0

    def new_value(self, width: int, role: Role = Role.MADE) -> int:
        """The number of a value added at the end."""
        self.values.append(Value(self.size, width, role))
        return len(self.values) - 1

    def elements(self, value: int) -> Elements:
        return self.values[value].start + np.arange(self.values[value].width)

    def roles(self) -> NDArray[np.int64]:
        """(elements,) the role of the value of each."""
        return np.repeat([v.role for v in self.values], [v.width for v in self.values])

    def value_of(self) -> NDArray[np.int64]:
        """(elements,) the value of each."""
        return np.repeat(np.arange(len(self.values)), [v.width for v in self.values])

    def check(self) -> None:
        """Raise unless elements are set once, before they are read, and do not change where that would matter."""
        state = np.isin(self.roles(), (Role.CHILD, Role.MASK)).astype(np.int64)  # 0 not set, 1 set, 2 fixed
        given = state.astype(bool)
        for operation in self.operations:
            if any((state[x] == 0).any() for x in operation.reads):
                raise NotRecordable("a value is read before it is set")
            target = operation.writes
            adds = operation.adds
            if given[target].any() or (state[target] == 2).any():
                raise NotRecordable("a value is changed in place after it was used")
            if adds and (state[target] == 0).any():
                raise NotRecordable("a value is added to before it is set")
            if not adds and (state[target] != 0).any():
                raise NotRecordable("a value is set twice")
            if len(np.unique(target)) < len(target):
                raise NotRecordable("an operation writes an element twice")
            state[target] = 1
            for x in operation.fixed:
                state[x] = 2
        if (state[self.elements(self.out)] == 0).any():
            raise NotRecordable("a part of the state is not set")
