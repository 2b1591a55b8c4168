"""Claims as tables and in sentences."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from dgl_mathtree.reproduce.report.claims import BEST, CLAIMS, NUMBER, Claim, Pair, best_row, estimate, order
from dgl_mathtree.reproduce.report.document import PAIR, Entry, Row, Table
from dgl_mathtree.reproduce.report.measures import accuracy_on_test
from dgl_mathtree.reproduce.report.printed_figures import ABLATION, ABLATION_NOTE, Printed, printed
from dgl_mathtree.reproduce.report.results import Cell, Results
from dgl_mathtree.reproduce.report.statistics import MOST_SEEDS, OPEN, Estimate, mcnemar, p_text
from dgl_mathtree.reproduce.studies import LIKE, PARTNERS, ROWS

COLUMNS = ["claim", "verdict", "here", "95% interval", "p", "effect (Hedges' g)", "seeds", "seeds to decide"]
COLUMNS += ["the paper's"]
WHERE = ((LIKE, "on data like the paper's"), (ROWS, "on checked labels"))


def claims_table(results: Results, data: str, title: str) -> Table:
    """All claims on one set of data, each with its pairs."""
    rows: list[Row] = []
    for trees_only, words in ((False, "all rows"), (True, "recursive rows alone")):
        found, tau = order(results, data, trees_only)
        if found is not None:
            name = f"The order of the rows is the paper's: Spearman's correlation, {words} ({tau})"
            rows.append((f"{PAIR if trees_only else ''}{name}", _entries(found, "", f"{found.count} rows")))
    found, rival = best_row(results, data)
    if found is not None:
        rows.append((f"{BEST} is the best row (here against {rival})", _entries(found, "")))
    for claim in CLAIMS.values():
        rows += _rows(results, data, claim)
    note = (
        "Differences of means over runs, in points of accuracy or in epochs. Runs of different models are not pairs, "
        "so intervals and p are those of Welch's t for independent runs. Both are corrected for "
        f"{NUMBER} claims on the same data (Bonferroni: the 95% intervals hold at once), those of the best row also "
        "for the rows it is chosen from. All this was settled before the runs on data like the paper's were made. A "
        "claim holds if the interval lies above 0, does not hold if it lies below, and cannot be decided while it "
        "covers 0 or a model has one seed. Seeds to decide: how many of each model would decide it with a chance of "
        "80%, if the difference were the one found. Accuracy is that on test; over the first epochs, as many as all of "
        "these runs have, it is that on validation, and every model has the learning rate that was chosen for it; "
        "stability is the slope of accuracy over the depths of the test."
    )
    return Table(f"claims-{data}", title, note, COLUMNS, rows, printed=[8])


def _rows(results: Results, data: str, claim: Claim) -> list[Row]:
    """A claim, its pairs and what is looked at beside it."""
    whole, used = estimate(results, data, claim)
    if whole is None:
        return []
    count = f"{len(used)} of {len(claim.pairs)}" if len(used) < len(claim.pairs) else f"{len(used)}"
    pairs = f"mean of {count} pairs" if len(claim.pairs) > 1 else "one pair"
    theirs = claim.printed_mean if claim.printed_mean is not None else _printed(claim, [claim.pairs[k] for k in used])
    rows: list[Row] = [(f"{claim.text} ({claim.unit}, {pairs})", _entries(whole, _signed(theirs)))]
    rival = "the better of both" if claim.rivals else ""
    beside = [(f"{better} against {rival or worse}", ((better, worse),)) for better, worse in claim.pairs]
    for words, some in (*(beside if len(beside) > 1 else []), *claim.parts):
        one, found = estimate(results, data, claim, some)
        if one is not None and len(found) == len(some):
            rows.append((f"{PAIR}{words}", _entries(one, _signed(_printed(claim, some)))))
    return rows


def _printed(claim: Claim, pairs: Sequence[Pair]) -> float | None:
    """The mean of what the paper prints for some pairs."""
    gains = [gain for pair in pairs if (gain := claim.printed(pair)) is not None]
    return statistics.mean(gains) if gains else None


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.2f}"


def _entries(found: Estimate, theirs: str, count: str = "") -> list[Entry]:
    effect = "" if found.effect is None else f"{found.effect:+.2f}"
    interval = found.interval or ("one seed" if found.count == 1 else "the same for all seeds")
    needed = "" if found.needed is None else seeds_text(found.needed)
    here = f"{found.value:+.2f}"
    return [found.verdict, here, interval, p_text(found.p), effect, count or str(found.count), needed, theirs]


def seeds_text(needed: int) -> str:
    """A number of seeds that would decide a claim."""
    return f"{needed:,}" if needed <= MOST_SEEDS else f"more than {MOST_SEEDS:,}"


def limited(results: Results, data: str) -> str:
    """How many runs were stopped by the limit of epochs before they had converged, in words."""
    runs = [run for model in results.models(data) for run in results.of(data, model) if len(run.history) > 1]
    cut = [run for run in runs if run.metrics["epochs"] == run.config["config"].get("epochs")]
    if not cut:
        return ""
    return (
        f"{len(cut)} of {len(runs)} runs on {data} were still training at their limit of epochs: with more, their best "
        "could come later, and differences of epochs to the best could be larger or smaller."
    )


def ablation_table(results: Results, data: str = ROWS) -> Table:
    """Each proposed model beside its partner of first order."""
    rows: list[Row] = []
    for model, partner in PARTNERS.items():
        mine, theirs = results.of(data, model), results.of(data, partner)
        if not (mine and theirs):
            continue
        found = mcnemar(mine[0].right(), theirs[0].right())
        shown: tuple[Entry, Entry] = ABLATION.get(model, (_test(model), _test(partner)))
        cells = [results.cell(data, name, accuracy_on_test) for name in (model, partner)]
        p: Entry = "no difference" if found is None else Cell(found, None, (mine[0], theirs[0]), 4)
        rows.append((model, [partner, *cells, p, *shown]))
    columns = ["higher order", "first order", "test accuracy", "of the first order"]
    columns += ["p, McNemar on the test equations (first seed)", "the paper's", "the paper's of the first order"]
    note = (
        f"Percent. {ABLATION_NOTE} McNemar's test asks whether two networks differ on these equations, not whether two "
        "models differ from seed to seed, as the claims above do."
    )
    title = f"With and without higher order, on {data}"
    return Table(f"ablation-{data}", title, note, columns, rows, printed=[5, 6])


def _test(model: str) -> Printed | str:
    return printed(model, "test") or ""


def in_words(results: Results, name: str, beside: str = "") -> str:
    """What a claim comes to on data like the paper's, and on checked labels.

    Parameters
    ----------
    beside : str
        Words of one of its parts, which is told too.
    """
    claim, said = CLAIMS[name], []
    parts = dict(claim.parts)
    for data, words in WHERE:
        found, used = estimate(results, data, claim)
        if found is None:
            continue
        some = "" if len(used) == len(claim.pairs) else f", {len(used)} of {len(claim.pairs)} pairs"
        text = f"{words}, {found.words(claim.unit)}{some}: {_verdict(found)}"
        if beside:
            other, used = estimate(results, data, claim, parts[beside])
            if other is not None and len(used) == len(parts[beside]):
                text += f" ({beside} {other.words(claim.unit)}: {_verdict(other)})"
        said.append(text)
    return "; ".join(said) or OPEN + ", for want of runs"


def _verdict(found: Estimate) -> str:
    """A verdict, and how many seeds would decide what is open."""
    return found.verdict + (f" (it would take {seeds_text(found.needed)} seeds)" if found.needed is not None else "")
