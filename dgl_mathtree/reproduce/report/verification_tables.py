"""Tables of verification: by part, like for like, on other data, and of convergence."""

from __future__ import annotations

from dgl_mathtree.reproduce.report.document import Entry, Row, Table
from dgl_mathtree.reproduce.report.measures import (
    accuracy_on_test,
    best_epoch,
    epochs_to_near_best,
    on_true_labels,
    parameters,
    percent,
    seconds_an_epoch,
)
from dgl_mathtree.reproduce.report.printed_figures import CONVERGENCE, DOUBTFUL, MEASURES, printed
from dgl_mathtree.reproduce.report.results import Cell, Results
from dgl_mathtree.reproduce.studies import FURTHER

DESCRIPTIONS = {
    "hard": "hard has incorrect equations that are near misses",
    "grouped": "grouped keeps relatives of test equations out of training",
    "held-out-axioms": "held-out-axioms keeps what follows from some axioms out of training",
    "legacy": "legacy has the labels of the original procedure, which nobody checked",
}


def part_table(results: Results, part: str, depths: str) -> Table:
    """Accuracy, precision and recall on a part, ours and the paper's."""
    rows: list[Row] = []
    for model in results.models():
        ours: list[Entry] = [results.cell("paper", model, percent(part, measure)) for measure in MEASURES]
        rows.append((model, [*ours, *(printed(model, part, measure) or "" for measure in MEASURES)]))
    columns = ["model", *MEASURES, *(f"the paper's {measure}" for measure in MEASURES)]
    doubts = "".join(f" {model}: {why}." for model, why in DOUBTFUL.items()) if part == "test" else ""
    note = f"Percent, on checked labels; the paper's are of its own data.{doubts}"
    return Table(part, f"{part.capitalize()} (depths {depths})", note, columns, rows, printed=[4, 5, 6], ranked=[1])


def like_for_like(results: Results) -> Table:
    """Models trained and tested on labels like the paper's, beside the paper's figures."""
    rows: list[Row] = []
    for model in results.models("legacy"):
        ours, theirs = results.cell("legacy", model, accuracy_on_test), printed(model, "test")
        gap: Entry = ""
        if theirs is not None and ours.value is not None:
            gap = f"{ours.value - theirs.value:+.1f}"
        rows.append(
            (
                model,
                [
                    ours,
                    theirs or "",
                    gap,
                    results.cell("legacy", model, on_true_labels),
                    results.cell("legacy", model, percent("validation", "accuracy")),
                    printed(model, "validation") or "",
                    str(len(results.of("legacy", model))),
                ],
            )
        )
    columns = ["model", "test, own labels", "the paper's test", "ours - the paper's", "test, true labels"]
    columns += ["validation, own labels", "the paper's validation", "seeds"]
    note = (
        "Accuracy in percent. legacy is made and labelled by the original procedure, so its own labels are like the "
        "paper's; true labels: the same runs on the test equations of paper, which are checked."
    )
    return Table("legacy", "Beside the paper", note, columns, rows, printed=[2, 6], ranked=[1, 2, 4])


def further_table(results: Results) -> Table:
    """Test accuracy on the data beyond the paper's."""
    names = [name for name in FURTHER if results.models(name)]
    order = dict.fromkeys(model for data in ("paper", *names) for model in results.models(data))
    rows: list[Row] = []
    for model in order:
        if any(results.of(name, model) for name in names):
            entries: list[Entry] = [results.cell(name, model, accuracy_on_test) for name in ("paper", *names)]
            rows.append((model, [*entries, results.cell("legacy", model, on_true_labels), _seeds(entries)]))
    columns = ["model", "paper", *(f"{name}, its own test" for name in names), "legacy, true labels", "seeds"]
    known = "; ".join(DESCRIPTIONS[name] for name in names if name in DESCRIPTIONS)
    note = f"Test accuracy in percent. {known[:1].upper()}{known[1:]}."
    return Table("further", "Test accuracy by data", note, columns, rows, ranked=range(1, len(columns) - 1))


def beside_table(results: Results) -> Table:
    """Test accuracy of the models that are not rows of the paper's tables."""
    names = [name for name in ("paper", *FURTHER) if results.beside(name)]
    rows: list[Row] = []
    for model in dict.fromkeys(model for name in names for model in results.beside(name)):
        entries: list[Entry] = [results.cell(name, model, accuracy_on_test) for name in names]
        size = next(cell for name in names if (cell := results.cell(name, model, parameters, 0)).runs)
        rows.append((model, [Cell(size.value, None, size.runs, 0), *entries, _seeds(entries)]))
    columns = ["model", "parameters", *names, "seeds"]
    note = "Test accuracy in percent by data. These models are in no other table, no claim and no figure."
    return Table("beside", "Models beside the rows of the paper", note, columns, rows)


def _seeds(entries: list[Entry]) -> str:
    counts = {len(entry.runs) for entry in entries if isinstance(entry, Cell) and entry.runs}
    return str(min(counts)) if len(counts) == 1 else f"{min(counts)}-{max(counts)}"


def convergence_table(results: Results, data: str) -> Table:
    """How soon training reaches its best."""
    rows: list[Row] = []
    for model in results.models(data):
        reached = results.cell(data, model, best_epoch)
        if reached.value is None:
            continue
        entries: list[Entry] = [
            reached,
            results.cell(data, model, epochs_to_near_best),
            results.cell(data, model, percent("validation", "accuracy")),
            *CONVERGENCE.get(model, ("", "")),
            results.cell(data, model, lambda run: run.metrics["epochs"]),
            results.cell(data, model, seconds_an_epoch),
        ]
        rows.append((model, entries))
    columns = ["model", "epochs to the best", "to one point below it", "validation accuracy then"]
    columns += ["the paper's epochs to the best", "the paper's accuracy then", "epochs in all", "seconds an epoch"]
    note = "The best epoch is that with the best accuracy on validation; schedules and limits differ from the paper's."
    return Table(f"convergence-{data}", f"Convergence on {data}", note, columns, rows, printed=[4, 5])
