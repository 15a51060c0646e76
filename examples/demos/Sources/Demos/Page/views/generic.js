// The screen of the demos without one of their own: the queues with their blocks, computed from the rows
// of the timeline, and what the code says. The timeline has the threads, permits and groups.

import { keyed, make, setAttribute, setClass, setText } from "../code/dom.js";
import { partAt } from "../code/timeline/rows.js";
import { noteWords, seconds } from "../code/words.js";

const mostNotes = 14;
const mostBlocks = 80;
const silentNotes = /^(START|END)/;
const letters = { running: "R", waiting: "W", suspended: "S" };

const view = {
  build(root) {
    this.queues = make("div", { class: "pipes" },
      make("div", { class: "pipe-heading", "aria-hidden": "true" }, make("span", { text: "queued" }),
        make("span", { text: "begun" }), make("span", { text: "finished, in this order" })));
    this.list = make("div", {});
    this.queues.append(this.list);
    this.notes = make("ol", { class: "notes" });
    this.said = make("div", { class: "generic-notes" },
      make("h3", { text: "The code says" }), this.notes);
    this.hint = make("p", { class: "remark", text: "Queues appear as the run uses them." });
    this.element = make("div", { class: "generic unused" },
      make("div", {}, make("h3", { text: "Queues" }), this.queues), this.said);
    root.append(this.hint, this.element);
  },

  initial() { return { notes: [] }; },

  apply(state, message) {
    if (message.kind === "event" && message.ev === "note" && !silentNotes.test(message.q)) {
      state.notes.push(message);
    }
  },

  render(state, { model, index }) {
    const queues = queuesAt(model, index);
    this.hint.hidden = queues.length > 0;
    setClass(this.element, "unused", queues.length === 0);
    keyed(this.list, queues, queue => queue.name, makeQueue, showQueue);
    this.showNotes(state.notes);
  },

  showNotes(notes) {
    this.said.hidden = notes.length === 0;
    const first = Math.max(0, notes.length - mostNotes);
    keyed(this.notes, notes.slice(first).map((note, place) => ({ note, place: first + place })),
      ({ place }) => place, ({ note }) => make("li", {},
        make("span", { class: "note-time", text: seconds(note.t) }),
        make("span", { text: noteWords(note) + (note.v > 1 ? ` (${note.v})` : "") })));
  },
};

/* The queues that an event has used, with their blocks after it. */
function queuesAt({ jobs }, index) {
  const queues = new Map();
  for (const row of jobs.values()) {
    const begun = row.parts.filter(part => part.first <= index);
    if (!begun.length) continue;
    if (!queues.has(row.group)) {
      queues.set(row.group, { name: row.group, queued: [], begun: [], finished: [] });
    }
    const part = partAt(row, index);
    const last = Math.max(...begun.map(part => part.last));
    const block = { id: row.id, number: row.number, kind: part?.kind ?? begun[0].ending, last };
    queues.get(row.group)[part?.kind === "queued" ? "queued" : part ? "begun" : "finished"]
      .push(block);
  }
  for (const queue of queues.values()) queue.finished.sort((one, other) => one.last - other.last);
  return [...queues.values()];
}

/* A queue: its blocks line up at the left, run in the middle, and leave at the right. */
function makeQueue(queue) {
  return make("section", { class: "pipe", "aria-label": "queue " + queue.name },
    make("strong", { text: queue.name }),
    make("div", { class: "tube", role: "img" }, ...["queued", "begun", "finished"].map(place =>
      make("div", { class: "pipe-" + place }))));
}

function showQueue(element, queue) {
  const tube = element.lastElementChild;
  const places = ["queued", "begun", "finished"];
  places.forEach((place, index) => {
    const blocks = queue[place];
    // More blocks are counted, but not drawn.
    const shown = place === "finished" ? blocks.slice(-mostBlocks) : blocks.slice(0, mostBlocks);
    const more = blocks.length - shown.length;
    keyed(tube.children[index], more ? [...shown, { id: "more", number: `+ ${more}` }] : shown,
      block => block.id, () => make("span"), (chip, { number, kind }) => {
        setAttribute(chip, "class", `block ${kind ?? "queued"}`);
        setText(chip, [letters[kind], number].filter(part => part !== undefined).join(" "));
      });
  });
  setClass(element, "many", queue.queued.length + queue.finished.length > 24);
  setAttribute(tube, "aria-label", `${queue.name}: ` + places.map(place => `${place}: `
    + (queue[place].slice(-mostBlocks).map(({ number, kind }) => place === "begun"
      ? `${number} (${kind})` : number).join(" ") || "none")).join("; "));
}

export default view;
