"""How a run starts, or is found again: its folder, what it is to hold, and weights of another run to start from."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch

from dgl_mathtree import __version__
from dgl_mathtree.errors import InputError
from dgl_mathtree.files import is_draft, write_atomically
from dgl_mathtree.language import Forest
from dgl_mathtree.language.vocabulary import OPERATOR_NAMES, is_number
from dgl_mathtree.nn import EquationVerifier
from dgl_mathtree.nn.drivers import AUTO
from dgl_mathtree.training.config import HOW, Config, RunError, Settings
from dgl_mathtree.training.distributed import Processes
from dgl_mathtree.training.run_data import RunData
from dgl_mathtree.training.run_folder import (
    CONFIG,
    HISTORY,
    METRICS,
    STATE,
    WEIGHTS,
    RunFacts,
    check_weights,
    find_run,
    read_facts,
)
from dgl_mathtree.training.run_lock import LOCK, RunLock
from dgl_mathtree.training.widening import widened

SAME = ("model", "options", "head", "leaves")
"""What two configurations must agree in for weights to fit; vectors may be larger than those of the run."""
EMBEDDING, CELL = "encoder.embedding.weight", "encoder.cell."
FREQUENT = 200
"""Training equations that must have a number for it to be a word of an open vocabulary."""


def prepare(config: Config, data: RunData, lock: RunLock, command: str, processes: Processes) -> RunFacts:
    """Make the run folder, or check that the one there is belongs to the same run.

    Parameters
    ----------
    config : Config
        What is asked for.
    data : RunData
        Its data.
    lock : RunLock
        That of the run folder. The first process takes it, unless the run is finished.
    command : str
        To be kept with the run.
    processes : Processes
        All of them learn whether the first succeeded.

    Returns
    -------
    RunFacts
        What the run folder says of the run.
    """
    folder = lock.folder
    start_folder(lock, processes, partial(_check_same, config), lambda: _facts(config, data, command).to_json())
    facts = read_facts(folder)
    how = {name: getattr(config, name) for name in HOW}
    how["driver"] = chosen_again(config, facts.driver)
    return dataclasses.replace(facts, config=dataclasses.replace(facts.config, **how))


def chosen_again(settings: Settings, driver: str) -> str:
    """The driver of a run that was begun with one: that one, unless another or another device is asked for."""
    return driver if settings.driver == AUTO and settings.device == "cpu" and driver else settings.driver


def start_folder(
    lock: RunLock, processes: Processes, check_same: Callable[[Path], None], describe: Callable[[], str]
) -> None:
    """Make a run folder, or check that the one there is belongs to the same run.

    Parameters
    ----------
    lock : RunLock
        That of the folder. The first process takes it, unless the run is finished.
    processes : Processes
        All of them learn whether the first succeeded.
    check_same : callable
        Raises an InputError where the folder is that of another run.
    describe : callable
        Gives the text of `config.json` for a new one.
    """
    folder = lock.folder
    error: InputError | None = None
    if processes.first:
        try:
            _open(lock, check_same, describe)
        except InputError as reason:
            error = reason
        except OSError as reason:
            error = RunError(f"cannot use the run folder {folder}: {reason.strerror or reason}")
    (failed,) = processes.total(float(error is not None))
    if error is not None:
        raise error
    if failed:
        raise RunError(f"the first process could not start the run {folder}")


def _open(lock: RunLock, check_same: Callable[[Path], None], describe: Callable[[], str]) -> None:
    folder = lock.folder
    for name in (CONFIG, WEIGHTS, HISTORY, METRICS, STATE):
        if os.path.lexists(folder / name) and not (folder / name).is_file():
            raise RunError(f"{folder / name} is in the way: it is not a file")
    if (folder / METRICS).is_file() and (folder / CONFIG).is_file():
        check_same(folder)
        return
    text = None
    if not (folder / CONFIG).is_file():
        _check_free(folder)
        text = describe()  # before anything is written: the data may be missing
        _make(folder)
    lock.take()
    clear_run_drafts(folder)
    if (folder / CONFIG).is_file():
        check_same(folder)
    else:
        text = text or describe()
        write_atomically(folder / CONFIG, text)
    _make((folder / STATE).parent)  # git keeps no empty folder, so a copied run may lack it


def _check_free(folder: Path) -> None:
    """Raise a RunError where no run can start."""
    if folder.is_file():
        raise RunError(f"{folder} is a file: name a folder for the run")
    if folder.exists() and any(not _is_left_over(file) for file in folder.iterdir()):
        raise RunError(f"{folder} is neither empty nor a run: name another folder")


def _is_left_over(file: Path) -> bool:
    """Whether it may be what is left of a run that was killed while it started."""
    return file.name == LOCK or is_draft(file) or (file.name == "state" and not any(file.iterdir()))


def clear_run_drafts(folder: Path) -> None:
    """Remove what a process that was killed left half written; only who has the folder's lock may do so."""
    for file in folder.rglob(".*"):
        if is_draft(file):
            file.unlink(missing_ok=True)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot make the run folder {folder}: {error.strerror or error}") from None


def _check_same(config: Config, folder: Path) -> None:
    if differences := config.differences(read_facts(folder).config):
        raise RunError(f"{folder} is a run with another configuration: {'; '.join(differences)}")


def _facts(config: Config, data: RunData, command: str) -> RunFacts:
    """What a new run will say of itself; its words are those of the training and validation equations."""
    used = _words(data.train.forest) | _words(data.validation.forest)
    vocabulary = (
        *(word for word in data.train.vocabulary if word in used),
        *sorted(used - {*data.train.vocabulary, *OPERATOR_NAMES}),
    )
    if config.leaves == "open":
        frequent = _frequent(data.train.forest)
        vocabulary = tuple(word for word in vocabulary if word in frequent or not is_number(word))
    facts = RunFacts(
        config=config,
        vocabulary=vocabulary,
        operators=tuple(name for name in OPERATOR_NAMES if name in used),
        checksum=data.train.checksum,
        version={"dgl-mathtree": __version__, "torch": torch.__version__},
        command=command,
    )
    model = facts.make_model()
    return dataclasses.replace(facts, driver=model.chosen_driver(config.device))


def _words(forest: Forest) -> set[str]:
    return {forest.words[word] for word in np.unique(forest.word)}


def _frequent(forest: Forest) -> set[str]:
    """Words that enough equations have: a rarer number gets a vector from its value alone."""
    counts = np.bincount(forest.word[forest.members], minlength=len(forest.words))
    return {word for word, count in zip(forest.words, counts.tolist(), strict=True) if count >= FREQUENT}


def take_over(network: EquationVerifier, facts: RunFacts, run: str) -> None:
    """Give a network the weights of a run of its size or smaller: those of the words and operators that both know.

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
    sizes = (facts.config.hidden, theirs.config.hidden)
    if sizes[0] < sizes[1]:
        raise RunError(f"cannot start from {run}: its vectors have size {sizes[1]}, those of this run {sizes[0]}")
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
                tensor.copy_(widened(tensor, tensors[name], sizes, name))
                continue
            mine, other = [here for here, _ in rows], [there for _, there in rows]
            tensor[mine] = widened(tensor[mine], tensors[name][other], sizes, name)


def _common(mine: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """The places here and there of what both know."""
    there = {word: k for k, word in enumerate(theirs)}
    return [(k, there[word]) for k, word in enumerate(mine) if word in there]
