from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser, Page

from dgl_mathtree import load
from dgl_mathtree.arithmetic.operators import javascript
from dgl_mathtree.inference.node_states import prefix_order
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import Equation, Expr, Forest, parse_equation
from dgl_mathtree.language.vocabulary import OPERATORS
from dgl_mathtree.nn import make_model
from dgl_mathtree.oracle import evaluate_forest
from dgl_mathtree.web.explain import Explainer
from dgl_mathtree.web.explain.explain_page import SCRIPTS, drawing_script, embedded, page, write_page
from tests.browser import NEXT_FRAME, WIDTHS, chromium, low_contrasts, needs_chromium, overflow, shown

SUM = "sin(x + y) = sin(x) + sin(y)"
WIDE = "1/(1 + 1/(1 + 1/(1 + x))) = (x^2 + 1)^3/(x + 2)^2 + sqrt(1 + sqrt(1 + sqrt(1 + x)))"
DEEP = f"{'sin(' * 30}x{')' * 30} = x + {'cos(' * 14}x{')' * 14}"


def stack_network() -> TrainedVerifier:
    torch.manual_seed(0)
    network = make_model("m-tree-lstm+stack", 12, ["x", "y", "1", "2"], ["sin", "cos", "Add", "Mul", "Pow"])
    return TrainedVerifier(network.eval(), "m-tree-lstm+stack", "test")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    shipped, stack = Explainer(load()), Explainer(stack_network())
    made = {
        "sum": shipped.explain(SUM),
        "branch": shipped.explain("sqrt(x^2) = x"),
        "constant": shipped.explain("sin(x)^2 + cos(x)^2 = 1"),
        "no variables": shipped.explain("1 + 1 = 2"),
        "undefined": shipped.explain("sqrt(-1 - x^2) = log(-x^2)"),
        "apart": shipped.explain("log(x) + y = log(-x) + y"),
        "poles": shipped.explain("tan(x) = 1/x"),
        "wide": shipped.explain(WIDE),
        "large": shipped.explain("(x + 10)^7*1000000007 = x + 123456789012"),
        "long": shipped.explain(DEEP),
        "blank": shipped.complete("sin(x)^2 + ? = 1", top=4),
        "stack": stack.explain(SUM),
        "deep": stack.explain(DEEP),
    }
    files = {name: folder / f"{name}.html" for name in made}
    for name, found in made.items():
        write_page(files[name], found)
    return files


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def test_a_page_needs_nothing_else(pages: dict[str, Path]) -> None:
    text = pages["stack"].read_text(encoding="utf-8")
    assert "default-src 'none'" in text and not re.search(r"<(?:img|iframe|audio|video)|@import|url\((?!#)", text)
    assert set(re.findall(r"https?://[^\s\"'\\]+", text)) <= {
        "http://www.w3.org/1998/Math/MathML",
        "http://www.w3.org/2000/svg",
    }


def test_what_is_embedded_ends_no_script() -> None:
    text = embedded({"text": "</script><!--"})
    assert "<" not in text and json.loads(text) == {"text": "</script><!--"}
    assert all(f"function {name}" in drawing_script() for name in ("renderExplanation", "valueOf"))


def test_a_page_of_a_model_with_a_strange_name() -> None:
    found = Explainer(TrainedVerifier(stack_network().network, "m", "</script><b>")).explain("x = x")
    assert "</script><b>" not in page(found)


