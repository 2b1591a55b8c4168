"""One more operator, as somebody would add it, in a copy of the package: nothing that exists may change."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dgl_mathtree
from dgl_mathtree.data.data_writer import make_data
from dgl_mathtree.data.recipe import load_recipe

PACKAGE = Path(dgl_mathtree.__file__).parent
ROW = """    Operator("versin", 999, 1, lambda x: float_balls.ball_quotient(float_balls.square(float_balls.sin(x)),
             float_balls.ball_add(Ball(np.ones(()), np.zeros(())), float_balls.cos(x))), "(x) => 1 - Math.cos(x)",
             arb=lambda x, exact: 1 - x.cos(), acb=lambda x, exact: 1 - x.cos(), family="circular", parity="even"),
"""
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
from dgl_mathtree.data.recipe import load_recipe
from dgl_mathtree.data.data_writer import make_data
from dgl_mathtree.oracle import Oracle
from dgl_mathtree.language import infix, parse_equation
from dgl_mathtree.language.bridges import from_sympy, to_sympy
equation = parse_equation("versin(-1*x) = versin(x)")
assert infix(equation) == "versin(-1*x) = versin(x)", infix(equation)
assert from_sympy(to_sympy(equation)) == equation
assert [j.verdict for j in Oracle().judge([equation])] == ["true"]
for recipe, out in zip(sys.argv[1::2], sys.argv[2::2]):
    print(make_data(out, load_recipe(recipe).scaled(0.01 if recipe == "paper" else 1))["checksum"])
"""


@pytest.mark.slow
def test_a_new_operator_is_one_row_and_changes_no_data(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(PACKAGE, copy / "dgl_mathtree", ignore=shutil.ignore_patterns("shipped", "__pycache__"))
    shutil.copytree(PACKAGE.parent / "datasets" / "recipes", copy / "datasets" / "recipes")
    package = copy / "dgl_mathtree"
    table = package / "arithmetic" / "operators.py"
    before, rows, after = table.read_text(encoding="utf-8").partition("_ROWS = (\n")
    assert rows
    table.write_text(before + rows + ROW + after, encoding="utf-8")
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
