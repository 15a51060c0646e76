// The table of a level: the threads with their code, the shared state, the steps so far.
import { keyed, make, setAttribute, setClass, setText } from "../../code/dom.js";
import { conditions } from "./level.js";

export class Table {
  // `step(thread)` is called with the index of the thread that the learner chose.
  constructor(step) {
    this.step = step;
    this.threads = make("div", { class: "schedule-threads" });
    this.values = make("dl", {});
    this.steps = make("ol", { tabindex: "0", "aria-label": "Steps so far" });
    this.none = make("p", { class: "schedule-none", text: "None yet." });
    this.element = make("div", { class: "schedule-table" },
      make("section", { class: "schedule-code", "aria-label": "Threads" }, this.threads),
      make("section", { class: "schedule-shared", "aria-label": "Shared state" },
        make("h3", { text: "Shared state" }), this.values),
      make("section", { class: "schedule-steps", "aria-label": "Steps" },
        make("h3", { text: "Steps so far" }), this.none, this.steps));
  }

  /** Makes the elements of a level. */
  open(level) {
    this.level = level;
    this.cards = level.threads.map((thread, index) => this.card(thread, index));
    this.threads.replaceChildren(...this.cards.map(card => card.element));
    this.pairs = level.names.map(name => make("div", {}, make("dt", { text: name }),
      make("dd", {})));
    this.values.replaceChildren(...this.pairs);
  }

  card(thread, index) {
    const chip = make("span", { class: "schedule-chip" });
    const button = make("button", {
      type: "button", "aria-keyshortcuts": String(index + 1), onclick: () => this.step(index),
    }, make("kbd", { text: index + 1 }), make("strong", { text: thread.name }), chip);
    const lines = thread.lines.map(text => make("li", {},
      make("code", { text: text.replace(/ {2,}(\/\/)/, "  $1") })));
    const element = make("article", { class: "schedule-thread" }, button,
      make("ol", { "aria-label": `Code of ${thread.name}` }, ...lines));
    return { element, button, chip, lines };
  }

  /** Shows a state, as `follow` returns it. */
  show(state) {
    const can = new Set(state.steps.map(step => step.thread));
    const last = state.path[state.path.length - 1];
    this.cards.forEach((card, index) => {
      setClass(card.element, "is-ready", can.has(index));
      setClass(card.element, "has-stepped", index === last);
      setAttribute(card.button, "aria-disabled", String(!can.has(index)));
      const condition = state.conditions[index];
      setText(card.chip, conditions[condition]);
      setAttribute(card.chip, "data-condition", condition);
      showLines(card.lines, state.positions[index], condition);
    });
    this.showValues(state);
    keyed(this.steps, state.notes.map((note, index) => ({ note, index })), one =>
      `${one.index} ${one.note}`, one => make("li", { text: one.note }));
    this.steps.scrollTop = this.steps.scrollHeight;
    this.steps.hidden = state.notes.length === 0;
    this.none.hidden = state.notes.length > 0;
  }

  showValues(state) {
    const before = state.states[Math.max(0, state.states.length - 2)];
    this.pairs.forEach((pair, index) => {
      setText(pair.lastChild, state.values[index]);
      const isChanged = before.values[index] !== state.values[index];
      setClass(pair, "is-changed", isChanged);
      setAttribute(pair, "title", isChanged ? `was ${before.values[index]}` : null);
    });
  }
}

function showLines(lines, position, condition) {
  lines.forEach((line, number) => {
    const isNext = number === position && condition !== "ended";
    setClass(line, "is-next", isNext);
    setClass(line, "is-done", number < position);
    setAttribute(line, "aria-current", isNext ? "step" : null);
  });
}
