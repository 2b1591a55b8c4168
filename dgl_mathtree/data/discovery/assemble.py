"""Labelled equations from what was discovered: true ones from every source, a mistake beside each, judged in bulk.

Work is done in blocks. A block is a pure function of the library (the pairs found in pools), the seed and its number,
so that any number of processes make the same data.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from dgl_mathtree.data.candidate import Candidate
from dgl_mathtree.data.canonical import canonical_key
from dgl_mathtree.data.discovery.law_instances import VARIABLES, instance, laws
from dgl_mathtree.data.discovery.side_classes import TRAIN, part_name, parts_of
from dgl_mathtree.data.discovery.suppositions import supposed
from dgl_mathtree.data.discovery.templates import LARGEST_SIDE, small_pair, template
from dgl_mathtree.data.discovery.transform import combined, rearranged, rewritten, substituted
from dgl_mathtree.data.edits import mistake
from dgl_mathtree.data.provenance import Became, Edit, Found, Step
from dgl_mathtree.data.splits import PARTS
from dgl_mathtree.language import Equation
from dgl_mathtree.language.build import (
    Pair,
    Term,
    equation_words,
    nested,
    reordered,
    respelled,
    shape,
    size,
    substitute,
    tidy,
    variables,
)
from dgl_mathtree.language.expr import Tree, Words, depth_of, subtree_ends
from dgl_mathtree.language.variable_indices import place
from dgl_mathtree.language.vocabulary import ARITY, is_number
from dgl_mathtree.oracle import Oracle

DEEPEST = 10
"""Depth of an equation at most."""
LARGEST_NUMBER = 1100
"""A numerator or denominator at most."""
SHARES = {
    "law": 0.12,
    "template": 0.4,
    "substitute": 0.1,
    "rearrange": 0.16,
    "rewrite": 0.14,
    "combine": 0.14,
    "small": 0.02,
    "supposed": 0.06,
}
"""Of the true equations of a block; the rest are pairs of the library as they were found."""
CORRECT, UNLIKE, MISMATCH = "correct", "unlike", "mismatch"
SMALL = "small"
"""The source of two small expressions side by side."""
WRONG = ("false", "branch")
"""Verdicts on incorrect equations: nowhere true, or not everywhere."""
MOST_COMBINED = 4
"""True equations that one long one is made of at most."""
MISMATCHED = 0.06
"""The share of false equations that join the sides of two true ones."""

Steps = tuple[Found | Became, ...]
Made = tuple[Steps, int]
"""How a true equation came about, and the part that its origins are held out for."""


@dataclass
class IdentityLibrary:
    """Pairs of equal value that were found, the part that each is held out for, and what equals what."""

    sources: list[str] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    parts: list[int] = field(default_factory=list)
    members: dict[Term, list[Term]] = field(default_factory=dict)

    def add(self, source: str, pairs: list[Pair]) -> None:
        self.sources += [source] * len(pairs)
        self.pairs += pairs
        self.parts += parts_of([equation_words(*pair) for pair in pairs])

    def finish(self, seed: int) -> None:
        """Shuffle what was added and note, of what is for training, what equals what."""
        order = list(range(len(self.pairs)))
        random.Random(f"{seed}/library").shuffle(order)
        self.sources = [self.sources[k] for k in order]
        self.pairs = [self.pairs[k] for k in order]
        self.parts = [self.parts[k] for k in order]
        known = [pair for pair, part in zip(self.pairs, self.parts, strict=True) if part == TRAIN]
        for a, b in [*known, *(pair for _, pair in laws())]:
            for one, other in ((a, b), (b, a)):
                if isinstance(one, tuple):
                    self.members.setdefault(one, []).append(other)


class Assembler:
    """Makes blocks of labelled equations from a library."""

    def __init__(self, library: IdentityLibrary, blocks: int, size: int) -> None:
        self.library = library
        self.blocks = max(blocks, 1)
        self.size = size
        self.oracles = [Oracle(seed, complex_plane=False) for seed in (0, 1)]

    def block(self, seed: str, number: int) -> list[Candidate]:
        rng = random.Random(f"{seed}/discovery/{number}")
        drafts: dict[int, Candidate] = {}
        for draft in self._drafts(rng, number):
            if _fits(draft.words):
                drafts.setdefault(canonical_key(draft.words), draft)
        return self._judged(drafts)

    def _drafts(self, rng: random.Random, number: int) -> Iterator[Candidate]:
        true = list(self._true(rng, number))
        alike: dict[str, list[Made]] = {}
        for made in true:
            alike.setdefault(_source(made[0]), []).append(made)
        for made in true:
            steps, part = made
            steps = _spelled(steps, rng)
            words = steps[-1].equation
            yield Candidate(words, True, depth_of(words), CORRECT, steps, part=part_name(part))
            for _ in range(2):
                edit = mistake(words, rng)
                if edit is not None:
                    edit = _neat(edit, words, rng)
                    yield _edited(words, edit, steps, part)
                    break
            if rng.random() < MISMATCHED:
                yield from self._mismatch(steps, part, rng.choice(alike[_source(steps)]))
        for _ in range(int(SHARES["small"] * self.size)):
            found = Found(SMALL, equation_words(*small_pair(rng)))
            yield _unjudged(found)
        for _ in range(int(SHARES["supposed"] * self.size)):
            name, pair = supposed(rng)
            steps = _spelled((_found(f"supposed.{name}", pair),), rng)
            yield _unjudged(*steps)

    def _true(self, rng: random.Random, number: int) -> Iterator[Made]:
        library = self.library
        if number < self.blocks:
            for k in range(number, len(library.pairs), self.blocks):
                yield (_found(f"class.{library.sources[k]}", library.pairs[k]),), library.parts[k]
        for _ in range(int(SHARES["law"] * self.size)):
            group, law = rng.choice(laws())
            yield (_found(f"law.{group}", instance(law, rng)),), TRAIN
        for _ in range(int(SHARES["template"] * self.size)):
            if (made := template(rng)) is not None:
                yield (_found(f"template.{made[0]}", made[1]),), TRAIN
        for how in ("substitute", "rearrange", "rewrite", "combine"):
            for _ in range(int(SHARES[how] * self.size)):
                if (derived := self._derived(how, rng)) is not None:
                    yield derived

    def _origin(self, rng: random.Random) -> tuple[Found, Pair, int]:
        """A true equation to start from."""
        draw = rng.random()
        if draw < 0.25 and (made := template(rng)) is not None:
            return _found(f"template.{made[0]}", made[1]), made[1], TRAIN
        if draw < 0.5 or not self.library.pairs:
            group, law = rng.choice(laws())
            pair = instance(law, rng, 0.2) if rng.random() < 0.5 else law
            return _found(f"law.{group}", pair), pair, TRAIN
        k = rng.randrange(len(self.library.pairs))
        pair = self.library.pairs[k]
        return _found(f"class.{self.library.sources[k]}", pair), pair, self.library.parts[k]

    def _derived(self, how: str, rng: random.Random) -> Made | None:
        found, pair, part = self._origin(rng)
        steps: list[Found | Became] = [found]
        if how == "rearrange":
            _, other, other_part = self._origin(rng)
            for _ in range(1 + (rng.random() < 0.35)):
                if (result := rearranged(pair, other, rng)) is not None:
                    pair = result[1]
                    part = max(part, other_part) if result[0].startswith("join") else part
                    steps.append(Became(result[0], equation_words(*pair)))
        elif how == "combine":
            pairs = [pair]
            for _ in range(rng.randint(1, MOST_COMBINED - 1)):
                _, other, other_part = self._origin(rng)
                pairs.append(other)
                part = max(part, other_part)
            pair = combined(pairs, rng)
            steps.append(Became("combine", equation_words(*pair)))
        else:
            new = substituted(pair, rng) if how == "substitute" else self._rewritten(pair, rng)
            if new is not None:
                pair = new
                steps.append(Became(how, equation_words(*pair)))
        if len(steps) == 1 or shape(pair[0]) == shape(pair[1]):
            return None
        return tuple(steps), part

    def _rewritten(self, pair: Pair, rng: random.Random) -> Pair | None:
        new = rewritten(pair, self.library.members, rng)
        while new is not None and rng.random() < 0.5:
            longer = rewritten(new, self.library.members, rng)
            if longer is None or max(map(size, longer)) > LARGEST_SIDE:
                break
            new = longer
        return new

    def _mismatch(self, steps: Steps, part: int, other: Made) -> Iterator[Candidate]:
        """The side of another equation of the same source in place of one of this."""
        words, foreign = steps[-1].equation, other[0][-1].equation
        edit = Edit(MISMATCH, subtree_ends(words)[1], foreign[1 : subtree_ends(foreign)[1]])
        yield _edited(words, edit, steps, max(part, other[1]))

    def _judged(self, drafts: dict[int, Candidate]) -> list[Candidate]:
        """The drafts whose label the oracle confirms at two sets of points."""
        kept = list(drafts.items())
        placed = place(Equation._trusted(draft.words) for _, draft in kept)
        verdicts: list[str] = []
        for oracle in self.oracles:
            judged = [counts.verdict for counts in oracle.count(placed)]
            clear = [
                k
                for k, (_, draft) in enumerate(kept)
                if judged[k] in _expected(draft) and (not verdicts or verdicts[k] == judged[k])
            ]
            kept, verdicts = [kept[k] for k in clear], [judged[k] for k in clear]
            placed = placed.take(np.array(clear, dtype=np.int64))
        parts = parts_of([draft.words for _, draft in kept])
        return [
            replace(draft, key=key).judged(
                verdict, verdict == "true", max(draft.part, part_name(part), key=PARTS.index)
            )
            for (key, draft), verdict, part in zip(kept, verdicts, parts, strict=True)
        ]


def _expected(draft: Candidate) -> tuple[str, ...]:
    """The verdicts with which a draft is kept."""
    return ("true", *WRONG) if draft.kind == UNLIKE else ("true",) if draft.label else WRONG


def _unjudged(*steps: Found | Became) -> Candidate:
    """An equation that the oracle labels."""
    words = steps[-1].equation
    return Candidate(words, False, depth_of(words), UNLIKE, steps, part=part_name(TRAIN))


def _edited(words: Words, edit: Edit, steps: Steps, part: int) -> Candidate:
    changed = edit.apply(words)
    return Candidate(changed, False, depth_of(changed), edit.kind, (*steps, edit), part=part_name(part))


def _source(derivation: Sequence[Step]) -> str:
    first = derivation[0]
    return first.source if isinstance(first, Found) else ""


def _found(source: str, pair: Pair) -> Found:
    return Found(source, equation_words(*pair))


def _sides(words: Words) -> Pair:
    middle = subtree_ends(words)[1]
    return nested(words[1:middle]), nested(words[middle:])


def _spelled(steps: Steps, rng: random.Random) -> Steps:
    """The steps, and what was found as somebody might write it: in other letters, another order, swapped sides."""
    a, b = _sides(steps[-1].equation)
    if rng.random() < 0.92:
        a, b = tidy(a, rng), tidy(b, rng)
    a, b = respelled(a, rng), respelled(b, rng)
    if rng.random() < 0.35:
        a, b = (tidy(reordered(side, rng, 0.4), rng, ordered=False) for side in (a, b))
    names = variables(a, b)
    if names and rng.random() < 0.45:
        pool = VARIABLES[:4] if rng.random() < 0.5 and len(names) <= 4 else VARIABLES
        renamed = dict(zip(names, rng.sample(pool, len(names)), strict=True)) if len(names) <= len(pool) else {}
        a, b = substitute(a, renamed), substitute(b, renamed)
    if rng.random() < 0.5:
        a, b = b, a
    words = equation_words(a, b)
    return steps if words == steps[-1].equation else (*steps, Became("spelling", words))


def _neat(edit: Edit, words: Words, rng: random.Random) -> Edit:
    """The edit as one of a whole side, without the brackets and double signs that an edit leaves behind."""
    middle = subtree_ends(words)[1]
    edited = edit.apply(words)
    a, b = _sides(edited)
    at, side = (1, a) if edit.at < middle else (middle, b)
    new = equation_words(tidy(side, rng, ordered=False), "0")[1:-1]
    return Edit(edit.kind, at, new)


def _fits(words: Words) -> bool:
    middle = subtree_ends(words)[1]
    if max(middle - 1, len(words) - middle) > LARGEST_SIDE or Tree._trusted(words).depth > DEEPEST:
        return False
    for word in set(words):
        if word not in ARITY and word.lstrip("-")[0].isdigit() and is_number(word):
            above, _, below = word.lstrip("-").partition("/")
            if float(above) > LARGEST_NUMBER or (below and int(below) > LARGEST_NUMBER):
                return False
    return True