@needs_chromium
def test_an_explanation_in_a_notebook(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "notebook.html"
    file.write_text(f"<!doctype html><title>-</title>{Explainer(stack_network()).explain(SUM)._repr_html_()}")
    with shown(browser, file.as_uri()) as page:
        assert page.frame_locator("iframe").locator(".mt-node").count() == 9


def text_of(page: Page, selector: str) -> str:
    return (page.locator(selector).first.text_content() or "").replace("\u00a0", " ").replace("\u2212", "-")


@needs_chromium
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_and_say_nothing(pages: dict[str, Path], browser: Browser, width: int) -> None:
    for k, file in enumerate(pages.values()):
        with shown(browser, file.as_uri(), width, color_scheme=("light", "dark")[k % 2]) as page:
            page.locator(".mt-explanation").wait_for()
            assert overflow(page) == []


FORMULAS = ".mt-equation, .mt-panel-formula, .mt-near, .mt-chip, .mt-pair-sides, .mt-rank-formula"


@needs_chromium
@pytest.mark.parametrize("width", WIDTHS)
def test_no_formula_is_cut_off_or_scrolls_by_itself(pages: dict[str, Path], browser: Browser, width: int) -> None:
    for name, file in pages.items():
        with shown(browser, file.as_uri(), width) as page:
            page.wait_for_function("document.querySelector('.mt-panel-formula')")
            page.evaluate(NEXT_FRAME)
            cut = page.locator(FORMULAS).evaluate_all(
                """all => all.filter((each) => each.scrollWidth > each.clientWidth
                  || getComputedStyle(each).overflowY !== "visible").map((each) => each.className)"""
            )
            assert cut == [], name
            sizes = page.locator(FORMULAS).evaluate_all("all => all.map(e => parseFloat(getComputedStyle(e).fontSize))")
            assert min(sizes) >= 12, name
            assert page.locator(".mt-equation").first.inner_text().strip()


@needs_chromium
def test_a_wide_equation_has_two_lines_and_a_deep_one_is_text_where_it_is_narrow(
    pages: dict[str, Path], browser: Browser
) -> None:
    with shown(browser, pages["wide"].as_uri(), 400) as page:
        page.locator(".mt-equation math").nth(1).wait_for()
        assert (page.locator(".mt-equation math").nth(1).text_content() or "").startswith("=")
        page.set_viewport_size({"width": 1600, "height": 900})
        page.locator(".mt-equation math").nth(1).wait_for(state="detached")
    with shown(browser, pages["long"].as_uri(), 400) as page:
        page.locator(".mt-equation .mt-as-text").wait_for()
        assert text_of(page, ".mt-equation") == str(parse_equation(DEEP))
    with shown(browser, pages["sum"].as_uri()) as page:
        page.locator(".mt-equation math").first.wait_for()
        assert page.locator(".mt-equation math").count() == 1


@needs_chromium
@pytest.mark.parametrize("width", WIDTHS)
def test_labels_of_marks_lie_on_no_curve(pages: dict[str, Path], browser: Browser, width: int) -> None:
    """No point of a curve, and no dot, in the box of a label."""
    for name in ("sum", "branch", "poles", "wide", "large"):
        with shown(browser, pages[name].as_uri(), width) as page:
            page.locator(".mt-mark-text").first.wait_for()
            under = page.evaluate(
                """() => {
                  const boxes = [...document.querySelectorAll(".mt-mark-text")].map((text) => text.getBBox());
                  const inside = (x, y) => boxes.some((box) => x > box.x && x < box.x + box.width
                    && y > box.y && y < box.y + box.height);
                  const curves = [...document.querySelectorAll(".mt-plot-svg path.mt-curve")];
                  const points = (path) => Array.from(
                    { length: 4000 }, (_, k) => path.getPointAtLength((k * path.getTotalLength()) / 4000));
                  const on = curves.filter((path) => points(path).some(({ x, y }) => inside(x, y)));
                  const dots = [...document.querySelectorAll(".mt-dot")].filter(
                    (dot) => inside(Number(dot.getAttribute("cx")), Number(dot.getAttribute("cy"))));
                  return [on.length, dots.length];
                }"""
            )
            assert under == [0, 0], name


@needs_chromium
def test_large_values_have_an_exponent(pages: dict[str, Path], browser: Browser) -> None:
    with shown(browser, pages["large"].as_uri()) as page:
        values = [text.replace("\u2212", "-") for text in page.locator(".mt-value, .mt-tick").all_text_contents()]
        assert max(map(len, values)) <= 9 and "1.23e+11" in values
        ends = page.locator(".mt-plot-svg .mt-tick").evaluate_all("ticks => ticks.map((tick) => tick.getBBox().x)")
        assert min(ends) >= 0
        wide = page.locator(".mt-node").evaluate_all(
            "nodes => nodes.map((node) => node.querySelector('.mt-label').getBBox().width)"
        )
        assert max(wide) <= 46


@needs_chromium
def test_trees_open_at_their_left_end(pages: dict[str, Path], browser: Browser) -> None:
    for name in ("wide", "stack", "long", "blank"):
        with shown(browser, pages[name].as_uri(), 400) as page:
            page.evaluate(NEXT_FRAME)
            assert set(page.locator(".mt-scroll").evaluate_all("all => all.map((each) => each.scrollLeft)")) == {0}
            tops = page.locator('.mt-node[tabindex="0"]').evaluate_all(
                "all => all.map((each) => each.getBoundingClientRect()).map((box) => [box.left, box.right])"
            )
            assert all(left >= 0 and right <= 400 for left, right in tops)


@needs_chromium
def test_the_section_on_where_the_sides_part_is_never_empty(pages: dict[str, Path], browser: Browser) -> None:
    for name in ("sum", "branch", "constant", "no variables", "wide", "long"):
        with shown(browser, pages[name].as_uri()) as page:
            rows = page.locator(".mt-pairs .mt-pair").all_inner_texts()
            assert rows and all("network" in row and "oracle" in row for row in rows)
    with shown(browser, pages["sum"].as_uri()) as page:
        assert "those that it finds the most alike" in " ".join(page.locator(".mt-pairs .mt-hint").all_inner_texts())
        assert page.locator(".mt-pairs .mt-pair").count() >= 3


@needs_chromium
def test_the_page_says_whom_to_believe(pages: dict[str, Path], browser: Browser) -> None:
    with shown(browser, pages["branch"].as_uri()) as page:
        assert text_of(page, ".mt-agree") == "It holds at some points only: believe the oracle, not the network."
        why = text_of(page, ".mt-trust")
        assert "certainly differ at x = -1/4" in why and "93.4 % is an estimate" in why
    with shown(browser, pages["constant"].as_uri()) as page:
        assert "not a proof" in text_of(page, ".mt-trust")


@needs_chromium
def test_why_there_is_no_plot(pages: dict[str, Path], browser: Browser) -> None:
    said = {"no variables": "there is no variable to draw them along", "undefined": "neither side has a value"}
    for name, why in said.items():
        with shown(browser, pages[name].as_uri()) as page:
            assert text_of(page, ".mt-plot .mt-hint") == f"No plot: {why}."
    with shown(browser, pages["apart"].as_uri()) as page:
        assert text_of(page, ".mt-shares") == "undefined at 100 %"
        assert all(page.locator(f".mt-plot-svg path.mt-{side}").get_attribute("d") for side in ("left", "right"))


@needs_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_written_can_be_read_and_what_can_be_used_has_a_name(
    pages: dict[str, Path], browser: Browser, scheme: str
) -> None:
    for name in ("stack", "branch", "blank"):
        with shown(browser, pages[name].as_uri(), color_scheme=scheme, reduced_motion="reduce") as page:
            page.locator(".mt-explanation").wait_for()
            assert low_contrasts(page) == []
            assert (
                page.locator(".mt-node").first.evaluate("node => getComputedStyle(node).transitionProperty") == "none"
            )
            unnamed = page.locator("input, button, [role=button], svg[role=img], [role=region]").evaluate_all(
                """all => all.filter((each) => !(each.getAttribute("aria-label") || each.textContent.trim()
                  || (each.id && document.querySelector(`label[for="${each.id}"]`)))).map((each) => each.outerHTML)"""
            )
            assert unnamed == []


@needs_chromium
def test_the_focus_goes_down_the_page(pages: dict[str, Path], browser: Browser) -> None:
    with shown(browser, pages["sum"].as_uri()) as page:
        places: list[float] = []
        for _ in range(12):
            page.keyboard.press("Tab")
            places.append(page.evaluate("document.activeElement.getBoundingClientRect().top + scrollY"))
        assert (
            page.evaluate("document.activeElement.dataset.treeNode") == "5"
        )  # a tree is one stop: the right one is last
        assert all(after > before - 30 for before, after in itertools.pairwise(places))


@needs_chromium
def test_the_figures_on_the_page_are_those_of_the_api(pages: dict[str, Path], browser: Browser) -> None:
    trained = load()
    (answer,) = trained.verify(SUM)
    with shown(browser, pages["sum"].as_uri()) as page:
        assert f"{answer.probability:.1%}".replace("%", " %") in text_of(page, ".mt-card .mt-big")
        assert "at x = 3/2, y = -1/4: left 0.94898..., right 0.75009..." in text_of(page, ".mt-witness")
        assert page.locator(".mt-dot").count() == 2
        values = [text.replace("\u2212", "-") for text in page.locator(".mt-value").all_text_contents()]
        point = {"x": 1.5, "y": -0.25}
        expected = [point["x"], point["y"], point["x"], point["y"], 1.25]
        expected += [np.sin(1.25), np.sin(1.5), np.sin(-0.25), np.sin(1.5) + np.sin(-0.25)]
        np.testing.assert_allclose(sorted(map(float, values)), sorted(expected), rtol=5e-3)


@needs_chromium
@pytest.mark.parametrize("width", WIDTHS)
def test_stepping_with_the_keyboard(pages: dict[str, Path], browser: Browser, width: int) -> None:
    with shown(browser, pages["stack"].as_uri(), width) as page:
        slider = page.locator(".mt-step-slider")
        slider.focus()
        levels, pending = [], []
        for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
            page.keyboard.press(key)
            levels.append(text_of(page, ".mt-step-words"))
            pending.append(page.locator(".mt-pending").count())
        assert pending == [5, 2, 0, 0, 0]  # of 9 nodes
        assert levels[0] == "Step 1 of 4: 4 leaves of level 0" and levels[1] == "Step 2 of 4: 3 nodes of level 1"
        assert levels[3].startswith("Step 4 of 4: the two sides are compared by their dot product")
        assert page.locator(".mt-now").count() == 2


@needs_chromium
def test_nodes_are_reached_by_arrow_keys_and_lit_in_the_formula(pages: dict[str, Path], browser: Browser) -> None:
    network = stack_network()
    states = network.states(SUM)
    with shown(browser, pages["stack"].as_uri()) as page:
        page.locator('[data-tree-node="1"]').focus()
        for key, expected in (("ArrowDown", "x + y"), ("ArrowDown", "x"), ("ArrowRight", "y"), ("ArrowUp", "x + y")):
            page.keyboard.press(key)
            assert page.locator(".mt-panel dd").last.text_content() == expected
        assert page.evaluate("document.querySelector('.mt-equation .mt-lit').dataset.node") == "2"
        actions = [float(text.split()[0]) for text in page.locator(".mt-panel .mt-bar-value").all_inner_texts()]
        np.testing.assert_allclose(actions, 100 * states["actions"][1], atol=0.06)
        assert page.locator(".mt-slot .mt-heat").count() == 5
        sizes = [float(text) for text in page.locator(".mt-slot-size").all_inner_texts()]
        np.testing.assert_allclose(sizes, states["stack"][1].norm(dim=1), atol=6e-4)
        opacity = page.locator(".mt-slot .mt-heat rect").evaluate_all(
            "rects => rects.map(r => [r.getAttribute('class'), Number(r.getAttribute('fill-opacity'))])"
        )
        largest = states["stack"].abs().max().item()
        np.testing.assert_allclose([o for _, o in opacity], states["stack"][1].abs().flatten() / largest, atol=2e-3)
        page.locator('.mt-equation [data-node="5"]').first.hover()
        assert "mt-lit" in (page.locator('[data-tree-node="5"]').get_attribute("class") or "")


@needs_chromium
def test_deep_trees_are_folded_and_open(pages: dict[str, Path], browser: Browser) -> None:
    with shown(browser, pages["deep"].as_uri()) as page:
        left = page.locator(".mt-tree-left .mt-node")
        assert left.count() == 14 and text_of(page, ".mt-folded") == "+17"
        page.locator('[data-tree-node="14"]').focus()
        page.keyboard.press("Enter")
        assert left.count() == 27
        page.locator('[data-tree-node="27"]').click()
        assert left.count() == 31


@needs_chromium
def test_other_values_are_plotted(pages: dict[str, Path], browser: Browser) -> None:
    with shown(browser, pages["sum"].as_uri()) as page:
        before = page.locator(".mt-curve.mt-right").last.get_attribute("d")
        page.get_by_label("y =").fill("0")
        assert page.locator(".mt-curve.mt-right").last.get_attribute("d") != before
        assert text_of(page, ".mt-shares") == "agree at 100 %"  # sin(0) is 0
        assert page.locator(".mt-dot").count() == 0  # the witness is elsewhere
        page.get_by_label("y =").fill("1/")
        assert "Write a number" in text_of(page, ".mt-note")
        page.get_by_role("button", name="Back to the witness").click()
        assert page.locator(".mt-curve.mt-right").last.get_attribute("d") == before
    with shown(browser, pages["branch"].as_uri()) as page:
        assert "agree at 50 %" in text_of(page, ".mt-shares") and page.locator(".mt-dot").count() == 4
    with shown(browser, pages["poles"].as_uri()) as page:
        # tan has four poles between -6 and 6, and 1/x one: the pen is lifted there.
        assert (page.locator("g .mt-curve.mt-left").get_attribute("d") or "").count("M") == 5
        assert (page.locator("g .mt-curve.mt-right").get_attribute("d") or "").count("M") == 2


@needs_chromium
def test_a_blank_is_ranked(pages: dict[str, Path], browser: Browser) -> None:
    fillings = load().complete("sin(x)^2 + ? = 1", top=4)
    with shown(browser, pages["blank"].as_uri()) as page:
        words = [text.replace("\u00a0", " ") for text in page.locator(".mt-rank-words").all_inner_texts()]
        assert [text.split()[0] for text in words] == [f"{100 * each.probability:.1f}" for each in fillings]
        assert [text.split()[-1] for text in words] == [each.oracle for each in fillings]
        widths = page.locator(".mt-rank-fill").evaluate_all("bars => bars.map(b => Number(b.getAttribute('width')))")
        np.testing.assert_allclose(widths, [100 * each.probability for each in fillings], atol=0.01)


@needs_chromium
def test_the_page_evaluates_as_the_oracle_does(browser: Browser) -> None:
    """Every operator at many points, the edges of domains and poles among them."""
    points = np.concatenate([np.linspace(-7, 7, 57), [0.1, -0.3, 1e-3, 30.0, -30.0, 123.456]])
    x, y, two = Expr.leaf("x"), Expr.leaf("y"), Expr.leaf("2")
    made = [Expr.apply(name, x) for name, op in OPERATORS.items() if op.arity == 1]
    made += [Expr.apply(name, *pair) for name, op in OPERATORS.items() if op.arity == 2 for pair in ((x, y), (y, x))]
    made += [Expr.apply("Pow", x, Expr.leaf(word)) for word in ("2", "-1", "1/2", "1/3", "0", "-0.5", "3")]
    made += [Expr.apply("log", x, two), parse_equation("acot(sin(x))*exp(-x^2) + pi/e = x").left]
    static = Path(__file__).parents[3] / "dgl_mathtree/web/static"
    evaluations = "\n".join([javascript(), *((static / name).read_text() for name in SCRIPTS[:2])])
    script = f"""([trees, points]) => {{ {evaluations}
      return trees.map(([root, nodes]) => points.map((values) => {{
        const value = valueOf(new Map(nodes.map((node) => [node.id, node])), root, values);
        return Number.isNaN(value) ? null : value;
      }}));
    }}"""
    values = [{"x": float(a), "y": float(b)} for a in points for b in (0.0, 2.0, -1.5, 0.75, 1.0)]
    with shown(browser, "about:blank") as page:
        found = page.evaluate(script, [[tree(each) for each in made], values])
    for expression, row in zip(made, found, strict=True):
        forest = Forest.of([Equation(expression, expression)])
        columns = {name: np.array([value[name] for value in values]) for name in ("x", "y")}
        exact, error = (part[forest.equations[0, 0]] for part in evaluate_forest(forest, columns))
        settled = ~np.isinf(error)
        theirs = np.array([np.nan if value is None else value for value in row])
        np.testing.assert_array_equal(np.isnan(theirs)[settled], np.isnan(exact)[settled], err_msg=str(expression))
        known = settled & ~np.isnan(exact)
        np.testing.assert_allclose(theirs[known], exact[known], rtol=1e-9, atol=1e-12, err_msg=str(expression))
        assert settled.mean() > 0.9


def tree(expression: Expr) -> tuple[int, list[dict[str, object]]]:
    """The nodes of an expression as a page has them."""
    forest = Forest.of([Equation(expression, expression)])
    nodes = [
        {
            "id": node,
            "word": forest.words[forest.word[node]],
            "children": [child for child in forest.children[node].tolist() if child >= 0],
        }
        for node in set(prefix_order(forest.children, [int(forest.equations[0, 0])]))
    ]
    return int(forest.equations[0, 0]), nodes
