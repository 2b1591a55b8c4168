from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
import zlib
from contextlib import suppress
from pathlib import Path

import pytest

from dgl_mathtree.data import blocks, generate
from dgl_mathtree.data.block_records import BlockError
from dgl_mathtree.data.candidate import Candidate
from dgl_mathtree.data.data_files import EQUATIONS, DataError
from dgl_mathtree.data.data_writer import make_data
from dgl_mathtree.data.finished_blocks import FinishedBlocks, kept_blocks
from dgl_mathtree.data.provenance import Became, Both, Edit, Found, LooseRewrite, Rewrite, Start
from dgl_mathtree.data.ray_map import on_cluster
from dgl_mathtree.data.recipe import Recipe, load_recipe

ABOUT = {"fingerprint": "a", "seed": 0}
RECIPE = Path(__file__).parent / "little.toml"


def little() -> Recipe:
    return load_recipe(str(RECIPE))


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    out = tmp_path_factory.mktemp("fresh") / "data"
    make_data(out, little())
    return (out / EQUATIONS).read_bytes()


def give_up_after(rounds: int) -> object:
    seen: list[int] = []

    def progress(accepted: int) -> None:
        seen.append(accepted)
        if len(seen) > rounds:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("rounds", [pytest.param(0, marks=pytest.mark.slow), 30])
def test_generation_resumes_from_finished_blocks(
    rounds: int, fresh: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is stopped among derived equations, or among discovered ones."""
    out, kept = tmp_path / "data", tmp_path / "data.blocks"
    with pytest.raises(KeyboardInterrupt):
        make_data(out, little(), progress=give_up_after(rounds))  # type: ignore[arg-type]
    assert [file.name for file in tmp_path.iterdir()] == [kept.name]
    before = {file.name.partition(".")[0] for file in kept.iterdir()}
    assert any(name.startswith("found") for name in before) == (rounds > 0)
    made: list[str] = []

    def make(jobs: list[blocks.BlockJob]) -> object:
        made.extend(seed for _, seed, _, _ in jobs)
        return blocks.make_blocks(jobs)

    monkeypatch.setattr(generate, "make_blocks", make)
    make_data(out, little())
    assert not {f"derived-{seed.replace('/', '-')}" for seed in made} & before
    assert (out / EQUATIONS).read_bytes() == fresh
    assert [file.name for file in tmp_path.iterdir()] == [out.name]


@pytest.mark.slow
def test_generation_that_is_killed_resumes_with_other_workers(fresh: bytes, tmp_path: Path) -> None:
    out, kept = tmp_path / "data", tmp_path / "data.blocks"
    command = [sys.executable, "-m", "dgl_mathtree", "generate", str(out), "--recipe", str(RECIPE)]
    process = subprocess.Popen(
        [*command, "--workers", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + 200
    while not list(kept.glob("*.json.z")) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(100)
    assert list(kept.glob("*.json.z")) and not out.exists()
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert (out / EQUATIONS).read_bytes() == fresh
    assert [file.name for file in tmp_path.iterdir()] == [out.name]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_makes_the_same_bytes(fresh: bytes, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    make_data(tmp_path / "data", little(), workers=on_cluster("local", 2))
    assert (tmp_path / "data" / EQUATIONS).read_bytes() == fresh


def keep_one(out: Path) -> Path:
    """Blocks of data that was given up."""
    with suppress(KeyboardInterrupt), kept_blocks(out, ABOUT) as kept:
        kept.keep("one", [1])
        raise KeyboardInterrupt
    return out.with_name(out.name + ".blocks")


def test_a_folder_without_blocks_is_not_left(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), kept_blocks(tmp_path / "data", ABOUT):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_blocks_of_other_data_are_not_used(tmp_path: Path) -> None:
    keep_one(tmp_path / "data")
    with (
        pytest.raises(DataError, match=r"data\.blocks has blocks of other data \(another seed\)"),
        kept_blocks(tmp_path / "data", ABOUT | {"seed": 1}),
    ):
        pass
    with kept_blocks(tmp_path / "data", ABOUT) as kept:
        assert "one" in kept and kept.read("one") == [1]


def test_blocks_that_others_could_have_written_are_not_read(tmp_path: Path) -> None:
    folder = keep_one(tmp_path / "data")
    folder.chmod(0o777)
    with pytest.raises(DataError, match="may be written by others"), kept_blocks(tmp_path / "data", ABOUT):
        pass


def test_two_processes_do_not_make_the_same_data(tmp_path: Path) -> None:
    with (
        kept_blocks(tmp_path / "data", ABOUT),
        pytest.raises(DataError, match="in use"),
        kept_blocks(tmp_path / "data", ABOUT),
    ):
        pass


def test_a_damaged_block_is_named(tmp_path: Path) -> None:
    folder = keep_one(tmp_path / "data")
    (folder / "one.json.z").write_bytes(b"nothing")
    with (
        pytest.raises(DataError, match=r"one\.json\.z: .*; remove the file"),
        kept_blocks(tmp_path / "data", ABOUT) as kept,
    ):
        kept.read("one")


@pytest.mark.parametrize(
    "block",
    [
        [],
        [("x", "y"), (), ("a b",), ("",), ("x", ("2",))],
        [None, True, -1, 2**64 - 1, 0.1, "words", ["words"], ("words", "x y")],
        [[Candidate(("Equality", "x", "x"), True, 1, "correct", (Start("a", (("x", ("y",)),)), Both("Add", ("2",))))]],
        [Rewrite("a", True, 3), LooseRewrite("a", False, 2), Edit("grow", 1, ("x",)), Found("s", ("x",))],
        [Became("substitute", ("x",))],
    ],
)
def test_a_block_is_read_as_it_was_kept(block: list[object], tmp_path: Path) -> None:
    kept = FinishedBlocks(tmp_path)
    kept.keep("one", block)
    found = kept.read("one")
    assert found == block and repr(found) == repr(block)


def test_a_value_that_is_not_a_record_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BlockError, match="a block cannot hold a PosixPath"):
        FinishedBlocks(tmp_path).keep("one", [tmp_path])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["{}", "[]", "[1]", '["print", 1]', '["Candidate", 1]', '["words", 1]', '["list", {}]', "[" * 100_000, ""]
)
def test_a_block_of_another_shape_is_refused(text: str, tmp_path: Path) -> None:
    kept = FinishedBlocks(tmp_path)
    digest = hashlib.blake2b(f"other\n{text}".encode(), digest_size=16).hexdigest()
    (tmp_path / "other.json.z").write_bytes(zlib.compress(f"{digest}\n{text}".encode()))
    with pytest.raises(DataError, match=r"cannot read .*remove the file"):
        kept.read("other")


def test_a_block_that_was_changed_or_renamed_is_refused(tmp_path: Path) -> None:
    kept = FinishedBlocks(tmp_path)
    kept.keep("one", [1])
    file = tmp_path / "one.json.z"
    (tmp_path / "two.json.z").write_bytes(file.read_bytes())
    file.write_bytes(zlib.compress(zlib.decompress(file.read_bytes()).replace(b'["list",1]', b'["list",2]')))
    for name in ("one", "two"):
        with pytest.raises(DataError, match=rf"cannot read .*{name}.json.z: it is not as it was written; remove"):
            kept.read(name)
