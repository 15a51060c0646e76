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

/* Returns a number with commas and its noun. */
function grouped(number, one, many = one + "s") {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

const view = {
  build(root) {
    this.cells = make("div", { class: "loop-cells", role: "img" });
    this.summary = make("p", { class: "loop-summary" });
    this.loads = make("ul", { class: "loads", "aria-label": "The load of each thread" });
    root.append(this.summary, this.cells,
      make("p", { class: "remark", text: "Gray: not run yet. Outlined: a block that runs. A letter: its thread." }),
      make("h3", { text: "The load of each thread" }), this.loads);
  },

  initial(run, values) {
    const knobs = run?.knobs ?? values ?? {};
    const count = Number(knobs.count || 100);
    const stride = Math.max(1, Number(knobs.stride || 4));
    const size = Math.ceil(count / mostCells);
    const cells = Math.ceil(count / size);
    return {
      count, stride, size,
      done: new Int32Array(cells), running: new Int32Array(cells), thread: new Int16Array(cells),
      threads: new Map(), finished: 0, isCut: false,
    };
  },

  apply(state, message) {
    if (message.kind === "cut") state.isCut = true;
    if (message.kind !== "event" || message.ev !== "note") return;
    if (message.q === "START") applyBlock(state, message, 1);
    if (message.q === "END") applyBlock(state, message, -1);
  },

  render(state) {
    const { count, stride, size } = state;
    const cells = [...state.done.keys()];
    const most = cells.length > 150 ? 40 : 20;
    setClass(this.cells, "many", most === 40);
    // No row breaks a block if blocks are short.
    this.cells.style.setProperty("--columns",
      size === 1 && stride <= most ? most - (most % stride) : most);
    keyed(this.cells, cells, cell => cell, () => make("i"), (element, cell) => {
      const [name, letter] = lookOf(state, cell);
      setAttribute(element, "class", name);
      setText(element, letter);
    });
    const text = `${grouped(count, "index", "indices")} in `
      + `${grouped(Math.ceil(count / stride), "block")} of ${stride}: ${state.finished} done.`;
    setText(this.summary, text
      + (size > 1 ? ` A cell is a group of ${size} indices.` : "")
      + (state.isCut ? " The run has more events than are shown." : ""));
    setAttribute(this.cells, "aria-label", text);
    keyed(this.loads, [...state.threads.values()], thread => thread.number,
      ({ number, index }) => make("li", {},
        make("i", { class: `cell first last done tint-${index % tints}`, text: letterOf(index) }),
        make("span", { text: `thread ${number}: ` }), make("span")),
      (item, thread) => setText(item.lastChild, `${grouped(thread.indices, "index", "indices")} in `
        + grouped(thread.blocks, "block")));
  },
};

/* Counts a block that begins or ends, for its cells and for its thread. */
function applyBlock(state, event, change) {
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

export default view;
