"""How the page looks and what it does: one style sheet and one script, both inside the page."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --page: #ffffff; --ink: #1c2128; --soft: #5b6470; --line: #d9dee5; --panel: #f6f8fa; --link: #1f5fbf;
  --printed: #fff6e0; --best: #e3f4e8; --holds: #1a7f45; --fails: #b3261e; --open: #5b6470;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --ink: #e3e8ee; --soft: #9aa5b1; --line: #303844; --panel: #1a2029; --link: #8ab8ff;
    --printed: #33290f; --best: #15331f; --holds: #5fd08b; --fails: #ff9a92; --open: #a9b4c0;
  }
}
* { box-sizing: border-box; }
body { background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; margin: 0; }
main { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: .5rem 0 .25rem; }
h2 { display: inline; font-size: 1.15rem; } section > h2 { display: block; font-size: 1.35rem; margin: 1.5rem 0 .5rem; }
h3 { font-size: 1.02rem; margin: 1.6rem 0 .2rem; }
p, li { max-width: 52rem; overflow-wrap: anywhere; }
a { color: var(--link); }
.note, .byline, figcaption { color: var(--soft); font-size: .88rem; margin: .25rem 0 .6rem; max-width: 54rem; }
.findings { padding-left: 1.3rem; } .findings li { margin: .5rem 0; padding-left: .2rem; }
.wide { margin: .5rem 0 1.2rem; max-width: 100%; overflow-x: auto; }
.wide:focus-visible, button:focus-visible, summary:focus-visible, a:focus-visible {
  outline: 2px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .32rem .65rem; text-align: right; white-space: nowrap; }
thead th { border-bottom: 2px solid var(--line); font-weight: 600; padding: 0; vertical-align: bottom;
  white-space: normal; }
tbody th { font-weight: 500; }
th:first-child { background: var(--page); left: 0; position: sticky; text-align: left; z-index: 1; }
td.text { text-align: left; }
thead button { background: none; border: 0; color: inherit; cursor: pointer; font: inherit; line-height: 1.25;
  min-height: 2.2rem; padding: .32rem .65rem; text-align: inherit; width: 100%; }
thead button::after { color: var(--soft); content: "\\00a0\\2195"; font-size: .8em; opacity: .45; }
[aria-sort="ascending"] button::after { content: "\\00a0\\2191"; opacity: 1; }
[aria-sort="descending"] button::after { content: "\\00a0\\2193"; opacity: 1; }
tbody tr:hover td, tbody tr:hover th { background: var(--panel); }
.claims tbody th { font-weight: 650; max-width: 25rem; min-width: 10rem; white-space: normal; }
.claims tbody th.pair { color: var(--soft); font-weight: 400; padding-left: 1.4rem; }
.printed { background: var(--printed); font-style: italic; }
.best { font-weight: 700; } td.best:not(.printed) { background: var(--best); }
.best::before { color: var(--holds); content: "\\2605\\00a0" / ""; font-size: .8em; }
td a { color: inherit; text-decoration: none; } td a:hover { color: var(--link); text-decoration: underline; }
.verdict { border: 1px solid currentColor; border-radius: 1rem; display: inline-block; font-size: .82em;
  line-height: 1.3; padding: .05rem .5rem; white-space: nowrap; }
.verdict.holds { color: var(--holds); } .verdict.fails { color: var(--fails); } .verdict.open { color: var(--open); }
details { border-top: 1px solid var(--line); } details > summary { cursor: pointer; padding: .7rem 0; }
details details { border: 0; } details details > summary { padding: .3rem 0; }
details > :not(summary) { margin-left: .1rem; }
.tools { margin: 2rem 0 .6rem; } .tools button { background: var(--panel); border: 1px solid var(--line);
  border-radius: .4rem; color: inherit; cursor: pointer; font: inherit; font-size: .9rem; padding: .3rem .8rem; }
figure { margin: 1rem 0; }
.panels { display: grid; gap: .5rem 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); }
.panels > div { max-width: 27rem; } .panels h4 { font-size: .92rem; margin: .3rem 0; text-align: center; }
.panels svg { display: block; height: auto; max-width: 100%; }
svg text { font-family: system-ui, sans-serif !important; }
.runs { columns: 20rem; font-size: .87rem; padding-left: 0; } .runs li { break-inside: avoid; list-style: none; }
.runs li:target { background: var(--printed); } .folders { font: .82rem/1.5 ui-monospace, monospace; }
@media (max-width: 34rem) {
  main { padding: 1rem .8rem 3rem; } h1 { font-size: 1.45rem; } th, td, thead button { padding: .3rem .45rem; }
  thead th { padding: 0; } th:first-child { max-width: 8.5rem; min-width: 7rem; white-space: normal; }
}
@media print {
  body { font-size: 10pt; } main { max-width: none; padding: 0; } .tools, thead button::after { display: none; }
  .wide { overflow: visible; } table { font-size: 7.5pt; } th, td { padding: .12rem .25rem; }
  thead button { min-height: 0; padding: .12rem .25rem; } .claims tbody th { min-width: 0; }
  tr, figure .panels > div { break-inside: avoid; } th:first-child { position: static; }
  .panels { grid-template-columns: repeat(2, 1fr); }
}
"""
SCRIPT = """
const value = (row, at) => {
  const cell = row.cells[at], text = cell.innerText.trim();
  const number = parseFloat(cell.dataset.sort ?? text.replace(/[,\\u2605]/g, ""));
  return text === "" ? null : isNaN(number) ? text : number;
};
for (const button of document.querySelectorAll("thead button")) button.addEventListener("click", () => {
  const head = button.closest("th"), body = head.closest("table").tBodies[0], at = head.cellIndex;
  const sign = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
  for (const other of head.parentElement.cells) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
  const rows = [...body.rows].map(row => [value(row, at), row]);
  rows.sort(([x], [y]) => {
    if (x === null || y === null) return (x === null) - (y === null);
    if (typeof x === "number" && typeof y === "number") return sign * (x - y);
    return sign * String(x).localeCompare(String(y));
  });
  body.append(...rows.map(([, row]) => row));
});
const folds = [...document.querySelectorAll("details")];
const reveal = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details"))
    fold.open = true;
  if (target) target.scrollIntoView();
};
addEventListener("hashchange", reveal);
reveal();
const all = document.getElementById("unfold");
all.addEventListener("click", () => {
  const open = all.getAttribute("aria-pressed") !== "true";
  for (const fold of folds) fold.open = open;
  all.setAttribute("aria-pressed", open);
});
let before = [];
addEventListener("beforeprint", () => {
  before = folds.filter(fold => !fold.open);
  for (const fold of before) fold.open = true;
});
addEventListener("afterprint", () => { for (const fold of before) fold.open = false; });
"""
