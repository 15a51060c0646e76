// The search: all states that the schedules of a program lead to, and what can go wrong in them.
//
// DESIGN. The search is exhaustive up to a number of states. What it finds is a schedule that the
// machine can play; what it does not find is proved absent only if the search is complete.
import { bodyOf, choices, condition, ending, raceOf, start, step } from "./machine.js";

/** The most states that are searched. */
export const bound = 20000;

/**
 * Lists the states of a program, nearest first. `isGoal(state)` marks states from which no step is
 * taken. A node: the state, its end (see `ending`), its steps with the line of each, and the step
 * that led to it first.
 */
export function explore(program, isGoal = () => false) {
  const nodes = [];
  const known = new Map();
  const find = (state, origin) => {
    const key = JSON.stringify(state);
    if (!known.has(key)) {
      known.set(key, nodes.length);
      const isReached = isGoal(state);
      nodes.push({ state, origin, isReached, steps: [], end: ending(program, state) });
    }
    return known.get(key);
  };
  find(start(program), null);
  let index = 0;
  for (; index < nodes.length && nodes.length <= bound; index += 1) {
    const node = nodes[index];
    if (node.isReached) continue;
    for (const id of choices(program, node.state)) {
      const { state, next } = step(program, node.state, id);
      node.steps.push({ id, line: next.line, to: find(state, { node: index, id }) });
    }
  }
  return { program, nodes, isComplete: index === nodes.length };
}

/** The ids of the actors on a shortest way to a node. */
export function pathTo(graph, index) {
  const path = [];
  for (let node = graph.nodes[index]; node.origin; node = graph.nodes[node.origin.node]) {
    path.unshift(node.origin.id);
  }
  return path;
}

/** A shortest schedule to a node that fits; null if there is none. */
export function shortest(graph, fits) {
  const index = graph.nodes.findIndex(fits);
  return index < 0 ? null : pathTo(graph, index);
}

/** A shortest schedule that ends and runs nothing of a line; null if there is none. */
export function withoutLine({ nodes }, line) {
  const paths = new Map([[0, []]]);
  for (const [index, path] of paths) {
    if (nodes[index].end) return path;
    for (const one of nodes[index].steps) {
      if (one.line !== line && !paths.has(one.to)) paths.set(one.to, [...path, one.id]);
    }
  }
  return null;
}

/**
 * Counts the orders of the steps, and those that end in a reached node. Null if the orders are without end, or the
 * search is incomplete.
 */
export function orders(graph) {
  if (!graph.isComplete) return null;
  const { nodes } = graph;
  const entries = nodes.map(() => 0);
  for (const node of nodes) for (const { to } of node.steps) entries[to] += 1;
  if (entries[0] > 0) return null;
  const sorted = [0];
  for (let at = 0; at < sorted.length; at += 1) {
    for (const { to } of nodes[sorted[at]].steps) if ((entries[to] -= 1) === 0) sorted.push(to);
  }
  if (sorted.length < nodes.length) return null;
  const sums = [];
  for (const index of sorted.reverse()) {
    const { steps, isReached } = nodes[index];
    sums[index] = steps.length ? { all: 0, reaching: 0 } : { all: 1, reaching: Number(isReached) };
    for (const { to } of steps) {
      sums[index].all += sums[to].all;
      sums[index].reaching += sums[to].reaching;
    }
  }
  return sums[0];
}

// Starvation: a circle of states in which an actor waits all the time. The circle has to be fair,
// or any thread could starve any other: each other actor steps in it, or cannot step in some state
// of it, and the waiting one cannot step in some state.

const isWaiting = (program, state, id) => {
  const actor = state.actors.find(one => one.id === id);
  return actor !== undefined && actor.waits !== ""
    && condition(program, state, actor) !== "timed";
};

const canStep = (program, state, id) => choices(program, state).includes(id);

/** True if an actor starves in a circle of states; `steps[i]` leads from state i to the next. */
export function starves(program, states, steps, id) {
  if (!states.every(state => isWaiting(program, state, id)) || steps.includes(id)) return false;
  if (states.every(state => canStep(program, state, id))) return false;
  const others = new Set(states.flatMap(state => choices(program, state)));
  others.delete(id);
  return [...others].every(other =>
    steps.includes(other) || states.some(state => !canStep(program, state, other)));
}

/** A schedule in which an actor starves: who, the steps to the circle, and the circle. */
export function starvation(graph, only) {
  const { program, nodes } = graph;
  const ids = [...new Set(nodes.flatMap(node => node.state.actors.map(actor => actor.id)))];
  for (const id of only ? [only] : ids) {
    const isInside = nodes.map(node => isWaiting(program, node.state, id));
    const edges = index => nodes[index].steps.filter(one => one.id !== id && isInside[one.to]);
    for (const part of components(nodes.length, isInside, edges)) {
      const inPart = new Set(part);
      const inner = index => edges(index).filter(one => inPart.has(one.to));
      const states = part.map(index => nodes[index].state);
      const steps = part.flatMap(index => inner(index).map(one => one.id));
      if (steps.length && starves(program, states, steps, id)) {
        const entry = Math.min(...part);
        return { id, path: pathTo(graph, entry), circle: circle(graph, entry, part, inner) };
      }
    }
  }
  return null;
}

