"""One name, one thing: no module name and no public class or function is defined twice in the package."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import dgl_mathtree

PACKAGE = Path(dgl_mathtree.__file__).parent
HOOKS = {"main", "register", "define_endpoints"}
"""Functions that several modules define because something calls them by name."""
APART = "proof"
"""The checker of proofs repeats what the prover has, on purpose: it shares no code with it, but the same ideas."""


def sources() -> list[Path]:
    return [file for file in PACKAGE.rglob("*.py") if file.relative_to(PACKAGE).parts[0] != APART]


def test_no_module_name_occurs_twice() -> None:
    found = defaultdict(list)
    for file in sources():
        if not file.name.startswith("__"):
            found[file.stem].append(file)
    assert {name: files for name, files in found.items() if len(files) > 1} == {}


def test_no_public_class_or_function_is_defined_twice() -> None:
    found = defaultdict(set)
    for file in sources():
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
                found[node.name].add(str(file.relative_to(PACKAGE)))
    twice = {name: files for name, files in found.items() if len(files) > 1 and name not in HOOKS}
    assert twice == {}
