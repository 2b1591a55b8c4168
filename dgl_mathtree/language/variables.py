"""Names of variables: who appears first, and what they are called instead. On arrays, for many equations at once.

Names carry no meaning. Whatever must not depend on them (the points of the oracle, the words that a network reads, what
tells two equations apart) gives variables new names by the order in which they appear.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.language.interning import distinct
from dgl_mathtree.language.prefix_trees import PrefixTrees
from dgl_mathtree.language.vocabulary import is_variable

Array = NDArray[Any]
CANONICAL_VARIABLES = ("x", "y", "z", "w")
"""The names that variables take where names shall not matter; x_4, x_5 and so on follow."""

_is_variable = lru_cache(maxsize=65536)(is_variable)


def names_from(known: Sequence[str]) -> Iterator[str]:
    """Some names, and when they run out others that are numbered, without end.

    Examples
    --------
    >>> list(islice(names_from(["x", "x_3"]), 4))
    ['x', 'x_3', 'x_2', 'x_4']
    """
    yield from known
    yield from (name for number in count(len(known)) if (name := f"x_{number}") not in known)


def natural(name: str) -> tuple[str, int]:
    """A key by which x_2 comes before x_10."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or -1)


def variable_flags(words: Iterable[str]) -> NDArray[np.bool_]:
    """(words,) which of some words are variables."""
    return np.fromiter(map(_is_variable, words), dtype=bool)


@dataclass(frozen=True, eq=False)
class Variables:
    """The variables of many equations: an entry for each variable of each equation, and where it occurs.

    Attributes
    ----------
    node : numpy.ndarray
        (occurrences,) the nodes of the trees that are variables.
    entry : numpy.ndarray
        (occurrences,) the entry of each.
    equation, word, place : numpy.ndarray
        (entries,) its equation, the index of its word, and how many others of the equation are read before it; entries
        are sorted by equation and place.
    """

    node: Array
    entry: Array
    equation: Array
    word: Array
    place: Array

    @classmethod
    def of(cls, trees: PrefixTrees, right_first: Array | None = None) -> Variables:
        """Those of some trees, in the order in which they are read: the left side first, or the right one.

        Parameters
        ----------
        trees : PrefixTrees
            The equations.
        right_first : numpy.ndarray, optional
            (equations,) whether the right side is read first; by default it is not.

        Examples
        --------
        >>> trees = PrefixTrees.of([("Equality", "Add", "b", "a", "Add", "c", "b")])
        >>> [trees.words[k] for k in Variables.of(trees).word]
        ['b', 'a', 'c']
        >>> [trees.words[k] for k in Variables.of(trees, right_first=np.array([True])).word]
        ['c', 'b', 'a']
        """
        node = np.flatnonzero(variable_flags(trees.words)[trees.word])
        equation = trees.equation[node]
        late = node <= trees.sides[equation, 1]
        if right_first is not None:
            late ^= right_first[equation]
        total = len(trees.word)
        node = node[np.argsort((2 * equation + late) * total + (total - node))]  # in a side the root is the last node
        equation = trees.equation[node]
        first, entry = distinct(equation * len(trees.words) + trees.word[node])
        owner = equation[first]
        place = np.arange(len(first)) - np.searchsorted(owner, owner)
        return cls(node, entry, owner, trees.word[node[first]], place)

    def renamed(self, trees: PrefixTrees, words: tuple[str, ...], word: Array) -> PrefixTrees:
        """The trees with other words, (entries,) indices into some words that begin with those of the trees."""
        changed = trees.word.copy()
        changed[self.node] = word[self.entry]
        return trees.with_words(words, changed)


def right_first(trees: PrefixTrees) -> Array:
    """(equations,) whether the right side is read first, so that the order in which variables are read depends neither
    on their names nor on which side stands on the left.

    The side of fewer words is read first, and of two equally long ones that which makes the smaller words, variables
    under canonical names.
    """
    left = trees.sides[:, 0] - trees.sides[:, 1]
    right = trees.sides[:, 1] - trees.offsets[:-1] + 1
    result = left > right
    ties = np.flatnonzero(left == right)
    if len(ties):
        result[ties] = _smaller_from_right(trees.take(ties))
    return result


