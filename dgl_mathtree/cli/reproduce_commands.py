"""Commands on experiments: `reproduce` and `report`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dgl_mathtree.cli.command_table import BAD_INPUT, CommandError, Commands, add_command
from dgl_mathtree.cli.output_arguments import FolderToWrite
from dgl_mathtree.progress_bars import bar

if TYPE_CHECKING:  # torch is loaded when a command needs it
    from dgl_mathtree.reproduce.experiments import Experiments
    from dgl_mathtree.reproduce.worker_pool import Pool


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "reproduce",
        _run_reproduce,
        "Train every run that the paper's tables need and that is not finished, and write the report.",
        "mathtree reproduce results/quick --budget quick",
        epilog="You can stop it at any time: the report covers the finished runs. The same command resumes, and so "
        "does `mathtree reproduce OUT` with no options.",
    )
    command.add_argument("out", action=FolderToWrite, metavar="OUT", help="the folder of runs and report")
    kinds = "verification, completion, ablation, convergence or all (default)"
    command.add_argument("--experiment", metavar="NAME", help=kinds)
    part = (
        "only these studies now, and the searches they need; what the folder is for stays as it was asked for; logic "
        "and listops are studies on other trees, in a folder of their own"
    )
    command.add_argument("--study", nargs="+", default=(), metavar="NAME", help=part)
    files = "with --study logic: the published files, a folder or an archive (default: pairs are generated)"
    command.add_argument("--published", default="", metavar="PLACE", help=files)
    command.add_argument("--models", nargs="+", metavar="NAME", help="only these models")
    command.add_argument("--seeds", type=int, metavar="N", help="number of seeds (default: the budget's)")
    command.add_argument("--budget", metavar="NAME", help="quick, standard (default) or full")
    blanks = "a folder with completion files of the original project, to be filled as well"
    command.add_argument("--original", metavar="FOLDER", help=blanks)
    where = command.add_mutually_exclusive_group()
    where.add_argument("--workers", type=int, default=2, metavar="N", help="processes (default %(default)s)")
    where.add_argument("--ray", metavar="ADDRESS", help="a Ray cluster, or `local`")
    command = add_command(
        commands,
        "report",
        _run_report,
        "Write the report of experiments, or compare two.",
        "mathtree report results/quick",
        epilog="With --compare: rows of both side by side on standard output, and as AFTER/comparison.html.",
    )
    which = command.add_mutually_exclusive_group(required=True)
    which.add_argument("out", nargs="?", action=FolderToWrite, metavar="OUT", help="the folder that reproduce made")
    folders = "two such folders, from before and after a change"
    which.add_argument("--compare", nargs=2, metavar=("BEFORE", "AFTER"), help=folders)


def _run_reproduce(options: argparse.Namespace) -> int:
    from dgl_mathtree.reproduce.report.plotting import check_figures
    from dgl_mathtree.reproduce.tree_studies import TREE_STUDIES
    from dgl_mathtree.reproduce.worker_pool import local_pool, ray_pool

    check_figures()
    if any(name in TREE_STUDIES for name in options.study):
        return _run_tree_studies(options)
    if options.published:
        raise CommandError("--published is for --study logic alone: other studies have data of their own")
    experiments, lasting = _asked_for(options)
    pool = ray_pool(options.ray) if options.ray else local_pool(options.workers)
    experiments.jobs(options.study)  # an unknown study leaves no trace
    lasting.record()
    try:
        jobs = experiments.jobs(options.study)
        if not experiments.next(jobs):
            print(f"nothing is left to do: all {len(jobs)} runs are finished")
            return 0
        failed = _make_runs(experiments, pool, options.workers, options.study)
    finally:
        _report(options.out)
    return BAD_INPUT if failed else 0


def _run_tree_studies(options: argparse.Namespace) -> int:
    """Make the runs of studies on other trees that are not finished, and write what is known of them."""
    from dgl_mathtree.reproduce.tree_report import write_tree_report
    from dgl_mathtree.reproduce.tree_studies import is_made, tree_jobs
    from dgl_mathtree.reproduce.worker_pool import local_pool

    budget, out = options.budget or "standard", Path(options.out)
    jobs = tree_jobs(options.study, budget, options.models or (), options.seeds, options.published)
    for name, why in (
        ("ray", "they run on this machine; use --workers"),
        ("experiment", "it chooses among studies of equations"),
        ("original", "they have no blanks"),
    ):
        if getattr(options, name):
            raise CommandError(f"--{name} is not for studies on other trees: {why}")
    waiting = [job for job in jobs if not is_made(out, job)]
    failed = False
    try:
        with bar(unit=" runs", total=len(jobs), initial=len(jobs) - len(waiting)) as shown:
            for job, reason in local_pool(options.workers, "dgl_mathtree.reproduce.tree_studies")(out, waiting):
                shown.update()
                shown.set_postfix_str(job.folder.removeprefix("runs/"))
                if reason is not None:
                    failed = True
                    print(f"mathtree: {job.folder}: {reason}", file=sys.stderr)
    finally:
        for study in options.study:
            for file in write_tree_report(out, study):
                print(file)
    return BAD_INPUT if failed else 0


def _asked_for(options: argparse.Namespace) -> tuple[Experiments, Experiments]:
    """What the options ask for now, and what the folder is for.

    Without options that is what was last asked for in the folder. With `--study`, other models and numbers of seeds are
    for now alone: a folder of many studies is not one for a few models because some of its runs are made first.
    """
    from dgl_mathtree.reproduce.experiments import RECORD, Experiments, read_record
    from dgl_mathtree.reproduce.jobs import ORIGINAL_BLANKS

    names = ("budget", "experiment", "models", "seeds", "original")
    given = {name: value for name in names if (value := getattr(options, name)) is not None}
    record = Path(options.out) / RECORD
    if record.is_file() and (options.study or not given):
        momentary = {name: given.pop(name) for name in ("models", "seeds") if name in given}
        lasting = replace(read_record(Path(options.out)), **given)
        asked = replace(lasting, **momentary)
        source = f"{record} says --original" if asked.next(asked.jobs(options.study)) else ""  # or it matters no more
    else:
        asked = lasting = Experiments(Path(options.out), **given)
        source = "--original"
    source = "--original" if options.original else source
    if source and asked.original and not any(Path(asked.original).glob(ORIGINAL_BLANKS)):
        raise CommandError(
            f"{source}: {asked.original} has no completion files ({ORIGINAL_BLANKS}); name a folder that has, or ''"
        )
    return asked, lasting


def _make_runs(experiments: Experiments, pool: Pool, workers: int, studies: Sequence[str]) -> dict[str, str]:
    """Make all runs, or those of some studies, that are not finished; the folders of those that failed, and why."""
    failed: dict[str, str] = {}
    with bar(unit=" runs") as shown:
        while True:
            jobs = [job for job in experiments.jobs(studies) if job.folder not in failed]
            shown.total, shown.n = len(jobs), sum(experiments.finished(job) for job in jobs)
            shown.initial = shown.n  # what was finished before says nothing of the time left
            shown.refresh()
            if not (waiting := experiments.next(jobs)):
                return failed
            experiments.make_data(waiting, workers)
            for job, reason in pool(experiments.out, waiting):
                shown.update()
                shown.set_postfix_str(job.folder.removeprefix("runs/"))
                if reason is not None:
                    failed[job.folder] = reason
                    print(f"mathtree: {job.folder}: {reason}", file=sys.stderr)


def _run_report(options: argparse.Namespace) -> int:
    if options.compare:
        from dgl_mathtree.reproduce.report.comparison import compare_reports

        page, text = compare_reports(*options.compare)
        print(text)
        print(f"\n{page}")
    else:
        _report(options.out)
    return 0


def _report(out: str) -> None:
    from dgl_mathtree.reproduce.report.report_page import write_report

    for file in write_report(out):
        print(file)
