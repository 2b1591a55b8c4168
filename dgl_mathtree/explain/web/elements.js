// Elements, numbers and words that all parts of the drawing share.

const SVG = "http://www.w3.org/2000/svg";
const SIDES = ["left", "right"];
let labels = 0;

/** An HTML element with attributes, and children that are elements or texts. */
function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same for SVG. */
function shape(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A formula from its MathML, or from its plain text where there is none. */
function formula(mathml, text) {
  if (!mathml) return element("code", {}, text || "");
  const holder = element("span", { class: "mt-formula" });
  holder.append(new DOMParser().parseFromString(mathml, "application/xml").documentElement);
  return holder;
}

/** The element, its text set smaller if it is too wide, as far as it can still be read; beyond that it scrolls. */
function fitted(holder) {
  let width = null;
  new ResizeObserver(() => {
    if (holder.clientWidth === width) return; // the height alone has changed, which is our doing
    width = holder.clientWidth;
    holder.style.fontSize = "";
    const share = width / holder.scrollWidth;
    const size = parseFloat(getComputedStyle(holder).fontSize);
    if (share < 1) holder.style.fontSize = `${Math.max(15, 0.97 * share * size).toFixed(1)}px`;
  }).observe(holder);
  return holder;
}

/** A name for `for`, `aria-labelledby` and the like that no other element has. */
function freshId(stem) {
  labels += 1;
  return `mt-${stem}-${labels}`;
}

/** A section with a heading that names it. */
function section(name, title, ...children) {
  const id = freshId("heading");
  return element(
    "section", { class: `mt-section mt-${name}`, "aria-labelledby": id }, element("h2", { id }, title), ...children);
}

/** A number for people: six digits, and a minus sign that is one. */
function shown(value, digits = 6) {
  if (value === null || value === undefined || Number.isNaN(value)) return "undefined";
  return signed(String(Number(value.toPrecision(digits))));
}

function signed(text) {
  return text.replace(/-/g, "\u2212");
}

function percent(share, digits = 1) {
  const least = 0.5 * 10 ** -(digits + 2);
  const [low, high] = [10 ** -digits, 100 - 10 ** -digits].map((bound) => bound.toFixed(digits));
  if (share > 0 && share < least) return `<\u00a0${low}\u00a0%`;
  if (share < 1 && share > 1 - least) return `>\u00a0${high}\u00a0%`;
  return `${(100 * share).toFixed(digits)}\u00a0%`;
}

/** A point as it is written: x = 3/2, y = −1/4. */
function pointText(values) {
  return Object.entries(values).map(([name, value]) => `${name} = ${signed(value)}`).join(", ");
}

/** The oracle's word, coloured and with a sign, so that colour alone says nothing. */
function oracleWord(verdict) {
  const signs = { true: "\u2713", false: "\u2717", branch: "\u2248", undefined: "\u2205" };
  return element("span", { class: `mt-word mt-word-${verdict}` },
    element("span", { "aria-hidden": "true" }, `${signs[verdict] || ""} `), verdict);
}

/** Some text once `count` is known to be one or more. */
function counted(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}
