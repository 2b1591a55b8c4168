"""Recursive cells as DGL modules, the verifier built on them, and the sequence baselines."""

from dgl_mathtree.nn.cell import TreeCell
from dgl_mathtree.nn.encoder import TreeEncoder
from dgl_mathtree.nn.m_tree_lstm import MTreeLSTM
from dgl_mathtree.nn.memory_cell import MemoryCell
from dgl_mathtree.nn.mi_tree_lstm import MITreeLSTM
from dgl_mathtree.nn.models import MODELS, Verifier, make_cell, make_model, make_verifier
from dgl_mathtree.nn.second_order_tree_rnn import SecondOrderTreeRNN
from dgl_mathtree.nn.sequence import SequenceEncoder
from dgl_mathtree.nn.stack import Stacked
from dgl_mathtree.nn.tree_lstm import TreeLSTM
from dgl_mathtree.nn.tree_rnn import TreeRNN
from dgl_mathtree.nn.tree_smu import TreeSMU
from dgl_mathtree.nn.verifier import EquationVerifier

__all__ = [
    "MODELS",
    "EquationVerifier",
    "MITreeLSTM",
    "MTreeLSTM",
    "MemoryCell",
    "SecondOrderTreeRNN",
    "SequenceEncoder",
    "Stacked",
    "TreeCell",
    "TreeEncoder",
    "TreeLSTM",
    "TreeRNN",
    "TreeSMU",
    "Verifier",
    "make_cell",
    "make_model",
    "make_verifier",
]
