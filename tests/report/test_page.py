from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dgl_mathtree.report.page import write_report
from dgl_mathtree.report.results import ReportError, Results, collect
from dgl_mathtree.report.tables import tables
from dgl_mathtree.training import experiments
from dgl_mathtree.training.experiments import BUDGETS, Budget, Experiments
from dgl_mathtree.training.jobs import run_job

MODELS = ["majority", "tree-rnn", "tree-lstm", "second-order-tree-rnn", "mi-tree-lstm"]
TINY = Budget(1, 2, {"epochs": 2, "hidden": 8, "batch_size": 500, "lr": 0.01}, blanks=40)
CHROMIUM = next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real runs, as small as can be."""
    out = tmp_path_factory.mktemp("report") / "out"
    before = BUDGETS["quick"]
    BUDGETS["quick"] = TINY
    try:
        asked = Experiments(out, "quick", "all", MODELS)
        asked.record()
        for job in asked.jobs():
            run_job(out, job)
    finally:
        BUDGETS["quick"] = before
    return out


@pytest.fixture
def out(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(experiments.BUDGETS, "quick", TINY)
    shutil.copytree(finished, tmp_path / "out")
    return tmp_path / "out"


class Reader(HTMLParser):
    """The cells of the tables of a page, and its links."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.links: list[str] = []
        self._table = ""
        self._open = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        if tag == "table":
            self._table = found["id"] or ""
            self.tables[self._table] = []
        elif tag == "tr":
            self.tables[self._table].append([])
        elif tag in ("td", "th"):
            self.tables[self._table][-1].append("")
            self._open = True
        elif tag == "a":
            self.links.append(found["href"] or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            self.tables[self._table][-1][-1] += data


def read(page: Path) -> Reader:
    reader = Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader


def test_the_page(out: Path) -> None:
    markdown, page = write_report(out)
    reader = read(page)
    assert set(reader.tables) == {"verification", "ablation", "convergence", "completion"}
    assert [row[0] for row in reader.tables["verification"][1:]] == MODELS
    assert all(len(row) == len(rows[0]) for rows in reader.tables.values() for row in rows)
    assert reader.links and all((out / link).is_file() for link in reader.links)
    text = page.read_text()
    assert text.count("<svg") == 4
    assert not re.search(r'(src|href)="https?:', text)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert "Not finished" not in text
    links = re.findall(r"\]\(([^)]+)\)", markdown.read_text())
    assert links and all((out / link).is_file() for link in links)


def test_every_number_is_that_of_its_runs(out: Path) -> None:
    results = Results(collect(out))
    runs = results.of("paper", "tree-lstm")
    assert [run.seed for run in runs] == [0, 1]
    values = [100 * run.metrics["test"]["overall"]["accuracy"] for run in runs]
    reader = read(write_report(out)[1])
    heads, *rows = reader.tables["verification"]
    row = next(row for row in rows if row[0] == "tree-lstm")
    shown = row[heads.index("test accuracy")]
    mean, spread = sum(values) / 2, abs(values[0] - values[1]) / 2**0.5
    assert shown.startswith(f"{mean:.1f} ± {spread:.1f}")
    for run in runs:
        assert run.right().mean() == pytest.approx(run.metrics["test"]["overall"]["accuracy"])


def test_a_cell_goes_empty_with_its_run(out: Path) -> None:
    shutil.rmtree(out / "runs" / "paper" / "mi-tree-lstm")
    markdown, page = write_report(out)
    assert "mi-tree-lstm" not in {row[0] for table in read(page).tables.values() for row in table}
    assert "Not finished: 2 runs (paper/mi-tree-lstm/" in markdown.read_text()
    for analysis in (out / "runs" / "paper" / "tree-lstm").glob("*/analysis.json"):
        analysis.unlink()  # the run is there, but not finished
    assert "tree-lstm" not in {row[0] for table in read(write_report(out)[1]).tables.values() for row in table}


def test_a_report_of_nothing(out: Path, tmp_path: Path) -> None:
    shutil.rmtree(out / "runs")
    markdown, _ = write_report(out)
    assert "0 runs are finished" in markdown.read_text()
    assert "|---" not in markdown.read_text()
    with pytest.raises(ReportError, match="there is no folder"):
        write_report(tmp_path / "none")
    with pytest.raises(ValueError, match="holds no experiments"):
        write_report(tmp_path)


def test_a_damaged_run_is_named(out: Path) -> None:
    file = next((out / "runs").rglob("metrics.json"))
    file.write_text("{")
    with pytest.raises(ReportError, match="cannot read the run"):
        write_report(out)


def test_significance(out: Path) -> None:
    (table,) = [table for table in tables(Results(collect(out))) if table.name == "ablation"]
    assert [row[0] for row in table.rows] == ["second-order-tree-rnn", "mi-tree-lstm"]
    assert table.rows[0][1][4] == "needs two seeds"
    paired = table.rows[1][1][4]
    assert not isinstance(paired, str) and paired.value is not None and 0 <= paired.value <= 1
    assert len(paired.runs) == 4


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: make browser-test installs it")
def test_the_page_in_a_browser(out: Path, tmp_path: Path) -> None:
    _, page = write_report(out)
    text = page.read_text(encoding="utf-8")
    # Sort by a click, as a reader would.
    click = '<script>document.querySelector("#verification th:nth-child(2)").click();</script></body>'
    page.write_text(text.replace("</body>", click), encoding="utf-8")
    assert CHROMIUM is not None
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    flags += [f"--user-data-dir={tmp_path / 'profile'}", "--enable-logging=stderr", "--dump-dom"]
    result = subprocess.run([CHROMIUM, *flags, page.as_uri()], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0
    assert "CONSOLE" not in result.stderr
    shown = tmp_path / "shown.html"
    shown.write_text(result.stdout, encoding="utf-8")
    reader = read(shown)
    assert set(reader.tables) == {"verification", "ablation", "convergence", "completion"}
    column = [float(row[1].split()[0]) for row in reader.tables["verification"][1:]]
    assert column == sorted(column)
    assert result.stdout.count("<svg") == 4
