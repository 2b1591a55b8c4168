"""Imports point one way: from the commands down to the expressions, never up."""

from __future__ import annotations

import ast
from pathlib import Path

import dgl_mathtree

ROOT = Path(dgl_mathtree.__file__).parent
PACKAGES = (
    "lazy errors files schema tables progress_bars notebook ray_cluster arithmetic language oracle graphs data proof "
    "nn inference training reproduce web cli __main__"
).split()


def test_packages_import_only_what_is_below_them() -> None:
    upwards = []
    for file in ROOT.rglob("*.py"):
        package = file.relative_to(ROOT).with_suffix("").parts[0]
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if package != "__init__" else ():
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            found = [parts[1] for name in names if (parts := name.split("."))[0] == "dgl_mathtree" and len(parts) > 1]
            upwards += [(str(file), other) for other in found if PACKAGES.index(other) > PACKAGES.index(package)]
    assert not upwards
