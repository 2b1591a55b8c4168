// What a tree is worth at a point. The semantics are the oracle's: a value is real and finite, and so is everything in
// it; NaN stands for none. OPERATORS, the table of functions, is put before this file: it is made from the table of
// operators of the package.

const CONSTANTS = { pi: Math.PI, e: Math.E };

function finite(value) {
  return Number.isFinite(value) ? value : NaN;
}

function inverse(x) {
  return finite(1 / x);
}

/** The number that a text spells: 3, -0.5, 3/2, pi; NaN for any other text. */
function numberOf(text) {
  const word = text.trim().replace(/\u2212/g, "-");
  if (word in CONSTANTS) return CONSTANTS[word];
  const [above, below, ...more] = word.split("/");
  if (more.length || above.trim() === "" || (below !== undefined && below.trim() === "")) return NaN;
  return finite(Number(above) / (below === undefined ? 1 : Number(below)));
}

/** The value of a node, by the values of the variables; `nodes` maps ids to nodes. */
function valueOf(nodes, id, values) {
  const node = nodes.get(id);
  const below = node.children.map((child) => valueOf(nodes, child, values));
  if (below.some(Number.isNaN)) return NaN;
  if (below.length > 0) return finite(OPERATORS[node.word](...below));
  return node.word in values ? values[node.word] : numberOf(node.word);
}

/** Both sides along the first variable: what `curves` of the facts holds, for other values of the rest. */
function curvesAt(facts, nodes, from, to, fixed) {
  const samples = facts.curves.left.length;
  const found = { variable: facts.curves.variable, fixed, from, to, left: [], right: [], same: [] };
  for (let k = 0; k < samples; k += 1) {
    const values = { ...fixed, [found.variable]: from + ((to - from) * k) / (samples - 1) };
    const [left, right] = facts.sides.map((id) => valueOf(nodes, id, values));
    found.left.push(Number.isNaN(left) ? null : left);
    found.right.push(Number.isNaN(right) ? null : right);
    const unknown = Number.isNaN(left) || Number.isNaN(right);
    const near = Math.abs(left - right) <= 1e-9 * Math.max(1, Math.abs(left), Math.abs(right));
    found.same.push(unknown ? -1 : Number(near));
  }
  return found;
}
