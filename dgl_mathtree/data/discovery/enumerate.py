"""Enumeration of a pool over arrays, and pairs of its terms that have equal values.

Level 0 is the base, level 1 all pairs of it and functions of both, level 2 representatives of level 1 with the base
again, level 3 random pairs of representatives. Only values, sizes and how each term is composed are kept; a term is
built when it is looked at.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.arithmetic.float_mode import trusted_floats
from dgl_mathtree.data.discovery.pairing import best_pairs
from dgl_mathtree.data.discovery.pools import ExpressionPool
from dgl_mathtree.data.discovery.term_values import Evaluator, Values, finite, plain_values
from dgl_mathtree.language.build import Pair, Term, add, div, mul, number, power, read, size, sub, variables
from dgl_mathtree.oracle.value_keys import digests

Ints = NDArray[np.int64]
POINTS = 12
LIKE_EACH_OTHER = 2
"""Representatives of one value."""
MOST_MEMBERS, SMALLEST_MEMBERS = 16, 10
"""Members of a class that are looked at, and how many of them are the smallest."""
FEWER_LETTERS = 0.12
"""The share of classes without all of a pool's variables that is looked at."""
COMBINE: dict[str, Any] = {"Add": add, "Sub": sub, "Mul": mul, "Div": div, "Pow": power}
SYMMETRIC = ("Add", "Mul")
EXTRA_NODES = {"Add": 1, "Sub": 3, "Mul": 1, "Div": 3, "Pow": 1}


def _combined(a: Values, b: Values, form: str) -> Values:
    with trusted_floats(), np.errstate(all="ignore"):
        if form == "Add":
            values = a + b
        elif form == "Sub":
            values = a - b
        elif form == "Mul":
            values = a * b
        elif form == "Div":
            values = a / np.where(np.abs(b) < 1e-9, np.nan, b)
        else:
            values = np.power(a, b)
        return finite(values)


@dataclass
class _Rows:
    """Terms as arrays: how each is composed (a form's number, -1 for the base, -2 - k for the unary k), its nodes, and
    its variables as bits."""

    form: Ints
    left: Ints
    right: Ints
    size: Ints
    letters: Ints
    key: NDArray[np.uint64]

    @staticmethod
    def joined(parts: list[_Rows]) -> _Rows:
        columns = zip(*(vars(part).values() for part in parts), strict=True)
        return _Rows(*(np.concatenate(column) for column in columns))


