// The rows of a timeline: threads and jobs, with the parts of time in which they run, wait, are
// suspended or queued.
//
// The events take the states with them: RunState.swift computes them, for every page and for the
// lines of the program. Here a state begins a part and ends the one before it. A part is on its row
// from the event `first` to the one before `last`. The permits that a job holds are parts beside
// these. Counts that the log does not tell, such as the free permits, have no curve.

const kinds = { Q: "queued", R: "running", W: "waiting", S: "suspended", H: "holding" };
const endings = { acquired: "acquired", timeout: "timed out", cancel: "cancelled" };

export class Rows {
  constructor() {
    this.threads = new Map();
    this.jobs = new Map();
    this.byId = new Map();
    this.marks = [];
    /** The permits of each gate or semaphore, by its label. */
    this.permits = new Map();
    /** The steps of each curve, `[time, value, index]`, by name. */
    this.curves = new Map();
    /** The kinds and endings of parts so far. */
    this.kinds = new Set();
    this.now = 0;
    /** The number of events so far. */
    this.index = 0;
    /** The parts that changed since they were last drawn. */
    this.changed = new Set();
    this.hasNewRows = false;
  }

  get rows() { return [...this.threads.values(), ...this.jobs.values()]; }

  apply(event) {
    if (event.kind !== "event") return;
    this.now = Math.max(this.now, event.t);
    for (const row of event.rows ?? []) this.add(row);
    for (const change of event.set ?? []) this.change(event, ...change);
    if (event.going !== undefined) this.step("in progress", event.t, event.going);
    this.mark(event);
    this.count(event);
    this.index += 1;
  }

  /** Adds a row. A job is known by its name without the letter of its row. */
  add({ id, ...words }) {
    this.hasNewRows = true;
    const isJob = id.startsWith("j");
    const row = { id, kind: isJob ? "job" : "thread", ...words, parts: [], open: null,
                  holds: new Map() };
    this.byId.set(id, row);
    if (isJob) this.jobs.set(id.slice(1), row);
    else if (id === "main") this.threads = new Map([["main", row], ...this.threads]);
    else this.threads.set(row.number, row);
  }

  change(event, id, state, subject) {
    const row = this.byId.get(id);
    if (state === "H") return row.holds.set(subject, this.begin(row, state, event, subject));
    if (state === "-") {
      this.end(row.holds.get(subject), event);
      return row.holds.delete(subject);
    }
    this.end(row.open, event, endings[event.ev]);
    row.open = kinds[state] ? this.begin(row, state, event, subject) : null;
  }

  begin(row, state, event, subject) {
    // A block of the main queue has no row, and the events within it have numbers of their own.
    if (event.ev === "start" && event.q === "main") row.block = event.task;
    const letter = row.kind === "thread" && state === "R"
      ? this.jobs.get(subject)?.number ?? row.block ?? "" : state === "H" ? "" : state;
    const part = { row, job: this.jobs.get(subject), kind: kinds[state], begin: event.t, end: null, subject, letter,
                   first: this.index, last: Infinity };
    // A thread has a row in the picture once it does something.
    this.hasNewRows ||= row.parts.length === 0;
    row.parts.push(part);
    this.kinds.add(part.kind);
    this.changed.add(part);
    return part;
  }

  end(part, event, ending = "done") {
    if (!part) return;
    part.end = Math.max(event.t, part.begin);
    part.last = this.index;
    part.ending = part.kind === "running" ? "done" : ending;
    this.kinds.add(part.ending);
    this.changed.add(part);
  }

  mark({ ev, q, t }) {
    const text = ev === "note" ? q.split(":")[0] : "";
    if (text === "alert" || text === "CANCEL") this.marks.push({ time: t, text });
  }

  // Counts

  /** Counts what an event itself tells. */
  count(event) {
    const { free, waiting } = event.sem ?? {};
    if (event.ev === "permits") this.permits.set(event.q, event.v);
    if (free !== undefined) this.step(event.q + " free", event.t, free);
    if (waiting !== undefined) this.step(event.q + " waiting", event.t, waiting);
    if (event.ev === "enter" || event.ev === "leave") {
      this.step(event.q + " outstanding", event.t, event.v);
    }
  }

  step(name, time, value) {
    if (!this.curves.has(name)) {
      this.curves.set(name, []);
      this.hasNewRows = true;
    }
    const steps = this.curves.get(name);
    if (steps.at(-1)?.[1] !== value) steps.push([time, value, this.index]);
  }
}

/** Returns the name of what a part runs, waits for or is run by. */
export function subjectOf(part) { return part.job?.name ?? part.subject; }

/** Returns the part of a row after the event of an index. */
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

/** The gates and semaphores of which an event has told the permits, after an event. */
export function permitsAt({ permits, curves }, index) {
  return [...permits].map(([name, limit]) => ({ name, limit,
    free: valueAt(curves.get(name + " free") ?? [], index) ?? limit,
    waiting: valueAt(curves.get(name + " waiting") ?? [], index) ?? 0 }));
}
