"""Mistakes in sums, products and powers: something dropped, swapped, cancelled, or a bracket lost."""

from __future__ import annotations

from dgl_mathtree.data.edits.equation_view import EquationView, Replacement, is_inverse_at, is_number_word, negative
from dgl_mathtree.language.expr import subtree_ends
from dgl_mathtree.language.vocabulary import is_integer


def drop_term(view: EquationView) -> Replacement | None:
    at = view.node("Add")
    return None if at is None else (at, view.rng.choice(view.children(at)))


def drop_factor(view: EquationView) -> Replacement | None:
    at = view.some(lambda at: view.words[at] == "Mul" and view.words[at + 1] != "-1")
    return None if at is None else (at, view.rng.choice(view.children(at)))


def change_exponent(view: EquationView) -> Replacement | None:
    """An exponent one too large or too small, forgotten, or of the other sign."""
    at = view.some(lambda at: view.words[at] == "Pow" and view.words[view.ends[at + 1]] != "-1")
    if at is None:
        return None
    base, exponent = view.children(at)
    draw = view.rng.random()
    if draw < 0.25:
        return at, base
    if len(exponent) == 1 and is_integer(exponent[0]):
        value = int(exponent[0])
        changed = value + view.rng.choice((-1, 1)) if draw < 0.85 else -value
        return at, ("Pow", *base, str(changed))
    if len(exponent) == 1 and is_number_word(exponent[0]):
        return at, ("Pow", *base, view.rng.choice(("2", "1/3", "-1/2", "1/2", "3/2", "2/3")))
    return at, ("Pow", *base, "Add", *exponent, "1") if draw < 0.6 else ("Pow", *base, *negative(exponent))


def swap_operands(view: EquationView) -> Replacement | None:
    """b - a for a - b, b/a for a/b, b^a for a^b, the base of a logarithm for its argument."""
    words, ends = view.words, view.ends

    def swappable(at: int) -> bool:
        if words[at] in ("Pow", "log"):
            return words[ends[at + 1]] not in ("-1", "e") or words[at] == "log"
        if words[at] == "Add":
            return words[ends[at + 1] : ends[at + 1] + 2] == ("Mul", "-1")
        return words[at] == "Mul" and is_inverse_at(view, ends[at + 1])

    at = view.some(swappable)
    if at is None:
        return None
    a, b = view.children(at)
    if words[at] == "Add":
        return at, ("Add", *b[2:], "Mul", "-1", *a)
    if words[at] == "Mul":
        return at, ("Mul", *b[1:-1], "Pow", *a, "-1")
    return at, (words[at], *b, *a)


def change_operator(view: EquationView) -> Replacement | None:
    """A product for a sum, a quotient for a product, and back."""
    at = view.some(lambda at: view.words[at] in ("Add", "Mul") and view.words[at + 1] != "-1")
    if at is None:
        return None
    a, b = view.children(at)
    if view.words[at] == "Add":
        return at, ("Mul", *a, *(b[2:] if b[:2] == ("Mul", "-1") else b))
    if is_inverse_at(view, view.ends[at + 1]) and view.rng.random() < 0.6:
        return at, ("Mul", *a, *b[1:-1])
    return at, ("Add", *a, *b)


def cancel(view: EquationView) -> Replacement | None:
    """(a + b)/a = b, (a + b)/(a + c) = b/c, (a*b + c)/b = a + c: a term cancelled as if it were a factor."""
    words, ends = view.words, view.ends
    at = view.some(lambda at: words[at] == "Mul" and words[at + 1] == "Add" and is_inverse_at(view, ends[at + 1]))
    if at is None:
        return None
    a, b = view.children(at + 1)
    below = view.children(ends[at + 1])[0]
    if below[0] == "Add":
        middle = subtree_ends(below)[1]
        kept = view.rng.choice(((a, below[1:middle]), (b, below[middle:])))
        return at, ("Mul", *kept[0], "Pow", *kept[1], "-1")
    if view.rng.random() < 0.5:
        return at, view.rng.choice((a, b))
    first = view.rng.random() < 0.5
    divided = ("Mul", *(a if first else b), "Pow", *below, "-1")
    return at, ("Add", *divided, *b) if first else ("Add", *a, *divided)


def distribute(view: EquationView) -> Replacement | None:
    """a*(b + c) = a*b + c, a - (b + c) = a - b + c: a bracket lost."""
    words, ends = view.words, view.ends
    at = view.some(lambda at: words[at] == "Mul" and "Add" in (words[at + 1], words[ends[at + 1]]))
    if at is None:
        return None
    a, b = view.children(at)
    if b[0] == "Add":
        middle = subtree_ends(b)[1]
        return at, ("Add", "Mul", *a, *b[1:middle], *b[middle:])
    middle = subtree_ends(a)[1]
    return at, ("Add", *a[1:middle], "Mul", *a[middle:], *b)
