"""The paper's experiments as a list of runs: which models, data, seeds and settings a budget asks for.

Everything lies in one folder: ``data/NAME`` (what does not come with the project), ``runs/STUDY/MODEL/SETTING`` (run
folders, each with ``analysis.json`` beside its metrics) and ``experiments.json`` (what was asked for). What is
finished is never done again, and what is asked for next may depend on what is finished: settings are searched first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dgl_mathtree.data.data_files import DataError, find_data
from dgl_mathtree.data.data_writer import make_data
from dgl_mathtree.data.recipe import load_recipe
from dgl_mathtree.errors import InputError
from dgl_mathtree.files import read_json, write_atomically
from dgl_mathtree.nn import MODELS
from dgl_mathtree.reproduce.jobs import ANALYSIS, Job
from dgl_mathtree.reproduce.studies import (
    BUDGETS,
    FURTHER,
    LSTMS,
    NETWORKS,
    ROWS,
    TABLED,
    TIMES_LR,
    TREES,
    Budget,
    Study,
)
from dgl_mathtree.training.config import Config
from dgl_mathtree.training.run_folder import METRICS, read_metrics

EXPERIMENTS: dict[str, tuple[str, ...]] = {
    "verification": TABLED,
    "completion": TREES,
    "ablation": ("tree-rnn", "second-order-tree-rnn", *LSTMS),
    "convergence": NETWORKS,
}
RECORD = "experiments.json"
MOST_SEEDS = 1000


class ExperimentError(InputError):
    """Experiments that cannot be: which, and what there is."""


def check_seeds(seeds: int | None) -> None:
    """Raise an ExperimentError for a number of seeds that cannot be; None leaves it to the budget."""
    if seeds is not None and not 1 <= seeds <= MOST_SEEDS:
        raise ExperimentError(f"the number of seeds must be at least 1 and at most {MOST_SEEDS}, not {seeds}")


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
        This many for every model, instead of the budget's.
    original : str
        A folder with completion files of the original project, whose blanks are filled as well; by default none.
    """

    out: Path
    budget: str = "standard"
    experiment: str = "all"
    models: Sequence[str] = field(default=())
    seeds: int | None = None
    original: str = ""

    def __post_init__(self) -> None:
        for kind, name, known in (
            ("budget", self.budget, BUDGETS),
            ("experiment", self.experiment, (*EXPERIMENTS, "all")),
            *(("model", model, MODELS) for model in self.models),
        ):
            if name not in known:
                raise ExperimentError(f"unknown {kind} {name!r}; expected one of {', '.join(known)}")
        if untrained := [name for name in self.models if name not in self._trained()]:
            raise ExperimentError(f"no study of the budget {self.budget} trains {untrained[0]}; mathtree train does")
        if not self.names():
            wanted = ", ".join(EXPERIMENTS[self.experiment])
            raise ExperimentError(
                f"none of these models is in the experiment {self.experiment}; expected some of {wanted}"
            )
        check_seeds(self.seeds)

    def names(self) -> list[str]:
        """The models to train."""
        wanted = self._trained() if self.experiment == "all" else EXPERIMENTS[self.experiment]
        return [name for name in MODELS if name in wanted and (not self.models or name in self.models)]

    def _trained(self) -> set[str]:
        """The models that some study of the budget trains."""
        return {name for study in self._studies().values() for name in study.models}

    def jobs(self, studies: Sequence[str] = ()) -> list[Job]:
        """All runs that are known to be needed; more may be once these are finished.

        Parameters
        ----------
        studies : sequence of str
            Only those of these studies, and of the searches in which their settings are chosen.
        """
        found: list[tuple[int, Job]] = []
        for place, (study_name, study) in enumerate(self._studies(studies).items()):
            for name in study.models:
                if name not in self.names():
                    continue
                for variant in self._variants(study, name):
                    for seed in range(self._seeds(study, name)):
                        found.append((place, self._job(study_name, study, name, seed, variant)))
        # One seed of everything comes first: a report can then be made early.
        return [job for _, job in sorted(found, key=lambda entry: (entry[1].seed, entry[0]))]

    def _studies(self, some: Sequence[str] = ()) -> Budget:
        """Those asked for: all of the budget, or those that the rows on the paper's data need; or some of them."""
        studies = BUDGETS[self.budget]
        if self.experiment != "all":
            studies = {name: study for name, study in studies.items() if name in (ROWS, studies[ROWS].chosen_in)}
        for name in some:
            if name not in studies:
                raise ExperimentError(f"unknown study {name!r}; expected some of {', '.join(studies)}")
        if some and not any(name in studies[study].models for study in some for name in self.names()):
            raise ExperimentError(f"none of these models is in the study {' or '.join(some)}")
        needed = {*some, *(studies[name].chosen_in for name in some)} if some else {*studies}
        return {name: study for name, study in studies.items() if name in needed}

    def _seeds(self, study: Study, name: str) -> int:
        own = study.seeds_of(name)
        # A search has one seed of each variant, and a baseline one that is enough.
        several = len(study.variants_for(name)) > 1 or bool(study.variants_of)
        return own if self.seeds is None or MODELS[name].is_baseline or several else self.seeds

    def _variants(self, study: Study, name: str) -> list[dict[str, Any]]:
        """The variants of a model's runs in a study; none while they are still searched in another."""
        search = BUDGETS[self.budget].get(study.chosen_in)
        if search is None or name not in search.models:  # such as a baseline
            return list(study.variants_for(name))
        jobs = [self._job(study.chosen_in, search, name, 0, variant) for variant in search.variants]
        if not all((self.out / job.folder / METRICS).is_file() for job in jobs):
            return []
        reached = [read_metrics(self.out / job.folder)["validation"]["overall"]["accuracy"] for job in jobs]
        return [search.variants[reached.index(max(reached))]]

    def _job(self, study_name: str, study: Study, name: str, seed: int, variant: dict[str, Any]) -> Job:
        place = "paper" if study.data == "paper" else str(self.out / "data" / study.data)
        entries: dict[str, Any] = {"data": place, "model": name, "seed": seed} | study.settings | variant
        times = entries.pop(TIMES_LR, 1.0)
        if times != 1:
            entries["lr"] = float(f"{times * MODELS[name].lr:g}")
        config = Config.of(entries)
        setting = f"hidden-{config.hidden}-dropout-{config.dropout:g}"
        setting += f"-lr-{config.lr:g}" if times != 1 else ""
        setting += f"-{config.objective}-{config.head}" if "objective" in variant else ""
        setting += "".join(f"-{entry}-{variant[entry]}" for entry in ("augment", "scale") if entry in variant)
        setting += "".join(f"-{option}-{value}" for option, value in variant.get("options", {}).items())
        return Job(
            f"runs/{study_name}/{name}/{setting}-seed-{seed}",
            study.data,
            json.dumps(config.to_json(), sort_keys=True),
            study.also,
            study.blanks,
            self.original if study.original_blanks else "",
            study.original_blanks,
        )

    def make_data(self, jobs: Iterable[Job], workers: int = 1) -> None:
        """Generate the data of some runs that is not there yet."""
        for data in sorted({job.data for job in jobs} - {"paper"}):
            place = self.out / "data" / data
            try:
                find_data(place)
            except DataError:
                make_data(place, load_recipe(FURTHER[data]["recipe"]), 0, FURTHER[data]["split"], workers)

    def record(self) -> None:
        """Write down what is asked for, for the report."""
        # The models by name: the folder still means the same when the table of models has grown.
        asked = {"budget": self.budget, "experiment": self.experiment, "models": self.names(), "seeds": self.seeds}
        asked |= {"original": self.original} if self.original else {}
        try:
            self.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ExperimentError(f"cannot make the folder {self.out}: {error.strerror or error}") from None
        write_atomically(self.out / RECORD, json.dumps(asked, indent=1) + "\n")

    def next(self, jobs: Sequence[Job]) -> list[Job]:
        """Those of some runs that come next: what is planned beyond them may depend on them.

        One seed at a time, and of it no more than up to the end of a search: rows with settings that it chooses come
        before what follows them in the budget.
        """
        waiting = [job for job in jobs if not self.finished(job)]
        some = [job for job in waiting if job.seed == waiting[0].seed]
        searches = {study.chosen_in for study in self._studies().values()}
        searching = [job.study for job in some if job.study in searches]
        if not searching:
            return some
        last = max(at for at, job in enumerate(some) if job.study == searching[0])
        return some[: last + 1]

    def finished(self, job: Job) -> bool:
        return (self.out / job.folder / ANALYSIS).is_file()


def read_record(out: Path) -> Experiments:
    """What was asked for in a folder."""
    try:
        entries = read_json(out / RECORD)
        needed = {"budget", "experiment", "models", "seeds"}
        if not isinstance(entries, dict) or set(entries) - {"original"} != needed:
            raise ExperimentError(f"{RECORD} must be an object with budget, experiment, models and seeds")
        models, seeds = entries["models"], entries["seeds"]
        texts = [*models, entries["budget"], entries.get("original", "")] if isinstance(models, list) else [models]
        if not (isinstance(models, list) and all(isinstance(text, str) for text in texts)):
            raise ExperimentError(f"{RECORD}: budget and original must be texts, and models a list of texts")
        if not (seeds is None or type(seeds) is int):
            raise ExperimentError(f"{RECORD}: seeds must be null or a whole number, not {seeds!r:.40}")
        return Experiments(out, **entries)
    except (OSError, ValueError) as error:
        raise ExperimentError(f"{out} holds no experiments: {error}") from None
