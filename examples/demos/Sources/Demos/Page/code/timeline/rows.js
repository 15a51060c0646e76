// The rows of a timeline: threads and jobs, with the parts in which they run, wait or are queued.
//
// A job is queued from its submit to its start, and runs from its start to its end. A wait is a
// part of its thread and of the job that runs there, drawn over the running part. A wait in lane 1
// blocks no thread: it is a part of the job that the event names (`by`), or of the job of its label
// and number; else it has a row of its own. A job holds permits from acquired to signal, and until
// its end at the latest. The main queue has a row beside the threads, since any thread of the pool
// may run its blocks; events of the main thread (`main`) are in that row.
//
// A Swift task holds no thread from its suspend to its resume. In a log without these events a job
// that ends on another thread, or begins where one of its kind is open, is taken for such a task,
// and its thread only shows where it began.
//
// The notes "main" and "name TEXT" name the thread, or with a number the jobs of that number.
// A thread also waits between the notes of a group's wait, and in `sync` for a busy queue: from the
// submit of the block to its start, if the block runs within the block that submitted it. Counts that the log does not tell, such as
// the free permits, have no curve.

const groupWaitEnds = ["group is empty", "group wait timed out"];
/** The ns of the demo between submit and start that are no wait: `sync` on a free queue. */
const briefly = 5e6;

export class Rows {
  constructor() {
    this.threads = new Map();
    this.jobs = new Map();
    /** The rows with a wait that blocks no thread, by the name and number of the wait. */
    this.waits = new Map();
    this.marks = [];
    /** The permits of each gate or semaphore, and the group of the jobs that use it, by its label. */
    this.permits = new Map();
    /** The steps of each curve, `[time, value, index]`, by name. */
    this.curves = new Map();
    this.names = new Map();
    /** The objects of each label, by their numbers. */
    this.objects = new Map();
    /** The kinds and endings of parts so far. */
    this.kinds = new Set();
    this.now = 0;
    /** The number of events so far. */
    this.index = 0;
    this.running = 0;
    /** The parts that changed since they were last drawn. */
    this.changed = new Set();
    /** The labels of Swift tasks. */
    this.suspending = new Set();
    this.hasNewRows = false;
  }

  get rows() { return [...this.threads.values(), ...this.jobs.values()]; }

  apply(event) {
    if (event.kind !== "event") return;
    const time = event.t;
    this.now = Math.max(this.now, time);
    const thread = event.main ? this.mainQueue() : this.thread(event.thr);
    const { submitted } = thread;
    thread.submitted = null;
    const handler = this["on_" + event.ev];
    if (handler) handler.call(this, event, thread, time, submitted);
    this.count(event, time);
    this.index += 1;
  }

  // Rows

  thread(number) {
    let row = this.threads.get(number);
    if (!row) {
      row = { id: "t" + number, kind: "thread", group: "threads", name: "thread " + number, number,
              parts: [], stack: [], wait: null };
      this.threads.set(number, row);
      this.hasNewRows = true;
    }
    return row;
  }

  /**
   * The name of an object: its label, with a number from the second of that label on. The main
   * queue is one, although each part of a program may have an object for it.
   */
  objectName({ q, obj }) {
    if (q === "main") return q;
    if (!this.objects.has(q)) this.objects.set(q, []);
    const known = this.objects.get(q);
    if (!known.includes(obj)) known.push(obj);
    const place = known.indexOf(obj);
    return place ? `${q} #${place + 1}` : q;
  }

  /** The row of an event's job; none if there is none. */
  known(event) { return this.jobs.get(this.objectName(event) + " " + event.task); }

  /** The row of a job of an object. */
  job(object, number) {
    if (object === "main") return this.mainQueue();
    const key = object + " " + number;
    let row = this.jobs.get(key);
    if (!row) {
      const group = object.replace(/^com\.apple\.(root\.)?/, "");
      const name = this.names.get(number) ?? `${group} ${number}`;
      row = { id: "j" + key, kind: "job", group, name, number, parts: [], open: null,
              queued: null, wait: null, rest: null, holds: new Map() };
      this.jobs.set(key, row);
      this.hasNewRows = true;
    }
    return row;
  }

  /** The row of the main queue, which comes first. */
  mainQueue() {
    let row = this.threads.get("main");
    if (!row) {
      row = { id: "main", kind: "thread", group: "main", name: "main", parts: [],
              stack: [], queued: true, wait: null };
      this.threads = new Map([["main", row], ...this.threads]);
      this.hasNewRows = true;
    }
    return row;
  }

