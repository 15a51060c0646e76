// The timeline's rows, statistics and words. PageTests.swift puts the page's modules before this
// file, and runs both with node; `runs` are logs of jobs at a gate, `any` logs of no sense.

const assert = require("node:assert");
const { Rows, partAt, peakOf, valueAt } = modules["code/timeline/rows.js"];
const { statistics } = modules["code/timeline/statistics.js"];
const { Timeline, gridStep } = modules["code/timeline/timeline.js"];
const { isCodeOf } = modules["code/listings.js"];
const { answer, clean, moment, noteWords, typedNumber } = modules["code/words.js"];

function rowsOf(events) {
  const rows = new Rows();
  for (const event of events) rows.apply({ kind: "event", ...event });
  return rows;
}

/* An event from words: time, kind, thread, label, task, and more members. */
const event = (t, ev, thr, q, task, more) => ({ t, ev, thr, q, task, v: 1, ...more });
const parts = row => row.parts.map(part => [part.kind, part.begin, part.end]);
const job = (rows, name) => [...rows.jobs.values()].find(row => row.name === name);

const tests = {
  "the grid of a run of any length has few lines"() {
    for (let seconds = 1e-9; seconds < 1e300; seconds *= 7) {
      assert.ok(seconds / gridStep(seconds, 9) <= 9, `${seconds} s`);
    }
    assert.equal(gridStep(1, 9), 0.2);
  },

  "a wait of a running job is drawn over both"() {
    const rows = rowsOf([event(0, "submit", 1, "jobs", 1), event(1, "start", 2, "jobs", 1),
      event(2, "wait", 2, "gate", 9), event(5, "timeout", 2, "gate", 9),
      event(7, "end", 2, "jobs", 1)]);
    assert.deepEqual(parts(job(rows, "jobs 1")),
      [["queued", 0, 1], ["running", 1, 7], ["waiting", 2, 5]]);
    assert.equal(job(rows, "jobs 1").parts[2].ending, "timed out");
    assert.ok(rows.kinds.has("timed out") && !rows.kinds.has("cancelled"));
    assert.deepEqual(parts(rows.threads.get(2)), [["running", 1, 7], ["waiting", 2, 5]]);
  },

  "tasks at a gate have one row each: they wait, and hold permits while they run"() {
    const rows = rowsOf([
      event(0, "submit", 1, "task", 1), event(0, "acquired", 1, "gate"),
      event(0, "start", 1, "task", 1),
      event(1, "submit", 1, "task", 2), event(1, "note", 1, "WAITS", 2),
      event(1, "wait", 1, "gate", 7, { lane: 1, by: { q: "task", task: 2 } }), event(5, "end", 1, "task", 1),
      event(5, "acquired", 2, "gate", 7), event(5, "start", 2, "task", 2),
      event(9, "end", 2, "task", 2)]);
    assert.deepEqual([...rows.jobs.keys()], ["task 1", "task 2"]);
    assert.deepEqual(parts(job(rows, "task 1")), [["queued", 0, 0], ["running", 0, 5]]);
    assert.deepEqual(parts(job(rows, "task 2")),
      [["queued", 1, 1], ["waiting", 1, 5], ["running", 5, 9]]);
  },

  "a task that the events name is suspended, waits and holds without a thread"() {
    const by = { q: "task", task: 1 };
    const rows = rowsOf([event(0, "start", 1, "task", 1),
      event(1, "wait", 1, "gate", 7, { lane: 1, by }),
      event(2, "acquired", 2, "gate", 7, { by }), event(2, "resume", 2, "task", 1),
      event(3, "suspend", 2, "task", 1), event(6, "resume", 3, "task", 1),
      event(7, "signal", 3, "gate", null, { by }), event(8, "end", 3, "task", 1)]);
    assert.deepEqual(parts(job(rows, "task 1")), [["running", 0, 8], ["waiting", 1, 2],
      ["holding", 2, 7], ["suspended", 3, 6]]);
    assert.deepEqual([1, 2, 3].map(number => parts(rows.threads.get(number))),
      [[["running", 0, 1]], [["running", 2, 3]], [["running", 6, 8]]]);
    assert.equal(partAt(job(rows, "task 1"), 4).kind, "suspended");
    const [, tasks] = statistics(rows.rows, 0, 8, 8);
    assert.deepEqual([tasks.count, tasks.busy, tasks.waiting, tasks.suspended], [1, 4, 1, 3]);
  },

  "jobs that overlap on one thread hold none of it"() {
    const rows = rowsOf([event(0, "start", 1, "tasks", 1), event(1, "start", 1, "tasks", 2),
      event(2, "end", 1, "tasks", 1), event(3, "end", 1, "tasks", 2)]);
    assert.deepEqual(parts(rows.threads.get(1)), [["running", 0, 0], ["running", 1, 1]]);
    assert.deepEqual(parts(job(rows, "tasks 2")), [["running", 1, 3]]);
  },

  "a wait that never ends stays open; notes name rows; a dropped job ends as cancelled"() {
    const rows = rowsOf([event(0, "note", 1, "main"), event(0, "note", 1, "name Lake", 1),
      event(1, "submit", 1, "jobs", 1), event(2, "wait", 1, "gate"),
      event(3, "submit", 2, "jobs", 2),
      event(4, "cancel", 2, "jobs", 2)]);
    assert.equal(rows.threads.get(1).name, "thread 1, main");
    assert.deepEqual(parts(job(rows, "Lake")), [["queued", 1, null]]);
    assert.deepEqual(parts(rows.threads.get(1)), [["waiting", 2, null]]);
    assert.equal(job(rows, "jobs 2").parts[0].ending, "cancelled");
  },

  "two queues of one label have rows of their own, and the main queue has one"() {
    const rows = rowsOf([event(0, "start", 1, "serial", 1, { obj: 1 }),
      event(1, "start", 2, "serial", 1, { obj: 2 }), event(2, "start", 3, "main", 1, { obj: 3 }),
      event(3, "end", 3, "main", 1, { obj: 3 }), event(4, "start", 3, "main", 1, { obj: 4 })]);
    assert.deepEqual([...rows.jobs.keys()], ["serial 1", "serial #2 1"]);
    assert.deepEqual(parts(rows.threads.get("main")), [["running", 2, 3], ["running", 4, null]]);
  },

  "a thread has new rows to draw once it has a part, and blocks of main are in the row main"() {
    const rows = rowsOf([event(0, "submit", 2, "main", null)]);
    assert.deepEqual(parts(rows.threads.get(2)), []);
    rows.hasNewRows = false;
    rows.apply({ kind: "event", ...event(1, "start", 2, "jobs", 1) });
    assert.ok(rows.hasNewRows);
    rows.apply({ kind: "event", ...event(2, "start", 1, "main", 1, { main: true }) });
    assert.equal(rows.threads.get("main").name, "main");
    assert.ok(!rows.threads.has(1));
  },

  "free permits have a curve only if the log tells them"() {
    const silent = rowsOf([event(0, "acquired", 1, "gate"), event(1, "signal", 1, "gate")]);
    assert.deepEqual([...silent.curves.keys()], []);
    const rows = rowsOf([event(0, "acquired", 1, "gate", null, { sem: { free: 3, waiting: 0 } }),
      event(4, "signal", 1, "gate", null, { sem: { free: 4, waiting: 0 } }),
      event(4, "acquired", 1, "gate", null, { sem: { free: 2, waiting: 1 } })]);
    assert.deepEqual([...rows.curves.keys()], ["gate free", "gate waiting"]);
    assert.equal(valueAt(rows.curves.get("gate free"), 0), 3);
    assert.equal(valueAt(rows.curves.get("gate free"), 2), 2);
  },

  "a count of a moment is no peak"() {
    const steps = [[0, 1, 0], [1e9, 2, 1], [1e9 + 1, 1, 2], [2e9, 0, 3]];
    assert.equal(peakOf(steps, 2e9), 1);
    assert.equal(peakOf([[0, 1, 0], [1e9, 2, 1], [1.5e9, 0, 2]], 2e9), 2);
  },

  "the statistics of a selection are cut at its ends"() {
    const rows = rowsOf([event(0, "submit", 1, "jobs", 1), event(2, "start", 2, "jobs", 1),
      event(4, "wait", 2, "gate", 9), event(6, "acquired", 2, "gate", 9),
      event(10, "end", 2, "jobs", 1), event(11, "start", 2, "jobs", 2)]);
    const of = (begin, end, name) => statistics(rows.rows, begin, end, 20)
      .find(kind => kind.name === name);
    const whole = { name: "jobs", count: 2, busy: 15, waiting: 2, suspended: 0, queued: 2,
      longest: 9, longestName: "jobs 2" };
    assert.deepEqual(of(0, 20, "jobs"), whole);
    assert.deepEqual(of(0, 20, "threads"), { ...whole, name: "threads", queued: 0 });
    assert.deepEqual(of(1, 5, "jobs"), { ...whole, count: 1, busy: 2, waiting: 1, queued: 1,
      longest: 3, longestName: "jobs 1" });
    assert.equal(of(0, 1, "threads"), undefined);
  },

  "the code has each task at its step, and a listing has the tasks of its queue alone"() {
    const events = [event(0, "submit", 1, "pool", 1), event(1, "start", 2, "pool", 1),
      event(1, "submit", 1, "pool", 2), event(2, "signal", 2, "gate"),
      event(3, "end", 2, "pool", 1),
      event(4, "wait", 3, "gate", 1, { main: true })];
    const model = rowsOf(events);
    const at = index => Object.fromEntries([...Timeline.prototype.placesAt.call({ model }, index,
      events[index])].map(([step, tasks]) => [step, tasks.map(task => task.name).join()]));
    assert.deepEqual([0, 1, 2, 3, 4, 5].map(at), [{ submit: "1" }, { run: "1" },
      { run: "1", submit: "2" }, { signal: "1", submit: "2" }, { end: "1", submit: "2" },
      { wait: "main", submit: "2" }]);
    const titles = ["a semaphore in each block", "lanes"];
    const groups = new Set(["pool", "lanes"]);
    assert.deepEqual(titles.map(title => [...groups].filter(group =>
      isCodeOf(title, titles, group, groups))), [["pool"], ["lanes"]]);
    assert.ok(!isCodeOf("lanes first", ["lanes first"], "downloads", groups));
    assert.ok(isCodeOf("queues", ["queues"], "serial", groups));
  },

  "a task that sleeps is suspended at the line that it has begun"() {
    const events = [event(0, "start", 1, "task", 1), event(1, "suspend", 1, "task", 1),
      event(2, "resume", 2, "task", 1)];
    const at = index => Timeline.prototype.placesAt.call({ model: rowsOf(events) }, index,
      events[index]).get("run").map(task => task.kind);
    assert.deepEqual([0, 1, 2].map(at), [["running"], ["suspended"], ["running"]]);
  },

  "a wait for a group is a wait of its thread"() {
    const rows = rowsOf([event(0, "start", 1, "jobs", 1), event(1, "note", 1, "group wait"),
      event(3, "note", 1, "group wait timed out"), event(4, "end", 1, "jobs", 1)]);
    assert.deepEqual(parts(rows.threads.get(1)), [["running", 0, 4], ["waiting", 1, 3]]);
    assert.deepEqual(parts(job(rows, "jobs 1")), [["running", 0, 4], ["waiting", 1, 3]]);
  },

  "a caller of sync waits for a busy queue, and its block runs within its own"() {
    const rows = rowsOf([event(0, "start", 1, "a", 1), event(1e7, "submit", 1, "b", 2),
      event(3e7, "start", 1, "b", 2), event(4e7, "end", 1, "b", 2), event(5e7, "submit", 1, "b", 3),
      event(5e7, "start", 1, "b", 3), event(6e7, "end", 1, "b", 3), event(7e7, "end", 1, "a", 1)]);
    const wait = ["waiting", 1e7, 3e7];
    assert.deepEqual(parts(rows.threads.get(1)), [["running", 0, 7e7], wait,
      ["running", 3e7, 4e7], ["running", 5e7, 6e7]]);
    assert.deepEqual(parts(job(rows, "a 1")), [["running", 0, 7e7], wait]);
    assert.deepEqual([1, 2].map(index => partAt(rows.threads.get(1), index).kind),
      ["waiting", "running"]);
  },

  "a run has a part for each activity, and all of them end"() {
    for (const { jobs, events } of runs) {
      const rows = rowsOf(events);
      const all = [...rows.jobs.values()].flatMap(row => row.parts);
      const waits = events.filter(event => event.ev === "wait").length;
      const counts = ["queued", "running", "waiting"].map(kind =>
        all.filter(part => part.kind === kind).length);
      assert.deepEqual(counts, [jobs, jobs, waits]);
      assert.ok(all.every(part => part.end !== null));
      const threads = [...rows.threads.values()].flatMap(row => row.parts);
      assert.equal(threads.filter(part => part.kind === "waiting").length, waits);
      assert.equal(rows.running, 0);
      const [begin, end] = [0, events.at(-1).t];
      for (const kind of statistics(rows.rows, begin, end, end)) {
        assert.ok(kind.busy >= 0 && kind.busy <= kind.count * end && kind.longest <= end);
      }
    }
  },

  "parts of any log lie in time"() {
    for (const events of any) {
      const rows = rowsOf(events);
      for (const part of rows.rows.flatMap(row => row.parts)) {
        assert.ok(part.begin <= (part.end ?? rows.now) && (part.end ?? 0) <= rows.now);
        assert.equal(part.end === null, part.ending === undefined);
      }
      statistics(rows.rows, rows.now / 3, rows.now / 2, rows.now);
    }
  },

  "the time for a log grows with its length alone"() {
    const kinds = ["start", "wait", "acquired", "end"];
    const rows = rowsOf(Array.from({ length: 200_000 }, (_, number) => event(number,
      kinds[number % 4], 1, number % 4 % 3 ? "gate" : "jobs", Math.floor(number / 4) + 1)));
    assert.equal(rows.threads.get(1).parts.length, 100_000);
    assert.equal(rows.jobs.size, 50_000);
  },

  "labels hide nothing, and numbers are read and written"() {
    assert.equal(clean("a\u0000\u001b\u202e\u2028b\tc"), "a\ufffd\ufffd\ufffd\ufffdb\tc");
    assert.deepEqual(["5", "1,5", "200 ms", "600us", "x"].map(typedNumber), [5, 1.5, 0.2, 0.0006, null]);
    assert.deepEqual([moment(5e6, 1e8), moment(5e3, 1e6)], ["5.00 ms", "5.0 µs"]);
    assert.deepEqual([0.000612, 0.0054, 1.9, 1.2e-8].map(value => answer(value, "seconds")),
      ["612 µs", "5.40 ms", "1.90 s", "12 ns"]);
    assert.equal(noteWords({ q: "END | THREAD WOKEN true", task: 4 }), "END 4 | THREAD WOKEN true");
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    test();
  } catch (error) {
    failed += 1;
    console.log(`${name}: ${error.stack.split("\n").slice(0, 12).join("\n")}`);
  }
}
console.log(`${Object.keys(tests).length - failed} of ${Object.keys(tests).length} tests passed`);
process.exitCode = failed ? 1 : 0;
