"""Write the tables and the picture of results and benchmarks that README and pages show: python tools/tables.py

Each table stands between ``<!-- NAME -->`` and ``<!-- end -->`` and is made from files of the repository alone.
"""

from __future__ import annotations

import dataclasses
import json
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from dgl_mathtree.arithmetic.operators import OPERATORS
from dgl_mathtree.cli.command_usage import command_rows
from dgl_mathtree.files import write_atomically
from dgl_mathtree.nn import MODELS
from dgl_mathtree.reproduce.experiments import read_record
from dgl_mathtree.reproduce.report.document import Entry, Row, Table, entry_text, without_empty_columns
from dgl_mathtree.reproduce.report.figures import overview
from dgl_mathtree.reproduce.report.measures import accuracy_on_test, filled, on_true_labels
from dgl_mathtree.reproduce.report.plotting import standalone
from dgl_mathtree.reproduce.report.printed_figures import printed
from dgl_mathtree.reproduce.report.results import Results, collect
from dgl_mathtree.reproduce.report.semantic_tables import meaning_tables
from dgl_mathtree.reproduce.report.settings_tables import unlike_the_paper
from dgl_mathtree.reproduce.report.statistics import welch
from dgl_mathtree.reproduce.report.summary import findings
from dgl_mathtree.reproduce.studies import LIKE, PRINTED, ROWS, TABLED
from dgl_mathtree.reproduce.tree_report import tree_section
from dgl_mathtree.reproduce.tree_studies import TREE_STUDIES, tree_runs
from dgl_mathtree.schema import documentation
from dgl_mathtree.tables import markdown_table
from dgl_mathtree.training import Config

ROOT = Path(__file__).parent.parent
RESULTS, SHIPPED = ROOT / "results", ROOT / "dgl_mathtree" / "shipped"
MEASURED = RESULTS / "shipped"
"""What `mathtree evaluate shipped DATA --json` prints, a file for each set of equations."""
BENCHMARK = RESULTS / "benchmark.json"
"""What `mathtree benchmark` writes."""
COMPLETION = RESULTS / "completion"
"""What `mathtree evaluate-completion --json` prints, for several models and blanks."""
EASY = RESULTS / "easy.json"
"""What `tools/easy.py` writes."""
CHANGES = {
    "legacy": "`legacy`",
    "matcher": "matcher that does not unify at all",
    "rules": "rules and starts all equally likely",
    "start-set": "the original start set",
    "steps": "a number of steps as in a population, not an aimed depth",
    "edits": "uniform edits",
    "labels": "labels of edits by automatic evaluation",
    "walks": "steps, sizes and duplicates as in `original`",
    "original": "a population instead of walks: `original`",
    "legacy-checked": "`legacy`, labels confirmed",
    "original-checked": "`original`, labels confirmed",
}
"""The variants of `tools/easy.py` in words."""
LOGIC = RESULTS / "logic"
"""What `mathtree reproduce OUT --study logic listops` writes."""
COLLECTIONS = ("textbook", "fresh")
MISTAKES = 40
"""How many of the shipped model's errors are shown."""
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
PICTURE = ROOT / "docs" / "depths.svg"
MARKED = re.compile(r"(<!-- ([a-z-]+) -->\n)(.*?)(<!-- end -->)", flags=re.DOTALL)
DRIVERS = {"native+share": "`native` shared", "native": "`native` separate"} | {
    "levels+share": "`levels` shared",
    "levels": "`levels` separate",
    "recursion": "the same step, node by node",
}
PEERS = {
    "pytorch-tree-lstm": "package `pytorch-tree-lstm` (child-sum, one node type)",
    "plain recursion": "`tree-lstm` written out by hand, node by node",
}


def options() -> str:
    """The options of `mathtree train`, from the fields of `Config` and what stands below them."""
    said, rows = documentation(Config), []
    for field in dataclasses.fields(Config):
        name = {"options": "set name=value", "objective_options": "objective-set name=value"}.get(
            field.name, field.name
        )
        default = "" if field.default in ("", dataclasses.MISSING) or field.name == "model" else f"`{field.default}`"
        if field.name != "data":
            rows.append(
                [f"`--{name.replace('_', '-')}`", "the model's" if default == "`None`" else default, said[field.name]]
            )
    return _table(["option", "default", "meaning"], rows)


