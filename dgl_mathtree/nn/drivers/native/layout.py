"""Programs as the tables that the C code reads: where each value is, and every operation as a row of numbers."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.nn.drivers.native.optimise import is_regular
from dgl_mathtree.nn.drivers.native.program import (
    Block,
    Elements,
    Elementwise,
    NotRecordable,
    OpCode,
    Operation,
    Program,
    Role,
)

MOST_VALUES = 256
CHUNK = 16
LARGE_CHUNK = 64
"""Nodes that are computed together where large weights go by, and no values are kept."""
BLOCK = 1024
BAD_ROW, BAD_LEAF = 1, 2
STRETCH = np.dtype([(name, "i8") for name in (
    "d d_at a a_at b b_at n a_step b_step a_first b_first times d_next a_next b_next"
).split()])  # fmt: skip
OPERATION = np.dtype(
    [(name, "i8") for name in (
        "code first count out out_at out_step in in_at in_step rest rest_at matrix matrix_at weight bias weight_size "
        "rows inputs outputs adds partner"
    ).split()] + [("scale", "f8"), ("shift", "f8")]
)  # fmt: skip
MAP = np.dtype([(name, "i8") for name in "weight weight_size outputs first count".split()])
"""As in csrc/interface.h."""
PRODUCTS = (OpCode.MULTIPLY, OpCode.MULTIPLY_ADD)
"""What may be repeated in one stretch."""
BLOCKS = ("out", "in", "rest", "matrix")
"""What names a value in the row of an operation that is not elementwise."""
FEWEST_ROWS = 32
"""Of a matrix that is made in parts: smaller ones fit into the nearest cache as a whole."""


def _structure(numbers: str, addresses: str) -> list[tuple[str, Any]]:
    return [(name, ctypes.c_int64) for name in numbers.split()] + [
        (name, ctypes.c_void_p) for name in addresses.split()
    ]


class ProgramTable(ctypes.Structure):
    _fields_ = _structure(
        "arity values operations out mask total adjoint_total chunk kept_total needed zeroed kept_zeroed",
        "width place adjoint_place kept_place operation stretch",
    )


class Layout:
    """One program as tables.

    Attributes
    ----------
    table : ProgramTable
        For C; it points into arrays that this object holds.
    uses : dict
        For each weight the sizes of its inputs, and of the rows that a node has, in all products with it.
    vectors : set of int
        Parameters that are read by type.
    biases : set of int
        Biases of products.
    total, needed : int
        Numbers of a node in all values that are computed, and in those that the gradient needs.
    """

    def __init__(self, program: Program) -> None:
        operations = _made_regular(program)
        used = np.zeros(program.size, dtype=bool)
        for operation in operations:
            for elements in (operation.writes, *operation.reads):
                used[elements] = True
        of, role = program.value_of(), program.roles()
        kept = [
            k for k, v in enumerate(program.values)
            if v.role is not Role.MADE or used[v.start : v.start + v.width].any()
        ]  # fmt: skip
        if len(kept) > MOST_VALUES:
            raise NotRecordable(f"the step makes {len(kept)} values for a node, more than {MOST_VALUES}")
        number = np.full(len(program.values), -1)
        number[kept] = np.arange(len(kept))
        starts = np.array([v.start for v in program.values])
        self._value, self._at = number[of], np.arange(program.size) - starts[of]
        self._width = np.array([program.values[k].width for k in kept])
        roles = np.array([program.values[k].role for k in kept])
        if vectors_and_maps(operations):
            raise NotRecordable("a parameter is used as a matrix and by its rows")
        if any(isinstance(o, Elementwise) and o.code in (OpCode.SIGMOID, OpCode.TANH) and (role[o.a] == Role.MASK).any()
               for o in operations):  # fmt: skip
            raise NotRecordable("a nonlinear function of the dropout mask")
        self._shapes = program.shapes
        self._stretches: list[NDArray[Any]] = []
        self._count = 0
        rows = np.zeros(len(operations), dtype=OPERATION)
        self.uses: dict[int, list[tuple[int, int]]] = {}
        for row, operation in zip(rows, operations, strict=True):
            if isinstance(operation, Elementwise):
                self._elementwise(row, operation)
            else:
                self._block(row, operation)
        self._find_partners(rows)
        self.chunk = LARGE_CHUNK if rows["partner"].any() else CHUNK
        products = rows[rows["code"] == OpCode.PRODUCT]
        self.biases = {int(b) for b in products["bias"] if b >= 0}
        self.vectors = {int(w) for w in rows["weight"][rows["code"] == OpCode.VECTOR]}
        made = roles == Role.MADE
        result = np.isin(np.arange(len(kept)), products["out"])
        fixed = np.isin(np.arange(len(kept)), [self._value[e] for o in operations for x in o.fixed for e in x])
        stretches = np.concatenate([*self._stretches, np.zeros(0, STRETCH)])
        zeroed = mark_first(rows, stretches, self._width, made)
        stretches = join_repeated(rows, stretches)
        kinds = [(made, fixed), (made & ~result, zeroed), (made & result, zeroed)]
        self._arrays = [self._width, *(self._places(*kind) for kind in kinds), rows, stretches]
        totals = [int(self._width[chosen].sum()) for chosen, _ in kinds]
        self.total, self.adjoint_total, self.kept_total = totals
        totals.insert(2, self.chunk)
        totals += [int(self._width[chosen & first].sum()) for chosen, first in kinds]
        self.needed = totals[4]
        mask = -1 if program.mask < 0 else int(number[program.mask])
        self.table = ProgramTable(
            program.arity, len(kept), len(rows), int(number[program.out]), mask, *totals,
            *(array.ctypes.data for array in self._arrays),
        )  # fmt: skip

    def _find_partners(self, rows: NDArray[Any]) -> None:
        """Note which map makes a matrix for one vector only: without a gradient it is never there as a whole."""
        table = np.concatenate([*self._stretches, np.zeros(0, STRETCH)])
        named = np.concatenate([table[name] for name in "dab"] + [rows[name][rows["count"] == 0] for name in BLOCKS])
        for at in np.flatnonzero(rows["code"] == OpCode.ROW_PRODUCT):
            row = rows[at]
            maps = np.flatnonzero((rows["code"] == OpCode.PRODUCT) & (rows["out"] == row["matrix"]))
            alone = len(maps) == 1 and (named == row["matrix"]).sum() == 2
            if not alone or row["rows"] != 1 or row["inputs"] < FEWEST_ROWS or row["outputs"] < FEWEST_ROWS:
                continue
            product = rows[maps[0]]
            whole = product["rows"] == 1 and product["outputs"] == row["inputs"] * row["outputs"]
            if whole and maps[0] < at and product["out_at"] == row["matrix_at"] == 0:
                product["partner"], row["partner"] = 1 + at, 1 + maps[0]

    def _places(self, chosen: NDArray[np.bool_], first: NDArray[np.bool_]) -> Elements:
        """Where the chosen values are among their numbers for a node, some of them before the others; else -1."""
        order = np.argsort(~first, kind="stable")
        sizes = np.where(chosen, self._width, 0)[order]
        places = np.empty(len(order), dtype=np.int64)
        places[order] = np.cumsum(sizes) - sizes
        return np.where(chosen, places, -1)

    def _elementwise(self, row: Any, operation: Elementwise) -> None:
        """As stretches in which the target moves by 1 and each operand by 0 or by 1, within one value."""
        d = operation.d
        lines = [d, *operation.operands]
        steps = np.stack([np.diff(line) for line in lines])
        same = np.stack([np.diff(self._value[line]) == 0 for line in lines]).all(axis=0)
        good = same & (steps[0] == 1) & (steps[1:] >= 0).all(axis=0) & (steps[1:] <= 1).all(axis=0)
        bounds = [0]
        for k in range(len(good)):
            inside = k > bounds[-1]
            if not good[k] or (inside and (steps[:, k] != steps[:, k - 1]).any()):
                bounds.append(k + 1)
        stops = [*bounds[1:], len(d)]
        table = np.zeros(len(bounds), dtype=STRETCH)
        table["a"] = table["b"] = -1
        for name, line in zip("dab", lines, strict=False):
            table[name], table[f"{name}_at"] = self._value[line[bounds]], self._at[line[bounds]]
        table["n"], table["times"] = np.array(stops) - bounds, 1
        for k, name in enumerate(("a_step", "b_step")[: len(lines) - 1]):
            table[name] = [
                1 if stop - start == 1 else steps[1 + k, start] for start, stop in zip(bounds, stops, strict=True)
            ]
        row["code"], row["scale"], row["shift"] = operation.code, operation.scale, operation.shift
        row["first"], row["count"] = self._count, len(table)
        self._count += len(table)
        self._stretches.append(table)

    def _block(self, row: Any, operation: Block) -> None:
        row["code"], row["weight"], row["bias"] = operation.code, operation.weight, operation.bias
        row["adds"], (row["rows"], row["outputs"]) = operation.adds, operation.out.shape
        row["in"] = row["rest"] = row["matrix"] = -1
        for name, elements in {"out": operation.out, **operation.operands}.items():
            field, first = {"x": "in"}.get(name, name), elements[0, 0]
            row[field], row[f"{field}_at"] = self._value[first], self._at[first]
            if field in ("in", "out"):
                step = elements[1, 0] - first if len(elements) > 1 else self._width[self._value[first]]
                row[f"{field}_step"] = step
        if "x" in operation.operands:
            row["inputs"] = operation.operands["x"].shape[1]
        if operation.weight >= 0:
            row["weight_size"] = np.prod(self._shapes[operation.weight][1:])
        if operation.code is OpCode.PRODUCT:
            self.uses.setdefault(operation.weight, []).append((int(row["inputs"]), int(row["rows"])))


def mark_first(
    rows: NDArray[Any], stretches: NDArray[Any], width: Elements, made: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Note at stretches where their adjoints are the first to give elements a gradient: it is set then, not added to.

    Returns
    -------
    numpy.ndarray
        (values,) those to which this does not apply as a whole: their gradients begin at 0 and are added to.
    """
    given = [np.zeros(w, dtype=bool) for w in width]
    zeroed = ~made
    for row in rows[::-1]:
        if not row["count"]:
            for value in (row[name] for name in BLOCKS if row[name] >= 0):
                zeroed[value] |= not given[value].all()
                given[value][:] = True
            continue
        some = stretches[row["first"] : row["first"] + row["count"]]
        for each in some:
            zeroed[each["d"]] |= not given[each["d"]][each["d_at"] :][: each["n"]].all()
        for each, name in ((each, name) for each in some for name in "ab" if each[name] >= 0):
            of = given[each[name]][each[f"{name}_at"] :][: each["n"] if each[f"{name}_step"] else 1]
            zeroed[each[name]] |= of.any() and not of.all()
            each[f"{name}_first"] = not of.any()
            of[:] = True
    for name in "ab":
        stretches[f"{name}_first"] &= (stretches[name] >= 0) & ~zeroed[stretches[name]]
    return zeroed


