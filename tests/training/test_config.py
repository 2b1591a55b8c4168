from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dgl_mathtree.nn import MODELS
from dgl_mathtree.training.config import Config, ConfigError, read_config


@pytest.mark.parametrize("model", MODELS)
def test_defaults_are_those_of_the_model(model: str) -> None:
    config = Config(data="paper", model=model)
    row = MODELS[model]
    assert (config.lr, config.scale, config.weight_decay) == (row.lr, row.scale, row.weight_decay)
    assert config.options == row.defaults
    assert Config.of(json.loads(json.dumps(config.to_json()))) == config


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"model": "tree-gru"}, "unknown model 'tree-gru'; expected one of majority, bag-of-operators"),
        ({"options": {"slot": 3}}, "has no option 'slot'; it has integration"),
        ({"options": {"slots": "three"}}, "'slots' must be a whole number"),
        ({"options": {"slots": 0}}, "slots must be at least 1"),
        ({"options": {"dropout": 0.5}}, "'dropout' is not an option of a model"),
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"epochs": 1.5}, "epochs must be a whole number"),
        ({"epochs": True}, "epochs must be a whole number"),
        ({"hidden": -1}, "hidden must be at least 1"),
        ({"lr": 0.0}, "lr must be above 0"),
        ({"lr": float("nan")}, "lr must be a number"),
        ({"dropout": 1.0}, "dropout must be at least 0 and below 1"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"clip": -1.0}, "clip must be at least 0, not -1"),
        ({"augment": "everything"}, "augment must be one of none, commute"),
        ({"decay": "l1"}, "decay must be one of decoupled, l2"),
        ({"device": "gpu"}, "unknown device 'gpu'"),
        ({"device": "meta"}, "unknown device 'meta'"),
        ({"seed": 10**30}, r"seed must be a whole number below 2\^63"),
        ({"lr": 10**400}, "lr must be a number"),
        ({"hidden": 10**7}, "hidden must be at least 1 and at most 5000"),
        ({"options": {"slots": 2.5}}, "'slots' must be a whole number"),
        ({"options": {"slots": True}}, "'slots' must be a whole number"),
        ({"options": {"slots": 10**10}}, "'slots' must be"),
        ({"options": {"no_op": 7}}, "'no_op' must be true or false"),
        ({"head": "sum"}, "head must be one of dot, cosine, output, not 'sum'"),
        ({"options": {"read": "state"}}, "has no option 'read'; it has integration, slots, no_op, merge"),
        ({"model": "tree-rnn+stack", "options": {"read": "state"}}, "or tree-rnn with integration='product'"),
        ({"model": "second-order-tree-rnn-pure", "options": {"first_order": True}}, "no option 'first_order'"),
        ({"head": "cosine", "model": "majority"}, "head must be dot for majority"),
        ({"options": {"head": "dot"}}, "'head' is not an option of a model"),
        ({"driver": "magic"}, "driver must be one of auto, dgl, levels"),
        ({"driver": "dgl", "model": "lstm"}, "driver must be auto for lstm"),
        ({"momentum": 0.9}, "unknown entry 'momentum'"),
        ({"data": 5}, "data must be a text"),
    ],
)
def test_wrong_values(entry: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Config.of({"data": "paper"} | entry)


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text('{"model": "tree-rnn", "lr": 0.5}')
    assert read_config(file) == {"model": "tree-rnn", "lr": 0.5}
    file.write_text('{"config": {"model": "tree-rnn"}, "vocabulary": ["x"]}')
    assert read_config(file) == {"model": "tree-rnn"}
    wrong = {"{": "line 1, column 2", "[]": "expected an object", '{"config": 3}': "must be an object"}
    for text, message in wrong.items():
        file.write_text(text)
        with pytest.raises(ConfigError, match=message):
            read_config(file)
    with pytest.raises(ConfigError, match="cannot read"):
        read_config(tmp_path / "none.json")


def test_how_to_run_is_no_part_of_what_is_run() -> None:
    config = Config.of({"data": "paper", "driver": "levels"})
    assert config.differences(Config.of({"data": "paper", "driver": "dgl"})) == []
    older = Config.of({"data": "paper", "model": "tree-lstm", "options": {"propagate": "dgl"}})
    assert (older.driver, older.options) == ("dgl", {})
    assert config.differences(older)[0] == "model 'm-tree-lstm+stack' here, 'tree-lstm' there"
