"""Commands on models: `models`, `train` and `import-checkpoint`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shlex
from typing import Any

from dgl_mathtree.cli.command import CommandError, Commands, add_command
from dgl_mathtree.cli.outputs import folder_to_write
from dgl_mathtree.files import parse_json
from dgl_mathtree.training.config import PAPER, Config, read_config

ENTRIES = {
    "model": ("NAME", "one of those that `mathtree models` lists"),
    "seed": ("N", "seed"),
    "epochs": ("N", "maximum number of epochs"),
    "hidden": ("N", "size of the vectors"),
    "batch_size": ("N", "equations a step"),
    "together": ("N", "neighbours in the data that come into a batch together"),
    "lr": ("X", "largest learning rate"),
    "schedule": ("NAME", "of the learning rate: halving, or one-cycle, which trains all epochs"),
    "dropout": ("X", "dropout"),
    "weight_decay": ("X", "weight decay"),
    "decay": ("HOW", "decoupled or l2"),
    "clip": ("X", "largest norm of a gradient, 0 for any"),
    "patience": ("N", "halve the rate after N epochs without improvement"),
    "stop": ("N", "stop after N epochs without improvement"),
    "scale": ("X", "deviation of the embeddings"),
    "augment": ("HOW", "commute: swap operands at random; or none"),
    "root": ("HOW", "how the sides are compared: dot or cosine"),
    "leaves": ("HOW", "which leaves it reads: table, those of the data; or open, any"),
    "objective": ("NAME", "what is minimised"),
    "start_from": ("RUN", "start from the weights of a run, or of the word shipped"),
    "device": ("D", "cpu, cuda or mps"),
    "propagate": ("HOW", "driver of a recursive cell: auto, native, levels or dgl"),
}
"""Entries of the configuration that have an option of their own; types and defaults are those of `Config`."""
SETTINGS = {"set": ("options", "an option of the model"), "objective_set": ("objective_options", "of the objective")}
"""Options that give entries of an object of the configuration."""


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands, "models", _run_models, "List the models with their numbers of parameters.", "mathtree models"
    )
    command.add_argument(
        "--hidden", type=int, default=Config.hidden, metavar="N", help="size of the vectors (default %(default)s)"
    )
    command.add_argument("--json", action="store_true", help="print as JSON")
    _register_train(commands)
    _register_import(commands)


def _register_import(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "import-checkpoint",
        _run_import,
        "Turn a checkpoint of the original project (recursiveMemNet) into a run.",
        "mathtree import-checkpoint tree-lstm.checkpoint --out runs/original",
        epilog="Tree-RNN, Tree-LSTM and Tree-SMU are recognised by their keys.",
    )
    command.add_argument("file", metavar="FILE", help="a state dict saved by torch")
    command.add_argument(
        "--out", required=True, type=folder_to_write("--out"), metavar="RUN", help="the new run folder"
    )


def _run_import(options: argparse.Namespace) -> int:
    from dgl_mathtree.training.original import import_checkpoint

    facts = import_checkpoint(options.file, options.out, _command(options))
    operators = f"{len(facts.operators)} operators and {len(facts.vocabulary)} leaves"
    print(f"{options.out}: {facts.config.model} with vectors of size {facts.config.hidden}, {operators}")
    return 0


def _command(options: argparse.Namespace) -> str:
    """The command as it was given."""
    return shlex.join(["mathtree", *options.arguments])


def _register_train(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "train",
        _run_train,
        "Train a model, or go on with a run that was begun.",
        "mathtree train paper --model mi-tree-lstm --out runs/mi --seed 0",
        epilog="Several processes: torchrun --nproc-per-node=2 -m dgl_mathtree train paper --model NAME --out RUN",
    )
    command.add_argument("data", metavar="DATA", nargs="?", help="a data folder or recipe name")
    command.add_argument("--out", required=True, type=folder_to_write("--out"), metavar="RUN", help="the run folder")
    fields = {each.name: each for each in dataclasses.fields(Config)}
    for name, (metavar, text) in ENTRIES.items():
        default = "" if name == "model" else f" (default{_shown(fields[name].default)})"
        kind = {"int": int, "float": float, "str": str}[str(fields[name].type).partition(" | ")[0]]
        command.add_argument(_flag(name), type=kind, metavar=metavar, help=f"{text}{default}")
    for name, (_, text) in SETTINGS.items():
        command.add_argument(_flag(name), action="append", default=[], metavar="NAME=VALUE", help=text)
    command.add_argument("--config", metavar="FILE", help="a configuration in JSON; what else is given comes before it")
    command.add_argument("--protocol", choices=("best", "paper"), default="best", help="paper: the values it prints")
    command.add_argument("--profile", action="store_true", help="print where the time went")


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _shown(default: object) -> str:
    """A default in a help text; what the configuration leaves open comes from the model."""
    if default is None:
        return ": the model's"
    return f" {default:g}" if isinstance(default, float) else f" {default}"


def _option(flag: str, text: str) -> tuple[str, Any]:
    """An option of a model or an objective from `name=value`."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise CommandError(f"{flag} needs name=value, not {text!r}")
    try:
        return name, parse_json(value.lower() if value in ("True", "False") else value)
    except json.JSONDecodeError:
        return name, value