def standard() -> str:
    """The models of the paper with the standard budget: the paper's figures, and ours on both kinds of labels."""
    results = Results(collect(RESULTS / "standard"))

    def tops(data: str, model: str, blanks: str) -> str:
        cells = [results.cell(data, model, filled(f"top{top}_oracle", blanks)) for top in (1, 5)]
        return " / ".join(cell.text for cell in cells if cell.text)

    def row(model: str) -> list[Entry]:
        return [
            printed(model, "test") or "",
            results.cell(LIKE, model, accuracy_on_test),
            results.cell(LIKE, model, on_true_labels),
            results.cell(PRINTED, model, accuracy_on_test),
            results.cell(ROWS, model, accuracy_on_test),
            tops(LIKE, model, "completion_original"),
            tops(ROWS, model, "completion"),
            "/".join(str(len(results.of(data, model))) for data in (LIKE, ROWS)),
        ]

    shown = [name for name in TABLED if results.of(LIKE, name) or results.of(ROWS, name)]
    rows: list[Row] = [(f"`{name}`", row(name)) for name in shown]
    columns = ["model", "the paper's", "`original`", "its networks on true labels", "protocol as printed", "`paper`"]
    columns += ["completion Top-1 / Top-5, `original`", "completion Top-1 / Top-5, `paper`", "seeds"]
    table = without_empty_columns(Table("standard", "", "", columns, rows))
    text = _table(table.columns, ([name, *map(entry_text, entries)] for name, entries in table.rows))
    runs = [run for data in (LIKE, ROWS) for model in results.models(data) for run in results.of(data, model)]
    return f"{text}\n{textwrap.fill(unlike_the_paper(runs), 120, break_on_hyphens=False)}\n"


def found() -> str:
    """The three sentences that the report begins with."""
    asked = read_record(RESULTS / "standard")
    left = Counter(job.study for job in asked.jobs() if not asked.finished(job))
    items = (
        textwrap.fill(f"- **{name}.** {text}", 120, subsequent_indent="  ", break_on_hyphens=False)
        for name, text in findings(Results(collect(RESULTS / "standard")), left).lines
    )
    return "".join(f"{item}\n" for item in items)


def tuned() -> str:
    """Single runs with settings that were chosen on validation, and the shipped model."""
    rows = []
    for folder in (*sorted((RESULTS / "tuned").iterdir()), SHIPPED):
        config = _read(folder / "config.json")["config"]
        if folder == SHIPPED:  # its own parts are others
            metrics = {part: _read(MEASURED / f"paper-{part}.json") for part in ("validation", "test")}
        else:
            metrics = _read(folder / "metrics.json")
        shown = [_percent(metrics[part]["overall"]["accuracy"]) for part in ("validation", "test")]
        name = f"`{config['model']}` ({config['hidden']})" + (", shipped" if folder == SHIPPED else "")
        rows.append([f"`{Path(config['data']).name}`", name, *shown])
    rows.sort(key=lambda row: (row[0] != "`paper`", float(row[3])))
    return _table(["trained on", "model (size)", "validation (depths 1-7)", "test (depths 8-13)"], rows)


def shipped_depths() -> str:
    """The shipped model by depth."""
    by_depth = _read(MEASURED / "paper-test.json")["by_depth"]
    depths = sorted(by_depth, key=int)
    return _table(["depth", *depths], [["shipped model", *(_percent(by_depth[d]["accuracy"]) for d in depths)]])


def collection(name: str) -> Callable[[], str]:
    """The shipped model on a collection of equations that people wrote, by subject."""

    def table() -> str:
        result = _read(MEASURED / f"{name}.json")
        rows = []
        parts = {**result["by_kind"], "all": result["overall"], "without duplicates": result["headline"]}
        for group, part in parts.items():
            shown = [_percent(part[key]) for key in ("accuracy", "recall", "specificity")]
            rows.append([group, str(part["count"]), *shown])
        return _table(["subject", "equations", "right", "true ones accepted", "false ones refused"], rows)

    return table


