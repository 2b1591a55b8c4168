// The plot of both sides along the first variable, with controls for the stretch and for the other variables.

const MARGIN = { top: 14, right: 14, bottom: 46, left: 52 };
const SAME_NAMES = { "1": "agree", "0": "differ", "-1": "undefined" };

function plotSection(facts, nodes) {
  if (!facts.curves) {
    const why = facts.variables.length ? "neither side has a value" : "there is no variable to draw them along";
    return section("plot", "Both sides", element("p", { class: "mt-hint" }, `No plot: ${why}.`));
  }
  const drawing = element("div", { class: "mt-canvas" });
  const shares = element("p", { class: "mt-shares", "aria-live": "polite" });
  const readout = element("p", { class: "mt-readout" });
  const state = { curves: facts.curves, own: true };
  const draw = () => {
    drawing.replaceChildren(plotOf(facts, state, Math.max(260, drawing.clientWidth), readout));
    shares.replaceChildren(...sharesOf(state.curves));
  };
  const controls = controlsOf(facts, (from, to, fixed, own) => {
    state.own = own;
    state.curves = own ? facts.curves : curvesAt(facts, nodes, from, to, fixed);
    draw();
  });
  new ResizeObserver(draw).observe(drawing);
  const others = Object.keys(facts.curves.fixed);
  const where = others.length ? ` Fixed: ${others.join(", ")}; change the values below.` : "";
  return section("plot", "Both sides",
    element("p", { class: "mt-hint" },
      `Along ${facts.curves.variable}, with what is undefined left out.${where}`),
    legend(), drawing, element("div", { class: "mt-below" }, shares, readout), controls);
}

function legend() {
  const line = (name) => shape("svg", { class: "mt-key", viewBox: "0 0 28 10", "aria-hidden": "true" },
    shape("line", { class: `mt-curve mt-${name}`, x1: 1, x2: 27, y1: 5, y2: 5 }));
  return element("p", { class: "mt-legend" },
    ...SIDES.map((name) => element("span", {}, line(name), ` ${name} side`)));
}

/** How much of the stretch the sides agree on, as words with the colours of the strip. */
function sharesOf(curves) {
  const count = (kind) => curves.same.filter((value) => value === kind).length / curves.same.length;
  return [1, 0, -1].filter((kind) => count(kind) > 0).map((kind) => element(
    "span", { class: `mt-share mt-same-${SAME_NAMES[kind]}` }, `${SAME_NAMES[kind]} at ${percent(count(kind), 0)}`));
}

/** The stretch of values that is drawn: nearly all of them, and the witness if it is not far off. */
function verticalRange(curves, marks) {
  const values = [...curves.left, ...curves.right].filter((value) => value !== null).sort((a, b) => a - b);
  if (!values.length) return [-1, 1];
  const at = (share) => values[Math.round(share * (values.length - 1))];
  let [low, high] = [at(0.04), at(0.96)];
  const [lowest, highest] = [values[0], values[values.length - 1]];
  const reach = Math.max(high - low, 1e-9 * Math.max(1, Math.abs(high)));
  if (highest - high < 0.6 * reach) high = highest;
  if (low - lowest < 0.6 * reach) low = lowest;
  for (const mark of marks.flatMap((each) => each.values)) {
    if (Math.abs(mark - (low + high) / 2) < 4 * reach) [low, high] = [Math.min(low, mark), Math.max(high, mark)];
  }
  // A side that is constant but for rounding is a straight line.
  const flat = high - low < 1e-7 * Math.max(1, Math.abs(low), Math.abs(high));
  const pad = flat ? 0.5 * Math.max(1, Math.abs(high)) : 0.08 * (high - low);
  return [low - pad, high + pad];
}

function ticks(low, high, count) {
  const rough = (high - low) / count;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * size).find((value) => value >= rough);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

/** The witness, and for `branch` a point of agreement, where they lie on these curves. */
function marksOf(facts, state) {
  if (!state.own) return [];
  return [["differ", facts.oracle.witness], ["agree", facts.oracle.agreement]].filter(([, found]) => found).filter(
    ([, found]) => Object.entries(facts.curves.fixed).every(([name, value]) => found.point[name] === value)
  ).map(([kind, found]) => ({
    kind,
    text: `${facts.curves.variable} = ${signed(found.point[facts.curves.variable])}`,
    x: numberOf(found.point[facts.curves.variable]),
    values: [found.left, found.right].map((text) => parseFloat(text.replace("...", ""))),
  }));
}

