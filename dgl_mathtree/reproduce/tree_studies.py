"""Studies on trees that are not equations: logical inference and ListOps, as runs of `dgl_mathtree.training.fit`.

The runs of a study lie in ``runs/STUDY/MODEL/WAY-seed-SEED``, with WAY ``types`` where operators are types of nodes and
``leaves`` where they are leaves. What is finished is never done again. One run alone:

    python -m dgl_mathtree.reproduce.tree_studies OUT JOB.json
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from dgl_mathtree.data.data_files import DataError
from dgl_mathtree.data.listops import DIGITS, LIST_OPERATORS, MOST_ARGUMENTS, generate_listops, listops_data
from dgl_mathtree.data.logic import LETTERS, OPERATORS, RELATIONS, generate_logic, logic_data, read_logic
from dgl_mathtree.data.tree_dataset import TreeDataset
from dgl_mathtree.errors import InputError
from dgl_mathtree.files import read_json, write_atomically
from dgl_mathtree.nn import MODELS, PairClassifier, TreeClassifier, TreeModel, make_cell
from dgl_mathtree.reproduce.experiments import ExperimentError, check_seeds
from dgl_mathtree.reproduce.studies import TREES
from dgl_mathtree.training.fitting import fit
from dgl_mathtree.training.run_folder import CONFIG, METRICS

TYPES, LEAVES = "types", "leaves"
ANALYSIS = "machine.json"
"""What a run folder says beside the files of `fit`."""
TRAIN_SIZES = dict(enumerate((30, 2319, 12451, 23252, 30373, 34152, 32952)))
"""Pairs of the published training files by the number of operators; as many are generated without them."""
TEST_SIZES = dict(enumerate((6, 410, 2198, 4104, 5361, 6027, 5816, 4707, 3347, 2230, 1444, 864, 853)))
LISTS = {"train": 90_000, "test": 10_000}


@dataclass(frozen=True)
class TreeStudy:
    """A study.

    Attributes
    ----------
    name : str
        Its own.
    ways : tuple of str
        How operators are read: as `TYPES`, as `LEAVES`.
    seeds : int
        Runs of each model in each way.
    size, hidden : int
        Of the vectors, and of the layer above them.
    dropout, scale : float
        Of new values in training, and of the symbols' vectors at first.
    settings : dict
        Of `fit`. The weight decay is for the cells whose weights decay beside the gradient; the others keep their own.
    """

    name: str
    ways: tuple[str, ...]
    seeds: int
    size: int
    hidden: int
    dropout: float
    scale: float
    settings: dict[str, Any]


LOGIC = TreeStudy(
    name="logic",
    ways=(TYPES, LEAVES),
    seeds=3,
    size=64,
    hidden=75,
    dropout=0.1,
    scale=1.0,
    settings={"epochs": 8, "batch_size": 50, "schedule": "one-cycle", "weight_decay": 0.1},
)
LISTOPS = TreeStudy(
    name="listops",
    ways=(TYPES,),
    seeds=1,
    size=64,
    hidden=0,
    dropout=0.1,
    scale=1.0,
    settings={"epochs": 8, "batch_size": 50, "schedule": "one-cycle", "weight_decay": 0.1},
)
TREE_STUDIES = {study.name: study for study in (LOGIC, LISTOPS)}
QUICK = {"epochs": 1, "limit": 2000, "seeds": 1}
"""What the budget `quick` changes: `limit` is the number of training items."""


@dataclass(frozen=True)
class TreeJob:
    """A run to be made.

    Attributes
    ----------
    folder : str
        Of the run, below that of all.
    study, model, way : str
        What is trained.
    seed, epochs : int
        How.
    published : str
        Where the published files of the study are; empty where its data is generated.
    limit : int
        Training items at most, 0 for all.
    """

    folder: str
    study: str
    model: str
    way: str
    seed: int
    epochs: int
    published: str = ""
    limit: int = 0


def tree_jobs(
    names: Sequence[str],
    budget: str = "standard",
    models: Sequence[str] = (),
    seeds: int | None = None,
    published: str = "",
) -> list[TreeJob]:
    """The runs of some studies, one seed of everything first.

    Parameters
    ----------
    names : sequence of str
        Of `TREE_STUDIES`.
    budget : str
        ``standard``, or ``quick`` for a look at whether all is well.
    models : sequence of str
        Only these; by default all recursive ones.
    seeds : int, optional
        This many instead of the study's.
    published : str
        The published files of logical inference; without them its data is generated.
    """
    for kind, name, known in (
        *(("study", name, tuple(TREE_STUDIES)) for name in names),
        ("budget", budget, ("quick", "standard")),
        *(("model", model, TREES) for model in models),
    ):
        if name not in known:
            raise ExperimentError(f"unknown {kind} {name!r}; expected one of {', '.join(known)}")
    check_seeds(seeds)
    if published and LOGIC.name not in names:
        raise ExperimentError(f"there are published files for the study {LOGIC.name} only")
    if published and not Path(published).exists():
        raise ExperimentError(f"there are no published files at {published}")
    quick: dict[str, Any] = QUICK if budget == "quick" else {}
    jobs = []
    for study in (TREE_STUDIES[name] for name in names):
        for seed in range(seeds or quick.get("seeds", study.seeds)):
            for way in study.ways:
                for model in models or TREES:
                    jobs.append(
                        TreeJob(
                            folder=f"runs/{study.name}/{model}/{way}-seed-{seed}",
                            study=study.name,
                            model=model,
                            way=way,
                            seed=seed,
                            epochs=quick.get("epochs", study.settings["epochs"]),
                            published=published if study is LOGIC else "",
                            limit=quick.get("limit", 0),
                        )
                    )
    return sorted(jobs, key=lambda job: job.seed)


def is_made(out: Path, job: TreeJob) -> bool:
    """Whether a run is there, on the same data."""
    file = out / job.folder / ANALYSIS
    if not file.is_file():
        return False
    about = read_json(file, DataError)
    return isinstance(about, dict) and _data_of(job).items() <= ({"limit": 0} | about).items()


def _data_of(job: TreeJob) -> dict[str, Any]:
    """What the data of a run depends on, beside its study and way."""
    return {"data": "published" if job.published else "generated", "limit": job.limit}


def run_tree_job(out: str | Path, job: TreeJob) -> None:
    """Train, and note the machine; nothing that is done is done again."""
    folder, study = Path(out) / job.folder, TREE_STUDIES[job.study]
    train, test = study_data(job)
    torch.manual_seed(job.seed)
    model = study_model(study, job.model, job.way)
    fit(
        model,
        {"train": train, "test": test},
        folder,
        command=f"mathtree reproduce OUT --study {job.study} --models {job.model}",
        **study_settings(study, job),
    )
    about = {
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        **_data_of(job),
        "study": job.study,
        "way": job.way,
        "items": len(train),
    }
    write_atomically(folder / ANALYSIS, json.dumps(about, indent=1) + "\n")


def study_settings(study: TreeStudy, job: TreeJob) -> dict[str, Any]:
    """The settings of `fit` for a run."""
    settings = study.settings | {"epochs": job.epochs, "seed": job.seed}
    if MODELS[job.model].decay == "l2":  # a number of another meaning
        del settings["weight_decay"]
    return settings


def study_data(job: TreeJob) -> tuple[TreeDataset, TreeDataset]:
    """The training and test items of a run."""
    if job.study == LISTOPS.name:
        trains, tests = (_limited(dict([size]), job.limit) for size in LISTS.items())
        lists = generate_listops(trains["train"], seed=0)
        others = generate_listops(tests["test"], seed=1, without=lists)
        return listops_data(lists, job.way), listops_data(others, job.way)
    if job.published:
        found = read_logic(job.published, "train", TRAIN_SIZES), read_logic(job.published, "test")
        pairs, tested = (_some(part, job.limit) for part in found)
    else:
        pairs = generate_logic(_limited(TRAIN_SIZES, job.limit), seed=0)
        tested = generate_logic(_limited(TEST_SIZES, job.limit), seed=1, without=pairs)
    return logic_data(pairs, job.way), logic_data(tested, job.way)


def _limited(sizes: Mapping[Any, int], limit: int) -> dict[Any, int]:
    """Sizes in the same proportions that add up to a limit, or as they are."""
    whole = sum(sizes.values())
    return {name: -(-size * limit // whole) if 0 < limit < whole else size for name, size in sizes.items()}


def _some(items: list[Any], limit: int) -> list[Any]:
    """Some of the items at even distances, or all."""
    count = min(limit, len(items)) or len(items)
    return [items[k] for k in (np.arange(count) * len(items) // count).tolist()]


def study_model(study: TreeStudy, name: str, way: str) -> TreeModel:
    """The model of a study by the name of its cell, with fresh weights."""
    logic = study is LOGIC
    types, symbols, children = (
        (len(OPERATORS), len(LETTERS), 2) if logic else (len(LIST_OPERATORS), DIGITS, MOST_ARGUMENTS)
    )
    if way == LEAVES:
        types, symbols, children = 1, symbols + types + (0 if logic else 1), 2
    options = MODELS[name].defaults | {"children": children, "dropout": study.dropout}
    cell = make_cell(name, study.size, types, **options)
    layers: dict[str, Any] = {"symbols": symbols, "scale": study.scale, "hidden": study.hidden, "activation": "relu"}
    if logic:
        return PairClassifier(cell, len(RELATIONS), **layers)
    return TreeClassifier(cell, DIGITS, **layers)


def main(arguments: list[str]) -> int:
    out, file = arguments
    try:
        run_tree_job(out, TreeJob(**json.loads(Path(file).read_text(encoding="utf-8"))))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def tree_runs(out: Path, study: str) -> Iterator[dict[str, Any]]:
    """What is known of every finished run of a study."""
    for file in sorted((out / "runs" / study).glob(f"*/*/{ANALYSIS}")):
        about, metrics, config = (read_json(file.with_name(name), DataError) for name in (ANALYSIS, METRICS, CONFIG))
        yield {
            "model": metrics["cell"],
            "seed": config["config"]["seed"],
            **about,
            **{name: metrics[name] for name in ("parameters", "epochs", "best_epoch", "seconds")},
            "validation": metrics["validation"]["overall"]["accuracy"],
            "test": metrics["test"]["by_group"],
        }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
