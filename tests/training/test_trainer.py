"""Training by command: every model, resuming after a kill, several processes, and what can go wrong."""

from __future__ import annotations

import json
import math
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from dgl_mathtree.cli import main
from dgl_mathtree.data.data_files import Row
from dgl_mathtree.data.data_writer import write_rows
from dgl_mathtree.nn import MODELS
from dgl_mathtree.training import Config, train
from dgl_mathtree.training.progress import Profile

Captured = pytest.CaptureFixture[str]
MATHTREE = [sys.executable, "-W", "ignore", "-m", "dgl_mathtree"]
KEYS = {"accuracy", "precision", "recall", "auc", "calibration_error", "count"}


def tensors(run: Path) -> dict[str, torch.Tensor]:
    return load_file(run / "model.safetensors") | load_file(run / "state" / "last.safetensors")


def history(run: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (run / "history.jsonl").read_text().splitlines()]


def assert_same_run(one: Path, other: Path) -> None:
    mine, theirs = tensors(one), tensors(other)
    assert mine.keys() == theirs.keys()
    assert all(torch.equal(mine[name], theirs[name]) for name in mine)
    histories = [history(run) for run in (one, other)]
    for line in (*histories[0], *histories[1]):
        del line["seconds"]
    assert histories[0] == histories[1]
    metrics = [json.loads((run / "metrics.json").read_text()) for run in (one, other)]
    assert metrics[0]["test"] == metrics[1]["test"]


