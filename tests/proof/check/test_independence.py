"""The checker knows nothing of how proofs are found."""

from __future__ import annotations

import ast
from pathlib import Path

import dgl_mathtree.proof.check as package

ALLOWED = ("dgl_mathtree.proof.check", "dgl_mathtree.proof.laws", "dgl_mathtree.language", "dgl_mathtree.arithmetic")
ALLOWED += ("dgl_mathtree.oracle", "dgl_mathtree.errors")


def test_the_checker_imports_no_prover() -> None:
    files = list(Path(package.__file__).parent.glob("*.py"))
    assert len(files) > 15
    for file in files:
        for part in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(part, ast.ImportFrom) and (part.module or "").startswith("dgl_mathtree"):
                names = [f"{part.module}.{alias.name}" for alias in part.names]
                assert all(name.startswith(ALLOWED) for name in names), (file.name, names)
            if isinstance(part, ast.Import):
                assert not any(alias.name.startswith("dgl_mathtree") for alias in part.names), file.name


def test_every_module_is_short() -> None:
    for file in Path(package.__file__).parent.glob("*.py"):
        assert len(file.read_text(encoding="utf-8").splitlines()) <= 320, file.name
