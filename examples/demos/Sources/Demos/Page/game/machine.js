// The machine of the schedule game: its state is a value, and the learner chooses each step.
//
// DESIGN. The semantics are those of libdispatch. A block of sync runs on its caller's thread; sync
// onto a serial queue that this thread has locked traps, and so do a leave too many and the release
// of a semaphore with fewer permits than at its creation. Where libdispatch promises no order, the
// machine allows each: any waiter can take a permit, and also a thread that comes later. There is
// no time: a step of a thread can take as long as it likes, so a sleep orders nothing, and a wait
// with a time-out can end at any step.

/** Returns the state before the first step. */
export function start(program) {
  const map = (object, value) => Object.fromEntries(Object.keys(object).map(key => [key, value()]));
  const state = {
    semaphores: { ...program.semaphores }, variables: { ...program.variables },
    groups: { ...program.groups }, notify: map(program.groups, () => []),
    queues: map(program.queues, () => ({ running: 0, waiting: [] })),
    actors: [], ran: program.bodies.map(() => 0).join(""), out: [], lost: "", trap: "",
  };
  for (const { body } of program.start) {
    if (program.bodies[body].queue) submit(program, state, body, {});
    else add(state, { id: String(program.bodies[body].number), waits: "", frames: [frame(body, {})] });
  }
  return state;
}

function frame(body, locals, more) {
  return { body, at: 0, locals, queue: "", group: "", ...more };
}

function copy(state) {
  const arrays = object => Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, [...value]]));
  return { ...state, semaphores: { ...state.semaphores }, variables: { ...state.variables },
    groups: { ...state.groups }, notify: arrays(state.notify),
    queues: Object.fromEntries(Object.entries(state.queues).map(([key, queue]) =>
      [key, { running: queue.running, waiting: [...queue.waiting] }])),
    actors: state.actors.map(actor => ({ ...actor,
      frames: actor.frames.map(one => ({ ...one, locals: { ...one.locals } })) })),
    out: [...state.out] };
}

// Actors: threads, and blocks from their submission to their end

function rank(id) {
  const [number, copyNumber = 0] = id.split(".").map(Number);
  return number * 1000 + copyNumber;
}

function add(state, actor) {
  const before = state.actors.findIndex(other => rank(other.id) > rank(actor.id));
  state.actors.splice(before < 0 ? state.actors.length : before, 0, actor);
}

function submit(program, state, body, locals) {
  const { number, queue, group } = program.bodies[body];
  let id = String(number);
  for (let next = 1; state.actors.some(actor => actor.id === id); next += 1) id = `${number}.${next}`;
  if (group) state.groups[group] += 1;
  add(state, { id, waits: "queue", frames: [frame(body, locals, { queue, group: group || "" })] });
  state.queues[queue].waiting.push(id);
}

function bodyOf(program, actor) { return program.bodies[actor.frames[0].body]; }

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
  if (actor.waits === "queue" || actor.waits === "sync") {
    const queue = actor.waits === "queue" ? topOf(actor).queue : next.queue;
    return canStart(program, state, queue, actor.id) ? "ready" : "queued";
  }
  if (actor.waits !== "wait") return "ready";
  return isFree(state, next.name) ? "ready" : next.isTimed ? "timed" : "waiting";
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

/** Returns the state after a step of an actor, and the step in a sentence. */
export function step(program, before, id) {
  const state = copy(before);
  const actor = state.actors.find(one => one.id === id);
  const { name } = bodyOf(program, actor);
  if (actor.waits === "queue") {
    const { queue } = topOf(actor);
    const { waiting } = state.queues[queue];
    waiting.splice(waiting.indexOf(id), 1);
    state.queues[queue].running += 1;
    actor.waits = "";
  }
  const next = operation(program, actor);
  const text = effects[next.op](program, state, actor, next);
  return { state, note: `${name} ${text}.`, line: next.line };
}

/** Goes to the next operation, and ends each body that has none. */
function advance(program, state, actor, to) {
  const top = topOf(actor);
  top.at = to ?? top.at + 1;
  settle(program, state, actor);
}

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

// Values. A local is a list: its value, and the variables that it was loaded from, each with a "!"
// before it once another thread has stored it.

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

function store(program, state, actor, { name, sum }) {
  const { locals } = topOf(actor);
  const origins = loaded(state, locals, sum).slice(1);
  const before = state.variables[name];
  state.variables[name] = total(state, locals, sum);
  delete locals[""];
  const isLost = origins.includes(`!${name}`);
  if (isLost) state.lost = name;
  for (const other of state.actors.filter(one => one !== actor)) {
    for (const one of other.frames) {
      for (const [key, value] of Object.entries(one.locals)) {
        one.locals[key] = value.map(origin => origin === name ? `!${name}` : origin);
      }
    }
  }
  return `stores ${state.variables[name]} in ${name}`
    + (isLost ? `: the ${before} of another thread is lost` : "");
}

