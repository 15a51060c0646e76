// The timeline's parts, statistics and words. PageTests.swift puts the page's modules and the logs
// before this file, and runs all with node: `life` of one job, `code` of two at a gate, `any` logs of
// no sense. StateTests.swift compares the states.

const assert = require("node:assert");
const { Rows, partAt, peakOf, valueAt } = modules["code/timeline/rows.js"];
const { statistics } = modules["code/timeline/statistics.js"];
const { Timeline, gridStep } = modules["code/timeline/timeline.js"];
const { tasksAt } = modules["code/listings.js"];
const { unknown } = modules["code/stream.js"];
const { answer, clean, moment, noteWords, typedNumber } = modules["code/words.js"];

function rowsOf(events) {
  const rows = new Rows();
  for (const event of events) rows.apply({ kind: "event", ...event });
  return rows;
}

const parts = row => row.parts.map(part => [part.kind, part.begin, part.end]);

const tests = {
  "the states of a row follow each other, and permits are held beside them"() {
    const rows = rowsOf(life);
    const [job] = rows.jobs.values();
    assert.deepEqual(parts(job), [["queued", 0, 1], ["running", 1, 2], ["waiting", 2, 5],
      ["holding", 5, 7], ["running", 5, 8]]);
    assert.equal(job.parts[2].ending, "acquired");
    assert.deepEqual(parts(rows.threads.get(2)),
      [["running", 1, 2], ["waiting", 2, 5], ["running", 5, 8]]);
    assert.equal(partAt(job, 3).kind, "running");
    assert.deepEqual([...rows.curves.keys()], ["in progress", "gate waiting"]);
    assert.equal(valueAt(rows.curves.get("in progress"), 2), 0);
    const [threads, jobs] = statistics(rows.rows, 0, 8, 8);
    assert.deepEqual(jobs, { name: "jobs", count: 1, running: 4, waiting: 3, suspended: 0,
      queued: 1, longest: 7, longestName: "jobs 1" });
    assert.deepEqual(threads, { ...jobs, name: "threads", queued: 0 });
    assert.deepEqual(statistics(rows.rows, 3, 6, 8)[1],
      { ...jobs, running: 1, waiting: 2, queued: 0, longest: 3 });
  },

  "the code has each task at its step, and a line has the tasks of its queues alone"() {
    const model = rowsOf(code);
    const places = index => Timeline.prototype.placesAt.call({ model }, index, code[index]);
    const at = index => Object.fromEntries([...places(index)]
      .map(([step, tasks]) => [step, tasks.map(task => task.name).join()]));
    assert.deepEqual([0, 1, 2, 3, 4, 5, 7].map(at), [{ submit: "1" }, { run: "1" },
      { run: "1", submit: "2" }, { signal: "1", submit: "2" }, { end: "1", submit: "2" },
      { leave: "thread 2", submit: "2" }, { wait: "main", submit: "2" }]);
    const line = (tag, queues) => tasksAt({ tag, queues }, places(2)).map(task => task.name).join();
    assert.deepEqual([line("run"), line("submit,run"), line("run", "lanes,pool"), line("run", "poo"),
      line("wait", "pool"), line("submit,run", "pool=2")], ["1", "2,1", "1", "", "", "2"]);
    const named = new Map([["run", [{ name: "3", group: "serial 2" }, { name: "main" }]]]);
    assert.equal(tasksAt({ tag: "run", queues: "serial" }, named).length, 2);
  },

  "a count of a moment is no peak"() {
    const steps = [[0, 1, 0], [1e9, 2, 1], [1e9 + 1, 1, 2], [2e9, 0, 3]];
    assert.equal(peakOf(steps, 2e9), 1);
    assert.equal(peakOf([[0, 1, 0], [1e9, 2, 1], [1.5e9, 0, 2]], 2e9), 2);
  },

  "parts of any log lie in time, and no part but a held one overlaps the next"() {
    for (const events of any) {
      const rows = rowsOf(events);
      for (const row of rows.rows) {
        const own = row.parts.filter(part => part.kind !== "holding");
        own.forEach((part, place) => {
          assert.ok(part.begin <= (part.end ?? rows.now) && (part.end ?? 0) <= rows.now);
          assert.equal(part.end === null, part.ending === undefined);
          if (place) assert.ok(own[place - 1].end <= part.begin);
        });
      }
      for (const kind of statistics(rows.rows, rows.now / 3, rows.now / 2, rows.now)) {
        assert.ok(kind.running >= 0 && kind.longest <= rows.now);
      }
    }
  },

  "the grid of a run of any length has few lines"() {
    for (let seconds = 1e-9; seconds < 1e300; seconds *= 7) {
      assert.ok(seconds / gridStep(seconds, 9) <= 9, `${seconds} s`);
    }
    assert.equal(gridStep(1, 9), 0.2);
  },

  "a stream that is opened again tells what is new, and a new log tells all"() {
    const page = {};
    const took = (log, ...kinds) => unknown(page, log, kinds.map(kind => ({ kind }))).map(one => one.kind).join();
    assert.equal(took("a.1", "hello"), "hello");
    assert.equal(took("a.1", "run", "event", "class"), "run,event,class");
    page.came = 0;
    assert.equal(took("a.1", "hello", "run"), "");
    assert.equal(took("a.1", "event", "event", "class"), "event,class");
    assert.equal(took("a.2", "run", "event"), "run,event");
    page.came = 0;
    assert.equal(took("b.1", "hello", "run"), "hello,run");
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
