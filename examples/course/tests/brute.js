// Random programs, and all their schedules by a second, simple implementation of the machine.
//
// A thread is a generator that stops before each step and yields the condition for it. A schedule
// is played from the start each time. Nothing of game/machine.js or of the parser is used.

/** A generator of random numbers: mulberry32. */
export function random(seed) {
  let state = seed >>> 0;
  return count => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
}

/** Makes a program: a tree, and its text. */
export function make(seed) {
  const pick = random(seed);
  const one = list => list[pick(list.length)];
  const body = (depth, length, canAwait = true) => {
    const list = [];
    for (let count = 1 + pick(length); count > 0; count -= 1) {
      const kinds = ["wait", "wait", "wait", "signal", "signal", "enter", "leave", "add", "print",
        "work", "release", "waitGroup", "return"];
      if (depth < 2) kinds.push("async", "async", "sync", "sync", "notify", "notify", "if");
      if (depth < 3 && canAwait) kinds.push("await", "await");
      const kind = one(kinds);
      const queue = one(["s", "r", "c", "w", "main"]);
      const group = pick(3) === 0;
      const inner = (awaits = false) => body(depth + 1, 2, awaits);
      const barrier = "cw".includes(queue) && pick(3) === 0;
      if (kind === "wait" || kind === "waitGroup") {
        list.push({ kind, name: one(["p", "z"]), timed: pick(3) === 0 });
      } else if (kind === "signal") list.push({ kind, name: one(["p", "z"]) });
      else if (kind === "release") { if (pick(4) === 0) list.push({ kind, name: "p" }); }
      else if (kind === "return") { if (pick(3) === 0) list.push({ kind }); }
      else if (kind === "async") list.push({ kind, queue, group, barrier, inner: inner() });
      else if (kind === "sync") list.push({ kind, queue, barrier, inner: inner() });
      else if (kind === "await") list.push({ kind, name: one(["a", "b"]), inner: inner(true) });
      else if (kind === "notify") list.push({ kind, queue, inner: inner() });
      else if (kind === "if") list.push({ kind, value: pick(2), inner: inner(canAwait) });
      else list.push({ kind });
    }
    return list.length ? list : [{ kind: "work" }];
  };
  const width = 1 + pick(2);
  const threads = [body(0, 3), body(0, 3)];
  if (pick(2)) threads.push(body(1, 2));
  const isParked = pick(2) === 1;
  const head = ["actor a", "actor b", ...(isParked ? ["dispatch_main"] : []), "queue s serial", "queue r serial", "queue c concurrent",
    `queue w concurrent ${width}`, "semaphore p 1", "semaphore z 0", "group g", "var x = 0"];
  return { threads, width, isParked,
    text: [...head, ...threads.map((list, index) => `thread T${index} {\n${show(list)}}\n`)].join("\n") };
}

function show(list) {
  return list.map(line => {
    const time = line.timed ? " timeout" : "";
    const barrier = line.barrier ? " barrier" : "";
    return { wait: `wait ${line.name}${time}`, waitGroup: `wait g${time}`, add: "x += 1",
      signal: `signal ${line.name}`, release: "release p", enter: "enter g", leave: "leave g",
      print: 'print "x" x',
      work: "work something", return: "return",
      async: () => `async ${line.queue}${barrier}${line.group ? " in g" : ""} {\n${show(line.inner)}}`,
      sync: () => `sync ${line.queue}${barrier} {\n${show(line.inner)}}`,
      await: () => `await ${line.name} {\n${show(line.inner)}}`,
      notify: () => `notify g on ${line.queue} {\n${show(line.inner)}}`,
      if: () => `if x == ${line.value} {\n${show(line.inner)}}`,
    }[line.kind];
  }).map(text => (typeof text === "function" ? text() : text) + "\n").join("");
}

const always = () => true;
/** The access to x of the first step of a line. */
const touchOf = ({ kind }) => (["add", "print", "if"].includes(kind) ? "reads" : "");

