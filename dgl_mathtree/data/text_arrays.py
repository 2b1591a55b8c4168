"""Many texts as two arrays instead of as many Python objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray


class Texts(Sequence[str]):
    """A sequence of texts that are kept as bytes side by side.

    Parameters
    ----------
    content : numpy.ndarray
        (bytes,) all texts in UTF-8, one after the other.
    ends : numpy.ndarray
        (texts,) where each ends.

    Examples
    --------
    >>> texts = Texts.of(["sin(x)", "", "π"])
    >>> len(texts), texts[0], texts[-1], texts == ["sin(x)", "", "π"]
    (3, 'sin(x)', 'π', True)
    """

    def __init__(self, content: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self.content, self.ends = content, ends

    @classmethod
    def of(cls, texts: Iterable[str]) -> Texts:
        """The same texts, taken one by one."""
        content, ends = bytearray(), []
        for text in texts:
            content += text.encode("utf-8")
            ends.append(len(content))
        return cls(np.frombuffer(bytes(content), dtype=np.uint8), np.array(ends, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        at = range(len(self))[index]
        start = int(self.ends[at - 1]) if at else 0
        return self.content[start : int(self.ends[at])].tobytes().decode("utf-8")

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, (Texts, list)) and len(self) == len(other) and all(map(str.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]

    def fits(self) -> bool:
        """Whether the texts lie within the bytes, one after the other."""
        edges = np.concatenate([[0], self.ends])
        return bool((np.diff(edges) >= 0).all()) and int(edges[-1]) == len(self.content)
