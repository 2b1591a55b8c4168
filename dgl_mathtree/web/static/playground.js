// The playground: what is typed is read, typeset, judged and explained; the address holds it.
"use strict";

const EXAMPLES = [
  "sin(x)^2 + cos(x)^2 = 1",
  "sin(x + y) = sin(x) + sin(y)",
  "sqrt(x^2) = x",
  "sin(x)^2 + ? = 1",
  "\\frac{x^2 - 1}{x - 1} = x + 1",
  "log(x y) = log(x) + log(y)",
];
const READ_AFTER = 180; // milliseconds without a key
const EXPLAIN_AFTER = 450;
const TRIES = 5;

const [form, field, mirror, problem, formula, status, explanation, examples, copy] = [
  "ask", "equation", "mirror", "problem", "formula", "status", "explanation", "examples", "copy",
].map((id) => document.getElementById(id));
let asked = new AbortController(); // for the text at hand; aborted as soon as there is another
let timer = null;

/** A refusal of the server, or that there is none. */
class Refused extends Error {}

/** The answer to a question; a server that is busy is asked again. */
async function ask(name, fields, signal) {
  for (let attempt = 1; ; attempt += 1) {
    let response;
    try {
      const headers = { "Content-Type": "application/json" };
      response = await fetch(`api/${name}`, { method: "POST", headers, body: JSON.stringify(fields), signal });
    } catch (error) {
      if (signal.aborted) throw error;
      throw new Refused("The server does not answer. Is it still running?");
    }
    const answer = await response.json();
    if (response.ok) return answer;
    const pause = Number(response.headers.get("Retry-After"));
    if (!pause || attempt === TRIES) throw new Refused(sentence(answer.error));
    say("The server is busy; trying again", true);
    await sleep(1000 * pause, signal);
  }
}

function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const waiting = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => { clearTimeout(waiting); reject(new DOMException("", "AbortError")); });
  });
}

/** Start anew with the text in the field; what was asked about another is dropped. */
function changed(at_once = false) {
  asked.abort();
  asked = new AbortController();
  clearTimeout(timer);
  const { signal } = asked;
  mark(null);
  fit();
  explanation.classList.add("stale");
  formula.classList.add("stale");
  timer = setTimeout(() => answer(field.value, signal, at_once ? 0 : EXPLAIN_AFTER - READ_AFTER), at_once ? 0 : READ_AFTER);
}

/** Read a text, then judge and explain it. */
async function answer(text, signal, pause) {
  keep(text);
  try {
    if (!text.trim()) {
      clear("");
      return;
    }
    const read = await ask("parse", { equation: text, draft: true }, signal);
    if (read.error !== undefined) {
      mark(text, read);
      say("");
      return;
    }
    typeset(read);
    if (read.equation === undefined) {
      explanation.replaceChildren();
      say("An expression. Go on with = to make it an equation.");
      return;
    }
    say("Thinking", true);
    await sleep(pause, signal);
    await judge(text, read, signal);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof Refused)) throw error;
    explanation.replaceChildren();
    say(error.message);
  }
}

/** Say both verdicts, which are soon there, and draw the explanation, which takes longer. */
async function judge(text, read, signal) {
  let said = "";
  if (!read.prefix.includes("?")) {
    const found = await ask("verify", { equation: text }, signal);
    said = verdict(found);
    say(said, found.unread === null);
    if (found.unread !== null) {
      explanation.replaceChildren();
      return;
    }
  }
  const facts = await ask("explain", { equation: text }, signal);
  const showProof = renderExplanation(explanation, facts);
  explanation.classList.remove("stale");
  formula.replaceChildren(explanation.querySelector(":scope > .mt-explanation > .mt-head"));
  said = said || filled(facts.fillings);
  say(said);
  if (facts.fillings === undefined || facts.best) await prove(facts.best || facts, showProof, signal);
  say(said); // a busy server may have been reported
}

