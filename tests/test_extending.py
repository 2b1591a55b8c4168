"""The worked examples of docs/extending.md, applied to a copy of the repository, whose tests then pass.

`NOTICED_BY` says for each example which tests run there: those that read the table or the files which the example adds
to. It is a choice, made so that all examples together take a few minutes, and not the whole suite.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.markdown import ROOT, edited, sections

EXAMPLES = {heading: blocks for heading, blocks in sections(ROOT / "docs" / "extending.md").items() if blocks}
COPIED = ("benchmarks", "datasets", "dgl_mathtree", "docs", "examples", "results", "tests", "tools")
REPOSITORY = (
    "test_docs.py::test_every_command_is_listed",
    "test_imports.py",
    "test_names.py",
    "test_packaging.py",
    "test_public_names.py",
    "test_tables.py",
)
"""Tests of the files of the repository."""
NOTICED_BY = {
    "A cell": (
        *("nn/test_cells.py", "nn/test_shapes.py", "nn/test_models.py", "nn/test_classifiers.py"),
        *("training/test_config.py", "training/test_launches.py", "reproduce/test_experiments.py"),
        *(
            "reproduce/report/test_printed_figures.py",
            "cli/test_doctor.py",
            "reproduce/report/test_figures.py",
            "reproduce/report/test_summary.py",
        ),
    ),
    "An operator": (
        *("arithmetic", "graphs", "data/discovery", "data/edits", "data/test_canonical.py", "data/test_rewriting.py"),
        *("oracle/test_evaluate.py", "oracle/test_value_keys.py", "proof/test_prove.py", "nn/test_verifier.py"),
        *("training/test_original_checkpoints.py", "language/test_printers.py", "language/test_mathml.py"),
        *("data/test_original.py", "data/test_recipe.py", "proof/test_laws.py"),
    ),
    "An axiom": (
        *("data/test_axioms.py", "data/test_recipe.py", "data/test_provenance.py", "data/test_rewriting.py"),
        *("proof/test_laws.py", "proof/test_prove.py", "proof/check/test_law_table.py", "cli/test_prove_command.py"),
    ),
    "A recipe": ("data/test_recipe.py", "data/test_data_files.py", "data/test_original.py"),
    "An objective": (
        *("training/objectives", "training/test_config.py", "training/test_run_start.py", "training/test_fitting.py"),
        *("reproduce/test_experiments.py", "cli/test_train_commands.py"),
    ),
    "A command": ("cli/test_prove_command.py", "cli/test_output_arguments.py", "test_main.py"),
}
"""The tests that run for each example, beside those of the repository."""
TOUCHED = {"A cell": 2, "An operator": 1, "An axiom": 1, "A recipe": 1, "An objective": 1, "A command": 1}
"""Files of the package that an example touches."""


INSIDE = {
    "A cell": """
from dgl_mathtree.reproduce.report.colours import line_style, model_panels
assert "gated-tree-rnn" in model_panels()["Tree-RNN"]
assert line_style("gated-tree-rnn").colour == "#6b8e23"
""",
    "An operator": """
from dgl_mathtree import prove
from dgl_mathtree.data.discovery.term_values import Evaluator
from dgl_mathtree.inference.subexpression_candidates import fillings
from dgl_mathtree.language import parse_blank, parse_equation
from dgl_mathtree.language.bridges import from_sympy, to_sympy
from dgl_mathtree.web.explain.explain_page import drawing_script
equation = parse_equation("x*sinc(x) = sin(x)")
assert from_sympy(to_sympy(equation)) == equation
assert abs(Evaluator(0, 4, 0.5, 2.0)(("sinc", "1")) - 0.8414709848).max() < 1e-9
found = fillings(parse_blank("x*? = sin(x)"), ["sin", "sinc", "Mul"], [], lambda word: True)
assert "sinc(x)" in map(str, found)
assert "  sinc: (x) => " in drawing_script()
proofs = [prove(text) for text in ("x*sinc(x) = sin(x)", "sinc(x) + sinc(x) = 2*sinc(x)", "sinc(x) = cos(x)")]
assert [(proof.proved, proof.verdict) for proof in proofs] == [(False, "true"), (True, "true"), (False, "false")]
""",
    "An axiom": """
from dgl_mathtree import prove
from dgl_mathtree.proof.laws import law
assert str(law("circular-products/cot-sec").equation) == "cot(x)*sec(x) = csc(x)"
assert [step.law for step in prove("cot(x)*sec(x) = csc(x)").steps] == ["circular-products/cot-sec"]
""",
    "A command": """
from dgl_mathtree.web.server.api import load_endpoints
from dgl_mathtree.web.server.limits import Limits
from dgl_mathtree.web.server.model_process import compute
from dgl_mathtree.web.server.openapi import openapi_document
load_endpoints(["dgl_mathtree.cli.count_command"])
assert compute(None, "count", {"equation": "x + x = 2x"}, Limits())[:2] == (200, b'{"Add": 1, "Mul": 1}')
assert compute(None, "count", {"equation": "x + x ="}, Limits())[0] == 422
assert openapi_document()["paths"]["/api/count"]["post"]["summary"].startswith("Count the operators")
""",
}
"""What is there besides what the page shows, in packages that are not public."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    copy = tmp_path / "checkout"
    for folder in COPIED:
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ROOT.iterdir():
        if file.is_file() and file.name != ".git":
            shutil.copy(file, copy)
    return copy


def test_every_example_has_its_tests() -> None:
    assert list(EXAMPLES) == list(NOTICED_BY) == list(TOUCHED)
    for parts in NOTICED_BY.values():
        assert all((ROOT / "tests" / part.partition("::")[0]).exists() for part in (*parts, *REPOSITORY))


@pytest.mark.parametrize("heading", EXAMPLES)
def test_an_example_touches_few_files(heading: str) -> None:
    inside = {file for file, _, _ in EXAMPLES[heading] if file is not None and "/" in file}
    outside = {file for file, _, _ in EXAMPLES[heading] if file is not None and "/" not in file}
    assert len(inside or outside) == TOUCHED[heading]


@pytest.mark.slow
@pytest.mark.parametrize("heading", EXAMPLES)
def test_worked_example(heading: str, checkout: Path) -> None:
    follow(EXAMPLES[heading], checkout)
    run(checkout, "-c", INSIDE.get(heading, ""))
    tests = [f"tests/{part}" for part in (*NOTICED_BY[heading], *REPOSITORY)]
    run(checkout, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *tests)


def follow(blocks: list[tuple[str | None, str, str]], checkout: Path) -> None:
    """Do what an example says: write and change files, run commands and compare their output, run the program."""
    program, commands = "", []
    for file, kind, content in blocks:
        if file is None and kind == "python":
            assert "assert " in content
            program += content
        elif file is None and kind == "console":
            commands += re.findall(r"^\$ \.venv/bin/(\S+) (.*)\n((?:[^$].*\n)*)", content, flags=re.MULTILINE)
        elif file is not None:
            path = checkout / file
            path.write_text(edited(path.read_text("utf-8"), content) if kind == "diff" else content, "utf-8")
    assert program or commands
    for tool, arguments, output in commands:
        start = {"mathtree": ["-m", "dgl_mathtree"], "python": []}[tool]
        assert run(checkout, *start, *shlex.split(arguments)).endswith(output)
    if program:
        run(checkout, "-c", program)


def run(checkout: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout
