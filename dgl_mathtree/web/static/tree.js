// The two trees: drawn, stepped through level by level, and linked with the formula.

const COLUMN = 56;
const BOX = { width: 46, height: 26 };
const SMALLEST = 0.6;

function treeSection(facts, nodes, links) {
  const scales = scalesOf(facts);
  const last = Math.max(...facts.nodes.map((node) => node.level)) + 1;
  const panel = element("div", { class: "mt-panel", role: "region", "aria-label": "The chosen node" });
  const trees = facts.sides.map((root, side) => treeOf(facts, nodes, root, side, scales, links));
  const step = stepper(facts, last, (level) => trees.forEach((tree) => tree.step(level)));
  links.onchoose((id) => panel.replaceChildren(...panelOf(facts, nodes.get(id), scales)));
  trees.forEach((tree) => tree.draw());
  return section("trees", "The two trees",
    element("p", { class: "mt-hint" }, hintOf(facts)), step.toolbar,
    element("div", { class: "mt-workbench" },
      element("div", {}, element("div", { class: "mt-forest" }, ...trees.map((tree) => tree.holder)), keyOf(facts)), panel));
}

function hintOf(facts) {
  const at = facts.point ? ` Numbers are values at ${pointText(facts.point.values) || "every point"}.` : "";
  return "The network works from the leaves up, a level at a time. Move the slider, or choose a node to see what it "
    + `stands for and what the network holds there.${at}`;
}

/** What the glyphs under the nodes mean. */
function keyOf(facts) {
  if (facts.model.kind === "none") return null;
  const swatch = (name) => shape("svg", { class: "mt-key", viewBox: "0 0 28 10", "aria-hidden": "true" },
    shape("rect", { class: name, x: 1, y: 2, width: 26, height: 6 }));
  const entries = facts.model.kind === "stack"
    ? [["mt-glyph-slot", "slots of the stack, top first"], ...facts.model.actions.map((name) => [`mt-action-${name}`, name])]
    : [["mt-glyph-size", "length of the vector"]];
  return element("p", { class: "mt-legend" }, ...entries.map(([name, text]) => element("span", {}, swatch(name), ` ${text}`)));
}

/** Slider and buttons that step through the levels; the last step is the comparison at the root. */
function stepper(facts, last, changed) {
  const id = freshId("step");
  const words = element("output", { class: "mt-step-words", for: id, "aria-live": "polite" });
  const slider = element("input", { id, type: "range", min: 0, max: last, step: 1, value: last, class: "mt-step-slider" });
  let timer = null;
  const to = (level) => {
    slider.value = Math.min(Math.max(level, 0), last);
    const at = Number(slider.value);
    words.textContent = stepWords(facts, at, last);
    slider.setAttribute("aria-valuetext", words.textContent);
    changed(at);
  };
  const stop = () => { clearInterval(timer); timer = null; play.textContent = "Play"; };
  const by = (change) => () => { stop(); to(Number(slider.value) + change); };
  const play = element("button", { type: "button", class: "mt-button", onclick: () => {
    if (timer !== null) { stop(); return; }
    to(Number(slider.value) === last ? 0 : Number(slider.value) + 1);
    play.textContent = "Stop";
    timer = setInterval(() => {
      if (Number(slider.value) === last || !slider.isConnected) stop();
      else to(Number(slider.value) + 1);
    }, 1100);
  } }, "Play");
  slider.addEventListener("input", () => { stop(); to(Number(slider.value)); });
  queueMicrotask(() => to(last));
  return { toolbar: element("div", { class: "mt-stepper", role: "group", "aria-label": "Steps of the recursion" },
    element("label", { for: id }, "Step"),
    element("button", { type: "button", class: "mt-button", "aria-label": "One step back", onclick: by(-1) }, "\u2190"), slider,
    element("button", { type: "button", class: "mt-button", "aria-label": "One step on", onclick: by(1) }, "\u2192"), play, words) };
}

function stepWords(facts, at, last) {
  const head = `Step ${at + 1} of ${last + 1}: `;
  if (at === last) {
    const ways = { cosine: "by their cosine", dot: "by their dot product",
      output: "by the dot product of their outputs" };
    const how = ways[facts.model.root] ? ` ${ways[facts.model.root]}` : "";
    return `${head}the two sides are compared${how}: ${facts.verdict}, ${percent(facts.probability)}`;
  }
  const count = facts.nodes.filter((node) => node.level === at).length;
  return `${head}${at === 0 ? counted(count, "leaf", "leaves") : counted(count, "node")} of level ${at}`;
}

