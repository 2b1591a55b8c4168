"""What was run on what, what was not, and where it lies."""

from __future__ import annotations

from collections.abc import Sequence

from dgl_mathtree.data.data_files import read_card
from dgl_mathtree.reproduce.experiments import Experiments
from dgl_mathtree.reproduce.report.document import Block, Links, Unfolding
from dgl_mathtree.reproduce.report.results import PLAIN, Result


def inventory(asked: Experiments, runs: Sequence[Result]) -> list[Block]:
    """Facts, what is not finished as one line that unfolds, and a link to every run."""
    blocks: list[Block] = [f"Budget {asked.budget}, experiment {asked.experiment}; {len(runs)} runs are finished."]
    if unfinished := [job.folder.removeprefix("runs/") for job in asked.jobs() if not asked.finished(job)]:
        blocks.append(Unfolding(f"Not finished: {len(unfinished)} runs.", unfinished))
    if runs:
        blocks += _facts(runs)
        blocks.append(Links(groups(runs)))
    return blocks


def _facts(runs: Sequence[Result]) -> list[Block]:
    checksums = sorted({f"{run.data} {run.config['checksum'][:12]}" for run in runs})
    epochs = [run.metrics["epochs"] for run in runs]
    versions = sorted({", ".join(f"{k} {v}" for k, v in run.analysis["versions"].items()) for run in runs})
    machines = sorted({run.analysis["machine"] for run in runs})
    return [
        f"Data: paper has {read_card('paper').get('count', 0):,} equations. Checksums: {', '.join(checksums)}.",
        f"Epochs trained: {min(epochs)} to {max(epochs)}.",
        f"Versions: {'; '.join(versions)}. Machine: {'; '.join(machines)}.",
    ]


def groups(runs: Sequence[Result]) -> list[tuple[str, list[Result]]]:
    """The runs by data, model, objective and root, with words for each group."""
    found: dict[str, list[Result]] = {}
    for run in sorted(runs, key=lambda run: (run.data != "paper", run.data)):
        found.setdefault(group_of(run), []).append(run)
    return [(words, sorted(each, key=lambda run: (run.setting, run.seed))) for words, each in found.items()]


def group_of(run: Result) -> str:
    """What the runs of a group have in common, in words."""
    variant = "" if run.variant == PLAIN else f" ({' with root '.join(run.variant)})"
    return f"{run.model} on {run.data}{variant}"