def join_repeated(rows: NDArray[Any], stretches: NDArray[Any]) -> NDArray[Any]:
    """The stretches, those of a product that follow each other at even distances as one, where `rows` find them now."""
    joined: list[Any] = []
    for row in rows:
        some = stretches[row["first"] : row["first"] + row["count"]]
        row["first"] = len(joined)
        for each in some.copy():
            before = joined[-1] if len(joined) > row["first"] else None
            if before is None or row["code"] not in PRODUCTS or not _repeats(before, each):
                joined.append(each)
                continue
            for name in "dab":
                before[f"{name}_next"] = (each[f"{name}_at"] - before[f"{name}_at"]) // before["times"]
            before["times"] += 1
        row["count"] = len(joined) - row["first"]
    return np.array(joined, dtype=STRETCH)


def _repeats(before: Any, each: Any) -> bool:
    """Whether a stretch does once more what one before it does, all elements one distance further on."""
    if any(before[name] != each[name] for name in ("d", "a", "b", "n", "a_step", "b_step")):
        return False
    for name in "dab":
        distance = each[f"{name}_at"] - before[f"{name}_at"]
        if distance < 0 or (before["times"] > 1 and distance != before["times"] * before[f"{name}_next"]):
            return False
        # What stays where it is, is given a gradient the first time; what moves on, every time alike.
        if name != "d" and each[f"{name}_first"] != (before[f"{name}_first"] and distance > 0):
            return False
    return True


