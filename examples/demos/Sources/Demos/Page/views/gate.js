// The screen of the gate: permits as tokens in a tray, and the tasks that take them.
//
// From top to bottom: the waiting line, the tray, the tasks inside, the tasks that are done. A
// token is one element all its life: it moves from the tray to its task, and back.
import { arrange, make, setClass, setText } from "../code/dom.js";
import { count } from "../code/words.js";
import { apply, initial, owed, sentence } from "./gate/state.js";
import { Tray } from "./gate/tray.js";
import { glide } from "./shared/motion.js";

let board;
let parts;
let tray;
let cards = new Map();
let tokens = new Map();
let said = "";

function build(root, ofBoard) {
  board = ofBoard;
  cards = new Map();
  tokens = new Map();
  tray = new Tray(ask);
  parts = {
    line: make("ol", { class: "gate-line" }),
    inside: make("ul", { class: "gate-inside" }),
    past: make("ul", { class: "gate-past" }),
    why: make("p", { class: "gate-why" }),
    close: make("button", {
      class: "gate-close", type: "button", text: "Close the gate",
      onclick: () => board.send("close", 1),
    }),
    state: make("span", { class: "gate-state" }),
    next: make("span", { class: "gate-next" }),
    facts: make("p", { class: "gate-facts" }),
  };
  parts.stage = make("div", { class: "gate" },
    zone("Waiting line", "first come, first served", parts.line),
    make("section", { class: "gate-zone gate-gate", "aria-label": "The gate",
      "data-key": "zone Gate" },
      make("div", { class: "gate-head" },
        heading("Gate", ""), parts.state, parts.next, parts.close),
      tray.element, parts.facts, parts.why),
    zone("Inside", "at work with their permits", parts.inside),
    zone("Done", "served or refused", parts.past));
  root.append(parts.stage);
  // Before any run the tray shows the knob of the form.
  document.addEventListener("input", () => {
    if (parts.shown && !parts.run) render(...parts.shown);
  });
}

function heading(title, remark) {
  return make("h3", { text: title },
    ...(remark ? [make("small", { text: ` ${remark}` })] : []));
}

function zone(title, remark, list) {
  const empty = make("p", { class: "gate-empty", text: "No task." });
  return make("section", { class: "gate-zone", "aria-label": title, "data-key": `zone ${title}` },
    heading(title, remark), list, empty);
}

// Resizes the gate of the run; without a run, sets the knob for the next one.
function ask(permits) {
  if (parts.isRunning) return board.send("resize", permits);
  board.set("max", String(permits));
  return render(...parts.shown);
}

function render(state, moment) {
  parts.shown = [state, moment];
  parts.isRunning = moment.isRunning;
  if (parts.run !== moment.run) tray.forget();
  parts.run = moment.run;
  if (!moment.run) state = initial({ knobs: { max: board.values().max || "4" } });
  // A simulated run takes no commands.
  const controls = moment.isRunning && moment.isLive && !board.isFollower
    && !moment.run.virtual;
  const canAsk = moment.isRunning ? controls && !state.isClosed : !board.isFollower;
  tray.show(state.permits, owed(state), canAsk);
  move(state, controls);
  parts.close.hidden = !controls;
  parts.close.disabled = state.isClosed;
  setClass(parts.stage, "is-closed", state.isClosed);
  setText(parts.state, state.isClosed ? "Closed" : "");
  setText(parts.next, tray.wanted && !moment.isRunning
    ? `The next run has ${count(tray.wanted, "permit", "permits")}.` : "");
  setText(parts.why, sentence(state));
  setText(parts.facts, facts(state));
  if (moment.isRunning && moment.isLive && state.lastSaid !== said) {
    said = state.lastSaid;
    if (said) board.announce(said);
  }
}

function facts(state) {
  const debt = owed(state);
  return [
    count(state.permits, "permit", "permits"), `${state.free.length} free`,
    `${state.inUse} in use`, ...(debt ? [`${debt} owed`] : []),
    `at most ${state.peak} in use so far`,
  ].join(" · ");
}

// Arranges the cards and tokens, and lets those that moved glide. A state that looks like the
// last one costs nothing, and does not disturb a motion that goes on.
function move(state, controls) {
  const numbers = tasks => tasks.map(task => [task.number, task.need, ...task.tokens]);
  const look = JSON.stringify([controls, state.permits, state.free, numbers(state.line),
    numbers(state.inside), numbers(state.served), numbers(state.refused)]);
  if (parts.look === look) return;
  parts.look = look;
  glide(parts.stage, board.isReduced(), () => {
    tray.fill(state.free.map(id => token(id)));
    showLists(state, controls);
  });
}

function token(id) {
  if (!tokens.has(id)) {
    tokens.set(id, make("span", { class: "gate-token", "data-key": `token ${id}` }));
  }
  return tokens.get(id);
}

function showLists(state, controls) {
  showCards(parts.line, state.line, "waits", controls);
  showCards(parts.inside, state.inside, "works", false);
  const past = [...state.served, ...state.refused].sort((a, b) => a.number - b.number);
  arrange(parts.past, past.map(task => {
    return fillCard(card(task), task, task.reason ? "refused" : "done", false);
  }));
  for (const [list, length] of [
    [parts.line, state.line.length], [parts.inside, state.inside.length],
    [parts.past, past.length],
  ]) list.nextElementSibling.hidden = length > 0;
  const isAtStart = state.inside.length + past.length === 0;
  holdPlace(parts.line.parentElement, isAtStart);
}

/* The tray keeps its place when the line gets shorter: a handle that moves away is not taken. */
function holdPlace(zone, isAtStart) {
  zone.style.minHeight = isAtStart ? "" : zone.offsetHeight + "px";
}

function showCards(list, tasks, condition, controls) {
  arrange(list, tasks.map(task => fillCard(card(task), task, condition, controls)));
}

function card(task) {
  if (!cards.has(task.number)) cards.set(task.number, makeCard(task.number));
  return cards.get(task.number);
}

function makeCard(number) {
  return make("li", { class: "gate-task", "data-key": `task ${number}` },
    make("span", { class: "gate-letter", "aria-hidden": "true" }),
    make("span", { class: "gate-name", text: `Task ${number}` }),
    make("span", { class: "gate-notches", "aria-hidden": "true" }),
    make("span", { class: "gate-words" }),
    make("button", {
      type: "button", class: "gate-cancel", text: "Cancel", "aria-label": `Cancel task ${number}`,
      onclick: () => board.send("cancel", number),
    }));
}

const letters = { waits: "W", works: "R", done: "D", refused: "\u00d7" };

function fillCard(element, task, condition, controls) {
  const [letter, , notches, words, cancel] = element.children;
  if (element.dataset.condition !== condition) element.dataset.condition = condition;
  setText(letter, letters[condition]);
  const isPast = condition === "done" || condition === "refused";
  fillNotches(notches, isPast ? 0 : task.need, task.tokens);
  setText(words, phrase(task, condition));
  cancel.hidden = !controls;
  return element;
}

function fillNotches(notches, need, held) {
  while (notches.children.length > need) notches.lastElementChild.remove();
  while (notches.children.length < need) {
    notches.append(make("span", { class: "gate-notch" }));
  }
  [...notches.children].forEach((notch, index) => {
    arrange(notch, index < held.length ? [token(held[index])] : []);
  });
}

function phrase(task, condition) {
  if (condition === "waits") return `needs ${task.need}`;
  if (condition === "works") return `has ${task.need}`;
  if (condition === "done") return "served";
  return task.reason;
}

export default { build, initial, apply, render };
