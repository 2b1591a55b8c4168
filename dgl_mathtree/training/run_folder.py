"""Run folders: what a training run leaves on disk, written whole or not at all, and read with suspicion.

`config.json` (the configuration, the data's checksum, vocabulary and operators, the command), `model.safetensors`
(the weights that were best on validation), `history.jsonl` (a line for each epoch), `metrics.json` (at the end) and
`state/` (what resuming needs).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from dgl_mathtree.errors import InputError
from dgl_mathtree.files import read_json
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language.vocabulary import ARITY, OPERATORS
from dgl_mathtree.nn import Verifier, make_model
from dgl_mathtree.nn.shapes import shapes_alone
from dgl_mathtree.nn.tensor_files import check_fit, read_tensors
from dgl_mathtree.schema import check
from dgl_mathtree.training.config import Config, RunError, check_device

CONFIG, WEIGHTS, HISTORY, METRICS = "config.json", "model.safetensors", "history.jsonl", "metrics.json"
STATE = "state/last.safetensors"
CONFIG_SHAPE = {
    "config": {"*?": object},
    "vocabulary": [str],
    "operators": [str],
    "checksum": str,
    "version": {"*?": str},
    "command": str,
    "driver?": str,
}
METRICS_SHAPE = {f"{name}?": {"overall?": {"*?": float}} for name in ("train", "test")}
"""What the files of a run hold; `Config` checks what was asked for."""
SHIPPED = Path(__file__).parent.parent / "shipped"
"""The run of the model that comes with the package."""


@dataclass(frozen=True)
class RunFacts:
    """What `config.json` holds.

    Attributes
    ----------
    config : Config
        What was asked for.
    vocabulary : tuple of str
        The leaves that the model knows.
    operators : tuple of str
        The operators that it knows.
    checksum : str
        Of the data that it was trained on.
    version : dict of str to str
        Of this package, and of torch.
    command : str
        That made the run.
    driver : str
        That ran the cell when the run was begun, empty for models without one. Drivers differ in the last bit, so a run
        goes on with it unless another is asked for.
    """

    config: Config
    vocabulary: tuple[str, ...]
    operators: tuple[str, ...]
    checksum: str
    version: dict[str, str]
    command: str
    driver: str = ""

    def to_json(self) -> str:
        names = ("vocabulary", "operators", "checksum", "version", "command", "driver")
        entries = {name: getattr(self, name) for name in names}
        return json.dumps({"config": self.config.to_json()} | entries, indent=1, ensure_ascii=False) + "\n"

    def make_model(self) -> Verifier:
        """The model with fresh weights."""
        config = self.config
        model = make_model(
            config.model,
            config.hidden,
            self.vocabulary,
            self.operators,
            scale=config.scale,
            dropout=config.dropout,
            head=config.head,
            leaves=config.leaves,
            **config.options,
        )
        model.driver = config.driver
        return model

    def metadata(self) -> dict[str, str]:
        """What a file of weights says of itself."""
        return {
            "model": self.config.model,
            "vocabulary": json.dumps(self.vocabulary),
            "operators": json.dumps(self.operators),
        }


def find_run(run: str | Path | None) -> Path:
    """The folder of a run; None and `shipped` are the one that comes with the package."""
    folder = SHIPPED if run is None or str(run) == "shipped" else Path(run)
    if not folder.is_dir():
        raise RunError(f"there is no run {run}: expected a folder made by mathtree train, or the word shipped")
    if not (folder / CONFIG).is_file():
        raise RunError(f"{run} is not a run: it has no {CONFIG}")
    return folder


def read_facts(folder: Path) -> RunFacts:
    """What a run's `config.json` says."""
    file = folder / CONFIG
    try:
        entries = read_json(file)
        check(entries, CONFIG_SHAPE, CONFIG)
        config = Config.of(dict(entries["config"], device="cpu", driver="auto"), CONFIG)
        # Imported checkpoints have rows for leaves that we cannot write, under names of their own.
        _check_words("vocabulary", entries["vocabulary"], lambda word: bool(word) and word not in ARITY)
        _check_words("operators", entries["operators"], OPERATORS.__contains__)
    except InputError as error:
        raise RunError(f"cannot read {file}: {str(error).removeprefix(f'cannot read {file}: ')}") from None
    return RunFacts(
        config=config,
        vocabulary=tuple(entries["vocabulary"]),
        operators=tuple(entries["operators"]),
        checksum=entries["checksum"],
        version=entries["version"],
        command=entries["command"],
        driver=entries.get("driver") or "",
    )


def _check_words(name: str, words: list[str], belongs: Callable[[str], bool]) -> None:
    """Raise an InputError for a word of a run that cannot be one."""
    if wrong := [word for word in words if not belongs(word)]:
        raise InputError(f"{CONFIG}: {name}: {wrong[0]!r:.40} cannot be one of them")
    if len(set(words)) < len(words):
        raise InputError(f"{CONFIG}: {name}: a word is listed twice")


def check_weights(folder: Path, facts: RunFacts) -> dict[str, torch.Tensor]:
    """The weights of a run by their names; a RunError where they are missing, damaged or not its own."""
    file = folder / WEIGHTS
    tensors, metadata = read_tensors(file)
    try:
        with shapes_alone():  # what the configuration asks for may not fit into memory
            expected = facts.make_model().state_dict()
    except (ValueError, TypeError, RuntimeError, LookupError, ArithmeticError) as error:
        raise RunError(f"cannot read {folder / CONFIG}: no model can be made of it ({error})") from None
    check_fit(file, tensors, metadata, expected, facts.metadata())
    return {name: tensors[name] for name in expected}


def load(run: str | Path | None = None, device: str = "cpu", driver: str = "auto") -> TrainedVerifier:
    """A trained verifier: that of a run folder, or the one that comes with the package.

    Parameters
    ----------
    run : str or Path, optional
        The run folder; None and ``shipped`` are the run that comes with the package.
    device : str
        Where to compute: ``cpu``, ``cuda`` or ``mps``.
    driver : str
        What runs a recursive cell: ``auto``, ``native``, ``levels`` or ``dgl``.

    Examples
    --------
    >>> model = load()
    >>> model.verify(["sin(x)^2 + cos(x)^2 = 1"])[0].verdict
    'correct'
    """
    folder = find_run(run)
    check_device(device)
    facts = read_facts(folder)
    facts = dataclasses.replace(facts, config=dataclasses.replace(facts.config, driver=driver))
    if not (folder / WEIGHTS).is_file():
        raise RunError(f"{folder} has no {WEIGHTS}: its first epoch is not finished")
    weights = check_weights(folder, facts)
    with torch.random.fork_rng(devices=[]):  # the weights that it is made with are not used
        verifier = facts.make_model()
    verifier.load_state_dict(weights)
    name = "shipped" if folder == SHIPPED else str(run)
    return TrainedVerifier(verifier.to(device).eval(), facts.config.model, name)


def read_metrics(folder: Path, metric: str = "accuracy") -> dict[str, Any]:
    """The metrics of a finished run, of which one is needed."""
    metrics: dict[str, Any] = read_json(folder / METRICS, RunError)
    if not isinstance(metrics, dict) or "validation" not in metrics:
        raise RunError(f"cannot read {folder / METRICS}: it holds no metrics")
    shape = {**METRICS_SHAPE, "validation": {"overall": {metric: float, "*?": float}}}
    check(metrics, shape, f"cannot read {folder / METRICS}: it", RunError)
    return metrics
