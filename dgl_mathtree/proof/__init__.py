"""Proofs of equations: named laws, search, the normal form, and an independent checker."""

from dgl_mathtree.proof.derivation import NoProof, Proof
from dgl_mathtree.proof.prove import prove
from dgl_mathtree.proof.step import Step

__all__ = ["NoProof", "Proof", "Step", "prove"]
