"""Verify graphs that came through DGL alone: exported, loaded with dgl.load_graphs, batched, and given to a model.

    python examples/exported_graphs.py                 # the first test equations of `paper`
    python examples/exported_graphs.py --data FOLDER --model RUN

`mathtree export` writes the graphs of some data. Each node has its word in ndata["text"], so a model finds its own
leaves and operators by name, whatever numbers `op` and `symbol` gave them. The logits are those of the texts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import islice
from pathlib import Path

import dgl_mathtree  # before DGL: it tells DGL its backend, and makes DGL 2 importable with current torch

# isort: split
import dgl
import numpy as np

from dgl_mathtree import InputError
from dgl_mathtree.data import export_graphs, read_rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="paper", help="a data folder, or paper (default)")
    parser.add_argument("--model", default="shipped", help="a run folder; by default the shipped model")
    parser.add_argument("--count", type=int, default=200, help="equations (default 200)")
    options = parser.parse_args()
    try:
        verify_exported(options.data, options.model, options.count)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def verify_exported(data: str, run: str, count: int) -> None:
    """Export, load, batch, verify; and hold the result against that of the texts."""
    model = dgl_mathtree.load(run)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "test.bin"
        export_graphs(data, file, "test")  # mathtree export paper test.bin --part test
        graphs, labels = dgl.load_graphs(str(file), list(range(count)))
    batch = dgl.batch(graphs)
    logits = model.of_graph(batch)
    right = (logits > 0) == labels["label"][: len(graphs)].bool().numpy()
    print(f"{len(graphs)} graphs of {batch.num_nodes()} nodes: {100 * right.mean():.1f}% classified correctly")
    texts = [row.equation for row in islice(read_rows(data, "test"), len(graphs))]
    difference = np.abs(logits - model.scores(texts)).max()
    print(f"largest difference from the logits of the texts: {difference:.0e}")
    for text, logit in list(zip(texts, logits, strict=True))[:3]:
        print(f"{100 / (1 + np.exp(-logit)):5.1f}%  {text}")


if __name__ == "__main__":
    sys.exit(main())
