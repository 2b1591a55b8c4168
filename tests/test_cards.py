"""The cards are those of the files that they are made from, and programs can read them."""

from __future__ import annotations

import configparser
import json
import re
from pathlib import Path

import pytest

from dgl_mathtree import __version__
from tools.cards import MEASURED, ROOT, SETS, SHIPPED, cards


@pytest.mark.parametrize(("file", "text"), cards().items(), ids=[str(file.relative_to(ROOT)) for file in cards()])
def test_a_card_is_that_of_its_files(file: Path, text: str) -> None:
    assert file.read_text(encoding="utf-8") == text, "make tables writes it anew"


def test_the_card_of_the_model_names_what_was_measured() -> None:
    facts, body = (SHIPPED / "README.md").read_text(encoding="utf-8").split("---\n\n", 1)
    entries = {name: json.loads(value) for name, value in (line.split(": ", 1) for line in facts.splitlines()[1:])}
    assert entries["license"] == "mit" and entries["library_name"] == "dgl-mathtree"
    (index,) = entries["model-index"]
    for result in index["results"]:
        name = result["dataset"]["type"]
        accuracy = json.loads((MEASURED / f"{name}.json").read_text())["overall"]["accuracy"]
        assert result["metrics"] == [{"type": "accuracy", "value": round(accuracy, 4)}]
        assert f"| {SETS[name]} | " in body
    assert len(index["results"]) == len(SETS)


def test_the_version_is_the_same_everywhere() -> None:
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), flags=re.MULTILINE)
    newest = re.search(r"^## (\S+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert cited is not None and newest is not None
    assert {cited[1], newest[1]} == {__version__}


def test_every_extra_is_documented() -> None:
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg", encoding="utf-8")
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)) == set(settings["options.extras_require"])
