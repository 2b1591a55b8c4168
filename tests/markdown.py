"""Reading the project's pages, for the tests that run what they show."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page: what stands behind the fence, and the content."""
    return re.findall(r"^```(\S+)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


def console_examples(page: Path) -> list[tuple[str, str]]:
    """The `mathtree` commands of a page's console blocks, each with the output printed below it."""
    found = []
    for kind, content in blocks(page.read_text(encoding="utf-8")):
        if kind == "console":
            for part in re.split(r"^\$ ", content, flags=re.MULTILINE):
                command, _, output = part.partition("\n")
                found += [(command, output)] if command.startswith("mathtree ") else []
    return found


def python_sessions(page: Path) -> str:
    """The interactive Python examples of a page, one after the other."""
    sessions = [content for kind, content in blocks(page.read_text(encoding="utf-8")) if kind == "python"]
    return "\n".join(content for content in sessions if content.startswith(">>> "))
