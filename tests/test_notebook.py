"""What notebooks show: well-formed, escaped, and with the figures of the objects."""

from __future__ import annotations

import html
import json
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import dgl_mathtree
from dgl_mathtree.data.data_files import Card, read_card
from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.inference.metrics import evaluation
from dgl_mathtree.inference.nearest import nearest
from dgl_mathtree.inference.records import Answer
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import Expr, parse_equation, parse_expression
from dgl_mathtree.language.mathml import formula
from dgl_mathtree.nn import make_model
from dgl_mathtree.notebook import Records
from dgl_mathtree.oracle import judge
from dgl_mathtree.tables import LONGEST, Markup, html_table
from dgl_mathtree.web.explain import explain


class FirstScript(HTMLParser):
    """The text of the first script of a page."""

    text, inside = "", False

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.inside = tag == "script" and not self.text

    def handle_data(self, data: str) -> None:
        self.text += data if self.inside else ""

    def handle_endtag(self, tag: str) -> None:
        self.inside = False


@pytest.fixture(scope="module")
def model() -> TrainedVerifier:
    return dgl_mathtree.load()


def cells(shown: str | None) -> list[list[str]]:
    """The texts of a table, row by row; the HTML must be well formed."""
    assert shown is not None
    rows = ElementTree.fromstring(shown).iter("tr")
    return [["".join(cell.itertext()) for cell in row] for row in rows]


def test_texts_are_escaped_and_markup_is_not() -> None:
    shown = html_table([{"<b>": "<script>&", "m": Markup("<i>x</i>")}], caption='"<x>"')
    assert cells(shown) == [["<b>", "m"], ["<script>&", "x"]]
    assert "<i>x</i>" in shown and "<script" not in shown and "<x>" not in shown


def test_columns_of_numbers_are_flush_right() -> None:
    shown = html_table(
        [{"name": "a", "count": 1234567, "share": "12.5%", "value": -0.123456}, {"name": "b", "count": None}]
    )
    assert cells(shown)[1:] == [["a", "1,234,567", "12.5%", "-0.1235"], ["b", "", "", ""]]
    row = ElementTree.fromstring(shown).findall(".//tbody/tr")[0]
    assert ["right" in cell.attrib["style"] for cell in row] == [False, True, True, True]


def test_long_tables_end_with_how_many_more_there_are() -> None:
    shown = cells(html_table([{"k": k} for k in range(LONGEST + 1200)]))
    assert len(shown) == LONGEST + 2
    assert shown[-1] == ["and 1,200 more"]


def test_nothing_depends_on_the_page(model: TrainedVerifier) -> None:
    shown = model.verify("x = x")._repr_html_()
    assert shown is not None
    assert not any(each in shown for each in ("<script", "<style", "<link", "src=", "href=", "class=", "color:"))


def test_answers(model: TrainedVerifier) -> None:
    answers = model.verify(["sin(-x) = -sin(x)", "sin(-x) = sin(x)"])
    assert isinstance(answers, list)
    head, *rows = cells(answers._repr_html_())
    assert head == ["equation", "verdict", "probability"]
    assert [row[1:] for row in rows] == [[a.verdict, f"{a.probability:.1%}"] for a in answers]
    assert cells(answers[0]._repr_html_()) == [head, rows[0]]
    assert Records[Answer]()._repr_html_() is None  # an empty list shows as such


def test_fillings_and_neighbours(model: TrainedVerifier) -> None:
    fillings = model.complete("x + ? = x", top=3)
    head, *rows = cells(fillings._repr_html_())
    assert head == ["filling", "probability", "oracle", "equation"]
    assert [row[1:3] for row in rows] == [[f"{f.probability:.1%}", f.stated] for f in fillings]
    near = nearest(model, parse_expression("sin(x)"), [parse_expression(e) for e in ("-sin(-x)", "cos(x)")])
    assert [row[1:] for row in cells(near._repr_html_())[1:]] == [[f"{n.cosine:.3f}", n.oracle] for n in near]


