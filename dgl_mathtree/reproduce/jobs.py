"""One run of many: training, and what the report wants to know beside it.

    python -m dgl_mathtree.reproduce.jobs OUT JOB.json

runs one in a process of its own; - is standard input.
"""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import dgl
import numpy as np
import torch

from dgl_mathtree import __version__
from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.errors import InputError
from dgl_mathtree.files import write_atomically
from dgl_mathtree.inference.blanks import Blank, make_blanks, original_blanks
from dgl_mathtree.inference.fill_blanks import fill_blanks
from dgl_mathtree.inference.metrics import Floats, evaluation, right_answers, score
from dgl_mathtree.inference.rank import completion_evaluation
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import Forest
from dgl_mathtree.nn import MODELS, Verifier
from dgl_mathtree.training.config import Config
from dgl_mathtree.training.run_folder import load
from dgl_mathtree.training.run_lock import RunLock
from dgl_mathtree.training.run_start import clear_run_drafts
from dgl_mathtree.training.trainer import train

ANALYSIS = "analysis.json"
VERDICTS = "verdicts"
"""The folder, beside that of all runs, of what the oracle said of filled blanks: the same for many runs."""
UNREADABLE = -1e9
"""The logit of an equation that a network cannot read."""
ORIGINAL_BLANKS = "*_blank_*.json"
"""Names of the original project's completion files."""


@dataclass(frozen=True)
class Job:
    """A run to be made.

    Attributes
    ----------
    folder : str
        Of the run, below that of all experiments.
    data : str
        The name of its data.
    config : str
        Its configuration as JSON.
    also : str
        Further data to test on.
    blanks : int
        How many blanks of `paper` to measure completion on, of a recursive model.
    original : str
        A folder with completion files of the original project, to be filled as well; by default none.
    original_blanks : int
        How many of those to fill.
    """

    folder: str
    data: str
    config: str
    also: str = ""
    blanks: int = 0
    original: str = ""
    original_blanks: int = 0

    @property
    def study(self) -> str:
        return self.folder.split("/")[1]

    @property
    def seed(self) -> int:
        return int(json.loads(self.config)["seed"])

    @property
    def model(self) -> str:
        return str(json.loads(self.config)["model"])


def run_job(out: str | Path, job: Job) -> None:
    """Train, and measure what the metrics of the run do not say; nothing that is done is done again."""
    folder = Path(out) / job.folder
    config = Config.of(json.loads(job.config))
    train(config, folder, command=f"mathtree train --config {job.folder}/config.json --out {job.folder}")
    with RunLock(folder) as lock:
        if (folder / ANALYSIS).is_file():
            return
        lock.take()
        clear_run_drafts(folder)
        analysis = _analysis(config, folder, job, Path(out) / VERDICTS)
        write_atomically(folder / ANALYSIS, json.dumps(analysis, indent=1) + "\n")


def _analysis(config: Config, folder: Path, job: Job, verdicts: Path) -> dict[str, Any]:
    """Which test equations were classified correctly, completion, and the machine."""
    trained = load(folder)
    network = trained.network
    test = EquationDataset(config.data, "test")
    right = right_answers(score(network, test.forest), test.label.numpy())
    analysis: dict[str, Any] = {
        "test_right": np.packbits(right).tobytes().hex(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "versions": {"dgl-mathtree": __version__, "torch": torch.__version__, "dgl": dgl.__version__},
    }
    if job.also:
        other = EquationDataset(job.also, "test")
        logits = scores_of_readable(network, other.forest)
        analysis["also"] = {job.also: evaluation(logits, other.label.numpy(), other.depth.numpy(), other.kind)}
    if MODELS[config.model].is_cell:
        if job.blanks:
            analysis["completion"] = _completion(trained, make_blanks("paper"), job.blanks, verdicts)
        if job.original and job.original_blanks:
            blanks = original_blanks(sorted(Path(job.original).glob(ORIGINAL_BLANKS)))
            analysis["completion_original"] = _completion(trained, blanks, job.original_blanks, verdicts)
    return analysis


def scores_of_readable(network: Verifier, forest: Forest) -> Floats:
    """The logits of equations of other data than the network's own; those with words that it does not know are taken
    for incorrect."""
    known = np.array([network.knows(word) for word in forest.words])
    unknown = np.concatenate([[0], np.cumsum(~known[forest.word[forest.members]])])[forest.offsets]
    readable = np.flatnonzero(np.diff(unknown) == 0)
    logits = np.full(len(forest.equations), UNREADABLE)
    logits[readable] = score(network, forest if len(readable) == len(logits) else forest.take(readable))
    return logits


def _completion(trained: TrainedVerifier, blanks: list[Blank], count: int, verdicts: Path) -> dict[str, Any]:
    """How well some of the blanks are filled, always the same ones."""
    chosen = np.random.default_rng(0).choice(len(blanks), min(count, len(blanks)), replace=False)
    ranks, _ = fill_blanks(trained, [blanks[k] for k in sorted(chosen)], folder=verdicts)
    return completion_evaluation(ranks)


def write_job(file: Path, job: Any) -> None:
    write_atomically(file, json.dumps(asdict(job)) + "\n")


def main(arguments: list[str]) -> int:
    out, file = arguments
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        run_job(out, Job(**json.loads(text)))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
