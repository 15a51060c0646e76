// The screen of the gate: its permits, and the tasks that wait, work and are done.
//
// The screen follows the notes of the tasks. If the gate is made smaller while its permits are in
// use, the surplus is owed: permits that come back are withdrawn.
import { keyed, make, setAttribute, setClass, setText } from "../code/dom.js";
import { count } from "../code/words.js";

const most = 20;
const zones = [["waits", "Waiting line", "first come, first served"],
  ["works", "Inside", "with their permits"], ["done", "Done", "served or refused"]];

const view = {
  build(root, board) {
    Object.assign(this, { board, wanted: null, run: null, said: "" });
    this.size = make("input", { type: "range", id: "gate-size", min: 1, max: most, step: 1,
      oninput: () => {
        this.wanted = Number(this.size.value);
        board.send("resize", this.wanted);
      } });
    this.close = make("button", { type: "button", class: "gate-close", text: "Close the gate",
      onclick: () => board.send("close", 1) });
    this.controls = make("div", { class: "gate-controls" },
      make("label", { for: "gate-size", text: "Permits" }), this.size, this.close);
    this.tokens = make("div", { class: "token-row gate-tokens", "aria-hidden": "true" });
    this.facts = make("p", { class: "gate-facts" });
    this.why = make("p", { class: "gate-why" });
    this.lists = {};
    const [line, ...others] = zones.map(zone => this.zone(...zone));
    root.append(make("div", { class: "gate" }, line,
      make("section", { class: "gate-gate", "aria-label": "The gate" },
        make("h3", { text: "Gate" }), this.controls, this.tokens, this.facts, this.why), ...others));
  },

  zone(phase, title, remark) {
    this.lists[phase] = make("ol", {});
    return make("section", { class: `gate-${phase}`, "aria-label": title },
      make("h3", {}, title, make("small", { text: ` ${remark}` })), this.lists[phase]);
  },

  initial(run, values) {
    const { max, resize } = run?.knobs ?? values ?? {};
    return { permits: Number(max || 4), resize: Number(resize || 0), isClosed: false,
      tasks: new Map(), changes: 0, peak: 0, said: "" };
  },

  apply,

  render(state, moment) {
    if (moment.run !== this.run || this.wanted === state.permits) this.wanted = null;
    this.run = moment.run;
    // A simulated run takes no commands.
    const isOpen = moment.isRunning && moment.isLive && !this.board.isFollower
      && !moment.run.virtual && !state.isClosed;
    this.controls.hidden = !isOpen;
    this.size.value = this.wanted ?? state.permits;
    const used = usedIn(state);
    keyed(this.tokens, [...Array(Math.max(used, state.permits)).keys()], token => token,
      () => make("i"), (token, number) => {
        setClass(token, "used", number < used);
        setClass(token, "owed", number >= state.permits);
      });
    for (const [phase] of zones) {
      keyed(this.lists[phase], tasksIn(state, phase), task => task.number, task => this.card(task),
        (element, task) => showCard(element, task, isOpen));
    }
    setText(this.facts, facts(state, used));
    setText(this.why, sentence(state, used));
    if (moment.isRunning && moment.isLive && state.said !== this.said) {
      this.said = state.said;
      if (this.said) this.board.announce(this.said);
    }
  },

  card({ number }) {
    return make("li", { class: "gate-task" }, make("span", { class: "gate-letter" }),
      make("strong", { text: `Task ${number}` }),
      make("span", { class: "token-row", "aria-hidden": "true" }),
      make("span", { class: "gate-words" }),
      make("button", { type: "button", class: "gate-cancel", text: "Cancel",
        "aria-label": `Cancel task ${number}`, onclick: () => this.board.send("cancel", number) }));
  },
};

function apply(state, message) {
  if (message.kind !== "event") return;
  const task = state.tasks.get(message.task);
  if (message.q === "task" && task) {
    if (message.ev === "suspend") task.isSuspended = true;
    if (message.ev === "resume" || message.ev === "end") task.isSuspended = false;
  }
  if (message.ev !== "note") return;
  if (message.q === "WAITS") enter(state, message, "waits");
  else if (message.q === "GOT") enter(state, message, "works");
  else if (message.q === "RETURNED") enter(state, message, "done");
  else if (message.q.startsWith("REFUSED")) {
    const refused = enter(state, message, "done");
    refused.reason = message.q.slice("REFUSED: ".length);
    state.said = `Task ${refused.number} is refused: ${refused.reason}.`;
  } else if (message.q === "resize" && (message.v || state.resize)) {
    state.permits = message.v || state.resize;
    state.said = `The gate has ${count(state.permits, "permit", "permits")} now.`;
  } else if (message.q === "close") {
    state.isClosed = true;
    state.said = "The gate is closed.";
  }
}

/* Moves the task of a note to a phase. */
function enter(state, message, phase) {
  const number = message.task;
  const task = state.tasks.get(number) ?? { number, need: 1, isSuspended: false };
  state.tasks.set(number, task);
  if (message.v > 0) task.need = message.v;
  task.phase = phase;
  task.change = ++state.changes;
  state.peak = Math.max(state.peak, usedIn(state));
  return task;
}

/* The tasks of a phase, in the order in which they entered it. */
function tasksIn(state, phase) {
  return [...state.tasks.values()].filter(task => task.phase === phase)
    .sort((one, other) => one.change - other.change);
}

function usedIn(state) {
  return tasksIn(state, "works").reduce((sum, task) => sum + task.need, 0);
}

function showCard(element, task, isOpen) {
  const [letter, , tokens, words, cancel] = element.children;
  const { phase, need, reason, isSuspended } = task;
  const condition = reason ? "refused"
    : { waits: "waiting", works: isSuspended ? "suspended" : "running", done: "done" }[phase];
  setAttribute(element, "data-condition", condition);
  setText(letter, { waiting: "W", running: "R", suspended: "S", done: "D", refused: "×" }[condition]);
  keyed(tokens, [...Array(phase === "done" ? 0 : need).keys()], token => token, () => make("i"),
    token => setClass(token, "used", phase === "works"));
  setText(words, { waiting: `needs ${need}`, running: `has ${need}`, suspended: `has ${need}, sleeps`,
    done: "served", refused: reason }[condition]);
  cancel.hidden = !isOpen || phase !== "waits";
}

function facts(state, used) {
  const free = Math.max(0, state.permits - used);
  const owed = Math.max(0, used - state.permits);
  return [count(state.permits, "permit", "permits"), `${free} free`, `${used} in use`,
    ...(owed ? [`${owed} owed`] : []), `at most ${state.peak} in use so far`,
    ...(state.isClosed ? ["closed"] : [])].join(" · ");
}

/* Says why the first task of the line waits, and which tasks wait with it. */
function sentence(state, used) {
  const free = Math.max(0, state.permits - used);
  const [first, ...others] = tasksIn(state, "waits");
  if (!first) {
    if (used) return "No task waits.";
    return state.tasks.size ? "All permits are free."
      : "Each task takes its permits, works for 0.5 s and returns them.";
  }
  if (first.need <= free) return `Task ${first.number} is first in line and gets its permits now.`;
  const small = others.find(other => other.need <= free);
  const owed = used - state.permits;
  return [`Task ${first.number} is first in line and needs ${first.need}; `
    + `${free === 0 ? "none is" : free === 1 ? "1 is" : `${free} are`} free.`,
  small ? `Task ${small.number} needs only ${small.need} and waits as well: first come, first served.`
    : "",
  owed > 0 ? `${count(owed, "permit is", "permits are")} owed: returned, not reused.` : ""]
    .filter(Boolean).join(" ");
}

export default view;
