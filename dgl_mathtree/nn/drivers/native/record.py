"""From a cell's `step` to a program: the step is run once on one node, and what torch was asked to do is written down.

Views cost nothing: torch works out where their elements are, so what remains are a few kinds of operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from dgl_mathtree.graphs.plan import Segment, Segments
from dgl_mathtree.nn.drivers.native.program import Block, Elements, Elementwise, NotRecordable, OpCode, Program, Role

if TYPE_CHECKING:
    from dgl_mathtree.nn.cell import TreeCell

Call = tuple[Any, tuple[Any, ...], dict[str, Any], Any]
aten = torch.ops.aten
VIEWS = {
    aten.view, aten._unsafe_view, aten.slice, aten.select, aten.unsqueeze, aten.squeeze, aten.split, aten.chunk,
    aten.split_with_sizes, aten.detach, aten.unbind, aten.permute, aten.t, aten.transpose, aten.expand, aten.alias,
    aten.as_strided, aten._reshape_alias, aten.narrow, aten.empty, aten.new_empty, aten.empty_like, aten.lift_fresh,
}  # fmt: skip
"""What moves no numbers, or makes none."""


class _Calls(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Keeps every call that reaches torch's dispatcher, with its result."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.calls: list[Call] = []

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else the first use imports torch's compiler, which takes seconds

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.calls.append((func, args, kwargs or {}, result))
        return result


def record(cell: TreeCell, arity: int, masked: bool) -> Program:
    """The program of a cell's step for nodes with this many children.

    Parameters
    ----------
    cell : TreeCell
        Its weights are looked at for where they are, not for their numbers.
    arity : int
        Number of children.
    masked : bool
        Whether there is a dropout mask.
    """
    parameters = list(cell.parameters())
    dtype = parameters[0].dtype
    with torch.inference_mode(False), torch.no_grad(), _Calls() as recorded:
        weights = cell.unpack([(0, arity)])
        children = torch.zeros(1, arity, cell.state_size, dtype=dtype)
        mask = torch.ones(1, cell.dropout_size, dtype=dtype) if masked else None
        node_types = torch.zeros(1, dtype=torch.long)
        recorded.calls.clear()
        out = cell.step(weights, Segments((Segment(0, arity, 1),), node_types), children, mask)
    recording = _Recording(Program(arity, [tuple(p.shape) for p in parameters]), parameters, cell.types, node_types)
    for child in range(arity):
        value = recording.program.new_value(cell.state_size, Role.CHILD)
        if child == 0:
            recording.known[_storage(children)] = value
    if mask is not None:
        recording.program.mask = recording.known[_storage(mask)] = recording.program.new_value(
            cell.dropout_size, Role.MASK
        )
    for call in recorded.calls:
        recording.add(*call)
    recording.finish(out, cell.state_size)
    return recording.program


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


class _Recording:
    """A program while it is written."""

    def __init__(
        self, program: Program, parameters: list[torch.nn.Parameter], types: int, node_types: torch.Tensor
    ) -> None:
        self.program, self.types = program, types
        self.known: dict[int, int] = {}  # values by the storage of a tensor
        self.parameters = {_storage(p): k for k, p in enumerate(parameters)}
        self.node_types = node_types

    def places(self, tensor: torch.Tensor, shape: torch.Size | None = None) -> Elements:
        """The elements of a tensor, in its shape or in one that it is expanded to."""
        key = _storage(tensor)
        if key in self.parameters:
            raise NotRecordable("a parameter is used as it is: use TypedLinear, or index_select by the nodes' types")
        if not tensor.is_floating_point():
            raise NotRecordable(f"a tensor of type {tensor.dtype} takes part in the computation")
        if key not in self.known:
            self.known[key] = self.program.new_value(tensor.untyped_storage().nbytes() // tensor.element_size())
        tensor = tensor if shape is None else tensor.expand(shape)
        index = np.array(self.program.values[self.known[key]].start + tensor.storage_offset())
        for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
            index = index[..., None] + np.arange(size) * stride
        return index

    def each(
        self, code: OpCode, d: torch.Tensor, *operands: torch.Tensor, scale: float = 1.0, shift: float = 0.0
    ) -> None:
        """An elementwise operation; operands are broadcast."""
        target, *read = (self.places(x, d.shape).reshape(-1) for x in (d, *operands))
        a, b = [*read, None, None][:2]
        if len(target):
            self.program.operations.append(Elementwise(code, target, a, b, scale, shift))

    def add(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """What a call did."""
        packet = func.overloadpacket
        if packet in VIEWS:
            return
        out = kwargs.get("out", result)
        if packet in KNOWN and isinstance(out, torch.Tensor):
            KNOWN[packet](self, out, args, kwargs)
        else:
            raise NotRecordable(f"{func} is not among the operations that can be recorded")

    def finish(self, state: torch.Tensor, size: int) -> None:
        """Make what the step returned the node's state."""
        if tuple(state.shape) != (1, size):
            raise NotRecordable(f"the step returns the shape {tuple(state.shape)} for one node, not (1, {size})")
        found = self.places(state).reshape(-1)
        self.program.out = self.program.new_value(size, Role.OUT)
        self.program.operations.append(Elementwise(OpCode.COPY, self.program.elements(self.program.out), found))


