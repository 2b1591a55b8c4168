"""How a run begins, or is found again: its folder and what it is to hold."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import torch

from dgl_mathtree import __version__
from dgl_mathtree.corpus.dataset import EquationDataset
from dgl_mathtree.corpus.files import write_atomically
from dgl_mathtree.errors import InputError
from dgl_mathtree.expressions import Forest
from dgl_mathtree.expressions.vocabulary import OPERATOR_NAMES
from dgl_mathtree.training.config import HOW, Config
from dgl_mathtree.training.processes import Processes
from dgl_mathtree.training.runs import CONFIG, STATE, RunError, RunFacts, read_facts


def prepare(config: Config, folder: Path, command: str, processes: Processes) -> RunFacts:
    """Make the run folder, or check that the one there is belongs to the same run."""
    error: InputError | None = None
    if processes.first:
        try:
            _open(config, folder, command)
        except InputError as reason:
            error = reason
        except OSError as reason:
            error = RunError(f"cannot use the run folder {folder}: {reason.strerror or reason}")
    (failed,) = processes.total(float(error is not None))
    if error is not None:
        raise error
    if failed:
        raise RunError(f"the first process could not begin the run {folder}")
    facts = read_facts(folder)
    how = {name: getattr(config, name) for name in HOW}
    return dataclasses.replace(facts, config=dataclasses.replace(facts.config, **how))


def _open(config: Config, folder: Path, command: str) -> None:
    if (folder / CONFIG).is_file():
        _check_same(config, folder)
    elif folder.is_file():
        raise RunError(f"{folder} is a file: name a folder for the run")
    elif folder.exists() and any(not _is_draft(file) for file in folder.iterdir()):
        raise RunError(f"{folder} is neither empty nor a run: name another folder")
    else:
        _begin(config, folder, command)


def _is_draft(file: Path) -> bool:
    """Whether it may be what is left of a run that was killed while it began."""
    return file.name.startswith(f".{CONFIG}.partial-") or (file.name == "state" and not any(file.iterdir()))


def _check_same(config: Config, folder: Path) -> None:
    if differences := config.differences(read_facts(folder).config):
        raise RunError(f"{folder} is a run with another configuration: {'; '.join(differences)}")


def _begin(config: Config, folder: Path, command: str) -> None:
    data = EquationDataset(config.data, "train")
    both = {word for part in ("train", "validation") for word in _words(EquationDataset(config.data, part).forest)}
    facts = RunFacts(
        config=config,
        vocabulary=(
            *(word for word in data.vocabulary if word in both),
            *sorted(both - {*data.vocabulary, *OPERATOR_NAMES}),
        ),
        operators=tuple(name for name in OPERATOR_NAMES if name in both),
        checksum=data.checksum,
        version={"dgl-mathtree": __version__, "torch": torch.__version__},
        command=command,
    )
    try:
        (folder / STATE).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot make the run folder {folder}: {error.strerror or error}") from None
    write_atomically(folder / CONFIG, facts.to_json())


def _words(forest: Forest) -> set[str]:
    return {forest.words[word] for word in np.unique(forest.word)}
