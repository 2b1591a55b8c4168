"""Commands on models: `models`, `train` and `import-checkpoint`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shlex
from typing import Any

from dgl_mathtree.cli.command_table import CommandError, Commands, add_command, add_old_name
from dgl_mathtree.cli.output_arguments import FolderToWrite
from dgl_mathtree.files import parse_json
from dgl_mathtree.schema import documentation
from dgl_mathtree.tables import text_table
from dgl_mathtree.training.config import PAPER, RENAMED, Config, read_config

SETTINGS = {"set": "options", "objective_set": "objective_options"}
"""Options that give entries of an object of the configuration."""
FIELDS = {each.name: each for each in dataclasses.fields(Config) if each.name not in ("data", *SETTINGS.values())}
"""Entries of the configuration that have an option of their own."""
METAVARS = {int: "N", float: "X", str: "NAME"}


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
        "Convert a checkpoint of the original project (recursiveMemNet) to a run.",
        "mathtree import-checkpoint tree-lstm.checkpoint --out runs/original",
        epilog="Tree-RNN, Tree-LSTM and Tree-SMU are recognised by their keys.",
    )
    command.add_argument("file", metavar="FILE", help="a state dict saved by torch")
    command.add_argument("--out", required=True, action=FolderToWrite, metavar="RUN", help="the new run folder")


def _run_import(options: argparse.Namespace) -> int:
    from dgl_mathtree.training.original_checkpoints import import_checkpoint

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
        "Train a model, or resume a run.",
        "mathtree train paper --model mi-tree-lstm --out runs/mi --seed 0",
        epilog="Several processes: torchrun --nproc-per-node=2 -m dgl_mathtree train paper --model NAME --out RUN",
    )
    command.add_argument("data", metavar="DATA", nargs="?", help="a data folder or recipe name")
    command.add_argument("--out", required=True, action=FolderToWrite, metavar="RUN", help="the run folder")
    said = documentation(Config)
    for name, entry in FIELDS.items():
        kind = {"int": int, "float": float, "str": str}[str(entry.type).partition(" | ")[0]]
        text = f"{said.get(name, '').replace('`', '')}{_default(entry)}".replace("%", "%%")
        command.add_argument(_flag(name), type=kind, metavar=METAVARS[kind], help=text)
    for name, text in SETTINGS.items():
        command.add_argument(_flag(name), action="append", default=[], metavar="NAME=VALUE", help=said.get(text))
    for old, new in RENAMED.items():
        add_old_name(command, _flag(old), _flag(new))
    command.add_argument(
        "--config", metavar="FILE", help="a configuration in JSON; other options take precedence over it"
    )
    command.add_argument(
        "--protocol", choices=("best", "paper"), default="best", help="paper: the values that the paper prints"
    )
    command.add_argument("--profile", action="store_true", help="print where the time was spent")


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _default(entry: dataclasses.Field[Any]) -> str:
    """A default in a help text; what the configuration leaves open comes from the model."""
    if entry.default == "" or entry.name == "model":
        return ""
    if entry.default is None:
        return " (default: the model's)"
    return f" (default {entry.default:g})" if isinstance(entry.default, float) else f" (default {entry.default})"


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
    from dgl_mathtree.training.progress import Bar, Profile, Progress

    entries = {} if options.config is None else read_config(options.config)
    if options.protocol == "paper":
        entries |= PAPER
    given = {name: getattr(options, name) for name in ("data", *FIELDS)}
    entries |= {name: value for name, value in given.items() if value is not None}
    for name, entry in SETTINGS.items():
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
    from dgl_mathtree.data.data_files import operators_of, read_card
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
        rate = None if row.is_baseline else row.lr
        rows.append({"model": name, "parameters": count, "lr": rate, "options": row.options})
    if options.json:
        print(json.dumps(rows))
        return 0
    heads = ["model", "parameters", "rate", "  options (--set name=value)"]
    cells = [
        [each["model"], each["parameters"], f"{each['lr']:g}" if each["lr"] else "", f"  {', '.join(each['options'])}"]
        for each in rows
    ]
    print(text_table(heads, cells, [-28, 10, 9, -1]))
    print(f"Vectors of size {options.hidden}; the leaves and operators of `paper`.")
    return 0
