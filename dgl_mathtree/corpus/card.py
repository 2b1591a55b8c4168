"""The data card: what is in a data set, counted while it is written, and printed as a page."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.corpus.splits import PARTS
from dgl_mathtree.expressions.tree import Tree, Words
from dgl_mathtree.expressions.vocabulary import ARITY, EQUALITY, OPERATORS

MOST_FITTED = 60_000
"""Training equations that the bag-of-words floors are fitted on at most."""

Counts = NDArray[np.float64]


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
        ids = self._ids
        self._words.extend(ids.setdefault(word, len(ids)) for word in words)
        self._lengths.append(len(words))
        row = (int(label), depth, PARTS.index(part), len(Tree._trusted(words).variables))
        for column, value in zip(self._columns.values(), row, strict=True):
            column.append(value)
        self._keys.append(key)
        self._folds.append(fold)
        self._kinds["verdicts"][verdict] += 1
        if not label:
            self._kinds["kinds"][kind] += 1
        self._tautologies[depth] += label and tautology

    def symbols(self) -> list[str]:
        """The leaves that occur, sorted: numbers and constants, then variables."""
        leaves = [word for word in self._ids if word not in ARITY]
        return sorted(leaves, key=lambda word: (word[0].isalpha() and word not in ("pi", "e"), word))

    def card(self, about: Mapping[str, Any], reference: Mapping[str, float]) -> dict[str, Any]:
        """The finished card.

        Args:
            about: recipe, seed, version and the like, which come first.
            reference: what to compare the frequency of words with.
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
            "floors": self._floors(bags, label, part),
            "leaks": self._leaks(part),
            "words": self._shares(bags, (label == 1), (label == 1) & (part == 2), reference),
            "variables": _histogram(variables[label == 1]),
            **{name: dict(sorted(counts.items())) for name, counts in sorted(self._kinds.items())},
        }

    def _bags(self) -> Counts:
        """(rows, words): how often each word occurs in each equation."""
        rows = np.repeat(np.arange(len(self._lengths)), np.asarray(self._lengths))
        width = max(len(self._ids), 1)
        flat = np.bincount(rows * width + np.asarray(self._words, dtype=np.int64), minlength=len(self._lengths) * width)
        return flat.reshape(-1, width).astype(np.float32)

    def _floors(self, bags: Counts, label: Any, part: Any) -> dict[str, dict[str, float]]:
        """Accuracy of the majority class and of logistic regression on bags of words, on every part."""
        parts = {name: part == k for k, name in enumerate(PARTS) if (part == k).any()}
        floors: dict[str, dict[str, float]] = {}
        train = np.flatnonzero(part == 0)
        majority = int(2 * label[train].sum() >= len(train)) if len(train) else int(2 * label.sum() >= len(label))
        floors["majority"] = {name: _share(label[rows] == majority) for name, rows in parts.items()}
        if len(np.unique(label[train])) < 2:
            return floors
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        fitted = train[:: max(1, -(-len(train) // MOST_FITTED))]
        words = list(self._ids)
        operators = [k for k, word in enumerate(words) if word in OPERATORS]
        for name, columns in (("bag-of-operators", operators), ("bag-of-words", list(range(len(words))))):
            model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
            model.fit(bags[fitted][:, columns], label[fitted])
            floors[name] = {
                p: _share(model.predict(bags[rows][:, columns]) == label[rows]) for p, rows in parts.items()
            }
        return floors

    def _leaks(self, part: Any) -> dict[str, dict[str, float]]:
        """The share of validation and test equations with a twin, or a relative of the same fold class, in train."""
        leaks: dict[str, dict[str, float]] = {}
        for name, column in (("canonical", self._keys), ("fold", self._folds)):
            keys = np.asarray(column)
            leaks[name] = {
                p: _share(np.isin(keys[part == k], keys[part == 0]))
                for k, p in enumerate(PARTS)
                if k and (part == k).any()
            }
        return leaks

    def _shares(
        self, bags: Counts, correct: Any, tested: Any, reference: Mapping[str, float]
    ) -> dict[str, dict[str, float]]:
        """Shares of words among the nodes of correct equations, = left out, beside the reference's."""
        counted = [(word, k) for word, k in self._ids.items() if word != EQUALITY]
        whole = sum(reference.values())
        sums = {name: bags[rows].sum(axis=0) for name, rows in (("correct", correct), ("correct_test", tested))}
        totals = {name: max(sum(s[k] for _, k in counted), 1.0) for name, s in sums.items()}
        shares = {
            word: {name: round(float(s[k] / totals[name]), 5) for name, s in sums.items()}
            | ({"reference": round(reference[word] / whole, 5)} if word in reference else {})
            for word, k in counted
        }
        return dict(sorted(shares.items(), key=lambda item: (-item[1]["correct"], item[0])))


def _share(hits: Any) -> float:
    return round(float(np.mean(hits)), 4)


def _histogram(values: Any) -> dict[str, int]:
    return {str(value): int(count) for value, count in zip(*np.unique(values, return_counts=True), strict=True)}


def card_page(card: Mapping[str, Any]) -> str:
    """The card as a Markdown page."""
    lines = [f"# {card['name']}", "", str(card.get("description", "")), ""]
    about = ("recipe", "seed", "split", "version", "fingerprint", "checksum", "count", "source", "skipped")
    lines += [f"- {key}: {card[key]}" for key in about if key in card]
    lines += [
        "",
        "## By depth",
        "",
        _row("depth", "equations", "correct", "share", *PARTS, "nodes", "tautologies"),
        _rule(9),
    ]
    for depth, row in card["by_depth"].items():
        share = f"{row['correct'] / row['count']:.3f}"
        counts = [row[part] for part in PARTS]
        lines.append(_row(depth, row["count"], row["correct"], share, *counts, row["nodes"], row["tautologies"]))
    lines += ["", "## Floors (accuracy) and leaks (share with a relative in train)", "", _row("", *PARTS), _rule(4)]
    for section in ("floors", "leaks"):
        for name, values in card[section].items():
            title = name if section == "floors" else f"leak: {name} form"
            lines.append(_row(title, *(f"{values[part]:.4f}" if part in values else "" for part in PARTS)))
    lines += ["", "## Words among the nodes of correct equations (= left out)", ""]
    lines += [_row("word", "all", "test", "recipe"), _rule(4)]
    for word, share in card["words"].items():
        shares = [share["correct"], share["correct_test"], share.get("reference")]
        lines.append(_row(f"`{word}`", *("" if value is None else f"{100 * value:.2f}%" for value in shares)))
    for name in ("variables", "kinds", "verdicts"):
        if card.get(name):
            title = {"variables": "Variables in a correct equation", "kinds": "Kinds of incorrect equations"}.get(
                name, "Verdicts"
            )
            lines += ["", f"## {title}", "", _row(name, "equations"), _rule(2)]
            lines += [_row(key, count) for key, count in card[name].items()]
    return "\n".join(lines) + "\n"


def _row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _rule(cells: int) -> str:
    return "|" + "---|" * cells


def plot_depths(card: Mapping[str, Any], file: Path) -> bool:
    """Draw the depth distribution; False where matplotlib is not installed."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError:
        return False
    depths = list(card["by_depth"])
    correct = [row["correct"] for row in card["by_depth"].values()]
    wrong = [row["count"] - row["correct"] for row in card["by_depth"].values()]
    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    axes.bar(depths, correct, label="correct", color="#2a6f97")
    axes.bar(depths, wrong, bottom=correct, label="incorrect", color="#e09f3e")
    axes.set(xlabel="depth", ylabel="equations", title=str(card["name"]))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    with rc_context({"svg.hashsalt": "mathtree"}):  # the same bytes every time
        FigureCanvasSVG(figure).print_svg(str(file), metadata={"Date": None})  # type: ignore[no-untyped-call]
    return True
