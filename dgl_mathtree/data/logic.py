"""Logical inference (Bowman, Manning and Potts 2015): how two formulas are related, decided by their truth tables.

A formula is a letter or a nested tuple, ``("and", "a", ("not", "b"))``. Pairs are generated here by the published
description, or read from the published files.
"""

from __future__ import annotations

import io
import random
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from dgl_mathtree.data.data_files import DataError
from dgl_mathtree.data.tree_dataset import TreeDataset
from dgl_mathtree.files import read_text

LETTERS = tuple("abcdef")
OPERATORS = ("and", "or", "not")
RELATIONS = tuple("#=<>|^v")
"""Independence, equivalence, forward and reverse entailment, alternation, negation and cover."""
LETTERS_OF_A_PAIR = 4
"""Letters that the two formulas of a pair have together, at most."""
MOST_OPERATORS = 12
"""Operators of a generated formula at most; pairs of published files with more count as such."""
DEEPEST_FORMULA = 200
"""Parentheses within each other that are read, many more than published formulas have."""
_ROWS = 1 << len(LETTERS)
_ALL = (1 << _ROWS) - 1
_TABLES = {letter: sum(1 << row for row in range(_ROWS) if row >> place & 1) for place, letter in enumerate(LETTERS)}
"""The truth table of each letter: a number with one bit for each assignment."""
_TOKEN = re.compile(r"[()]|[^()\s]+")

Formula = Any
"""A letter, or a tuple of an operator and its arguments."""


class LogicPair(NamedTuple):
    """Two formulas and the relation that holds between them, one of `RELATIONS`."""

    relation: str
    first: Formula
    second: Formula

    @property
    def operators(self) -> int:
        """How many operators the longer formula has, at most `MOST_OPERATORS`: what the published files count."""
        return min(max(count_operators(self.first), count_operators(self.second)), MOST_OPERATORS)


def count_operators(formula: Formula) -> int:
    """How many operators a formula has.

    Examples
    --------
    >>> count_operators(("and", "a", ("not", "b")))
    2
    """
    return 0 if isinstance(formula, str) else 1 + sum(map(count_operators, formula[1:]))


@lru_cache(maxsize=1 << 20)
def truth_table(formula: Formula) -> int:
    """The truth table of a formula over all letters, one bit for each assignment."""
    if isinstance(formula, str):
        return _TABLES[formula]
    tables: list[int] = [truth_table(argument) for argument in formula[1:]]
    if formula[0] == "not":
        return _ALL & ~tables[0]
    one, other = tables
    return one & other if formula[0] == "and" else one | other


def relation_of(first: Formula, second: Formula) -> str | None:
    """The relation between two formulas; None where one is a tautology or a contradiction, as none of the seven holds.

    Examples
    --------
    >>> relation_of(("and", "a", "b"), "a"), relation_of("a", ("not", "a")), relation_of("a", "b")
    ('<', '^', '#')
    """
    one, other = truth_table(first), truth_table(second)
    if one in (0, _ALL) or other in (0, _ALL):
        return None
    if one == other:
        return "="
    disjoint, exhaustive = one & other == 0, one | other == _ALL
    if disjoint or exhaustive:
        return "^" if disjoint and exhaustive else "|" if disjoint else "v"
    return "<" if one & ~other == 0 else ">" if other & ~one == 0 else "#"


def generate_logic(sizes: Mapping[int, int], seed: int = 0, without: Iterable[LogicPair] = ()) -> list[LogicPair]:
    """Pairs by the published description: no two the same, at most four letters in each, no constant formula.

    Parameters
    ----------
    sizes : mapping of int to int
        How many pairs are wanted whose longer formula has each number of operators. There are no more than 36 pairs
        of letters alone, so that there may be fewer of these.
    seed : int
        The same gives the same pairs.
    without : iterable of LogicPair
        Pairs that must not be among them, such as those of another part.

    Examples
    --------
    >>> pairs = generate_logic({2: 3})
    >>> [pair.operators for pair in pairs], pairs[0].relation == relation_of(pairs[0].first, pairs[0].second)
    ([2, 2, 2], True)
    """
    rng = random.Random(seed)
    known = {(pair.first, pair.second) for pair in without}
    found: list[LogicPair] = []
    for operators, count in sizes.items():
        if not 0 <= operators <= MOST_OPERATORS:
            raise DataError(f"a formula may have 0 to {MOST_OPERATORS} operators, not {operators}")
        wanted, tries = len(found) + count, 0
        while len(found) < wanted and tries < 1000 + 100 * count:
            tries += 1
            letters = rng.sample(LETTERS, LETTERS_OF_A_PAIR)
            lengths = [operators, rng.randint(0, operators)]
            rng.shuffle(lengths)
            first, second = (_random_formula(rng, length, letters) for length in lengths)
            relation = relation_of(first, second)
            if relation is not None and (first, second) not in known:
                known.add((first, second))
                found.append(LogicPair(relation, first, second))
    return found


def _random_formula(rng: random.Random, operators: int, letters: Sequence[str]) -> Formula:
    if operators == 0:
        return rng.choice(letters)
    name = rng.choice(OPERATORS)
    if name == "not":
        return name, _random_formula(rng, operators - 1, letters)
    left = rng.randint(0, operators - 1)
    return name, _random_formula(rng, left, letters), _random_formula(rng, operators - 1 - left, letters)


