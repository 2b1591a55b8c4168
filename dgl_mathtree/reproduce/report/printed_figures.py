"""The figures that the paper prints, in percent.

Mali, Ororbia, Kifer and Giles, *Recognizing and Verifying Mathematical Equations using Multiplicative Differential
Neural Units*, AAAI 2021 (arXiv:2104.02899). Deviations are over ten seeds. They were measured on the authors' own data,
whose labels nobody checked: only ``original``, tested on its own labels, is like for like.
"""

from __future__ import annotations

from dataclasses import dataclass

CITATION = (
    "Mali, Ororbia, Kifer and Giles: Recognizing and Verifying Mathematical Equations using Multiplicative "
    "Differential Neural Units, 2021"
)
PARTS = ("train", "validation", "test")
MEASURES = ("accuracy", "precision", "recall")


@dataclass(frozen=True)
class Printed:
    """A figure of the paper's.

    Attributes
    ----------
    value : float
        In percent, or epochs.
    deviation : float, optional
        What is printed behind ±.
    """

    value: float
    deviation: float | None = None

    @property
    def text(self) -> str:
        return f"{self.value:g}" if self.deviation is None else f"{self.value:g} ± {self.deviation:g}"


def read_printed(text: str) -> Printed:
    """A figure as it is printed.

    Examples
    --------
    >>> read_printed("65.77±.44")
    Printed(value=65.77, deviation=0.44)
    """
    value, _, deviation = text.partition("±")
    return Printed(float(value), float(deviation) if deviation else None)


# Accuracy / precision / recall on train, validation and test, letter by letter.
_VERIFICATION = {
    "majority": ("58.12", "56.67", "51.71"),
    "rnn": (
        "68.50 / 69.61 / 81.27",
        "65.77±.44 / 65.69±.72 / 83.06±1.24",
        "55.5±.25 / 55.85±.61 / 67.32±3.62",
    ),
    "lstm": (
        "90.03 / 87.02 / 97.37",
        "85.47±.27 / 81.97±.38 / 95.32±.17",
        "73.09±.64 / 73.92±1.48 / 74.34±1.53",
    ),
    "stack-rnn": (
        "92.03 / 86.42 / 98.43",
        "83.47±.35 / 84.58±.32 / 95.00±.27",
        "73.09±.64 / 73.92±1.48 / 74.34±1.53",
    ),
    "tree-rnn": (
        "94.98 / 94.25 / 97.29",
        "89.27±.04 / 87.8±.39 / 94.16±.61",
        "81.82±.12 / 82.66±.55 / 82.08±.55",
    ),
    "tree-lstm": (
        "98.51 / 97.67 / 99.83",
        "93.77±.02 / 90.92±.08 / 98.88±.08",
        "86.8±.6 / 83.68±.63 / 92.54±.76",
    ),
    "tree-smu": (
        "96.71 / 95.12 / 99.09",
        "92.59±.03 / 90.55±.17 / 98.07±.18",
        "87.51±.49 / 84.00±.31 / 94.21±.62",
    ),
    "tree-smu-no-op": (
        "98.02 / 97.07 / 98.99",
        "93.58±.21 / 91.44±.23 / 98.11±.09",
        "87.08±.15 / 84.32±.52 / 92.51±.51",
    ),
    "tree-smu-no-op-normalize": (
        "97.97 / 96.57 / 99.79",
        "93.21±.20 / 90.29±.17 / 98.30±.12",
        "87.01±.50 / 83.01±.62 / 93.77±.49",
    ),
    "second-order-tree-rnn": (
        "95.62 / 94.58 / 98.25",
        "90.28±.07 / 90.25±.35 / 98.08±.20",
        "86.05±.11 / 84.05±.30 / 88.99±.30",
    ),
    "mi-tree-lstm": (
        "98.80 / 98.01 / 99.80",
        "94.20±.02 / 91.50±.07 / 98.99±.06",
        "87.80±.7 / 84.08±.45 / 93.00±.40",
    ),
    "m-tree-lstm": (
        "98.25 / 97.00 / 98.81",
        "94.09±.02 / 91.00±.05 / 99.00±.06",
        "87.25±.5 / 84.29±.25 / 93.02±.35",
    ),
    "mi-tree-lstm+stack": (
        "96.28 / 96.00 / 99.25",
        "93.99±.04 / 91.55±.15 / 98.57±.09",
        "88.25±.81 / 84.41±.39 / 94.47±.61",
    ),
    "m-tree-lstm+stack": (
        "97.35 / 97.15 / 99.20",
        "94.29±.02 / 90.99±.04 / 98.28±.09",
        "89.04±.54 / 84.59±.47 / 94.39±.59",
    ),
}
VERIFICATION: dict[str, dict[str, dict[str, Printed]]] = {
    model: {
        part: dict(zip(MEASURES, map(read_printed, text.split(" / ")), strict=False))
        for part, text in zip(PARTS, texts, strict=True)
    }
    for model, texts in _VERIFICATION.items()
}
"""For each model and part the measures that are printed."""
DOUBTFUL = {"stack-rnn": "printed the same as the LSTM's on test, which is probably an error of the paper"}
"""Rows to be read with care, and why."""
ABLATION: dict[str, tuple[Printed, Printed]] = {
    "m-tree-lstm": (Printed(87.25), Printed(84.59)),
    "mi-tree-lstm": (Printed(87.80), Printed(84.59)),
    "m-tree-lstm+stack": (Printed(89.04), Printed(86.88)),
    "mi-tree-lstm+stack": (Printed(88.25), Printed(86.51)),
}
"""Test accuracy with and without the weights of higher order."""
ABLATION_NOTE = "For mi-tree-lstm+stack without higher order the paper prints 86.51, and 86.88 in its appendix."
CONVERGENCE: dict[str, tuple[Printed, Printed]] = {
    "tree-lstm": (Printed(135), Printed(93.77, 0.02)),
    "tree-smu": (Printed(99), Printed(93.58, 0.21)),
    "m-tree-lstm": (Printed(102), Printed(94.09, 0.02)),
    "mi-tree-lstm+stack": (Printed(95), Printed(93.99, 0.04)),
    "m-tree-lstm+stack": (Printed(91), Printed(94.29, 0.02)),
    "second-order-tree-rnn": (Printed(98), Printed(90.28, 0.07)),
}
"""Mean epochs to the best accuracy on validation, and that accuracy."""
GAINS = {"verification": 1.53, "top1": 2.22, "top5": 2.96}
"""Gains in points that the paper's abstract claims: in verification of its best row over tree-smu (89.04 - 87.51), in
completion on average of its models over the best before them."""


def printed(model: str, part: str, measure: str = "accuracy") -> Printed | None:
    """What the paper prints of a model, if anything."""
    return VERIFICATION.get(model, {}).get(part, {}).get(measure)