def vectors_and_maps(operations: Sequence[Operation]) -> set[int]:
    """Parameters that are used in both ways, for which no gradient could be gathered."""
    used = {
        code: {o.weight for o in operations if isinstance(o, Block) and o.code is code}
        for code in (OpCode.VECTOR, OpCode.PRODUCT)
    }
    return used[OpCode.VECTOR] & used[OpCode.PRODUCT]


def _made_regular(program: Program) -> list[Operation]:
    """The operations, with copies where a block's elements do not lie as they must."""
    operations: list[Operation] = []
    for operation in program.operations:
        if isinstance(operation, Elementwise):
            operations.append(operation)
            continue
        for name, elements in operation.operands.items():
            if not is_regular(program, operation, elements):
                operation.operands[name] = _fresh(program, elements)
                operations.append(Elementwise(OpCode.COPY, operation.operands[name].reshape(-1), elements.reshape(-1)))
        out = operation.out
        operations.append(operation)
        if not is_regular(program, operation, out):
            operation.out = _fresh(program, out)
            operations.append(Elementwise(OpCode.COPY, out.reshape(-1), operation.out.reshape(-1)))
    return operations


def _fresh(program: Program, like: Elements) -> Elements:
    return program.elements(program.new_value(like.size)).reshape(like.shape)


def map_tables(layouts: Sequence[Layout], shapes: Sequence[tuple[int, ...]]) -> tuple[NDArray[Any], Elements, int]:
    """The maps of some programs, the cuts between rows of their matrices, and the most rows a node has in one."""
    maps: list[tuple[int, ...]] = []
    cuts: list[int] = []
    most = 1
    for weight in sorted({w for layout in layouts for w in layout.uses}):
        uses = [use for layout in layouts for use in layout.uses.get(weight, [])]
        bounds = sorted({0, shapes[weight][1], *(inputs for inputs, _ in uses)})
        maps.append((weight, shapes[weight][1] * shapes[weight][2], shapes[weight][2], len(cuts), len(bounds) - 1))
        cuts += bounds
        most = max(most, *(sum(rows for _, rows in layout.uses.get(weight, [])) for layout in layouts))
    return np.array(maps, dtype=MAP), np.array(cuts, dtype=np.int64), most
