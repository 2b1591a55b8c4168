"""Average a finished run with the run it started from: python tools/average.py RUN OTHER OUT --share 0.75 [--as-it-is]

Weights of the words and operators that both know become SHARE of those of RUN and the rest of those of OTHER; further
ones stay those of RUN. What was fine-tuned on other equations forgets less in this way. The head is then calibrated on
the validation part of RUN's data: with equal weight for every source and label, or as it is.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

import torch

from dgl_mathtree.errors import InputError
from dgl_mathtree.files import write_atomically
from dgl_mathtree.nn import EquationVerifier
from dgl_mathtree.nn.tensor_files import save_tensors
from dgl_mathtree.training.calibrate import calibrate
from dgl_mathtree.training.config import RunError
from dgl_mathtree.training.evaluate_run import measure
from dgl_mathtree.training.run_data import RunData
from dgl_mathtree.training.run_folder import METRICS, WEIGHTS, find_run, load, read_facts, read_metrics
from dgl_mathtree.training.run_start import take_over


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("other", metavar="OTHER")
    parser.add_argument("out", metavar="OUT", type=Path)
    parser.add_argument("--share", type=float, default=0.5, help="of the weights of RUN (default 0.5)")
    parser.add_argument("--as-it-is", action="store_true", help="calibrate without weights for sources and labels")
    options = parser.parse_args()
    try:
        print(
            json.dumps(average(options.run, options.other, options.out, options.share, not options.as_it_is), indent=1)
        )
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def average(run: str, other: str, out: Path, share: float, even: bool = True) -> dict[str, object]:
    """Write a run with averaged weights to a new folder; what its metrics say of its calibration."""
    if not 0 <= share <= 1:
        raise RunError(f"--share must be from 0 to 1, not {share}")
    if out.exists():
        raise RunError(f"{out} exists: name a new folder")
    folder = find_run(run)
    facts, metrics, trained = read_facts(folder), read_metrics(folder), load(run)
    network = trained.network
    if not isinstance(network, EquationVerifier):
        raise RunError(f"{run} has no weights that could be averaged: it is a {trained.model}")
    own = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    take_over(network, facts, other)
    with torch.no_grad():
        for name, tensor in network.state_dict().items():
            tensor.lerp_(own[name], share)
    parts = RunData(facts.config.data)
    found = calibrate(network, parts.validation, even)
    kept = {name: entry for name, entry in metrics.items() if name not in ("train", "validation", "test", "unread")}
    shutil.copytree(folder, out, ignore=shutil.ignore_patterns("state"))
    save_tensors(out / WEIGHTS, network.state_dict(), facts.metadata())
    averaged = {"averaged": {"with": other, "share": share}}
    entries = kept | found | averaged | measure(trained, parts)
    write_atomically(out / METRICS, json.dumps(entries, indent=1) + "\n")
    return found | averaged


if __name__ == "__main__":
    sys.exit(main())
