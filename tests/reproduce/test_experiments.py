from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dgl_mathtree.cli import main, reproduce_commands
from dgl_mathtree.cli.command_table import CommandError
from dgl_mathtree.data.recipe import Recipe
from dgl_mathtree.nn import MODELS
from dgl_mathtree.ray_cluster import PoolError
from dgl_mathtree.reproduce import experiments, worker_pool
from dgl_mathtree.reproduce.experiments import ExperimentError, Experiments, read_record
from dgl_mathtree.reproduce.jobs import Job
from dgl_mathtree.reproduce.studies import (
    BESIDE,
    BUDGETS,
    DEVIATIONS,
    FURTHER,
    GRID,
    LIKE,
    LSTMS,
    NETWORKS,
    PRINTED,
    ROWS,
    SEARCHED,
    SIX,
    TABLED,
    TREES,
    Study,
)
from dgl_mathtree.reproduce.worker_pool import local_pool, ray_pool
from tests.reproduce.report.made_up import make_run

TINY = {ROWS: Study(TABLED, 1, {"epochs": 2, "hidden": 3, "batch_size": 4000}, blanks=4)}


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUDGETS, "quick", TINY)


def finish(out: Path, jobs: list[Job], best: str) -> None:
    """Write of runs what a search looks at, those with `best` in their folder being the best ones."""
    for job in jobs:
        (out / job.folder).mkdir(parents=True, exist_ok=True)
        metrics = {"validation": {"overall": {"accuracy": 0.9 if best in job.folder else 0.5}}}
        (out / job.folder / "metrics.json").write_text(json.dumps(metrics))


def test_the_quick_budget(tmp_path: Path) -> None:
    quick = Experiments(tmp_path, "quick").jobs()
    assert [job.model for job in quick] == [*TABLED]
    assert {*MODELS} - {*TABLED} == {"tree-rnn+stack", "second-order-tree-rnn-pure", "second-order-tree-rnn+stack"}
    one = Experiments(tmp_path, "quick", models=["tree-smu"]).jobs()
    assert [job.model for job in one] == ["tree-smu"]


def test_the_standard_budget_searches_and_then_runs_all_studies(tmp_path: Path) -> None:
    asked = Experiments(tmp_path, "standard")
    searches = [job for job in asked.jobs() if job.study == "paper-search"]
    assert len(searches) == len(NETWORKS) * len(SEARCHED)
    others = {(job.study, job.model) for job in asked.jobs() if not MODELS[job.model].is_baseline}
    assert {study for study, _ in others} == {"paper-search", LIKE, PRINTED, DEVIATIONS, "paper-ablation"}
    assert {model for study, model in others if study == LIKE} == {*BESIDE}  # nothing searches their settings
    finish(tmp_path, searches, "hidden-50-dropout-0.2-seed")
    jobs = asked.jobs()
    rows = [job for job in jobs if job.study == ROWS]
    seeds = {name: sum(job.model == name for job in rows) for name in TABLED}
    assert all(seeds[name] == 5 for name in TREES)
    assert seeds["majority"] == 1 and seeds["lstm"] == 3
    assert rows[2].folder == "runs/paper/rnn/hidden-50-dropout-0.2-seed-0"
    for data in ("hard", "grouped", "held-out-axioms"):
        assert sorted(job.model for job in jobs if job.data == data) == sorted([*SIX] * 3)
    meaning = [job for job in jobs if job.study == "paper-ablation"]
    assert len(meaning) == len(SIX) * 4 * 3
    assert meaning[1].folder == "runs/paper-ablation/tree-rnn/hidden-30-dropout-0.1-verification-cosine-seed-0"
    assert [job.seed for job in jobs] == sorted(job.seed for job in jobs)
    assert [job.blanks > 0 for job in jobs] == [job.study == ROWS for job in jobs]


