from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import dgl
import numpy as np
import pytest
import torch
from dgl.dataloading import GraphDataLoader
from safetensors import safe_open
from safetensors.numpy import save_file

import dgl_mathtree
from dgl_mathtree.data.cache import _crc, restore
from dgl_mathtree.data.data_files import DataError, read_card, read_rows
from dgl_mathtree.data.data_writer import make_data
from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.data.export import export_graphs
from dgl_mathtree.data.recipe import DATASETS, load_recipe
from dgl_mathtree.graphs import NODE_TYPES, to_equation
from dgl_mathtree.language import Forest, parse_equation
from dgl_mathtree.oracle.value_keys import value_keys


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("data") / "small"
    make_data(out, load_recipe("paper").scaled(0.01))
    return out


def test_items_are_graphs_and_labels(folder: Path, tmp_path: Path) -> None:
    rows = list(read_rows(folder, "test"))
    dataset = EquationDataset(folder, part="test", raw_dir=str(tmp_path))
    assert len(dataset) == len(rows)
    for k, row in enumerate(rows):
        graph, label = dataset[k]
        assert label.item() == row.label
        assert dataset.depth[k] == row.depth
        assert dataset.text[k] == row.equation
        assert to_equation(graph, dataset.vocabulary) == row.parsed() == dataset.equation(k)
        assert set(graph.ndata) == {"op", "symbol", "text"}
        assert set(graph.edata) == {"pos"}
        leaves = graph.in_degrees() == 0
        assert torch.equal(graph.ndata["symbol"] >= 0, leaves)


def test_a_second_data_set_comes_from_the_cache(folder: Path, tmp_path: Path) -> None:
    first = EquationDataset(folder, part="validation", raw_dir=str(tmp_path))
    second = EquationDataset(folder, part="validation", raw_dir=str(tmp_path))
    assert first.has_cache()
    assert list(tmp_path.rglob("*.safetensors"))
    assert [first.equation(k) for k in range(len(first))] == [second.equation(k) for k in range(len(second))]
    assert torch.equal(first.label, second.label)
    assert first.ids == second.ids
    train = EquationDataset(folder, part="train", raw_dir=str(tmp_path))
    assert len(train) + len(first) < len(EquationDataset(folder, part="all", raw_dir=str(tmp_path)))


def test_a_cache_holds_the_forest(folder: Path, tmp_path: Path) -> None:
    first, second = (EquationDataset(folder, "train", raw_dir=str(tmp_path)) for _ in range(2))
    assert second.forest is not first.forest
    assert second.forest.words == first.forest.words == Forest.of(map(parse_equation, first.text)).words
    for name in ("word", "children", "height", "equations", "offsets", "members"):
        assert np.array_equal(getattr(first.forest, name), getattr(second.forest, name))
    assert (second.text, second.kind, second.vocabulary) == (first.text, first.kind, first.vocabulary)
    assert second.checksum == read_card(folder)["checksum"]


@pytest.mark.parametrize("damage", ["cut", "noise", "bit", "beyond", "short", "missing", "texts"])
def test_a_damaged_cache_is_not_used(damage: str, folder: Path, tmp_path: Path) -> None:
    first = EquationDataset(folder, "validation", raw_dir=str(tmp_path))
    (file,) = tmp_path.rglob("validation.safetensors")
    with safe_open(file, framework="np") as stored:
        metadata, arrays = stored.metadata(), {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:1000])
    elif damage == "noise":
        file.write_bytes(b"noise")
    elif damage == "bit":
        content = file.read_bytes()
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    else:
        if damage == "beyond":
            arrays["children"][0, 0] = len(arrays["word"])
        elif damage == "short":
            arrays["label"] = arrays["label"][:-1]
        elif damage == "texts":
            arrays["text.ends"][-1] += 1
        else:
            del arrays["height"]
        save_file(arrays, file, metadata | {"crc": str(_crc(arrays))})
    assert restore(file) is None
    again = EquationDataset(folder, "validation", raw_dir=str(tmp_path))
    assert again.text == first.text
    assert torch.equal(again.label, first.label)
    assert restore(file) is not None  # it was written again


def test_caches_may_be_read_by_whoever_may_read_new_files(folder: Path, tmp_path: Path) -> None:
    for mask, mode in ((0o022, 0o644), (0o077, 0o600)):
        before = os.umask(mask)
        try:
            EquationDataset(folder, "validation", raw_dir=str(tmp_path / str(mask))).value_keys(2)
        finally:
            os.umask(before)
        files = list((tmp_path / str(mask)).rglob("*.safetensors"))
        assert [file.stat().st_mode & 0o777 for file in files] == [mode, mode]


