"""The pages: what they show runs as printed, and what they point to is there."""

from __future__ import annotations

import dataclasses
import doctest
import json
import re
import shlex
from pathlib import Path

import pytest

from dgl_mathtree.cli import main
from dgl_mathtree.data.data_files import read_rows
from dgl_mathtree.training import Config
from tests.markdown import PAGES, ROOT, console_examples, python_sessions

DOCS = ROOT / "docs"
COMMANDS = [(page.name, *example) for page in PAGES for example in console_examples(page)]


@pytest.mark.parametrize(("page", "command", "output"), COMMANDS, ids=[f"{page}: {c[:40]}" for page, c, _ in COMMANDS])
def test_commands_print_what_is_shown(
    page: str, command: str, output: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    main(shlex.split(command)[1:])
    printed = capsys.readouterr()
    assert without_times(printed.out + printed.err) == without_times(output)


def without_times(text: str) -> str:
    """A text without the seconds that something took: those differ from run to run."""
    return re.sub(r"\b[0-9]+\.[0-9]+ s\b", "some s", text)


SESSIONS = [
    pytest.param(page, id=page.name, marks=[pytest.mark.slow] if page.name == "data.md" else [])
    for page in PAGES
    if python_sessions(page)
]
"""Pages with Python examples; those on data read all of it."""


@pytest.mark.parametrize("page", SESSIONS)
def test_python_sessions(page: Path) -> None:
    test = doctest.DocTestParser().get_doctest(python_sessions(page), {}, page.name, str(page), 0)
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith(("http:", "https:")):
            continue
        file, _, anchor = target.partition("#")
        place = page.parent / file if file else page
        assert place.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", place.read_text(encoding="utf-8"), flags=re.MULTILINE)
            assert anchor in [re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings], target


def test_every_page_is_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        links = re.findall(r"\]\(([^)#\s]+\.md)", page.read_text(encoding="utf-8"))
        waiting += [(page.parent / link).resolve() for link in links if not link.startswith("http")]
    assert set(PAGES) <= reached


def test_every_command_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    commands = re.findall(r"^    ([a-z-]+)", capsys.readouterr().out, flags=re.MULTILINE)
    assert len(commands) >= 20
    listed = re.findall(r"^\| `mathtree ([a-z-]+)", (DOCS / "commands.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(commands)


def test_the_options_of_training_and_their_defaults() -> None:
    lines = (DOCS / "training.md").read_text(encoding="utf-8").splitlines()
    shown = {}
    for line in lines:
        if line.startswith("| `--"):
            _, names, values, *_ = line.split("|")
            options = re.findall(r"`--([a-z-]+)", names)
            defaults = values.split(",") if "," in values else [values] * len(options)
            shown |= {name.replace("-", "_"): v.strip(" `") for name, v in zip(options, defaults, strict=True)}
    for field in dataclasses.fields(Config):
        if field.name not in ("data", "seed", "options", "model", "objective_options"):
            assert shown[field.name] == ("the model's" if field.default is None else str(field.default)), field.name


def test_the_entries_of_a_configuration_are_listed() -> None:
    text = (DOCS / "files.md").read_text(encoding="utf-8")
    listed = re.findall(r"`(\w+)`", text.split("The entries of `config`: ")[1].split(";")[0])
    assert listed == [field.name for field in dataclasses.fields(Config)]


def first_column(page: Path, heading: str) -> set[str]:
    """The names in the first column of the tables below a heading."""
    section = re.split(r"^#+ ", page.read_text(encoding="utf-8").split(f"# {heading}\n")[1], flags=re.MULTILINE)[0]
    return {name for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE) for name in re.findall(r"`(.*?)`", row)}


@pytest.mark.parametrize(
    ("heading", "file", "rare"),
    [
        ("`card.json`", "datasets/paper/card.json", {"generator", "verdicts_by_label"}),
        ("`config.json`", "dgl_mathtree/shipped/config.json", set()),
        ("`metrics.json`", "dgl_mathtree/shipped/metrics.json", {"averaged", "calibration", "unread"}),
        (
            "`analysis.json`",
            "results/standard/runs/paper/tree-lstm/hidden-50-dropout-0.1-seed-0/analysis.json",
            {"also", "completion_original"},
        ),
    ],
)
def test_the_page_on_files_lists_the_keys_that_there_are(heading: str, file: str, rare: set[str]) -> None:
    keys = json.loads((ROOT / file).read_text(encoding="utf-8")).keys()
    listed = first_column(DOCS / "files.md", heading)
    assert listed - rare <= set(keys) <= listed


def test_the_page_on_files_lists_the_keys_of_a_row() -> None:
    row = json.loads(next(read_rows("paper")).to_json())
    assert first_column(DOCS / "files.md", "`equations.jsonl`") == row.keys()
