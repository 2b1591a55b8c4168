"""Why a verifier says what it says of an equation: the facts, and a page that shows them."""

from dgl_mathtree.web.explain.explanation import MOST_NODES, Completion, Explainer, ExplainError, Explanation, explain

__all__ = ["MOST_NODES", "Completion", "ExplainError", "Explainer", "Explanation", "explain"]
