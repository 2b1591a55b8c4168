"""Export as DGL binary graphs, readable with nothing but `dgl.load_graphs`.

The graphs themselves say what their words are (`graphs.node_words`): `dgl.load_graphs` gives no list of words,
and `dgl.batch` keeps nothing but the data of nodes and edges.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dgl
import torch

from dgl_mathtree import __version__
from dgl_mathtree.data.data_files import CARD, DataError, read_card, read_rows
from dgl_mathtree.data.splits import ALL
from dgl_mathtree.errors import InputError
from dgl_mathtree.files import new_file, read_json, write_atomically
from dgl_mathtree.graphs import NODE_TYPES, forest_graph, to_graph
from dgl_mathtree.language import Forest
from dgl_mathtree.language.vocabulary import ARITY


def export_graphs(data: str | Path, out: str | Path, part: str = ALL, shared: bool = False) -> dict[str, Any]:
    """Write the graphs of some data to a file, its vocabulary to a JSON beside it, and return what that JSON holds.

    Parameters
    ----------
    data : str or Path
        A data folder, or a recipe whose data comes with the project.
    out : str or Path
        The file to write; its vocabulary goes to the same name with ``.json``.
    part : str
        ``train``, ``validation``, ``test`` or ``all``.
    shared : bool
        One graph for all equations, identical subtrees once, with the ids of the `root` nodes.
    """
    file = Path(out)
    if not file.name or file.is_dir():
        raise DataError(f"{out} is a folder: name a file to write")
    beside = file.with_suffix(".json")
    if beside == file:
        raise DataError(f"{file}: name the file of graphs anything but .json, which is for its vocabulary")
    if beside.name == CARD or (beside.exists() and not _is_ours(beside)):
        raise DataError(f"{file}: choose another name, {beside.name} is not to be overwritten")
    symbols = read_card(data)["symbols"]
    rows = list(read_rows(data, part))
    if not rows:
        raise DataError(f"{data} has no equations" + (f" in {part}" if part != ALL else ""))
    labels = {"label": torch.tensor([row.label for row in rows]), "depth": torch.tensor([row.depth for row in rows])}
    equations = [row.parsed() for row in rows]
    used = {word for equation in equations for word in equation.words if word not in ARITY}
    if missing := sorted(used - set(symbols)):
        raise DataError(f"the card of {data} does not list all leaves: {missing[0]} is not among its symbols")
    if shared:
        graph, roots = forest_graph(Forest.of(equations), symbols)
        graphs = [graph]
        labels["root"] = roots
    else:
        graphs = [to_graph(equation, symbols) for equation in equations]
    _save_atomically(file, graphs, labels)
    facts = {
        "op": list(NODE_TYPES),
        "symbol": symbols,
        "text": "the word of each node in UTF-8, filled up with zeros; models read this",
        "pos": "place of the child among its siblings; edges run from child to parent",
        "shared": shared,
        "split": part,
        "count": len(rows),
        "id": [row.id for row in rows],
        "version": __version__,
    }
    write_atomically(beside, json.dumps(facts, indent=1, ensure_ascii=False) + "\n")
    return facts


def _is_ours(file: Path) -> bool:
    """Whether a JSON file was written by an earlier export."""
    try:
        facts = read_json(file)
    except InputError:
        return False
    return isinstance(facts, dict) and {"op", "symbol", "shared"} <= facts.keys()


def _save_atomically(file: Path, graphs: list[Any], labels: dict[str, torch.Tensor]) -> None:
    if not file.parent.is_dir():
        raise DataError(f"cannot write {file}: there is no folder {file.parent}")
    try:
        with new_file(file, DataError) as draft:
            dgl.save_graphs(str(draft), graphs, labels)
    except dgl.DGLError as error:
        raise DataError(f"cannot write {file}: {str(error).splitlines()[0]}") from None  # below it DGL's own stack
