// The plot of both sides along the first variable, with controls for the stretch and for the other variables.

const MARGIN = { top: 14, right: 14, bottom: 46, left: 52 };
const DIGIT = 7.2;
const [LETTER, LABEL] = [8, 17]; // as wide and as high as the text of a mark may be
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
  const values = Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(12)));
  const largest = Math.max(...values.map(Math.abs), step);
  const digits = Math.floor(Math.log10(largest)) - Math.floor(Math.log10(step) + 1e-9) + 1; // what tells two of them apart
  return values.map((value) => ({ value, text: shown(value, Math.min(15, Math.max(1, digits))) }));
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
  const rows = ticks(low, high, Math.max(3, (height - MARGIN.top - MARGIN.bottom) / 56));
  const box = { left: Math.max(MARGIN.left, ...rows.map(({ text }) => 12 + DIGIT * text.length)), right: width - MARGIN.right, top: MARGIN.top, bottom: height - MARGIN.bottom };
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
  ...axes(curves, box, x, y, rows),
  cross,
  shape("g", { "clip-path": `url(#${clip})` },
    ...SIDES.map((name) => shape("path", { class: `mt-curve mt-${name}`, d: pathOf(curves, name, x, y, low, high) }))),
  ...strip(curves, box, x), ...labelled(marks, curves, box, x, y).flatMap((mark) => markShapes(mark, x)));
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

function axes(curves, box, x, y, rows) {
  const found = [];
  const line = (value, ends) => shape("line", { class: value === 0 ? "mt-axis" : "mt-grid", ...ends });
  for (const { value, text } of ticks(curves.from, curves.to, Math.max(3, (box.right - box.left) / 90))) {
    found.push(line(value, { x1: x(value), x2: x(value), y1: box.top, y2: box.bottom }));
    found.push(shape("text", { class: "mt-tick", x: x(value), y: box.bottom + 32, "text-anchor": "middle" }, text));
  }
  for (const { value, text } of rows) {
    found.push(line(value, { x1: box.left, x2: box.right, y1: y(value), y2: y(value) }));
    found.push(shape("text", { class: "mt-tick", x: box.left - 8, y: y(value) + 4, "text-anchor": "end" }, text));
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

/** The marks with the places of their labels: beside the mark, as near to its dots as curves and other labels allow. */
function labelled(marks, curves, box, x, y) {
  const within = (value) => Math.min(Math.max(y(value), box.top), box.bottom);
  const taken = marks.flatMap((mark) => mark.values.map((value) => ({
    left: x(mark.x) - 6, right: x(mark.x) + 6, top: within(value) - 6, bottom: within(value) + 6 })));
  return marks.map((mark) => {
    const dots = mark.values.map(within);
    const width = LETTER * mark.text.length;
    const found = [];
    for (let top = box.top + 2; top + LABEL <= box.bottom - 2; top += 4) {
      for (const left of [x(mark.x) + 9, x(mark.x) - 9 - width]) {
        if (left < box.left || left + width > box.right) continue;
        const place = { left, right: left + width, top, bottom: top + LABEL };
        const far = Math.min(...dots.map((dot) => Math.abs(top + LABEL / 2 - dot)));
        found.push({ ...place, cost: far + 1000 * covered(place, curves, taken, x, y) });
      }
    }
    const label = found.reduce((best, place) => (place.cost < best.cost ? place : best),
      found[0] || { left: box.left, right: box.left + width, top: box.top, bottom: box.top + LABEL });
    taken.push(label);
    return { ...mark, dots, label };
  });
}

/** How many points of the curves, and how many other things, would lie under a label. */
function covered(place, curves, taken, x, y) {
  const gap = 3;
  const last = curves.left.length - 1;
  const at = (k) => x(curves.from + ((curves.to - curves.from) * k) / last);
  const [first, end] = [place.left, place.right].map((edge) => (last * (edge - at(0))) / (at(last) - at(0)));
  let count = taken.filter((other) => other.left < place.right && other.right > place.left
    && other.top < place.bottom && other.bottom > place.top).length;
  for (const name of SIDES) {
    for (let k = Math.max(0, Math.floor(first) - 1); k < Math.min(last, Math.ceil(end) + 1); k += 1) {
      const [a, b] = [curves[name][k], curves[name][k + 1]];
      if (a === null && b === null) continue;
      const ends = [a ?? b, b ?? a].map(y);
      count += Math.min(...ends) < place.bottom + gap && Math.max(...ends) > place.top - gap;
    }
  }
  return count;
}

/** A mark: its dots, a line from the one to the other and on to its label, and the label. */
function markShapes(mark, x) {
  const at = x(mark.x);
  const middle = (mark.label.top + mark.label.bottom) / 2;
  const ends = [...mark.dots, middle];
  const right = mark.label.left > at;
  return [
    shape("line", { class: `mt-mark mt-mark-${mark.kind}`, x1: at, x2: at, y1: Math.min(...ends), y2: Math.max(...ends) }),
    ...mark.dots.map((place, k) => shape(
      "circle", { class: `mt-dot mt-dot-${mark.kind} mt-${SIDES[k]}`, cx: at, cy: place, r: 5 })),
    shape("text", { class: "mt-mark-text", x: right ? mark.label.left : mark.label.right, y: middle + 5,
      "text-anchor": right ? "start" : "end" }, mark.text),
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
