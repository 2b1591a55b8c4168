"""The tour, run from its first cell to its last as a notebook runs it."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from dgl_mathtree.language import parse_equation
from tests.notebooks import assert_stored, code_cells, run_notebook


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The tour, executed."""
    return run_notebook("tour.ipynb", tmp_path_factory.mktemp("tour"))


@pytest.fixture(scope="module")
def tour(notebook: Any) -> list[Any]:
    """Its cells with code."""
    return code_cells(notebook)


def shown(tour: list[Any], start: str) -> dict[str, str]:
    """What the cell whose last line starts with a text shows, by type."""
    (cell,) = (cell for cell in tour if cell.source.splitlines()[-1].startswith(start))
    (found,) = (output.data for output in cell.outputs if output.output_type == "execute_result")
    return dict(found)


def rows(tour: list[Any], start: str) -> list[list[str]]:
    """The texts of the table that a cell shows, head first."""
    table = ElementTree.fromstring(shown(tour, start)["text/html"])
    return [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]


@pytest.mark.slow
def test_the_committed_tour_has_its_outputs(notebook: Any) -> None:
    assert_stored("tour.ipynb", notebook)


@pytest.mark.slow
def test_every_cell_shows_what_it_should(tour: list[Any]) -> None:
    assert parse_equation(shown(tour, "equation")["text/latex"]).variables == ("x", "y")
    assert rows(tour, "judge(equation)")[1][0].startswith("true (")
    assert rows(tour, "judge(parse_equation")[1][0] == "branch"
    assert len(rows(tour, "read_card")) == 14  # depths 1 to 13 and the head
    assert rows(tour, "train_data")[0] == ["equation", "label", "depth", "kind"]
    assert shown(tour, "graph")["text/plain"].startswith("Graph(num_nodes=")
    assert shown(tour, "cell(graph")["text/plain"].startswith("tensor(")


@pytest.mark.slow
def test_training_shows_a_bar_and_learns(tour: list[Any]) -> None:
    (training,) = (cell for cell in tour if "metrics = train(" in cell.source)
    text = "".join(output.text for output in training.outputs)
    assert "epoch 1/3" in text and "equations/s" in text
    assert "epoch 3: loss" in text and "best after epoch" in text
    accuracy = {depth: float(share.rstrip("%")) for depth, _, share, *_ in rows(tour, 'metrics["test"]')[1:]}
    assert accuracy["all"] > 60  # the larger class has 51.7
    assert list(accuracy) == ["all", *(str(depth) for depth in range(8, 14))]


@pytest.mark.slow
def test_networks_answer_in_tables(tour: list[Any]) -> None:
    for start in ("fresh.verify", "shipped.verify"):
        head, *answers = rows(tour, start)
        assert head == ["equation", "verdict", "probability"] and len(answers) == 4
    assert [row[1] for row in rows(tour, "shipped.verify")[1:]] == ["correct", "incorrect", "correct", "incorrect"]
    head, *fillings = rows(tour, "shipped.complete")
    assert head[:3] == ["filling", "probability", "oracle"] and fillings[0][2] == "true (proved)"
    assert rows(tour, "fresh.states")[0] == ["side", "node", "|h|", "|c|", "push", "pop", "no-op"]


@pytest.mark.slow
def test_the_explanation_is_drawn(tour: list[Any]) -> None:
    drawn = shown(tour, "explain(")["text/html"]
    assert drawn.startswith("<iframe ") and "renderExplanation" in drawn


@pytest.mark.slow
def test_nothing_is_written_to_standard_error(tour: list[Any]) -> None:
    assert [output.text for cell in tour for output in cell.outputs if output.get("name") == "stderr"] == []
