"""The independent checker of proofs: accepts only what is true at every point of the equation's domain."""

from dgl_mathtree.proof.check.checker import check
from dgl_mathtree.proof.check.limits import ProofError

__all__ = ["ProofError", "check"]
