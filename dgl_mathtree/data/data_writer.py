"""Writing data sets: rows streamed to a new folder, and the card that describes them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from dgl_mathtree import __version__
from dgl_mathtree.data.candidate import Candidate
from dgl_mathtree.data.canonical import canonical_key, fold
from dgl_mathtree.data.card import CardBuilder
from dgl_mathtree.data.card_figure import plot_depths
from dgl_mathtree.data.card_page import card_file
from dgl_mathtree.data.data_files import CARD, EQUATIONS, DataError, Row
from dgl_mathtree.data.finished_blocks import BlockRunner, kept_blocks
from dgl_mathtree.data.generate import generate
from dgl_mathtree.data.process_map import Place
from dgl_mathtree.data.provenance import to_json
from dgl_mathtree.data.recipe import GENERATOR, Recipe
from dgl_mathtree.files import new_folder
from dgl_mathtree.language import Equation, infix


def make_data(
    out: str | Path,
    recipe: Recipe,
    seed: int = 0,
    split: str = "paper",
    workers: int | Place = 1,
    progress: Callable[[int], object] = lambda _: None,
) -> dict[str, Any]:
    """Generate a recipe's data into a new folder and return its card.

    Finished blocks are kept in ``OUT.blocks`` until the data is complete: if the process is killed, the same call
    resumes from them.

    Parameters
    ----------
    out : str or Path
        The folder.
    recipe, seed, split, progress
        See `generate`.
    workers : int or Place
        Processes of this machine, or another place where the work is done.
    """
    about = {
        "name": recipe.name,
        "description": recipe.description,
        "recipe": recipe.name,
        "seed": seed,
        "split": split,
        "version": __version__,
        "fingerprint": recipe.fingerprint(),
        "generator": GENERATOR,
    }
    counter = CardBuilder()

    def rows(runner: BlockRunner) -> Iterable[Row]:
        for number, c in enumerate(generate(recipe, seed, split, runner, progress)):
            row = generated_row(f"{c.source or recipe.name}-{number:06d}", c)
            counter.add(c.words, c.label, c.depth, c.part, c.kind, c.verdict, c.key, c.fold, c.tautology)
            yield row

    known = {name: about[name] for name in ("fingerprint", "seed", "split", "version", "generator")}
    with kept_blocks(out, known) as kept:
        if isinstance(workers, int):
            runner = BlockRunner.on_processes(workers, kept)
        else:
            runner = BlockRunner(workers, kept=kept)
        return _write(out, rows(runner), counter, about, recipe.vocabulary)


def write_rows(out: str | Path, rows: Iterable[Row], about: Mapping[str, Any]) -> dict[str, Any]:
    """Write rows that were not generated here into a new folder and return its card."""
    counter = CardBuilder()

    def counted() -> Iterable[Row]:
        for row in rows:
            words = row.parsed().words
            keys = canonical_key(words), *fold(words)
            counter.add(words, bool(row.label), row.depth, row.part, row.kind, row.verdict, *keys)
            yield row

    return _write(out, counted(), counter, {**about, "version": __version__}, {})


def generated_row(name: str, c: Candidate) -> Row:
    """The row of an accepted candidate, with an id."""
    text = infix(Equation._trusted(c.words))
    return Row(name, text, int(c.label), c.depth, c.part, c.verdict, c.kind, to_json(c.derivation))


def _write(
    out: str | Path, rows: Iterable[Row], counter: CardBuilder, about: Mapping[str, Any], reference: Mapping[str, float]
) -> dict[str, Any]:
    checksum = hashlib.sha256()
    with new_folder(out, DataError) as folder:
        with (folder / EQUATIONS).open("wb") as stream:
            for row in rows:
                line = (row.to_json() + "\n").encode()
                checksum.update(line)
                stream.write(line)
        card = counter.card({**about, "checksum": checksum.hexdigest()}, reference)
        (folder / CARD).write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        (folder / "card.md").write_text(card_file(card), encoding="utf-8")
        plot_depths(card, folder / "depths.svg")
    return card
