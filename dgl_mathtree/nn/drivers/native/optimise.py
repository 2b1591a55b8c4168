"""Programs made shorter: what is copied is read at its source, products and results of maps are added straight to sums,
results are made where they go, and what nobody reads is dropped.

A pass never changes what the other elements hold, so a program computes the same before and after, up to the order of
additions.
"""

from __future__ import annotations

import numpy as np

from dgl_mathtree.nn.drivers.native.program import (
    Block,
    Elements,
    Elementwise,
    OpCode,
    Operation,
    Program,
    Role,
)

ZERO = -1
"""Stands for an element that is known to be 0."""
ROUNDS = 3


def optimise(program: Program) -> Program:
    """The program itself, after all passes."""
    for _ in range(ROUNDS):
        read_at_the_source(program)
        drop_unread(program)
        add_products(program)
        add_maps(program)
        drop_unread(program)
        write_in_place(program)
    return program


def _times(program: Program, what: str) -> Elements:
    """(elements,) how often each is read or written."""
    count = np.zeros(program.size, dtype=np.int64)
    for operation in program.operations:
        arrays = [operation.writes] if what == "writes" else operation.reads
        for elements in arrays:
            np.add.at(count, elements, 1)
    return count


def _last_write(program: Program) -> Elements:
    """(elements,) the operation that last writes each, -1 where there is none."""
    last = np.full(program.size, -1)
    for k, operation in enumerate(program.operations):
        last[operation.writes] = k
    return last


def read_at_the_source(program: Program) -> None:
    """Read what was copied where it came from, and zeros not at all."""
    writes, last, roles = _times(program, "writes"), _last_write(program), program.roles()
    source = np.arange(program.size)
    operations: list[Operation] = []
    for at, operation in enumerate(program.operations):
        if isinstance(operation, Block):
            for name, elements in operation.operands.items():
                found = source[elements]
                if (found != ZERO).all() and is_regular(program, operation, found):
                    operation.operands[name] = found
            operations.append(operation)
            continue
        for part in _without_zeros(operation, source):
            operations.append(part)
            if part.code not in (OpCode.COPY, OpCode.FILL) or part.shift:
                continue
            # A copy stands for its source where it is all that is ever written, and the source does not change.
            once = (roles[part.d] == Role.MADE) & (writes[part.d] == 1)
            if part.a is None:
                source[part.d[once]] = ZERO
            else:
                once &= last[part.a] < at
                source[part.d[once]] = part.a[once]
    program.operations = operations


def _without_zeros(operation: Elementwise, source: Elements) -> list[Elementwise]:
    """An operation that reads at the sources, as parts in which no operand is 0, or all are."""
    if operation.a is None:
        return [operation]
    a = source[operation.a]
    b = a if operation.b is None else source[operation.b]
    if operation.code in (OpCode.SIGMOID, OpCode.TANH, OpCode.SCALE) and (a == ZERO).any():
        return [operation]
    parts: list[Elementwise] = []
    for zero_a, zero_b in ((False, False), (False, True), (True, False), (True, True)):
        chosen = np.flatnonzero(((a == ZERO) == zero_a) & ((b == ZERO) == zero_b))
        if not len(chosen):
            continue
        d = operation.d[chosen]
        if not (zero_a or zero_b):
            two = None if operation.b is None else b[chosen]
            parts.append(Elementwise(operation.code, d, a[chosen], two, operation.scale, operation.shift))
        elif operation.code is OpCode.ADD and not (zero_a and zero_b):
            parts.append(Elementwise(OpCode.COPY, d, b[chosen] if zero_a else a[chosen]))
        elif not operation.adds:
            parts.append(Elementwise(OpCode.FILL, d))
    return parts


def drop_unread(program: Program) -> None:
    """Drop what is computed and not read."""
    roles = program.roles()
    while True:
        needed = roles == Role.OUT
        for operation in program.operations:
            for elements in operation.reads:
                needed[elements] = True
        kept: list[Operation] = []
        for operation in program.operations:
            wanted = needed[operation.writes]
            if isinstance(operation, Elementwise) and wanted.any() and not wanted.all():
                kept.append(operation.part(wanted))
            elif wanted.any():
                kept.append(operation)
        changed = sum(len(o.writes) for o in kept) != sum(len(o.writes) for o in program.operations)
        program.operations = kept
        if not changed:
            return


