// The screen of the queues: five stations of a tour, and each queue as a pipe.

import { keyed, make, setAttribute, setClass, setText } from "../code/dom.js";
import { seconds } from "../code/words.js";
import { applyBlock, emptyBlocks, queueOf } from "./shared/blocks.js";
import { Shown } from "./shared/motion.js";
import { Pipe, pipeHeading } from "./shared/pipes.js";

/* The queues in the order of the tour. */
const tour = [
  ["serial", "one block at a time, in order"],
  ["concurrent", "several at once, begun in order"],
  ["main", "serial; draws the screen"],
  ["average", "concurrent; passes its result to main"],
  ["suspended", "serial; stopped and started"],
  ["owner", "serial; owns a context"],
];

/* The stations. The notes of the run replace the sentence of each. */
const stations = [
  { title: "async", plan: "The caller goes on at once." },
  { title: "sync", plan: "The caller waits for the block." },
  { title: "completion", plan: "One queue computes, another one gets the result." },
  { title: "suspend, resume", plan: "No block begins until both are balanced." },
  { title: "finalizer", plan: "Frees the context after the last block." },
];

const view = {
  build(root, board) {
    this.board = board;
    this.shown = new Shown();
    this.steps = make("ol", { class: "stations" });
    this.pipes = new Map(tour.map(([name, kind]) => [name, new Pipe(name, kind)]));
    this.list = make("div", { class: "pipes" }, pipeHeading(),
      ...[...this.pipes.values()].map(pipe => pipe.element));
    root.append(make("div", { class: "queues" }, this.steps, this.list));
  },

  initial() {
    return { ...emptyBlocks(), station: -1, said: stations.map(() => "") };
  },

  apply(state, message) {
    if (message.kind !== "event" || message.q === "clock" || message.q === "group") return;
    applyBlock(state, message);
    if (state.station < 0) enter(state, 0);
    if (message.q === "serial" && message.ev === "submit" && state.syncAt) nameSync(state);
    if (message.q === "average" && message.ev === "submit") enter(state, 2);
    if (message.ev === "note") applyNote(state, message);
  },

  render(state) {
    this.shown.update(this.list, this.board, state, () => {
      for (const [name, pipe] of this.pipes) pipe.show(state.queues.get(name));
      this.renderStations(state);
    });
  },

  renderStations(state) {
    const items = stations.map((station, index) => ({ ...station, index }));
    keyed(this.steps, items, item => item.index,
      item => make("li", {}, make("strong", { text: item.title }),
        make("span", { class: "station-words" })),
      (element, { index, plan }) => {
        setClass(element, "past", index < state.station);
        setAttribute(element, "aria-current", index === state.station ? "step" : null);
        setText(element.lastElementChild, state.said[index] || plan);
      });
  },
};

/* Names the block of the call of sync, which is on another queue with the same label. */
function nameSync(state) {
  const { queued } = queueOf(state, "serial");
  queued[queued.length - 1].name = "sync";
}

function enter(state, station) {
  state.station = Math.max(state.station, station);
}

function say(state, station, text) {
  enter(state, station);
  state.said[station] = text;
}

function applyNote(state, { q: text, v: value, t: time }) {
  if (text.startsWith("async returned")) {
    say(state, 0, "async returned. The first block may or may not have run.");
  } else if (text.startsWith("sync called")) {
    state.syncAt = time;
    say(state, 1, "sync called: the main queue waits.");
  } else if (text === "sync returned") {
    say(state, 1, `sync returned after ${seconds(time - state.syncAt)}, after its block.`);
  } else if (text.startsWith("average")) {
    say(state, 2, `The result ${value} arrives on the main queue.`);
    queueOf(state, "average").tags = [`result ${value} → main`];
  } else {
    applySuspension(state, text, value);
  }
}

function applySuspension(state, text, value) {
  const queue = state.queues.get("suspended");
  if (text === "suspend" || text === "resume") {
    queueOf(state, "suspended").suspended = value;
    say(state, 3, value === 0 ? "resume balances suspend: the block may run."
      : `Suspended: ${value === 1 ? "one call" : value + " calls"} of resume missing.`);
  } else if (text === "suspended block ran") {
    say(state, 3, "Balanced: the block ran.");
  } else if (text === "checked" && queue && queue.suspended > 0) {
    say(state, 3, "Not balanced: the queue stays silent.");
  } else if (text.startsWith("clean-up") && queue) {
    queue.suspended = 0;
  } else if (text.startsWith("context")) {
    enter(state, 4);
    queueOf(state, "owner").tags = [text];
  } else if (text.startsWith("finalizer")) {
    say(state, 4, `The finalizer ran once and freed the context ${value}.`);
    queueOf(state, "owner").tags = [`context ${value}`, "freed by the finalizer"];
  }
}

export default view;
