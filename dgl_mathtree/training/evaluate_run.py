"""How good a run's model is on every part of its data: what `metrics.json` holds of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from dgl_mathtree.inference.metrics import evaluation
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import VocabularyError
from dgl_mathtree.training.run_data import RunData

MOST = 50_000
"""Equations of a part that are measured at most: those of a larger one at even distances."""


def measure(trained: TrainedVerifier, data: RunData) -> dict[str, Any]:
    """The `evaluation` of each part; under ``unread``, why a part has none: words that training did not have."""
    result: dict[str, Any] = {}
    for name, part in data.parts().items():
        count = min(len(part), MOST)
        places = np.arange(count) * len(part) // count
        try:
            logits = trained.score_forest(part.forest, places)
        except VocabularyError as error:
            result.setdefault("unread", {})[name] = str(error)
            continue
        result[name] = evaluation(
            logits, part.label.numpy()[places], part.depth.numpy()[places], [part.kind[k] for k in places.tolist()]
        )
    return result
