// The machine of the schedule game: its state is a value, and the learner chooses each step.
//
// DESIGN. The semantics are those of libdispatch. The main thread runs the blocks of main, also that of
// a sync onto main, until dispatch_main: then threads of the pool do. Any other block of sync runs on
// its caller's thread. sync onto a queue that this thread has locked, a serial one or as a barrier,
// traps, and so do a leave too many and the release of a semaphore with fewer permits than at its
// creation. An actor of Swift runs one piece at a time, and a piece ends at each await. Where libdispatch promises no order, the
// machine allows each: any waiter can take a permit, and also a thread that comes later. There is
// no time: a step of a thread can take as long as it likes, so a sleep orders nothing, and a wait
// with a time-out can end at any step. A use of a released semaphore, which is undefined, traps.

/** Returns the state before the first step. */
export function start(program) {
  const map = (object, value) => Object.fromEntries(Object.keys(object).map(key => [key, value()]));
  const { semaphores, variables, groups } = structuredClone(program);
  const state = {
    semaphores, variables, groups, notify: map(program.groups, () => []),
    queues: map(program.queues, () => ({ running: 0, callers: 0, isBarred: false, waiting: [] })),
    actors: [], ran: program.bodies.map(() => 0).join(""), out: [], lost: "", trap: "",
  };
  for (const body of program.start) submit(program, state, body, {});
  return state;
}

// Actors: threads, and blocks from their submission to their end

/** Adds a thread, or a block to its queue. A block that is there already has copies: 2, 2.1, ... */
function submit(program, state, body, locals, caller) {
  const { number, queue, group } = program.bodies[body];
  let id = String(number);
  for (let next = 1; state.actors.some(actor => actor.id === id); next += 1) id = `${number}.${next}`;
  if (group) state.groups[group] += 1;
  state.queues[queue]?.waiting.push(id);
  const frame = { body, at: 0, locals, queue, group, ...(caller && { caller }) };
  state.actors.push({ id, waits: queue && "queue", frames: [frame] });
  state.actors.sort((one, other) => one.id.localeCompare(other.id, "en", { numeric: true }));
}

/** The thread or block of an actor. The copies of a block, such as 2 and 2.1, have one. */
export function bodyOf(program, id) {
  return program.bodies.find(body => String(body.number) === id.split(".")[0]);
}

function topOf(actor) { return actor.frames[actor.frames.length - 1]; }

/** The operation that comes next for an actor. */
export function operation(program, actor) {
  const { body, at } = topOf(actor);
  return program.bodies[body].code[at];
}

/** The body that an actor waits to begin: its own as a block, or that of its sync. */
function awaited(program, actor) {
  return actor.waits === "queue" ? topOf(actor).body : operation(program, actor).body;
}

/** True if a queue would begin a body of an actor now. The actor may wait there, or has just come. */
function canStart(program, state, queue, actor, body) {
  const { running, callers, isBarred, waiting } = state.queues[queue];
  const { width, isConcurrent, isActor } = program.queues[queue];
  // Those that wait for an actor of Swift have no order.
  if (isActor) return running === 0;
  const place = waiting.indexOf(actor.id);
  const before = (place < 0 ? waiting : waiting.slice(0, place))
    .map(id => state.actors.find(one => one.id === id));
  if (!isConcurrent) return running === 0 && before.length === 0;
  if (isBarred || before.some(one => program.bodies[awaited(program, one)].isBarrier)) return false;
  if (program.bodies[body].isBarrier) return running + callers + before.length === 0;
  // The block of a sync has its caller's thread, and needs none of the queue.
  return width === null || actor.waits !== "queue"
    || before.filter(one => one.waits === "queue").length < width - running;
}

/** The condition of an actor: ready, waiting, timed or queued. Only ready and timed ones step. */
export function condition(program, state, actor) {
  if (state.trap) return "ended";
  const next = operation(program, actor);
  const { queue, body } = topOf(actor);
  switch (actor.waits) {
    case "": return "ready";
    case "wait": return isFree(state, next.name) ? "ready" : next.isTimed ? "timed" : "waiting";
    case "main": return "waiting";
    case "back": return state.queues[queue].running ? "waiting" : "ready";
    case "queue": return canStart(program, state, queue, actor, body) ? "ready" : "queued";
    default: return canStart(program, state, next.queue, actor, next.body) ? "ready" : "waiting";
  }
}