  begin(row, kind, time, subject, letter) {
    const part = { row, kind, begin: time, end: null, subject, letter, first: this.index,
                   last: Infinity };
    // A thread has a row in the picture once it does something.
    this.hasNewRows ||= row.parts.length === 0;
    row.parts.push(part);
    this.kinds.add(kind);
    this.changed.add(part);
    return part;
  }

  end(part, time, ending) {
    if (!part || part.end !== null) return;
    part.end = Math.max(time, part.begin);
    part.last = this.index;
    part.ending = ending || "done";
    this.kinds.add(part.ending);
    this.changed.add(part);
  }

  // Events

  on_submit(event, thread, time) {
    const row = this.job(this.objectName(event), event.task);
    if (row && !row.queued && !row.open) row.queued = this.begin(row, "queued", time, event.q, "Q");
    thread.submitted = { row, time, index: this.index };
  }

  on_start(event, thread, time, submitted) {
    const object = this.objectName(event);
    const row = this.job(object, event.task);
    if (thread.stack.length && submitted?.row === row && time - submitted.time > briefly) {
      for (const waiting of new Set([thread, this.waiting(thread)])) {
        const part = this.begin(waiting, "waiting", submitted.time, event.q, "W");
        part.first = submitted.index;
        this.end(part, time, "acquired");
      }
    }
    const key = object + " " + event.task;
    const subject = object === "main" ? "main" : key;
    const part = this.begin(thread, "running", time, subject, event.task);
    const isNested = thread.stack.some(frame => frame.label === event.q);
    thread.stack.push({ part, row, label: event.q, key });
    if (isNested && event.q !== "main") this.suspend(event.q);
    if (this.suspending.has(event.q)) this.leaveThread(part);
    if (row && row.kind === "job") {
      this.end(row.queued, time);
      this.end(row.wait, time);
      row.queued = row.wait = null;
    }
    if (row && row !== thread) row.open = this.begin(row, "running", time, thread.name, "R");
    this.countRunning(event, time, 1);
  }

  on_end(event, thread, time) {
    const key = this.objectName(event) + " " + event.task;
    for (const other of [thread, ...this.threads.values()]) {
      const index = other.stack.findIndex(frame => frame.key === key);
      if (index < 0) continue;
      const [frame] = other.stack.splice(index, 1);
      if (other !== thread && event.q !== "main") this.suspend(event.q);
      this.end(frame.part, time);
      break;
    }
    const row = event.q === "main" && event.task !== null ? this.mainQueue() : this.jobs.get(key);
    if (row) {
      for (const part of [row.open, row.rest, ...row.holds?.values() ?? []]) this.end(part, time);
      row.holds?.clear();
      row.open = row.rest = null;
    }
    this.countRunning(event, time, -1);
  }

  on_suspend(event, thread, time) {
    const row = this.known(event);
    this.leave(row, time);
    if (row) row.rest = this.begin(row, "suspended", time, event.q, "S");
  }

  on_resume(event, thread, time) {
    const key = this.objectName(event) + " " + event.task;
    const row = this.jobs.get(key);
    if (!row?.open) return;
    this.leave(row, time);
    this.end(row.rest, time);
    row.rest = null;
    const part = this.begin(thread, "running", time, key, event.task);
    thread.stack.push({ part, row, label: event.q, key });
  }

  on_wait(event, thread, time) {
    if (event.lane === 1) {
      const row = this.jobOf(event.by) || this.known(event)
        || this.job(event.q + " wait", event.task);
      this.end(row.queued, time);
      row.queued = null;
      row.wait = this.begin(row, "waiting", time, event.q, "W");
      if (event.by) this.leave(row, time);
      this.waits.set(event.q + " " + event.task, row);
      return;
    }
    const inner = this.waiting(thread);
    thread.wait = [this.begin(thread, "waiting", time, event.q, "W")];
    if (inner) thread.wait.push(this.begin(inner, "waiting", time, event.q, "W"));
  }

  on_permits(event) { this.permits.set(event.q, { limit: event.v, group: null }); }

  on_acquired(event, thread, time) {
    this.endWait(event, thread, time, "acquired");
    const row = this.jobOf(event.by);
    const permits = this.permits.get(event.q);
    if (permits) permits.group = (row ?? this.waiting(thread))?.group ?? permits.group;
    if (row && !row.holds.has(event.q)) {
      row.holds.set(event.q, this.begin(row, "holding", time, event.q, ""));
    }
  }