def add_products(program: Program) -> None:
    """Add a product that only a sum reads straight to that sum."""
    reads, writes, last, roles = (
        _times(program, "reads"),
        _times(program, "writes"),
        _last_write(program),
        program.roles(),
    )
    factors = np.full((2, program.size), -1)
    for operation in program.operations:
        if isinstance(operation, Elementwise) and operation.code is OpCode.MULTIPLY:
            assert operation.a is not None and operation.b is not None
            factors[:, operation.d] = operation.a, operation.b
    alone = (factors[0] >= 0) & (reads == 1) & (writes == 1) & (roles == Role.MADE)

    def product(operand: Elements, at: int) -> tuple[Elements, Elements] | None:
        """The factors of an operand that is a product of numbers which do not change until now."""
        if not alone[operand].all() or (last[factors[:, operand]] >= at).any():
            return None
        return factors[0, operand], factors[1, operand]

    operations: list[Operation] = []
    for at, operation in enumerate(program.operations):
        if isinstance(operation, Block) or operation.code not in (OpCode.ADD, OpCode.ACCUMULATE):
            operations.append(operation)
            continue
        one = product(operation.operands[0], at)
        two = product(operation.operands[1], at) if operation.code is OpCode.ADD else None
        if operation.code is OpCode.ACCUMULATE and one:
            operations.append(Elementwise(OpCode.MULTIPLY_ADD, operation.d, *one))
        elif one and two:
            operations.append(Elementwise(OpCode.MULTIPLY, operation.d, *one))
            operations.append(Elementwise(OpCode.MULTIPLY_ADD, operation.d, *two))
        elif one or two:
            operations.append(Elementwise(OpCode.COPY, operation.d, operation.operands[1 if one else 0]))
            operations.append(Elementwise(OpCode.MULTIPLY_ADD, operation.d, *(one or two or ())))
        else:
            operations.append(operation)
    program.operations = operations


def add_maps(program: Program) -> None:
    """Add the result of a map that only a sum reads straight to that sum: backwards both have one gradient, not two."""
    while any(_added(program, at) for at in range(len(program.operations))):
        pass


def _added(program: Program, at: int) -> bool:
    """Whether a sum could be left out, because one of its operands or both, results of maps, are made in its place."""
    total = program.operations[at]
    if not isinstance(total, Elementwise) or total.code is not OpCode.ADD:
        return False
    found = [_map_of(program, total, operand, at) for operand in total.operands]
    maps = [each for each in found if each is not None]
    later = next((each for each in reversed(maps) if each.bias < 0), None)
    if later is None:
        return False
    other = total.operands[0 if later is found[1] else 1]
    earlier = next((each for each in maps if each is not later), None)
    places = [total.d[0] - operand[0] for operand in total.operands]
    target = {id(each): each.out + place for each, place in zip(found, places, strict=True) if each is not None}
    if earlier is not None and np.array_equal(target[id(earlier)], target[id(later)]):
        earlier.out, before = target[id(earlier)], []
    elif later.out.size == len(total.d):
        before = [Elementwise(OpCode.COPY, total.d, other)]
    else:
        return False  # some of it would be added to what nobody set
    later.out, later.adds = target[id(later)], True
    program.operations[at : at + 1] = [*before, later]
    program.operations.remove(later)  # the first: it has moved to the sum
    return True


def _map_of(program: Program, total: Elementwise, operand: Elements, at: int) -> Block | None:
    """The map whose result is an operand of a sum and read nowhere else, if it can be made where the sum is."""
    for each in program.operations[:at]:
        if not isinstance(each, Block) or each.code is not OpCode.PRODUCT or not np.isin(operand, each.writes).all():
            continue
        out = each.out + (total.d[0] - operand[0])
        others = [operation for operation in program.operations if operation not in (each, total)]
        inside, target = np.zeros((2, program.size), dtype=bool)
        inside[each.writes] = True
        if (total.d - operand != total.d[0] - operand[0]).any() or not is_regular(program, each, out):
            return None
        target[out] = True
        used = any(inside[x].any() for o in others for x in (o.writes, *o.reads))
        taken = any(target[o.writes].any() for o in others) or (program.roles()[out] != Role.MADE).any()
        return None if each.adds or used or taken or np.isin(each.writes, out).any() else each
    return None