function plotOf(facts, state, width, readout) {
  const { curves } = state;
  const marks = marksOf(facts, state);
  const height = Math.round(Math.min(380, Math.max(250, width * 0.42)));
  const [low, high] = verticalRange(curves, marks);
  const box = { left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: height - MARGIN.bottom };
  const x = (value) => box.left + ((value - curves.from) / (curves.to - curves.from)) * (box.right - box.left);
  const y = (value) => box.bottom - ((value - low) / (high - low)) * (box.bottom - box.top);
  const clip = freshId("clip");
  const cross = shape("line", { class: "mt-cross", y1: box.top, y2: box.bottom, visibility: "hidden" });
  const drawn = shape("svg", {
    class: "mt-plot-svg", width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": plotWords(facts, curves, marks),
  },
  shape("defs", {}, shape("clipPath", { id: clip },
    shape("rect", { x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top }))),
  ...axes(curves, box, x, y, low, high),
  cross,
  shape("g", { "clip-path": `url(#${clip})` },
    ...SIDES.map((name) => shape("path", { class: `mt-curve mt-${name}`, d: pathOf(curves, name, x, y, low, high) }))),
  ...strip(curves, box, x), ...marks.flatMap((mark) => markShapes(mark, box, x, y)));
  drawn.addEventListener("pointermove", (event) => {
    const share = (event.clientX - drawn.getBoundingClientRect().left - box.left) / (box.right - box.left);
    const at = Math.round(share * (curves.left.length - 1));
    const inside = at >= 0 && at < curves.left.length;
    cross.setAttribute("visibility", inside ? "visible" : "hidden");
    if (!inside) return;
    const value = curves.from + ((curves.to - curves.from) * at) / (curves.left.length - 1);
    cross.setAttribute("x1", x(value));
    cross.setAttribute("x2", x(value));
    readout.textContent = `${curves.variable} = ${shown(value, 5)}: left ${shown(curves.left[at])}, `
      + `right ${shown(curves.right[at])}`;
  });
  drawn.addEventListener("pointerleave", () => {
    cross.setAttribute("visibility", "hidden");
    readout.textContent = "";
  });
  return drawn;
}

function plotWords(facts, curves, marks) {
  const shares = sharesOf(curves).map((share) => share.textContent).join(", ");
  const where = marks.map((mark) => `${mark.kind} at ${mark.text}`).join(", ");
  return `Plot of both sides for ${curves.variable} from ${shown(curves.from)} to ${shown(curves.to)}: ${shares}`
    + (where ? `; marked: they ${where}` : "");
}

function axes(curves, box, x, y, low, high) {
  const found = [];
  for (const value of ticks(curves.from, curves.to, Math.max(3, (box.right - box.left) / 90))) {
    found.push(shape("line", { class: value === 0 ? "mt-axis" : "mt-grid", x1: x(value), x2: x(value), y1: box.top, y2: box.bottom }));
    found.push(shape("text", { class: "mt-tick", x: x(value), y: box.bottom + 32, "text-anchor": "middle" }, shown(value, 4)));
  }
  for (const value of ticks(low, high, Math.max(3, (box.bottom - box.top) / 56))) {
    found.push(shape("line", { class: value === 0 ? "mt-axis" : "mt-grid", x1: box.left, x2: box.right, y1: y(value), y2: y(value) }));
    found.push(shape("text", { class: "mt-tick", x: box.left - 8, y: y(value) + 4, "text-anchor": "end" }, shown(value, 4)));
  }
  return found;
}

/** Whether a curve leaps before a value: far, and against the way it goes before and after. */
function isPole(values, k, reach) {
  const [first, before, value, after] = [k - 2, k - 1, k, k + 1].map((at) => values[at] ?? null);
  if (first === null || after === null || Math.abs(value - before) < 0.2 * reach) return false;
  return (value - before) * (before - first) < 0 && (value - before) * (after - value) < 0;
}

/** The path of a side: lifted where it has no value, and where it leaves on one end and comes back on the other, or leaps. */
function pathOf(curves, name, x, y, low, high) {
  const values = curves[name];
  const reach = high - low;
  let path = "";
  let before = null;
  values.forEach((value, k) => {
    if (value === null) {
      before = null;
      return;
    }
    const crosses = before !== null
      && ((before > high && value < low) || (before < low && value > high) || isPole(values, k, reach));
    const at = curves.from + ((curves.to - curves.from) * k) / (values.length - 1);
    const near = Math.min(Math.max(value, low - 2 * reach), high + 2 * reach); // far outside all is as good as there
    path += `${before === null || crosses ? "M" : "L"}${x(at).toFixed(1)} ${y(near).toFixed(1)}`;
    before = value;
  });
  return path;
}