def test_an_installed_package_is_given_no_cache(tmp_path: Path) -> None:
    package = Path(dgl_mathtree.__file__).parent
    site = tmp_path / "site"
    shutil.copytree(package, site / "dgl_mathtree", ignore=shutil.ignore_patterns("__pycache__", "shipped"))
    shutil.copytree(DATASETS, site / "dgl_mathtree" / "datasets", ignore=shutil.ignore_patterns(".cache"))
    code = "from dgl_mathtree.data.cache import cache_folder; print(cache_folder('paper'))"
    hidden = ("DGL_DOWNLOAD_DIR", "XDG_CACHE_HOME", "PYTHONPATH")
    clean = {name: value for name, value in os.environ.items() if name not in hidden}
    clean |= {"PYTHONPATH": str(site), "HOME": str(tmp_path / "home")}
    for more, place in (({}, tmp_path / "home" / ".cache"), ({"XDG_CACHE_HOME": str(tmp_path / "x")}, tmp_path / "x")):
        command = [sys.executable, "-W", "ignore", "-c", code]
        result = subprocess.run(command, env=clean | more, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert result.stdout.strip() == str(place / "dgl-mathtree")


def test_keys_of_values_are_kept_and_made_anew_where_they_are_damaged(folder: Path, tmp_path: Path) -> None:
    dataset = EquationDataset(folder, raw_dir=str(tmp_path))
    expected = value_keys(dataset.forest, 3)
    assert np.array_equal(dataset.value_keys(3), expected)
    (file,) = tmp_path.rglob("*values*.safetensors")
    made = file.stat().st_mtime_ns
    assert np.array_equal(EquationDataset(folder, raw_dir=str(tmp_path)).value_keys(3), expected)
    assert file.stat().st_mtime_ns == made
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    assert np.array_equal(dataset.value_keys(3), expected)
    assert file.read_bytes() != content
    assert not np.array_equal(dataset.value_keys(2), expected)


def test_lines_that_go_missing_are_noticed_although_there_is_a_cache(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    assert len(EquationDataset(copy, "train", raw_dir=str(tmp_path / "cache")))
    lines = (copy / "equations.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (copy / "equations.jsonl").write_text("".join(lines[:-3]), encoding="utf-8")
    with pytest.raises(DataError, match="lines are missing"):
        EquationDataset(copy, "train", raw_dir=str(tmp_path / "cache"))


def test_two_data_sets_do_not_share_a_cache(folder: Path, tmp_path: Path) -> None:
    ours = EquationDataset(folder, "validation", raw_dir=str(tmp_path))
    other = EquationDataset("paper", "validation", raw_dir=str(tmp_path))
    assert len(ours) != len(other)
    assert len(EquationDataset(folder, "validation", raw_dir=str(tmp_path))) == len(ours)


def test_batches(folder: Path, tmp_path: Path) -> None:
    dataset = EquationDataset(folder, part="train", raw_dir=str(tmp_path))
    graph, labels = next(iter(GraphDataLoader(dataset, batch_size=8)))
    assert graph.batch_size == 8
    assert labels.tolist() == dataset.label[:8].tolist()
    assert [to_equation(g, dataset.vocabulary) for g in dgl.unbatch(graph)] == [dataset.equation(k) for k in range(8)]


def test_the_data_that_comes_with_the_project(tmp_path: Path) -> None:
    assert len(EquationDataset("paper", part="test", raw_dir=str(tmp_path))) == 7923


def test_bad_requests(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="unknown part 'exam'"):
        EquationDataset(folder, part="exam")
    with pytest.raises(DataError, match="there is no data"):
        EquationDataset(tmp_path / "nothing")


def test_exported_graphs_load_in_a_process_that_knows_only_dgl(folder: Path, tmp_path: Path) -> None:
    facts = export_graphs(folder, tmp_path / "test.bin", "test")
    rows = list(read_rows(folder, "test"))
    assert facts["id"] == [row.id for row in rows]
    assert facts["op"] == list(NODE_TYPES)
    code = (
        "import sys, dgl\n"
        f"graphs, labels = dgl.load_graphs({str(tmp_path / 'test.bin')!r})\n"
        "assert not any(name.startswith('dgl_mathtree') for name in sys.modules)\n"
        "print(len(graphs), graphs[0].num_nodes(), labels['label'].sum().item(), labels['depth'].tolist())"
    )
    alone = [sys.executable, "-W", "ignore", "-c"]
    result = subprocess.run([*alone, code], capture_output=True, text=True)
    if result.returncode and subprocess.run([*alone, "import dgl"], capture_output=True).returncode:
        pytest.skip("this DGL cannot be imported alone with this torch")
    assert result.returncode == 0, result.stderr
    depths = [row.depth for row in rows]
    assert (
        result.stdout.splitlines()[-1] == f"{len(rows)} {len(rows[0].parsed())} {sum(r.label for r in rows)} {depths}"
    )


def test_one_shared_graph(folder: Path, tmp_path: Path) -> None:
    export_graphs(folder, tmp_path / "all.bin", shared=True)
    graphs, labels = dgl.load_graphs(str(tmp_path / "all.bin"))
    rows = list(read_rows(folder))
    assert len(graphs) == 1
    assert labels["label"].tolist() == [row.label for row in rows]
    symbols = read_card(folder)["symbols"]
    for k in (0, 7, len(rows) - 1):
        assert to_equation(graphs[0], symbols, int(labels["root"][k])) == rows[k].parsed()
    assert graphs[0].num_nodes() < sum(len(row.parsed()) for row in rows) / 2


def test_exports_that_cannot_be_written(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no folder"):
        export_graphs(folder, tmp_path / "none" / "out.bin")
    with pytest.raises(DataError, match=r"anything but \.json"):
        export_graphs(folder, tmp_path / "out.json")
    assert list(tmp_path.iterdir()) == []


def test_where_a_cache_is_kept(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    monkeypatch.delenv("DGL_DOWNLOAD_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    kept = EquationDataset(copy, "validation")
    assert list((tmp_path / "caches" / "dgl-mathtree").rglob("validation.safetensors"))
    assert not (copy / ".cache").exists()
    monkeypatch.delenv("XDG_CACHE_HOME")
    (copy / ".cache").write_text("in the way: nothing can be kept here")
    read = EquationDataset(copy, "validation")
    assert not read.has_cache()
    assert read.text == kept.text
    (copy / ".cache").unlink()
    assert EquationDataset(copy, "validation").has_cache()
    assert list((copy / ".cache").rglob("validation.safetensors"))