/** The strongly connected parts of the inside, by Kosaraju's algorithm. */
function components(count, isInside, edges) {
  const next = Array.from({ length: count }, (_, index) =>
    isInside[index] ? edges(index).map(one => one.to) : []);
  const back = next.map(() => []);
  next.forEach((list, index) => list.forEach(to => back[to].push(index)));
  /** Returns all that a node reaches and that is not in `seen`, in the order of the ends. */
  const reached = (root, ways, seen) => {
    const ended = [];
    const open = seen.has(root) ? [] : [{ index: root, left: ways[root].values() }];
    seen.add(root);
    while (open.length) {
      const { value, done } = open.at(-1).left.next();
      if (done) ended.push(open.pop().index);
      else if (!seen.has(value)) {
        seen.add(value);
        open.push({ index: value, left: ways[value].values() });
      }
    }
    return ended;
  };
  const [first, second] = [new Set(), new Set()];
  const order = next.flatMap((_, index) => isInside[index] ? reached(index, next, first) : []);
  return order.reverse().map(index => reached(index, back, second)).filter(part => part.length);
}

/** A shortest walk from a node and back that meets each condition of `starves`. */
function circle({ nodes }, entry, part, inner) {
  const canStep = (index, id) => nodes[index].steps.some(one => one.id === id);
  const ids = [...new Set(part.flatMap(index => nodes[index].steps.map(one => one.id)))];
  /** The actors that have stepped, or could not, after a step or at the entry. */
  const met = (before, index, id) =>
    ids.filter(one => one === id || before.includes(one) || !canStep(index, one));
  const walks = [{ index: entry, met: met([], entry) }];
  const known = new Set();
  for (const walk of walks) {
    for (const { id, to } of inner(walk.index)) {
      const next = { index: to, met: met(walk.met, to, id), id, before: walk };
      if (to === entry && next.met.length === ids.length) {
        const steps = [];
        for (let one = next; one.before; one = one.before) steps.unshift(one.id);
        return steps;
      }
      const key = `${to} ${next.met}`;
      if (!known.has(key)) walks.push(next);
      known.add(key);
    }
  }
  return null;
}

/** What can go wrong in a program: a list of kind, a sentence, and a shortest schedule. */
export function findings(graph) {
  const { program, nodes } = graph;
  const list = [];
  const add = (kind, fits, text) => {
    const index = nodes.findIndex(fits);
    if (index >= 0) list.push({ kind, text: text(nodes[index].state), path: pathTo(graph, index) });
  };
  const nameOf = id => bodyOf(program, id).name;
  add("deadlock", node => node.end === "deadlock", state =>
    `Deadlock: ${listed(state.actors.map(actor => nameOf(actor.id)))} for ever, and nothing can step.`);
  add("trap", node => node.end === "trap", state => `Trap: ${state.trap}.`);
  add("race", node => raceOf(program, node.state), state => {
    const { name, accesses } = raceOf(program, state);
    const [one, other] = accesses.map(({ id, isWrite, line }) =>
      `${nameOf(id)} ${isWrite ? "writes" : "reads"} it in line ${line}`);
    return `Data race on ${name}: ${one} while ${other}, and nothing orders the two.`;
  });
  add("lost", node => node.state.lost, state => `Lost update: a store to ${state.lost} overwrites `
    + "the store of another thread, from a value that was loaded before it.");
  add("silent", node => node.end === "silent", () =>
    "Silence: all has ended, and a group that is not empty keeps its block.");
  const starved = starvation(graph);
  if (starved) {
    list.push({ kind: "starvation", path: [...starved.path, ...starved.circle],
      text: `Starvation: ${nameOf(starved.id)} waits for ever while others go on; after the first `
        + `${starved.path.length} steps, the other ${starved.circle.length} repeat.` });
  }
  return list;
}

function listed(names) {
  const last = names[names.length - 1];
  return names.length === 1 ? `${last} waits` : `${names.slice(0, -1).join(", ")} and ${last} wait`;
}

/** The ends of all schedules: what was printed, and a shortest schedule to each, nearest first. */
export function outputs(graph) {
  const found = new Map();
  graph.nodes.forEach((node, index) => {
    if (!node.end) return;
    const key = JSON.stringify([node.end, node.state.out]);
    if (!found.has(key)) {
      found.set(key, { end: node.end, out: node.state.out, path: pathTo(graph, index) });
    }
  });
  return [...found.values()];
}