class World {
  constructor(program) {
    const queue = (name, width) => ({ name, width, running: 0, callers: 0, barred: false, waiting: [] });
    this.queues = { s: queue("s", 1), r: queue("r", 1), main: queue("main", 1),
      c: queue("c", Infinity), w: queue("w", program.width) };
    this.actors = [];
    Object.assign(this, { p: 1, z: 0, g: 0, x: 0, out: [], pending: [], trap: false, lost: false,
      stores: [], isParked: program.isParked, made: 0, islands: { a: { busy: false }, b: { busy: false } } });
    for (const list of program.threads) this.begin(actor => this.run(actor, list));
  }

  begin(make) {
    const actor = { held: [], touch: "", number: this.made++ };
    actor.steps = make(actor);
    this.actors.push(actor);
    actor.can = actor.steps.next().value;
  }

  submit(line) {
    const queue = this.queues[line.queue];
    if (line.group) this.g += 1;
    this.begin(actor => this.block(actor, queue, line));
  }

  /** True if an entry of a queue, a block or a sync that waits, may begin. */
  mayBegin(queue, entry) {
    const { running, callers, barred, waiting, width } = queue;
    const ahead = waiting.includes(entry) ? waiting.slice(0, waiting.indexOf(entry)) : waiting;
    if ("cw".includes(queue.name)) {
      if (barred || ahead.some(one => one.isBarrier)) return false;
      if (entry.isBarrier) return !running && !callers && !ahead.length;
      if (!entry.isBlock) return true;
      return running + ahead.filter(one => one.isBlock).length < width;
    }
    return !running && !ahead.length;
  }

  enter(actor, queue, entry) {
    queue.waiting = queue.waiting.filter(other => other !== entry);
    const isSerial = "sr".includes(queue.name) || queue.name === "main";
    queue[entry.isBlock || isSerial ? "running" : "callers"] += 1;
    if (entry.isBarrier) queue.barred = true;
    if (isSerial || entry.isBarrier) actor.held.push(queue);
  }

  exit(actor, queue, entry) {
    const isSerial = "sr".includes(queue.name) || queue.name === "main";
    queue[entry.isBlock || isSerial ? "running" : "callers"] -= 1;
    if (entry.isBarrier) queue.barred = false;
    if (isSerial || entry.isBarrier) actor.held.pop();
  }

  * block(actor, queue, line) {
    const entry = { isBlock: true, isBarrier: Boolean(line.barrier) };
    queue.waiting.push(entry);
    actor.touch = touchOf(line.inner[0]);
    yield () => this.mayBegin(queue, entry);
    this.enter(actor, queue, entry);
    actor.isFresh = true;
    yield* this.run(actor, line.inner);
    this.exit(actor, queue, entry);
    if (line.group) this.leave();
    // The caller of a sync onto main goes on without a step of its own.
    if (line.caller) this.step(line.caller);
  }

  leave() {
    if (this.g === 0) {
      this.trap = true;
      return;
    }
    this.g -= 1;
    if (this.g === 0) for (const line of this.pending.splice(0)) this.submit(line);
  }

  * run(actor, list) {
    for (const line of list) {
      actor.touch = touchOf(line);
      const { back } = actor;
      // The step that starts a block is that of its first line.
      if (actor.isFresh) actor.isFresh = false;
      else if (back) {
        yield () => !back.busy;
        back.busy = true;
        actor.back = null;
      } else yield always;
      actor.touch = "";
      if (yield* this.one(actor, line)) return true;
    }
    return false;
  }

  * hop(actor, island, line) {
    const from = actor.island;
    if (from) from.busy = false;
    if (island.busy) yield () => !island.busy;
    island.busy = true;
    actor.island = island;
    yield* this.run(actor, line.inner);
    actor.island = from;
    // Without a gap, unless the last line inside has left already.
    if (from === island) return;
    if (actor.back === island) actor.back = null;
    else island.busy = false;
    actor.back = from ?? null;
  }

