// Where the nodes of a tree stand: children below their parent, no two subtrees over each other.

const DEEPEST = 13;

/** The nodes of a side that are drawn, each with its column and row; deeper ones are folded until they are opened. */
function layoutOf(nodes, root, opened) {
  const placed = new Map();
  const folded = (id) => nodes.get(id).depth % DEEPEST === 0 && nodes.get(id).depth > 0
    && nodes.get(id).children.length > 0 && !opened.has(id);
  const below = (id) => (folded(id) ? [] : nodes.get(id).children);
  const order = [];
  for (const waiting = [root]; waiting.length;) {
    const id = waiting.pop();
    order.push(id);
    waiting.push(...below(id));
  }
  const contours = new Map(); // for each row below a node, the leftmost and rightmost column relative to the node's own
  for (const id of order.reverse()) contours.set(id, joined(below(id).map((child) => [child, contours.get(child)])));
  const waiting = [[root, 0]];
  while (waiting.length) {
    const [id, column] = waiting.pop();
    placed.set(id, { column, row: nodes.get(id).depth - nodes.get(root).depth, folded: folded(id), below: below(id) });
    for (const [child, shift] of contours.get(id).shifts) waiting.push([child, column + shift]);
  }
  const columns = [...placed.values()].map((place) => place.column);
  const first = Math.min(...columns);
  for (const place of placed.values()) place.column -= first;
  return {
    placed,
    columns: Math.max(...columns) - first + 1,
    rows: Math.max(...[...placed.values()].map((place) => place.row)) + 1,
  };
}

/** The contour of a node over its children, which are set as near to each other as their own contours allow. */
function joined(children) {
  const shifts = [];
  let rows = [];
  for (const [child, contour] of children) {
    let shift = 0;
    contour.rows.forEach(([left], k) => {
      if (k < rows.length) shift = Math.max(shift, rows[k][1] + 1 - left);
    });
    shifts.push([child, shift]);
    rows = Array.from({ length: Math.max(rows.length, contour.rows.length) }, (_, k) => {
      const own = contour.rows[k] && contour.rows[k].map((column) => column + shift);
      if (!rows[k]) return own;
      return own ? [Math.min(rows[k][0], own[0]), Math.max(rows[k][1], own[1])] : rows[k];
    });
  }
  const middle = shifts.length ? (shifts[0][1] + shifts[shifts.length - 1][1]) / 2 : 0;
  return {
    shifts: shifts.map(([child, shift]) => [child, shift - middle]),
    rows: [[0, 0], ...rows.map(([left, right]) => [left - middle, right - middle])],
  };
}

/** How many nodes are below one, itself included. */
function sizeOf(nodes, id) {
  let count = 0;
  for (const waiting = [id]; waiting.length;) {
    const node = nodes.get(waiting.pop());
    count += 1;
    waiting.push(...node.children);
  }
  return count;
}