def test_the_rows_like_for_like(tmp_path: Path) -> None:
    asked = Experiments(tmp_path, "standard", original="blanks")
    search = asked.jobs(["paper-search"])
    assert {(job.data, json.loads(job.config)["epochs"]) for job in search} == {("paper", 8)}
    finish(tmp_path, search, "hidden-30-dropout-0.1-seed")
    jobs = [job for job in asked.jobs([LIKE]) if job.study == LIKE]
    assert {job.model for job in jobs} == {*TABLED, *BESIDE}
    assert {name: sum(job.model == name for job in jobs) for name in ("majority", "lstm", "tree-smu")} == {
        **{"majority": 1, "lstm": 3, "tree-smu": 5},
    }
    assert {(job.also, job.blanks, job.original) for job in jobs} == {("paper", 0, "blanks")}
    assert min(job.original_blanks for job in jobs) > 4159  # as many as were ever published
    for models, hidden in ((NETWORKS, 30), (BESIDE, 50)):
        configs = [json.loads(job.config) for job in jobs if job.model in models]
        assert {(config["hidden"], config["epochs"]) for config in configs} == {(hidden, 60)}


def test_the_protocol_as_it_is_printed(tmp_path: Path) -> None:
    jobs = Experiments(tmp_path, "standard").jobs([PRINTED])
    assert [job.model for job in jobs] == [*NETWORKS]
    for job in jobs:
        config = json.loads(job.config)
        assert job.data == LIKE and job.also == "paper"
        assert (config["lr"], config["schedule"], config["patience"]) == (0.1, "halving", 1)
        assert (config["weight_decay"], config["decay"], config["clip"]) == (2e-5, "l2", 0)
        assert (config["batch_size"], config["augment"], config["epochs"]) == (50, "none", 500)
        assert {"hidden": config["hidden"], "dropout": config["dropout"]} in GRID


def test_what_else_is_tried_with_rows_far_from_the_paper_s(tmp_path: Path) -> None:
    asked = Experiments(tmp_path, "standard", seeds=2)
    jobs = [job for job in asked.jobs([DEVIATIONS]) if job.study == DEVIATIONS]
    assert len({job.folder for job in jobs}) == len({job.config for job in jobs}) == len(jobs)
    assert {(job.data, job.seed) for job in jobs} == {(LIKE, 0)}
    folders = [job.folder.removeprefix(f"runs/{DEVIATIONS}/tree-rnn/") for job in jobs if job.model == "tree-rnn"]
    assert folders == [
        "hidden-50-dropout-0.1-seed-0",
        "hidden-50-dropout-0.1-scale-1.0-seed-0",
        "hidden-50-dropout-0.1-augment-none-seed-0",
        "hidden-100-dropout-0.1-seed-0",
        "hidden-50-dropout-0.1-activation-sigmoid-seed-0",
    ]


def test_a_search_ends_what_comes_next(tmp_path: Path) -> None:
    asked = Experiments(tmp_path, "full", models=["tree-rnn", "majority"])

    def studies() -> set[str]:
        return {job.study for job in asked.next(asked.jobs())}

    def end(name: str) -> None:
        jobs = [job for job in asked.jobs() if job.study == name and job.seed == 0]
        finish(tmp_path, jobs, "hidden-50-dropout-0.1-seed")
        for job in jobs:
            (tmp_path / job.folder / "analysis.json").write_text("{}")

    assert studies() == {"paper-search"}
    end("paper-search")
    assert studies() == {ROWS, "original-search"}  # not what follows the rows whose settings it chooses
    end("original-search")
    assert studies() == {ROWS, LIKE, "printed-search"}
    end("printed-search")
    assert studies() >= {ROWS, LIKE, PRINTED, "hard"}
    jobs = asked.jobs()
    assert asked.next(jobs) == [job for job in jobs if job.seed == 0 and not asked.finished(job)]


def test_some_studies(tmp_path: Path) -> None:
    asked = Experiments(tmp_path, "standard")
    assert {job.study for job in asked.jobs([LIKE])} == {"paper-search", LIKE}
    assert {job.study for job in asked.jobs([PRINTED, "paper-ablation"])} == {PRINTED, "paper-ablation"}
    with pytest.raises(ExperimentError, match="unknown study 'legacy'; expected some of paper-search, paper,"):
        asked.jobs(["legacy"])
    with pytest.raises(ExperimentError, match="unknown study 'original'; expected some of paper"):
        Experiments(tmp_path, "quick").jobs([LIKE])
    with pytest.raises(ExperimentError, match="none of these models is in the study hard or paper-ablation"):
        Experiments(tmp_path, "standard", models=["rnn"]).jobs(["hard", "paper-ablation"])