def mistakes() -> str:
    """The most certain errors of the shipped model on collections, by what makes the equations difficult."""
    errors = [row for name in COLLECTIONS for row in _read(MEASURED / f"{name}.json")["errors"]]
    errors.sort(key=lambda row: -abs(row["probability"] - 0.5))
    rows = []
    for cause, count in Counter(row["cause"] for row in errors).most_common():
        some = [row for row in errors[:MISTAKES] if row["cause"] == cause]
        for k, row in enumerate(some):
            first = f"{cause}, {len(some)} of {count}" if k == 0 else ""
            truth = "true" if row["label"] else "false"
            rows.append([first, f"`{row['equation']}`", truth, f"{row['probability']:.2f}"])
    return _table(["cause", "equation", "truth", "probability"], rows)


def meaning() -> str:
    """Two objectives and two roots, all else equal."""
    (table, *_) = meaning_tables(Results(collect(RESULTS / "standard")))
    rows = [[f"`{name}`" if name in MODELS else name, *map(entry_text, entries)] for name, entries in table.rows]
    return _table(table.columns, rows)


def benchmark() -> str:
    """Drivers, and other ways to compute the same, as ratios to the `dgl` driver."""
    result = _read(BENCHMARK)
    measured = [kind for kind in DRIVERS if all(kind in rows for rows in result["cells"].values())]
    heads = ["cell, training / inference", *(DRIVERS[kind] for kind in measured)]
    rows = [[f"`{name}`", *(_ratios(kinds[kind]) for kind in measured)] for name, kinds in result["cells"].items()]
    for name, row in result["peers"].items():
        rows.append([PEERS[name], _ratios(row), *[""] * (len(measured) - 1)])
    return _table(heads, rows)


def larger() -> str:
    """The same ratios in larger batches and with larger states."""
    result = _read(BENCHMARK)["larger"]
    names = list(next(iter(result.values())))
    rows = [[f"`{name}`", *(_ratios(found[name]) for found in result.values())] for name in names]
    return _table(["training / inference", *result], rows)


def whole_batches() -> str:
    """Batches of training with everything: making the batch, forward, loss, backward, clipping and the optimizer."""
    result = _read(BENCHMARK)["epochs"]
    drivers = [name for name in ("native", "levels") if all(f"{name}_ratio" in row for row in result.values())]
    rows = [[f"`{name}`", *(f"{row[f'{driver}_ratio']:.1f}" for driver in drivers)] for name, row in result.items()]
    return _table(["whole training batch", *(f"`{driver}`" for driver in drivers)], rows)


def speeds() -> str:
    """What the run of the benchmark says beside its table."""
    result = _read(BENCHMARK)
    rows, limit, growth = result["cells"]["tree-lstm"], result["limit"]["tree-lstm"], result["growth"][-1]
    kind = "native+share" if "native+share" in rows else "levels+share"
    driver = kind.removesuffix("+share")
    ours, by_hand, building = rows[kind], result["peers"]["plain recursion"], result["building_ms"]
    slower = [ours["train"] / row["train"] for row in (rows["recursion"], by_hand)]
    nodes = f"{growth['tree_nodes']:,} nodes, {growth['distinct_nodes']:,} of them distinct"
    tasks = ("train", "inference")
    allowed = " and ".join(f"{limit[task]['allowed'] / 1e6:.1f}" for task in tasks)
    shares = " and ".join(f"{100 * limit[task]['matrix_share'][driver]:.0f}%" for task in tasks)
    text = (
        f"In this run `{driver}` trained `tree-lstm` at {ours['train']:,} and inferred at {ours['inference']:,} nodes "
        f"a second: in training {slower[0]:.0f} times the same step called node by node, and {slower[1]:.0f} times a "
        f"recursion written out by hand. Matrix products alone would allow {allowed} million, of which that is "
        f"{shares}. A batch of {growth['equations']:,} equations ({nodes}) is inferred in "
        f"{growth['milliseconds']:,.0f} ms. Graph and plan of a batch of 50 take "
        f"{building['plan+graph, shared']:.2f} ms, `dgl.batch` of 50 ready graphs "
        f"{building['dgl.batch of ready graphs']:.2f} ms."
    )
    return textwrap.fill(text, 120, break_on_hyphens=False) + "\n"


