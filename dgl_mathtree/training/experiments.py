"""The paper's experiments as a list of runs: which models, data, seeds and settings a budget asks for.

Everything lies in one folder: ``data/NAME`` (what does not come with the project), ``runs/DATA/MODEL/SETTING`` (run
folders, each with ``analysis.json`` beside its metrics) and ``experiments.json`` (what was asked for). What is
finished is never done again, and what is asked for next may depend on what is finished: the full budget searches sizes
first.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dgl_mathtree.corpus.files import DataError, find_data
from dgl_mathtree.corpus.recipes import load_recipe
from dgl_mathtree.corpus.writing import make_data
from dgl_mathtree.errors import InputError
from dgl_mathtree.files import parse_json, write_atomically
from dgl_mathtree.nn import MODELS
from dgl_mathtree.training.config import PAPER, Config
from dgl_mathtree.training.jobs import ANALYSIS, Job
from dgl_mathtree.training.runs import METRICS, read_metrics

LSTMS = ("tree-lstm", "tree-lstm+stack", "m-tree-lstm", "mi-tree-lstm", "m-tree-lstm+stack", "mi-tree-lstm+stack")
"""The six rows of the ablation: three cells, with and without a stack."""
PARTNERS = {
    "second-order-tree-rnn": "tree-rnn",
    "m-tree-lstm": "tree-lstm",
    "mi-tree-lstm": "tree-lstm",
    "m-tree-lstm+stack": "tree-lstm+stack",
    "mi-tree-lstm+stack": "tree-lstm+stack",
}
"""Each proposed model, and the first-order model that it is to be better than."""
EXPERIMENTS: dict[str, tuple[str, ...]] = {
    "verification": tuple(MODELS),
    "completion": tuple(name for name, model in MODELS.items() if model.is_cell),
    "ablation": ("tree-rnn", "second-order-tree-rnn", *LSTMS),
    "convergence": tuple(name for name, model in MODELS.items() if not model.is_floor),
}
FURTHER: dict[str, dict[str, str]] = {
    "hard": {"recipe": "hard", "split": "paper"},
    "grouped": {"recipe": "paper", "split": "grouped"},
    "held-out-axioms": {"recipe": "paper", "split": "held-out-axioms"},
    "legacy": {"recipe": "legacy", "split": "paper"},
}
"""Data beyond the paper's: how each is made."""
RECORD = "experiments.json"
MOST_SEEDS = 1000


class ExperimentError(InputError):
    """Experiments that cannot be: which, and what there is."""


@dataclass(frozen=True)
class Budget:
    """How much to spend.

    Attributes
    ----------
    seeds : int
        Of every model; `more_seeds` of the six tree-LSTM rows.
    settings : dict
        Entries of the configuration of every run.
    further : tuple of str
        Models that are trained on the data beyond the paper's, too.
    blanks : int
        How many blanks completion is measured on.
    hidden, dropout : tuple
        Sizes and rates to search on validation, if there is more than one.
    """

    seeds: int
    more_seeds: int
    settings: dict[str, Any]
    further: tuple[str, ...] = ()
    blanks: int = 500
    hidden: tuple[int, ...] = ()
    dropout: tuple[float, ...] = ()


BUDGETS: dict[str, Budget] = {
    "quick": Budget(1, 1, {"epochs": 1, "hidden": 16, "batch_size": 200}, blanks=100),
    "standard": Budget(
        1,
        3,
        {"epochs": 40, "hidden": 50, "batch_size": 100, "patience": 2},
        further=("majority", "bag-of-operators", "tree-lstm", "m-tree-lstm", "mi-tree-lstm"),
    ),
    "full": Budget(
        10, 10, PAPER | {"epochs": 500}, further=tuple(MODELS), hidden=(8, 25, 50, 100), dropout=(0.1, 0.2, 0.3)
    ),
}


