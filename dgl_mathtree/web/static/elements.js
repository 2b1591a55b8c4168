// Elements, numbers and words that all parts of the drawing share.

const SVG = "http://www.w3.org/2000/svg";
const SIDES = ["left", "right"];
/** The least size of letters, in pixels, for which an equation stays in one line. */
const LEAST_LINE = 20;
/** Numbers from here on are written with an exponent, unless more digits are asked for. */
const LARGE = 1e6;
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

/**
 * An element around a formula that never cuts it off: too wide a formula is set smaller, an equation in two lines, and
 * what could then not be read is written as plain text, which wraps.
 */
function fitted(name, mathml, text, least = 12) {
  const typeset = formula(mathml, text);
  const holder = element("div", { class: name }, typeset);
  if (!mathml) return holder;
  const lines = linesOf(typeset);
  let width = null;
  new ResizeObserver(() => {
    if (holder.clientWidth === width || !holder.clientWidth) return; // the rest is our own doing
    holder.replaceChildren(typeset);
    const shown = lines
      ? (lines.join(), fits(holder, LEAST_LINE)) || (lines.split(), fits(holder, least))
      : fits(holder, least);
    if (!shown) {
      holder.style.fontSize = "";
      holder.replaceChildren(element("code", { class: "mt-as-text" }, text));
    }
    width = holder.clientWidth;
  }).observe(holder);
  return holder;
}

/** Whether what an element holds has room in it, in letters of some size or more; it then has the largest of them. */
function fits(holder, least) {
  holder.style.fontSize = "";
  const size = parseFloat(getComputedStyle(holder).fontSize);
  const share = holder.clientWidth / holder.scrollWidth;
  if (share < 1) holder.style.fontSize = `${Math.max(least, 0.97 * share * size).toFixed(1)}px`;
  return holder.scrollWidth <= holder.clientWidth;
}

/** How an equation is set in one line, or in two with the second starting at the equals sign; null for what is none. */
function linesOf(typeset) {
  const [first] = typeset.children;
  const whole = first.querySelector('[data-node="0"]');
  if (!whole || whole.children.length !== 3) return null;
  const rest = [...whole.children].slice(1);
  const second = first.cloneNode(false);
  const row = whole.cloneNode(false);
  row.removeAttribute("data-node");
  second.append(row);
  return {
    join: () => { whole.append(...rest); second.remove(); },
    split: () => { row.append(...rest); typeset.append(second); },
  };
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

/** A number for people: some digits, an exponent where it is large, and a minus sign that is one. */
function shown(value, digits = 6) {
  if (value === null || value === undefined || Number.isNaN(value)) return "undefined";
  if (Math.abs(value) < Math.max(LARGE, 10 ** digits)) {
    const whole = Math.abs(value) < 1 ? 1 : Math.floor(Math.log10(Math.abs(value))) + 1; // all digits before the point
    return signed(String(Number(value.toPrecision(Math.max(digits, whole)))));
  }
  return signed(value.toExponential(digits - 1).replace(/\.?0+e/, "e"));
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
  const signs = { true: "\u2713", false: "\u2717", branch: "\u2248", undefined: "\u2205", undecided: "?" };
  return element("span", { class: `mt-word mt-word-${verdict}` },
    element("span", { "aria-hidden": "true" }, `${signs[verdict] || ""} `), verdict);
}

/** Some text once `count` is known to be one or more. */
function counted(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}
