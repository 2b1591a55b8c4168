"""Neural reasoning over mathematical equations with recursive networks on DGL.

What a user needs is importable from here, and from `dgl_mathtree.nn`, `.graphs`, `.data`, `.inference` and `.training`;
modules below these are internal. Names are imported on first use: `import dgl_mathtree` alone brings neither torch nor
DGL along.
"""

from __future__ import annotations

import os

from dgl_mathtree import dgl_graphbolt
from dgl_mathtree.lazy import lazy

TYPE_CHECKING = False  # as in typing, without the time that importing typing takes: see __main__
if TYPE_CHECKING:
    from dgl_mathtree import data, graphs, inference, nn, training
    from dgl_mathtree.data.dataset import EquationDataset
    from dgl_mathtree.errors import InputError
    from dgl_mathtree.inference.trained_verifier import TrainedVerifier
    from dgl_mathtree.language import (
        Equation,
        Expr,
        Forest,
        ParseError,
        VocabularyError,
        infix,
        latex,
        mathml,
        parse_equation,
        parse_expression,
    )
    from dgl_mathtree.language.bridges import from_networkx, from_sympy, to_networkx, to_sympy
    from dgl_mathtree.oracle import Judgement, Oracle, judge
    from dgl_mathtree.proof import NoProof, Proof, prove
    from dgl_mathtree.training.run_folder import load
    from dgl_mathtree.web.explain import Explainer, explain

__version__ = "0.2.0"
__all__ = [
    "Equation",
    "EquationDataset",
    "Explainer",
    "Expr",
    "Forest",
    "InputError",
    "Judgement",
    "NoProof",
    "Oracle",
    "ParseError",
    "Proof",
    "TrainedVerifier",
    "VocabularyError",
    "__version__",
    "data",
    "explain",
    "from_networkx",
    "from_sympy",
    "graphs",
    "inference",
    "infix",
    "judge",
    "latex",
    "load",
    "mathml",
    "nn",
    "parse_equation",
    "parse_expression",
    "prove",
    "to_networkx",
    "to_sympy",
    "training",
]

# DGL that is not told its backend writes ~/.dgl/config.json and says so on standard output. It reads this when it is
# imported, which nothing in the package does before this line; no other backend can run the package.
os.environ["DGLBACKEND"] = "pytorch"
# DGL 2 does not import beside current torch without this.
dgl_graphbolt.install()

__getattr__ = lazy(
    __name__,
    {
        "data": "",
        "data.dataset": "EquationDataset",
        "errors": "InputError",
        "graphs": "",
        "inference": "",
        "inference.trained_verifier": "TrainedVerifier",
        "language": "Equation Expr Forest ParseError VocabularyError infix latex mathml parse_equation "
        "parse_expression",
        "language.bridges": "from_networkx from_sympy to_networkx to_sympy",
        "nn": "",
        "oracle": "Judgement Oracle judge",
        "proof": "NoProof Proof prove",
        "training": "",
        "training.run_folder": "load",
        "web.explain": "Explainer explain",
    },
)
