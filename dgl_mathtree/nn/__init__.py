"""Recursive cells as DGL modules, the verifier and the classifiers of trees built on them, and sequence baselines."""

from dgl_mathtree.nn import drivers
from dgl_mathtree.nn.baselines import BagOfOperators, Majority
from dgl_mathtree.nn.cell import TreeCell
from dgl_mathtree.nn.cells.m_tree_lstm import MTreeLSTM
from dgl_mathtree.nn.cells.memory_cell import MemoryCell
from dgl_mathtree.nn.cells.mi_tree_lstm import MITreeLSTM
from dgl_mathtree.nn.cells.second_order_tree_rnn import SecondOrderTreeRNN
from dgl_mathtree.nn.cells.stack import Stacked
from dgl_mathtree.nn.cells.tree_lstm import TreeLSTM
from dgl_mathtree.nn.cells.tree_rnn import TreeRNN
from dgl_mathtree.nn.cells.tree_smu import TreeSMU
from dgl_mathtree.nn.classifiers import PairClassifier, TreeClassifier, TreeRegressor
from dgl_mathtree.nn.encoder import Encoder, TreeEncoder
from dgl_mathtree.nn.models import MODELS, make_cell, make_model, make_verifier
from dgl_mathtree.nn.sequence import SequenceEncoder
from dgl_mathtree.nn.tree_model import TreeModel
from dgl_mathtree.nn.verifier import EquationVerifier, Verifier

__all__ = [
    "MODELS",
    "BagOfOperators",
    "Encoder",
    "EquationVerifier",
    "MITreeLSTM",
    "MTreeLSTM",
    "Majority",
    "MemoryCell",
    "PairClassifier",
    "SecondOrderTreeRNN",
    "SequenceEncoder",
    "Stacked",
    "TreeCell",
    "TreeClassifier",
    "TreeEncoder",
    "TreeLSTM",
    "TreeModel",
    "TreeRNN",
    "TreeRegressor",
    "TreeSMU",
    "Verifier",
    "drivers",
    "make_cell",
    "make_model",
    "make_verifier",
]
