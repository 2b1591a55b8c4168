"""Make the data of a recipe (seed 0), compressed, in a new folder: python tools/pack.py hard [--out FOLDER]

By default the folder is datasets/NAME. Data that is there is never replaced: results rest on it, and the generator may
have changed since it was made.
"""

from __future__ import annotations

import argparse
import lzma
import os
import sys
import tempfile
from pathlib import Path

from dgl_mathtree.data.data_files import CARD, COMPRESSED, EQUATIONS, DataError, generator_of, read_card
from dgl_mathtree.data.data_writer import make_data
from dgl_mathtree.data.recipe import DATASETS, GENERATOR, Recipe, load_recipe
from dgl_mathtree.errors import InputError
from dgl_mathtree.files import new_folder


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", metavar="NAME", help="a recipe")
    parser.add_argument("--out", metavar="FOLDER", help="the new folder (default datasets/NAME)")
    options = parser.parse_args(arguments)
    try:
        recipe = load_recipe(options.recipe)
        pack(recipe, Path(options.out) if options.out else DATASETS / recipe.name)
    except InputError as error:
        print(f"pack: {error}", file=sys.stderr)
        return 2
    return 0


def pack(recipe: Recipe, out: Path) -> None:
    """Make the data of a recipe and pack it into a new folder."""
    if os.path.lexists(out) and not (out.is_dir() and not any(out.iterdir())):
        raise DataError(f"{out} exists{_made_by(out)}: it is not replaced; name another folder with --out")
    with new_folder(out, DataError) as folder, tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        made = Path(scratch) / "data"
        make_data(made, recipe)
        packed = lzma.compress((made / EQUATIONS).read_bytes(), preset=9 | lzma.PRESET_EXTREME)
        (made / EQUATIONS).unlink()
        for file in made.iterdir():
            file.rename(folder / file.name)
        (folder / COMPRESSED).write_bytes(packed)
    print(f"{out / COMPRESSED}: {len(packed)} bytes; card: {out / CARD}")


def _made_by(folder: Path) -> str:
    """What is to be said of data that is there."""
    try:
        generator = generator_of(read_card(folder))
    except InputError:
        return ""
    return f" with data of generator {generator}, and today's code is generator {GENERATOR}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
