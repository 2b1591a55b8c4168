"""One more operator, as somebody would add it, in a copy of the package: nothing that exists may change."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import dgl_mathtree
from dgl_mathtree.corpus.recipes import load_recipe
from dgl_mathtree.corpus.writing import make_data

PACKAGE = Path(dgl_mathtree.__file__).parent
ENTRY = '    Operator("abs", 31, 1, numerics.absolute, latex=r"\\operatorname{abs}", sympy="Abs", parity="even"),\n'
FUNCTION = "\n\ndef absolute(x: Ball) -> Ball:\n    return Ball(np.abs(x.value), x.error)\n"
RECIPE = """
[sizes]
3 = 60
4 = 60
[correct]
3 = 30
4 = 30
"""
PROGRAM = """
import hashlib, sys
from dgl_mathtree.corpus.recipes import load_recipe
from dgl_mathtree.corpus.writing import make_data
from dgl_mathtree.expressions import Oracle, infix, parse_equation
from dgl_mathtree.expressions.bridges import from_sympy, to_sympy
equation = parse_equation("abs(-1*x) = abs(x)")
assert infix(equation) == "abs(-1*x) = abs(x)", infix(equation)
assert from_sympy(to_sympy(equation)) == equation
assert [j.verdict for j in Oracle().judge([equation])] == ["true"]
for recipe, out in zip(sys.argv[1::2], sys.argv[2::2]):
    print(make_data(out, load_recipe(recipe).scaled(0.01 if recipe == "paper" else 1))["checksum"])
"""


def test_an_operator_named_abs_is_one_entry_and_changes_no_data(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(PACKAGE, copy / "dgl_mathtree", ignore=shutil.ignore_patterns("shipped", "__pycache__"))
    shutil.copytree(PACKAGE.parent / "datasets" / "recipes", copy / "datasets" / "recipes")
    expressions = copy / "dgl_mathtree" / "expressions"
    table = (expressions / "vocabulary.py").read_text(encoding="utf-8")
    assert "_OPERATORS = (\n" in table
    (expressions / "vocabulary.py").write_text(
        table.replace("_OPERATORS = (\n", f"_OPERATORS = (\n{ENTRY}"), encoding="utf-8"
    )
    with (expressions / "numerics.py").open("a", encoding="utf-8") as stream:
        stream.write(FUNCTION)
    (tmp_path / "plain.toml").write_text(RECIPE, encoding="utf-8")

    recipes = ["paper", str(tmp_path / "plain.toml")]
    arguments = [text for k, recipe in enumerate(recipes) for text in (recipe, str(tmp_path / f"new-{k}"))]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        env={**os.environ, "PYTHONPATH": str(copy)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for k, (recipe, checksum) in enumerate(zip(recipes, done.stdout.split(), strict=True)):
        before = make_data(tmp_path / f"old-{k}", load_recipe(recipe).scaled(0.01 if recipe == "paper" else 1))
        assert checksum == before["checksum"]
        written = (tmp_path / f"new-{k}" / "equations.jsonl").read_bytes()
        assert hashlib.sha256(written).hexdigest() == checksum
