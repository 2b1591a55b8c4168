from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dgl_mathtree.nn import MODELS
from dgl_mathtree.reproduce.report.colours import DASHED, DOTTED, SOLID, line_style, model_panels
from dgl_mathtree.reproduce.report.figures import convergence_figure, depths_figure, overview
from dgl_mathtree.reproduce.report.results import Results, collect
from dgl_mathtree.reproduce.studies import PARTNERS, TABLED
from tests.reproduce.report.made_up import make_run


def test_every_model_has_a_colour_of_its_own_and_every_row_a_panel() -> None:
    assert len({row.colour for row in MODELS.values()}) == len(MODELS)
    drawn = [model for models in model_panels().values() for model in models]
    assert sorted([*drawn, "majority"]) == sorted(TABLED)
    for models in model_panels().values():
        assert len({line_style(model).marker for model in models}) == len(models)


def test_proposed_models_are_solid_and_their_partners_dashed() -> None:
    for proposed, partner in PARTNERS.items():
        assert (line_style(proposed).line, line_style(partner).line) == (SOLID, DASHED)
    assert {name for name in MODELS if line_style(name).line == SOLID} == set(PARTNERS)
    baselines = {name for name, model in MODELS.items() if model.is_baseline}
    assert {name for name in MODELS if line_style(name).line == DOTTED} == baselines


@pytest.fixture
def results(tmp_path: Path) -> Results:
    for seed in range(2):
        make_run(tmp_path, "paper", "tree-lstm", seed, 0.7 + 0.1 * seed)
        make_run(tmp_path, "paper", "m-tree-lstm", seed, 0.8)
    return Results(collect(tmp_path))


def test_lines_bands_counts_and_intervals(results: Results) -> None:
    figure = depths_figure(results)
    ((title, svg),) = figure.panels
    assert title == "Tree-LSTM"
    texts = [element.text for element in ElementTree.fromstring(_alone(svg)).iter() if element.tag.endswith("text")]
    for depth, count in ((8, "40"), (13, "5")):
        assert texts[texts.index(str(depth)) + 1] == count  # below the depth
    dashed = [line for line in svg.split("<path") if "stroke-dasharray" in line]
    assert dashed and all(line_style("m-tree-lstm").colour not in line for line in dashed)
    assert svg.count("fill-opacity: 0.18") == 1  # the band of what differs from seed to seed
    assert len(re.findall(r"LineCollection", svg)) == 4  # two depths have fewer than 20 equations, for two models
    assert "currentColor" in svg and "#010203" not in svg
    assert 'role="img"' in svg


def test_convergence_goes_as_far_as_all_seeds_went(results: Results) -> None:
    ((_, svg),) = convergence_figure(results, "paper").panels
    assert line_style("tree-lstm").colour in svg and line_style("m-tree-lstm").colour in svg
    assert convergence_figure(results, "original").panels == []


def test_the_overview_is_one_drawing_and_always_the_same(results: Results) -> None:
    svg = overview(results)
    assert svg.count("<svg") == 1 and svg == overview(results)
    ElementTree.fromstring(_alone(svg))


def _alone(svg: str) -> str:
    """Fit for a parser of XML."""
    return svg if "xmlns:xlink" in svg else svg.replace("<svg ", '<svg xmlns:xlink="http://www.w3.org/1999/xlink" ', 1)


def test_the_legend_keeps_off_the_name_of_the_axis(tmp_path: Path) -> None:
    for model in ("majority", *(model for models in model_panels().values() for model in models)):
        make_run(tmp_path, "paper", model)
    results = Results(collect(tmp_path))
    figures = depths_figure(results, list(model_panels())), convergence_figure(results, "paper")
    for svg in (overview(results), *(svg for figure in figures for _, svg in figure.panels)):
        drawn = ElementTree.fromstring(_alone(svg))
        texts = [each for each in drawn.iter() if each.tag.endswith("text")]
        axis = max(float(each.attrib["y"]) for each in texts if each.text in ("depth", "epoch"))
        legend = [float(each.attrib["y"]) for each in texts if each.text in MODELS]
        # Letters of the legend are 9 points high; a little hangs below a line.
        assert axis + 3 < min(legend) - 9 and max(legend) + 3 < float(drawn.attrib["viewBox"].split()[3])
