"""Mistakes with functions: one for another, taken to be linear, an inverse for a reciprocal, a wrong argument."""

from __future__ import annotations

from dgl_mathtree.corpus.discovery.mistakes.scene import Place, Scene, is_inverse, is_number_word
from dgl_mathtree.expressions.vocabulary import ARITY

_CIRCULAR = "sin cos tan csc sec cot".split()
_HYPERBOLIC = "sinh cosh tanh csch sech coth".split()
_COFUNCTION = dict(zip("sin cos tan csc sec cot".split(), "cos sin cot sec csc tan".split(), strict=True))
_RECIPROCAL = dict(zip(_CIRCULAR, "csc sec cot sin cos tan".split(), strict=True))
_INVERTIBLE = frozenset(_CIRCULAR + _HYPERBOLIC)


def change_function(scene: Scene) -> Place | None:
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


def _is_function(scene: Scene, at: int) -> bool:
    """Whether a node is a function of one argument: a named one, a logarithm or a power with a number."""
    word = scene.words[at]
    return ARITY.get(word) == 1 or (word in ("log", "Pow") and scene.ends[scene.ends[at + 1]] == scene.ends[at + 1] + 1)


def linearity(scene: Scene) -> Place | None:
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
    if words[inner] == "Mul" and a[0] not in ARITY and is_number_word(a[0]):
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


def inverse_for_reciprocal(scene: Scene) -> Place | None:
    """asin(x) for 1/sin(x), and the other way round."""
    words = scene.words
    at = scene.some(
        lambda at: (
            (words[at][0] == "a" and words[at][1:] in _INVERTIBLE)
            or (is_inverse(scene, at) and words[at + 1] in _INVERTIBLE)
        )
    )
    if at is None:
        return None
    if words[at] == "Pow":
        return at, ("a" + words[at + 1], *words[at + 2 : scene.ends[at + 1]])
    argument = words[at + 1 : scene.ends[at]]
    return at, ("Pow", words[at].removeprefix("a"), *argument, "-1")


def argument_slip(scene: Scene) -> Place | None:
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
