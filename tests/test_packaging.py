"""What is distributed: a source distribution that is whole, and a wheel made from it that works anywhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LEFT_OUT = ("__pycache__", ".cache")

pytestmark = pytest.mark.slow


def run(*command: str, folder: Path, **environment: str) -> str:
    """What a command of Python prints, run in a folder with no way to the sources."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    result = subprocess.run(
        [sys.executable, *command], cwd=folder, env=clean | environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr + result.stdout
    return result.stdout


def build(what: str, source: Path, out: Path) -> Path:
    """The distribution that the build backend makes of some sources, as it does for pip."""
    out.mkdir(exist_ok=True)
    run("-W", "ignore", "-c", f"from setuptools import build_meta as b; b.build_{what}({str(out)!r})", folder=source)
    (made,) = out.glob("*.whl" if what == "wheel" else "*.tar.gz")
    return made


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked."""
    place = tmp_path_factory.mktemp("packaging")
    copied = {
        "Makefile",
        "MANIFEST.in",
        "LICENSE",
        ".gitignore",
        ".ci",
        "docs",
        "tools",
        "tests",
        "results",
        "examples",
    }
    copied |= {"benchmarks", "datasets", "dgl_mathtree"} | {file.name for file in ROOT.glob("*.*") if file.is_file()}
    for name in copied:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place / "copy" / name, ignore=shutil.ignore_patterns(*LEFT_OUT))
        elif (ROOT / name).is_file():
            (place / "copy").mkdir(exist_ok=True)
            shutil.copy(ROOT / name, place / "copy")
    with tarfile.open(build("sdist", place / "copy", place / "dist")) as archive:
        archive.extractall(place, filter="data")
    (unpacked,) = place.glob("dgl*mathtree-*")
    return unpacked


@pytest.fixture(scope="module")
def wheel(source: Path) -> Path:
    """A wheel made from the source distribution."""
    return build("wheel", source, source.parent / "wheel")


def files_below(folder: Path) -> set[str]:
    kept = {file for file in folder.rglob("*") if file.is_file() and not set(file.parts) & set(LEFT_OUT)}
    return {file.relative_to(folder).as_posix() for file in kept if file.suffix not in (".so", ".pyc")}


def test_the_source_distribution_is_whole(source: Path) -> None:
    for name in ("CHANGELOG.md", "LICENSE", "Makefile", "README.md", "constraints.txt", ".ci/run"):
        assert (source / name).is_file()
    for folder in ("benchmarks", "datasets", "dgl_mathtree", "docs", "examples", "tests", "tools"):
        assert files_below(source / folder) == files_below(ROOT / folder)


def test_the_wheel_has_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert {name.split("/")[0] for name in names} == {"dgl_mathtree"}
    modules = {file.relative_to(ROOT).as_posix() for file in (ROOT / "dgl_mathtree").rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == modules
    data = {f"dgl_mathtree/datasets/{name}" for name in files_below(ROOT / "datasets") if "/" in name}
    assert data <= names
    assert {"dgl_mathtree/py.typed", "dgl_mathtree/shipped/model.safetensors"} <= names
    texts = {file.relative_to(ROOT).as_posix() for file in (ROOT / "dgl_mathtree").rglob("*.txt")}
    assert texts and texts <= names


def test_the_wheel_works_without_the_sources(wheel: Path, source: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    run("-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(site), str(wheel), folder=tmp_path)
    where = run("-c", "import dgl_mathtree; print(dgl_mathtree.__file__)", folder=tmp_path, PYTHONPATH=str(site))
    assert where.strip() == str(site / "dgl_mathtree" / "__init__.py")
    # `pip install --target` leaves no command on the path, but writes it.
    script = (site / "bin" / "mathtree").read_text(encoding="utf-8")
    assert "from dgl_mathtree.__main__ import main" in script
    out = str(tmp_path / "run")
    command = ["-m", "dgl_mathtree", "train", "paper", "--model", "majority", "--out", out]
    trained = run(*command, folder=tmp_path, PYTHONPATH=str(site))
    assert "test" in trained
    # The README's tour, from the source distribution, with the installed package.
    options = ["-q", "--import-mode=importlib", "-p", "no:cacheprovider", f"--rootdir={source}", "-k", "README"]
    tour = run("-m", "pytest", *options, str(source / "tests" / "test_docs.py"), folder=tmp_path, PYTHONPATH=str(site))
    assert tour.startswith("....") and "100%" in tour


@pytest.mark.parametrize("python", ["3.10", "3.12"])
def test_the_wheel_is_for_any_python(wheel: Path, tmp_path: Path, python: str) -> None:
    assert wheel.name.split("-")[2:4] == ["py3", "none"]
    platform = wheel.stem.split("-")[-1]
    options = ["--no-deps", "--no-index", "--only-binary=:all:", "--python-version", python, "--platform", platform]
    run("-m", "pip", "install", "-q", *options, "--target", str(tmp_path / "site"), str(wheel), folder=tmp_path)
    assert (tmp_path / "site" / "dgl_mathtree" / "nn" / "drivers" / "native" / "_kernels.so").is_file()
