"""The tables of the README and the pages are those of the files that they are made from."""

from __future__ import annotations

import pytest

from tools.tables import MARKED, PAGES, PICTURE, TABLES, can_be_made, picture, written

TEXTS = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
SHOWN = {found[2]: found[3] for text in TEXTS.values() for found in MARKED.finditer(text)}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_that_of_its_files(name: str) -> None:
    if not can_be_made(name):
        pytest.skip("nothing is measured yet: docs/benchmarks.md and docs/completion.md say how")
    assert SHOWN[name] == TABLES[name](), "make tables writes them anew"


def test_every_table_stands_in_one_place() -> None:
    assert sorted(found[2] for text in TEXTS.values() for found in MARKED.finditer(text)) == sorted(TABLES)


def test_a_number_that_was_changed_is_put_right() -> None:
    text = TEXTS["README.md"]
    wrong = text.replace("| `majority` | ", "| `majority` | 1", 1)
    assert wrong != text
    assert written(wrong) == written(text)


def test_the_picture_is_that_of_the_report() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(), "make tables writes it anew"
