from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

from dgl_mathtree import nn
from dgl_mathtree.cli import main
from dgl_mathtree.reproduce.report.report_page import write_report
from dgl_mathtree.reproduce.report.results import ReportError, Results, collect
from tests.reproduce.report.conftest import MODELS
from tests.reproduce.report.made_up import make_run
from tests.reproduce.report.reader import read

TABLES = {
    "summary",
    "original",
    "claims-original",
    "claims-paper",
    "ablation-original",
    "ablation-paper",
    "test",
    "train",
}
TABLES |= {"validation", "chosen", "further", "convergence-paper", "convergence-original", "chosen-original"}
TABLES |= {"depths-original", "depths-paper"}
TABLES |= {f"{part}-original" for part in ("test", "validation", "train")}
TABLES |= {f"completion{which}-{what}" for which in ("", "_original") for what in ("overall", "depths", "depths-top5")}


def test_the_page(written: Path) -> None:
    markdown, page = written / "report.md", written / "report.html"
    reader = read(page)
    assert set(reader.tables) == TABLES
    assert [row[0] for row in reader.tables["summary"][1:]] == MODELS
    assert len(reader.tables["summary"][0]) == 9
    assert all(len(row) == len(rows[0]) for rows in reader.tables.values() for row in rows)
    text = page.read_text()
    assert not re.search(r'(src|href)="https?:', text)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert "Not finished" not in text
    links = re.findall(r"\]\(([^)]+)\)", markdown.read_text())
    assert len(links) == 26 and all((written / link).is_file() for link in links)


def test_links_say_what_they_are(written: Path) -> None:
    reader = read(written / "report.html")
    files = {label: link for link, label in reader.links if not link.startswith("#")}
    assert len(files) == 26 and all((written / link).is_file() for link in files.values())
    link = files["tree-lstm, seed 2, on original (hidden 50, dropout 0.1)"]
    assert link == "runs/original/tree-lstm/hidden-50-dropout-0.1-seed-2/config.json"
    places = [(link[1:], label) for link, label in reader.links if link.startswith("#")]
    assert places and all(place in reader.ids for place, _ in places)
    assert any(label.endswith(", 3 runs of mi-tree-lstm on original") for _, label in places)


def test_three_findings_come_first_then_a_table_and_a_figure(written: Path) -> None:
    markdown, page = written / "report.md", written / "report.html"
    first = page.read_text().split("</section>")[0]
    assert first.count("<li>") == 3
    assert first.count("<table") == 1
    assert first.count("<figure") == 1
    assert first.index("<ol") < first.index("<table") < first.index("<figure")
    lines = markdown.read_text().split("## Words")[0].splitlines()
    assert [line[:2] for line in lines if re.match(r"\d\.", line)] == ["1.", "2.", "3."]


def test_markdown_follows_the_order_of_the_page(written: Path) -> None:
    markdown, page = written / "report.md", written / "report.html"
    titles = [line[3:] for line in markdown.read_text().splitlines() if line.startswith("## ")]
    assert titles == re.findall(r"<h2>([^<]+)</h2>", page.read_text().replace("&#x27;", "'"))


def test_every_number_is_that_of_its_runs(written: Path) -> None:
    results = Results(collect(written))
    runs = results.of("paper", "tree-lstm")
    assert [run.seed for run in runs] == [0, 1, 2]
    values = [100 * run.metrics["test"]["overall"]["accuracy"] for run in runs]
    heads, *rows = read(written / "report.html").tables["summary"]
    row = next(row for row in rows if row[0] == "tree-lstm")
    assert row[heads.index("checked labels")] == f"{sum(values) / 3:.1f} ± {np.std(values, ddof=1):.1f}"
    assert row[heads.index("the paper's test accuracy")] == "86.8 ± 0.6"
    assert row[heads.index("seeds")] == "3/3"
    ours = [100 * run.metrics["test"]["overall"]["accuracy"] for run in results.of("original", "tree-lstm")]
    assert row[heads.index("like for like")] == f"{sum(ours) / 3:.1f} ± {np.std(ours, ddof=1):.1f}"
    assert row[heads.index("difference")] == f"{sum(ours) / 3 - 86.8:+.1f}"
    for run in runs:
        assert run.right().mean() == pytest.approx(run.metrics["test"]["overall"]["accuracy"])