def test_a_learning_rate_that_a_search_found(tmp_path: Path) -> None:
    asked = Experiments(tmp_path, "standard", "verification", models=["tree-rnn"])
    finish(tmp_path, asked.jobs(), "lr-0.009")
    rows = [job for job in asked.jobs() if job.study == ROWS]
    assert [job.folder for job in rows] == [
        f"runs/paper/tree-rnn/hidden-50-dropout-0.1-lr-0.009-seed-{seed}" for seed in range(5)
    ]
    assert {json.loads(job.config)["lr"] for job in rows} == {0.009}


def test_an_experiment_has_the_rows_that_it_needs(tmp_path: Path) -> None:
    asked = Experiments(tmp_path, "standard", "ablation", seeds=2)
    finish(tmp_path, asked.jobs(), "hidden-30")
    rows = [job for job in asked.jobs() if job.study == ROWS]
    assert {job.model for job in rows} == {"tree-rnn", "second-order-tree-rnn", *LSTMS}
    assert len(rows) == 16
    assert {job.study for job in asked.jobs()} == {ROWS, "paper-search"}


def test_the_full_budget_searches_sizes_before_it_spends_seeds(tmp_path: Path) -> None:
    asked = Experiments(tmp_path, "full", "verification", models=["tree-rnn", "majority"])
    search = [job for job in asked.jobs() if job.model == "tree-rnn"]
    settings = [(json.loads(job.config)["hidden"], json.loads(job.config)["dropout"]) for job in search]
    sizes = (8, 15, 25, 30, 40, 45, 50, 55, 60, 80, 100)
    assert settings == [(h, d) for h in sizes for d in (0.1, 0.2, 0.3)]
    assert all(json.loads(job.config)["lr"] == 0.1 for job in search)
    finish(tmp_path, search, "hidden-25-dropout-0.2")
    found = [job for job in asked.jobs() if job.model == "tree-rnn" and job not in search]
    assert [job.folder for job in found] == [
        f"runs/paper/tree-rnn/hidden-25-dropout-0.2-seed-{seed}" for seed in range(10)
    ]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"budget": "large"}, "unknown budget 'large'; expected one of quick, standard, full"),
        ({"experiment": "speed"}, "unknown experiment 'speed'"),
        ({"models": ["gru"]}, "unknown model 'gru'"),
        ({"budget": "quick", "models": ["tree-rnn+stack"]}, r"no study of the budget quick trains tree-rnn\+stack"),
        ({"seeds": 0}, "at least 1"),
        ({"experiment": "completion", "models": ["majority"]}, "none of these models is in the experiment completion"),
    ],
)
def test_wrong_requests(tmp_path: Path, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ExperimentError, match=message):
        Experiments(tmp_path, **wrong)


def test_a_folder_without_completion_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", str(tmp_path / "out"), "--budget", "quick", "--original", str(tmp_path)]) == 2
    assert "has no completion files" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_an_unknown_study_leaves_no_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", str(tmp_path / "out"), "--budget", "quick", "--study", "original"]) == 2
    assert "unknown study 'original'; expected some of paper" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_published_files_are_for_logic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", str(tmp_path / "out"), "--study", "original", "--published", str(tmp_path)]) == 2
    assert "--published is for --study logic alone" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_study_alone_leaves_what_the_folder_is_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = Experiments(tmp_path, "standard", models=["majority", "tree-rnn"])
    asked.record()
    make_run(tmp_path, PRINTED, "tree-rnn")
    assert main(["reproduce", str(tmp_path), "--study", PRINTED]) == 0
    assert capsys.readouterr().out.startswith("nothing is left to do: all 1 runs are finished")
    assert read_record(tmp_path) == asked
    assert main(["reproduce", str(tmp_path), "--study", PRINTED, "--models", "tree-rnn", "--seeds", "1"]) == 0
    assert capsys.readouterr().out.startswith("nothing is left to do: all 1 runs are finished")
    assert read_record(tmp_path) == asked
    assert main(["reproduce", str(tmp_path), "--study", PRINTED, "--models", "majority"]) == 2
    assert "none of these models is in the study printed" in capsys.readouterr().err
    assert read_record(tmp_path) == asked


def both(*arguments: str) -> tuple[Experiments, Experiments]:
    parser = argparse.ArgumentParser()
    reproduce_commands.register(parser.add_subparsers())
    return reproduce_commands._asked_for(parser.parse_args(["reproduce", *arguments]))