/** The variables that the next operation of an actor reads and writes: name and isWrite of each. */
function accesses(program, actor) {
  const { op, name, sum = [], test, items = [] } = operation(program, actor);
  const terms = [...sum, ...(test ? [...test.left, ...test.right] : []),
    ...items.filter(Array.isArray).flat()];
  return [...(op === "store" ? [{ name, isWrite: true }] : []),
    ...terms.map(term => ({ name: term.name, isWrite: false }))]
    .filter(one => one.name in program.variables);
}

/**
 * The data race of a state: two actors could access a variable now, at the same time, and one of
 * them writes. Null if there is none, else the name and the two accesses.
 *
 * DESIGN. Two accesses race if nothing orders them; then some schedule has them next to each other,
 * and in the state before both can step. So a search of all states misses none, without clocks.
 */
export function raceOf(program, state) {
  const ready = state.actors.filter(actor => condition(program, state, actor) === "ready");
  for (const [index, actor] of ready.entries()) {
    for (const one of accesses(program, actor)) {
      for (const other of ready.slice(index + 1)) {
        // Only one of them gets the actor of Swift that both go back to.
        if (actor.waits === "back" && other.waits === "back"
          && topOf(actor).queue === topOf(other).queue) continue;
        const same = accesses(program, other).find(access =>
          access.name === one.name && (access.isWrite || one.isWrite));
        const at = (who, { isWrite }) =>
          ({ id: who.id, isWrite, line: operation(program, who).line });
        if (same) return { name: one.name, accesses: [at(actor, one), at(other, same)] };
      }
    }
  }
  return null;
}

/** True if a wait for a semaphore or a group would end at once. */
function isFree(state, name) {
  return name in state.groups ? state.groups[name] === 0 : state.semaphores[name] !== 0;
}

/** The ids of the actors that can take a step. */
export function choices(program, state) {
  return state.actors.filter(actor => ["ready", "timed"].includes(condition(program, state, actor)))
    .map(actor => actor.id);
}

/**
 * The end of a state from which no step leads on: "trap", "deadlock" (somebody waits), "silent" (a
 * group keeps its block) or "end"; "" if a step is left.
 */
export function ending(program, state) {
  if (state.trap) return "trap";
  if (choices(program, state).length) return "";
  if (state.actors.length) return "deadlock";
  return Object.values(state.notify).some(list => list.length) ? "silent" : "end";
}

// Steps

/** Returns the state after a step of an actor, the step in a sentence, and its operation. */
export function step(program, before, id) {
  const state = structuredClone(before);
  const actor = state.actors.find(one => one.id === id);
  const { name } = bodyOf(program, id);
  const top = topOf(actor);
  if (actor.waits === "queue" || actor.waits === "back") {
    take(program, state, actor, top);
    delete top.isOut;
  }
  const next = operation(program, actor);
  top.at += 1;
  const text = effects[next.op]({ program, state, actor, top, locals: top.locals }, next);
  // An actor that begins to wait stays at its line, as does one that traps.
  if (actor.waits || state.trap) top.at -= 1;
  else settle(program, state, actor);
  return { state, note: `${name} ${text}.`, next };
}

/** Begins a body on the queue of its frame, where the actor may have waited. */
function take(program, state, actor, { queue, body, isCaller }) {
  const taken = state.queues[queue];
  taken.waiting = taken.waiting.filter(id => id !== actor.id);
  actor.waits = "";
  taken[isCaller ? "callers" : "running"] += 1;
  if (program.bodies[body].isBarrier) taken.isBarred = true;
}

/** Begins the body of a sync or an await in its actor. */
function begin(program, state, actor, { body, locals, queue }, isCaller) {
  const frame = { body, at: 0, locals: { ...locals }, queue, group: "", ...(isCaller && { isCaller }) };
  take(program, state, actor, frame);
  actor.frames.push(frame);
}

