"""The verifier: an encoder for the two sides of an equation, and a head that compares them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.functional import linear

from dgl_mathtree.graphs.batch import EquationBatch, batch_graph, split_roots
from dgl_mathtree.graphs.node_words import NodeWords, read_equations, read_words
from dgl_mathtree.graphs.planning import plan_of
from dgl_mathtree.language import Forest
from dgl_mathtree.language.prefix_trees import PrefixTrees
from dgl_mathtree.language.renaming import known_variables
from dgl_mathtree.language.variables import in_known_names
from dgl_mathtree.language.vocabulary import EQUALITY, is_variable
from dgl_mathtree.nn import drivers
from dgl_mathtree.nn.cell import check_choice
from dgl_mathtree.nn.drivers.inputs import DriverError
from dgl_mathtree.nn.encoder import Encoder, TreeEncoder
from dgl_mathtree.nn.heads import HEADS, dot


class Verifier(nn.Module, ABC):
    """What gives equations logits: a network (`EquationVerifier`), or a baseline that is fitted.

    Attributes
    ----------
    vocabulary, operators : tuple of str
        The leaves and the operators that it knows.
    """

    vocabulary: tuple[str, ...]
    operators: tuple[str, ...]

    @abstractmethod
    def knows(self, word: str) -> bool:
        """Whether it can read a word, an operator or a leaf."""

    @abstractmethod
    def forward(self, batch: EquationBatch, dropout_mask: torch.Tensor | None = None) -> torch.Tensor:
        """(equations,) logits of a batch."""

    def batch(self, forest: Forest, equations: Sequence[int] | NDArray[Any]) -> EquationBatch:
        """A batch of a forest's equations for this verifier, by their indices; identical subtrees are one node."""
        return batch_graph(forest, equations, operators=self.operators)

    def draw_dropout(self, nodes: int, generator: torch.Generator | None = None) -> torch.Tensor | None:
        """What dropout multiplies with at this many nodes, or None where it does not act."""
        return None

    def fit(self, forest: Forest, label: torch.Tensor) -> None:
        """Fit all equations of a forest at once, with labels of both classes, as baselines do."""
        raise TypeError(f"{type(self).__name__} is trained, not fitted")

    @property
    def as_network(self) -> EquationVerifier | None:
        """This verifier if it has vectors of expressions, else None."""
        return None

    @property
    def as_tree(self) -> TreeEncoder | None:
        """Its encoder if that has a state at every node of a tree, else None."""
        return None

    @property
    def reads_any_leaf(self) -> bool:
        """Whether it has vectors for variables and numbers that are not in its vocabulary."""
        return False

    @property
    def driver(self) -> str:
        """The driver that runs its cell, which may be set; ``auto`` where there is none to choose."""
        return drivers.AUTO

    @driver.setter
    def driver(self, name: str) -> None:
        if name != drivers.AUTO:
            raise DriverError(f"{type(self).__name__} has no driver to choose")

    def chosen_driver(self, device: str | torch.device = "cpu") -> str:
        """The name of the driver that would run its cell on a device; empty where there is none to choose."""
        return ""


