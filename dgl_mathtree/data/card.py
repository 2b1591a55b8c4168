"""The data card: what is in a data set, counted while it is written."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from dgl_mathtree.data.bag_baselines import Bags, floors, share
from dgl_mathtree.data.splits import PARTS, TEST, TRAIN
from dgl_mathtree.language.expr import Tree, Words
from dgl_mathtree.language.vocabulary import ARITY, CONSTANTS, EQUALITY


class CardBuilder:
    """Counts rows as they pass."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._words = array("H")
        self._lengths = array("H")
        self._columns = {
            name: array(code) for name, code in (("label", "B"), ("depth", "H"), ("part", "B"), ("variables", "H"))
        }
        self._keys, self._folds = array("q"), array("q")
        self._kinds: dict[str, Counter[str]] = defaultdict(Counter)
        self._by_label: dict[str, Counter[str]] = defaultdict(Counter)
        self._tautologies: Counter[int] = Counter()

    def add(
        self,
        words: Words,
        label: bool,
        depth: int,
        part: str,
        kind: str,
        verdict: str,
        key: int,
        fold: int,
        tautology: bool,
    ) -> None:
        """Count one equation."""
        ids = self._ids
        self._words.extend(ids.setdefault(word, len(ids)) for word in words)
        self._lengths.append(len(words))
        row = (int(label), depth, PARTS.index(part), len(Tree._trusted(words).variables))
        for column, value in zip(self._columns.values(), row, strict=True):
            column.append(value)
        self._keys.append(key)
        self._folds.append(fold)
        self._kinds["verdicts"][verdict] += 1
        self._by_label["correct" if label else "incorrect"][verdict] += 1
        if not label:
            self._kinds["kinds"][kind] += 1
        self._tautologies[depth] += label and tautology

    def symbols(self) -> list[str]:
        """The leaves that occur, sorted: numbers and constants, then variables."""
        leaves = [word for word in self._ids if word not in ARITY]
        return sorted(leaves, key=lambda word: (word[0].isalpha() and word not in CONSTANTS, word))

    def card(self, about: Mapping[str, Any], reference: Mapping[str, float]) -> dict[str, Any]:
        """The finished card.

        Parameters
        ----------
        about : mapping
            Recipe, seed, version and the like, which come first.
        reference : mapping of str to float
            What to compare the frequency of words with.
        """
        label, depth, part, variables = (np.asarray(column) for column in self._columns.values())
        nodes = np.asarray(self._lengths)
        bags = self._bags()
        return {
            **about,
            "count": len(label),
            "symbols": self.symbols(),
            "by_depth": {
                str(d): {
                    "count": int((depth == d).sum()),
                    "correct": int(label[depth == d].sum()),
                    **{name: int(((depth == d) & (part == k)).sum()) for k, name in enumerate(PARTS)},
                    "nodes": round(float(nodes[depth == d].mean()), 1),
                    "tautologies": self._tautologies[int(d)],
                }
                for d in np.unique(depth)
            },
            "splits": {
                name: {"count": int((part == k).sum()), "correct": int(label[part == k].sum())}
                for k, name in enumerate(PARTS)
            },
            "floors": floors(bags, label, part),
            "leaks": self._leaks(part),
            "words": self._shares(bags, (label == 1), (label == 1) & (part == PARTS.index(TEST)), reference),
            "variables": _histogram(variables[label == 1]),
            **{name: dict(sorted(counts.items())) for name, counts in sorted(self._kinds.items())},
            "verdicts_by_label": {
                name: dict(sorted(counts.items())) for name, counts in sorted(self._by_label.items())
            },
        }

    def _bags(self) -> Bags:
        offsets = np.concatenate([[0], np.cumsum(np.asarray(self._lengths), dtype=np.int64)])
        return Bags(np.asarray(self._words), offsets, list(self._ids))  # as small as they are: there may be 10^8

    def _leaks(self, part: Any) -> dict[str, dict[str, float]]:
        """Share of validation and test equations with a duplicate, or a relative of the same fold class, in train."""
        leaks: dict[str, dict[str, float]] = {}
        for form, column in (("canonical", self._keys), ("fold", self._folds)):
            keys = np.asarray(column)
            leaks[form] = {
                name: share(np.isin(keys[part == k], keys[part == PARTS.index(TRAIN)]))
                for k, name in enumerate(PARTS)
                if name != TRAIN and (part == k).any()
            }
        return leaks

    def _shares(
        self, bags: Bags, correct: Any, tested: Any, reference: Mapping[str, float]
    ) -> dict[str, dict[str, float]]:
        """Shares of words among the nodes of correct equations, = left out, beside the reference's."""
        counted = [(word, k) for word, k in self._ids.items() if word != EQUALITY]
        whole = sum(reference.values())
        sums = {name: bags.total(rows) for name, rows in (("correct", correct), ("correct_test", tested))}
        totals = {name: max(sum(s[k] for _, k in counted), 1.0) for name, s in sums.items()}
        shares = {
            word: {name: round(float(s[k] / totals[name]), 5) for name, s in sums.items()}
            | ({"reference": round(reference[word] / whole, 5)} if word in reference else {})
            for word, k in counted
        }
        return dict(sorted(shares.items(), key=lambda item: (-item[1]["correct"], item[0])))


def _histogram(values: Any) -> dict[str, int]:
    return {str(value): int(count) for value, count in zip(*np.unique(values, return_counts=True), strict=True)}