def completion_speed() -> str:
    """How long the candidates of a blank take."""
    row = _read(BENCHMARK)["completion"]["tree-lstm"]
    count, path, graphs = f"{row['candidates']:,}", f"{row['path_ms']:.0f} ms", f"{row['graphs_ms']:.0f} ms"
    return (
        f"{count} candidates take {path} for `tree-lstm`, against {graphs} for {count} graphs with the `dgl` driver: "
        f"{row['ratio']:.0f} times\nas fast, in one run of `mathtree benchmark`.\n"
    )


def completion() -> str:
    """How well blanks are filled: the outputs of `mathtree evaluate-completion --json`, under names of their own."""
    rows = []
    for file, model, blanks, whose in (
        ("shipped-paper", "shipped", "in our test equations", ""),
        ("shipped-original", "shipped", "of the original project", "the original's "),
        ("imported-original", "the original's Tree-LSTM, imported", "of the original project", "the original's "),
    ):
        result = _read(COMPLETION / f"{file}.json")
        for key, words in (("overall", blanks), ("truly_filled", "of these, truly filled")):
            part = result[key]
            if key == "overall" or part["count"] < result["overall"]["count"]:
                tops = [[_percent(part[f"top{top}_{kind}"]) for top in (1, 5)] for kind in ("collapse", "oracle")]
                rows.append(
                    [model, f"{part['count']:,} {words}", f"{whose}{result['candidates']:,}", *map(" / ".join, tops)]
                )
    return _table(["model", "blanks", "candidates", "collapse Top-1 / Top-5", "oracle Top-1 / Top-5"], rows)


def exchange() -> str:
    """Two networks of one kind on each other's test equations by depth: tools/exchange.py measures them."""
    networks = _read(RESULTS / "exchange.json")["networks"]
    depths = list(networks[0]["on"]["original"]["by_depth"])
    rows = []
    for network in networks:
        on = network["on"]
        for data, entry, says in (
            ("published", "recall", "831 published equations, all labelled correct: accepted"),
            ("original", "accuracy", "`original`: right"),
            ("original", "recall", "correct ones accepted"),
            ("original", "specificity", "incorrect ones rejected"),
            ("paper", "accuracy", "`paper`: right"),
        ):
            each = on[data]["by_depth"]
            cells = [_percent(each[depth][entry]) if depth in each else "" for depth in depths]
            rows.append([network["name"], says, _percent(on[data][entry]), *cells])
    return _table(["network", "on", "all", *depths], rows)


def easy() -> str:
    """From the recipe `legacy` to `original` by one change at a time: tools/easy.py measures it."""
    runs = _read(EASY)
    rows: list[list[str]] = []
    before: list[float] = []
    for name, change in CHANGES.items():
        found = [run for run in runs if run["variant"] == name]
        if not found:
            continue
        tests = [100 * run["test"] for run in found]
        gain = None if name.endswith("-checked") else welch([(1.0, tests), (-1.0, before)])
        before = tests
        confirmed = (f"{part}_{label}" for part in ("train", "test") for label in ("correct", "incorrect"))
        rows.append(
            [
                change,
                *(spread([100 * run[part] for run in found]) for part in ("train", "validation", "test")),
                "" if gain is None else gain.text,
                spread([100 * run["test_confirmed"] for run in found]),
                " / ".join(f"{100 * fmean(run['confirmed'][kind] for run in found):.0f}" for kind in confirmed),
                spread([100 * run["bag_of_words"] for run in found]),
                str(len(found)),
            ]
        )
    heads = ["data", "train", "validation", "test", "gain over the line before", "test, confirmed labels"]
    return _table([*heads, "labels confirmed: train, test", "bag of words", "seeds"], rows)


