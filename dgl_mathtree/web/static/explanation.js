// The one function that other pages use.

/**
 * Empty a container and draw an explanation or a completion into it, from its facts (docs/explain.md).
 *
 * Returns a function that draws a proof which comes later (docs/serve.md), or null and a note about it.
 */
function renderExplanation(container, facts) {
  const root = element("div", { class: "mt-explanation" });
  container.replaceChildren(root);
  if (!facts.fillings) {
    return drawExplanation(root, facts);
  }
  root.append(headOf(facts), rankingSection(facts));
  if (!facts.best) return () => {};
  const best = element("div", { class: "mt-best" });
  root.append(element("h2", { class: "mt-best-head" }, "The first filling, explained"), best);
  return drawExplanation(best, facts.best);
}

function drawExplanation(root, facts) {
  const nodes = new Map(facts.nodes.map((node) => [node.id, node]));
  const head = headOf(facts);
  const links = linksOf(head, nodes);
  let [verdicts, proof] = [verdictsOf(facts), facts.proof ? proofSection(facts) : null];
  const parts = [head, verdicts, proof, plotSection(facts, nodes), treeSection(facts, nodes, links), pairsSection(facts, links)];
  root.append(...parts.filter(Boolean));
  links.choose(facts.sides[0], false);
  return (answer, note = null) => {
    const known = answer ? withProof(facts, answer) : facts;
    const drawn = [verdictsOf(known), proofSection(known, note)];
    verdicts.replaceWith(drawn[0]);
    if (proof) proof.replaceWith(drawn[1]);
    else drawn[0].after(drawn[1]);
    [verdicts, proof] = drawn;
  };
}

/** The facts once a proof is known: what was tested only may now be proved. */
function withProof(facts, answer) {
  const { derivation, ...proof } = answer;
  const known = { ...facts, proof, derivation };
  if (!proof.proved || proof.conditions.length) return known;
  return { ...known, oracle: { ...facts.oracle, proof: proof.method }, trust: { ...facts.trust, why: derivation.holds } };
}

/** What links the nodes of the trees and their places in the formula: to choose a node is to light it everywhere. */
function linksOf(head, nodes) {
  const places = new Map([...head.querySelectorAll("[data-node]")].map((place) => [Number(place.dataset.node), place]));
  const shapes = [new Map(), new Map()];
  const listeners = [];
  const placeOf = (id) => {
    // What is not written, such as the -1 of a quotient, stands in its parent's place.
    for (let at = id; at !== null; at = nodes.get(at).parent) if (places.has(at)) return places.get(at);
    return null;
  };
  const shapeOf = (id) => shapes[nodes.get(id).side].get(id);
  const mark = (ids, name) => {
    for (const old of [...places.values(), ...shapes[0].values(), ...shapes[1].values()]) old.classList.remove(name);
    for (const id of ids) for (const made of [placeOf(id), shapeOf(id)]) if (made) made.classList.add(name);
  };
  const choose = (id, lit = true) => {
    mark([id], "mt-chosen");
    mark(lit ? [id] : [], "mt-lit");
    for (const listener of listeners) listener(id);
  };
  const light = (ids) => mark(ids, "mt-lit");
  const sides = new Map([...places].filter(([id]) => id !== 0 && nodes.get(id).parent === null));
  for (const [id, place] of sides) place.classList.add(`mt-formula-${SIDES[nodes.get(id).side]}`);
  head.addEventListener("pointerover", (event) => {
    const place = event.target.closest("[data-node]");
    if (place && head.contains(place) && nodes.has(Number(place.dataset.node))) choose(Number(place.dataset.node));
  });
  head.addEventListener("pointerleave", () => light([]));
  const connect = (side, made) => {
    shapes[side] = made;
    for (const [id, each] of made) {
      each.addEventListener("pointerenter", () => choose(id));
      each.addEventListener("pointerleave", () => light([]));
      each.addEventListener("focus", () => choose(id));
      each.addEventListener("blur", () => light([]));
    }
  };
  return { nodes: connect, choose, light, onchoose: (listener) => listeners.push(listener) };
}
