"""Fit the head of a finished run to validation equations anew: python tools/calibrate.py RUN [--data DATA] [--as-it-is]

It does what the objective `semantic` does at the end of a training: for runs that were made before it was done in this
way, or whose validation part is to be another's (`--data`). The scale and constant in `model.safetensors` and the
figures in `metrics.json` are replaced.
"""

from __future__ import annotations

import argparse
import json
import sys

from dgl_mathtree.errors import InputError
from dgl_mathtree.files import write_atomically
from dgl_mathtree.nn import EquationVerifier
from dgl_mathtree.nn.tensor_files import save_tensors
from dgl_mathtree.training.calibrate import calibrate
from dgl_mathtree.training.config import RunError
from dgl_mathtree.training.evaluate_run import measure
from dgl_mathtree.training.run_data import RunData
from dgl_mathtree.training.run_folder import METRICS, WEIGHTS, find_run, load, read_facts, read_metrics


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("--data", metavar="DATA", help="data whose validation part is fitted to, and that is measured")
    parser.add_argument("--as-it-is", action="store_true", help="without weights for sources and labels")
    options = parser.parse_args()
    try:
        print(json.dumps(recalibrate(options.run, options.data, not options.as_it_is), indent=1))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def recalibrate(run: str, data: str | None, even: bool = True) -> dict[str, object]:
    """Calibrate a run in its folder; what its metrics say of it then."""
    folder = find_run(run)
    facts, metrics, trained = read_facts(folder), read_metrics(folder), load(run)
    if not isinstance(trained.network, EquationVerifier):
        raise RunError(f"{run} has no head that could be fitted: it is a {trained.model}")
    parts = RunData(data or facts.config.data)
    found = calibrate(trained.network, parts.validation, even)
    metrics = {name: entry for name, entry in metrics.items() if name not in ("train", "validation", "test", "unread")}
    metrics |= found | measure(trained, parts)
    save_tensors(folder / WEIGHTS, trained.network.state_dict(), facts.metadata())
    write_atomically(folder / METRICS, json.dumps(metrics, indent=1) + "\n")
    return found


if __name__ == "__main__":
    sys.exit(main())
