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
  const body = (depth, length) => {
    const list = [];
    for (let count = 1 + pick(length); count > 0; count -= 1) {
      const kinds = ["wait", "wait", "wait", "signal", "signal", "enter", "leave", "add", "print",
        "work", "release", "waitGroup", "return"];
      if (depth < 2) kinds.push("async", "async", "sync", "sync", "notify", "notify", "if");
      const kind = one(kinds);
      const queue = one(["s", "r", "c", "w", "main"]);
      const group = pick(3) === 0;
      const inner = () => body(depth + 1, 2);
      if (kind === "wait" || kind === "waitGroup") {
        list.push({ kind, name: one(["p", "z"]), timed: pick(3) === 0 });
      } else if (kind === "signal") list.push({ kind, name: one(["p", "z"]) });
      else if (kind === "release") { if (pick(4) === 0) list.push({ kind, name: "p" }); }
      else if (kind === "return") { if (pick(3) === 0) list.push({ kind }); }
      else if (kind === "async") list.push({ kind, queue, group, inner: inner() });
      else if (kind === "sync") list.push({ kind, queue, inner: inner() });
      else if (kind === "notify") list.push({ kind, queue, inner: inner() });
      else if (kind === "if") list.push({ kind, value: pick(2), inner: inner() });
      else list.push({ kind });
    }
    return list.length ? list : [{ kind: "work" }];
  };
  const width = 1 + pick(2);
  const threads = [body(0, 3), body(0, 3)];
  if (pick(2)) threads.push(body(1, 2));
  const head = ["queue s serial", "queue r serial", "queue c concurrent",
    `queue w concurrent ${width}`, "semaphore p 1", "semaphore z 0", "group g", "var x = 0"];
  return { threads, width,
    text: [...head, ...threads.map((list, index) => `thread T${index} {\n${show(list)}}\n`)].join("\n") };
}

function show(list) {
  return list.map(line => {
    const time = line.timed ? " timeout" : "";
    return { wait: `wait ${line.name}${time}`, waitGroup: `wait g${time}`, add: "x += 1",
      signal: `signal ${line.name}`, release: "release p", enter: "enter g", leave: "leave g",
      print: 'print "x" x',
      work: "work something", return: "return",
      async: () => `async ${line.queue}${line.group ? " in g" : ""} {\n${show(line.inner)}}`,
      sync: () => `sync ${line.queue} {\n${show(line.inner)}}`,
      notify: () => `notify g on ${line.queue} {\n${show(line.inner)}}`,
      if: () => `if x == ${line.value} {\n${show(line.inner)}}`,
    }[line.kind];
  }).map(text => (typeof text === "function" ? text() : text) + "\n").join("");
}

const always = () => true;

class World {
  constructor(program) {
    const queue = width => ({ width, running: 0, waiting: [] });
    this.queues = { s: queue(1), r: queue(1), main: queue(1), c: queue(Infinity),
      w: queue(program.width) };
    Object.assign(this, { p: 1, z: 0, g: 0, x: 0, out: [], pending: [], actors: [], trap: false,
      lost: false, stores: [] });
    for (const list of program.threads) {
      const actor = { held: [] };
      this.begin(actor, this.run(actor, list));
    }
  }

  begin(actor, steps) {
    actor.steps = steps;
    actor.can = steps.next().value;
    this.actors.push(actor);
  }

  submit(line) {
    const actor = { held: [] };
    const queue = this.queues[line.queue];
    if (line.group) this.g += 1;
    queue.waiting.push(actor);
    this.begin(actor, this.block(actor, queue, line));
  }

  * block(actor, queue, line) {
    yield () => queue.waiting.indexOf(actor) < queue.width - queue.running;
    queue.waiting = queue.waiting.filter(other => other !== actor);
    queue.running += 1;
    actor.held.push(queue);
    actor.isFresh = true;
    yield* this.run(actor, line.inner);
    queue.running -= 1;
    if (line.group) this.leave();
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
      // The step that starts a block is that of its first line.
      if (actor.isFresh) actor.isFresh = false;
      else yield always;
      if (yield* this.one(actor, line)) return true;
    }
    return false;
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
      yield always;
      this.store(actor, found, 1);
    } else if (kind === "async") this.submit(line);
    else if (kind === "notify") {
      if (this.g === 0) this.submit(line);
      else this.pending.push(line);
    } else if (kind === "if") {
      return this.x === line.value && (yield* this.run(actor, line.inner));
    } else if (kind === "sync") yield* this.sync(actor, this.queues[line.queue], line);
    return kind === "return";
  }

  * sync(actor, queue, line) {
    const isSerial = queue.width === 1 && queue !== this.queues.w;
    if (isSerial && actor.held.includes(queue)) {
      this.trap = true;
      yield always;
    }
    if (isSerial) {
      if (queue.running || queue.waiting.length) {
        queue.waiting.push(actor);
        yield () => queue.waiting[0] === actor && !queue.running;
        queue.waiting.shift();
      }
      queue.running += 1;
      actor.held.push(queue);
    }
    yield* this.run(actor, line.inner);
    if (isSerial) {
      queue.running -= 1;
      actor.held.pop();
    }
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

/** All ends of a program with the number of their schedules; null if there are too many. */
export function ends(program, most) {
  const found = new Map();
  let schedules = 0;
  const visit = path => {
    const world = new World(program);
    for (const index of path) world.step(world.ready[index]);
    const count = world.ready.length;
    if (count === 0) {
      schedules += 1;
      const key = JSON.stringify([world.end, world.out, world.x, world.p, world.z, world.lost]);
      found.set(key, (found.get(key) || 0) + 1);
    }
    for (let index = 0; index < count && schedules <= most; index += 1) visit([...path, index]);
  };
  visit([]);
  return schedules > most ? null : { schedules, found };
}