def spread(values: Sequence[float]) -> str:
    """A mean, with the standard deviation of several."""
    return f"{fmean(values):.1f}" + (f" ± {stdev(values):.1f}" if len(values) > 1 else "")


def trials(name: str) -> Callable[[], str]:
    """Runs that look into rows, each beside the first one of its model."""

    def table() -> str:
        first: dict[str, dict[str, Any]] = {}
        rows = []
        for run in _read(RESULTS / f"{name}.json"):
            config = run["config"]
            usual = first.setdefault(config["model"], config)
            changed = [f"{key} {value}" for key, value in config.items() if value != usual.get(key)]
            shown = [_percent(run[part]) for part in ("train", "validation", "test")]
            rows.append([f"`{config['model']}`", ", ".join(changed) or "the first", *shown])
        return _table(["model", "what differs", "train", "validation", "test"], rows)

    return table


def trees(name: str) -> Callable[[], str]:
    """A study on other trees, as its report has it."""
    return lambda: tree_section(TREE_STUDIES[name], list(tree_runs(LOGIC, name)), "###")


def operators() -> str:
    """The operators, from their rows."""

    def quoted(words: Iterable[str | None]) -> str:
        return ", ".join(f"`{word}`" for word in words if word)

    heads = ["operator", "also read as", "LaTeX", "parity", "inverse", "reciprocal", "cofunction"]
    rows = OPERATORS.values()
    return _table(
        heads,
        (
            [quoted([row.name]), quoted(row.aliases), quoted([row.latex]), row.parity or ""]
            + [quoted([other]) for other in (row.inverse, row.reciprocal, row.cofunction)]
            for row in rows
        ),
    )


def commands() -> str:
    """The commands, from what they say of themselves."""
    return _table(["command", "does"], command_rows())


TABLES = {
    "commands": commands,
    "options": options,
    "operators": operators,
    "standard": standard,
    "found": found,
    "exchange": exchange,
    "easy": easy,
    "tree-rnn": trials("tree-rnn"),
    "sequences": trials("sequences"),
    "tuned": tuned,
    "shipped-depths": shipped_depths,
    **{name: collection(name) for name in COLLECTIONS},
    "mistakes": mistakes,
    "meaning": meaning,
    "benchmark": benchmark,
    "larger": larger,
    "whole-batches": whole_batches,
    "speeds": speeds,
    "completion-speed": completion_speed,
    "completion": completion,
    **{name: trees(name) for name in TREE_STUDIES},
}


def can_be_made(name: str) -> bool:
    """Whether there is what a table is made from; without it, the table stays as it is."""
    measured = ("benchmark", "larger", "whole-batches", "speeds", "completion-speed")
    needed = {**dict.fromkeys(measured, BENCHMARK), "completion": COMPLETION, "easy": EASY}
    needed |= {study: LOGIC / f"{study}.json" for study in TREE_STUDIES}
    return name not in needed or needed[name].exists()


def picture() -> str:
    """The figure of the report that stands in the README; alone, it brings the colours of light and dark itself."""
    return standalone(overview(Results(collect(RESULTS / "standard"))))


def written(text: str) -> str:
    """A page with every table made anew."""

    def made(found: re.Match[str]) -> str:
        return f"{found[1]}{TABLES[found[2]]()}{found[4]}" if can_be_made(found[2]) else found[0]

    return MARKED.sub(made, text)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "".join(f"{line}\n" for line in markdown_table(heads, rows))


def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _ratios(row: dict[str, float]) -> str:
    """Training and inference; nothing where a package that is compared with was missing."""
    shown = (row[key] for key in ("train_ratio", "inference_ratio") if key in row)
    return " / ".join(f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}" for ratio in shown)


def main() -> None:
    if PICTURE.read_text(encoding="utf-8") != picture():
        write_atomically(PICTURE, picture())
        print(PICTURE.relative_to(ROOT))
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        after = written(before)
        if after != before:
            write_atomically(page, after)
            print(page.relative_to(ROOT))
    for name in TABLES:
        if not can_be_made(name):
            print(f"{name} is left as it is: what it is made from is not in results/")


if __name__ == "__main__":
    main()
