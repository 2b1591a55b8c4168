from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from dgl_mathtree.cli import main
from dgl_mathtree.errors import RunError
from dgl_mathtree.nn import PairClassifier, TreeClassifier
from dgl_mathtree.reproduce.experiments import ExperimentError
from dgl_mathtree.reproduce.studies import TREES
from dgl_mathtree.reproduce.tree_studies import (
    LEAVES,
    LISTOPS,
    LOGIC,
    TREE_STUDIES,
    TYPES,
    TreeJob,
    is_made,
    run_tree_job,
    study_data,
    study_model,
    tree_jobs,
    tree_runs,
)


def small(study: str, way: str = TYPES, model: str = "tree-rnn", published: str = "") -> TreeJob:
    return TreeJob(f"runs/{study}/{model}/{way}-seed-0", study, model, way, 0, 1, published, limit=120)


def test_a_study_is_every_recursive_model_in_every_way() -> None:
    jobs = tree_jobs(["logic"])
    assert len(jobs) == len(TREES) * 2 * 3 == len({job.folder for job in jobs})
    assert {job.model for job in jobs} == set(TREES) and {job.way for job in jobs} == {TYPES, LEAVES}
    assert [job.seed for job in jobs] == sorted(job.seed for job in jobs)
    assert len(tree_jobs(["listops"])) == len(TREES)
    quick = tree_jobs(["logic", "listops"], "quick", ["tree-lstm"], seeds=2)
    assert [(job.epochs, job.limit) for job in quick] == [(1, 2000)] * 6


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"names": ["chess"]}, "unknown study 'chess'; expected one of logic, listops"),
        ({"names": ["logic"], "budget": "huge"}, "unknown budget 'huge'"),
        ({"names": ["logic"], "models": ["lstm"]}, "unknown model 'lstm'; expected one of tree-rnn"),
        ({"names": ["logic"], "published": "nowhere"}, "no published files at nowhere"),
        ({"names": ["listops"], "published": "nowhere"}, "published files for the study logic only"),
        ({"names": ["logic"], "seeds": 0}, "number of seeds must be at least 1 and at most 1000, not 0"),
    ],
)
def test_what_cannot_be_asked_for(asked: dict[str, object], message: str) -> None:
    with pytest.raises(ExperimentError, match=message):
        tree_jobs(**asked)  # type: ignore[arg-type]


@pytest.mark.parametrize("study", TREE_STUDIES)
@pytest.mark.parametrize("way", [TYPES, LEAVES])
def test_models_fit_their_data(study: str, way: str) -> None:
    train, test = study_data(small(study, way))
    assert 120 <= len(train) < 140 and 120 <= len(test) < 140
    for name in TREES:
        torch.manual_seed(0)
        model = study_model(TREE_STUDIES[study], name, way)
        assert isinstance(model, PairClassifier if study == "logic" else TreeClassifier)
        assert model(test.batch([0, 1, 2])).shape == (3, 7 if study == "logic" else 10)
    assert LOGIC.size == LISTOPS.size


def test_a_run_is_made_once(tmp_path: Path) -> None:
    job = small("logic")
    assert not is_made(tmp_path, job)
    run_tree_job(tmp_path, job)
    assert is_made(tmp_path, job)
    weights = tmp_path / job.folder / "model.safetensors"
    before = weights.stat().st_mtime_ns
    run_tree_job(tmp_path, job)
    assert weights.stat().st_mtime_ns == before
    longer = replace(job, epochs=2, limit=0)
    assert not is_made(tmp_path, longer)
    with pytest.raises(RunError, match="another configuration: epochs"):
        run_tree_job(tmp_path, replace(longer, limit=120))
    (run,) = tree_runs(tmp_path, "logic")
    assert (run["model"], run["seed"], run["way"], run["data"]) == ("tree-rnn", 0, TYPES, "generated")
    assert set(run["test"]) == {str(number) for number in range(13)}


def test_published_files_are_used_where_they_are_given(tmp_path: Path) -> None:
    for part in ("train", "test"):
        for number in range(13):
            (tmp_path / f"{part}{number}").write_text("#\ta\tb\n=\ta\ta\n<\t( a ( and b ) )\ta\n")
    train, test = study_data(small("logic", published=str(tmp_path)))
    assert len(train) == 21 and len(test) == 39


@pytest.mark.parametrize("option", ["--ray", "--experiment", "--original"])
def test_options_for_equations_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str) -> None:
    assert main(["reproduce", str(tmp_path / "out"), "--study", "logic", option, "all"]) == 2
    assert f"{option} is not for studies on other trees" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    command = ["reproduce", str(out), "--study", "listops", "--budget", "quick", "--models", "tree-lstm"]
    assert main(command) == 0
    shown = capsys.readouterr().out.split()
    assert [Path(file).name for file in shown] == ["listops.json", "listops.md", "listops.svg"]
    assert json.loads((out / "listops.json").read_text())["runs"][0]["model"] == "tree-lstm"
    assert main(command) == 0
    assert main(["reproduce", str(out), "--study", "chess"]) == 2
    assert "chess" in capsys.readouterr().err
    assert main([*command, "--published", str(tmp_path / "nowhere")]) == 2
