"""The public names: what the doors of the package list is there, and docs and examples use nothing else."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.markdown import ROOT

DOORS = ["dgl_mathtree", *(f"dgl_mathtree.{name}" for name in ("data", "graphs", "inference", "nn", "training"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^`dgl_mathtree/[\w/]+\.py`:\n\n```python\n.*?^```", flags=re.MULTILINE | re.DOTALL)
"""A file of the package, which docs/extending.md shows: it may import what its package has."""

INSIDE = {
    ("docs/extending.md", "dgl_mathtree.data.discovery.term_values"),
    ("docs/extending.md", "dgl_mathtree.web.explain.explain_page"),
}
"""Where an extension is shown to have reached the inside of the package."""


def programs() -> dict[str, str]:
    """The Python code that users read, by the file it is in."""
    found = {str(file.relative_to(ROOT)): file.read_text("utf-8") for file in (ROOT / "examples").glob("*.py")}
    for file in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        blocks = BLOCK.findall(FILE.sub("", file.read_text("utf-8")))
        found[str(file.relative_to(ROOT))] = "\n".join(_without_prompts(block) for block in blocks)
    for file in (ROOT / "examples").glob("*.ipynb"):
        cells = json.loads(file.read_text("utf-8"))["cells"]
        found[file.name] = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return found


def _without_prompts(block: str) -> str:
    if ">>>" not in block:
        return block
    return "\n".join(line[4:] for line in block.splitlines() if line.startswith((">>> ", "... ")))


def used(program: str) -> set[tuple[str, str]]:
    """The modules of the package that a program imports, with the names taken from each."""
    found = set()
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "dgl_mathtree":
            found |= {(node.module or "", alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names if alias.name.split(".")[0] == "dgl_mathtree"}
    return found


def test_docs_and_examples_use_public_names_alone() -> None:
    found = {(file, *use) for file, program in programs().items() for use in used(program)}
    assert {file for file, *_ in found} >= {"README.md", "docs/extending.md", "examples/verify.py", "tour.ipynb"}
    for file, module, name in sorted(found):
        if (file, module) in INSIDE:
            continue
        assert module in DOORS, f"{file} imports {module}"
        assert not name or name in importlib.import_module(module).__all__, f"{file} imports {name} from {module}"


@pytest.mark.parametrize("door", DOORS)
def test_every_listed_name_is_there(door: str) -> None:
    module = importlib.import_module(door)
    assert list(module.__all__) == sorted(module.__all__, key=lambda name: (not name.isupper(), name))
    for name in module.__all__:
        # Twice: importing a submodule of the same name would hide it.
        assert getattr(module, name) is getattr(module, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = module.nothing


@pytest.mark.parametrize("statement", ["import dgl_mathtree", "from dgl_mathtree import Oracle, parse_equation, judge"])
def test_importing_the_package_is_fast(statement: str) -> None:
    program = f"import sys; {statement}; print({{'torch', 'dgl', 'sklearn', 'sympy'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=Path.home())
    assert done.stdout == "set()\n"
