"""Weights without the entries that no tree reaches: a unary operator has a matrix for two children and uses one.

A tensor (types, in, out) is packed as the entries in the rows and columns that a type uses, one after the other, beside
two masks that say which these are. Unpacked, all other entries are 0.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch

from dgl_mathtree.errors import RunError

ROWS, COLUMNS = ".rows", ".columns"
"""What is added to the name of a tensor for the names of its masks."""
MOST = 2**28
"""Entries of an unpacked tensor."""


def pack(tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Tensors of which some types use only some rows and columns, without the rest, and masks for these.

    Examples
    --------
    >>> weight = torch.tensor([[[1.0, 2.0], [0.0, 0.0]], [[3.0, 4.0], [5.0, 6.0]]])  # the first type uses one row
    >>> packed = pack({"weight": weight})
    >>> packed["weight"].tolist(), packed["weight.rows"].tolist()
    ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [[True, False], [True, True]])
    >>> bool((unpack(packed)["weight"] == weight).all())
    True
    """
    packed: dict[str, torch.Tensor] = {}
    for name, tensor in tensors.items():
        rows, columns = (tensor != 0).any(-1), (tensor != 0).any(1) if tensor.dim() == 3 else tensor
        if tensor.dim() != 3 or bool(rows.all() and columns.all()):
            packed[name] = tensor
        else:
            packed |= {name: tensor[_entries(rows, columns)], name + ROWS: rows, name + COLUMNS: columns}
    return packed


def unpack(tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The tensors that `pack` packed; others are left as they are.

    Raises
    ------
    RunError
        Where masks and values do not belong together.
    """
    masks = {name for name in tensors if name.endswith((ROWS, COLUMNS))}
    unpacked = {}
    for name, tensor in tensors.items():
        if name in masks:
            continue
        rows, columns = tensors.get(name + ROWS), tensors.get(name + COLUMNS)
        unpacked[name] = tensor if rows is None or columns is None else _unpacked(name, tensor, rows, columns)
    return unpacked


def _unpacked(name: str, values: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    fit = rows.dim() == columns.dim() == 2 and len(rows) == len(columns) and rows.dtype == columns.dtype == torch.bool
    if not fit or rows.numel() * columns.shape[1] > MOST:
        raise RunError(f"the masks of the packed tensor {name!r:.60} are not those of rows and columns")
    entries = _entries(rows, columns)
    if values.shape != (int(entries.sum()),):
        raise RunError(f"the packed tensor {name!r:.60} has {values.numel()} values, its masks {int(entries.sum())}")
    tensor = torch.zeros(entries.shape, dtype=values.dtype)
    tensor[entries] = values
    return tensor


def _entries(rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """(types, in, out): which entries are in a row and a column that its type uses."""
    return rows[:, :, None] & columns[:, None, :]
