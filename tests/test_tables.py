"""The tables of the README and the pages are those of the files that they are made from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools import tables
from tools.easy import variants
from tools.tables import MARKED, PAGES, PICTURE, TABLES, can_be_made, picture, written

TEXTS = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
SHOWN = {found[2]: found[3] for text in TEXTS.values() for found in MARKED.finditer(text)}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_that_of_its_files(name: str) -> None:
    if not can_be_made(name):
        pytest.skip("nothing is measured yet: docs/benchmarks.md and docs/completion.md say how")
    assert SHOWN[name] == TABLES[name](), "make tables writes them anew"


def test_every_table_stands_in_one_place() -> None:
    assert sorted(found[2] for text in TEXTS.values() for found in MARKED.finditer(text)) == sorted(TABLES)


def test_a_number_that_was_changed_is_put_right() -> None:
    text = TEXTS["README.md"]
    wrong = text.replace("| `majority` | ", "| `majority` | 1", 1)
    assert wrong != text
    assert written(wrong) == written(text)


def test_the_picture_is_that_of_the_report() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(), "make tables writes it anew"


def test_the_table_of_what_makes_data_easy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(tables.CHANGES) == [variant.name for variant in variants()]
    file = tmp_path / "easy.json"
    monkeypatch.setattr(tables, "EASY", file)
    shares = dict.fromkeys(("train", "validation", "test", "test_confirmed", "bag_of_words"), 0.5)
    confirmed = {f"{part}_{label}": 0.9 for part in ("train", "test") for label in ("correct", "incorrect")}
    runs = [
        {"variant": name, "seed": seed, **shares, "test": test, "confirmed": confirmed}
        for name, tests in (("legacy", (0.7, 0.74)), ("matcher", (0.8, 0.82)), ("legacy-checked", (0.9,)))
        for seed, test in enumerate(tests)
    ]
    file.write_text(json.dumps(runs))
    lines = tables.easy().splitlines()[2:]
    assert lines[0].startswith(
        "| `legacy` | 50.0 ± 0.0 | 50.0 ± 0.0 | 72.0 ± 2.8 |  | 50.0 ± 0.0 | 90 / 90 / 90 / 90 |"
    )
    assert "| 81.0 ± 1.4 | +9.00 [" in lines[1] and lines[1].endswith("| 2 |")
    assert "| 90.0 |  |" in lines[2] and lines[2].endswith("| 1 |") and len(lines) == 3


def measured() -> dict[str, Any]:
    """What a whole run of the benchmark writes, with numbers made up."""
    ratio = {"train": 500_000, "train_ratio": 10.52, "inference": 2_000_000, "inference_ratio": 0.257}
    shares = {"allowed": 3_400_000, "matrix_share": {"native": 0.25, "levels": 0.05}}
    kinds = ("native+share", "levels+share", "levels", "dgl", "recursion")
    larger = {"driver": "native", "train_ratio": 8.04, "inference_ratio": 12.0}
    growth = {"equations": 300_000, "tree_nodes": 6_000_000, "distinct_nodes": 900_000, "milliseconds": 1234.5}
    return {
        "cells": {name: dict.fromkeys(kinds, ratio) for name in ("tree-lstm", "tree-rnn")},
        "peers": {"pytorch-tree-lstm": {"missing": "pip install pytorch-tree-lstm"}, "plain recursion": ratio},
        "larger": {kind: {"tree-lstm": larger} for kind in ("batches of 500", "hidden size 100")},
        "limit": {"tree-lstm": {"train": shares, "inference": shares}},
        "growth": [growth],
        "building_ms": {"plan+graph, shared": 0.46, "dgl.batch of ready graphs": 0.37},
        "epochs": {"tree-lstm": {"dgl": 0.02, "native": 0.002, "native_ratio": 9.96}},
        "completion": {"tree-lstm": {"candidates": 1470, "graphs_ms": 800.0, "path_ms": 16.0, "ratio": 50.0}},
    }


def test_the_tables_of_the_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "benchmark.json"
    monkeypatch.setattr(tables, "BENCHMARK", file)
    names = ("benchmark", "larger", "whole-batches", "speeds", "completion-speed")
    assert not any(can_be_made(name) for name in names)
    file.write_text(json.dumps(measured()))
    assert all(can_be_made(name) for name in names)
    assert "| `tree-rnn` | 10.5 / 0.26 |" in tables.benchmark()
    assert "| `tree-lstm` | 8.0 / 12.0 | 8.0 / 12.0 |" in tables.larger()
    assert "| `tree-lstm` | 10.0 |" in tables.whole_batches()
    said = " ".join(tables.speeds().split())
    assert "`native` trained `tree-lstm` at 500,000" in said and "of which that is 25% and 25%" in said
    assert "A batch of 300,000 equations (6,000,000 nodes, 900,000 of them distinct) is inferred in 1,234 ms" in said
    assert "50 times" in " ".join(tables.completion_speed().split())
