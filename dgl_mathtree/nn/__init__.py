"""Recursive cells as DGL modules."""

from dgl_mathtree.nn.cell import TreeCell
from dgl_mathtree.nn.m_tree_lstm import MTreeLSTM
from dgl_mathtree.nn.mi_tree_lstm import MITreeLSTM
from dgl_mathtree.nn.second_order_tree_rnn import SecondOrderTreeRNN
from dgl_mathtree.nn.stack import Stacked
from dgl_mathtree.nn.tree_lstm import MemoryCell, TreeLSTM
from dgl_mathtree.nn.tree_rnn import TreeRNN
from dgl_mathtree.nn.tree_smu import TreeSMU

__all__ = [
    "MITreeLSTM",
    "MTreeLSTM",
    "MemoryCell",
    "SecondOrderTreeRNN",
    "Stacked",
    "TreeCell",
    "TreeLSTM",
    "TreeRNN",
    "TreeSMU",
]
