"""The report of experiments: what was found first, and then everything behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dgl_mathtree.files import write_atomically
from dgl_mathtree.reproduce.experiments import Experiments, read_record
from dgl_mathtree.reproduce.report.claim_tables import ablation_table, claims_table, limited
from dgl_mathtree.reproduce.report.colours import model_panels
from dgl_mathtree.reproduce.report.completion_tables import MEASURED_ON, completion_tables
from dgl_mathtree.reproduce.report.deviation_tables import deviations_table, deviations_text
from dgl_mathtree.reproduce.report.document import Block, Section, with_content
from dgl_mathtree.reproduce.report.figures import completion_figure, convergence_figure, depths_figure
from dgl_mathtree.reproduce.report.html_page import html_page
from dgl_mathtree.reproduce.report.inventory import inventory
from dgl_mathtree.reproduce.report.markdown_page import markdown_page
from dgl_mathtree.reproduce.report.printed_figures import CITATION
from dgl_mathtree.reproduce.report.results import ReportError, Result, Results, collect
from dgl_mathtree.reproduce.report.semantic_tables import meaning_tables
from dgl_mathtree.reproduce.report.settings_tables import chosen_table, settings_table
from dgl_mathtree.reproduce.report.summary import details, findings, summary_table
from dgl_mathtree.reproduce.report.verification_tables import (
    beside_table,
    convergence_table,
    depths_table,
    far_text,
    further_table,
    like_for_like,
    part_table,
    printed_table,
)
from dgl_mathtree.reproduce.studies import LIKE, ROWS

TITLE = "Recognising equations with recursive networks: the reproduction"
ORIGINAL = (
    "The paper trained and tested on equations whose labels nobody checked. The only fair comparison is with models "
    "trained and tested on data made and labelled in the same way. Beside settings that were searched for every row "
    "alike there is the protocol that the paper prints."
)
WORDS = (
    "Row: a model of the paper's table; docs/models.md has the equations of every one.",
    "Checked labels: the data paper, whose labels an oracle confirmed. Depths 1 to 7 are for training, 8 to 13 for the "
    "test.",
    "Like for like: the data original, made as the paper's was, by a procedure that checks no label: more than a "
    "quarter of the test equations that it calls correct are not true. Networks are trained and tested on these "
    "labels, and then tested on checked ones.",
    "Second order, first order: a cell that multiplies its inputs with each other (second-order-, m-, mi-), and its "
    "partner that only adds them up.",
    "Stack: a memory that a cell pushes to and pops from (+stack).",
    "Meaning: training that is also told which subexpressions have equal values.",
    "Completion: filling a blank. Top-1 is the share of blanks whose first proposal makes the equation true.",
)


def write_report(out: str | Path) -> list[Path]:
    """Write `report.md` and `report.html` of the experiments in a folder; they cover what is finished.

    Parameters
    ----------
    out : str or Path
        The folder that `mathtree reproduce` made.

    Returns
    -------
    list of Path
        The files.
    """
    folder = Path(out)
    if not folder.is_dir():
        raise ReportError(f"there is no folder {out}: mathtree reproduce makes one")
    asked = read_record(folder)
    runs = collect(folder)
    first, sections = contents(asked, runs)
    left = sum(not asked.finished(job) for job in asked.jobs())
    byline = f"{len(runs)} finished runs{f', and {left} that are not' if left else ''}. Paper: {CITATION}."
    files = [folder / "report.md", folder / "report.html"]
    write_atomically(files[0], markdown_page(TITLE, byline, first, sections))
    write_atomically(files[1], html_page(TITLE, byline, first, sections))
    return files


def contents(asked: Experiments, runs: Sequence[Result]) -> tuple[Section, list[Section]]:
    """The section that is read first, and those that unfold; those with nothing to show are left out."""
    results = Results(runs)
    left = Counter(job.study for job in asked.jobs() if not asked.finished(job))
    found: list[Block] = [findings(results, left)] if runs else []
    figure = depths_figure(results, data=LIKE if results.models(LIKE) else ROWS)
    first = Section("found", "What was found", with_content([*found, summary_table(results), figure]))
    detailed = [
        Section("like-for-like", "Like for like with the paper", _like_for_like(results)),
        Section("claims", "The paper's claims, one by one", _claims(results)),
        Section("parts", "Accuracy, precision and recall", _parts(results)),
        Section("settings", "Settings and how they were chosen", _settings(results)),
        Section("other-data", "Other data", [further_table(results)]),
        Section("beside", "Beside the rows of the paper", [beside_table(results)]),
        Section("meaning", "Training with meaning", [*meaning_tables(results)]),
        Section("completion", "Completion by depth", _completion(results)),
        Section("convergence", "Convergence", _convergence(results)),
    ]
    kept = [Section(section.name, section.title, with_content(section.blocks)) for section in detailed]
    # Words about nothing are left out with it.
    sections = [section for section in kept if not all(isinstance(block, str) for block in section.blocks)]
    words = [Section("words", "Words that are used here", [*WORDS])] if sections else []
    return first, [*words, *sections, Section("runs", "Runs, data and versions", inventory(asked, runs))]


def _like_for_like(results: Results) -> list[Block]:
    figure = depths_figure(results, list(model_panels()), f"depths-{LIKE}", LIKE)
    far: list[Block] = [far_text(results), deviations_table(results), deviations_text(results)]
    return [ORIGINAL, like_for_like(results), *far, printed_table(results), figure]


def _claims(results: Results) -> list[Block]:
    tables: list[Block] = []
    for data, words in ((LIKE, f"Like for like ({LIKE}, own labels)"), (ROWS, f"On checked labels ({ROWS})")):
        tables += [claims_table(results, data, words), limited(results, data)]
    tables += [ablation_table(results, data) for data in (LIKE, ROWS)]
    shown = with_content(tables)
    return [details(results), *shown] if shown else []


def _settings(results: Results) -> list[Block]:
    return [make(results, data) for make in (settings_table, chosen_table) for data in (LIKE, ROWS)]


def _parts(results: Results) -> list[Block]:
    depths = {"test": "8-13", "validation": "1-7", "train": "1-7"}
    tables = [part_table(results, data, part, depths[part]) for data in (LIKE, ROWS) for part in depths]
    tables += [depths_table(results, data) for data in (LIKE, ROWS)]
    return [*tables, depths_figure(results, list(model_panels()), "depths-others")]


def _completion(results: Results) -> list[Block]:
    figures = [completion_figure(results, blanks, top, data) for data, blanks in MEASURED_ON for top in (1, 5)]
    return [*completion_tables(results), *figures]


def _convergence(results: Results) -> list[Block]:
    blocks: list[Block] = []
    for data in (LIKE, ROWS):
        blocks += [convergence_table(results, data), limited(results, data), convergence_figure(results, data)]
    return blocks
