"""What version 0.1.0 wrote is still read, and what was typed for it still works.

Beside this file: data that it generated, a run trained on it (with the options `OPTIONS`), what it then said of some
equations, and a folder of experiments with their report.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dgl_mathtree import EquationDataset, load
from dgl_mathtree.cli import main
from dgl_mathtree.data import read_card, read_rows
from dgl_mathtree.nn import TreeRNN
from dgl_mathtree.training import Config

HERE = Path(__file__).parent
OPTIONS = (
    "--model m-tree-lstm --hidden 4 --epochs 2 --batch-size 20 --together 2 --stop 3 --root cosine --leaves open "
    "--objective semantic --propagate levels"
).split()


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("data", "run", "report"):
        shutil.copytree(HERE / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_data(work: Path) -> None:
    rows = list(read_rows("data"))
    assert len(rows) == read_card("data")["count"] == 80
    assert len(EquationDataset("data", "train")) == 51
    assert main(["data", "data"]) == 0
    assert main(["trace", "data", rows[-1].id]) == 0


def test_a_run(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = [json.loads(line) for line in (HERE / "verify.jsonl").read_text().splitlines()]
    answers = load("run", driver="levels").verify([row["equation"] for row in said])
    assert [answer.probability for answer in answers] == pytest.approx([row["probability"] for row in said], abs=1e-6)
    network = load("run").network
    assert (network.head, network.reads_any_leaf) == ("cosine", True)
    assert main(["evaluate", "run", "data", "--split", "validation", "--json"]) == 0
    measured, before = json.loads(capsys.readouterr().out), json.loads((HERE / "evaluate.json").read_text())
    assert measured["overall"] == pytest.approx(before["overall"], abs=1e-5)


def test_a_run_goes_on(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "data", "--out", "run", *OPTIONS]) == 0
    assert capsys.readouterr().out == "run is finished: nothing to do\n"
    assert main(["train", "data", "--out", "run", *OPTIONS, "--root", "dot"]) == 2
    assert "head 'dot' here, 'cosine' there" in capsys.readouterr().err
    (work / "run" / "metrics.json").unlink()
    assert main(["train", "data", "--out", "run", *OPTIONS]) == 0
    assert capsys.readouterr().out.startswith("run: going on after epoch 2\n")
    before, after = (json.loads((each / "run" / "metrics.json").read_text()) for each in (HERE, work))
    assert after["validation"]["overall"] == pytest.approx(before["validation"]["overall"], abs=1e-5)


def test_a_configuration(work: Path) -> None:
    assert main(["train", "data", "--config", "run/config.json", "--out", "again", "--epochs", "1"]) == 0
    config = json.loads((work / "again" / "config.json").read_text())["config"]
    new = {"group_neighbours": 2, "early_stopping": 3, "head": "cosine", "driver": "levels"}
    assert config.items() >= new.items()
    assert not {"together", "stop", "root", "propagate"} & config.keys()


def test_a_report(work: Path) -> None:
    before = _numbers(work / "report" / "report.md")
    (work / "report" / "report.md").unlink()
    assert main(["report", "report"]) == 0
    after = _numbers(work / "report" / "report.md")
    assert before.keys() == after.keys() == {"majority", "tree-rnn"}
    for model, numbers in before.items():
        assert len(numbers) > 8 and numbers <= after[model]
    assert main(["report", "--compare", "report", "report"]) == 0


def _numbers(page: Path) -> dict[str, set[str]]:
    """What the rows of each model show, over all tables."""
    found: dict[str, set[str]] = {}
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith(("| majority |", "| tree-rnn |")):
            model, *cells = (cell.strip().strip("*") for cell in line.strip("|").split("|"))
            found.setdefault(model, set()).update(filter(None, cells))
    return found


@pytest.mark.parametrize("option", ["--together", "--stop", "--root", "--propagate"])
def test_old_names_are_not_shown(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    assert option not in capsys.readouterr().out


@pytest.mark.parametrize("command", ["blanks data --out OUT", "export data OUT"])
def test_the_old_name_of_part(command: str, work: Path) -> None:
    for option, out in (("--split", "old.bin"), ("--part", "new.bin")):
        assert main([*command.replace("OUT", out).split(), option, "test"]) == 0
    if command.startswith("blanks"):  # the bytes of DGL's files are others each time
        assert (work / "old.bin").read_bytes() == (work / "new.bin").read_bytes()
    else:
        assert json.loads((work / "old.json").read_text()) == json.loads((work / "new.json").read_text())


def test_positional_arguments_mean_what_they_meant() -> None:
    """`dropout` was the fifth of a Tree-RNN, and the third of a configuration was the seed."""
    cell = TreeRNN(3, 2, 2, "sigmoid", 0.25)
    assert (cell.activation, cell.dropout, cell.integration) == ("sigmoid", 0.25, "sum")
    with pytest.raises(TypeError):
        Config("paper", "tree-lstm", 3)  # type: ignore[misc]
