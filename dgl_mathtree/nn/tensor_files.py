"""Files of tensors: written whole, the same bytes for the same tensors, and checked when they are read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from dgl_mathtree.errors import RunError
from dgl_mathtree.files import check_regular, write_atomically
from dgl_mathtree.nn.packed_tensors import unpack

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
"""The types that weights and moments may have."""
CHECKSUM = "tensors"
"""The entry of a file's metadata that holds the checksum of its tensors."""


def tensor_checksum(tensors: Mapping[str, torch.Tensor]) -> str:
    """SHA-256 of names, types, shapes and values.

    Examples
    --------
    >>> tensor_checksum({"beta": torch.zeros(())})[:16]
    '77f4ad43363769ad'
    """
    checksum = hashlib.sha256()
    for name, tensor in sorted(tensors.items()):
        checksum.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        checksum.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return checksum.hexdigest()


def save_tensors(file: Path, tensors: Mapping[str, torch.Tensor], metadata: Mapping[str, str]) -> None:
    """Write tensors whole or not at all, with a checksum of them.

    Parameters
    ----------
    file : Path
        What is there is replaced.
    tensors : mapping of str to torch.Tensor
        Of any shape.
    metadata : mapping of str to str
        What the file is to say of itself.
    """
    ready = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_atomically(file, _in_order(save(ready, {**metadata, CHECKSUM: tensor_checksum(ready)})))


def _in_order(content: bytes) -> bytes:
    """The same file with the entries of its header sorted: the library's order of metadata changes with each process.

    A file is the length of the header in 8 bytes, the header as JSON padded to a multiple of 8, and the values.
    """
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.dumps(json.loads(content[8:end]), sort_keys=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + content[end:]


def read_tensors(file: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Tensors of a file, unpacked, and what it says of itself; a RunError if they are not those that were written.

    A file without a checksum, as they were once written, is taken as it is.
    """
    try:
        check_regular(file, RunError)
        with safe_open(file, framework="pt") as stored:
            metadata = dict(stored.metadata() or {})
            tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
    except RunError:
        raise
    # What the library raises for a header that it does not understand depends on what is wrong with it.
    except (OSError, SafetensorError, ValueError, TypeError, RuntimeError, LookupError, AttributeError) as error:
        raise RunError(f"cannot read {file}: it is missing or damaged ({error!s:.200})") from None
    if metadata.get(CHECKSUM) not in (None, tensor_checksum(tensors)):
        raise RunError(f"cannot read {file}: it is damaged (the checksum of its tensors is another)")
    try:
        return unpack(tensors), metadata
    except RunError as error:
        raise RunError(f"cannot read {file}: {error}") from None


def check_floats(tensors: Mapping[str, torch.Tensor], file: Path) -> None:
    """Raise a RunError for a tensor of a file that is of no type of weights."""
    for name, tensor in tensors.items():
        if tensor.dtype not in FLOATS:
            kinds = ", ".join(str(kind).removeprefix("torch.") for kind in FLOATS)
            found = str(tensor.dtype).removeprefix("torch.")
            raise RunError(f"cannot read {file}: {name!r:.60} is of type {found}; weights are of {kinds}")


def check_fit(
    file: Path,
    tensors: Mapping[str, torch.Tensor],
    metadata: Mapping[str, str],
    expected: Mapping[str, torch.Tensor],
    about: Mapping[str, str],
) -> None:
    """Raise a RunError where the weights of a file are not those of a model.

    Parameters
    ----------
    file : Path
        For the message.
    tensors, metadata
        What the file holds.
    expected : mapping of str to torch.Tensor
        The weights of the model, of which the shapes count.
    about : mapping of str to str
        What the file must say of itself.
    """
    for name, mine in about.items():
        theirs = metadata.get(name)
        if theirs != mine:
            raise RunError(f"{file} does not fit the run: its {name} is {theirs!s:.300}, that of the run is {mine}")
    check_floats({name: tensors[name] for name in expected if name in tensors}, file)
    for name, tensor in expected.items():
        if name not in tensors:
            raise RunError(f"{file} does not fit the run: it has no {name}")
        if tensors[name].shape != tensor.shape:
            shapes = f"{tuple(tensors[name].shape)}, not {tuple(tensor.shape)}"
            raise RunError(f"{file} does not fit the run: {name} has the shape {shapes}")
        if not bool(torch.isfinite(tensors[name]).all()):
            raise RunError(f"{file} cannot be used: {name} has values that are not finite; train the run again")


def read_weights(file: Path, network: torch.nn.Module, about: Mapping[str, str]) -> None:
    """Put a file's weights into a network, once it is known that they were made for it; for `about` see `check_fit`."""
    tensors, metadata = read_tensors(file)
    check_fit(file, tensors, metadata, network.state_dict(), about)
    network.load_state_dict({name: tensors[name] for name in network.state_dict()})
