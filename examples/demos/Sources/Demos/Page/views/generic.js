// The screen of the demos without one of their own: threads, permits, groups, queues, and what the
// code says. All but the last is computed from the rows of the timeline.

import { keyed, make, setAttribute, setClass, setText } from "../code/dom.js";
import { partAt, permitsAt, subjectOf, valueAt } from "../code/timeline/rows.js";
import { count, noteWords, seconds } from "../code/words.js";

const mostNotes = 14;
const mostTokens = 64;
const mostBlocks = 80;
const silentNotes = /^(START|END|main$|name )/;
const letters = { running: "R", waiting: "W", suspended: "S" };

const view = {
  build(root) {
    this.insight = make("p", { class: "insight" });
    this.threads = make("ul", { class: "threads" });
    this.counts = make("ul", { class: "counts" });
    this.queues = make("div", { class: "pipes" },
      make("div", { class: "pipe-heading", "aria-hidden": "true" }, make("span", { text: "queued" }),
        make("span", { text: "begun" }), make("span", { text: "finished, in this order" })));
    this.list = make("div", {});
    this.queues.append(this.list);
    this.notes = make("ol", { class: "notes" });
    this.said = make("div", { class: "generic-notes" },
      make("h3", { text: "The code says" }), this.notes);
    this.element = make("div", { class: "generic unused" }, this.insight,
      make("div", { class: "generic-threads" }, make("h3", { text: "Threads" }), this.threads),
      this.counts,
      make("div", { class: "generic-queues" }, make("h3", { text: "Queues" }), this.queues),
      this.said);
    root.append(this.element);
  },

  initial() { return { notes: [] }; },

  apply(state, message) {
    if (message.kind === "event" && message.ev === "note" && !silentNotes.test(message.q)) {
      state.notes.push(message);
    }
  },

  render(state, { model, index }) {
    const threads = [...model.threads.values()].map(row => ({ row, part: partAt(row, index) }))
      .filter(({ row }) => row.parts.some(part => part.first <= index));
    const queues = queuesAt(model, index);
    const permits = permitsAt(model, index);
    setText(this.insight, insightOf(threads, queues, permits));
    setClass(this.element, "unused", threads.length === 0);
    setClass(this.element, "many-threads", threads.length > 16);
    keyed(this.threads, threads, ({ row }) => row.id,
      ({ row }) => make("li", {}, make("span", { class: "thread-name", text: row.name }),
        make("span", { class: "thread-words" })),
      (item, { part }) => {
        setAttribute(item, "class", part?.kind ?? "idle");
        setText(item.lastElementChild, part ? threadWords(part) : "idle");
      });
    this.showCounts(model, index, permits);
    keyed(this.list, queues, queue => queue.name, makeQueue, showQueue);
    this.showNotes(state.notes);
  },

  showCounts(model, index, permits) {
    const groups = [...model.curves].filter(([name]) => name.endsWith(" outstanding"))
      .map(([name, steps]) => ({ name: name.replace(/ outstanding$/, ""), tokens: 0,
        text: `group, ${valueAt(steps, index) ?? 0} outstanding` }));
    const gates = permits.map(({ name, limit, free, waiting }) => ({ name, free,
      tokens: Math.min(mostTokens, Math.max(limit, free)),
      text: `${free} of ${count(limit, "permit")} free, ${waiting} waiting` }));
    keyed(this.counts, [...gates, ...groups], item => item.name,
      item => make("li", {}, make("strong", { text: item.name }),
        make("span", { class: "token-row", "aria-hidden": "true" }), make("span")),
      (element, item) => {
        const [, row, words] = element.children;
        keyed(row, [...Array(item.tokens).keys()], token => token, () => make("i"),
          (token, number) => setClass(token, "used", number < item.tokens - item.free));
        setText(words, item.text);
      });
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

/* The words of a thread that is busy: its block, or what it waits for. */
function threadWords(part) {
  const name = subjectOf(part);
  return part.kind === "running" ? `R ${name}` : `W waits for ${name}`;
}

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

/* The sentence about the threads: what the picture shows, where it is worth saying. */
function insightOf(threads, queues, permits) {
  if (!threads.length) return "Threads and queues appear as the run uses them.";
  const busy = threads.filter(({ part }) => part);
  const waiting = busy.filter(({ part }) => part.kind === "waiting");
  const total = queues.reduce((sum, queue) => sum + queue.queued.length, 0);
  if (total && busy.length && waiting.length === busy.length) {
    return `All ${busy.length} threads wait, and ${count(total, "block")} cannot begin: `
      + "no thread is left to run them.";
  }
  const runs = `${count(busy.length, "thread")} ${busy.length === 1 ? "runs" : "run"}`;
  for (const { free, group } of permits) {
    const queued = queues.find(queue => queue.name === group)?.queued.length;
    if (!queued || free <= 0) continue;
    return `${count(free, "permit is", "permits are")} free, but only ${runs} blocks: `
      + `${count(queued, "block waits", "blocks wait")} for a thread.`;
  }
  const tasks = queues.reduce((sum, queue) =>
    sum + queue.begun.filter(({ kind }) => kind === "suspended").length, 0);
  if (tasks) return `${count(tasks, "task is", "tasks are")} suspended, and none of them holds a thread.`;
  if (!busy.length) return "No thread runs a block.";
  return `${runs} a block` + (waiting.length ? `, ${waiting.length} of them waiting` : "")
    + (total ? `; ${count(total, "block")} queued.` : ".");
}

export default view;