  on_signal(event, thread, time) {
    const row = this.jobOf(event.by);
    this.end(row?.holds.get(event.q), time);
    row?.holds.delete(event.q);
  }

  on_timeout(event, thread, time) { this.endWait(event, thread, time, "timed out"); }

  on_cancel(event, thread, time) {
    this.endWait(event, thread, time, "cancelled");
    const row = this.known(event);
    if (row && row.queued) {
      this.end(row.queued, time, "cancelled");
      row.queued = null;
    }
  }

  on_note(event, thread, time) {
    const mark = event.q.split(":")[0];
    if (mark === "alert" || mark === "CANCEL") this.marks.push({ time, text: mark });
    if (event.q === "group wait") this.on_wait({ ...event, q: "the group" }, thread, time);
    if (groupWaitEnds.includes(event.q)) this.endThreadWait(thread, time);
    if (event.q === "main") this.rename(thread, `thread ${thread.number}, main`);
    if (!event.q.startsWith("name ")) return;
    const name = event.q.slice(5);
    if (!event.task) return this.rename(thread, name);
    this.names.set(event.task, name);
    for (const row of this.jobs.values()) if (row.number === event.task) this.rename(row, name);
  }

  // Parts of events

  rename(row, name) {
    row.name = name;
    this.hasNewRows = true;
  }

  /** Takes the jobs of a label for Swift tasks. */
  suspend(label) {
    if (this.suspending.has(label)) return;
    this.suspending.add(label);
    for (const thread of this.threads.values()) {
      for (const part of thread.parts) {
        if (part.kind === "running" && part.subject.startsWith(label + " ")) this.leaveThread(part);
      }
    }
  }

  leaveThread(part) {
    part.end = part.begin;
    part.last = part.first;
    part.ending = "done";
    this.changed.add(part);
  }

  /** The row of the job that an event names as its own. */
  jobOf(by) { return by && this.known(by); }

  /** Ends the part of a job on its thread, which goes on without it. */
  leave(row, time) {
    for (const thread of row ? this.threads.values() : []) {
      const index = thread.stack.findIndex(frame => frame.row === row);
      if (index >= 0) this.end(thread.stack.splice(index, 1)[0].part, time);
    }
  }

  waiting(thread) {
    const frame = thread.stack[thread.stack.length - 1];
    return frame ? frame.row : null;
  }

  endWait(event, thread, time, ending) {
    const key = event.q + " " + event.task;
    const row = this.waits.get(key);
    if (row) {
      this.end(row.wait, time, ending);
      row.wait = null;
      this.waits.delete(key);
      return;
    }
    this.endThreadWait(thread, time, ending);
  }

  endThreadWait(thread, time, ending) {
    for (const part of thread.wait || []) this.end(part, time, ending);
    thread.wait = null;
  }

  // Counts

  countRunning(event, time, change) {
    if (event.q === "main") return;
    this.running = Math.max(0, this.running + change);
    this.step("in progress", time, this.running);
  }

  /** Counts what an event itself tells. */
  count(event, time) {
    const free = event.free ?? event.sem?.free;
    const waiting = event.waiting ?? event.sem?.waiting;
    if (free !== undefined) this.step(event.q + " free", time, free);
    if (waiting !== undefined) this.step(event.q + " waiting", time, waiting);
    if (event.ev === "enter" || event.ev === "leave") {
      this.step(event.q + " outstanding", time, event.v);
    }
  }

  step(name, time, value) {
    if (!this.curves.has(name)) {
      this.curves.set(name, []);
      this.hasNewRows = true;
    }
    this.curves.get(name).push([time, value, this.index]);
  }
}

/** Returns the part of a row after the event of an index; one on top of others comes last. */
export function partAt(row, index) {
  return row.parts.findLast(part => part.first <= index && index < part.last
    && part.kind !== "holding");
}

/** Returns the value of a curve after the event of an index; null before its first step. */
export function valueAt(steps, index) {
  return steps.findLast(step => step[2] <= index)?.[1] ?? null;
}

/**
 * Returns the largest value that a curve has for longer than a moment: in simulated time the events
 * of one moment are a nanosecond apart.
 */
export function peakOf(steps, end) {
  const moment = Math.min(1e4, end / 1e5);
  return steps.reduce((most, [time, value], place) =>
    (steps[place + 1]?.[0] ?? Infinity) - time > moment ? Math.max(most, value) : most, 0);
}