def test_the_best_of_a_column_is_marked(written: Path) -> None:
    page = (written / "report.html").read_text()
    table = page.split('<table id="summary">')[1].split("</table>")[0]
    row = next(row for row in table.split("<tr>") if ">mi-tree-lstm</th>" in row)
    assert row.count('class="best"') == 4  # like for like, on true and checked labels, and at completion
    assert table.count('class="printed best"') == 1


def test_a_cell_goes_empty_with_its_run(out: Path) -> None:
    for data in ("paper", "original"):
        shutil.rmtree(out / "runs" / data / "mi-tree-lstm")
    markdown, page = write_report(out)
    assert "mi-tree-lstm" not in {row[0] for table in read(page).tables.values() for row in table}
    assert "<summary>Not finished: 3 runs.</summary>\n\n- paper/mi-tree-lstm/" in markdown.read_text()
    for analysis in (out / "runs").glob("*/tree-lstm/*/analysis.json"):
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
        ("analysis.json", "xyz", ["test_right"], "test_right must be 129 bits as hexadecimal digits"),
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
    (out / "runs" / "original").rename(out / "runs" / evil)
    change(next((out / "runs" / "paper" / "majority").rglob("analysis.json")), evil, "machine")
    markdown, page = write_report(out)
    for file in (markdown, page):
        assert "<img" not in file.read_text()
    files = [link for link, _ in read(page).links if not link.startswith("#")]
    assert all((out / unquote(link)).is_file() for link in files)
    assert any(evil in unquote(link) for link in files)


def test_a_new_row_in_the_table_of_models_changes_no_report(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = [file.read_text() for file in write_report(out)]
    monkeypatch.setitem(nn.MODELS, "another-tree-lstm", nn.MODELS["tree-lstm"])
    assert [file.read_text() for file in write_report(out)] == before


def test_models_beside_the_rows_have_a_table_of_their_own_and_no_other(out: Path) -> None:
    before = read(write_report(out)[1]).tables
    assert "beside" not in before
    for seed, data in ((0, "paper"), (1, "paper"), (0, "original")):
        make_run(out, data, "tree-rnn+stack", seed, 1.0, top1=1.0)
    after = read(write_report(out)[1]).tables
    heads, row = after.pop("beside")
    assert [head.replace("\u2011", "-") for head in heads] == [
        *("model", "parameters", "paper", "original", "completion Top-1", "completion Top-5", "seeds")
    ]
    assert row[0] == "tree-rnn+stack" and row[2:] == ["100.0 ± 0.0", "100.0", "100.0", "100.0", "1-2"]
    assert after == before


def test_reproduce_asks_for_matplotlib_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["reproduce", str(tmp_path / "out"), "--budget", "quick"]) == 2
    assert capsys.readouterr().err == "mathtree: figures need matplotlib: pip install 'dgl-mathtree[report]'\n"
    assert not (tmp_path / "out").exists()


def test_runs_of_before_that_lack_keys_are_shown_with_their_own_seeds(out: Path) -> None:
    make_run(out, "paper", "m-tree-lstm", 0, 0.9)  # without completion
    make_run(out, "paper", "m-tree-lstm", 1, 0.9, top1=0.4)
    for key in ("objective", "root", "epochs"):
        file = next((out / "runs" / "paper" / "m-tree-lstm").glob("*seed-0/config.json"))
        config = json.loads(file.read_text())
        del config["config"][key]
        file.write_text(json.dumps(config))
    tables = read(write_report(out)[1]).tables
    (row,) = [row for row in tables["summary"] if row[0] == "m-tree-lstm"]
    assert row[-2:] == ["40.0", "0/2"]
    (row,) = [row for row in tables["completion-overall"] if row[0] == "m-tree-lstm"]
    assert row[-1] == "1"
