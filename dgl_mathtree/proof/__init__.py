"""Proofs of equations: named laws, search, the normal form, and an independent checker."""

from dgl_mathtree.proof.derivation import NoProof, Proof, Step
from dgl_mathtree.proof.prove import prove

__all__ = ["NoProof", "Proof", "Step", "prove"]
