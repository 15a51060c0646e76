// A level of the schedule game: its states, and the schedules that reach the goal.
//
// The server lists all states of a level and the steps between them. A path is the list of the
// threads that stepped, each by its index.

export const conditions = {
  ready: "ready", waiting: "waits for a permit", timed: "waits; a step ends its time",
  queued: "queued on the main queue", unsubmitted: "not submitted yet",
  ended: "ended by the trap", finished: "finished",
};

/** Returns the state after a path; the path ends early at a step that cannot be taken. */
export function follow(level, path) {
  let found = state(level, 0);
  const taken = [];
  const notes = [];
  const states = [found];
  for (const thread of path) {
    const step = found.steps.find(one => one.thread === thread);
    if (!step) break;
    found = state(level, step.node);
    taken.push(thread);
    notes.push(step.note);
    states.push(found);
  }
  return { ...found, path: taken, notes, states };
}

function state(level, index) {
  const [positions, waits, values, isReached, steps] = level.nodes[index];
  return {
    positions, conditions: waits, values, isReached: isReached === 1,
    steps: steps.map(([thread, node, note]) => ({ thread, node, note })),
    isOver: steps.length === 0,
  };
}

/**
 * Counts the orders of the steps, and those that reach the goal. `share` is the part of the runs
 * that reach it if each step is chosen at random.
 */
export function orders(level) {
  const known = new Map();
  const visit = index => {
    if (known.has(index)) return known.get(index);
    const [, , , isReached, steps] = level.nodes[index];
    const sum = { all: 0, reaching: 0, share: 0 };
    known.set(index, sum);
    for (const [, node] of steps) {
      const next = visit(node);
      sum.all += next.all;
      sum.reaching += next.reaching;
      sum.share += next.share / steps.length;
    }
    if (!steps.length) Object.assign(sum, { all: 1, reaching: isReached, share: isReached });
    return sum;
  };
  return visit(0);
}

/** The address of a level and a path: "#3:1,2,1". */
export function address(level, path) {
  const steps = path.map(thread => thread + 1).join(",");
  return `#${level.number}${steps && `:${steps}`}`;
}

/** Returns the level and the path of an address. */
export function located(levels, hash) {
  const [number, steps] = hash.slice(1).split(":");
  const level = levels.find(one => String(one.number) === number) || levels[0];
  const path = (steps || "").split(",").filter(Boolean).map(step => Number(step) - 1);
  return { level, path: follow(level, path).path };
}
