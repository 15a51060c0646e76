// The screen of the loops: the indices as cells in the color of their thread, and the load of each
// thread.
//
// A cell is one index up to 400 of them, and then a group of neighbors.

import { keyed, make, setAttribute, setClass, setText } from "../code/dom.js";

const mostCells = 400;
const tints = 4;

/** Returns the letter of a thread: A is the first that ran a block. */
function letterOf(index) {
  return index < 26 ? String.fromCharCode(65 + index) : String(index + 1);
}

/* Returns a number with commas and, if there is one, its noun. */
function grouped(number, one, many) {
  const text = number.toLocaleString("en");
  return one ? `${text} ${number === 1 ? one : many || one + "s"}` : text;
}

const view = {
  build(root) {
    this.last = {};
    this.cells = make("div", { class: "loop-cells", role: "img", "aria-label": "no index yet" });
    this.summary = make("p", { class: "loop-summary" });
    this.legend = make("ul", { class: "loop-legend" },
      ...[["queued", "not run yet"], ["running", "a block that runs"], ["done tint-0", "done"]]
        .map(([name, text]) => make("li", {},
          make("i", { class: "cell first last " + name }), text)));
    root.append(make("div", { class: "loops" },
      make("div", { class: "loop-indices" }, this.summary, this.cells, this.legend),
      make("div", { class: "loop-loads" }, this.buildLoads())));
  },

  buildLoads() {
    this.rows = make("tbody");
    return make("table", { class: "loads" },
      make("caption", {}, make("strong", { text: "The load of each thread" })),
      make("thead", {}, make("tr", {},
        make("th", { scope: "col", text: "Thread" }),
        make("th", { scope: "col", text: "Share" }),
        make("th", { scope: "col", class: "number", text: "Indices" }),
        make("th", { scope: "col", class: "number", text: "Blocks" }))),
      this.rows);
  },

  initial(run) {
    const knobs = (run && run.knobs) || {};
    const count = Number(knobs.count || 100);
    const stride = Math.max(1, Number(knobs.stride || 4));
    const size = Math.ceil(count / mostCells);
    const cells = Math.ceil(count / size);
    return {
      count, stride, size,
      done: new Int32Array(cells), running: new Int32Array(cells), thread: new Int16Array(cells),
      threads: new Map(), finished: 0, isCut: false, version: 0,
    };
  },

  apply(state, message) {
    if (message.kind === "cut") state.isCut = true;
    if (message.kind !== "event" || message.ev !== "note") return;
    if (message.q === "START") applyBlock(state, message, 1);
    if (message.q === "END") applyBlock(state, message, -1);
  },

  render(state) {
    if (state === this.last.state && state.version === this.last.version) return;
    this.last = { state, version: state.version };
    this.renderCells(state);
    this.renderLoads(state);
  },

  renderCells(state) {
    const cells = [...state.done.keys()];
    const isMany = cells.length > 150;
    setClass(this.cells, "many", isMany);
    this.cells.style.setProperty("--wide", columnsOf(state, isMany ? 40 : 20));
    this.cells.style.setProperty("--narrow", columnsOf(state, isMany ? 25 : 20));
    keyed(this.cells, cells, cell => cell, () => make("i"), (element, cell) => {
      const [name, letter] = lookOf(state, cell);
      setAttribute(element, "class", name);
      setText(element, letter);
    });
    const blocks = Math.ceil(state.count / state.stride);
    const text = `${grouped(state.count, "index", "indices")} in ${grouped(blocks, "block")}`
      + ` of ${grouped(state.stride)}: ${grouped(state.finished)} done.`;
    const group = state.size > 1 ? ` A cell is a group of ${grouped(state.size)} indices.` : "";
    const cut = state.isCut ? " The run has more events than are shown." : "";
    setText(this.summary, text + group + cut);
    setAttribute(this.cells, "aria-label", text);
  },

  renderLoads(state) {
    const threads = [...state.threads.values()];
    keyed(this.rows, threads, thread => thread.number, makeLoad, (row, thread) => {
      const [, share, indices, blocks] = row.children;
      share.firstElementChild.firstElementChild.style.width
        = `${(100 * thread.indices) / state.count}%`;
      setText(indices, thread.indices);
      setText(blocks, thread.blocks);
    });
  },
};

/* Returns a number of columns that breaks no block if blocks are short. */
function columnsOf(state, most) {
  return state.size === 1 && state.stride <= most ? most - (most % state.stride) : most;
}

/* Counts a block that begins or ends, for its cells and for its thread. */
function applyBlock(state, event, change) {
  state.version += 1;
  const first = (event.task - 1) * state.stride;
  const size = event.v || Math.min(state.stride, state.count - first);
  const thread = threadOf(state, event.thr);
  for (let index = first; index < Math.min(first + size, state.count); index += 1) {
    const cell = Math.floor(index / state.size);
    state.running[cell] += change;
    state.thread[cell] = thread.index;
    if (change < 0) state.done[cell] += 1;
  }
  if (change > 0) return;
  thread.indices += size;
  thread.blocks += 1;
  state.finished += size;
}

function threadOf(state, number) {
  if (!state.threads.has(number)) {
    state.threads.set(number, { number, index: state.threads.size, indices: 0, blocks: 0 });
  }
  return state.threads.get(number);
}

/* The class and the letter of a cell. */
function lookOf(state, cell) {
  const first = cell * state.size;
  const last = Math.min(first + state.size, state.count) - 1;
  const isWhole = state.size > state.stride;
  const begins = isWhole || first % state.stride === 0;
  const ends = isWhole || (last + 1) % state.stride === 0 || last === state.count - 1;
  const edges = (begins ? " first" : "") + (ends ? " last" : "");
  const index = state.thread[cell];
  if (state.running[cell] > 0) {
    return [`cell running tint-${index % tints}${edges}`, letterOf(index)];
  }
  if (state.done[cell] === 0) return [`cell queued${edges}`, ""];
  return [`cell done tint-${index % tints}${edges}`, letterOf(index)];
}

function makeLoad(thread) {
  const name = `tint-${thread.index % tints}`;
  return make("tr", {},
    make("th", { scope: "row" }, make("i", { class: `cell first last done ${name}`,
      text: letterOf(thread.index) }), ` thread ${thread.number}`),
    make("td", { class: "share" }, make("span", {}, make("i", { class: name }))),
    make("td", { class: "number" }), make("td", { class: "number" }));
}

export default view;
