from __future__ import annotations

import json
import math
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from dgl_mathtree.training import Config, train
from dgl_mathtree.training.progress import Progress
from dgl_mathtree.training.schedules import SCHEDULES, Halving, OneCycle, TrainingState


def config(**entries: object) -> Config:
    return Config.of({"data": "paper", "model": "tree-rnn", "lr": 1.0} | entries)


def test_halving_and_stopping() -> None:
    schedule, state = Halving(config(patience=2, early_stopping=3), steps=7), TrainingState(epoch=0, lr=1.0)
    rates, ended = [], []
    for reached in (0.5, 0.5, 0.4, 0.6, 0.1, 0.1, 0.1):
        rates.append({schedule.rate(state, step) for step in range(7)})
        state.judge(reached)
        schedule.adjust(state)
        ended.append(schedule.ended(state))
    assert rates == [{1.0}, {1.0}, {1.0}, {0.5}, {0.5}, {0.5}, {0.25}]
    assert ended == [False] * 6 + [True]


def test_the_last_epoch_is_the_end() -> None:
    for name, schedule in SCHEDULES.items():
        made = schedule(config(schedule=name, epochs=3), steps=2)
        assert [made.ended(TrainingState(epoch=k, lr=1.0)) for k in (2, 3)] == [False, True]


def test_one_cycle_rises_and_falls() -> None:
    schedule = OneCycle(config(epochs=10, early_stopping=1, lr=2.0), steps=10)
    rates = [schedule.rate(TrainingState(epoch=e, lr=2.0, since=9), s) for e in range(10) for s in range(10)]
    assert rates[:4] == [0.5, 1.0, 1.5, 2.0]
    assert all(a > b for a, b in pairwise(rates[3:]))
    middle = 3 + 48  # half of the 96 steps on which it falls
    assert rates[middle] == pytest.approx(2.0 * (1 + 0.003) / 2)
    assert rates[-1] == pytest.approx(2.0 * 0.003)
    assert not schedule.ended(TrainingState(epoch=9, lr=2.0, since=9))  # it does not stop early


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_one_cycle_of_few_steps(steps: int) -> None:
    schedule = OneCycle(config(epochs=1), steps=steps)
    rates = [schedule.rate(TrainingState(epoch=0, lr=1.0), step) for step in range(steps)]
    assert rates[0] == 1.0 and all(math.isfinite(rate) and 0 < rate <= 1 for rate in rates)


def test_one_cycle_resumes_to_the_bit(data: Path, tmp_path: Path) -> None:
    asked = Config(
        data=str(data), model="tree-rnn", epochs=3, hidden=4, schedule="one-cycle", early_stopping=1, batch_size=100
    )
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    train(asked, whole)
    rates = [json.loads(line)["lr"] for line in (whole / "history.jsonl").read_text().splitlines()]
    assert len(rates) == 3 and rates == sorted(rates, reverse=True)
    shutil.copytree(whole, torn)
    for name in ("metrics.json", "model.safetensors", "history.jsonl", "state/last.safetensors"):
        (torn / name).unlink()

    class Killed(Exception):
        pass

    class Killer(Progress):
        def epoch(self, line: dict[str, object], best: float) -> None:
            if line["epoch"] == 2:
                raise Killed

    with pytest.raises(Killed):
        train(asked, torn, progress=Killer())
    train(asked, torn)
    for name in ("model.safetensors", "state/last.safetensors"):
        assert (torn / name).read_bytes() == (whole / name).read_bytes()