/** Look for a proof of what has been explained; where the oracle has refuted it there is none to look for. */
async function prove(facts, showProof, signal) {
  if (facts.oracle.verdict !== "true") {
    showProof(null);
    return;
  }
  showProof(null, "Looking for a proof\u2026");
  try {
    showProof(await ask("prove", { equation: facts.equation, derivation: true }, signal));
  } catch (error) {
    if (signal.aborted || !(error instanceof Refused)) throw error;
    showProof(null, `It is not proved. ${error.message}`);
  }
}

function verdict(found) {
  const known = found.says.charAt(0).toUpperCase() + found.says.slice(1);
  if (found.unread !== null) return `${known}. The network cannot read it: ${found.unread}.`;
  const network = `The network says ${found.verdict} (${(100 * found.probability).toFixed(1)} %)`;
  if (found.answer === "undecided") return `${network}; it is neither proved nor refuted.`;
  return `${known}. ${network}${found.agree === false ? ", and is wrong" : ""}.`;
}

function filled(fillings) {
  if (!fillings.length) return "Nothing that was tried fits.";
  return `Filled with ${fillings[0].filling}: ${fillings[0].answer}.`;
}

/** Show what was read. */
function typeset(read) {
  const math = new DOMParser().parseFromString(read.mathml, "application/xml").documentElement;
  const head = element("header", "mt-head");
  const [shown, plain, code] = [element("div", "mt-equation"), element("p", "mt-plain"), element("code")];
  shown.append(math);
  code.textContent = read.equation || read.expression;
  plain.append(code);
  head.append(shown, plain);
  formula.replaceChildren(head);
  formula.classList.remove("stale");
}

function clear(text) {
  formula.replaceChildren();
  explanation.replaceChildren();
  say(text);
}

/** Mark the character that an error is about, and say what is wrong; null marks nothing. */
function mark(text, found) {
  field.setAttribute("aria-invalid", String(text !== null));
  problem.textContent = "";
  mirror.replaceChildren();
  if (text === null) return;
  const characters = Array.from(text); // positions count characters, not UTF-16 units
  problem.textContent = sentence(found.error);
  if (found.position === undefined) return;
  const place = element("mark");
  place.textContent = characters[found.position] || "\u00a0";
  mirror.append(characters.slice(0, found.position).join(""), place, characters.slice(found.position + 1).join(""));
  mirror.scrollTop = field.scrollTop;
  const where = found.line > 1 ? `Line ${found.line}, character ${found.column}` : `Character ${found.column}`;
  problem.textContent = sentence(`${where}: ${found.error}`);
}

/** Let the field be as high as its text. */
function fit() {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`;
}

/** Let the address hold the text. */
function keep(text) {
  const hash = text.trim() ? `#eq=${encodeURIComponent(text)}` : "";
  if (hash !== location.hash) history.replaceState(null, "", hash || location.pathname);
  document.title = text.trim() ? `${text.trim().slice(0, 60)} – mathtree` : "mathtree playground";
}

/** Take the text that the address holds, if it holds another. */
function restore() {
  let text = "";
  try {
    text = decodeURIComponent(location.hash.replace(/^#(eq=)?/, ""));
  } catch {
    // an address that was cut off
  }
  if (text !== field.value) use(text);
}

function use(text) {
  field.value = text;
  changed(true);
}

function say(text, busy = false) {
  status.dataset.busy = String(busy);
  if (status.textContent !== text) status.textContent = text;
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;
}

function element(name, className = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  return made;
}

for (const text of EXAMPLES) {
  const button = element("button");
  button.type = "button";
  button.textContent = text;
  button.addEventListener("click", () => use(text));
  examples.append(button);
}
copy.addEventListener("click", async () => {
  await navigator.clipboard.writeText(location.href).then(
    () => { copy.textContent = "Link copied"; }, () => { copy.textContent = "Copy the address above"; });
  setTimeout(() => { copy.textContent = "Copy link"; }, 2000);
});
field.addEventListener("input", () => changed());
field.addEventListener("scroll", () => { mirror.scrollTop = field.scrollTop; });
field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  changed(true);
});
form.addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("hashchange", restore);
window.addEventListener("resize", fit);
if (location.hash) restore();
else changed(true);
