// The screen of the demos without one of their own: threads as slots, queues as pipes, permits,
// groups, and what the code says.

import { keyed, make, setAttribute, setClass, setText } from "../code/dom.js";
import { count, seconds } from "../code/words.js";
import { applyBlock, emptyBlocks } from "./shared/blocks.js";
import { Shown } from "./shared/motion.js";
import { Pipe, pipeHeading } from "./shared/pipes.js";

const mostNotes = 14;
const mostTokens = 64;
const silentNotes = /^(START|END|main$|name )/;

const view = {
  build(root, board) {
    this.board = board;
    this.shown = new Shown();
    this.pipes = new Map();
    this.insight = make("p", { class: "insight" });
    this.threads = make("ul", { class: "threads" });
    this.tokens = make("ul", { class: "counts" });
    this.list = make("div", { class: "pipes" }, pipeHeading());
    this.notes = make("ol", { class: "notes" });
    this.said = make("div", { class: "generic-notes" },
      make("h3", { text: "The code says" }), this.notes);
    this.element = make("div", { class: "generic unused" }, this.insight,
      make("div", { class: "generic-threads" }, make("h3", { text: "Threads" }), this.threads),
      this.tokens,
      make("div", { class: "generic-queues" }, make("h3", { text: "Queues" }), this.list),
      this.said);
    root.append(this.element);
  },

  initial() { return emptyBlocks(); },

  apply(state, message) {
    if (message.kind === "event") applyBlock(state, message);
  },

  render(state) {
    this.shown.update(this.element, this.board, state, () => {
      setText(this.insight, insightOf(state));
      setClass(this.element, "unused", state.threads.size === 0);
      this.renderThreads(state);
      this.renderCounts(state);
      this.renderQueues(state);
      this.renderNotes(state);
    });
  },

  renderThreads(state) {
    const threads = [...state.threads.values()].filter(thread => thread.isUsed)
      .sort((a, b) => a.number - b.number);
    setClass(this.element, "many-threads", threads.length > 16);
    keyed(this.threads, threads, thread => thread.number,
      thread => make("li", {}, make("span", { class: "thread-name",
        text: "thread " + thread.number }), make("span", { class: "thread-words" })),
      (item, thread) => {
        const top = thread.stack[thread.stack.length - 1];
        const wait = waitOf(thread);
        setAttribute(item, "class", wait ? "waiting" : top ? "running" : "idle");
        const name = top ? `${shortLabel(top.queue.label)} ${top.number}` : "";
        const on = wait === "sync" ? "in sync" : "for " + wait;
        setText(item.lastElementChild, wait ? `W ${name} waits ${on}`.replace(/ +/g, " ")
          : top ? "R " + name : "idle");
      });
  },

  renderCounts(state) {
    const items = [
      ...[...state.permits.values()].map(item => ({ ...item, isGroup: false })),
      ...[...state.groups.values()].map(item => ({ ...item, isGroup: true })),
    ];
    keyed(this.tokens, items, item => item.isGroup + item.label,
      item => make("li", {}, make("strong", { text: item.label }),
        make("span", { class: "token-row", "aria-hidden": "true" }), make("span")),
      (element, item) => {
        const [, row, words] = element.children;
        const { limit = 0, free = null } = item;
        const tokens = Array.from({ length: Math.min(mostTokens, Math.max(limit, free)) },
          (_, number) => number);
        keyed(row, tokens, token => token, () => make("i"),
          (token, number) => setClass(token, "free", number < free));
        const permits = free === null ? "" : `${free}${limit ? " of " + limit : ""} permits free, `;
        setText(words, item.isGroup ? `group, ${item.count} outstanding`
          : `${permits}${item.waiting} waiting`);
      });
  },

  renderQueues(state) {
    for (const [label, pipe] of this.pipes) {
      if (state.queues.has(label)) continue;
      pipe.element.remove();
      this.pipes.delete(label);
    }
    for (const queue of state.queues.values()) {
      if (!this.pipes.has(queue.label)) {
        const pipe = new Pipe(queue.label);
        this.pipes.set(queue.label, pipe);
        this.list.append(pipe.element);
      }
      this.pipes.get(queue.label).show(queue);
    }
  },

  renderNotes(state) {
    const notes = state.notes.map((note, index) => ({ ...note, index }))
      .filter(note => !silentNotes.test(note.text)).slice(-mostNotes);
    this.said.hidden = notes.length === 0;
    keyed(this.notes, notes, note => note.index,
      note => make("li", {}, make("span", { class: "note-time", text: seconds(note.time) }),
        make("span", { text: note.text + (note.task ? " " + note.task : "") })));
  },
};

/* The name of what a thread waits for; null if it does not wait. */
function waitOf(thread) {
  const top = thread.stack[thread.stack.length - 1];
  return thread.wait || (top && top.wait) || null;
}

function shortLabel(label) {
  return label.replace(/^com\.apple\.(root\.)?/, "");
}

/* The sentence about the threads: what the picture shows, where it is worth saying. */
function insightOf(state) {
  const threads = [...state.threads.values()].filter(thread => thread.stack.length);
  const waiting = threads.filter(waitOf);
  const blocks = [...state.queues.values()].filter(queue => queue.label !== "main");
  const queued = blocks.reduce((sum, queue) => sum + queue.queued.length, 0);
  const starving = [...state.permits.values()].find(permits => permits.queue
    && permits.queue.queued.length && permits.free > 0);
  if (queued && threads.length && waiting.length === threads.length) {
    return `All ${threads.length} threads wait, and ${count(queued, "block")} cannot begin: `
      + "no thread is left to run them.";
  }
  if (starving) {
    const { free } = starving;
    return `${count(free, "permit is", "permits are")} free, but only `
      + `${count(threads.length, "thread")} ${threads.length === 1 ? "runs" : "run"} blocks: `
      + `${count(starving.queue.queued.length, "block waits", "blocks wait")} for a thread.`;
  }
  const children = blocks.reduce((sum, queue) => sum
    + queue.running.filter(block => !block.thread).length, 0);
  if (children) return `${count(children, "task")} under way, and none of them holds a thread.`;
  if (!state.threads.size) return "Threads and queues appear as the run uses them.";
  if (!threads.length) return "No thread runs a block.";
  return `${count(threads.length, "thread")} ${threads.length === 1 ? "runs" : "run"} a block`
    + (waiting.length ? `, ${waiting.length} of them waiting` : "")
    + (queued ? `; ${count(queued, "block")} queued.` : ".");
}

export default view;
