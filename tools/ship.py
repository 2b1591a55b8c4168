"""Make a finished run the model that comes with the package: python tools/ship.py RUN [--set name=value ...]

Weights are kept in half precision, which changes a logit by less than a hundredth and halves the file, and without
those that no tree reaches, such as those of a unary operator for a second child, which nearly halves it again. `--set`
corrects entries of the configuration that name places of one machine: --set data=broad --set start_from=runs/first
"""

from __future__ import annotations

import argparse
import dataclasses
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from dgl_mathtree.errors import InputError
from dgl_mathtree.files import write_atomically
from dgl_mathtree.language import Equation, Expr, Forest
from dgl_mathtree.language.vocabulary import ARITY
from dgl_mathtree.nn import EquationVerifier
from dgl_mathtree.nn.packed_tensors import pack
from dgl_mathtree.nn.tensor_files import CHECKSUM, read_tensors, save_tensors
from dgl_mathtree.training.run_folder import CONFIG, HISTORY, METRICS, SHIPPED, WEIGHTS, find_run, read_facts

LEVELS = 4
"""How often an operator stands above itself where it is asked which of its weights are used."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    try:
        ship(find_run(options.run), dict(entry.split("=", 1) for entry in options.set))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def ship(run: Path, corrections: dict[str, str]) -> None:
    """Copy a run, with its weights in half precision and some entries of its configuration corrected."""
    facts = read_facts(run)
    names = {str(getattr(facts.config, name)): value for name, value in corrections.items()}
    words = [
        names.get(word, f"runs/{Path(word).name}" if word.startswith("/") else word)
        for word in shlex.split(facts.command)
    ]
    command = shlex.join(words)
    entries: dict[str, Any] = dict(corrections)
    config = dataclasses.replace(facts.config, **entries)
    facts = dataclasses.replace(facts, config=config, command=command)
    tensors, metadata = read_tensors(run / WEIGHTS)
    network = facts.make_model()
    if isinstance(network, EquationVerifier):
        tensors = without_unused(network, tensors)
    half = {name: tensor.to(torch.float16) if tensor.dim() else tensor for name, tensor in tensors.items()}
    about = {name: value for name, value in metadata.items() if name != CHECKSUM}
    save_tensors(SHIPPED / WEIGHTS, pack(half), about)
    write_atomically(SHIPPED / CONFIG, facts.to_json())
    for name in (HISTORY, METRICS):
        text = (run / name).read_text(encoding="utf-8")
        for old, value in names.items():
            text = text.replace(f'"{old}"', f'"{value}"')
        write_atomically(SHIPPED / name, text)
    shutil.rmtree(SHIPPED / "state", ignore_errors=True)


def without_unused(network: EquationVerifier, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Weights of a network with 0 where no tree reaches them.

    Parameters
    ----------
    network : EquationVerifier
        The network as it is made, with fresh weights: an entry is unused if it has no gradient there.
    tensors : mapping of str to torch.Tensor
        Trained weights of the same shapes.

    Returns
    -------
    dict of str to torch.Tensor
    """
    forest = Forest.of([_sample(name, network.vocabulary) for name in network.operators])
    network.driver = "levels"
    vectors = network.eval().encode(network.batch(forest, range(len(network.operators))))
    typed = {name: weight for name, weight in network.named_parameters() if weight.dim() == 3}
    gradients = torch.autograd.grad((vectors * torch.randn_like(vectors)).sum(), tuple(typed.values()))
    used = dict(zip(typed, gradients, strict=True))
    return {
        name: torch.where(used[name] == 0, 0, tensor) if name in used else tensor for name, tensor in tensors.items()
    }


def _sample(operator: str, leaves: tuple[str, ...]) -> Equation:
    """An equation in which an operator stands above itself repeatedly: a stack is handed on over several levels."""
    side = Expr.apply(operator, *map(Expr.leaf, leaves[: ARITY[operator]]))
    for _ in range(LEVELS):
        side = Expr.apply(operator, *[side] * ARITY[operator])
    return Equation(side, side)


if __name__ == "__main__":
    sys.exit(main())
