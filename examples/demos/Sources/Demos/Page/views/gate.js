// The screen of the gate: its permits, and the tasks that wait, work and are done.
//
// The tasks are rows of the timeline: one that holds permits is inside. The notes have the number of
// its permits and the changes of the gate. If the gate is made smaller while its permits are in use,
// the surplus is owed: permits that come back are withdrawn.
import { keyed, make, setAttribute, setClass, setText } from "../code/dom.js";
import { partAt } from "../code/timeline/rows.js";
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
    return { permits: Number(max || 4), resize: Number(resize || 0), isClosed: false, used: 0, peak: 0,
      said: "", needs: new Map(), reasons: new Map() };
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
    const tasks = tasksAt(moment, state);
    const used = tasks.works.reduce((sum, task) => sum + task.need, 0);
    keyed(this.tokens, [...Array(Math.max(used, state.permits)).keys()], token => token,
      () => make("i"), (token, number) => {
        setClass(token, "used", number < used);
        setClass(token, "owed", number >= state.permits);
      });
    for (const [phase] of zones) {
      keyed(this.lists[phase], tasks[phase], task => task.number, task => this.card(task),
        (element, task) => showCard(element, task, isOpen));
    }
    setText(this.facts, facts(state, used));
    setText(this.why, sentence(state, used, tasks));
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

function apply(state, { kind, ev, q, v, task }) {
  if (kind !== "event" || ev !== "note") return;
  if (q === "WAITS" || q === "GOT") state.needs.set(task, v);
  if (q === "GOT" || q === "RETURNED") {
    state.used += q === "GOT" ? v : -v;
    state.peak = Math.max(state.peak, state.used);
  } else if (q.startsWith("REFUSED")) {
    state.reasons.set(task, q.slice("REFUSED: ".length));
    state.said = `Task ${task} is refused: ${state.reasons.get(task)}.`;
  } else if (q === "resize" && (v || state.resize)) {
    state.permits = v || state.resize;
    state.said = `The gate has ${count(state.permits, "permit")} now.`;
  } else if (q === "close") {
    state.isClosed = true;
    state.said = "The gate is closed.";
  }
}

/* The tasks of each zone at a moment, in the order in which they entered it. */
function tasksAt({ model, index }, { needs, reasons }) {
  const zones = { waits: [], works: [], done: [] };
  for (const row of model.jobs.values()) {
    const begun = row.parts.filter(part => part.first <= index);
    const part = partAt(row, index);
    const held = begun.find(({ kind, last }) => kind === "holding" && index < last);
    const { number } = row;
    const task = { number, need: needs.get(number) ?? 1, reason: reasons.get(number) };
    if (held) zones.works.push({ ...task, condition: part.kind, since: held.first });
    else if (part?.kind === "waiting") zones.waits.push({ ...task, condition: "waiting", since: part.first });
    else if (begun.length && !part) {
      zones.done.push({ ...task, condition: task.reason ? "refused" : "done", since: begun.at(-1).last });
    }
  }
  for (const tasks of Object.values(zones)) tasks.sort((one, other) => one.since - other.since);
  return zones;
}

function showCard(element, task, isOpen) {
  const [letter, , tokens, words, cancel] = element.children;
  const { condition, need, reason } = task;
  const isInside = condition === "running" || condition === "suspended";
  setAttribute(element, "data-condition", condition);
  setText(letter, { waiting: "W", running: "R", suspended: "S", done: "D", refused: "×" }[condition]);
  keyed(tokens, [...Array(isInside || condition === "waiting" ? need : 0).keys()], token => token,
    () => make("i"), token => setClass(token, "used", isInside));
  setText(words, { waiting: `needs ${need}`, running: `has ${need}`, suspended: `has ${need}, sleeps`,
    done: "served", refused: reason }[condition]);
  cancel.hidden = !isOpen || condition !== "waiting";
}

function facts(state, used) {
  const free = Math.max(0, state.permits - used);
  const owed = Math.max(0, used - state.permits);
  return [count(state.permits, "permit"), `${free} free`, `${used} in use`,
    ...(owed ? [`${owed} owed`] : []), `at most ${Math.max(state.peak, used)} in use so far`,
    ...(state.isClosed ? ["closed"] : [])].join(" · ");
}

/* Says why the first task of the line waits, and which tasks wait with it. */
function sentence({ permits, needs }, used, { waits: [first, ...others] }) {
  const free = Math.max(0, permits - used);
  if (!first) {
    if (used) return "No task waits.";
    return needs.size ? "All permits are free."
      : "Each task takes its permits, works for 0.5 s and returns them.";
  }
  if (first.need <= free) return `Task ${first.number} is first in line and gets its permits now.`;
  const small = others.find(other => other.need <= free);
  const owed = used - permits;
  return [`Task ${first.number} is first in line and needs ${first.need}; `
    + `${free === 0 ? "none is" : free === 1 ? "1 is" : `${free} are`} free.`,
  small ? `Task ${small.number} needs only ${small.need} and waits as well: first come, first served.`
    : "",
  owed > 0 ? `${count(owed, "permit is", "permits are")} owed: returned, not reused.` : ""]
    .filter(Boolean).join(" ");
}

export default view;
