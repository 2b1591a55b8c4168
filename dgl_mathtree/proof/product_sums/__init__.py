"""Derivations that turn products of sines and cosines into sums: every polynomial in them becomes linear."""

from dgl_mathtree.proof.product_sums.deriving import derive_by_sums

__all__ = ["derive_by_sums"]
