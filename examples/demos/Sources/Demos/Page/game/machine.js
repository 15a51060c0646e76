// The machine of the schedule game: its state is a value, and the learner chooses each step.
//
// DESIGN. The semantics are those of libdispatch. A block of sync runs on its caller's thread; sync
// onto a serial queue that this thread has locked traps, and so do a leave too many and the release
// of a semaphore with fewer permits than at its creation. Where libdispatch promises no order, the
// machine allows each: any waiter can take a permit, and also a thread that comes later. There is
// no time: a step of a thread can take as long as it likes, so a sleep orders nothing, and a wait
// with a time-out can end at any step. A use of a released semaphore, which is undefined, traps.

/** Returns the state before the first step. */
export function start(program) {
  const map = (object, value) => Object.fromEntries(Object.keys(object).map(key => [key, value()]));
  const { semaphores, variables, groups } = structuredClone(program);
  const state = {
    semaphores, variables, groups, notify: map(program.groups, () => []),
    queues: map(program.queues, () => ({ running: 0, waiting: [] })),
    actors: [], ran: program.bodies.map(() => 0).join(""), out: [], lost: "", trap: "",
  };
  for (const body of program.start) submit(program, state, body, {});
  return state;
}

// Actors: threads, and blocks from their submission to their end

/** Adds a thread, or a block to its queue. A block that is there already has copies: 2, 2.1, ... */
function submit(program, state, body, locals) {
  const { number, queue, group } = program.bodies[body];
  let id = String(number);
  for (let next = 1; state.actors.some(actor => actor.id === id); next += 1) id = `${number}.${next}`;
  if (group) state.groups[group] += 1;
  state.queues[queue]?.waiting.push(id);
  state.actors.push({ id, waits: queue && "queue", frames: [{ body, at: 0, locals, queue, group }] });
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

/** True if the actor has a free place in its queue. */
function canStart(program, state, queue, id) {
  const { running, waiting } = state.queues[queue];
  const { width } = program.queues[queue];
  return width === null || waiting.indexOf(id) < width - running;
}

/** The condition of an actor: ready, waiting, timed or queued. Only ready and timed ones step. */
export function condition(program, state, actor) {
  if (state.trap) return "ended";
  const next = operation(program, actor);
  if (actor.waits === "") return "ready";
  if (actor.waits === "wait") {
    return isFree(state, next.name) ? "ready" : next.isTimed ? "timed" : "waiting";
  }
  const isBlock = actor.waits === "queue";
  if (canStart(program, state, isBlock ? topOf(actor).queue : next.queue, actor.id)) return "ready";
  return isBlock ? "queued" : "waiting";
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
  if (actor.waits === "queue") {
    const { waiting } = state.queues[top.queue];
    waiting.splice(waiting.indexOf(id), 1);
    state.queues[top.queue].running += 1;
    actor.waits = "";
  }
  const next = operation(program, actor);
  top.at += 1;
  const text = effects[next.op]({ program, state, actor, top, locals: top.locals }, next);
  // An actor that begins to wait stays at its line, as does one that traps.
  if (actor.waits || state.trap) top.at -= 1;
  else settle(program, state, actor);
  return { state, note: `${name} ${text}.`, next };
}

/** Ends each body that has no operation left. */
function settle(program, state, actor) {
  while (actor.frames.length) {
    const top = topOf(actor);
    const { code } = program.bodies[top.body];
    while (code[top.at]?.op === "jump") top.at = code[top.at].to;
    if (top.at < code.length) return;
    actor.frames.pop();
    if (top.queue) state.queues[top.queue].running -= 1;
    state.ran = state.ran.slice(0, top.body) + "1" + state.ran.slice(top.body + 1);
    if (!actor.frames.length) state.actors.splice(state.actors.indexOf(actor), 1);
    if (top.group) leave(program, state, top.group);
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
    if (!isConcurrent) {
      const own = state.queues[queue];
      if (actor.frames.some(one => one.queue === queue)) {
        state.trap = `a sync onto ${queue}, by the thread that runs it`;
        return `calls sync onto ${queue}, which its own thread runs: trap`;
      }
      if (actor.waits) own.waiting.splice(own.waiting.indexOf(actor.id), 1);
      else if (own.waiting.length || own.running) {
        own.waiting.push(actor.id);
        actor.waits = "sync";
        return `is blocked in sync until ${queue} has run all that is before its block`;
      }
      own.running += 1;
    }
    actor.waits = "";
    const held = isConcurrent ? "" : queue;
    actor.frames.push({ body, at: 0, locals: { ...locals }, queue: held, group: "" });
    return `runs the block of ${queue} itself, on its own thread`;
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
