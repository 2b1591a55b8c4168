"""Tables of verification: by part, like for like, on other data, and of convergence."""

from __future__ import annotations

from dgl_mathtree.nn import MODELS
from dgl_mathtree.reproduce.report.document import Entry, Row, Table, without_empty_columns
from dgl_mathtree.reproduce.report.measures import (
    accuracy_on_test,
    at_depth,
    best_epoch,
    epochs_to_near_best,
    filled,
    on_true_labels,
    parameters,
    percent,
    seconds_an_epoch,
    slope_over_depth,
)
from dgl_mathtree.reproduce.report.printed_figures import (
    CONVERGENCE,
    DOUBTFUL,
    MEASURES,
    PARTS,
    VERIFICATION,
    printed,
)
from dgl_mathtree.reproduce.report.results import Cell, Results
from dgl_mathtree.reproduce.report.settings_tables import searched_on, unlike_the_paper
from dgl_mathtree.reproduce.studies import FURTHER, LIKE, PRINTED, ROWS, TABLED

FAR = 3.0
"""Points from the paper's figure from which on a row is listed."""
LEARNED = 3.0
"""Points above the majority class on validation from which on a row is said to train."""
PROTOCOL_TEXT = (
    "Adam from rate 0.1, halved after every epoch without improvement, L2 decay 2e-5, batches of 50, no swapped "
    "operands, no clipping, at most 500 epochs, ended after ten without improvement"
)

DESCRIPTIONS = {
    "hard": "hard has incorrect equations that are near misses",
    "grouped": "grouped keeps relatives of test equations out of training",
    "held-out-axioms": "held-out-axioms keeps what follows from some axioms out of training",
    "original": "original is made and labelled as the paper's data was, by a procedure that nobody checked",
}


def part_table(results: Results, data: str, part: str, depths: str) -> Table:
    """Accuracy, precision and recall on a part, ours and the paper's."""
    rows: list[Row] = []
    for model in results.models(data):
        ours: list[Entry] = [results.cell(data, model, percent(part, measure)) for measure in MEASURES]
        rows.append((model, [*ours, *(printed(model, part, measure) or "" for measure in MEASURES)]))
    columns = ["model", *MEASURES, *(f"the paper's {measure}" for measure in MEASURES)]
    doubts = "".join(f" {model}: {why}." for model, why in DOUBTFUL.items()) if part == "test" else ""
    kind = (
        "on labels made as the paper's were" if data == LIKE else "on checked labels; the paper's are of its own data"
    )
    note, name = f"Percent, {kind}.{doubts}", part if data == ROWS else f"{part}-{data}"
    title = f"{part.capitalize()} (depths {depths}), {data}"
    return Table(name, title, note, columns, rows, printed=[4, 5, 6], ranked=[1])


def depths_table(results: Results, data: str) -> Table:
    """Accuracy on test by depth, and how it changes with it."""
    runs = [run for model in results.models(data) for run in results.of(data, model)]
    depths = sorted({depth for run in runs for depth in run.metrics["test"]["by_depth"]}, key=int)
    rows: list[Row] = [
        (
            model,
            [
                *(results.cell(data, model, at_depth(depth)) for depth in depths),
                results.cell(data, model, slope_over_depth, 2),
            ],
        )
        for model in results.models(data)
    ]
    columns = ["model", *(f"depth {depth}" for depth in depths), "points a level"]
    note = "Accuracy on test in percent, and the slope of a line through it, each depth weighted by its equations."
    title, last = f"Test by depth, {data}", len(columns)
    return Table(f"depths-{data}", title, note, columns, rows, ranked=range(1, last - 1))


def points_above(results: Results, model: str, data: str = LIKE) -> float | None:
    """By how much our test accuracy lies above the paper's, where both are known."""
    ours, theirs = results.cell(data, model, accuracy_on_test).value, printed(model, "test")
    return None if ours is None or theirs is None else ours - theirs.value


def far_rows(results: Results) -> dict[str, float]:
    """The rows whose test accuracy is farther than `FAR` from the paper's, and by how much."""
    gaps = {model: points_above(results, model) for model in VERIFICATION}
    return {model: found for model, found in gaps.items() if found is not None and abs(found) > FAR}


def points_text(points: float) -> str:
    """A difference with one digit, or with two where one would hide that it is more than `FAR`."""
    return f"{points:+.2f}" if f"{abs(points):.1f}" == f"{FAR:.1f}" else f"{points:+.1f}"


def far_text(results: Results) -> str:
    """These rows in words; empty without any run."""
    known = [model for model in VERIFICATION if points_above(results, model) is not None]
    if not known:
        return ""
    rows = [
        f"{model} {points_text(found)}{f' ({DOUBTFUL[model]})' if model in DOUBTFUL else ''}"
        for model, found in far_rows(results).items()
    ]
    far = f"More than {FAR:g} points from the paper's test accuracy: {', '.join(rows) or 'none'}."
    return f"{far} Rows with runs: {len(known)} of {len(VERIFICATION)}."