/** Leaves the queue of a frame. */
function give(program, state, { queue, body, isCaller, isOut }) {
  if (!queue || isOut) return;
  state.queues[queue][isCaller ? "callers" : "running"] -= 1;
  if (program.bodies[body].isBarrier) state.queues[queue].isBarred = false;
}

/** Ends each body that has no operation left. */
function settle(program, state, actor) {
  while (actor.frames.length) {
    const top = topOf(actor);
    const { code } = program.bodies[top.body];
    while (code[top.at]?.op === "jump") top.at = code[top.at].to;
    if (top.at < code.length) {
      if (!top.isOut) return;
      actor.waits = "back";
      state.queues[top.queue].waiting.push(actor.id);
      return;
    }
    actor.frames.pop();
    const outer = topOf(actor);
    // An await of the actor's own goes back without a gap.
    if (outer?.isOut && outer.queue === top.queue && !top.isOut) delete outer.isOut;
    else give(program, state, top);
    state.ran = state.ran.slice(0, top.body) + "1" + state.ran.slice(top.body + 1);
    if (!outer) state.actors.splice(state.actors.indexOf(actor), 1);
    if (top.group) leave(program, state, top.group);
    const caller = top.caller && state.actors.find(one => one.id === top.caller);
    if (!caller) continue;
    caller.waits = "";
    topOf(caller).at += 1;
    settle(program, state, caller);
  }
}

function leave(program, state, group) {
  if (state.groups[group] === 0) {
    state.trap = `a leave of ${group} without an enter`;
    return;
  }
  state.groups[group] -= 1;
  if (state.groups[group] > 0) return;
  const blocks = state.notify[group];
  state.notify[group] = [];
  for (const [body, locals] of blocks) submit(program, state, body, locals);
}

// Values. A local (timedOut, and "" between a load and its store) is a list: its value, and the
// variables that it was loaded from, each with a "!" before it once another thread has stored it.

function valueOf(state, locals, name) {
  return name in state.variables ? state.variables[name] : locals[name]?.[0] ?? 0;
}

function total(state, locals, sum) {
  return sum.reduce((result, term) =>
    result + term.sign * (term.number ?? valueOf(state, locals, term.name)), 0);
}

function loaded(state, locals, sum) {
  const origins = new Set();
  for (const { name } of sum) {
    if (name in state.variables) origins.add(name);
    else for (const origin of locals[name]?.slice(1) || []) origins.add(origin);
  }
  return [total(state, locals, sum), ...[...origins].sort()];
}

function holds(state, locals, { left, sign, right }) {
  const [one, other] = [total(state, locals, left), total(state, locals, right)];
  return { "==": one === other, "!=": one !== other, "<": one < other, ">": one > other,
    "<=": one <= other, ">=": one >= other }[sign];
}