/** Under the plot, where the sides agree, where they differ, and where one of them has no value. */
function strip(curves, box, x) {
  const found = [];
  const last = curves.same.length - 1;
  const place = (k) => curves.from + ((curves.to - curves.from) * Math.min(Math.max(k, 0), last)) / last;
  for (let start = 0; start <= last;) {
    let end = start;
    while (end < last && curves.same[end + 1] === curves.same[start]) end += 1;
    const [left, right] = [x(place(start - 0.5)), x(place(end + 0.5))];
    found.push(shape("rect", {
      class: `mt-strip mt-same-${SAME_NAMES[curves.same[start]]}`, x: left, width: Math.max(0.5, right - left), y: box.bottom + 6, height: 8,
    }));
    start = end + 1;
  }
  return found;
}

function markShapes(mark, box, x, y) {
  const at = x(mark.x);
  const within = (value) => Math.min(Math.max(y(value), box.top), box.bottom);
  const [first, second] = mark.values.map(within);
  const anchor = at > (box.left + box.right) / 2 ? "end" : "start";
  const label = at + (anchor === "end" ? -8 : 8);
  // Labels of two marks stay out of each other's way: one above its dots, one below.
  const wanted = mark.kind === "agree" ? Math.min(first, second) - 9 : Math.max(first, second) + 18;
  const height = Math.min(Math.max(wanted, box.top + 12), box.bottom - 6);
  return [
    shape("line", { class: `mt-mark mt-mark-${mark.kind}`, x1: at, x2: at, y1: first, y2: second }),
    ...[first, second].map((place, k) => shape(
      "circle", { class: `mt-dot mt-dot-${mark.kind} mt-${SIDES[k]}`, cx: at, cy: place, r: 5 })),
    shape("text", { class: "mt-mark-text", x: label, y: height, "text-anchor": anchor }, mark.text),
  ];
}

/** Inputs for the stretch and for every other variable; `changed` hears the new values. */
function controlsOf(facts, changed) {
  const { curves } = facts;
  const inputs = new Map();
  const note = element("span", { class: "mt-note", role: "status" });
  const start = { from: curves.from, to: curves.to, ...Object.fromEntries(
    Object.entries(curves.fixed).map(([name, value]) => [`=${name}`, numberOf(value)])) };
  const hear = () => {
    const values = Object.fromEntries([...inputs].map(([key, input]) => [key, numberOf(input.value)]));
    const wrong = Object.values(values).some(Number.isNaN);
    note.textContent = wrong ? "Write a number, such as 2, -0.5 or 3/2." : values.from < values.to ? "" : "From must be less than to.";
    if (note.textContent) return;
    const own = Object.entries(start).every(([key, value]) => values[key] === value);
    const fixed = Object.fromEntries(Object.keys(curves.fixed).map((name) => [name, values[`=${name}`]]));
    changed(values.from, values.to, fixed, own);
  };
  const field = (key, text, value) => {
    const id = freshId("input");
    const input = element("input", { id, type: "text", inputmode: "text", size: 6, autocomplete: "off", value: signed(String(value)), oninput: hear });
    inputs.set(key, input);
    return [element("label", { for: id }, text), input];
  };
  const rows = [element("div", { class: "mt-control" },
    ...field("from", `${curves.variable} from`, shown(curves.from)), ...field("to", "to", shown(curves.to)))];
  const sliders = [];
  for (const [name, value] of Object.entries(curves.fixed)) {
    const made = field(`=${name}`, `${name} =`, value);
    const reach = Math.max(6, 2 * Math.abs(numberOf(value)));
    const slider = element("input", {
      type: "range", min: -reach, max: reach, step: "any", value: numberOf(value), "aria-label": `${name}`,
      oninput: () => { made[1].value = shown(Number(slider.value), 3); hear(); },
    });
    made[1].addEventListener("input", () => { slider.value = numberOf(made[1].value); });
    sliders.push([slider, value]);
    rows.push(element("div", { class: "mt-control" }, ...made, slider));
  }
  const reset = element("button", { type: "button", class: "mt-button", onclick: () => {
    inputs.get("from").value = shown(curves.from);
    inputs.get("to").value = shown(curves.to);
    for (const [name, value] of Object.entries(curves.fixed)) inputs.get(`=${name}`).value = signed(value);
    for (const [slider, value] of sliders) slider.value = numberOf(value);
    hear();
  } }, facts.oracle.witness ? "Back to the witness" : "Reset");
  return element("div", { class: "mt-controls", role: "group", "aria-label": "What is plotted" }, ...rows, reset, note);
}
