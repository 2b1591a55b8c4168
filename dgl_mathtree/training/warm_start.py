"""Training that starts from the weights of another run, whose words may be others."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from dgl_mathtree.nn import EquationVerifier
from dgl_mathtree.training.errors import RunError
from dgl_mathtree.training.runs import WEIGHTS, RunFacts, check_weights, find_run, read_facts

SAME = ("model", "hidden", "options", "root", "leaves")
"""What two configurations must agree in for weights to fit."""
EMBEDDING, CELL = "encoder.embedding.weight", "encoder.cell."


def take_over(network: EquationVerifier, facts: RunFacts, run: str) -> None:
    """Give a network the weights of a run: those of the words and operators that both know.

    Parameters
    ----------
    network : EquationVerifier
        With fresh weights; words and operators that the run does not know keep them.
    facts : RunFacts
        Of the network.
    run : str
        The run to start from.
    """
    folder = find_run(run)
    theirs = read_facts(folder)
    for name in SAME:
        mine, other = getattr(facts.config, name), getattr(theirs.config, name)
        if mine != other:
            raise RunError(f"cannot start from {run}: its {name} is {other!r}, that of this run is {mine!r}")
    tensors = check_weights(folder, theirs)
    with torch.no_grad():
        for name, tensor in network.state_dict().items():
            if name not in tensors:
                raise RunError(f"cannot start from {run}: {WEIGHTS} has no {name}")
            if name == EMBEDDING:
                rows = _common(facts.vocabulary, theirs.vocabulary)
            elif name.startswith(CELL) and tensor.dim() > 1:
                rows = _common(facts.operators, theirs.operators)
            else:
                tensor.copy_(tensors[name])
                continue
            tensor[[mine for mine, _ in rows]] = tensors[name][[other for _, other in rows]].to(tensor)


def _common(mine: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """The places here and there of what both know."""
    there = {word: k for k, word in enumerate(theirs)}
    return [(k, there[word]) for k, word in enumerate(mine) if word in there]
