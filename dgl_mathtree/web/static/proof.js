// The proof of the equation: whether there is one, and its derivation, folded.

/** Why an equation has no proof, by the oracle's verdict. */
function unproved(oracle) {
  const points = counted(oracle.tested ? oracle.tested.points : oracle.defined, "point");
  return {
    true: `It holds at ${points}, but it is not proved: no derivation was found.`,
    false: "There is no proof: the equation is false, as the point above shows.",
    branch: "There is no proof: the equation holds for some values only, as the points above show.",
    undefined: "There is no proof: too few values were found at which both sides are defined.",
    undecided: "There is no proof: the oracle did not settle whether the equation holds.",
  }[oracle.verdict];
}

/**
 * The section on the proof. It has the derivation where there is one, else one line: the note, or why there is no proof.
 */
function proofSection(facts, note = null) {
  const { proof, derivation } = facts;
  if (!proof || !proof.proved || !derivation) {
    return section("proof", "Proof", element("p", { class: "mt-unproved", role: "status" }, note || unproved(facts.oracle)));
  }
  const how = proof.method === "laws" ? "by named laws" : "by its normal form";
  const lines = counted(linesIn(derivation), "line");
  return section("proof", "Proof",
    element("p", { class: "mt-proved", role: "status" },
      element("span", { class: "mt-word mt-word-true" }, element("span", { "aria-hidden": "true" }, "\u2713 "), "proved"),
      ` ${how}, for all real values at which both sides are defined`, conditionsOf(proof.conditions),
      ". A separate checker has accepted every step."),
    element("details", { class: "mt-derivation" },
      element("summary", {}, `The derivation, ${lines}`), chainOf(derivation, derivation.laws), lawList(derivation.laws)));
}

/** The number of lines of a chain and of the chains below it. */
function linesIn(chain) {
  return chain.lines.reduce((sum, line) => line.because.reduce((part, reason) => part + linesIn(reason), sum + 1), 0);
}

function conditionsOf(conditions) {
  if (!conditions.length) return null;
  const signs = { "!=": "\u2260", ">=": "\u2265", "<=": "\u2264" };
  const text = conditions.map((condition) => signed(condition.replace(/!=|>=|<=/g, (sign) => signs[sign]))).join(" and ");
  return element("strong", { class: "mt-conditions" }, ` and ${text}`);
}

/** Expressions below each other, each with the laws by which it equals the one above; below it what they rest on. */
function chainOf(chain, laws) {
  const first = element("li", { class: "mt-step" }, element("span", { class: "mt-step-sign" }),
    fitted("mt-step-formula", chain.start.mathml, chain.start.expression));
  const rows = chain.lines.map((line) => element("li", { class: "mt-step" },
    element("span", { class: "mt-step-sign" }, "="),
    fitted("mt-step-formula", line.mathml, line.expression),
    element("span", { class: "mt-step-laws" }, ...line.laws.map((name) => element(
      "span", { class: "mt-law", title: laws[name].says, tabindex: "0" }, name))),
    ...line.because.map((reason) => element("div", { class: "mt-reason" },
      element("p", { class: "mt-hint" }, reasonText(line, reason)), chainOf(reason, laws)))));
  return element("ol", { class: "mt-steps" }, first, ...rows);
}

function reasonText(line, reason) {
  const given = signed(reason.given).replace(/\*pi\b/g, "\u00a0\u03c0");
  if (line.laws[0] === "cases") return `Case ${given}:`;
  const range = reason.given === "all real numbers" ? "" : `, where ${given}`;
  return `${line.laws[0].replace("both sides: ", "")} of both sides${range}:`;
}

/** What the laws say, for those who cannot point at them. */
function lawList(laws) {
  const entries = Object.entries(laws).flatMap(([name, law]) => [
    element("dt", {}, name),
    element("dd", {}, law.mathml ? fitted("mt-law-formula", law.mathml, law.says) : law.says,
      law.conditions.length ? element("span", { class: "mt-hint" }, `if ${law.conditions.map(signed).join(", ")}`) : null),
  ]);
  return element("dl", { class: "mt-laws" }, ...entries);
}
