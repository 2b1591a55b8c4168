"""Mistakes people make: one edit of a true equation, as a position and a new subtree (whether it makes the equation
false is for the oracle to say)."""

from __future__ import annotations

from dgl_mathtree.corpus.discovery.mistakes.scene import Place, Scene
from dgl_mathtree.corpus.discovery.mistakes.table import MISTAKES, mistake

__all__ = ["MISTAKES", "Place", "Scene", "mistake"]