def write_in_place(program: Program) -> None:
    """Make what is only made to be copied where it is copied to."""
    of = program.value_of()
    operations: list[Operation] = []
    for operation in program.operations:  # each value on its own: some may move where others cannot
        if isinstance(operation, Elementwise) and operation.code is OpCode.COPY and operation.a is not None:
            sources = of[operation.a]
            operations += [operation.part(sources == source) for source in dict.fromkeys(sources.tolist())]
        else:
            operations.append(operation)
    program.operations = operations
    while any(_moved(program, at) for at in range(len(program.operations))):
        pass
    _join_copies(program)


def _join_copies(program: Program) -> None:
    """Make one of copies that follow each other."""
    operations: list[Operation] = []
    for operation in program.operations:
        last = operations[-1] if operations else None
        if not (
            isinstance(operation, Elementwise) and isinstance(last, Elementwise)
            and operation.code is last.code is OpCode.COPY
            and operation.a is not None and last.a is not None and not np.isin(operation.a, last.d).any()
        ):  # fmt: skip
            operations.append(operation)
            continue
        d, a = np.append(last.d, operation.d), np.append(last.a, operation.a)
        operations[-1] = Elementwise(OpCode.COPY, d, a)
    program.operations = operations


def _moved(program: Program, at: int) -> bool:
    """Whether a copy could be left out, because everything that has to do with its source moved to its target."""
    copy = program.operations[at]
    if not isinstance(copy, Elementwise) or copy.code is not OpCode.COPY:
        return False
    assert copy.a is not None
    inside, target = np.zeros((2, program.size), dtype=bool)
    inside[copy.a], target[copy.d] = True, True
    if (program.roles()[copy.a] != Role.MADE).any() or inside.sum() < len(copy.a) or inside[copy.d].any():
        return False
    others = [operation for operation in program.operations if operation is not copy]
    if any(inside[operation.writes].any() for operation in others[at:]) or any(
        target[operation.writes].any() for operation in others[:at]
    ):
        return False  # the source changes afterwards, or something else was in the target before
    if any(target[operation.writes].any() for operation in others[at:]) and any(
        inside[x].any() for operation in others for x in (*operation.reads, *operation.fixed)
    ):
        return False  # the target is added to, but the source is needed as it was
    place = np.arange(program.size)
    place[copy.a] = copy.d
    for operation in others:
        if not isinstance(operation, Block):
            continue
        if inside[operation.writes].any() and operation.code is not OpCode.SOFTMAX:
            return False  # the results of maps keep rows of their own
        touched = [x for x in (operation.out, *operation.operands.values()) if inside[x].any()]
        if not all(is_regular(program, operation, place[x]) for x in touched):
            return False
    for operation in others:
        if isinstance(operation, Block):
            operation.out = place[operation.out]
            operation.operands = {name: place[x] for name, x in operation.operands.items()}
        else:
            operation.d = place[operation.d]
            operation.a = None if operation.a is None else place[operation.a]
            operation.b = None if operation.b is None else place[operation.b]
    program.operations = others
    return True


def is_regular(program: Program, block: Block, elements: Elements) -> bool:
    """Whether elements lie as a block operation must have them: evenly spaced rows within one computed value.

    The rows of a map's input fill a value, where a node has several, so that those of all nodes are evenly spaced.
    """
    first = int(elements[0, 0])
    value = next(v for v in program.values if first < v.start + v.width)
    if value.role in (Role.CHILD, Role.MASK) or first < value.start:
        return False
    step = int(elements[1, 0]) - first if len(elements) > 1 else value.width
    even = first + step * np.arange(len(elements))[:, None] + np.arange(elements.shape[1])
    if not np.array_equal(elements, even) or step < 0 or elements[-1, -1] >= value.start + value.width:
        return False
    if block.code is OpCode.PRODUCT and len(elements) > 1:
        return step * len(elements) == value.width
    return block.code is not OpCode.ROW_PRODUCT or len(elements) == 1 or step == elements.shape[1]
