// What is said of the equation: both verdicts, the pairs that are taken for equal, and the ranking of fillings.

function headOf(facts) {
  const holder = fitted("mt-equation", facts.mathml, facts.equation);
  holder.setAttribute("tabindex", "0");
  holder.setAttribute("role", "group");
  holder.setAttribute("aria-label", `The equation ${facts.equation}`);
  return element("header", { class: "mt-head" }, holder, element("p", { class: "mt-plain" }, element("code", {}, facts.equation)));
}

function verdictsOf(facts) {
  return section("verdicts", "Does it hold?",
    element("div", { class: "mt-cards" }, networkCard(facts), oracleCard(facts)),
    element("p", { class: `mt-agree mt-agree-${facts.agree}` }, signed(facts.trust.said)),
    element("p", { class: "mt-trust" }, signed(facts.trust.why.replace(/(\d)%/g, "$1\u00a0%"))));
}

function networkCard(facts) {
  return element("div", { class: `mt-card mt-card-${facts.verdict}` },
    element("h3", {}, "The network"),
    element("p", { class: "mt-big" }, facts.verdict, element("span", { class: "mt-big-side" }, percent(facts.probability))),
    probabilityBar(facts.probability),
    element("p", { class: "mt-hint" }, `The probability that the equation is correct, by ${facts.model.name} (${facts.model.run}). `
      + "Above 50 % it says correct. It is an estimate from what the network learnt."));
}

function probabilityBar(probability) {
  return shape("svg", { class: "mt-meter", viewBox: "0 0 100 12", preserveAspectRatio: "none", role: "img", "aria-label": `probability ${percent(probability)}` },
    shape("rect", { class: "mt-bar-rail", y: 2, width: 100, height: 8 }),
    shape("rect", { class: "mt-meter-fill", y: 2, width: (100 * probability).toFixed(2), height: 8 }),
    shape("rect", { class: "mt-meter-half", x: 49.8, width: 0.4, height: 12 }));
}

function oracleCard(facts) {
  const { oracle } = facts;
  const meaning = {
    true: oracle.proof ? `Proved for all values at which both sides are defined (${oracle.proof}).`
      : `The sides agree at all ${counted(oracle.tested ? oracle.tested.points : oracle.defined, "tested point")} at which they are defined. That is a test, not a proof.`,
    false: `The sides agree at ${oracle.equal} of ${counted(oracle.defined, "point")} at which they are defined.`,
    branch: `The sides agree at ${oracle.equal} of ${counted(oracle.defined, "point")} at which they are defined, and differ at the others.`,
    undefined: `Both sides are defined at ${counted(oracle.defined, "point")} only, too few to judge.`,
    undecided: "A fixed number of operations did not settle what holds.",
  };
  const settled = oracle.method === "float" ? "in floating point with strict error bounds" : `in ball arithmetic of up to ${oracle.bits} bits`;
  const lines = [witnessLine(oracle.witness, "differ"), witnessLine(oracle.agreement, "agree")].filter(Boolean);
  const looked = oracle.looked ? ` Looked at from ${shown(oracle.looked[0], 4)} to ${shown(oracle.looked[1], 4)}.` : "";
  const plane = oracle.complex_verdict ? ` Over the complex numbers: ${oracle.complex_verdict}.` : "";
  return element("div", { class: `mt-card mt-card-${oracle.verdict}` },
    element("h3", {}, "The oracle"), element("p", { class: "mt-big" }, oracleWord(oracle.verdict)), ...lines,
    element("p", { class: "mt-hint" }, `${meaning[oracle.verdict]} Settled ${settled}.${looked}${plane}`));
}

function witnessLine(witness, kind) {
  if (!witness) return null;
  const where = pointText(witness.point);
  return element("p", { class: `mt-witness mt-witness-${kind}` },
    element("strong", {}, kind === "differ" ? "They differ" : "They agree"), where ? ` at ${where}: ` : ": ",
    element("span", { class: "mt-left-text" }, `left ${signed(witness.left)}`), ", ",
    element("span", { class: "mt-right-text" }, `right ${signed(witness.right)}`),
    witness.taken ? " (not proven: a part was taken to be on the edge of a domain)" : "",
    (witness.left === witness.right || `${witness.left} ${witness.right}`.includes("99999...")) && witness.difference !== "0" ? `, left \u2212 right ${signed(witness.difference)}` : "");
}

