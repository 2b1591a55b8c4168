"""The documentation site: what its configuration and its reference name is there, and the whole site builds."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PUBLIC = ("", ".nn", ".graphs", ".data", ".inference", ".training")


def test_the_reference_has_every_public_name_once() -> None:
    listed = re.findall(r"^::: (\S+)$", (ROOT / "docs" / "api.md").read_text("utf-8"), flags=re.MULTILINE)
    packages = {f"dgl_mathtree{name}" for name in PUBLIC}
    assert {name.rpartition(".")[0] for name in listed} <= packages
    last = [name.rpartition(".")[2] for name in listed]
    assert len(last) == len(set(last))
    public = {name for package in packages for name in importlib.import_module(package).__all__}
    assert set(last) == {name for name in public if name != "__version__" and f"dgl_mathtree.{name}" not in packages}


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    named = set(re.findall(r"[\w-]+\.md", navigation))
    assert named == {page.name for page in (ROOT / "docs").glob("*.md")} | {
        "index.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
    }


@pytest.mark.slow
@pytest.mark.skipif(find_spec("mkdocs") is None, reason="needs the extra docs")
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    page = (tmp_path / "site" / "api.html").read_text("utf-8")
    assert "dgl_mathtree.nn.TreeLSTM" in page
    outside = re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=\"?https?:", page)
    assert outside == []