def parse_formula(text: str) -> Formula:
    """A formula of the published files, which write ``( a ( and b ) )`` and ``( not a )``.

    Examples
    --------
    >>> parse_formula("( ( not a ) ( and b ) )")
    ('and', ('not', 'a'), 'b')
    """
    stack: list[list[Formula]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            if len(stack) > DEEPEST_FORMULA:
                raise DataError(f"{text!r:.80} has more than {DEEPEST_FORMULA} parentheses within each other")
            stack.append([])
        elif token == ")" and len(stack) > 1:
            stack[-2].append(_node(stack.pop(), text))
        elif token in (*LETTERS, *OPERATORS):
            stack[-1].append(token)
        else:
            raise DataError(f"{token!r:.40} in {text!r:.80}: a formula has the letters a to f, {', '.join(OPERATORS)}")
    if len(stack) != 1 or len(stack[0]) != 1 or stack[0][0] in OPERATORS or stack[0][0][0] == "open":
        raise DataError(f"{text!r:.80} is not a formula: expected a letter, ( not A ) or ( A ( and B ) )")
    return stack[0][0]


def _node(parts: list[Formula], text: str) -> Formula:
    """What stands in parentheses: a formula, or an operator with its right argument, which waits for the left."""
    if len(parts) == 2:
        left, right = parts
        whole = right not in OPERATORS and right[0] != "open"
        if left == "not" and whole:
            return "not", right
        if left in ("and", "or") and whole:
            return "open", left, right
        if left not in OPERATORS and left[0] != "open" and right[0] == "open":
            return right[1], left, right[2]
    raise DataError(f"{text!r:.80} is not a formula: expected a letter, ( not A ) or ( A ( and B ) )")


def read_logic(place: str | Path, part: str, operators: Iterable[int] = range(MOST_OPERATORS + 1)) -> list[LogicPair]:
    """Pairs of the published files, as the repository of Ordered Memory has them (Shen et al. 2019).

    Parameters
    ----------
    place : str or Path
        A folder with the files ``train0`` to ``train12`` and ``test0`` to ``test12``, or a tar archive of them.
    part : str
        ``train`` or ``test``.
    operators : iterable of int
        Which files: how many operators the longer formula has.

    Raises
    ------
    DataError
        For what is missing, or a line that is not a relation and two formulas.
    """
    found = []
    for name, text in _texts(Path(place), [f"{part}{number}" for number in operators]):
        for number, line in enumerate(text.splitlines(), start=1):
            entries = line.split("\t")
            if len(entries) != 3 or entries[0] not in RELATIONS:
                raise DataError(f"{place}: {name}, line {number} is not a relation and two formulas with tabs between")
            try:
                found.append(LogicPair(entries[0], parse_formula(entries[1]), parse_formula(entries[2])))
            except DataError as error:
                raise DataError(f"{place}: {name}, line {number}: {error}") from None
    return found


def _texts(place: Path, names: list[str]) -> Iterator[tuple[str, str]]:
    if place.is_dir():
        yield from ((name, read_text(place / name, DataError)) for name in names)
        return
    try:
        with tarfile.open(place) as archive:
            for name in names:
                member = archive.extractfile(name)
                if member is None:
                    raise KeyError(name)
                yield name, io.TextIOWrapper(member, encoding="utf-8").read()
    except (OSError, tarfile.TarError, KeyError, EOFError, ValueError) as error:
        raise DataError(f"cannot read the formulas of {place}: {error!s:.200}") from None


def logic_data(pairs: Sequence[LogicPair], operators_as: str = "types") -> TreeDataset:
    """Pairs as a data set: the label is the place of the relation in `RELATIONS`, the group the number of operators.

    Parameters
    ----------
    pairs : sequence of LogicPair
        Any.
    operators_as : str
        ``types``: an operator is the type of its node, ``and(a, b)``. ``leaves``: it is a leaf, in a binary tree of
        nodes of one type, ``(a, (and, b))``, as published models read it.

    Examples
    --------
    >>> pairs = [LogicPair("<", ("and", "a", "b"), "a")]
    >>> [logic_data(pairs, way)[0][0].num_nodes() for way in ("types", "leaves")]
    [3, 5]
    """
    labels, groups = [RELATIONS.index(pair.relation) for pair in pairs], [pair.operators for pair in pairs]
    if operators_as == "types":
        sides = [[pair.first for pair in pairs], [pair.second for pair in pairs]]
        return TreeDataset(sides[0], labels, sides[1], operators=OPERATORS, vocabulary=LETTERS, groups=groups)
    if operators_as != "leaves":
        raise DataError(f"operators_as must be types or leaves, not {operators_as!r}")
    sides = [[as_leaves(pair.first) for pair in pairs], [as_leaves(pair.second) for pair in pairs]]
    return TreeDataset(sides[0], labels, sides[1], vocabulary=(*LETTERS, *OPERATORS), typed=False, groups=groups)


def as_leaves(formula: Formula) -> Any:
    """A formula with its operators as leaves of a binary tree.

    Examples
    --------
    >>> as_leaves(("and", "a", ("not", "b")))
    ('a', ('and', ('not', 'b')))
    """
    if isinstance(formula, str):
        return formula
    if formula[0] == "not":
        return "not", as_leaves(formula[1])
    return as_leaves(formula[1]), (formula[0], as_leaves(formula[2]))
