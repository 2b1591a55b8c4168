from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dgl_mathtree.cli import main
from dgl_mathtree.data.card_page import card_file, card_page
from dgl_mathtree.data.data_files import DataError, Row, find_data, find_row, generator_of, read_card, read_rows
from dgl_mathtree.data.data_writer import make_data, write_rows
from dgl_mathtree.data.recipe import load_recipe
from dgl_mathtree.files import new_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("data") / "small"
    make_data(out, load_recipe("paper").scaled(0.01), seed=5)
    return out


def test_what_is_in_a_data_folder(folder: Path) -> None:
    assert {file.name for file in folder.iterdir()} == {"equations.jsonl", "card.json", "card.md", "depths.svg"}
    rows = list(read_rows(folder))
    assert len(rows) == read_card(folder)["count"]
    assert len({row.id for row in rows}) == len(rows)
    line = json.loads((folder / "equations.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert list(line) == ["id", "equation", "label", "depth", "split", "verdict", "kind", "derivation"]
    assert sum(1 for _ in read_rows(folder, "test")) == sum(row.part == "test" for row in rows)
    assert find_row(folder, rows[3].id) == rows[3]
    assert all(row.parsed().depth == row.depth for row in rows)


def test_the_card_counts_what_is_there(folder: Path) -> None:
    card, rows = read_card(folder), list(read_rows(folder))
    for depth, counts in card["by_depth"].items():
        some = [row for row in rows if row.depth == int(depth)]
        assert counts["count"] == len(some)
        assert counts["correct"] == sum(row.label for row in some)
        assert counts["nodes"] == pytest.approx(sum(len(row.parsed()) for row in some) / len(some), abs=0.06)
    words = [w for row in rows if row.label for w in row.parsed().words if w != "Equality"]
    assert card["words"]["Mul"]["correct"] == pytest.approx(words.count("Mul") / len(words), abs=1e-4)
    test = [row.label for row in rows if row.part == "test"]
    assert card["floors"]["majority"]["test"] == pytest.approx(sum(test) / len(test), abs=1e-4)
    assert set(card["floors"]) == {"majority", "bag-of-operators", "bag-of-words"}
    assert card["leaks"]["canonical"] == {"validation": 0.0, "test": 0.0}
    assert 0 < card["leaks"]["fold"]["validation"] < 1
    assert card["seed"] == 5
    page = (folder / "card.md").read_text(encoding="utf-8")
    assert "| 13 |" in page
    assert "bag-of-operators" in page


def test_the_committed_card_tells_the_table_and_the_likeness_to_the_original() -> None:
    card = read_card("paper")
    recipe = load_recipe("paper")
    assert {int(d): row["count"] for d, row in card["by_depth"].items()} == recipe.sizes
    assert {int(d): row["correct"] for d, row in card["by_depth"].items()} == recipe.correct
    assert card["fingerprint"] == recipe.fingerprint(generator_of(card)) != recipe.fingerprint()
    assert 0.56 < card["splits"]["train"]["correct"] / card["splits"]["train"]["count"] < 0.60
    assert 27_000 < card["splits"]["train"]["count"] < 27_400
    for word, share in card["words"].items():
        if share.get("reference", 0) > 0.02:
            for ours in ("correct", "correct_test"):
                assert 1 / 1.5 < share[ours] / share["reference"] < 1.5, word
    original = {"8": 28.7, "9": 31.5, "10": 34.0, "11": 36.0, "12": 38.3, "13": 40.0}
    for depth, nodes in original.items():
        assert card["by_depth"][depth]["nodes"] == pytest.approx(nodes, rel=0.1)
    size = (find_data("paper") / "equations.jsonl.xz").stat().st_size
    assert size < 3_000_000


def test_data_that_cannot_be_found_or_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no data"):
        find_data(tmp_path / "none")
    with pytest.raises(DataError, match="not a data folder"):
        find_data(tmp_path)
    with pytest.raises(DataError, match="mathtree generate"):
        find_data("large")
    with pytest.raises(DataError, match="no equation nobody"):
        find_row("paper", "nobody")
    with pytest.raises(DataError, match="unknown part"):
        list(read_rows("paper", "exam"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 is not JSON"),
        ('{"id": "a"}', "line 2: expected an object with the keys"),
        ("[]", "line 2: expected an object"),
        (
            '{"id": "a", "equation": "x = x", "label": 2, "depth": 1, "split": "test", "verdict": "true", "kind": "", '
            '"derivation": []}',
            "line 2: label must be 0 or 1",
        ),
    ],
)
def test_broken_lines_are_named(line: str, message: str, folder: Path, tmp_path: Path) -> None:
    good = (folder / "equations.jsonl").read_text(encoding="utf-8").splitlines()[0]
    (tmp_path / "equations.jsonl").write_text(f"{good}\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match=message):
        list(read_rows(tmp_path))


def test_missing_and_changed_lines_are_noticed(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    lines = (folder / "equations.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    for kept in (lines[:-1], lines[:5] + lines[6:], [*lines, lines[-1]], [lines[1], lines[0], *lines[2:]], []):
        (copy / "equations.jsonl").write_text("".join(kept), encoding="utf-8")
        for part in ("train", "test", "all"):
            with pytest.raises(DataError, match=rf"not those of its card.*\({len(kept)} lines were read\)"):
                list(read_rows(copy, part))
    (copy / "card.json").unlink()
    assert list(read_rows(copy)) == []


def test_the_committed_page_is_that_of_the_card() -> None:
    assert (find_data("paper") / "card.md").read_text(encoding="utf-8") == card_file(read_card("paper"))


def test_a_card_counts_verdicts_by_label(tmp_path: Path) -> None:
    verdicts = (("true", 1), ("true", 1), ("branch", 1), ("false", 0))
    rows = [Row(f"r-{k}", f"x + {k} = x", label, 2, "train", v, "", []) for k, (v, label) in enumerate(verdicts)]
    card = write_rows(tmp_path / "data", rows, {"name": "a"})
    assert card["verdicts_by_label"] == {"correct": {"branch": 1, "true": 2}, "incorrect": {"false": 1}}
    page = card_page(read_card(tmp_path / "data"))
    assert "| verdicts | equations | labelled correct | labelled incorrect |" in page
    assert "| true | 2 | 2 | 0 |" in page


def test_a_card_begins_with_facts_for_programs() -> None:
    card = read_card("paper")
    facts, page = card_file(card).split("---\n\n")
    entries = dict(line.split(": ", 1) for line in facts.splitlines()[1:])
    assert entries["pretty_name"] == '"paper"' and json.loads(entries["size_categories"]) == ["10K<n<100K"]
    assert page == card_page(card)
    for count, size in ((999, "n<1K"), (1000, "1K<n<10K"), (1_088_852, "1M<n<10M"), (10**12, "10M<n<100M")):
        assert f'["{size}"]' in card_file({**card, "count": count})


def test_a_truncated_archive_is_an_error(tmp_path: Path) -> None:
    packed = (find_data("paper") / "equations.jsonl.xz").read_bytes()
    (tmp_path / "equations.jsonl.xz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(DataError, match="cannot read the equations"):
        list(read_rows(tmp_path))


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_killed_run_leaves_no_half_data(signal_number: int, tmp_path: Path) -> None:
    out = tmp_path / "data"
    command = [sys.executable, "-m", "dgl_mathtree", "generate", str(out)]
    for _ in range(5):  # on a busy machine it may be done before it is killed
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 200
        while not list(tmp_path.glob(".data.partial-*/equations.jsonl")) and time.monotonic() < deadline:
            if process.poll() is not None:
                break
            time.sleep(0.05)
        process.send_signal(signal_number)
        _, errors = process.communicate(timeout=60)
        if process.returncode != 0:
            break
        shutil.rmtree(out)
    assert process.returncode != 0
    assert "Traceback" not in errors
    assert not out.exists()
    finished = {"data.blocks"}  # stay for the same command, which takes up what they hold
    with new_folder(out) as draft:  # what else a kill left behind is cleared away by the next one
        assert {*os.listdir(tmp_path)} - finished == {draft.name}
    assert {*os.listdir(tmp_path)} - finished == {"data"}


MINIMAL = {"name": "a", "symbols": ["x", "1"], "by_depth": {}}


@pytest.mark.parametrize(
    "change",
    [
        {"symbols": 5},
        {"symbols": ["x", 5]},
        {"symbols": ["x", "x"]},
        {"symbols": ["sin"]},
        {"by_depth": []},
        {"by_depth": {"3": 5}},
        {"by_depth": {"three": {}}},
        {"checksum": 5},
        {"count": "many"},
        {"words": ["x"]},
        {"floors": {"majority": 0.5}},
    ],
    ids=str,
)
def test_cards_of_another_shape_are_refused_in_one_line(
    change: dict[str, object], folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    (tmp_path / "copy" / "card.json").write_text(json.dumps(card | change), encoding="utf-8")
    for command in (["data"], ["data", "--json"], ["export", str(tmp_path / "out.bin")], ["audit"]):
        assert main([command[0], str(tmp_path / "copy"), *command[1:]]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1 and "card.json: " in error


def test_a_card_with_the_needed_keys_alone_is_printed(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    checksum = read_card(folder)["checksum"]
    for depths in ({}, {"3": {}}, {"3": {"count": 0, "correct": 0}}):
        card = MINIMAL | {"checksum": checksum, "by_depth": depths}
        (tmp_path / "copy" / "card.json").write_text(json.dumps(card), encoding="utf-8")
        assert main(["data", str(tmp_path / "copy")]) == 0
        assert capsys.readouterr().out.startswith("# a\n")


@pytest.mark.parametrize("kind", ["pipe", "folder", "circle", "empty"])
def test_what_is_no_card_is_refused_at_once(
    kind: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    card = tmp_path / "copy" / "card.json"
    card.unlink()
    make = {"pipe": os.mkfifo, "folder": os.mkdir, "circle": lambda f: os.symlink(f, f), "empty": Path.touch}[kind]
    make(card)  # type: ignore[operator]
    assert main(["data", str(tmp_path / "copy")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "change", [{"derivation": 5}, {"derivation": [5]}, {"depth": 2**70}, {"depth": True}, {"id": 5}]
)
def test_lines_of_another_shape_are_named(change: dict[str, object], folder: Path, tmp_path: Path) -> None:
    good = json.loads((folder / "equations.jsonl").read_text(encoding="utf-8").splitlines()[0])
    (tmp_path / "equations.jsonl").write_text(json.dumps(good | change) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 1"):
        list(read_rows(tmp_path))


def test_lines_that_others_write_are_read(folder: Path, tmp_path: Path) -> None:
    """With keys in another order, more of them, characters spelled as escapes, and space around."""
    line = (folder / "equations.jsonl").read_text(encoding="utf-8").splitlines()[0]
    good = json.loads(line) | {"id": "prüfung"}
    forms = [
        json.dumps(good, ensure_ascii=False),
        json.dumps(good),
        json.dumps(dict(reversed(good.items()))),
        "  " + json.dumps({"more": 1, **good}) + " ",
    ]
    (tmp_path / "equations.jsonl").write_text("\n".join(forms), encoding="utf-8")
    first, *rest = read_rows(tmp_path)
    assert first.id == "prüfung" and json.loads(first.to_json()) == good
    assert rest == [first] * 3


def test_half_a_character_is_refused(folder: Path, tmp_path: Path) -> None:
    line = (folder / "equations.jsonl").read_text(encoding="utf-8").splitlines()[0]
    (tmp_path / "equations.jsonl").write_text(json.dumps(json.loads(line) | {"id": "\ud800"}), encoding="utf-8")
    with pytest.raises(DataError, match="line 1: id must be a text"):
        list(read_rows(tmp_path))