def _unary(code: OpCode) -> Callable[..., None]:
    return lambda r, out, args, kwargs: r.each(code, out, args[0])


def _binary(code: OpCode) -> Callable[..., None]:
    def handle(r: _Recording, out: torch.Tensor, args: Any, kwargs: Any) -> None:
        a, b = args[:2]
        if kwargs.get("alpha", 1) != 1:
            raise NotRecordable("a sum with a factor alpha")
        if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
            r.each(code, out, a, b)
            return
        tensor, number = (a, float(b)) if isinstance(a, torch.Tensor) else (b, float(a))
        if code is OpCode.MULTIPLY:
            r.each(OpCode.SCALE, out, tensor, scale=number)
        else:
            r.each(OpCode.SCALE, out, tensor, shift=number)

    return handle


def _subtract(r: _Recording, out: torch.Tensor, a: Any, b: Any, kwargs: Any) -> None:
    if kwargs.get("alpha", 1) != 1:
        raise NotRecordable("a difference with a factor alpha")
    if not isinstance(a, torch.Tensor):
        r.each(OpCode.SCALE, out, b, scale=-1.0, shift=float(a))
    elif not isinstance(b, torch.Tensor):
        r.each(OpCode.SCALE, out, a, shift=-float(b))
    else:
        r.each(OpCode.SCALE, out, b, scale=-1.0)
        r.each(OpCode.ACCUMULATE, out, a)


def _divide(r: _Recording, out: torch.Tensor, args: Any, kwargs: Any) -> None:
    if isinstance(args[1], torch.Tensor) or kwargs:
        raise NotRecordable("a division by a tensor")
    r.each(OpCode.SCALE, out, args[0], scale=1.0 / args[1])


def _fill(number: float | None = None) -> Callable[..., None]:
    """With a number, or with the last argument of the call."""
    return lambda r, out, args, kwargs: r.each(OpCode.FILL, out, shift=float(args[-1] if number is None else number))


def _add_product(r: _Recording, out: torch.Tensor, args: Any, kwargs: Any) -> None:
    if kwargs.get("value", 1) != 1:
        raise NotRecordable("addcmul with a factor")
    if out is not args[0]:
        r.each(OpCode.COPY, out, args[0])
    r.each(OpCode.MULTIPLY_ADD, out, args[1], args[2])


def _add_in_place(r: _Recording, out: torch.Tensor, args: Any, kwargs: Any) -> None:
    if kwargs or not isinstance(args[1], torch.Tensor):
        raise NotRecordable("add_ of something else than a tensor")
    r.each(OpCode.ACCUMULATE, out, args[1])


def _copy_into(r: _Recording, out: torch.Tensor, args: Any, kwargs: Any) -> None:
    r.each(OpCode.COPY, out, args[1])


def _sum(r: _Recording, out: torch.Tensor, args: Any, kwargs: Any) -> None:
    (dim,) = args[1] if len(args) > 1 and args[1] is not None and len(args[1]) == 1 else (None,)
    if dim is None or args[0].shape[dim] == 0:
        raise NotRecordable("a sum over other than one dimension")
    out = out.unsqueeze(dim) if out.dim() < args[0].dim() else out
    for k, part in enumerate(args[0].split(1, dim)):
        r.each(OpCode.ACCUMULATE if k else OpCode.COPY, out, part)


def _concatenate(r: _Recording, out: torch.Tensor, args: Any, kwargs: Any) -> None:
    dim, at = (args[1] if len(args) > 1 else 0), 0
    for part in args[0]:
        r.each(OpCode.COPY, out.narrow(dim, at, part.shape[dim]), part)
        at += part.shape[dim]