@dataclass(frozen=True)
class Experiments:
    """What is asked for.

    Attributes
    ----------
    out : Path
        The folder of everything.
    budget : str
        Its name.
    experiment : str
        A name of `EXPERIMENTS`, or `all`.
    models : sequence of str
        Only these.
    seeds : int, optional
        So many for every model, instead of the budget's.
    """

    out: Path
    budget: str = "standard"
    experiment: str = "all"
    models: Sequence[str] = field(default=())
    seeds: int | None = None

    def __post_init__(self) -> None:
        for kind, name, known in (
            ("budget", self.budget, BUDGETS),
            ("experiment", self.experiment, (*EXPERIMENTS, "all")),
            *(("model", model, MODELS) for model in self.models),
        ):
            if name not in known:
                raise ExperimentError(f"there is no {kind} {name!r}; there are {', '.join(known)}")
        if self.seeds is not None and not 1 <= self.seeds <= MOST_SEEDS:
            raise ExperimentError(f"the number of seeds must be at least 1 and at most {MOST_SEEDS}, not {self.seeds}")

    def names(self) -> list[str]:
        """The models to train on the paper's data."""
        wanted = MODELS if self.experiment == "all" else EXPERIMENTS[self.experiment]
        return [name for name in MODELS if name in wanted and (not self.models or name in self.models)]

    def jobs(self) -> list[Job]:
        """All runs that are known to be needed; more may be once these are finished."""
        budget = BUDGETS[self.budget]
        found: list[Job] = []
        for name in self.names():
            best = self._settings(name, "paper", found)
            if best is not None:
                found += [self._job(name, "paper", seed, best) for seed in range(self._seeds(name))]
        if self.experiment == "all":
            for data in FURTHER if budget.further else ():
                names = [name for name in self.names() if name in budget.further]
                for name in names:
                    best = self._settings(name, "paper", [])  # as found on the paper's data
                    if best is not None:
                        found += [self._job(name, data, seed, best) for seed in range(self.seeds or budget.seeds)]
        # The paper's data comes first, and there one seed of everything: a report can then be made early.
        return sorted(dict.fromkeys(found), key=lambda job: (job.data != "paper", job.seed))

    def _seeds(self, name: str) -> int:
        budget = BUDGETS[self.budget]
        if MODELS[name].is_floor:
            return 1  # they have no chance in them
        return self.seeds or (budget.more_seeds if name in LSTMS else budget.seeds)

    def _settings(self, name: str, data: str, found: list[Job]) -> dict[str, Any] | None:
        """The settings of a model's runs; None while they are still searched, with runs that are needed for it."""
        budget = BUDGETS[self.budget]
        settings = dict(budget.settings)
        if not budget.hidden or MODELS[name].is_floor:
            return settings
        tried = [settings | {"hidden": h, "dropout": d} for h in budget.hidden for d in budget.dropout]
        jobs = [self._job(name, data, 0, each) for each in tried]
        waiting = [job for job in jobs if not (self.out / job.folder / METRICS).is_file()]
        found += jobs
        if waiting:
            return None
        reached = [read_metrics(self.out / job.folder)["validation"]["overall"]["accuracy"] for job in jobs]
        return tried[reached.index(max(reached))]

    def _job(self, name: str, data: str, seed: int, settings: dict[str, Any]) -> Job:
        place = "paper" if data == "paper" else str(self.out / "data" / data)
        config = Config.of({"data": place, "model": name, "seed": seed} | settings)
        size = f"hidden-{config.hidden}-dropout-{config.dropout:g}"
        folder = f"runs/{data}/{name}/{size}-seed-{seed}"
        settings_text = json.dumps(config.to_json(), sort_keys=True)
        also = "paper" if data == "legacy" else ""
        return Job(folder, data, settings_text, also, BUDGETS[self.budget].blanks)

    def make_data(self) -> None:
        """Generate what data is needed and not there yet."""
        for data in sorted({job.data for job in self.jobs()} - {"paper"}):
            place = self.out / "data" / data
            try:
                find_data(place)
            except DataError:
                make_data(place, load_recipe(FURTHER[data]["recipe"]), 0, FURTHER[data]["split"])

    def record(self) -> None:
        """Write down what is asked for, for the report."""
        # The models by name: the folder still means the same when the table of models has grown.
        asked = {"budget": self.budget, "experiment": self.experiment, "models": self.names(), "seeds": self.seeds}
        try:
            self.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ExperimentError(f"cannot make the folder {self.out}: {error.strerror or error}") from None
        write_atomically(self.out / RECORD, json.dumps(asked, indent=1) + "\n")

    def finished(self, job: Job) -> bool:
        return (self.out / job.folder / ANALYSIS).is_file()


def read_record(out: Path) -> Experiments:
    """What was asked for in a folder."""
    try:
        entries = parse_json((out / RECORD).read_text(encoding="utf-8"))
        if not isinstance(entries, dict) or set(entries) != {"budget", "experiment", "models", "seeds"}:
            raise ExperimentError(f"{RECORD} must be an object with budget, experiment, models and seeds")
        models, seeds = entries["models"], entries["seeds"]
        if not (isinstance(models, list) and all(isinstance(name, str) for name in [*models, entries["budget"]])):
            raise ExperimentError(f"{RECORD}: budget must be a text, and models a list of texts")
        if not (seeds is None or type(seeds) is int):
            raise ExperimentError(f"{RECORD}: seeds must be null or a whole number, not {seeds!r:.40}")
        return Experiments(out, **entries)
    except (OSError, ValueError) as error:
        raise ExperimentError(f"{out} holds no experiments: {error}") from None
