"""Make a finished run the model that comes with the package: python tools/ship.py RUN [--set name=value ...]

Weights are kept in half precision, which changes a logit by less than a hundredth and halves the file. `--set` corrects
entries of the configuration that name places of one machine: --set data=broad --set start_from=runs/first
"""

from __future__ import annotations

import argparse
import dataclasses
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import torch

from dgl_mathtree.errors import InputError
from dgl_mathtree.files import write_atomically
from dgl_mathtree.nn.tensor_files import CHECKSUM, read_tensors, save_tensors
from dgl_mathtree.training.run_folder import CONFIG, HISTORY, METRICS, SHIPPED, WEIGHTS, find_run, read_facts


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
    half = {name: tensor.to(torch.float16) if tensor.dim() else tensor for name, tensor in tensors.items()}
    about = {name: value for name, value in metadata.items() if name != CHECKSUM}
    save_tensors(SHIPPED / WEIGHTS, half, about)
    write_atomically(SHIPPED / CONFIG, facts.to_json())
    for name in (HISTORY, METRICS):
        text = (run / name).read_text(encoding="utf-8")
        for old, value in names.items():
            text = text.replace(f'"{old}"', f'"{value}"')
        write_atomically(SHIPPED / name, text)
    shutil.rmtree(SHIPPED / "state", ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