class EquationVerifier(Verifier):
    r"""Whether an equation is correct, by the vectors of its sides:

    .. math::
        \mathrm{logit} &= h_{left} \cdot h_{right} + \beta && \text{(dot)} \\
        \mathrm{logit} &= s \cos(h_{left}, h_{right}) + \beta && \text{(cosine)} \\
        \mathrm{logit} &= (V h_{left}) \cdot (V h_{right}) + \beta && \text{(output)}

    with :math:`\beta`, and :math:`s` and :math:`V` where there is one, learned. The first is the head of `Arabshahi et
    al., 2018 <https://arxiv.org/abs/1801.04342>`__; the second looks at directions alone; the third has a
    hidden-to-output matrix, the same for both sides.

    Parameters
    ----------
    encoder : Encoder
        Gives the vectors of the sides.
    head : str
        A name of `dgl_mathtree.nn.heads.HEADS`: ``dot`` (:math:`\beta` starts at 0), ``cosine`` (:math:`\beta` starts
        at -4 and :math:`s` at 8) or ``output`` (:math:`\beta` starts at 0 and :math:`V` as the identity).

    Shapes
    ------
    - batch: of so many equations
    - output: (equations,)

    Examples
    --------
    >>> import torch
    >>> from dgl_mathtree.language import Forest, parse_equation
    >>> from dgl_mathtree.nn import TreeEncoder, TreeLSTM
    >>> forest = Forest.of([parse_equation("sin(x) = sin(x)"), parse_equation("sin(x) = 1")])
    >>> _ = torch.manual_seed(0)
    >>> encoder = TreeEncoder(TreeLSTM(size=8, types=1), ["x", "1"], scale=1.0, operators=["sin"])
    >>> verifier = EquationVerifier(encoder, head="cosine")
    >>> (verifier(verifier.batch(forest, [0, 1])) > 3.99).tolist()  # equal sides have a cosine of 1
    [True, False]
    """

    def __init__(self, encoder: Encoder, head: str = "dot") -> None:
        super().__init__()
        check_choice("head", head, list(HEADS))
        start = HEADS[head]
        self.encoder, self.head = encoder, head
        self.vocabulary, self.operators = encoder.vocabulary, encoder.operators
        self.beta = nn.Parameter(torch.tensor(start.beta))
        self.scale = None if start.scale is None else nn.Parameter(torch.tensor(start.scale))
        self.output = nn.Parameter(torch.eye(encoder.size)) if start.output else None

    def knows(self, word: str) -> bool:
        return self.encoder.knows(word)

    @property
    def as_network(self) -> EquationVerifier:
        return self

    @property
    def as_tree(self) -> TreeEncoder | None:
        return self.encoder.as_tree

    @property
    def reads_any_leaf(self) -> bool:
        return self.encoder.reads_any_leaf

    @property
    def decaying(self) -> list[nn.Parameter]:
        """The weights that weight decay should act on; those of a head that start away from 0 are excluded."""
        chosen = self.encoder.decaying
        starts_at_zero = self.scale is None and self.output is None
        return list((self if starts_at_zero else self.encoder).parameters()) if chosen is None else chosen

    @property
    def driver(self) -> str:
        return self.encoder.driver

    @driver.setter
    def driver(self, name: str) -> None:
        self.encoder.driver = name

    def chosen_driver(self, device: str | torch.device = "cpu") -> str:
        return self.encoder.chosen_driver(self.beta.dtype, torch.device(device))

    def draw_dropout(self, nodes: int, generator: torch.Generator | None = None) -> torch.Tensor | None:
        return self.encoder.draw_dropout(nodes, generator)

    def compare(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        """The logits of pairs of vectors: the one place where they are made.

        Parameters
        ----------
        left, right : torch.Tensor
            (..., n) each, or of shapes that broadcast.

        Returns
        -------
        torch.Tensor
            (...)
        """
        if self.output is not None:
            left, right = linear(left, self.output), linear(right, self.output)
        return self._logits(HEADS[self.head].similarity(left, right))

    def _logits(self, similarity: torch.Tensor) -> torch.Tensor:
        return (similarity if self.scale is None else self.scale * similarity) + self.beta

    @property
    def _is_dot(self) -> bool:
        """Whether the head takes the dot product of the sides as they are, which drivers compute themselves."""
        return HEADS[self.head].similarity is dot and self.output is None

    def encode(self, batch: EquationBatch, dropout_mask: torch.Tensor | None = None) -> torch.Tensor:
        """The vectors of all nodes of a batch, for objectives that look at more than the sides.

        Parameters
        ----------
        batch : EquationBatch
            From `batch`.
        dropout_mask : torch.Tensor, optional
            From `draw_dropout` for the batch's nodes; by default it is drawn here.

        Returns
        -------
        torch.Tensor
            (nodes, n), in the order of `EquationBatch.node`; those at `EquationBatch.sides` are what `compare` takes.
        """
        encoder = self.as_tree
        if encoder is None:
            raise TypeError("only a tree encoder has vectors at the nodes")
        return encoder.states(batch, dropout_mask=dropout_mask)[:, : encoder.cell.size]

    def forward(self, batch: EquationBatch, dropout_mask: torch.Tensor | None = None) -> torch.Tensor:
        """The logits of a batch.

        Parameters
        ----------
        batch : EquationBatch
            From `batch`.
        dropout_mask : torch.Tensor, optional
            From `draw_dropout` for the batch's nodes; by default it is drawn here.

        Returns
        -------
        torch.Tensor
            (equations,)
        """
        if type(self).compare is EquationVerifier.compare and self._is_dot:
            return self._logits(self.encoder.dots(batch, dropout_mask))
        return self.compare(*self.encoder.sides(batch, dropout_mask))

    def of_graph(self, graph: Any) -> torch.Tensor:
        """The logits of a graph of equations.

        The graph says what its words are (``text``), so it does not matter in which order whoever made it counted the
        leaves. Variables are renamed as for `dgl_mathtree.load().verify`: by their order of appearance for a network
        that reads any leaf, else those that the network does not know.

        Parameters
        ----------
        graph : DGLGraph
            Such as `dgl.batch` of `dgl_mathtree.graphs.to_graph`, or of what `mathtree export` wrote.

        Returns
        -------
        torch.Tensor
            (equations,), in the order of their roots in the graph.

        Raises
        ------
        GraphError
            Where the graph is not one of equations, does not say what its words are, or contradicts itself.
        VocabularyError
            Where it has a word that the network does not know.

        Examples
        --------
        >>> import dgl
        >>> from dgl_mathtree.language import parse_equation
        >>> from dgl_mathtree.graphs import to_graph
        >>> from dgl_mathtree.nn import make_verifier
        >>> verifier = make_verifier("tree-lstm", 8, vocabulary=["x", "1", "2"])
        >>> graphs = [to_graph(parse_equation(text), ["2", "1", "x"]) for text in ("x = x", "x + 1 = 2")]
        >>> verifier.of_graph(dgl.batch(graphs)).shape
        torch.Size([2])
        """
        encoder = self.as_tree
        if encoder is None:
            raise TypeError("only a tree encoder reads graphs")
        expressions, sides = split_roots(graph)
        found = read_words(graph)
        with graph.local_scope():
            graph.ndata["op"] = torch.from_numpy(found.of_node).to(graph.device)
            plan_of(graph)  # refuses cycles and places of children that cannot be
        if self._keeps_names(found.words):
            import dgl

            nodes = expressions.ndata[dgl.NID].cpu().numpy()
            vectors = encoder.graph_vectors(expressions, NodeWords(found.words, found.of_node[nodes]))
            return self.compare(*vectors[sides].unbind(1))
        roots = np.flatnonzero((np.array(found.words) == EQUALITY)[found.of_node]).tolist()
        trees = PrefixTrees.of(equation.words for equation in read_equations(graph, found, roots))
        renamed = in_known_names(trees, known_variables(self.vocabulary), self.reads_any_leaf)
        return self(self.batch(Forest.of_trees(renamed), range(len(renamed))))  # type: ignore[no-any-return]

    def _keeps_names(self, words: Sequence[str]) -> bool:
        """Whether equations in these words are read with the variables that they have."""
        variables = [word for word in words if is_variable(word)]
        return not variables or (not self.reads_any_leaf and set(variables) <= set(self.vocabulary))