class Enumeration:
    """The terms of a pool, grouped by value."""

    def __init__(self, pool: ExpressionPool, seed: int, scale: float = 1.0) -> None:
        self.pool = pool
        self.rng = np.random.default_rng([seed, zlib.crc32(pool.name.encode())])
        self.forms = pool.binary.split()
        self.unary = pool.unary.split()
        self._evaluate = Evaluator(seed, POINTS, pool.low, pool.high)
        self._base = [term for term in pool.terms() if np.isfinite(self._evaluate(term)).all()]
        self._values: Values = np.stack([self._evaluate(term) for term in self._base])
        self._terms: dict[int, Term] = dict(enumerate(self._base))
        count = len(self._base)
        none = np.full(count, -1)
        sizes = np.array([size(term) for term in self._base])
        self._one, self._zero = (np.array([term == word for term in self._base]) for word in "10")
        numbers = np.array([number(term) for term in self._base])
        # Sums of numbers are for the pools of numbers; elsewhere they would take the place of identities.
        self._plain = numbers if any(variables(term) for term in self._base) else np.zeros_like(numbers)
        names = variables(*self._base)
        letters = np.array([sum(1 << names.index(name) for name in variables(term)) for term in self._base])
        self._rows = _Rows(none, none, none, sizes, letters, digests(self._values))
        self._grow()
        chosen = self._representatives()
        self.rows = _Rows.joined([self._rows, *self._further(chosen, int(pool.sampled * min(scale, 4.0)))])

    def __len__(self) -> int:
        return len(self.rows.key)

    def _telling(self, form: str, left: Ints, right: Ints) -> NDArray[np.bool_]:
        """Whether a combination is more than a neutral element, sum of numbers or division by an inverse."""
        n = len(self._base)
        a, b = np.minimum(left, n - 1), np.minimum(right, n - 1)
        first, second = left < n, right < n
        neutral = self._zero if form in ("Add", "Sub") else self._one | self._zero
        dull = second & neutral[b] | first & second & self._plain[a] & self._plain[b]
        if form != "Div":
            dull |= first & neutral[a]
        elif "^-1" in self.unary:
            dull |= self._rows.form[right] == -2 - self.unary.index("^-1")
        return np.asarray(~dull)

    def _binary(self, form: str, left: Ints, right: Ints) -> tuple[_Rows, Values]:
        telling = self._telling(form, left, right)
        left, right = left[telling], right[telling]
        values = _combined(self._values[left], self._values[right], form)
        kept = np.isfinite(values).all(axis=1)
        left, right, values = left[kept], right[kept], values[kept]
        sizes = self._rows.size[left] + self._rows.size[right] + EXTRA_NODES[form]
        letters = self._rows.letters[left] | self._rows.letters[right]
        form_number = np.full(len(left), self.forms.index(form))
        return _Rows(form_number, left, right, sizes, letters, digests(values)), values

    def _unary(self, at: int, inner: Ints) -> tuple[_Rows, Values]:
        name = self.unary[at]
        with trusted_floats(), np.errstate(all="ignore"):
            if name.startswith("^"):
                values = finite(np.power(self._values[inner], self._evaluate(read(name[1:]))))
            else:
                values = (
                    finite(np.log(self._values[inner])) if name == "ln" else plain_values(name, self._values[inner])
                )
        neutral = np.isin(inner, np.flatnonzero(self._one | self._zero))
        kept = np.isfinite(values).all(axis=1) & ~neutral
        inner, values = inner[kept], values[kept]
        form_number, none = np.full(len(inner), -2 - at), np.full(len(inner), -1)
        sizes, letters = self._rows.size[inner] + 2, self._rows.letters[inner]
        return _Rows(form_number, inner, none, sizes, letters, digests(values)), values

    def _grow(self) -> None:
        """Level 1: pairs of the base, and functions of these."""
        n = len(self._base)
        left, right = (a.ravel() for a in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
        parts = [(self._rows, self._values)]
        for form in self.forms:
            chosen = left <= right if form in SYMMETRIC else left != right
            parts.append(self._binary(form, left[chosen], right[chosen]))
        self._keep(parts)
        whole = np.arange(len(self._rows.key))
        self._keep([(self._rows, self._values), *(self._unary(k, whole) for k in range(len(self.unary)))])

    def _keep(self, parts: list[tuple[_Rows, Values]]) -> None:
        self._rows = _Rows.joined([rows for rows, _ in parts])
        self._values = np.concatenate([values for _, values in parts])

    def _representatives(self) -> Ints:
        """Small terms first, no more than two of a value; where there are too many, half of them at random."""
        rows = self._rows
        order = np.lexsort((self.rng.random(len(rows.key)), rows.size, rows.key))
        keys = rows.key[order]
        starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
        rank = np.arange(len(keys)) - np.repeat(starts, np.diff(np.r_[starts, len(keys)]))
        chosen = order[rank < LIKE_EACH_OTHER]
        chosen = chosen[np.argsort(rows.size[chosen] + 4 * self.rng.random(len(chosen)), kind="stable")]
        most = self.pool.representatives
        if len(chosen) > most:
            rest = self.rng.choice(chosen[most // 2 :], most - most // 2, replace=False)
            chosen = np.concatenate([chosen[: most // 2], rest])
        return np.asarray(chosen)

    def _further(self, chosen: Ints, sampled: int) -> Iterator[_Rows]:
        n = len(self._base)
        left, right = (a.ravel() for a in np.meshgrid(chosen, np.arange(n), indexing="ij"))
        for form in self.forms:
            yield self._binary(form, left, right)[0]
            if form not in SYMMETRIC:
                yield self._binary(form, right, left)[0]
            if sampled:
                a, b = self.rng.choice(chosen, (2, sampled))
                yield self._binary(form, a, b)[0]

    def term(self, row: int, final: bool = True) -> Term:
        """The term of a row (of the final level, or of those that it is composed of)."""
        rows = self.rows if final else self._rows
        if not final and row in self._terms:
            return self._terms[row]
        form, left, right = int(rows.form[row]), int(rows.left[row]), int(rows.right[row])
        if form == -1:
            return self._terms[row]
        if form >= 0:
            term = COMBINE[self.forms[form]](self.term(left, False), self.term(right, False))
        else:
            term = _applied(self.unary[-2 - form], self.term(left, False))
        if not final:
            self._terms[row] = term
        return term

    def pairs(self, wanted: int) -> list[Pair]:
        """About this many pairs of unlike terms of equal value, from classes with small members first."""
        rng = random.Random(f"{self.pool.name}/{wanted}")
        rows = self.rows
        order = np.lexsort((self.rng.random(len(rows.key)), rows.size, rows.key))
        keys = rows.key[order]
        starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
        counts = np.diff(np.r_[starts, len(keys)])
        starts, counts = starts[counts > 1], counts[counts > 1]
        sizes = rows.size[order]
        letters = rows.letters[order[starts]]
        effort = sizes[starts] + sizes[starts + 1] + 10 * self.rng.random(len(starts))
        # A pool in two variables is for identities in two: most of those in fewer are found elsewhere.
        fewer = letters != letters.max(initial=0)
        effort = np.where(fewer & (self.rng.random(len(starts)) > FEWER_LETTERS), np.inf, effort)
        found: list[Pair] = []
        for k in np.argsort(effort, kind="stable").tolist():
            if np.isinf(effort[k]):
                break
            start, count = int(starts[k]), int(counts[k])
            members = list(range(min(count, SMALLEST_MEMBERS)))
            if count > SMALLEST_MEMBERS:
                extra = min(count, MOST_MEMBERS * (4 if count > 500 else 1)) - SMALLEST_MEMBERS
                members += rng.sample(range(SMALLEST_MEMBERS, count), extra)
            terms = [self.term(int(order[start + m])) for m in members]
            found += best_pairs(terms, count, rng)
            if len(found) >= wanted:
                break
        return found[:wanted]


def _applied(name: str, term: Term) -> Term:
    if name.startswith("^"):
        return power(term, read(name[1:]))
    return ("log", term, "e") if name == "ln" else (name, term)