def like_for_like(results: Results) -> Table:
    """Models trained and tested on data like the paper's, tuned and by its protocol, beside the paper's figures."""
    rows: list[Row] = []
    for model in TABLED:
        if not (results.of(LIKE, model) or results.of(PRINTED, model)):
            continue
        found = points_above(results, model)
        rows.append(
            (
                model,
                [
                    printed(model, "test") or "",
                    results.cell(LIKE, model, accuracy_on_test),
                    "" if found is None else f"{found:+.1f}",
                    results.cell(PRINTED, model, accuracy_on_test),
                    results.cell(LIKE, model, on_true_labels),
                    printed(model, "validation") or "",
                    results.cell(LIKE, model, percent("validation", "accuracy")),
                    results.cell(PRINTED, model, percent("validation", "accuracy")),
                    _seed_counts(results, model),
                ],
            )
        )
    columns = ["model", "the paper's test", "test", "test - the paper's", "test, protocol as printed"]
    columns += ["test, true labels", "the paper's validation", "validation", "validation, protocol as printed", "seeds"]
    runs = [run for model in results.models(LIKE) for run in results.of(LIKE, model)]
    note = (
        "Accuracy in percent. original is made and labelled as the paper's data was, so test and validation are like "
        "for like; true labels: the same runs on the test equations of paper, which are checked. "
        f"{unlike_the_paper(runs)} {searched_on(results, LIKE)} {printed_settings(results)}"
    )
    return Table(LIKE, "Beside the paper", note.strip(), columns, rows, printed=[1, 6], ranked=[1, 2, 4, 5])


def printed_settings(results: Results) -> str:
    """What the runs of the protocol as printed have for what the paper searches, as a sentence."""
    runs = [run for model in results.models(PRINTED) for run in results.of(PRINTED, model)]
    settings = sorted({(run.setting.hidden, run.setting.dropout) for run in runs})
    if not settings:
        return ""
    text = f"Protocol as printed: {PROTOCOL_TEXT}"
    if len(settings) == 1:
        (hidden, dropout) = settings[0]
        return f"{text}; hidden size {hidden} and dropout {dropout:g} for every row, one of the paper's 33 settings."
    return f"{text}; hidden size and dropout of each row searched on validation."


def _seed_counts(results: Results, model: str) -> str:
    counts = [len(results.of(data, model)) for data in (LIKE, PRINTED)]
    return f"{counts[0]}, as printed {counts[1]}" if counts[1] else str(counts[0])


def untrained_rows(results: Results) -> list[str]:
    """The rows that do not train with the protocol that the paper prints; none while there is no majority class."""
    floor = results.cell(LIKE, "majority", percent("validation", "accuracy")).value
    if floor is None:
        return []
    reached = {model: results.cell(PRINTED, model, percent("validation", "accuracy")) for model in MODELS}
    return [model for model, cell in reached.items() if cell.value is not None and cell.value <= floor + LEARNED]


def printed_table(results: Results) -> Table:
    """How far each row comes with the protocol that the paper prints."""
    rows: list[Row] = []
    known, untrained = bool(results.of(LIKE, "majority")), untrained_rows(results)
    for model in results.models(PRINTED):
        rows.append(
            (
                model,
                [
                    ("no" if model in untrained else "yes") if known else "",
                    *(results.cell(PRINTED, model, percent(part, "accuracy")) for part in PARTS),
                    *(printed(model, part) or "" for part in PARTS),
                    results.cell(PRINTED, model, best_epoch, 0),
                    results.cell(PRINTED, model, lambda run: run.metrics["epochs"], 0),
                ],
            )
        )
    columns = ["model", "trains", *PARTS, *(f"the paper's {part}" for part in PARTS), "epochs to the best", "epochs"]
    note = (
        f"Accuracy in percent, on original with its own labels. {printed_settings(results)} A row trains if it is more "
        f"than {LEARNED:g} points above the majority class on validation."
    )
    return Table(PRINTED, "The protocol as the paper prints it", note, columns, rows, printed=[5, 6, 7])


def further_table(results: Results) -> Table:
    """Test accuracy on the data beyond the paper's."""
    names = [name for name in FURTHER if results.models(name)]
    order = dict.fromkeys(model for data in ("paper", *names) for model in results.models(data))
    rows: list[Row] = []
    for model in order:
        if any(results.of(name, model) for name in names):
            entries: list[Entry] = [results.cell(name, model, accuracy_on_test) for name in ("paper", *names)]
            rows.append((model, [*entries, results.cell(LIKE, model, on_true_labels), _seeds(entries)]))
    columns = ["model", "paper", *(f"{name}, its own test" for name in names), f"{LIKE}, true labels", "seeds"]
    known = "; ".join(DESCRIPTIONS[name] for name in names if name in DESCRIPTIONS)
    note = f"Test accuracy in percent. {known[:1].upper()}{known[1:]}."
    table = Table("further", "Test accuracy by data", note, columns, rows, ranked=range(1, len(columns) - 1))
    return without_empty_columns(table)


def beside_table(results: Results) -> Table:
    """Test accuracy of the models that are not rows of the paper's tables."""
    names = [name for name in ("paper", *FURTHER) if results.beside(name)]
    rows: list[Row] = []
    for model in dict.fromkeys(model for name in names for model in results.beside(name)):
        entries: list[Entry] = [results.cell(name, model, accuracy_on_test) for name in names]
        size = next(cell for name in names if (cell := results.cell(name, model, parameters, 0)).runs)
        more = [results.cell(LIKE, model, on_true_labels)]
        more += [results.cell(LIKE, model, filled(f"top{top}_oracle", "completion_original")) for top in (1, 5)]
        rows.append((model, [Cell(size.value, None, size.runs, 0), *entries, *more, _seeds(entries)]))
    columns = ["model", "parameters", *names, f"{LIKE}, true labels", *(f"completion Top-{top}" for top in (1, 5))]
    note = (
        f"Test accuracy in percent by data, and completion on the original's blanks of networks trained on {LIKE}. "
        "These models are in no other table, no claim and no figure."
    )
    table = Table("beside", "Models beside the rows of the paper", note, [*columns, "seeds"], rows)
    return without_empty_columns(table)


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
