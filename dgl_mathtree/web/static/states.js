// What the network holds at a node: small glyphs for the tree, and full figures for the panel beside it.

const ACTION_SIGNS = { push: "\u2193", pop: "\u2191", "no-op": "\u2013" };

function norm(vector) {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

/** The largest lengths of slots and vectors among all nodes: what the glyphs are measured by. */
function scalesOf(facts) {
  const states = facts.nodes.map((node) => node.state).filter(Boolean);
  const largest = (numbersOf) => states.reduce((most, state) => numbersOf(state).reduce((a, b) => Math.max(a, Math.abs(b)), most), 1e-12);
  return {
    slot: largest((state) => (state.stack || []).map(norm)),
    size: largest((state) => [state.size]),
    cell: largest((state) => (state.stack || []).flat()),
    entry: largest((state) => state.vector),
  };
}

/** How high the glyph of a state is. */
function glyphHeight(facts) {
  if (facts.model.kind === "none") return 0;
  return facts.model.kind === "stack" ? 4 * facts.model.slots + 9 : 5;
}

/** The glyph of a state: the slots of a stack as bars, top first, over its actions; or the size of a vector. */
function glyphOf(facts, state, scales, left, top, width) {
  if (!state) return null;
  const group = shape("g", { class: "mt-glyph", "aria-hidden": "true" });
  if (!state.stack) {
    group.append(
      shape("rect", { class: "mt-glyph-rail", x: left, y: top, width, height: 4, rx: 2 }),
      shape("rect", { class: "mt-glyph-size", x: left, y: top, width: (width * state.size) / scales.size, height: 4, rx: 2 }));
    return group;
  }
  state.stack.forEach((slot, k) => {
    const length = (width * norm(slot)) / scales.slot;
    group.append(
      shape("rect", { class: "mt-glyph-rail", x: left, y: top + 4 * k, width, height: 3 }),
      shape("rect", { class: "mt-glyph-slot", x: left, y: top + 4 * k, width: length, height: 3 }));
  });
  let at = left;
  facts.model.actions.forEach((name, k) => {
    const part = width * state.actions[k];
    group.append(shape("rect", { class: `mt-action-${name}`, x: at, y: top + 4 * state.stack.length + 3, width: part, height: 5 }));
    at += part;
  });
  return group;
}

/** Rows of numbers as a heat map: what is negative in one colour, what is positive in the other. */
function heatMap(rows, largest, label) {
  const [cell, high] = [8, rows.length === 1 ? 16 : 14];
  const width = cell * rows[0].length;
  const map = shape("svg", {
    class: "mt-heat", viewBox: `0 0 ${width} ${high * rows.length}`, preserveAspectRatio: "none", role: "img", "aria-label": label,
  });
  rows.forEach((row, i) => row.forEach((value, j) => map.append(shape("rect", {
    class: value < 0 ? "mt-cold" : "mt-warm", x: cell * j, y: high * i, width: cell - 0.5, height: high - 1,
    "fill-opacity": Math.min(1, Math.abs(value) / largest).toFixed(3),
  }))));
  return map;
}

function stackFigure(facts, state, scales) {
  const rows = state.stack.map((slot, k) => element("div", { class: "mt-slot" },
    element("span", { class: "mt-slot-name" }, k === 0 ? "top" : String(k)),
    heatMap([slot], scales.cell, `slot ${k}: length ${shown(norm(slot), 3)}`),
    element("span", { class: "mt-slot-size" }, norm(slot).toFixed(3))));
  return element("figure", { class: "mt-figure" },
    element("figcaption", {}, `The stack after this node: ${facts.model.slots} slots of ${facts.model.size} numbers, the top first; on the right their lengths`),
    ...rows);
}

function actionsFigure(facts, state) {
  const rows = facts.model.actions.map((name, k) => element("div", { class: "mt-bar-row" },
    element("span", { class: "mt-bar-name" }, element("span", { "aria-hidden": "true" }, `${ACTION_SIGNS[name]} `), name),
    bar(state.actions[k], `mt-action-${name}`),
    element("span", { class: "mt-bar-value" }, percent(state.actions[k]))));
  return element("figure", { class: "mt-figure" },
    element("figcaption", {}, "What the node does with its children's stacks"), ...rows);
}

/** A share of a whole as a bar. */
function bar(share, name) {
  const width = Math.max(0, Math.min(1, share)) * 100;
  return shape("svg", { class: "mt-bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    shape("rect", { class: "mt-bar-rail", width: 100, height: 10 }),
    shape("rect", { class: name, width: width.toFixed(2), height: 10 }));
}

function vectorFigure(facts, state, scales) {
  const read = facts.model.kind === "sequence" ? " of the expression read by itself" : "";
  return element("figure", { class: "mt-figure" },
    element("figcaption", {}, `The vector${read}: ${state.vector.length} numbers, length ${shown(state.size, 4)}`),
    heatMap([state.vector], scales.entry, `vector of length ${shown(state.size, 4)}`));
}

function nearestFigure(node) {
  if (!node.nearest.length) return null;
  const rows = node.nearest.map((near) => element("li", {},
    fitted("mt-near", near.mathml, near.expression),
    element("span", { class: "mt-near-words" },
      element("span", { class: "mt-cosine" }, `cosine ${shown(near.cosine, 3)}`), oracleWord(near.oracle))));
  return element("figure", { class: "mt-figure" },
    element("figcaption", {}, "Nearest known expressions by the vector, and whether the oracle finds them equal"),
    element("ul", { class: "mt-nearest" }, ...rows));
}
