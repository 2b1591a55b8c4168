"""The oracle: verdicts on equations by evaluating both sides, in floating point and in ball arithmetic."""

from dgl_mathtree.oracle.evaluate import evaluate_forest
from dgl_mathtree.oracle.oracle import Oracle, judge
from dgl_mathtree.oracle.verdict import Judgement, Witness

__all__ = ["Judgement", "Oracle", "Witness", "evaluate_forest", "judge"]
