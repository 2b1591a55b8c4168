"""The results that are committed: the report is made from the runs beside it, and nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dgl_mathtree.reproduce.report.report_page import write_report
from dgl_mathtree.reproduce.report.results import collect

RESULTS = Path(__file__).parents[3] / "results"
STANDARD = RESULTS / "standard"


def test_the_committed_report_is_that_of_the_committed_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(STANDARD, tmp_path / "results" / "standard")
    monkeypatch.chdir(tmp_path)
    markdown, _ = write_report(Path("results") / "standard")
    assert markdown.read_text(encoding="utf-8") == (STANDARD / "report.md").read_text(encoding="utf-8")


def test_the_runs_are_whole() -> None:
    runs = collect(STANDARD)
    assert len(runs) >= 16
    for run in runs:
        if run.config["config"].get("objective", "verification") == "verification":  # others fit the root at the end
            reached = [line["validation_accuracy"] for line in run.history]
            assert run.metrics["validation"]["overall"]["accuracy"] == pytest.approx(max(reached), abs=1e-9)
        assert run.right().mean() == pytest.approx(run.metrics["test"]["overall"]["accuracy"], abs=1e-9)


@pytest.mark.parametrize("folder", sorted((RESULTS / "tuned").iterdir()))
def test_the_figures_of_the_pages_have_a_run(folder: Path) -> None:
    metrics = json.loads((folder / "metrics.json").read_text())
    page = (RESULTS.parent / "docs" / "training.md").read_text(encoding="utf-8")
    shown = [f"{100 * metrics[part]['overall']['accuracy']:.1f}" for part in ("validation", "test")]
    assert f"| {shown[0]} | {shown[1]} |" in page.replace("**", "")
