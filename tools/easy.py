"""What makes data easy: python tools/easy.py WORK [--seeds 3] [--epochs 20] [--scale 1] [--out results/easy.json]

The recipe `legacy` of version 0.1.0 becomes the recipe `original` by one change at a time (`variants`). The data of
each is made in WORK, and a `tree-lstm` trained on it with the settings of the study `original`. A seed is that of
the data and of the network. One seed of everything comes first; what is finished is never done again.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from dgl_mathtree.data.automatic_evaluation import evaluates_to_true
from dgl_mathtree.data.blocks import CORRECT, BlockMaker, Bucket
from dgl_mathtree.data.candidate import Candidate
from dgl_mathtree.data.data_files import EQUATIONS, Row, read_card, read_rows
from dgl_mathtree.data.data_writer import generated_row, write_rows
from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.data.edits import Editor
from dgl_mathtree.data.edits.uniform_edits import edit_uniformly
from dgl_mathtree.data.generate import Maker, generate
from dgl_mathtree.data.loose_matching import LooseRules
from dgl_mathtree.data.population import DEEPEST, TRIES, Population, loose_step
from dgl_mathtree.data.provenance import Derivation, Edit, Start
from dgl_mathtree.data.recipe import Recipe, load_recipe
from dgl_mathtree.data.recipe_checks import RecipeError
from dgl_mathtree.data.rewriting import Rule
from dgl_mathtree.data.walks import RewriteStep, Walker
from dgl_mathtree.errors import InputError
from dgl_mathtree.files import read_json, write_atomically
from dgl_mathtree.inference.metrics import right_answers, score
from dgl_mathtree.language import Equation
from dgl_mathtree.language.expr import Words, depth_of
from dgl_mathtree.language.variable_indices import place
from dgl_mathtree.reproduce.experiments import check_seeds
from dgl_mathtree.reproduce.studies import LIKE, STANDARD
from dgl_mathtree.schema import check
from dgl_mathtree.training.config import Config
from dgl_mathtree.training.run_folder import load
from dgl_mathtree.training.trainer import train

MODEL = "tree-lstm"
Member = tuple[Words, Derivation]


@dataclass(frozen=True)
class Variant:
    """A way to make data.

    Attributes
    ----------
    name : str
        Of its folders, and in the results.
    recipe : Recipe
        Sizes and settings.
    make : callable, optional
        Returns what makes candidates instead of what the recipe says.
    """

    name: str
    recipe: Recipe
    make: Callable[[Recipe], Maker] | None = None


def variants(scale: float = 1.0) -> list[Variant]:
    """From `legacy` to `original`, each with one change more than the one before; then both with checked labels."""
    original = load_recipe(LIKE)
    legacy = replace(
        load_recipe("paper"), name="legacy", oracle=False, careless=0.25, axiom_sets=["elementary", "unsound"]
    )
    uniform = replace(legacy, name="walks", axioms={}, starts={})
    start = replace(uniform, axiom_sets=original.axiom_sets)
    listed = [
        Variant("legacy", legacy),
        Variant("matcher", legacy, lambda recipe: _Walks(recipe).blocks),
        Variant("rules", uniform, lambda recipe: _Walks(recipe).blocks),
        Variant("start-set", start, lambda recipe: _Walks(recipe).blocks),
        Variant("steps", start, lambda recipe: _Walks(recipe, drawn_steps=True).blocks),
        Variant("edits", start, lambda recipe: _Walks(recipe, drawn_steps=True, edits=True).blocks),
        Variant("labels", start, lambda recipe: _EvaluatedWalks(recipe, drawn_steps=True, edits=True).blocks),
        Variant("walks", original, lambda recipe: _runs(_Independent(recipe))),
        Variant("original", original),
        Variant("legacy-checked", replace(legacy, oracle=True)),
        Variant("original-checked", original, lambda recipe: _runs(_Checked(recipe))),
    ]
    return [replace(variant, recipe=variant.recipe.scaled(scale)) for variant in listed]


class _LooseWalker(Walker):
    """Walks whose rules match as those of the original project do.

    Parameters
    ----------
    recipe : Recipe
        Weights of axioms, leaves and steps.
    drawn_steps : bool
        Whether a walk makes only its last equation, after as many steps as a member of a population is away from the
        start set, and does not aim at a depth.
    """

    def __init__(self, recipe: Recipe, drawn_steps: bool) -> None:
        super().__init__(recipe)
        axioms = recipe.usable_axioms.values()
        self._loose = LooseRules(Rule(axiom, forward) for axiom in axioms for forward in (True, False))
        self._count = len(axioms) if drawn_steps else 0
        self._population = load_recipe(LIKE).population

    def walk(self, rng: random.Random, aim: int) -> Iterator[tuple[Words, int, Derivation]]:
        if not self._count:
            yield from super().walk(rng, aim)
            return
        steps = steps_of_member(rng, self._count, self._population)
        yield from list(islice(super().walk(rng, self.recipe.deepest), 1 + steps))[-1:]

    def _rewritten(
        self, rng: random.Random, words: Words, at: int, ends: Sequence[int]
    ) -> tuple[Words, RewriteStep] | None:
        found = self._loose.matching(words, at, ends)
        weights = [self.recipe.rule_weight(rule.axiom.name, rule.forward) for rule, _ in found]
        if not any(weights):
            return None
        new, step = loose_step(rng, *rng.choices(found, weights)[0], words, at, ends)
        return None if new == words else (new, step)


def steps_of_member(rng: random.Random, starts: int, population: int) -> int:
    """How many steps a random member of a population is away from the start set."""
    at, steps = rng.randrange(population), 0
    while at >= starts:
        at, steps = rng.randrange(at), steps + 1
    return steps


class _UniformEditor(Editor):
    def edit(self, rng: random.Random, words: Words) -> Edit | None:
        return edit_uniformly(rng, words)


class _Walks(BlockMaker):
    """Blocks of walks that match loosely."""

    def __init__(self, recipe: Recipe, drawn_steps: bool = False, edits: bool = False) -> None:
        super().__init__(recipe, frozenset())
        self.deep = self.shallow = _LooseWalker(recipe, drawn_steps)
        if edits:
            self.editor = _UniformEditor(recipe)


class _EvaluatedWalks(_Walks):
    """The same; an edited equation is labelled by automatic evaluation."""

    def _drafts(
        self, rng: random.Random, words: Words, depth: int, derivation: Derivation, wanted: dict[Bucket, int]
    ) -> Iterator[Candidate]:
        for draft in super()._drafts(rng, words, depth, derivation, wanted):
            edited = draft.kind != CORRECT
            yield replace(draft, label=evaluates_to_true(draft.words)) if edited else draft

    def _confirmed(self, drafts: list[Candidate]) -> list[Candidate | None]:
        counts = self.oracles[0].count(place(Equation._trusted(draft.words) for draft in drafts))
        return [draft.judged(found.verdict, draft.label) for draft, found in zip(drafts, counts, strict=True)]


class _Independent(Population):
    """Members that are walks of their own, as long as those of a population."""

    def _members(self, rng: random.Random) -> Iterator[Member]:
        starts = [(Start(axiom.name).apply(()), (Start(axiom.name),)) for axiom in self._axioms]
        seen: set[Words] = set()
        for _ in range(TRIES * self.recipe.population):
            if len(seen) >= self.recipe.population:
                return
            words, derivation = self._walk(rng, len(starts), *rng.choice(starts))
            if words not in seen:
                seen.add(words)
                yield words, derivation
        raise RecipeError(f"{self.recipe.name}: there are no {self.recipe.population} walks from these axioms")

    def _walk(self, rng: random.Random, starts: int, words: Words, derivation: Derivation) -> Member:
        for _ in range(steps_of_member(rng, starts, self.recipe.population)):
            taken = self._step(rng, words)
            if taken is not None and depth_of(taken[0]) <= DEEPEST:
                words, derivation = taken[0], (*derivation, taken[1])
        return words, derivation


class _Checked(Population):
    """A population of which only what the oracle confirms is kept."""

    def run(self, seed: str, wanted: Any) -> list[Candidate]:
        return [c for c in super().run(seed, wanted) if c.verdict == ("true" if c.label else "false")]


def _runs(population: Population) -> Maker:
    return lambda seeds, wanted: [population.run(seed, wanted) for seed in seeds]


def make_data(folder: Path, variant: Variant, seed: int) -> None:
    """The data of a variant."""
    maker = variant.make(variant.recipe) if variant.make else None
    made = generate(variant.recipe, seed, maker=maker)
    rows = (generated_row(f"{variant.name}-{number:06d}", candidate) for number, candidate in enumerate(made))
    write_rows(folder, rows, {"name": variant.name, "description": __doc__.split("\n\n")[1], "seed": seed})


def measured(data: Path, run: Path, variant: str, config: Config) -> dict[str, Any]:
    """A network trained on a variant, and what its data is like."""
    metrics = train(config, run)
    test = EquationDataset(data, "test")
    right = right_answers(score(load(run).network, test.forest), test.label.numpy())
    rows = {part: list(read_rows(data, part)) for part in ("train", "test")}
    confirmed = {row.id for row in rows["test"] if _is_confirmed(row)}
    kept = [bool(answer) for name, answer in zip(test.ids, right, strict=True) if name in confirmed]
    correct = [row for row in rows["train"] if row.label]
    card = read_card(data)
    return {
        "variant": variant,
        "seed": config.seed,
        "epochs": metrics["epochs"],
        **{part: metrics[part]["overall"]["accuracy"] for part in ("train", "validation", "test")},
        "test_confirmed": sum(kept) / len(kept),
        "confirmed": {
            f"{part}_{name}": _share([row for row in found if row.label == label])
            for part, found in rows.items()
            for label, name in ((1, "correct"), (0, "incorrect"))
        },
        "steps": sum(len(row.derivation) - 1 for row in correct) / len(correct),
        "bag_of_words": card["floors"]["bag-of-words"]["test"],
        "twins": card["leaks"]["canonical"]["validation"],
    }


def _is_confirmed(row: Row) -> bool:
    return row.verdict == ("true" if row.label else "false")


def _share(rows: Sequence[Row]) -> float:
    """The share of rows whose label the oracle confirms."""
    return sum(map(_is_confirmed, rows)) / len(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", metavar="WORK", type=Path)
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="runs of each variant (default 3)")
    parser.add_argument("--epochs", type=int, default=20, metavar="N", help="at most so many (default 20)")
    parser.add_argument("--scale", type=float, default=1.0, metavar="X", help="of the data, to try the program out")
    parser.add_argument("--out", type=Path, default=Path("results/easy.json"), metavar="FILE")
    options = parser.parse_args(arguments)
    try:
        check_seeds(options.seeds)
        run_all(options.work, variants(options.scale), options.seeds, options.epochs, options.out)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def run_all(work: Path, listed: Sequence[Variant], seeds: int, epochs: int, out: Path) -> None:
    """All runs that are not in the results yet, which are written after each."""
    asked = {"equations": sum(listed[0].recipe.sizes.values()), "most_epochs": epochs}
    names = [variant.name for variant in listed]
    results = _before(out, names, asked)
    for seed in range(seeds):
        for variant in listed:
            if any((run["variant"], run["seed"]) == (variant.name, seed) for run in results):
                continue
            data = work / "data" / f"{variant.name}-{seed}"
            config = Config.of({"data": str(data), "model": MODEL, "seed": seed} | STANDARD | {"epochs": epochs})
            if not (data / EQUATIONS).is_file():
                make_data(data, variant, seed)
            result = asked | measured(data, work / "runs" / f"{variant.name}-{seed}", variant.name, config)
            results = sorted([*results, result], key=lambda run: (names.index(run["variant"]), run["seed"]))
            write_atomically(out, json.dumps(results, indent=1) + "\n")
            print(f"{variant.name}, seed {seed}: test {100 * result['test']:.1f}", flush=True)


def _before(out: Path, names: Sequence[str], asked: dict[str, int]) -> list[dict[str, Any]]:
    """The results so far, which must be of the same variants, sizes and epochs."""
    results: list[dict[str, Any]] = read_json(out) if out.exists() else []
    check(results, [{"variant": str, "seed": int, "equations": int, "most_epochs": int}], str(out), InputError)
    if any(run["variant"] not in names or not asked.items() <= run.items() for run in results):
        raise InputError(f"{out} has runs on other data or with other epochs; name another file with --out")
    return results


if __name__ == "__main__":
    sys.exit(main())