  * one(actor, line) {
    const { kind } = line;
    if (kind === "wait" || kind === "waitGroup") {
      const isFree = () => (kind === "wait" ? this[line.name] !== 0 : this.g === 0);
      if (!isFree()) yield () => line.timed || isFree();
      if (kind === "wait" && this[line.name] === null) this.trap = true;
      else if (kind === "wait" && isFree()) this[line.name] -= 1;
    } else if (kind === "signal") {
      if (this[line.name] === null) this.trap = true;
      else this[line.name] += 1;
    } else if (kind === "release") {
      if (this.p === 0 || this.p === null) this.trap = true;
      this.p = null;
    } else if (kind === "enter") this.g += 1;
    else if (kind === "leave") this.leave();
    else if (kind === "print") this.out.push(`x ${this.x}`);
    else if (kind === "add") {
      const found = [this.x, this.stores.length];
      actor.touch = "writes";
      yield always;
      actor.touch = "";
      this.store(actor, found, 1);
    } else if (kind === "async") this.submit(line);
    else if (kind === "notify") {
      if (this.g === 0) this.submit(line);
      else this.pending.push(line);
    } else if (kind === "if") {
      return this.x === line.value && (yield* this.run(actor, line.inner));
    } else if (kind === "await") yield* this.hop(actor, this.islands[line.name], line);
    else if (kind === "sync") yield* this.sync(actor, this.queues[line.queue], line);
    return kind === "return";
  }

  * sync(actor, queue, line) {
    if (actor.held.includes(queue)) {
      this.trap = true;
      yield always;
    }
    if (queue.name === "main" && !this.isParked) {
      this.submit({ queue: "main", inner: line.inner, caller: actor });
      yield () => false;
      return;
    }
    const entry = { isBlock: false, isBarrier: Boolean(line.barrier) };
    if (!this.mayBegin(queue, entry)) {
      queue.waiting.push(entry);
      yield () => this.mayBegin(queue, entry);
    }
    this.enter(actor, queue, entry);
    yield* this.run(actor, line.inner);
    this.exit(actor, queue, entry);
  }

  store(actor, [value, since], more) {
    if (this.stores.slice(since).some(other => other !== actor)) this.lost = true;
    this.stores.push(actor);
    this.x = value + more;
  }

  get ready() { return this.trap ? [] : this.actors.filter(actor => actor.can()); }

  step(actor) {
    const { value, done } = actor.steps.next();
    if (done) this.actors = this.actors.filter(other => other !== actor);
    else actor.can = value;
  }

  get end() {
    return this.trap ? "trap" : this.actors.length ? "deadlock" : this.pending.length ? "silent" : "end";
  }
}

/** Two accesses race if the second can follow at once, and one of them writes. */
function races(world, play) {
  return world.ready.some((one, index) => one.touch && world.ready.some(other => {
    if (other === one || !other.touch || one.touch + other.touch === "readsreads") return false;
    const after = play();
    after.step(after.ready[index]);
    return after.ready.some(actor => actor.number === other.number && actor.touch === other.touch);
  }));
}

/**
 * All ends of a program with the number of their schedules, and whether a schedule has a data race;
 * null if there are too many.
 */
export function ends(program, most) {
  const found = new Map();
  let [schedules, isRacy] = [0, false];
  const visit = path => {
    const play = () => {
      const world = new World(program);
      for (const index of path) world.step(world.ready[index]);
      return world;
    };
    const world = play();
    const count = world.ready.length;
    isRacy ||= races(world, play);
    if (count === 0) {
      schedules += 1;
      const key = JSON.stringify([world.end, world.out, world.x, world.p, world.z, world.lost]);
      found.set(key, (found.get(key) || 0) + 1);
    }
    for (let index = 0; index < count && schedules <= most; index += 1) visit([...path, index]);
  };
  visit([]);
  return schedules > most ? null : { schedules, found, isRacy };
}
