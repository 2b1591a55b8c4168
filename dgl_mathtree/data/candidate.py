"""An equation on its way into a data set; in the set it is a `Row`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from dgl_mathtree.data.canonical import fold
from dgl_mathtree.data.provenance import Derivation, Found
from dgl_mathtree.language.expr import Words


@dataclass(frozen=True)
class Candidate:
    """An equation on its way into a data set, with its label and all that is stored or counted of it.

    Parameters
    ----------
    words : tuple of str
        The equation's.
    label : bool
        Whether it is meant to be correct, and once it is judged, whether it is.
    depth : int
        Of the equation.
    kind : str
        ``correct``, or the kind of edit that made it incorrect.
    derivation : tuple
        How it came about.
    key, fold, tautology : int, int, bool
        Its canonical key, and what `fold` says of it.
    verdict : str
        The oracle's; empty as long as it is not judged.
    part : str
        The part of the data that it goes to, once that is known.
    """

    words: Words
    label: bool
    depth: int
    kind: str
    derivation: Derivation
    key: int = 0
    fold: int = 0
    tautology: bool = False
    verdict: str = ""
    part: str = ""

    @property
    def source(self) -> str:
        """Where a discovered equation comes from; empty for one derived from an axiom."""
        first = self.derivation[0]
        return first.source if isinstance(first, Found) else ""

    @property
    def text_key(self) -> int:
        """A key of the exact text: equal only for equations that are the same word for word."""
        digest = hashlib.blake2b(" ".join(self.words).encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big")

    def judged(self, verdict: str, label: bool, part: str = "") -> Candidate:
        """The candidate with the oracle's verdict, and the rest of what is stored of it."""
        key, tautology = fold(self.words)
        return replace(self, verdict=verdict, label=label, fold=key, tautology=tautology, part=part)
