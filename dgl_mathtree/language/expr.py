"""Expressions and equations: immutable trees, each held as the tuple of its words in prefix order.

``sin(x)^2`` is ``("Pow", "sin", "x", "2")``. A position is an index into that tuple, so position 0 is the root, and
the subtree at a position is a slice. Comparing, hashing and copying are those of tuples, and nothing recurses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from dgl_mathtree.language.variables import CANONICAL_VARIABLES, names_from
from dgl_mathtree.language.vocabulary import ARITY, EQUALITY, OPERATORS, VocabularyError, check_leaf, is_variable

Words = tuple[str, ...]
LARGEST_FORMULA = 500
"""The nodes of a tree that a notebook still shows as a formula."""


def subtree_ends(words: Words) -> list[int]:
    """For every position, the position just after its subtree."""
    ends = list(range(1, len(words) + 1))  # so it is for leaves
    arity_of = ARITY.get
    for i in range(len(words) - 1, -1, -1):
        arity = arity_of(words[i])
        if arity == 2:
            ends[i] = ends[ends[i + 1]]
        elif arity == 1:
            ends[i] = ends[i + 1]
    return ends


def depth_of(words: Words) -> int:
    """The depth of the tree that words spell: 0 for a leaf, else 1 + the largest depth of the children."""
    stack: list[int] = []
    arity_of = ARITY.get
    for word in reversed(words):
        arity = arity_of(word)
        if arity is None:
            stack.append(0)
        elif arity == 1:
            stack[-1] += 1
        else:
            first, second = stack.pop(), stack[-1]
            stack[-1] = 1 + (first if first > second else second)
    return stack[0]


def _checked(words: Iterable[str], kind: str) -> Words:
    """The words as a tuple, once they are known to spell exactly one tree of known words."""
    words = tuple(words)
    open_places = 1
    for i, word in enumerate(words):
        if open_places == 0:
            raise VocabularyError(f"the {kind} is complete before word {i} ({word!r})")
        if word == EQUALITY and (i > 0 or kind != "equation"):
            raise VocabularyError(f"{EQUALITY} may stand only at the root of an equation, not at word {i}")
        if word not in ARITY:
            check_leaf(word)
        open_places += ARITY.get(word, 0) - 1
    if open_places:
        raise VocabularyError(f"the {kind} ends too early: {open_places} more subexpression(s) expected")
    return words


_T = TypeVar("_T", bound="Tree")


class Tree:
    """What expressions and equations have in common: words in prefix order and the tree they spell."""

    __slots__ = ("words",)
    words: Words

    @classmethod
    def _trusted(cls: type[_T], words: Words) -> _T:
        """Wrap words already known to spell a tree."""
        self = object.__new__(cls)
        object.__setattr__(self, "words", words)
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.words == other.words  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.words)

    def __len__(self) -> int:
        return len(self.words)

    def __str__(self) -> str:
        from dgl_mathtree.language.printers import infix

        return infix(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def _repr_latex_(self) -> str | None:
        """The formula that a notebook shows; the text of a tree too large to be read as a formula."""
        from dgl_mathtree.language.printers import latex

        return rf"$\displaystyle {latex(self)}$" if len(self) <= LARGEST_FORMULA else None

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.words)

    @property
    def depth(self) -> int:
        """0 for a leaf, else 1 + the largest depth of the children; the root of an equation counts."""
        return depth_of(self.words)

    def heights(self) -> list[int]:
        """The depth of the subtree at every position."""
        ends = subtree_ends(self.words)
        heights = [0] * len(ends)
        for i in range(len(ends) - 1, -1, -1):
            arity = ARITY.get(self.words[i], 0)
            if arity == 1:
                heights[i] = 1 + heights[i + 1]
            elif arity == 2:
                heights[i] = 1 + max(heights[i + 1], heights[ends[i + 1]])
        return heights

    @property
    def variables(self) -> tuple[str, ...]:
        """The distinct variables, in the order in which they first appear."""
        distinct = dict.fromkeys(self.words)
        return tuple(word for word in distinct if word not in ARITY and is_variable(word))

    def _at(self, position: int) -> tuple[int, int]:
        if not 0 <= position < len(self.words):
            raise IndexError(f"no position {position}: the tree has {len(self.words)} nodes, 0 is the root")
        open_places, end = 1, position
        while open_places:
            open_places += ARITY.get(self.words[end], 0) - 1
            end += 1
        return position, end

    def subexpression(self, position: int) -> Expr:
        """The subtree at a position of the prefix order."""
        start, end = self._at(position)
        if self.words[start] == EQUALITY:
            raise IndexError("the root of an equation is not an expression")
        return Expr._trusted(self.words[start:end])

    def subexpressions(self) -> list[Expr]:
        """The subtrees at all positions, in prefix order, but for the root of an equation, which is no expression."""
        ends = subtree_ends(self.words)
        first = int(self.words[0] == EQUALITY)
        return [Expr._trusted(self.words[at : ends[at]]) for at in range(first, len(ends))]

    def replace(self: _T, position: int, new: Expr) -> _T:
        """The tree with the subtree at a position replaced."""
        start, end = self._at(position)
        if self.words[start] == EQUALITY:
            raise IndexError("the root of an equation cannot be replaced by an expression")
        return self._trusted(self.words[:start] + new.words + self.words[end:])

    def rename(self: _T, names: Mapping[str, str]) -> _T:
        """The tree with variables renamed; names not in the mapping stay."""
        for name in names.values():
            if not is_variable(name):
                raise VocabularyError(f"{name!r} is not a variable name")
        renamed = {old: new for old, new in names.items() if is_variable(old)}
        return self._trusted(tuple(renamed.get(word, word) for word in self.words))

    def canonical_variables(self: _T) -> _T:
        """The tree with its variables renamed, in order of appearance, to x, y, z, w, x_4, x_5, ..."""
        return self.rename(dict(zip(self.variables, names_from(CANONICAL_VARIABLES), strict=False)))


class Expr(Tree):
    """An expression.

    Example:
        >>> half_angle = Expr.apply("sin", Expr.apply("Mul", Expr.leaf("1/2"), Expr.leaf("x")))
        >>> half_angle
        Expr('sin((1/2)*x)')
        >>> half_angle.words, half_angle.depth, half_angle.children
        (('sin', 'Mul', '1/2', 'x'), 2, (Expr('(1/2)*x'),))
    """

    __slots__ = ()

    def __init__(self, words: Iterable[str]) -> None:
        object.__setattr__(self, "words", _checked(words, "expression"))

    def __reduce__(self) -> tuple[object, ...]:
        return Expr, (self.words,)

    @classmethod
    def leaf(cls, word: str) -> Expr:
        return cls._trusted((check_leaf(word),))

    @classmethod
    def apply(cls, operator: str, *children: Expr) -> Expr:
        """The operator applied to its children."""
        if operator not in OPERATORS:
            raise VocabularyError(f"{operator!r} is not an operator: expected one of {', '.join(OPERATORS)}")
        if len(children) != ARITY[operator]:
            raise VocabularyError(f"{operator} takes {ARITY[operator]} argument(s), not {len(children)}")
        return cls._trusted(sum((child.words for child in children), (operator,)))

    @property
    def word(self) -> str:
        """The word at the root: an operator's name or a leaf."""
        return self.words[0]

    @property
    def children(self) -> tuple[Expr, ...]:
        found, start = [], 1
        for _ in range(ARITY.get(self.words[0], 0)):
            found.append(self.subexpression(start))
            start += found[-1].size
        return tuple(found)


class Equation(Tree):
    """Two expressions claimed to be equal.

    Example:
        >>> equation = Equation(Expr.leaf("x"), Expr.apply("Mul", Expr.leaf("1"), Expr.leaf("x")))
        >>> equation, equation.depth
        (Equation('x = 1*x'), 2)
    """

    __slots__ = ()

    def __init__(self, left: Expr, right: Expr) -> None:
        object.__setattr__(self, "words", (EQUALITY, *left.words, *right.words))

    def __reduce__(self) -> tuple[object, ...]:
        return Equation.from_words, (self.words,)

    @classmethod
    def from_words(cls, words: Iterable[str]) -> Equation:
        """An equation from its words in prefix order, ``Equality`` first."""
        words = _checked(words, "equation")
        if words[:1] != (EQUALITY,):
            raise VocabularyError(f"an equation starts with {EQUALITY}")
        return cls._trusted(words)

    @property
    def left(self) -> Expr:
        return self.subexpression(1)

    @property
    def right(self) -> Expr:
        return self.subexpression(self._at(1)[1])
