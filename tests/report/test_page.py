from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

from dgl_mathtree import nn
from dgl_mathtree.cli import main
from dgl_mathtree.report.page import write_report
from dgl_mathtree.report.results import Results, collect
from dgl_mathtree.report.shapes import ReportError
from dgl_mathtree.report.tables import tables
from dgl_mathtree.training.experiments import Experiments

MODELS = ["majority", "tree-rnn", "tree-lstm", "second-order-tree-rnn", "mi-tree-lstm"]
TABLES = {"verification", "train", "validation", "test", "ablation", "convergence", "completion"}
STANDARD = Path(__file__).parents[2] / "results" / "standard"
CHROMIUM = next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Some of the runs that are committed."""
    out = tmp_path / "out"
    for model in MODELS:
        shutil.copytree(STANDARD / "runs" / "paper" / model, out / "runs" / "paper" / model)
    Experiments(out, "standard", "verification", MODELS).record()
    return out


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
    assert set(reader.tables) == TABLES
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
    assert [run.seed for run in runs] == [0, 1, 2]
    values = [100 * run.metrics["test"]["overall"]["accuracy"] for run in runs]
    reader = read(write_report(out)[1])
    heads, *rows = reader.tables["verification"]
    row = next(row for row in rows if row[0] == "tree-lstm")
    shown = row[heads.index("test accuracy")]
    assert shown.startswith(f"{sum(values) / 3:.1f} ± {np.std(values, ddof=1):.1f}")
    for run in runs:
        assert run.right().mean() == pytest.approx(run.metrics["test"]["overall"]["accuracy"])


def test_a_cell_goes_empty_with_its_run(out: Path) -> None:
    shutil.rmtree(out / "runs" / "paper" / "mi-tree-lstm")
    markdown, page = write_report(out)
    assert "mi-tree-lstm" not in {row[0] for table in read(page).tables.values() for row in table}
    assert "Not finished: 3 runs (paper/mi-tree-lstm/" in markdown.read_text()
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


def change(file: Path, value: object, *keys: str) -> None:
    """Put a value into a file of JSON at some keys, or in place of all."""
    whole = entries = json.loads(file.read_text())
    for key in keys[:-1]:
        entries = entries[key]
    if keys:
        entries[keys[-1]] = value
    file.write_text(json.dumps(whole if keys else value))


@pytest.mark.parametrize(
    ("name", "value", "keys", "message"),
    [
        ("config.json", [], [], r"config.json must be an object, not \[\]"),
        ("config.json", "0", ["config", "seed"], "config.json: config: seed must be a whole number, not '0'"),
        ("config.json", None, ["checksum"], "config.json has no 'checksum'"),
        ("metrics.json", {}, ["validation"], "metrics.json: validation has no 'overall'"),
        ("metrics.json", float("nan"), ["test", "overall", "accuracy"], "accuracy must be a number, not nan"),
        ("metrics.json", True, ["test", "overall", "count"], "count must be a whole number, not True"),
        ("metrics.json", {"deep": {"accuracy": 1}}, ["test", "by_depth"], "by_depth must have whole numbers as keys"),
        ("analysis.json", 1, ["versions"], "analysis.json: versions must be an object, not 1"),
        ("analysis.json", "xyz", ["test_right"], "test_right must be 7923 bits as hexadecimal digits"),
        ("analysis.json", {"overall": 3}, ["completion"], "completion: overall must be an object, not 3"),
        ("history.jsonl", [1], [], r"history.jsonl: line 1 must be an object, not \[1\]"),
    ],
)
def test_json_of_another_shape_is_named(out: Path, name: str, value: object, keys: list[str], message: str) -> None:
    change(next((out / "runs" / "paper" / "majority").rglob(name)), value, *keys)
    with pytest.raises(ReportError, match=message):
        write_report(out)


@pytest.mark.parametrize(
    ("value", "keys"),
    [([], []), ("all", []), (5, ["models"]), ([5], ["models"]), (1.5, ["seeds"]), (10**9, ["seeds"]), ([], ["budget"])],
)
def test_a_record_of_another_shape(
    out: Path, value: object, keys: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    change(out / "experiments.json", value, *keys)
    assert main(["report", str(out)]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"mathtree: {out} holds no experiments: ")
    assert len(message.splitlines()) == 1


def test_names_of_folders_are_not_taken_for_html(out: Path) -> None:
    evil = 'a"><img src=x onerror=alert(1)>'
    run = next((out / "runs" / "paper" / "tree-rnn").iterdir())
    run.rename(run.with_name(evil))
    (out / "runs" / "paper").rename(out / "runs" / evil)
    shutil.copytree(out / "runs" / evil, out / "runs" / "paper")
    change(next((out / "runs" / "paper" / "majority").rglob("analysis.json")), evil, "machine")
    markdown, page = write_report(out)
    for file in (markdown, page):
        assert "<img" not in file.read_text()
    reader = read(page)
    assert all((out / unquote(link)).is_file() for link in reader.links)
    assert any(evil in unquote(link) for link in reader.links)


def test_a_new_row_in_the_table_of_models_changes_no_report(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = [file.read_text() for file in write_report(out)]
    monkeypatch.setitem(nn.MODELS, "another-tree-lstm", nn.MODELS["tree-lstm"])
    assert [file.read_text() for file in write_report(out)] == before


def test_reproduce_asks_for_matplotlib_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["reproduce", str(tmp_path / "out"), "--budget", "quick"]) == 2
    assert capsys.readouterr().err == "mathtree: figures need matplotlib: pip install 'dgl-mathtree[report]'\n"
    assert not (tmp_path / "out").exists()


def test_significance(out: Path) -> None:
    (table,) = [table for table in tables(Results(collect(out))) if table.name == "ablation"]
    assert [row[0] for row in table.rows] == ["second-order-tree-rnn", "mi-tree-lstm"]
    assert table.rows[0][1][4] == "needs two seeds"
    paired = table.rows[1][1][4]
    assert not isinstance(paired, str) and paired.value is not None and 0 <= paired.value <= 1
    assert len(paired.runs) == 6


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
    assert set(reader.tables) == TABLES
    column = [float(row[1].split()[0]) for row in reader.tables["verification"][1:]]
    assert column == sorted(column)
    assert result.stdout.count("<svg") == 4