def asked_for(*arguments: str) -> Experiments:
    return both(*arguments)[0]


def test_models_and_seeds_of_a_study_are_for_now_alone(tmp_path: Path) -> None:
    Experiments(tmp_path, "standard").record()
    asked, lasting = both(str(tmp_path), "--study", LIKE, "--models", "lstm", "rnn", "--seeds", "1")
    assert asked == replace(lasting, models=["lstm", "rnn"], seeds=1)
    assert lasting == read_record(tmp_path)
    (tmp_path / "a_blank_0.json").write_text("[]")
    asked, lasting = both(str(tmp_path), "--study", LIKE, "--seeds", "2", "--original", str(tmp_path))
    assert lasting == replace(read_record(tmp_path), original=str(tmp_path))
    assert asked == replace(lasting, seeds=2)
    # Without a study they say what the folder is for.
    asked, lasting = both(str(tmp_path), "--models", "lstm")
    assert asked == lasting == Experiments(tmp_path, "standard", models=["lstm"])


def test_a_folder_alone_asks_for_what_was_asked_for_last(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert asked_for(str(out)) == Experiments(out, "standard")
    Experiments(out, "quick", models=["tree-rnn", "majority"]).record()
    assert asked_for(str(out)) == Experiments(out, "quick", models=["majority", "tree-rnn"])
    assert asked_for(str(out), "--workers", "1") == asked_for(str(out))
    assert asked_for(str(out), "--seeds", "2") == Experiments(out, "standard", seeds=2)
    for budget in BUDGETS:
        Experiments(out, budget).record()  # a folder for all models is one for those that its budget trains
        assert asked_for(str(out)).names() == Experiments(out, budget).names()
    assert asked_for(str(out), "--study", "original") == asked_for(str(out))
    (out / "experiments.json").write_text('{"budget": "quick"}')
    with pytest.raises(ExperimentError, match="holds no experiments"):
        asked_for(str(out))


def test_completion_files_that_are_gone_matter_while_there_are_runs_to_make(tmp_path: Path) -> None:
    asked = Experiments(tmp_path, "quick", models=["majority"], original=str(tmp_path / "gone"))
    asked.record()
    with pytest.raises(CommandError, match=r"experiments\.json says --original: .*gone has no completion files"):
        asked_for(str(tmp_path))
    (job,) = asked.jobs()
    (tmp_path / job.folder).mkdir(parents=True)
    (tmp_path / job.folder / "analysis.json").write_text("{}")
    assert asked_for(str(tmp_path)) == asked


def test_workers_that_cannot_be_had() -> None:
    with pytest.raises(PoolError, match="at least 1"):
        local_pool(0)


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    command = ["reproduce", str(out), "--budget", "quick", "--models", "majority", "tree-rnn"]
    assert main(command) == 0
    assert capsys.readouterr().out.split() == [str(out / "report.md"), str(out / "report.html")]
    assert read_record(out) == Experiments(out, "quick", models=["majority", "tree-rnn"])
    analyses = sorted(out.rglob("analysis.json"))
    assert len(analyses) == 2
    network = json.loads(analyses[1].read_text())
    assert network["completion"]["overall"]["count"] == 4
    assert len(bytes.fromhex(network["test_right"])) == -(-7923 // 8)
    before = {file: file.stat().st_mtime_ns for file in out.rglob("*") if file.is_file() and "report" not in file.name}
    for again in (command, command[:2]):  # the folder alone asks for the same
        assert main(again) == 0
        assert capsys.readouterr().out.splitlines()[0] == "nothing is left to do: all 2 runs are finished"
        assert read_record(out) == Experiments(out, "quick", models=["majority", "tree-rnn"])
    after = {file: file.stat().st_mtime_ns for file in out.rglob("*") if file.is_file() and "report" not in file.name}
    assert {f for f in before if before[f] != after[f]} <= {out / "experiments.json"}
    assert main(["reproduce", str(out), "--budget", "none"]) == 2
    assert main(["report", str(tmp_path / "nowhere")]) == 2


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_a_run_that_fails_does_not_stop_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    wrong = out / "runs" / "paper" / "majority" / "hidden-3-dropout-0.1-seed-0"
    wrong.mkdir(parents=True)
    (wrong / "something").write_text("")
    assert main(["reproduce", str(out), "--budget", "quick", "--models", "majority", "bag-of-operators"]) == 2
    captured = capsys.readouterr()
    assert "majority" in captured.err and "neither empty nor a run" in captured.err
    assert len(list(out.rglob("analysis.json"))) == 1
    report = (out / "report.md").read_text()
    assert "Not finished: 1 runs" in report and "paper/majority/hidden-3-dropout-0.1-seed-0" in report


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_a_killed_process_is_taken_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start, started = worker_pool._start, []

    def start_and_kill(out: Path, job: Job, spare: Path, module: str) -> subprocess.Popen[str]:
        process = start(out, job, spare, module)
        started.append(job.folder)
        if len(started) == 1:
            process.send_signal(signal.SIGKILL)
        return process

    monkeypatch.setattr(worker_pool, "_start", start_and_kill)
    jobs = Experiments(tmp_path, "quick", models=["majority", "bag-of-operators"]).jobs()
    assert dict(local_pool(2)(tmp_path, jobs)) == dict.fromkeys(jobs)
    assert len(started) == 3
    assert len(list(tmp_path.rglob("analysis.json"))) == 2


@pytest.mark.slow
def test_what_is_running_ends_with_the_pool(tmp_path: Path) -> None:
    jobs = Experiments(tmp_path, "standard", "verification", models=["tree-lstm", "majority"]).jobs()[-2:]
    running = local_pool(2)(tmp_path, sorted(jobs, key=lambda job: job.model != "majority"))
    job, reason = next(running)
    assert (job.model, reason) == ("majority", None)
    running.close()  # type: ignore[attr-defined]
    children = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "args"], capture_output=True, text=True).stdout
    assert str(tmp_path) not in children


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("tiny")
def test_a_worker_of_ray_that_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    mark, state = str(tmp_path / "died"), str(tmp_path / "out" / "runs" / "paper" / "tree-rnn")
    run_there = worker_pool._runner()

    def die_once(command: list[str], job: str) -> None:
        import glob
        import os
        import subprocess
        import sys
        import time

        if '"model\\": \\"tree-rnn' not in job or os.path.exists(mark):
            run_there(command, job)
            return
        with open(mark, "w") as stream:
            stream.write(job)
        process = subprocess.Popen([sys.executable, *command], stdin=subprocess.PIPE, text=True)
        assert process.stdin is not None
        process.stdin.write(job)
        process.stdin.close()
        while not glob.glob(f"{state}/*/state/last.safetensors") and process.poll() is None:
            time.sleep(0.05)
        process.kill()
        os.kill(os.getpid(), 9)  # the worker dies after the first epoch, and the run with it

    monkeypatch.setattr(worker_pool, "_runner", lambda: die_once)
    asked = Experiments(tmp_path / "out", "quick", models=["majority", "bag-of-operators", "tree-rnn"])
    jobs = asked.jobs()
    assert dict(ray_pool("local", 2)(asked.out, jobs)) == dict.fromkeys(jobs)
    assert Path(mark).is_file()
    assert all(asked.finished(job) for job in jobs)
    (history,) = asked.out.glob("runs/paper/tree-rnn/*/history.jsonl")
    assert len(history.read_text().splitlines()) == 2


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    with pytest.raises(PoolError, match="cannot reach the Ray cluster"):
        list(ray_pool("127.0.0.1:1")(tmp_path, []))


def test_data_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def make(place: Path, recipe: Recipe, seed: int, split: str, workers: int) -> None:
        assert {"recipe": recipe.name, "split": split} == FURTHER[place.name]
        assert (seed, workers) == (0, 2)
        made.append(place.name)
        place.mkdir(parents=True)
        (place / "equations.jsonl").write_text("")

    monkeypatch.setattr(experiments, "make_data", make)
    asked = Experiments(tmp_path, "standard")
    finish(tmp_path, asked.jobs(), "hidden-50")
    jobs = asked.jobs()
    asked.make_data([job for job in jobs if job.data in ("paper", "hard")], workers=2)
    assert made == ["hard"]
    for _ in range(2):
        asked.make_data(jobs, workers=2)
    assert made == ["hard", "grouped", "held-out-axioms", "original"]