function pairsSection(facts, links) {
  if (facts.model.kind === "none") return null;
  const list = (title, pairs) => (pairs.length
    ? [element("p", { class: "mt-hint" }, title), element("ol", { class: "mt-pairs-list" }, ...pairs.map((pair) => pairRow(pair, links)))]
    : []);
  return section("pairs", "Where the sides part", sharedLine(facts, links),
    ...list("Different subexpressions that the network takes for equal, the surest first, and whether the oracle finds them equal.", facts.pairs),
    ...list(`${facts.pairs.length ? "Others" : "The network takes no two different subexpressions for equal; those"} that it finds the most alike.`, facts.closest),
    ...list("The two sides themselves.", [sidesPair(facts)]));
}

/** The two sides as one more pair. */
function sidesPair(facts) {
  const [left, right] = facts.sides.map((id) => facts.nodes.find((node) => node.id === id)).map((node) => (
    { expression: node.expression || `the ${SIDES[node.side]} side`, mathml: node.mathml, nodes: [node.id] }));
  return { left, right, probability: facts.probability, oracle: facts.oracle.verdict };
}

function pairRow(pair, links) {
  const row = element("li", { class: "mt-pair", tabindex: "0" },
    element("span", { class: "mt-pair-sides" }, fitted("mt-pair-left", pair.left.mathml, pair.left.expression),
      element("span", { class: "mt-pair-sign" }, "\u225f"), fitted("mt-pair-right", pair.right.mathml, pair.right.expression)),
    element("span", { class: "mt-pair-words" }, `network ${percent(pair.probability)}`, " \u00b7 oracle ", oracleWord(pair.oracle)));
  return lighting(row, [...pair.left.nodes, ...pair.right.nodes], links);
}

/** What stands on both sides word for word, the largest first: up to there the network cannot tell them apart. */
function sharedLine(facts, links) {
  const [left, right] = [0, 1].map((side) => new Set(
    facts.nodes.filter((node) => node.side === side && node.expression).map((node) => node.expression)));
  const nodes = new Map(facts.nodes.map((node) => [node.id, node]));
  const both = (node) => left.has(node.expression) && right.has(node.expression);
  const found = new Map();
  for (const node of facts.nodes) {
    if (node.expression && both(node) && (node.parent === null || !both(nodes.get(node.parent)))) found.set(node.expression, node);
  }
  if (!found.size) return null;
  const chosen = [...found.values()].sort((a, b) => b.expression.length - a.expression.length).slice(0, 8);
  const chips = chosen.map((node) => {
    const ids = facts.nodes.filter((other) => other.expression === node.expression).map((other) => other.id);
    return lighting(element("span", { class: "mt-chip", tabindex: "0" }, fitted("mt-chip-formula", node.mathml, node.expression)), ids, links);
  });
  return element("p", { class: "mt-shared" }, "On both sides alike: ", ...chips);
}

/** An element that lights some nodes while it is pointed at or has the focus. */
function lighting(made, ids, links) {
  for (const [on, off] of [["pointerenter", "pointerleave"], ["focus", "blur"]]) {
    made.addEventListener(on, () => links.light(ids));
    made.addEventListener(off, () => links.light([]));
  }
  return made;
}

function rankingSection(facts) {
  const rows = facts.fillings.map((filling) => element("li", { class: "mt-rank" },
    fitted("mt-rank-formula", filling.mathml, filling.filling),
    bar(filling.probability, "mt-rank-fill"),
    element("span", { class: "mt-rank-words" }, percent(filling.probability), " ", oracleWord(filling.oracle))));
  return section("ranking", "What fills the blank",
    element("p", { class: "mt-hint" }, "Fillings that make the equation true come first; among themselves they are ordered by "
      + `${facts.model.name} (${facts.model.run}), whose probability that the equation is correct is shown, and the oracle's word.`),
    rows.length ? element("ol", { class: "mt-ranking-list" }, ...rows) : element("p", {}, "Nothing that was tried fits."));
}
