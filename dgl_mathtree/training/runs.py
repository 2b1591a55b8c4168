"""Run folders: what a training run leaves on disk, written whole or not at all, and read with suspicion.

`config.json` (the configuration, the data's checksum, vocabulary and operators, the command), `model.safetensors`
(the weights that were best on validation), `history.jsonl` (a line for each epoch), `metrics.json` (at the end) and
`state/` (what resuming needs).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from dgl_mathtree.files import parse_json
from dgl_mathtree.nn import EquationVerifier, Verifier, make_model
from dgl_mathtree.tasks.trained import TrainedVerifier
from dgl_mathtree.training.config import Config, check_device
from dgl_mathtree.training.errors import RunError
from dgl_mathtree.training.weights import read_tensors

CONFIG, WEIGHTS, HISTORY, METRICS = "config.json", "model.safetensors", "history.jsonl", "metrics.json"
STATE = "state/last.safetensors"
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
            root=config.root,
            leaves=config.leaves,
            **config.options,
        )
        if isinstance(model, EquationVerifier):
            model.propagate = config.propagate
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
        entries = parse_json(file.read_text(encoding="utf-8"))
        config = Config.of(dict(entries["config"], device="cpu", propagate="auto"), str(file))
        words = {name: tuple(map(str, entries[name])) for name in ("vocabulary", "operators")}
        return RunFacts(
            config=config,
            checksum=str(entries["checksum"]),
            version=dict(entries["version"]),
            command=str(entries["command"]),
            driver=str(entries.get("driver", "")),
            **words,
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise RunError(f"cannot read {file}: {reason}") from None


def read_weights(file: Path, facts: RunFacts, verifier: Verifier) -> dict[str, str]:
    """Put a file's weights into a model, once it is known that they were made for it; what the file says of itself."""
    tensors, metadata = read_tensors(file)
    for name, mine in facts.metadata().items():
        theirs = metadata.get(name)
        if theirs != mine:
            raise RunError(f"{file} does not fit the run: its {name} is {theirs}, that of the run is {mine}")
    expected = verifier.state_dict()
    for name, tensor in expected.items():
        if name not in tensors:
            raise RunError(f"{file} does not fit the run: it has no {name}")
        if tensors[name].shape != tensor.shape:
            shapes = f"{tuple(tensors[name].shape)}, not {tuple(tensor.shape)}"
            raise RunError(f"{file} does not fit the run: {name} has the shape {shapes}")
        if not bool(torch.isfinite(tensors[name]).all()):
            raise RunError(f"{file} cannot be used: {name} has values that are no finite numbers; train the run again")
    verifier.load_state_dict({name: tensors[name] for name in expected})
    return metadata


def load(run: str | Path | None = None, device: str = "cpu") -> TrainedVerifier:
    """A trained verifier: that of a run folder, or the one that comes with the package.

    Examples
    --------
    >>> model = load()
    >>> model.verify(["sin(x)^2 + cos(x)^2 = 1"])[0].verdict
    'correct'
    """
    folder = find_run(run)
    check_device(device)
    facts = read_facts(folder)
    if not (folder / WEIGHTS).is_file():
        raise RunError(f"{folder} has no {WEIGHTS}: its first epoch is not finished")
    with torch.random.fork_rng(devices=[]):  # the weights that it is made with are not used
        verifier = facts.make_model()
    read_weights(folder / WEIGHTS, facts, verifier)
    name = "shipped" if folder == SHIPPED else str(run)
    return TrainedVerifier(verifier.to(device).eval(), facts.config.model, name)


def read_metrics(folder: Path) -> dict[str, Any]:
    """The metrics of a finished run."""
    try:
        metrics = parse_json((folder / METRICS).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"cannot read {folder / METRICS}: {error}") from None
    if not isinstance(metrics, dict) or "validation" not in metrics:
        raise RunError(f"cannot read {folder / METRICS}: it holds no metrics")
    return metrics
