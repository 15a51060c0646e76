// The screen of the loops: the curve of the measured times, the picture of the recorded run in the
// colors of its threads, and the load of each thread.

import { keyed, make, setAttribute, setText } from "../../code/dom.js";
import { answer, count } from "../../code/words.js";
import { Curve, timeOfNote } from "./curve.js";
import { limit, pointsOf } from "./model.js";

const tints = ["--run", "--free", "--wait", "--queue"];
/* The points of a row before any run. */
const someSize = 16;
/* The blocks at the end that the timeline shows at first. */
const lastBlocks = 12;

/** Returns the letter of a thread: A is the first that ran a block. */
function letterOf(index) {
  return index < 26 ? String.fromCharCode(65 + index) : String(index + 1);
}

/* Returns a number with commas and its noun. */
function grouped(number, one) {
  return count(number, one).replace(/^\d+/, number.toLocaleString("en"));
}

export const screen = {
  /** The timeline has the threads: a block is a part of one. */
  fewJobs: 0,

  build(root) {
    this.curve = new Curve();
    this.remark = make("p", { class: "remark" });
    this.picture = make("canvas", { class: "loop-picture", role: "img" });
    this.summary = make("p", { class: "remark" });
    this.loads = make("ul", { class: "loads", "aria-label": "The load of each thread" });
    root.append(make("div", { class: "loop-stage" }, make("div", { class: "loop-screen" },
      make("section", {}, make("h2", { text: "Time over stride" }), this.curve.element, this.remark),
      make("section", {}, make("h2", { text: "The rows, by thread" }), this.picture, this.loads,
        this.summary))));
    this.colors = matchMedia("(prefers-color-scheme: dark)");
    this.colors.addEventListener("change", () => { this.shown = null; });
  },

  initial(run, values) {
    const knobs = run?.knobs ?? values ?? {};
    const rows = Number(knobs.rows || 2048);
    return {
      run, rows, kind: knobs.body || "mandelbrot", stride: Math.min(rows, Number(knobs.stride || 64)),
      cores: knobs.queue === "serial" ? 1 : run?.cores || 2, isSimulated: Boolean(run?.virtual),
      size: someSize, times: [], cost: 0, threads: new Map(), finished: 0, isCut: false,
      /** The thread of each row from 1, negative while its block runs; 0 before. */
      owners: new Int16Array(rows),
    };
  },

  apply(state, message) {
    if (message.kind === "cut") state.isCut = true;
    if (message.kind !== "event") return;
    const { ev, q, v } = message;
    if (ev === "note") {
      const time = timeOfNote(message);
      if (time) state.times.push(time);
      else if (q.startsWith("SIZE")) state.size = v;
      else if (q.startsWith("COST")) state.cost = v;
    } else if (q === "block" && (ev === "start" || ev === "end")) applyBlock(state, message, ev === "end");
  },

  /** The time of the last blocks, in which a thread may wait for the others; null for all. */
  seen(model) {
    const blocks = [...model.jobs.values()].filter(({ group, parts }) => group === "block" && parts.length);
    if (blocks.length <= lastBlocks) return null;
    const begin = Math.min(...blocks.slice(-lastBlocks).map(({ parts }) => parts[0].begin));
    return [begin, model.now];
  },

  render(state) {
    const { rows, stride, cores } = state;
    // The times were measured before the run: they are known at each of its moments.
    if (this.measured?.run !== state.run || this.measured.times.length <= state.times.length) {
      this.measured = state;
    }
    const { times } = this.measured;
    const plain = times.find(entry => entry.stride === 0)?.time ?? 0;
    this.curve.show(times, plain / cores, stride);
    const cost = answer(this.measured.cost / 1e9, "seconds");
    setText(this.remark, times.length === 0 ? "The times come with the run: they are measured before it."
      : state.isSimulated ? `Simulated. Handing out a block costs ${cost}.`
        : `Measured without the recorder. A block without work takes ${cost} of a core. The rows and the `
          + "timeline are another run, with the recorder.");
    this.paint(state);
    const text = `${grouped(rows, "row")} in ${grouped(Math.ceil(rows / stride), "block")} of ${stride}: `
      + `${state.finished.toLocaleString("en")} done.`;
    setText(this.summary, text + (state.isCut ? " The run has more events than are shown." : ""));
    setAttribute(this.picture, "aria-label", text);
    keyed(this.loads, [...state.threads.values()], thread => thread.number,
      ({ index }) => make("li", {},
        make("i", { class: `tint-${index % tints.length}`, text: letterOf(index) }), make("span")),
      (item, thread) => setText(item.lastChild, `${thread.isMain ? "main thread" : `thread ${thread.number}`}: ${
        grouped(thread.rows, "row")} in ` + grouped(thread.blocks, "block")));
  },

  /** Draws the rows that have changed. */
  paint({ kind, rows, size, owners }) {
    const key = `${kind} ${rows} ${size}`;
    if (this.shown?.key !== key) {
      this.picture.width = kind === "even" ? 1 : size;
      this.picture.height = rows;
      this.shown = { key, owners: new Int16Array(rows).fill(-9999) };
    }
    const pen = this.picture.getContext("2d");
    const style = getComputedStyle(this.picture);
    const color = name => style.getPropertyValue(name).trim();
    const ground = color("--queue-ground");
    const most = kind === "even" ? size : limit;
    for (let row = 0; row < rows; row += 1) {
      const owner = owners[row];
      if (owner === this.shown.owners[row]) continue;
      this.shown.owners[row] = owner;
      const tint = color(owner ? tints[(Math.abs(owner) - 1) % tints.length] : "--queue");
      pointsOf(kind, row, rows, size).forEach((iterations, column) => {
        pen.globalAlpha = 1;
        pen.fillStyle = ground;
        pen.fillRect(column, row, 1, 1);
        pen.globalAlpha = (owner > 0 ? 0.35 + 0.65 * iterations / most : 0.15 + 0.3 * iterations / most);
        pen.fillStyle = tint;
        pen.fillRect(column, row, 1, 1);
      });
    }
  },
};

/* Counts a block that begins or ends, for its rows and for its thread. */
function applyBlock(state, event, isEnd) {
  const first = (event.task - 1) * state.stride;
  const end = Math.min(first + state.stride, state.rows);
  if (!state.threads.has(event.thr)) {
    state.threads.set(event.thr,
      { number: event.thr, isMain: event.main, index: state.threads.size, rows: 0, blocks: 0 });
  }
  const thread = state.threads.get(event.thr);
  state.owners.fill((thread.index + 1) * (isEnd ? 1 : -1), first, end);
  if (!isEnd) return;
  thread.rows += end - first;
  thread.blocks += 1;
  state.finished += end - first;
}