@pytest.mark.parametrize("model", MODELS)
def test_every_model_trains_resumes_and_evaluates(model: str, data: Path, tmp_path: Path, capsys: Captured) -> None:
    run = tmp_path / "run"
    command = ["train", str(data), "--model", model, "--out", str(run), "--epochs", "2", "--hidden", "6"]
    assert main(command) == 0
    assert "best after epoch" in capsys.readouterr().out
    files = {str(file.relative_to(run)) for file in run.rglob("*") if file.is_file()}
    expected = {"config.json", "model.safetensors", "history.jsonl", "metrics.json"}
    assert files == expected | (set() if MODELS[model].is_baseline else {"state/last.safetensors"})
    metrics = json.loads((run / "metrics.json").read_text())
    assert {part: metrics[part]["overall"]["count"] for part in ("train", "validation", "test")} == {
        "train": 230,
        "validation": 60,
        "test": 40,
    }
    assert main(command) == 0
    assert "is finished" in capsys.readouterr().out

    scores = tmp_path / "scores.jsonl"
    assert main(["evaluate", str(run), str(data), "--json", "--scores", str(scores)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["model"], result["split"]) == (model, "test")
    assert result["overall"] == metrics["test"]["overall"]
    assert set(result["overall"]) == KEYS and set(result["by_depth"]) == {"8", "9"}
    lines = [json.loads(line) for line in scores.read_text().splitlines()]
    assert [sorted(line) for line in lines] == [["id", "logit"]] * 40

    assert main(["verify", "sin(x) = sin(x)", "--model", str(run), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["oracle"] == "true"
    assert answer["verdict"] == ("correct" if answer["probability"] >= 0.5 else "incorrect")


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_bits(data: Path, tmp_path: Path) -> None:
    options = [
        "--model",
        "tree-lstm+stack",
        "--epochs",
        "6",
        "--hidden",
        "8",
        "--augment",
        "commute",
        "--early-stopping",
        "50",
    ]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    subprocess.run([*MATHTREE, "train", str(data), "--out", str(whole), *options], check=True, timeout=300)
    process = subprocess.Popen([*MATHTREE, "train", str(data), "--out", str(killed), *options])
    state = killed / "state" / "last.safetensors"
    while not state.is_file() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert not (killed / "metrics.json").exists()
    again = subprocess.run(
        [*MATHTREE, "train", str(data), "--out", str(killed), *options], capture_output=True, text=True, timeout=300
    )
    assert again.returncode == 0, again.stderr
    assert "going on after epoch" in again.stdout
    assert_same_run(whole, killed)


def test_a_crash_between_the_files_of_an_epoch(data: Path, tmp_path: Path) -> None:
    config = Config(data=str(data), model="mi-tree-lstm", epochs=4, hidden=6, early_stopping=50)
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    train(config, whole)
    train(Config(data=str(data), model="mi-tree-lstm", epochs=2, hidden=6, early_stopping=50), torn)
    old_state = (torn / "state" / "last.safetensors").read_bytes()
    shutil.rmtree(torn)
    shutil.copytree(whole, torn)
    (torn / "metrics.json").unlink()
    # The weights and the history are of epoch 4, the state is of epoch 2.
    (torn / "state" / "last.safetensors").write_bytes(old_state)
    (torn / ".model.safetensors.partial-1").write_bytes(b"half")
    train(config, torn)
    assert_same_run(whole, torn)


@pytest.mark.slow
def test_two_processes_give_what_one_gives(data: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    options = ["--model", "m-tree-lstm+stack", "--epochs", "2", "--hidden", "6", "--batch-size", "25"]
    options += ["--dropout", "0.2", "--augment", "commute"]
    subprocess.run([*MATHTREE, "train", str(data), "--out", str(one), *options], check=True, timeout=300)
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", "-m", "dgl_mathtree"]
    result = subprocess.run(
        [*torchrun, "train", str(data), "--out", str(two), *options], capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("best after epoch") == 1
    mine, theirs = tensors(one), tensors(two)
    for name, tensor in mine.items():
        torch.testing.assert_close(theirs[name], tensor, rtol=1e-3, atol=1e-5)
    for a, b in zip(history(one), history(two), strict=True):
        assert math.isclose(a["loss"], b["loss"], rel_tol=1e-5)
        assert a["validation_accuracy"] == b["validation_accuracy"]


@pytest.mark.slow
def test_a_process_without_a_share_of_the_last_batch(data: Path, tmp_path: Path) -> None:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", "-m", "dgl_mathtree"]
    options = ["--model", "tree-rnn", "--epochs", "1", "--hidden", "4", "--batch-size", "229"]
    result = subprocess.run(
        [*torchrun, "train", str(data), "--out", str(tmp_path / "run"), *options],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr


def test_seeds(data: Path, tmp_path: Path) -> None:
    runs = {}
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        train(Config(data=str(data), model="tree-rnn", epochs=1, hidden=4, seed=seed), tmp_path / name)
        runs[name] = tensors(tmp_path / name)
    assert all(torch.equal(runs["a"][name], runs["b"][name]) for name in runs["a"])
    assert not torch.equal(runs["a"]["encoder.embedding.weight"], runs["c"]["encoder.embedding.weight"])


def test_it_learns(data: Path, tmp_path: Path) -> None:
    config = Config(data=str(data), model="tree-lstm", epochs=60, hidden=20, early_stopping=60, patience=60)
    result = train(config, tmp_path / "run")
    lines = history(tmp_path / "run")
    assert lines[-1]["loss"] < 0.3 < 0.6 < lines[0]["loss"]
    assert result["train"]["overall"]["accuracy"] > 0.8


def test_large_seeds(data: Path, tmp_path: Path) -> None:
    result = train(Config(data=str(data), model="tree-rnn", epochs=1, hidden=4, seed=2**62 + 5), tmp_path / "run")
    assert result["epochs"] == 1


def test_words_that_only_the_test_equations_have(paper: list[Row], tmp_path: Path) -> None:
    extra = [replace(row, id=f"extra-{row.id}", equation=row.equation.replace("x", "t")) for row in paper[-5:]]
    write_rows(tmp_path / "renamed", [*paper, *extra], {"name": "renamed"})
    config = Config(data=str(tmp_path / "renamed"), model="tree-lstm", epochs=1, hidden=4)
    assert train(config, tmp_path / "one")["test"]["overall"]["count"] == 45  # a variable is renamed
    extra = [replace(row, id=f"extra-{row.id}", equation=f"sinh({row.equation[:1]}) = 17") for row in paper[:1]]
    foreign = [replace(row, part="test", equation="sinh(x) = 17", depth=2) for row in extra]
    write_rows(tmp_path / "foreign", [*paper, *foreign], {"name": "foreign"})
    result = train(Config(data=str(tmp_path / "foreign"), model="tree-lstm", epochs=1, hidden=4), tmp_path / "two")
    assert "test" not in result
    assert "is not in the vocabulary" in result["unread"]["test"]


def test_the_best_weights_are_kept(data: Path, tmp_path: Path) -> None:
    result = train(
        Config(data=str(data), model="tree-rnn", epochs=12, hidden=8, early_stopping=4, lr=0.05), tmp_path / "run"
    )
    reached = [line["validation_accuracy"] for line in history(tmp_path / "run")]
    assert result["validation"]["overall"]["accuracy"] == max(reached)
    assert result["best_epoch"] == 1 + int(np.argmax(reached))
    assert len(reached) == 12 or len(reached) == result["best_epoch"] + 4


def test_the_protocol_of_the_paper_and_files(data: Path, tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"model": "tree-rnn", "hidden": 4, "epochs": 1, "options": {"activation": "sigmoid"}}))
    command = ["train", str(data), "--config", str(file), "--out", str(tmp_path / "run"), "--protocol", "paper"]
    assert main([*command, "--seed", "3", "--profile"]) == 0
    config = json.loads((tmp_path / "run" / "config.json").read_text())["config"]
    assert (config["lr"], config["weight_decay"], config["hidden"], config["seed"]) == (0.1, 2e-5, 4, 3)
    assert config["options"] == {"activation": "sigmoid"}
    assert "forward, backward and optimizer together" in capsys.readouterr().out
    again = ["train", "--config", str(tmp_path / "run" / "config.json"), "--out", str(tmp_path / "run")]
    assert main(again) == 0
    assert "is finished" in capsys.readouterr().out


def test_shares_of_time() -> None:
    profile = Profile()
    assert str(profile) == "time: nothing was trained"
    profile.seconds |= {"forward": 3.0, "preparing": 1.0}
    assert profile.shares() == {"forward": 0.75, "preparing": 0.25}
    assert str(profile).endswith("together 75.0%")


class TestWhatGoesWrong:
    """Each is one line on standard error and exit code 2, and what there was is kept."""

    def fails(self, capsys: Captured, *command: str) -> str:
        assert main(list(command)) == 2
        error = capsys.readouterr().err
        assert error.startswith("mathtree: ") and error.count("\n") == 1
        return error

    def test_names(self, data: Path, tmp_path: Path, capsys: Captured) -> None:
        out = ["--out", str(tmp_path / "run")]
        assert "expected one of majority," in self.fails(capsys, "train", str(data), "--model", "gru", *out)
        assert "name a model" in self.fails(capsys, "train", str(data), *out)
        assert "name the data" in self.fails(capsys, "train", "--model", "rnn", *out)
        assert "there is no data" in self.fails(capsys, "train", "nowhere", "--model", "rnn", *out)
        wrong = ["--model", "m-tree-lstm+stack", "--set"]
        assert "it has integration" in self.fails(capsys, "train", str(data), *wrong, "slot=3", *out)
        assert "name=value" in self.fails(capsys, "train", str(data), *wrong, "slots", *out)
        assert "no run" in self.fails(capsys, "evaluate", str(tmp_path / "none"), str(data))
        assert "is not a run" in self.fails(capsys, "evaluate", str(tmp_path), str(data))
        assert not (tmp_path / "run").exists()

    def test_places(self, data: Path, tmp_path: Path, capsys: Captured) -> None:
        (tmp_path / "file").write_text("")
        (tmp_path / "full").mkdir()
        (tmp_path / "full" / "thing").write_text("")
        train_rnn = ["train", str(data), "--model", "tree-rnn", "--epochs", "1", "--hidden", "2", "--out"]
        assert "run: Not a directory" in self.fails(capsys, *train_rnn, str(tmp_path / "file" / "run"))
        assert "neither empty nor a run" in self.fails(capsys, *train_rnn, str(tmp_path / "full"))
        assert "is a file" in self.fails(capsys, *train_rnn, str(tmp_path / "file"))

    @pytest.mark.slow
    def test_a_full_disk(self, data: Path, tmp_path: Path) -> None:
        run = tmp_path / "run"
        command = [*MATHTREE, "train", str(data), "--model", "tree-lstm", "--hidden", "20", "--out", str(run)]
        subprocess.run([*command, "--epochs", "3", "--early-stopping", "50"], check=True, timeout=300)
        (run / "metrics.json").unlink()
        kept = (run / "state" / "last.safetensors").read_bytes()
        entries = json.loads((run / "config.json").read_text())
        entries["config"]["epochs"] = 6
        (run / "config.json").write_text(json.dumps(entries))
        result = subprocess.run(
            [*command, "--epochs", "6", "--early-stopping", "50"],
            capture_output=True,
            text=True,
            timeout=300,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
        )
        assert result.returncode == 2
        assert result.stderr.startswith("mathtree: cannot write ")
        assert (run / "state" / "last.safetensors").read_bytes() == kept
        assert not list(run.rglob("*.partial-*"))

    def test_another_configuration(self, data: Path, tmp_path: Path, capsys: Captured) -> None:
        run = str(tmp_path / "run")
        train(Config(data=str(data), model="tree-rnn", epochs=1, hidden=4), run)
        command = ["train", str(data), "--model", "tree-rnn", "--epochs", "1", "--hidden", "5", "--out", run]
        assert "hidden 5 here, 4 there" in self.fails(capsys, *command)

    def test_other_data_under_the_same_name(self, paper: list[Row], tmp_path: Path, capsys: Captured) -> None:
        run = tmp_path / "run"
        write_rows(tmp_path / "data", paper, {"name": "first"})
        command = ["train", str(tmp_path / "data"), "--model", "tree-rnn", "--epochs", "1", "--hidden", "4"]
        assert main([*command, "--out", str(run)]) == 0
        capsys.readouterr()
        (run / "metrics.json").unlink()
        shutil.rmtree(tmp_path / "data")
        write_rows(tmp_path / "data", paper[5:], {"name": "second"})
        assert "other data" in self.fails(capsys, *command, "--out", str(run))

    def test_a_loss_that_is_no_number(self, data: Path, tmp_path: Path, capsys: Captured) -> None:
        run = tmp_path / "run"
        command = ["train", str(data), "--model", "tree-rnn", "--epochs", "3", "--hidden", "4", "--lr", "1e38"]
        error = self.fails(capsys, *command, "--clip", "0", "--out", str(run))
        assert "not finite in epoch" in error and "paper-0" in error and "smaller --lr" in error
        assert (run / "config.json").is_file()

    def test_a_step_too_far(self, data: Path, tmp_path: Path, capsys: Captured) -> None:
        run = tmp_path / "run"
        command = ["train", str(data), "--model", "tree-lstm", "--epochs", "1", "--hidden", "4", "--lr", "1e38"]
        error = self.fails(capsys, *command, "--batch-size", "1000", "--out", str(run))
        assert "not finite after epoch 1" in error
        assert not (run / "model.safetensors").exists()

    def test_what_a_killed_beginning_leaves_is_taken_up(self, data: Path, tmp_path: Path) -> None:
        run = tmp_path / "run"
        (run / "state").mkdir(parents=True)
        (run / ".config.json.partial-123").write_text("{")
        train(Config(data=str(data), model="tree-rnn", epochs=1, hidden=4), run)
        assert (run / "metrics.json").is_file()

    def test_a_run_that_lost_a_file(self, data: Path, tmp_path: Path, capsys: Captured) -> None:
        run = tmp_path / "run"
        command = ["train", str(data), "--model", "tree-rnn", "--epochs", "2", "--hidden", "4", "--out", str(run)]
        assert main(command) == 0
        capsys.readouterr()
        (run / "metrics.json").write_text("[]")
        assert "it holds no metrics" in self.fails(capsys, *command)
        (run / "metrics.json").unlink()
        whole = (run / "history.jsonl").read_text()
        (run / "history.jsonl").write_text(whole.splitlines()[0] + "\n")
        assert "history.jsonl has 1 lines for 2 epochs" in self.fails(capsys, *command)
        (run / "history.jsonl").write_text(whole)
        (run / "model.safetensors").unlink()
        assert "model.safetensors is missing" in self.fails(capsys, *command)

    def test_data_that_was_changed_by_hand(self, paper: list[Row], tmp_path: Path, capsys: Captured) -> None:
        folder, run = tmp_path / "data", tmp_path / "run"
        write_rows(folder, paper, {"name": "little"})
        command = ["train", str(folder), "--model", "tree-rnn", "--epochs", "1", "--hidden", "4", "--out", str(run)]
        assert main(command) == 0
        capsys.readouterr()
        (run / "metrics.json").unlink()
        file = folder / "equations.jsonl"
        file.write_text("".join(file.read_text().splitlines(keepends=True)[3:]))
        assert "lines are missing or were changed" in self.fails(capsys, *command)
        shutil.rmtree(folder)
        write_rows(folder, paper[3:], {"name": "little"})
        assert "other data" in self.fails(capsys, *command)

    def test_devices(self, data: Path, tmp_path: Path, capsys: Captured) -> None:
        wrong = dict.fromkeys(("nonsense", "meta"), "unknown device")
        for kind, here in (("cuda", torch.cuda.is_available()), ("mps", torch.backends.mps.is_available())):
            if not here:
                wrong[kind] = wrong[f"{kind}:0"] = f"torch sees no {kind.upper()} device here"
        for device, message in wrong.items():
            out = ["--out", str(tmp_path / device), "--device", device]
            assert message in self.fails(capsys, "train", str(data), "--model", "tree-rnn", *out)
            assert message in self.fails(capsys, "verify", "x = x", "--device", device)
            assert not (tmp_path / device).exists()

    def test_names_that_are_too_long(self, data: Path, tmp_path: Path, capsys: Captured) -> None:
        out = str(tmp_path / ("a" * 300))
        assert "File name too long" in self.fails(capsys, "train", str(data), "--model", "tree-rnn", "--out", out)

    def test_one_class(self, correct_only: Path, tmp_path: Path, capsys: Captured) -> None:
        for model in ("tree-rnn", "majority"):
            command = ["train", str(correct_only), "--model", model, "--out", str(tmp_path / model)]
            assert "needs both kinds" in self.fails(capsys, *command)

    def test_one_class_is_evaluated(self, data: Path, correct_only: Path, tmp_path: Path, capsys: Captured) -> None:
        train(Config(data=str(data), model="tree-rnn", epochs=1, hidden=4), tmp_path / "run")
        assert main(["evaluate", str(tmp_path / "run"), str(correct_only), "--json"]) == 0
        result = json.loads(capsys.readouterr().out)
        assert result["overall"]["auc"] is None
        assert result["overall"]["recall"] == result["overall"]["accuracy"]

    def test_no_equations(self, paper: list[Row], tmp_path: Path, capsys: Captured) -> None:
        write_rows(tmp_path / "empty", [], {"name": "empty"})
        command = ["train", str(tmp_path / "empty"), "--model", "tree-rnn", "--out", str(tmp_path / "run")]
        assert "has no equations in train" in self.fails(capsys, *command)
        write_rows(tmp_path / "unvalidated", [row for row in paper if row.part == "train"], {"name": "unvalidated"})
        command[1] = str(tmp_path / "unvalidated")
        assert "has no equations in validation" in self.fails(capsys, *command)
        assert not (tmp_path / "run").exists()