def _run_train(options: argparse.Namespace) -> int:
    from dgl_mathtree.training import train
    from dgl_mathtree.training.profile import Profile
    from dgl_mathtree.training.progress import Bar, Progress

    entries = {} if options.config is None else read_config(options.config)
    if options.protocol == "paper":
        entries |= PAPER
    given = {name: getattr(options, name) for name in ("data", *ENTRIES)}
    entries |= {name: value for name, value in given.items() if value is not None}
    for name, (entry, _) in SETTINGS.items():
        if texts := getattr(options, name):
            before = entries.get(entry, {})
            if not isinstance(before, dict):
                raise CommandError(f"{options.config}: {entry} must be an object of names and values")
            entries[entry] = before | dict(_option(_flag(name), text) for text in texts)
    if "data" not in entries:
        raise CommandError("name the data: a folder, or a recipe such as paper")
    if "model" not in entries:
        raise CommandError("name a model with --model; `mathtree models` lists them")
    first = os.environ.get("RANK", "0") == "0"
    profile = Profile()
    train(Config.of(entries), options.out, _command(options), Bar() if first else Progress(), profile)
    if options.profile and first:
        print(profile)
    return 0


def _run_models(options: argparse.Namespace) -> int:
    from dgl_mathtree.corpus.files import operators_of, read_card
    from dgl_mathtree.nn import MODELS, make_model
    from dgl_mathtree.nn.shapes import shapes_alone

    Config(data="paper", model="tree-rnn", hidden=options.hidden)  # refuses a size that no run could have
    card = read_card("paper")
    operators = operators_of(card)
    rows: list[dict[str, Any]] = []
    for name, row in MODELS.items():
        with shapes_alone():  # a large one would not fit into memory
            model = make_model(name, options.hidden, card["symbols"], operators, **row.defaults)
        count = sum(parameter.numel() for parameter in model.parameters())
        rate = None if row.is_floor else row.lr
        rows.append({"model": name, "parameters": count, "lr": rate, "options": row.options})
    if options.json:
        print(json.dumps(rows))
        return 0
    print(f"{'model':<26}{'parameters':>10}{'rate':>9}  options (--set name=value)")
    for row_facts in rows:
        shown = "" if row_facts["lr"] is None else f"{row_facts['lr']:g}"
        names = ", ".join(row_facts["options"])
        print(f"{row_facts['model']:<26}{row_facts['parameters']:>10}{shown:>9}  {names}".rstrip())
    print(f"Vectors of size {options.hidden}; the leaves and operators of `paper`.")
    return 0