def _smaller_from_right(trees: PrefixTrees) -> Array:
    """(equations,) for sides of equal length, whether swapped sides make smaller words."""
    flipped = np.ones(len(trees), dtype=bool)
    forth, back = Variables.of(trees), Variables.of(trees, flipped)
    most = int(forth.place.max(initial=-1)) + 1
    names = list(islice(names_from(CANONICAL_VARIABLES), most))
    ranks = {word: k for k, word in enumerate(sorted({*trees.words, *names}))}
    own = np.array([ranks[word] for word in trees.words])[trees.word]
    other = own.copy()
    places = np.array([ranks[name] for name in names], dtype=np.int64)
    own[forth.node] = places[forth.place][forth.entry]
    other[back.node] = places[back.place][back.entry]
    # The words stand in reversed order; a word is compared with the one in the same place of the other side.
    node, start = np.arange(len(own)), trees.offsets[trees.equation]
    half = (trees.offsets[trees.equation + 1] - start) // 2
    opposite = np.where(node - start < half, node + half, node - half)
    last = np.maximum.reduceat(np.where(own == other[opposite], -1, node), trees.offsets[:-1])
    return np.asarray((last >= 0) & (own[last] > other[opposite[last]]))


def by_appearance(trees: PrefixTrees, known: Sequence[str]) -> PrefixTrees:
    """Equations with all variables renamed to known names, and those after them, in the order of `right_first`.

    Examples
    --------
    >>> trees = PrefixTrees.of([("Equality", "Add", "b", "a", "a")])
    >>> renamed = by_appearance(trees, ["x", "y"])
    >>> [renamed.words[k] for k in renamed.word[::-1]]
    ['Add', 'y', 'x', 'x']
    """
    variables = Variables.of(trees, right_first(trees))
    names = list(islice(names_from(known), int(variables.place.max(initial=-1)) + 1))
    words, ids = _with_names(trees.words, names)
    return variables.renamed(trees, words, ids[variables.place])


def to_known(trees: PrefixTrees, known: Sequence[str]) -> PrefixTrees:
    """Equations with the variables that are not known renamed to names that are, and that the equation does not have.

    The names are given in their order to the variables in natural order; where they run out, variables stay.

    Examples
    --------
    >>> trees = PrefixTrees.of([("Equality", "Add", "t_10", "t_2", "x")])
    >>> renamed = to_known(trees, ["x", "y", "z"])
    >>> [renamed.words[k] for k in renamed.word[::-1]]
    ['Add', 'z', 'y', 'x']
    """
    variables = Variables.of(trees)
    words, ids = _with_names(trees.words, known)
    places = np.full(len(words), -1)
    places[ids] = np.arange(len(ids))
    mine = places[variables.word]
    used = np.zeros((len(trees), len(known)), dtype=bool)
    used[variables.equation[mine >= 0], mine[mine >= 0]] = True
    free = np.argsort(used, axis=1, kind="stable")
    foreign = np.flatnonzero(mine < 0)
    keys = {k: natural(words[k]) for k in np.unique(variables.word[foreign]).tolist()}
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys.values())))}
    rank = np.array([ranks[keys[k]] for k in variables.word[foreign].tolist()], dtype=np.int64)
    foreign = foreign[np.lexsort((rank, variables.equation[foreign]))]
    owner = variables.equation[foreign]
    turn = np.arange(len(foreign)) - np.searchsorted(owner, owner)
    left = turn < len(known) - used.sum(axis=1)[owner]
    word = variables.word.copy()
    word[foreign[left]] = ids[free[owner[left], turn[left]]]
    return variables.renamed(trees, words, word)


def in_known_names(trees: PrefixTrees, known: Sequence[str], any_leaf: bool) -> PrefixTrees:
    """Equations renamed as a model needs them, with no words but those that occur, and the operators.

    Parameters
    ----------
    trees : PrefixTrees
        The equations.
    known : sequence of str
        The model's own variables, as in `dgl_mathtree.language.renaming.known_variables`.
    any_leaf : bool
        Whether the model reads any leaf, see `dgl_mathtree.language.renaming.names_for`, which does this for one
        equation and what may fill its blank.

    Examples
    --------
    >>> trees = PrefixTrees.of([("Equality", "Add", "t", "y", "y")])
    >>> for any_leaf in (True, False):
    ...     renamed = in_known_names(trees, ["x", "y"], any_leaf)
    ...     [renamed.words[k] for k in renamed.word[::-1]]
    ['Add', 'y', 'x', 'x']
    ['Add', 'x', 'y', 'y']
    """
    return (by_appearance if any_leaf else to_known)(trees, known).trimmed()


def _with_names(words: tuple[str, ...], names: Sequence[str]) -> tuple[tuple[str, ...], Array]:
    """Words with some names among them, and the indices of these."""
    ids = {word: k for k, word in enumerate(words)}
    for name in names:
        ids.setdefault(name, len(ids))
    return tuple(ids), np.array([ids[name] for name in names], dtype=np.int32)