const effects = {
  wait(program, state, actor, { name, isTimed }) {
    const isGroup = name in state.groups;
    const { locals } = topOf(actor);
    if (isFree(state, name)) {
      actor.waits = "";
      if (isTimed) locals.timedOut = [0];
      if (!isGroup && state.semaphores[name] === null) return effects.return(program, state, actor,
        `finds no semaphore ${name}, and returns`);
      if (!isGroup) state.semaphores[name] -= 1;
      advance(program, state, actor);
      return isGroup ? `finds ${name} empty, and goes on`
        : `takes a permit of ${name}: ${state.semaphores[name]} left`;
    }
    if (actor.waits !== "wait") {
      actor.waits = "wait";
      return isGroup ? `waits: ${name} is not empty` : `waits: ${name} has no permit`;
    }
    actor.waits = "";
    locals.timedOut = [1];
    advance(program, state, actor);
    return "has waited too long: timedOut" + (isGroup ? "" : ", without a permit");
  },
  signal(program, state, actor, { name }) {
    if (state.semaphores[name] !== null) state.semaphores[name] += 1;
    const count = state.semaphores[name];
    advance(program, state, actor);
    return count === null ? `finds no semaphore ${name}` : `returns a permit to ${name}: ${count} free`;
  },
  release(program, state, actor, { name }) {
    const [has, had] = [state.semaphores[name], program.semaphores[name]];
    if (has !== null && has < had) state.trap = `a release of ${name} with ${has} of ${had} permits`;
    state.semaphores[name] = null;
    advance(program, state, actor);
    return `releases ${name}` + (state.trap ? `, which has ${has} of ${had} permits: trap` : "");
  },
  enter(program, state, actor, { name }) {
    state.groups[name] += 1;
    const count = state.groups[name];
    advance(program, state, actor);
    return `enters ${name}: ${count} inside`;
  },
  leave(program, state, actor, { name }) {
    leave(program, state, name);
    const count = state.groups[name];
    advance(program, state, actor);
    return state.trap ? `leaves ${name}, which is empty: trap` : `leaves ${name}: ${count} inside`;
  },
  async(program, state, actor, { body }) {
    const { name, queue } = program.bodies[body];
    submit(program, state, body, { ...topOf(actor).locals });
    advance(program, state, actor);
    return `submits ${name} to ${queue}`;
  },
  sync(program, state, actor, { queue, body }) {
    const { locals } = topOf(actor);
    const { waiting } = state.queues[queue];
    const { isConcurrent } = program.queues[queue];
    if (!isConcurrent && actor.frames.some(one => one.queue === queue)) {
      state.trap = `sync onto ${queue}, by the thread that runs it`;
      return `calls sync onto ${queue}, which its own thread runs: trap`;
    }
    if (!isConcurrent && actor.waits !== "sync") {
      if (waiting.length || state.queues[queue].running) {
        waiting.push(actor.id);
        actor.waits = "sync";
        return `waits until ${queue} has run what is before its block`;
      }
    } else if (!isConcurrent) waiting.splice(waiting.indexOf(actor.id), 1);
    actor.waits = "";
    if (!isConcurrent) state.queues[queue].running += 1;
    topOf(actor).at += 1;
    actor.frames.push(frame(body, { ...locals }, { queue: isConcurrent ? "" : queue }));
    settle(program, state, actor);
    return `runs its block on ${queue} itself`;
  },
  notify(program, state, actor, { group, body }) {
    const isEmpty = state.groups[group] === 0;
    const locals = { ...topOf(actor).locals };
    if (isEmpty) submit(program, state, body, locals);
    else state.notify[group].push([body, locals]);
    advance(program, state, actor);
    const { name } = program.bodies[body];
    return isEmpty ? `finds ${group} empty: ${name} is submitted at once`
      : `asks ${group} to submit ${name} when it is empty`;
  },
  work(program, state, actor, { text }) {
    advance(program, state, actor);
    return `does its work: ${text}`;
  },
  sleep(program, state, actor) {
    advance(program, state, actor);
    return "sleeps, and wakes";
  },
  load(program, state, actor, { name, sum }) {
    const { locals } = topOf(actor);
    const names = sum.filter(term => term.name in state.variables).map(term => term.name);
    locals[name] = loaded(state, locals, sum);
    const text = names.map(one => `${one}: ${state.variables[one]}`).join(", ");
    advance(program, state, actor);
    return `loads ${text}`;
  },
  set(program, state, actor, { name, sum }) {
    const { locals } = topOf(actor);
    locals[name] = loaded(state, locals, sum);
    const value = locals[name][0];
    advance(program, state, actor);
    return `sets its ${name} to ${value}`;
  },
  store(program, state, actor, next) {
    const text = store(program, state, actor, next);
    advance(program, state, actor);
    return text;
  },
  print(program, state, actor, { items }) {
    const { locals } = topOf(actor);
    const text = items.map(item => typeof item === "string" ? item : total(state, locals, item))
      .join(" ");
    state.out.push(text);
    advance(program, state, actor);
    return `prints ${text}`;
  },
  if(program, state, actor, { test, otherwise }) {
    const isTrue = holds(state, topOf(actor).locals, test);
    advance(program, state, actor, isTrue ? undefined : otherwise);
    return isTrue ? "finds the condition true" : "finds the condition false";
  },
  return(program, state, actor, text = "returns") {
    // A return in a block of sync ends this block alone.
    const top = topOf(actor);
    top.at = program.bodies[top.body].code.length;
    settle(program, state, actor);
    return typeof text === "string" ? text : "returns";
  },
};
