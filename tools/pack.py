"""Make the data of a recipe (seed 0) anew and put it into datasets/, compressed: python tools/pack.py paper"""

from __future__ import annotations

import lzma
import shutil
import sys
import tempfile
from pathlib import Path

from dgl_mathtree.corpus.files import CARD, COMPRESSED, EQUATIONS
from dgl_mathtree.corpus.recipes import DATASETS, load_recipe
from dgl_mathtree.corpus.writing import make_data


def main(name: str) -> None:
    target = DATASETS / name
    with tempfile.TemporaryDirectory(dir=DATASETS) as scratch:
        made = Path(scratch) / name
        make_data(made, load_recipe(name))
        packed = lzma.compress((made / EQUATIONS).read_bytes(), preset=9 | lzma.PRESET_EXTREME)
        (made / EQUATIONS).unlink()
        (made / COMPRESSED).write_bytes(packed)
        shutil.rmtree(target, ignore_errors=True)
        shutil.move(made, target)
    print(f"{target / COMPRESSED}: {len(packed)} bytes; card: {target / CARD}")


if __name__ == "__main__":
    main(sys.argv[1])