const effects = {
  wait({ state, actor, locals }, { name, isTimed }) {
    const isGroup = name in state.groups;
    if (state.semaphores[name] === null) return useAfterRelease(state, name);
    if (!isFree(state, name)) {
      if (actor.waits) {
        actor.waits = "";
        locals.timedOut = [1];
        return "has waited too long: timedOut" + (isGroup ? "" : ", without a permit");
      }
      actor.waits = "wait";
      return isGroup ? `waits: ${name} is not empty` : `waits: ${name} has no permit`;
    }
    actor.waits = "";
    if (isTimed) locals.timedOut = [0];
    if (isGroup) return `finds ${name} empty, and goes on`;
    state.semaphores[name] -= 1;
    return `takes a permit of ${name}: ${state.semaphores[name]} left`;
  },
  signal({ state }, { name }) {
    if (state.semaphores[name] === null) return useAfterRelease(state, name);
    state.semaphores[name] += 1;
    return `returns a permit to ${name}: ${state.semaphores[name]} free`;
  },
  release({ program, state }, { name }) {
    const [has, had] = [state.semaphores[name], program.semaphores[name]];
    if (has === null) return useAfterRelease(state, name);
    if (has < had) state.trap = `a release of ${name} with ${has} of ${had} permits`;
    state.semaphores[name] = null;
    return `releases ${name}` + (state.trap ? `, which has ${has} of ${had} permits: trap` : "");
  },
  enter({ state }, { name }) {
    state.groups[name] += 1;
    return `enters ${name}: ${state.groups[name]} inside`;
  },
  leave({ program, state }, { name }) {
    leave(program, state, name);
    return state.trap ? `leaves ${name}, which is empty: trap`
      : `leaves ${name}: ${state.groups[name]} inside`;
  },
  async({ program, state, locals }, { body }) {
    submit(program, state, body, { ...locals });
    const { name, queue } = program.bodies[body];
    return `submits ${name} to ${queue}`;
  },
  sync({ program, state, actor, locals }, { queue, body }) {
    const { isConcurrent } = program.queues[queue];
    if (actor.frames.some(one => one.queue === queue
      && (!isConcurrent || program.bodies[one.body].isBarrier))) {
      state.trap = `a sync onto ${queue}, by the thread that runs it`;
      return `calls sync onto ${queue}, which its own thread runs: trap`;
    }
    if (!program.bodies[body].isInline) {
      submit(program, state, body, { ...locals }, actor.id);
      actor.waits = "main";
      return "is blocked in sync until the main thread has run its block";
    }
    if (!canStart(program, state, queue, actor, body)) {
      state.queues[queue].waiting.push(actor.id);
      actor.waits = "sync";
      return `is blocked in sync until ${queue} has run all that is before its block`;
    }
    begin(program, state, actor, { body, locals, queue }, isConcurrent);
    return `runs the block of ${queue} itself, on its own thread`;
  },
  await({ program, state, actor, top, locals }, { queue, body }) {
    // An actor of Swift is free while its code awaits.
    give(program, state, top);
    if (top.queue) top.isOut = true;
    if (state.queues[queue].running) {
      state.queues[queue].waiting.push(actor.id);
      actor.waits = "await";
      return `is suspended until ${queue} is free`;
    }
    begin(program, state, actor, { body, locals, queue });
    return `goes to ${queue}`;
  },
  notify({ program, state, locals }, { group, body }) {
    const { name } = program.bodies[body];
    if (state.groups[group] > 0) {
      state.notify[group].push([body, { ...locals }]);
      return `asks ${group} to submit ${name} when it is empty`;
    }
    submit(program, state, body, { ...locals });
    return `finds ${group} empty: ${name} is submitted at once`;
  },
  work: (_, { text }) => `does its work: ${text}`,
  sleep: () => "sleeps, and wakes",
  load({ state, locals }, { sum }) {
    locals[""] = loaded(state, locals, sum);
    const names = sum.map(term => term.name).filter(one => one in state.variables);
    return `loads ${names.map(one => `${one}: ${state.variables[one]}`).join(", ")}`;
  },
  store({ state, actor, locals }, { name, sum }) {
    const before = state.variables[name];
    const [value, ...origins] = loaded(state, locals, sum);
    state.variables[name] = value;
    delete locals[""];
    const isLost = origins.includes(`!${name}`);
    if (isLost) state.lost = name;
    for (const other of state.actors.filter(one => one !== actor)) {
      for (const one of other.frames) {
        for (const [key, list] of Object.entries(one.locals)) {
          one.locals[key] = list.map(origin => origin === name ? `!${name}` : origin);
        }
      }
    }
    return `stores ${value} in ${name}`
      + (isLost ? `: the ${before} of another thread is lost` : "");
  },
  print({ state, locals }, { items }) {
    const text = items.map(item => typeof item === "string" ? item : total(state, locals, item))
      .join(" ");
    state.out.push(text);
    return `prints ${text}`;
  },
  if({ state, top, locals }, { test, otherwise }) {
    const isTrue = holds(state, locals, test);
    if (!isTrue) top.at = otherwise;
    return `finds the condition ${isTrue}`;
  },
  // A return in a block of sync ends this block alone.
  return({ program, top }) {
    top.at = program.bodies[top.body].code.length;
    return "returns";
  },
};

// The memory is freed: what happens is undefined, and at best a crash.
function useAfterRelease(state, name) {
  state.trap = `a use of ${name} after its release`;
  return `uses ${name}, which was released: the process may crash`;
}
