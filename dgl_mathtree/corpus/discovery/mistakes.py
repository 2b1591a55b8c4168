"""Mistakes people make: one edit of a true equation, as a position and a new subtree (whether it makes the equation
false is for the oracle to say)."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from dgl_mathtree.corpus.derivation import Edit
from dgl_mathtree.corpus.discovery.laws import VARIABLES
from dgl_mathtree.expressions.tree import Words, subtree_ends
from dgl_mathtree.expressions.vocabulary import ARITY, CONSTANTS, is_integer, is_number, is_variable, negated

Place = tuple[int, Words]
TRIES = 6

_CIRCULAR = "sin cos tan csc sec cot".split()
_HYPERBOLIC = "sinh cosh tanh csch sech coth".split()
_COFUNCTION = dict(zip("sin cos tan csc sec cot".split(), "cos sin cot sec csc tan".split(), strict=True))
_RECIPROCAL = dict(zip(_CIRCULAR, "csc sec cot sin cos tan".split(), strict=True))
_INVERTIBLE = frozenset(_CIRCULAR + _HYPERBOLIC)


class Scene(NamedTuple):
    """The equation to edit."""

    words: Words
    ends: list[int]
    rng: random.Random

    def subtree(self, at: int) -> Words:
        return self.words[at : self.ends[at]]

    def children(self, at: int) -> tuple[Words, Words]:
        second = self.ends[at + 1]
        return self.words[at + 1 : second], self.words[second : self.ends[at]]

    def some(self, wanted: Callable[[int], bool]) -> int | None:
        """A random position of those wanted."""
        places = [at for at in range(1, len(self.words)) if wanted(at)]
        return self.rng.choice(places) if places else None

    def node(self, *names: str) -> int | None:
        return self.some(lambda at: self.words[at] in names)


def _change_variable(scene: Scene) -> Place | None:
    """One variable for another, mostly for one that the equation has."""
    at = scene.some(lambda at: _is_variable(scene.words[at]))
    if at is None:
        return None
    others = [w for w in dict.fromkeys(scene.words) if _is_variable(w) and w != scene.words[at]]
    if not others or scene.rng.random() < 0.1:
        others = [name for name in VARIABLES[:4] if name != scene.words[at]]
    return at, (scene.rng.choice(others),)


def _is_variable(word: str) -> bool:
    return word not in ARITY and is_variable(word)


def _is_number(word: str) -> bool:
    return word not in ARITY and is_number(word)


def _change_number(scene: Scene) -> Place | None:
    """One number for another that is near, opposite, doubled, halved or turned over."""
    at = scene.some(lambda at: _is_number(scene.words[at]) and not _is_sign(scene, at))
    if at is None or "." in scene.words[at]:
        return None
    value = Fraction(scene.words[at])
    near = [value + 1, value - 1, value + 1, value - 1, 2 * value, value / 2, -value, value + 2]
    if value:
        near.append(1 / value)
    return at, (_word(scene.rng.choice(near)),)


def _word(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def _is_sign(scene: Scene, at: int) -> bool:
    """Whether a -1 only makes a difference or a quotient."""
    if scene.words[at] != "-1":
        return False
    return scene.words[at - 1] == "Mul" or any(
        scene.words[k] == "Pow" and scene.ends[k + 1] == at for k in range(at - 1, 0, -1)
    )


def _flip_sign(scene: Scene) -> Place | None:
    """A minus for a plus, or the other way round."""
    words = scene.words
    draw = scene.rng.random()
    if draw < 0.5:
        at = scene.some(lambda at: words[at] == "Mul" and words[at + 1] == "-1")
        if at is not None:
            return at, scene.subtree(at + 2)
    if draw < 0.85:
        at = scene.node("Add")
        if at is not None:
            a, b = scene.children(at)
            return at, ("Add", *a, *_negative(b))
    at = scene.some(lambda at: words[at - 1] == "Equality" or words[at] in ARITY)
    return None if at is None or words[at] == "0" else (at, _negative(scene.subtree(at)))


def _negative(words: Words) -> Words:
    if words[0] == "Mul" and words[1] == "-1":
        return words[2:]
    return (negated(words[0]),) if len(words) == 1 and _is_number(words[0]) else ("Mul", "-1", *words)


def _drop_term(scene: Scene) -> Place | None:
    at = scene.node("Add")
    return None if at is None else (at, scene.rng.choice(scene.children(at)))


def _drop_factor(scene: Scene) -> Place | None:
    at = scene.some(lambda at: scene.words[at] == "Mul" and scene.words[at + 1] != "-1")
    return None if at is None else (at, scene.rng.choice(scene.children(at)))


def _change_exponent(scene: Scene) -> Place | None:
    """An exponent one too large or too small, forgotten, or of the other sign."""
    at = scene.some(lambda at: scene.words[at] == "Pow" and scene.words[scene.ends[at + 1]] != "-1")
    if at is None:
        return None
    base, exponent = scene.children(at)
    draw = scene.rng.random()
    if draw < 0.25:
        return at, base
    if len(exponent) == 1 and is_integer(exponent[0]):
        value = int(exponent[0])
        changed = value + scene.rng.choice((-1, 1)) if draw < 0.85 else -value
        return at, ("Pow", *base, str(changed))
    if len(exponent) == 1 and _is_number(exponent[0]):
        return at, ("Pow", *base, scene.rng.choice(("2", "1/3", "-1/2", "1/2", "3/2", "2/3")))
    return at, ("Pow", *base, "Add", *exponent, "1") if draw < 0.6 else ("Pow", *base, *_negative(exponent))


def _change_function(scene: Scene) -> Place | None:
    """Sine for cosine, for hyperbolic sine, for its reciprocal, exp for ln."""
    at = scene.some(lambda at: ARITY.get(scene.words[at]) == 1)
    if at is None:
        return None
    name, argument = scene.words[at], scene.words[at + 1 : scene.ends[at]]
    if name == "exp":
        return at, ("log", *argument, "e")
    plain = name.removeprefix("a")
    inverse, hyperbolic = name != plain, plain in _HYPERBOLIC
    root = plain.removesuffix("h") if hyperbolic else plain
    draw = scene.rng.random()
    if draw < 0.45:
        root = _COFUNCTION[root]
    elif draw < 0.6:
        root = _RECIPROCAL[root]
    elif draw < 0.8:
        hyperbolic = not hyperbolic
    else:
        root = scene.rng.choice([other for other in _CIRCULAR if other != root])
    return at, ("a" * inverse + root + "h" * hyperbolic, *argument)


def _swap_operands(scene: Scene) -> Place | None:
    """b - a for a - b, b/a for a/b, b^a for a^b, the base of a logarithm for its argument."""
    words, ends = scene.words, scene.ends

    def swappable(at: int) -> bool:
        if words[at] in ("Pow", "log"):
            return words[ends[at + 1]] not in ("-1", "e") or words[at] == "log"
        if words[at] == "Add":
            return words[ends[at + 1] : ends[at + 1] + 2] == ("Mul", "-1")
        return words[at] == "Mul" and _is_inverse(scene, ends[at + 1])

    at = scene.some(swappable)
    if at is None:
        return None
    a, b = scene.children(at)
    if words[at] == "Add":
        return at, ("Add", *b[2:], "Mul", "-1", *a)
    if words[at] == "Mul":
        return at, ("Mul", *b[1:-1], "Pow", *a, "-1")
    return at, (words[at], *b, *a)


def _is_inverse(scene: Scene, at: int) -> bool:
    return scene.words[at] == "Pow" and scene.words[scene.ends[at + 1]] == "-1"


def _is_function(scene: Scene, at: int) -> bool:
    """Whether a node is a function of one argument: a named one, a logarithm or a power with a number."""
    word = scene.words[at]
    return ARITY.get(word) == 1 or (word in ("log", "Pow") and scene.ends[scene.ends[at + 1]] == scene.ends[at + 1] + 1)


def _linearity(scene: Scene) -> Place | None:
    """f(a + b) = f(a) + f(b), f(a*b) = f(a)*f(b), f(2*a) = 2*f(a), and back."""
    words, ends = scene.words, scene.ends
    if scene.rng.random() < 0.3:
        return _gathered(scene)
    at = scene.some(lambda at: _is_function(scene, at) and words[at + 1] in ("Add", "Mul"))
    if at is None:
        return None
    word, inner = words[at], at + 1
    rest = () if ARITY[word] == 1 else scene.subtree(ends[inner])
    a, b = scene.children(inner)
    negative = words[inner] == "Add" and b[:2] == ("Mul", "-1")
    second = b[2:] if negative else b
    if words[inner] == "Mul" and a[0] not in ARITY and _is_number(a[0]):
        return at, ("Mul", *a, word, *b, *rest)
    if words[inner] == "Mul" and word == "log" and scene.rng.random() < 0.5:
        return at, ("Mul", word, *a, *rest, word, *b, *rest)
    if words[inner] == "Mul" and word == "Pow":
        return at, ("Mul", *a, word, *b, *rest)
    image = (word, *second, *rest)
    return at, (words[inner], word, *a, *rest, *(("Mul", "-1", *image) if negative else image))


def _gathered(scene: Scene) -> Place | None:
    """f(a) + f(b) = f(a + b)."""
    words, ends = scene.words, scene.ends

    def alike(at: int) -> bool:
        if words[at] not in ("Add", "Mul") or words[at + 1] != words[ends[at + 1]] or not _is_function(scene, at + 1):
            return False
        if ARITY[words[at + 1]] == 1:
            return True
        return scene.children(at + 1)[1] == scene.children(ends[at + 1])[1]

    at = scene.some(alike)
    if at is None:
        return None
    first, second = at + 1, ends[at + 1]
    if ARITY[words[first]] == 1:
        return at, (words[first], words[at], *scene.subtree(first)[1:], *scene.subtree(second)[1:])
    (a, rest), (b, _) = scene.children(first), scene.children(second)
    return at, (words[first], words[at], *a, *b, *rest)


def _cancel(scene: Scene) -> Place | None:
    """(a + b)/a = b, (a + b)/(a + c) = b/c, (a*b + c)/b = a + c: a term cancelled as if it were a factor."""
    words, ends = scene.words, scene.ends
    at = scene.some(lambda at: words[at] == "Mul" and words[at + 1] == "Add" and _is_inverse(scene, ends[at + 1]))
    if at is None:
        return None
    a, b = scene.children(at + 1)
    below = scene.children(ends[at + 1])[0]
    if below[0] == "Add":
        middle = subtree_ends(below)[1]
        kept = scene.rng.choice(((a, below[1:middle]), (b, below[middle:])))
        return at, ("Mul", *kept[0], "Pow", *kept[1], "-1")
    if scene.rng.random() < 0.5:
        return at, scene.rng.choice((a, b))
    first = scene.rng.random() < 0.5
    divided = ("Mul", *(a if first else b), "Pow", *below, "-1")
    return at, ("Add", *divided, *b) if first else ("Add", *a, *divided)


def _inverse_for_reciprocal(scene: Scene) -> Place | None:
    """asin(x) for 1/sin(x), and the other way round."""
    words = scene.words
    at = scene.some(
        lambda at: (
            (words[at][0] == "a" and words[at][1:] in _INVERTIBLE)
            or (_is_inverse(scene, at) and words[at + 1] in _INVERTIBLE)
        )
    )
    if at is None:
        return None
    if words[at] == "Pow":
        return at, ("a" + words[at + 1], *words[at + 2 : scene.ends[at + 1]])
    argument = words[at + 1 : scene.ends[at]]
    return at, ("Pow", words[at].removeprefix("a"), *argument, "-1")


def _argument_slip(scene: Scene) -> Place | None:
    """f(x^2) for f(x)^2, f(2*x) for 2*f(x), and back; an argument doubled or halved."""
    words, ends = scene.words, scene.ends
    at = scene.some(
        lambda at: (
            (words[at] == "Pow" and ARITY.get(words[at + 1]) == 1)
            or (words[at] == "Mul" and words[at + 1] not in ARITY and ARITY.get(words[at + 2]) == 1)
            or ARITY.get(words[at]) == 1
        )
    )
    if at is None:
        return None
    if words[at] == "Pow":
        _, exponent = scene.children(at)
        return at, (words[at + 1], "Pow", *words[at + 2 : ends[at + 1]], *exponent)
    if words[at] == "Mul":
        return at, (words[at + 2], "Mul", words[at + 1], *words[at + 3 : ends[at + 2]])
    name, argument = words[at], words[at + 1 : ends[at]]
    if argument[0] == "Pow" and argument[-1] in ("2", "3"):
        return at, ("Pow", name, *argument[1:-1], argument[-1])
    if (argument[0] == "Mul" and argument[1] in ("2", "1/2")) or argument[-3:-1] == ("Pow", "2"):
        return at + 1, scene.children(at + 1)[1 if argument[1] in ("2", "1/2") else 0]
    return at + 1, ("Mul", "2", *argument) if scene.rng.random() < 0.6 else ("Mul", *argument, "Pow", "2", "-1")


def _distribute(scene: Scene) -> Place | None:
    """a*(b + c) = a*b + c, a - (b + c) = a - b + c: a bracket lost."""
    words, ends = scene.words, scene.ends
    at = scene.some(lambda at: words[at] == "Mul" and "Add" in (words[at + 1], words[ends[at + 1]]))
    if at is None:
        return None
    a, b = scene.children(at)
    if b[0] == "Add":
        middle = subtree_ends(b)[1]
        return at, ("Add", "Mul", *a, *b[1:middle], *b[middle:])
    middle = subtree_ends(a)[1]
    return at, ("Add", *a[1:middle], "Mul", *a[middle:], *b)


def _change_operator(scene: Scene) -> Place | None:
    """A product for a sum, a quotient for a product, and back."""
    at = scene.some(lambda at: scene.words[at] in ("Add", "Mul") and scene.words[at + 1] != "-1")
    if at is None:
        return None
    a, b = scene.children(at)
    if scene.words[at] == "Add":
        return at, ("Mul", *a, *(b[2:] if b[:2] == ("Mul", "-1") else b))
    if b[0] == "Pow" and b[-1] == "-1" and scene.rng.random() < 0.6:
        return at, ("Mul", *a, *b[1:-1])
    return at, ("Add", *a, *b)


def _change_constant(scene: Scene) -> Place | None:
    """pi or e for something else."""
    at = scene.node(*CONSTANTS)
    if at is None or (scene.words[at] == "e" and scene.rng.random() < 0.7):
        return None
    others = ("2", "Mul 2 pi", "Mul pi Pow 2 -1", "e", "10") if scene.words[at] == "pi" else ("2", "10", "pi")
    return at, tuple(scene.rng.choice(others).split())


def _exchange(scene: Scene) -> Place | None:
    """Two unequal leaves below one node trade places."""
    top = scene.some(lambda at: scene.ends[at] - at > 3)
    if top is None:
        return None
    subtree = list(scene.subtree(top))
    leaves = [k for k, word in enumerate(subtree) if word not in ARITY]
    first = scene.rng.choice(leaves)
    others = [k for k in leaves if subtree[k] != subtree[first]]
    if not others:
        return None
    second = scene.rng.choice(others)
    subtree[first], subtree[second] = subtree[second], subtree[first]
    return top, tuple(subtree)


MISTAKES: dict[str, tuple[float, Callable[[Scene], Place | None]]] = {
    "change-variable": (3.0, _change_variable),
    "change-number": (2.5, _change_number),
    "flip-sign": (3.0, _flip_sign),
    "drop-term": (2.0, _drop_term),
    "drop-factor": (2.2, _drop_factor),
    "change-exponent": (2.2, _change_exponent),
    "change-function": (2.5, _change_function),
    "swap-operands": (2.2, _swap_operands),
    "linearity": (1.6, _linearity),
    "cancel": (1.0, _cancel),
    "inverse-for-reciprocal": (0.8, _inverse_for_reciprocal),
    "argument-slip": (1.2, _argument_slip),
    "distribute": (0.8, _distribute),
    "change-operator": (0.8, _change_operator),
    "change-constant": (0.4, _change_constant),
    "exchange": (1.2, _exchange),
}
_KINDS = list(MISTAKES)
_WEIGHTS = [weight for weight, _ in MISTAKES.values()]


def mistake(words: Words, rng: random.Random) -> Edit | None:
    """An edit of an equation that changes it, or None if this draw found none."""
    scene = Scene(words, subtree_ends(words), rng)
    for kind in rng.choices(_KINDS, _WEIGHTS, k=TRIES):
        place = MISTAKES[kind][1](scene)
        if place is not None and scene.subtree(place[0]) != place[1]:
            return Edit(kind, *place)
    return None
