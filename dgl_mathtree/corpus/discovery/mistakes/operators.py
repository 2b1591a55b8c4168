"""Mistakes in sums, products and powers: something dropped, swapped, cancelled, or a bracket lost."""

from __future__ import annotations

from dgl_mathtree.corpus.discovery.mistakes.scene import Place, Scene, is_inverse, is_number_word, negative
from dgl_mathtree.expressions.tree import subtree_ends
from dgl_mathtree.expressions.vocabulary import is_integer


def drop_term(scene: Scene) -> Place | None:
    at = scene.node("Add")
    return None if at is None else (at, scene.rng.choice(scene.children(at)))


def drop_factor(scene: Scene) -> Place | None:
    at = scene.some(lambda at: scene.words[at] == "Mul" and scene.words[at + 1] != "-1")
    return None if at is None else (at, scene.rng.choice(scene.children(at)))


def change_exponent(scene: Scene) -> Place | None:
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
    if len(exponent) == 1 and is_number_word(exponent[0]):
        return at, ("Pow", *base, scene.rng.choice(("2", "1/3", "-1/2", "1/2", "3/2", "2/3")))
    return at, ("Pow", *base, "Add", *exponent, "1") if draw < 0.6 else ("Pow", *base, *negative(exponent))


def swap_operands(scene: Scene) -> Place | None:
    """b - a for a - b, b/a for a/b, b^a for a^b, the base of a logarithm for its argument."""
    words, ends = scene.words, scene.ends

    def swappable(at: int) -> bool:
        if words[at] in ("Pow", "log"):
            return words[ends[at + 1]] not in ("-1", "e") or words[at] == "log"
        if words[at] == "Add":
            return words[ends[at + 1] : ends[at + 1] + 2] == ("Mul", "-1")
        return words[at] == "Mul" and is_inverse(scene, ends[at + 1])

    at = scene.some(swappable)
    if at is None:
        return None
    a, b = scene.children(at)
    if words[at] == "Add":
        return at, ("Add", *b[2:], "Mul", "-1", *a)
    if words[at] == "Mul":
        return at, ("Mul", *b[1:-1], "Pow", *a, "-1")
    return at, (words[at], *b, *a)


def change_operator(scene: Scene) -> Place | None:
    """A product for a sum, a quotient for a product, and back."""
    at = scene.some(lambda at: scene.words[at] in ("Add", "Mul") and scene.words[at + 1] != "-1")
    if at is None:
        return None
    a, b = scene.children(at)
    if scene.words[at] == "Add":
        return at, ("Mul", *a, *(b[2:] if b[:2] == ("Mul", "-1") else b))
    if is_inverse(scene, scene.ends[at + 1]) and scene.rng.random() < 0.6:
        return at, ("Mul", *a, *b[1:-1])
    return at, ("Add", *a, *b)


def cancel(scene: Scene) -> Place | None:
    """(a + b)/a = b, (a + b)/(a + c) = b/c, (a*b + c)/b = a + c: a term cancelled as if it were a factor."""
    words, ends = scene.words, scene.ends
    at = scene.some(lambda at: words[at] == "Mul" and words[at + 1] == "Add" and is_inverse(scene, ends[at + 1]))
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


def distribute(scene: Scene) -> Place | None:
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