def test_states(model: TrainedVerifier) -> None:
    states = model.states("sin(x) + 1 = x")
    shown = states._repr_html_()
    head, *rows = cells(shown)
    assert head == ["side", "node", "|h|", "|c|"]
    assert [row[0] for row in rows] == ["left"] * 4 + ["right"]
    assert [float(row[2]) for row in rows] == pytest.approx(states["h"].norm(dim=1).tolist(), abs=1e-3)
    indents = [span.attrib["style"] for span in ElementTree.fromstring(shown).iter("span")]
    assert indents == [f"padding-left:{depth}em" for depth in (0, 1, 2, 1, 0)]


@pytest.mark.parametrize(
    ("name", "actions"),
    [("tree-lstm+stack", ["push", "pop", "no-op"]), ("tree-smu-no-op", ["push", "pop"]), ("tree-rnn", [])],
)
def test_states_of_stacks_show_what_was_done(name: str, actions: list[str]) -> None:
    states = TrainedVerifier(make_model(name, 6, ["x", "1"]), name, "fresh").states("sin(x) = 1")
    head, *rows = cells(states._repr_html_())
    assert head[-len(actions) or len(head) :] == actions
    for node, row in enumerate(rows if actions else []):
        expected = [part.mean().item() for part in states["actions"][node]]
        assert [float(cell) for cell in row[-len(actions) :]] == pytest.approx(expected, abs=1e-3)


def test_judgements() -> None:
    row = dict(zip(*cells(judge(parse_equation("sqrt(x^2) = x"))._repr_html_()), strict=True))
    assert row["verdict"] == "branch" and row["equal"].endswith("defined points")
    assert "left" in row["the sides differ"] and "left" in row["and agree"]
    assert cells(judge(parse_equation("x = x"))._repr_html_())[0] == ["verdict", "complex", "equal"]


def test_data_cards() -> None:
    card = read_card("paper")
    shown = card._repr_html_()
    head, *rows = cells(shown)
    assert head == ["depth", "equations", "correct", "train", "validation", "test", "nodes"]
    assert sum(int(row[1].replace(",", "")) for row in rows) == card["count"]
    assert "41,894 equations" in shown
    assert cells(Card(name="<x>", by_depth={"1": {}})._repr_html_())[1:] == [["1"] + [""] * 6]


def test_data_sets() -> None:
    dataset = EquationDataset("paper", "test")
    rows = cells(dataset._repr_html_())[1:]
    assert [row[1:] for row in rows] == [
        [str(int(dataset.label[k])), str(int(dataset.depth[k])), dataset.kind[k]] for k in range(5)
    ]


def test_evaluations() -> None:
    result = evaluation(np.array([1.0, -1.0, 1.0]), np.array([1, 1, 0]), np.array([1, 1, 2]))
    head, *rows = cells(result._repr_html_())
    assert head == ["depth", "equations", "accuracy", "precision", "recall"]
    assert rows == [
        ["all", "3", "33.3%", "50.0%", "50.0%"],
        ["1", "2", "50.0%", "100.0%", "50.0%"],
        ["2", "1", "0.0%", "0.0%", "0.0%"],
    ]


@pytest.mark.parametrize("text", ["sin(2*x) = 2*sin(x)", "x + ? = x"])
def test_explanations_are_pages_of_their_own(model: TrainedVerifier, text: str) -> None:
    found = explain(text, model)
    shown = ElementTree.fromstring(found._repr_html_())
    assert shown.tag == "iframe" and shown.attrib["title"] == f"Explanation of {text}"
    assert shown.attrib["sandbox"] == "allow-scripts"  # and no way out of it
    inner = FirstScript()
    inner.feed(html.unescape(found._repr_html_().split('srcdoc="')[1].split('"')[0]))
    assert json.loads(inner.text) == json.loads(json.dumps(found.to_json()))


def test_large_formulas_are_texts() -> None:
    assert isinstance(formula(parse_expression("x")), Markup)
    assert formula(Expr(["sin"] * 500 + ["x"])) == "sin(" * 500 + "x" + ")" * 500
