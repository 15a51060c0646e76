// A queue as a pipe: blocks line up at the left, run in the middle, and leave at the right.
//
// The slots in the middle are as many as ran at once so far. A block keeps its slot while it runs.

import { keyed, make, setAttribute, setClass, setText } from "../../code/dom.js";
import { count } from "../../code/words.js";

/* More blocks are counted, but not drawn. */
const mostBlocks = 80;
const manyBlocks = 24;
const manySlots = 12;
const mostSlots = 24;

/* A block as a small card with its number. */
function makeBlock(block) {
  return make("span", { class: "block", "data-key": "block" + block.key,
    text: block.name || block.number });
}

function updateBlock(element, block) {
  const isWaiting = Boolean(block.wait);
  setAttribute(element, "class", "block " + (isWaiting ? "waiting" : block.phase));
}

/* The words below a running block: its thread, or what it waits for. */
function placeOf(block) {
  if (block.wait === "sync") return "waits in sync";
  if (block.wait) return "waits for " + block.wait;
  return block.thread ? "thread " + block.thread.number : "no thread";
}

/** The pipe of one queue. */
export class Pipe {
  /** `kind` is a short description. */
  constructor(name, kind) {
    this.name = name;
    this.tags = make("span", { class: "pipe-tags" });
    this.queued = make("div", { class: "pipe-queued" });
    this.valve = make("span", { class: "valve" });
    this.slots = make("div", { class: "pipe-slots" });
    this.done = make("div", { class: "pipe-done" });
    this.tube = make("div", { class: "tube", role: "img", "aria-label": name },
      this.queued, this.valve, this.slots, this.done);
    this.element = make("section", { class: "pipe", "aria-label": "queue " + name },
      make("p", { class: "pipe-name" }, make("strong", { text: name }),
        make("span", { class: "pipe-kind", text: kind || "" }), this.tags),
      this.tube);
  }

  /** Shows a queue; `queue` is undefined before it exists. */
  show(queue) {
    const { queued, slots, done, suspended, tags, most } = queue
      || { queued: [], slots: [], done: [], suspended: 0, tags: [], most: 0 };
    setClass(this.element, "later", !queue);
    setClass(this.element, "suspended", suspended > 0);
    setClass(this.element, "many", queued.length + done.length > manyBlocks
      || most > manySlots);
    setClass(this.element, "crowded", most > mostSlots);
    keyed(this.queued, queued.slice(0, mostBlocks), block => block.key, makeBlock, updateBlock);
    const places = Array.from({ length: Math.max(1, most) },
      (_, slot) => ({ slot, block: slots[slot] || null }));
    keyed(this.slots, places, place => place.slot, makeSlot, updateSlot);
    keyed(this.done, done.slice(-mostBlocks), block => block.key, makeBlock, updateBlock);
    const times = suspended > 1 ? ` ${suspended} times` : "";
    const more = [[queued, "queued"], [done, "finished"]]
      .filter(([blocks]) => blocks.length > mostBlocks)
      .map(([blocks, word]) => `${blocks.length - mostBlocks} more ${word}`);
    const all = [...(suspended > 0 ? [`suspended${times}`] : []), ...tags, ...more];
    keyed(this.tags, all, tag => tag, tag => make("span", { class: "tag", text: tag }));
    setAttribute(this.tube, "aria-label", this.sentence(queue));
  }

  sentence(queue) {
    if (!queue) return `${this.name}: not used yet.`;
    const running = queue.running.map(block => `${block.name || block.number} (${placeOf(block)})`);
    const done = queue.done.slice(-mostBlocks).map(block => block.name || block.number);
    return `${this.name}: ${queue.queued.length} queued; running: ${running.join(", ") || "none"}; `
      + `finished: ${done.join(" ") || "none"}.`
      + (queue.suspended ? ` Suspended: ${count(queue.suspended, "resume")} missing.` : "");
  }
}

function makeSlot() {
  return make("div", { class: "slot" }, make("div", { class: "slot-block" }),
    make("span", { class: "slot-place" }));
}

function updateSlot(element, { block }) {
  const [place, words] = element.children;
  keyed(place, block ? [block] : [], other => other.key, makeBlock, updateBlock);
  setClass(element, "busy", block);
  setClass(element, "waits", block && block.wait);
  setText(words, block ? placeOf(block) : "");
}

/** The heading of the three parts of pipes. */
export function pipeHeading() {
  return make("div", { class: "pipe-heading", "aria-hidden": "true" },
    make("span", { text: "queued" }), make("span"), make("span", { text: "running" }),
    make("span", { text: "finished, in this order" }));
}