/** One tree: `draw` draws it, `step` shows it as it is after some steps. */
function treeOf(facts, nodes, root, side, scales, links) {
  const name = SIDES[side];
  const holder = element("div", { class: `mt-tree mt-tree-${name}`, role: "group", "aria-label": `Tree of the ${name} side` });
  const opened = new Set();
  const shapes = new Map();
  let level = Infinity;
  const step = (to) => {
    level = to;
    for (const [id, made] of shapes) {
      const own = nodes.get(id).level;
      made.classList.toggle("mt-pending", own > level);
      made.classList.toggle("mt-now", own === level);
    }
  };
  const draw = () => {
    const layout = layoutOf(nodes, root, opened);
    const row = BOX.height + 20 + glyphHeight(facts) + 22;
    const [width, height] = [layout.columns * COLUMN + 8, layout.rows * row];
    const place = (id) => {
      const at = layout.placed.get(id);
      return { x: 4 + (at.column + 0.5) * COLUMN, y: 4 + at.row * row };
    };
    const drawn = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "mt-tree-svg" });
    for (const [id, at] of layout.placed) {
      const from = place(id);
      for (const child of at.below) {
        const to = place(child);
        const start = from.y + row - 24;
        drawn.append(shape("path", { class: "mt-edge", d: `M${from.x} ${from.y + BOX.height}V${start}C${from.x} ${start + 12} ${to.x} ${to.y - 12} ${to.x} ${to.y}` }));
      }
    }
    shapes.clear();
    for (const [id, at] of layout.placed) {
      const made = nodeShape(facts, nodes, id, at, place(id), scales);
      shapes.set(id, made);
      drawn.append(made);
      const open = () => { opened.add(id); draw(); shapes.get(id).focus(); };
      if (at.folded) made.addEventListener("click", open);
      made.addEventListener("keydown", (event) => {
        if (at.folded && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); open(); }
        move(event, id, nodes, layout, shapes);
      });
    }
    holder.style.flexBasis = `${width + 30}px`; // the wider tree gets the wider place, and a line of its own if need be
    const first = shapes.get(root);
    first.setAttribute("tabindex", "0");
    const scroll = element("div", { class: "mt-scroll" }, drawn);
    holder.replaceChildren(element("h3", {}, `${name[0].toUpperCase()}${name.slice(1)} side`), scroll);
    drawn.style.minWidth = `${SMALLEST * width}px`; // a wide tree is drawn smaller, and scrolls only beyond that
    requestAnimationFrame(() => {
      const edge = (drawn.getBoundingClientRect().width / width) * (place(root).x + COLUMN / 2);
      scroll.scrollLeft = Math.max(0, edge - scroll.clientWidth); // from the left, unless the top would not be seen
    });
    links.nodes(side, shapes);
    step(level);
  };
  return { holder, draw, step };
}

/** Arrow keys go from node to node: up and down along branches, left and right along a row. */
function move(event, id, nodes, layout, shapes) {
  const at = layout.placed.get(id);
  const row = [...layout.placed].filter(([, other]) => other.row === at.row).sort((a, b) => a[1].column - b[1].column);
  const place = row.findIndex(([other]) => other === id);
  const targets = {
    ArrowUp: nodes.get(id).parent, ArrowDown: at.below[0],
    ArrowLeft: row[place - 1] && row[place - 1][0], ArrowRight: row[place + 1] && row[place + 1][0],
  };
  if (!(event.key in targets)) return;
  event.preventDefault();
  const target = shapes.get(targets[event.key]);
  if (!target) return;
  shapes.get(id).setAttribute("tabindex", "-1");
  target.setAttribute("tabindex", "0");
  target.focus();
}

function nodeShape(facts, nodes, id, at, place, scales) {
  const node = nodes.get(id);
  const left = place.x - BOX.width / 2;
  const room = /\d/.test(node.label) ? 5 : 6; // digits are wide
  const text = node.label.length > room ? `${node.label.slice(0, room - 1)}\u2026` : node.label;
  const value = facts.point ? (node.value === null ? "undef." : shown(node.value, 3)) : "";
  const words = `${node.expression || node.word}${facts.point ? `, value ${shown(node.value)}` : ""}, level ${node.level}`
    + (at.folded ? `, folded: ${sizeOf(nodes, id) - 1} nodes below` : "");
  return shape("g", { class: `mt-node mt-${SIDES[node.side]}`, tabindex: "-1", role: "button", "aria-label": words, "data-tree-node": id },
    shape("rect", { class: "mt-hit", x: left, y: place.y, width: BOX.width, height: BOX.height + 20 + glyphHeight(facts) + (at.folded ? 16 : 0) }),
    shape("rect", { class: "mt-box", x: left, y: place.y, width: BOX.width, height: BOX.height, rx: 7 }),
    shape("text", { class: text.length > 4 ? "mt-label mt-small" : "mt-label", x: place.x, y: place.y + 18, "text-anchor": "middle" }, text),
    shape("text", { class: "mt-value", x: place.x, y: place.y + BOX.height + 13, "text-anchor": "middle" }, value),
    glyphOf(facts, node.state, scales, left, place.y + BOX.height + 19, BOX.width),
    at.folded ? shape("text", { class: "mt-folded", x: place.x, y: place.y + BOX.height + 32 + glyphHeight(facts), "text-anchor": "middle" },
      `+${sizeOf(nodes, id) - 1}`) : null);
}

/** All about a node. */
function panelOf(facts, node, scales) {
  const where = node.parent === null ? `the ${SIDES[node.side]} side` : `on the ${SIDES[node.side]} side`;
  const rows = [["Where", `${where}, level ${node.level}`]];
  if (facts.point) {
    const at = pointText(facts.point.values);
    rows.push(["Value", `${shown(node.value, 10)}${at ? ` at ${at}` : ""}`]);
  }
  if (node.expression) rows.push(["Text", node.expression]);
  const facts_ = element("div", { class: "mt-panel-facts" },
    fitted("mt-panel-formula", node.mathml, node.expression || node.word),
    element("dl", {}, ...rows.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)])),
    nearestFigure(node));
  if (!node.state) return [facts_];
  if (node.state.stack && !node.children.length) {
    return [facts_, element("div", { class: "mt-panel-state" },
      element("p", { class: "mt-hint" }, "A leaf: its stack is empty."), vectorFigure(facts, node.state, scales))];
  }
  const figures = node.state.stack ? [stackFigure(facts, node.state, scales), actionsFigure(facts, node.state)] : [];
  return [facts_, element("div", { class: "mt-panel-state" }, ...figures, vectorFigure(facts, node.state, scales))];
}
