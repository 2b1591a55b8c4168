"""What the files of a run must hold for a report, as shapes of `dgl_mathtree.schema`."""

from __future__ import annotations

from dgl_mathtree.errors import InputError

SHARES = {"*?": float}
PART = {"overall": {"accuracy": float, "count": int, **SHARES}, "by_depth": {"#": {"accuracy": float, "count?": int}}}
COMPLETION = {"overall": SHARES, "by_depth": {"#": SHARES}}
SETTINGS = {"hidden": int, "dropout": float, "lr?": float, "epochs?": int, "objective?": str, "root?": str}
CONFIG_SHAPE = {"config": {"seed": int, **SETTINGS}, "checksum": str}
METRICS_SHAPE = {
    "parameters": int,
    "epochs": int,
    "best_epoch": int,
    "seconds": float,
    "train?": PART,
    "validation": PART,
    "test": PART,
}
ANALYSIS_SHAPE = {
    "test_right": str,
    "machine": str,
    "versions": {"*": str},
    "completion?": COMPLETION,
    "completion_original?": COMPLETION,
    "also?": {"*": {"overall": {"accuracy": float}}},
}
LINE_SHAPE = {"epoch": int, "validation_accuracy": float, "seconds": float}


class ReportError(InputError):
    """Results that cannot be read: what and where."""
