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


def sections(page: Path) -> dict[str, list[tuple[str | None, str, str]]]:
    """For each second-level heading of a page its fenced blocks.

    A block is the file that the line before it names (or None), what stands behind the fence, and the content.
    """
    parts = re.split(r"^## (.*)\n", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    fence = re.compile(r"(?:^`([^`\n]+)`:\n\n)?^```(\S+)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
    return {
        heading: [(match[1], match[2], match[3]) for match in fence.finditer(text)]
        for heading, text in zip(parts[::2], parts[1::2], strict=True)
    }


def edited(text: str, diff: str) -> str:
    """A text after a diff without line numbers; hunks are separated by a line of three dots."""
    for hunk in diff.split("...\n"):
        lines = hunk.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in " -")
        after = "".join(line[1:] for line in lines if line[0] in " +")
        assert text.count(before) == 1, f"not once in the file:\n{before}"
        text = text.replace(before, after)
    return text
