// The rows of a timeline: threads and jobs, with the parts in which they run, wait or are queued.
//
// A job is queued from its submit to its start, and runs from its start to its end. A wait is a
// part of its thread and of the job that runs there, drawn over the running part. A wait in lane 1
// blocks no thread: it is a part of its own job, or has a row of its own. The main queue has a row
// beside the threads, since any thread of the pool may run its blocks. A Swift task holds no thread
// while it is suspended: a job that ends on another thread, or begins where one of its kind is
// open, is taken for such a task, and its thread only shows where it began.

const mostRows = 64;

export class Rows {
  constructor() {
    this.threads = new Map();
    this.jobs = new Map();
    /** The rows with a wait that blocks no thread, by the name and number of the wait. */
    this.waits = new Map();
    this.marks = [];
    this.counts = [];
    this.now = 0;
    this.hidden = 0;
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
    const thread = this.thread(event.thr, event.row);
    const handler = this["on_" + event.ev];
    if (handler) handler.call(this, event, thread, time);
  }

  // Rows

  /** The row of a thread. Events that a view made may name it. */
  thread(number, name) {
    let row = this.threads.get(number);
    if (!row) {
      row = { id: "t" + number, kind: "thread", name: name || "thread " + number, number, parts: [],
              stack: [], wait: null };
      this.threads.set(number, row);
      this.hasNewRows = true;
    }
    return row;
  }

  /** The row of a job; none for an event of a view whose task is null. */
  job(label, number) {
    if (number === null) return null;
    if (label === "main") return this.mainQueue();
    const key = label + " " + number;
    let row = this.jobs.get(key);
    if (!row) {
      if (this.jobs.size >= mostRows) {
        this.hidden += 1;
        return null;
      }
      row = { id: "j" + key, kind: "job", name: key.replace(/^com\.apple\.(root\.)?/, ""), number,
              parts: [], open: null, queued: null };
      this.jobs.set(key, row);
      this.hasNewRows = true;
    }
    return row;
  }

  /** The row of the main queue, which comes first. */
  mainQueue() {
    let row = this.threads.get("main");
    if (!row) {
      row = { id: "main", kind: "thread", name: "main queue", parts: [], stack: [], queued: true };
      this.threads = new Map([["main", row], ...this.threads]);
      this.hasNewRows = true;
    }
    return row;
  }

  begin(row, kind, time, subject, letter) {
    const part = { row, kind, begin: time, end: null, subject, letter };
    row.parts.push(part);
    this.changed.add(part);
    return part;
  }

  end(part, time, ending) {
    if (!part || part.end !== null) return;
    part.end = Math.max(time, part.begin);
    part.ending = ending || "done";
    this.changed.add(part);
  }

  // Events

  on_submit(event, thread, time) {
    const row = this.job(event.q, event.task);
    if (row && !row.queued && !row.open) row.queued = this.begin(row, "queued", time, event.q, "Q");
  }

  on_start(event, thread, time) {
    const row = this.job(event.q, event.task);
    const subject = event.q === "main" ? "main" : event.q + " " + event.task;
    const part = this.begin(thread, "running", time, subject, event.task);
    const isNested = thread.stack.some(frame => frame.label === event.q);
    thread.stack.push({ part, row, label: event.q, key: event.q + " " + event.task });
    if (isNested && event.q !== "main") this.suspend(event.q);
    if (this.suspending.has(event.q)) this.leaveThread(part);
    if (row && row.kind === "job") {
      this.end(row.queued, time);
      row.queued = null;
    }
    if (row) row.open = this.begin(row, "running", time, thread.name, "R");
    this.countRunning(event, time, 1);
  }

  on_end(event, thread, time) {
    const key = event.q + " " + event.task;
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
      this.end(row.open, time);
      row.open = null;
    }
    this.countRunning(event, time, -1);
  }

  on_wait(event, thread, time) {
    if (event.lane === 1) {
      const row = this.jobs.get(event.q + " " + event.task)
        || this.job(event.q + " wait", event.task);
      if (row) {
        row.wait = this.begin(row, "waiting", time, event.q, "W");
        this.waits.set(event.q + " " + event.task, row);
      }
      return;
    }
    const inner = this.waiting(thread);
    thread.wait = [this.begin(thread, "waiting", time, event.q, "W")];
    if (inner) thread.wait.push(this.begin(inner, "waiting", time, event.q, "W"));
  }

  on_acquired(event, thread, time) { this.endWait(event, thread, time, "acquired"); }
  on_timeout(event, thread, time) { this.endWait(event, thread, time, "timed out"); }

  on_cancel(event, thread, time) {
    this.endWait(event, thread, time, "cancelled");
    const row = this.jobs.get(event.q + " " + event.task);
    if (row && row.queued) {
      this.end(row.queued, time, "cancelled");
      row.queued = null;
    }
  }

  on_note(event, thread, time) {
    const mark = event.q.split(":")[0];
    if (mark === "alert" || mark === "CANCEL") this.marks.push({ time, text: mark });
  }

  // Parts of events

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
    part.ending = "done";
    this.changed.add(part);
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
    for (const part of thread.wait || []) this.end(part, time, ending);
    thread.wait = null;
  }

  countRunning(event, time, change) {
    if (event.q === "main") return;
    this.running = Math.max(0, this.running + change);
    this.counts.push([time, this.running]);
  }
}
