"""What the experiments are made of: studies, which are runs with one purpose, and budgets, which say how large each is.

The runs of a study lie in one folder, ``runs/STUDY/MODEL/SETTING``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dgl_mathtree.nn import MODELS
from dgl_mathtree.training.config import PAPER

LSTMS = ("tree-lstm", "tree-lstm+stack", "m-tree-lstm", "mi-tree-lstm", "m-tree-lstm+stack", "mi-tree-lstm+stack")
"""The six rows of the ablation: three cells, with and without a stack."""
TABLED = tuple(name for name, model in MODELS.items() if not model.beside)
"""The rows of the tables; the other models stand beside them, and are trained by studies that name them."""
TREES = tuple(name for name in TABLED if MODELS[name].is_cell)
NETWORKS = tuple(name for name in TABLED if not MODELS[name].is_baseline)
SIX = ("tree-rnn", "tree-lstm", "second-order-tree-rnn", "m-tree-lstm", "mi-tree-lstm", "m-tree-lstm+stack")
"""The rows that are trained on other data and with other objectives, too."""
PARTNERS = {
    "second-order-tree-rnn": "tree-rnn",
    "m-tree-lstm": "tree-lstm",
    "mi-tree-lstm": "tree-lstm",
    "m-tree-lstm+stack": "tree-lstm+stack",
    "mi-tree-lstm+stack": "tree-lstm+stack",
}
"""Each proposed model, and the first-order model that it is to be better than."""
FURTHER: dict[str, dict[str, str]] = {
    "hard": {"recipe": "hard", "split": "paper"},
    "grouped": {"recipe": "paper", "split": "grouped"},
    "held-out-axioms": {"recipe": "paper", "split": "held-out-axioms"},
    "original": {"recipe": "original", "split": "paper"},
}
"""Data beyond that which comes with the project: how each is made."""
ROWS = "paper"
"""The study of the paper's rows on the data that comes with the project, whose labels are checked."""
LIKE = "original"
"""The study of the paper's rows on data that is made and labelled as the paper's was."""
PRINTED = "printed"
"""The study of the paper's rows on the same data with the protocol that the paper prints."""
DEVIATIONS = "original-deviations"
"""The study of what else was tried with rows that lie far from the paper's figures."""
BESIDE = tuple(name for name, model in MODELS.items() if model.beside)
"""Models that are not rows of the paper's table: trained beside them in the study `LIKE` and in no other."""
TIMES_LR = "times_lr"
"""An entry of a variant: how many times the model's own learning rate."""


Variants = tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Study:
    """Runs with one purpose.

    Attributes
    ----------
    models : tuple of str
        Which.
    seeds : int
        Runs of each model with each variant.
    settings : dict
        Entries of the configuration of every run.
    data : str
        ``paper``, or a name of `FURTHER`.
    variants : tuple of dict
        Further entries: every model is run with each. `TIMES_LR` is one of them.
    chosen_in : str
        The study whose variant with the best accuracy on validation every model takes; by default none. A model that
        is not searched there takes the settings as they are.
    variants_of : dict
        The variants of single models, in place of those.
    fewer : dict
        Seeds of models that have fewer.
    also : str
        Further data to test on; by default none.
    blanks : int
        On how many blanks of `paper` completion is measured; by default on none.
    original_blanks : int
        The same of the original project's blanks, where a folder with them is given.
    """

    models: tuple[str, ...]
    seeds: int
    settings: dict[str, Any]
    data: str = "paper"
    variants: Variants = ({},)
    variants_of: dict[str, Variants] = field(default_factory=dict)
    chosen_in: str = ""
    fewer: dict[str, int] = field(default_factory=dict)
    also: str = ""
    blanks: int = 0
    original_blanks: int = 0

    def variants_for(self, name: str) -> Variants:
        """The variants of a model."""
        return self.variants_of.get(name, self.variants)

    def seeds_of(self, name: str) -> int:
        """How many runs a model has."""
        # A floor has no chance in it.
        return 1 if MODELS[name].is_baseline else min(self.seeds, self.fewer.get(name, self.seeds))


