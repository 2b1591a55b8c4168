"""Run folders with made-up figures: small, and as a run writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from dgl_mathtree.nn import MODELS

COUNTS = {8: 40, 9: 30, 10: 24, 11: 20, 12: 10, 13: 5}
"""Test equations of each depth."""


def make_run(
    out: Path,
    data: str,
    model: str,
    seed: int = 0,
    accuracy: float = 0.8,
    *,
    hidden: int = 50,
    dropout: float = 0.1,
    times_lr: float = 1.0,
    objective: str = "verification",
    root: str = "dot",
    validation: float | None = None,
    best_epoch: int = 3,
    top1: float | None = None,
    on_true: float | None = None,
) -> Path:
    """Write a finished run and return its folder; `accuracy` is that on test, to the nearest equation."""
    variant = "" if (objective, root) == ("verification", "dot") else f"-{objective}-{root}"
    variant = variant if times_lr == 1 else f"-lr-{times_lr * MODELS[model].lr:g}"
    folder = out / "runs" / data / model / f"hidden-{hidden}-dropout-{dropout:g}{variant}-seed-{seed}"
    folder.mkdir(parents=True)
    total = sum(COUNTS.values())
    right = np.arange(total) < round(accuracy * total)
    share = float(right.mean())
    reached = share + 0.08 if validation is None else validation
    test = {"overall": _shares(share, total), "by_depth": {str(d): _shares(share, n) for d, n in COUNTS.items()}}
    part = {"overall": _shares(reached, 50), "by_depth": {"3": _shares(reached, 50)}}
    config = {
        "seed": seed,
        "hidden": hidden,
        "dropout": dropout,
        "lr": times_lr * MODELS[model].lr,
        "epochs": 9,
        "objective": objective,
        "root": root,
    }
    epochs, best_epoch = (1, 1) if model == "majority" else (5, best_epoch)  # it is fitted at once
    history = [
        {"epoch": k, "validation_accuracy": reached - 0.03 * abs(k - best_epoch), "seconds": 1.0}
        for k in range(1, epochs + 1)
    ]
    analysis: dict[str, Any] = {
        "test_right": np.packbits(right).tobytes().hex(),
        "machine": "a machine",
        "versions": {"dgl-mathtree": "0"},
    }
    if top1 is not None:
        rows = {str(d): _filled(top1, n) for d, n in COUNTS.items()}
        analysis |= {key: {"overall": _filled(top1, total), "by_depth": rows} for key in BLANKS}
    if on_true is not None:
        analysis["also"] = {"paper": {"overall": {"accuracy": on_true}}}
    metrics = {"parameters": 1000 * hidden, "epochs": epochs, "best_epoch": best_epoch, "seconds": 5.0}
    _write(folder / "config.json", {"config": config, "checksum": "c" * 64})
    _write(folder / "metrics.json", metrics | {"train": part, "validation": part, "test": test})
    _write(folder / "analysis.json", analysis)
    lines = [json.dumps(line) for line in history]
    (folder / "history.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


BLANKS = ("completion", "completion_original")


def _shares(accuracy: float, count: int) -> dict[str, float]:
    return {"accuracy": accuracy, "precision": accuracy, "recall": accuracy, "count": count}


def _filled(top1: float, count: int) -> dict[str, float]:
    kinds = ("class", "collapse", "oracle")
    shares = {f"top{top}_{kind}": min(1.0, top1 * top**0.5) for top in (1, 5) for kind in kinds}
    return shares | {"count": count, "decided": count}


def _write(file: Path, value: object) -> None:
    file.write_text(json.dumps(value), encoding="utf-8")
