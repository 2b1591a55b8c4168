"""Committed data is never replaced: results rest on it, and today's generator makes other equations."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from dgl_mathtree.cli import main
from dgl_mathtree.data.data_files import find_data, generator_of, read_card, read_rows
from dgl_mathtree.data.recipe import GENERATOR, load_recipe
from tools import pack

ROOT = Path(__file__).parent.parent
COMMITTED = "66bc805bb92fb845868aafb5bbdf6b54ad41a971477c764232f8b1b7c0562f21"


def contents(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir() if file.is_file()}


def test_the_committed_data_is_that_of_the_first_generator_and_stays() -> None:
    card = read_card("paper")
    assert card["checksum"] == COMMITTED
    assert generator_of(card) == 1 < GENERATOR
    recipe = load_recipe("paper")
    assert card["fingerprint"] == recipe.fingerprint(1) != recipe.fingerprint()
    before = contents(find_data("paper"))
    assert pack.main(["paper"]) == 2
    assert contents(find_data("paper")) == before


def test_packing_and_generating_replace_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = tmp_path / "tiny.toml"
    recipe.write_text('like = "paper"\n[sizes]\n3 = 20\n[correct]\n3 = 10\n', encoding="utf-8")
    out = tmp_path / "packed"
    assert pack.main([str(recipe), "--out", str(out)]) == 0
    assert len(list(read_rows(out))) == 20
    assert generator_of(read_card(out)) == GENERATOR
    assert {file.name for file in out.iterdir()} >= {"equations.jsonl.xz", "card.json", "card.md"}
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith((".", "tmp"))] == []
    before = contents(out)
    capsys.readouterr()
    assert pack.main([str(recipe), "--out", str(out)]) == 2
    assert main(["generate", str(out), "--recipe", str(recipe)]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert f"with data of generator {GENERATOR}" in errors[0]
    assert "exists: name a new folder" in errors[1]
    assert contents(out) == before
    monkeypatch.setattr(pack, "DATASETS", tmp_path)
    assert pack.main([str(recipe)]) == 0
    assert len(list(read_rows(tmp_path / "tiny"))) == 20


def test_pages_and_makefile_say_which_generator_made_the_data() -> None:
    page = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    versions = re.findall(r"^\| (\d+) \| (.*?) \|", page.split("## Versions of the generator")[1], re.MULTILINE)
    assert [int(number) for number, _ in versions[:GENERATOR]] == list(range(1, GENERATOR + 1))
    assert "datasets/paper" in versions[0][1]
    assert "today" in versions[GENERATOR - 1][1]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "tools/pack.py paper --out build/" in makefile
    for name in ("CONTRIBUTING.md", "Makefile"):
        assert "same bytes" not in (ROOT / name).read_text(encoding="utf-8")