Budget = dict[str, Study]
"""How much to spend: studies by name, those first whose results others need."""
STANDARD = {"hidden": 50, "dropout": 0.1, "batch_size": 100, "patience": 2}
SEARCHED: Variants = (
    {},
    {"dropout": 0.2},
    {"dropout": 0.3},
    {"hidden": 30},
    {TIMES_LR: 0.3},
    {TIMES_LR: 3.0},
)
"""One entry at a time is changed: the same search for a baseline as for a proposed model."""
SEMANTIC = tuple(
    {"objective": objective, "head": head} for objective in ("verification", "semantic") for head in ("dot", "cosine")
)
SEQUENCES = {"rnn": 3, "lstm": 3, "stack-rnn": 3}
SEEDS_BESIDE = dict.fromkeys(BESIDE, 2)


ALL = 10**6
"""More blanks than there are."""
PROTOCOL = PAPER | {"epochs": 500, "early_stopping": 10}
"""What the paper prints. It does not print when training ends before epoch 500; after ten epochs without improvement
the rate, halved after each, is a thousandth."""
SIZES = (8, 15, 25, 30, 40, 45, 50, 55, 60, 80, 100)
GRID = tuple({"hidden": hidden, "dropout": dropout} for hidden in SIZES for dropout in (0.1, 0.2, 0.3))
"""The paper's: all of its hidden sizes with each of its dropouts."""


TRIED: dict[str, Variants] = {
    "rnn": ({}, {"augment": "none"}),
    "stack-rnn": ({"augment": "none"},),
    "tree-rnn": ({}, {"scale": 1.0}, {"augment": "none"}, {"hidden": 100}, {"options": {"activation": "sigmoid"}}),
    "tree-smu-no-op": ({"augment": "none"},),
    "m-tree-lstm": ({}, {"options": {"integration": "sum"}}),
}
"""What else is tried with rows that lie far from the paper's figures: the model's own settings, no swapped operands,
and what the paper or the original project may have had."""


def _like_for_like(seeds: int, chosen_in: str, fewer: dict[str, int]) -> Study:
    """The rows on the data like the paper's, with the settings that a search chose."""
    return Study(
        (*TABLED, *BESIDE),
        seeds,
        STANDARD | {"epochs": 60},
        LIKE,
        chosen_in=chosen_in,
        fewer=fewer,
        also="paper",
        original_blanks=ALL,
    )


def _standard() -> Budget:
    rows = STANDARD | {"epochs": 40}
    studies = {
        "paper-search": Study(NETWORKS, 1, STANDARD | {"epochs": 8}, variants=SEARCHED),
        ROWS: Study(TABLED, 5, rows, chosen_in="paper-search", fewer=SEQUENCES, blanks=500, original_blanks=500),
        LIKE: _like_for_like(5, "paper-search", SEQUENCES | SEEDS_BESIDE),
        # One setting of the paper's grid, which budget `full` has whole.
        PRINTED: Study(NETWORKS, 1, PROTOCOL | {"hidden": 50, "dropout": 0.1}, LIKE, also="paper", original_blanks=ALL),
        DEVIATIONS: Study(tuple(TRIED), 1, STANDARD | {"epochs": 60}, LIKE, variants_of=TRIED),
        "paper-ablation": Study(
            SIX, 3, STANDARD | {"hidden": 30, "epochs": 12, "schedule": "one-cycle"}, variants=SEMANTIC
        ),
    }
    further = STANDARD | {"epochs": 10, "schedule": "one-cycle"}
    for data in ("hard", "grouped", "held-out-axioms"):
        studies[data] = Study(SIX, 3, further, data, chosen_in="paper-search")
    return studies


def _full() -> Budget:
    studies = {"paper-search": Study(NETWORKS, 1, PROTOCOL, variants=GRID)}
    studies[ROWS] = Study(TABLED, 10, PROTOCOL, chosen_in="paper-search", blanks=500, original_blanks=ALL)
    studies["original-search"] = Study((*NETWORKS, *BESIDE), 1, STANDARD | {"epochs": 20}, LIKE, variants=SEARCHED)
    studies[LIKE] = _like_for_like(10, "original-search", {})
    studies["printed-search"] = Study(NETWORKS, 1, PROTOCOL, LIKE, variants=GRID)
    studies[PRINTED] = Study(
        NETWORKS, 10, PROTOCOL, LIKE, chosen_in="printed-search", also="paper", original_blanks=ALL
    )
    for data in ("hard", "grouped", "held-out-axioms"):
        studies[data] = Study(TABLED, 10, PROTOCOL, data, chosen_in="paper-search")
    return studies


BUDGETS: dict[str, Budget] = {
    "quick": {ROWS: Study(TABLED, 1, {"epochs": 1, "hidden": 16, "batch_size": 200}, blanks=100, original_blanks=100)},
    "standard": _standard(),
    "full": _full(),
}