def _pad(r: _Recording, out: torch.Tensor, args: Any, kwargs: Any) -> None:
    inner, value = out, float(args[2]) if len(args) > 2 else 0.0
    for k, (before, after) in enumerate(zip(args[1][::2], args[1][1::2], strict=True)):
        inner = inner.narrow(-1 - k, before, inner.shape[-1 - k] - before - after)
    r.each(OpCode.COPY, inner, args[0])
    edge = np.setdiff1d(r.places(out), r.places(inner))
    if len(edge):
        r.program.operations.append(Elementwise(OpCode.FILL, edge, shift=value))


def _softmax(r: _Recording, out: torch.Tensor, args: Any, kwargs: Any) -> None:
    dim = args[1] % out.dim()
    if out.shape[:dim].numel() != 1 or args[2]:
        raise NotRecordable("a softmax over other than a node's first dimension")
    rows = (out.shape[dim], -1)
    operand = {"x": r.places(args[0]).reshape(rows)}
    r.program.operations.append(Block(OpCode.SOFTMAX, r.places(out).reshape(rows), operand))


def _product(r: _Recording, out: torch.Tensor, args: Any, kwargs: Any) -> None:
    x, weight = args[-2:]
    k = r.parameters.get(_storage(weight), -1)
    shape = r.program.shapes[k]
    whole = len(shape) == 3 and shape[0] == r.types and weight.shape[1] == shape[2] and weight.shape[0] <= shape[1]
    if k < 0 or not whole or weight.storage_offset() or weight.stride() != (shape[2], 1):
        raise NotRecordable("a matrix product with other than the weights of a TypedLinear")
    bias = -1
    if len(args) == 3:
        bias = r.parameters.get(_storage(args[0]), -1)
        if r.program.shapes[bias] != (r.types, shape[2]) or args[0].storage_offset() or args[0].dim() != 1:
            raise NotRecordable("a matrix product with a bias that is not a TypedLinear's")
    r.program.operations.append(Block(OpCode.PRODUCT, r.places(out), {"x": r.places(x)}, k, bias))


def _vector(r: _Recording, out: torch.Tensor, args: Any, kwargs: Any) -> None:
    source, dim, index = args
    k = r.parameters.get(_storage(source), -1)
    if (
        k < 0
        or dim
        or index is not r.node_types
        or tuple(source.shape) != r.program.shapes[k]
        or len(source) != r.types
    ):
        raise NotRecordable("index_select of other than a parameter by the nodes' types")
    r.program.operations.append(Block(OpCode.VECTOR, r.places(out).reshape(1, -1), weight=k))


def _row_product(r: _Recording, out: torch.Tensor, args: Any, kwargs: Any) -> None:
    rest, x, matrix = args[:3]
    if kwargs or len(args) > 3 or x.shape[:2] != (1, 1):
        raise NotRecordable("a batched matrix product of other than one row for a node")
    operands = {"x": r.places(x)[0], "rest": r.places(rest, out.shape)[0], "matrix": r.places(matrix)[0]}
    r.program.operations.append(Block(OpCode.ROW_PRODUCT, r.places(out)[0], operands))


KNOWN: dict[Any, Callable[..., None]] = {
    aten.clone: _unary(OpCode.COPY),
    aten.copy_: _copy_into,
    aten.sigmoid: _unary(OpCode.SIGMOID),
    aten.tanh: _unary(OpCode.TANH),
    aten.neg: lambda r, out, args, kwargs: r.each(OpCode.SCALE, out, args[0], scale=-1.0),
    aten.mul: _binary(OpCode.MULTIPLY),
    aten.add: _binary(OpCode.ADD),
    aten.add_: _add_in_place,
    aten.sub: lambda r, out, args, kwargs: _subtract(r, out, args[0], args[1], kwargs),
    aten.rsub: lambda r, out, args, kwargs: _subtract(r, out, args[1], args[0], kwargs),
    aten.div: _divide,
    aten.addcmul: _add_product,
    aten.addcmul_: _add_product,
    aten.sum: _sum,
    aten.cat: _concatenate,
    aten.constant_pad_nd: _pad,
    aten._softmax: _softmax,
    aten.mm: _product,
    aten.addmm: _product,
    aten.index_select: _vector,
    aten.baddbmm: _row_product,
    **dict.fromkeys((aten.zeros, aten.zeros_like, aten.new_zeros), _fill(0.0)),
    **dict.fromkeys((aten.ones, aten.ones_like, aten.new_ones), _fill(1.0)),
    **dict.fromkeys((aten.full, aten.full_like, aten.new_full), _fill()),
}
"""How each operation of torch is written down."""
