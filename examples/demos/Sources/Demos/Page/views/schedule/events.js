// The events of a schedule for the timeline. A step takes one second.
//
// The blocks of the main queue are jobs of one thread. A job that waits goes on when it steps
// again; one that nobody steps any more waits until the right edge.
import { follow } from "./level.js";

const step = 1e9;

export function events(level, path) {
  const jobs = level.threads.map(jobOf);
  const { states } = follow(level, path);
  const waiting = new Set();
  const list = [];
  const add = (time, name, job, more) => {
    list.push({ kind: "event", t: time, ev: name, thr: job.thr, row: job.row, q: job.label,
      task: job.number, v: 0, ...more });
  };
  const submit = (time, before, after) => after.conditions.forEach((condition, index) => {
    const wasKnown = before && before.conditions[index] !== "unsubmitted";
    if (condition !== "unsubmitted" && !wasKnown) add(time, "submit", jobs[index]);
  });
  submit(0, null, states[0]);
  path.forEach((thread, index) => {
    const [before, after] = [states[index], states[index + 1]];
    const job = jobs[thread];
    const begin = index * step;
    const isTimed = before.conditions[thread] === "timed";
    if (!waiting.delete(thread)) add(begin, "start", job);
    else add(begin, isTimed ? "timeout" : "acquired", job, { q: "permits", task: undefined });
    const code = level.threads[thread].lines[before.positions[thread]].replace(/\s*\/\/.*/, "");
    add(begin, "note", job, { q: code, v: thread + 1 });
    if (after.positions[thread] === before.positions[thread]) {
      waiting.add(thread);
      add(begin + step / 5, "wait", job, { q: "permits", task: undefined });
      add(begin + step, "note", job, { q: "blocked" });
    } else {
      add(begin + step, "end", job);
    }
    submit(begin + step, before, after);
  });
  return list;
}

/** Returns the path that the events up to some moment tell. */
export function stepOf(event) {
  return event.kind === "event" && event.ev === "note" && event.v > 0 ? event.v - 1 : null;
}

function jobOf(thread, index, threads) {
  const isOnMain = thread.name.startsWith("Main queue");
  const others = threads.slice(0, index).filter(one => !one.name.startsWith("Main queue"));
  const hasMain = threads.some(one => one.name.startsWith("Main queue"));
  const [, label, digits] = /^(?:.*: )?(.*?)(?: (\d+))?$/.exec(thread.name);
  const thr = isOnMain ? 1 : others.length + (hasMain ? 2 : 1);
  const row = isOnMain ? "main queue" : `thread ${thr}`;
  return { label, number: Number(digits) || index + 1, thr, row };
}
