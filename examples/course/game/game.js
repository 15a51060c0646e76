// The schedule game on a page: the learner is the scheduler, and may write the program.
//
// The course opens a level or a text, and is told of each new path.
import { announce, make, setAttribute, setClass, setText } from "../code/dom.js";
import { count } from "../code/words.js";
import { ParseError, parse } from "./language.js";
import { exploreLevel, failure, isMend, isReached, levels, solution } from "./levels.js";
import { bodyOf, choices, condition, ending, operation, start, step } from "./machine.js";
import { bound, explore, findings, orders, outputs, starves } from "./search.js";

const mending = "Change the text of the program, then let the machine try all its schedules.";

/** The level of a program that the learner writes. */
export const own = {
  number: 0, title: "Your own program", goal: {},
  aim: "Write a program, choose its steps, and search all its schedules.",
  hint: "Search all schedules, then play what was found, step by step.",
  text: `queue images serial
semaphore permits 1
group downloads
var counter = 0

thread A {
  wait permits
  counter += 1
  signal permits
  async images first in downloads { work show }
  notify downloads on main alert { print "done" counter }
}
thread B {
  counter += 1
}
`,
};

/** A program as a word of an address. */
export const packed = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** The program of an address; empty if the word is none. */
export function unpacked(word) {
  try {
    const bytes = atob(word.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder().decode(Uint8Array.from(bytes, sign => sign.charCodeAt(0)));
  } catch {
    return "";
  }
}

const vocabulary = [
  ["queue q serial", "a queue; or concurrent, or concurrent 2: at most two blocks at once. main is there"],
  ["dispatch_main", "the pool runs the blocks of main; without it the main thread does"],
  ["actor a", "an actor: one piece of code at a time"],
  ["semaphore s 1", "a semaphore with one permit"],
  ["group g", "a group"],
  ["var x = 0", "a shared variable"],
  ["thread A { … }", "a thread, which runs from the start"],
  ["async q { … }", "submits a block; async q name in g { … } names it, and enters the group"],
  ["async q barrier { … }", "the same, alone on a concurrent queue; sync q barrier { … } too"],
  ["sync q { … }", "runs a block on q itself, after what q had before"],
  ["await a { … }", "in a thread: runs lines on the actor; an await inside frees it meanwhile"],
  ["wait s", "takes a permit, or waits; also for a group. wait s timeout sets timedOut"],
  ["signal s, release s", "returns a permit; destroys the semaphore"],
  ["enter g, leave g", "counts the group up and down"],
  ["notify g on q { … }", "submits a block when the group is empty"],
  ["x += 1", "a load and a store: two steps; x = 1 is a store alone"],
  ["if x == 1 { … }", "runs its lines if that holds; if x { … } if x is not 0"],
  ["loop { … }, return", "repeats its lines for ever; ends the block"],
  ["print \"text\" x", "a line of the output"],
  ["work download, sleep", "a step that takes some time: any other step can come before or after"],
];

/** The condition of an actor in a lane, by what the actor waits for; its letter is the first. */
const lane = { wait: "waiting", sync: "waiting", main: "waiting", await: "waiting", back: "waiting",
  queue: "queued" };
const control = (key, text, act) => make("button", { type: "button", "aria-keyshortcuts": key,
  onclick: act }, make("kbd", { text: key }), ` ${text}`);
const folded = (summary, more, text) => make("details", more, summary, make("p", { text }));
const scrolling = (name, ...children) =>
  make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": name }, ...children);

export class Game {
  /**
   * `onPath(path, text)` with the text of a changed program, which the host keeps,
   * also in the address of an own program (see `packed`), `onSolved(level)`,
   * `onCopy(text)`, `next` (the name of the button that leads on), `onNext()`, `hasNext(level)`,
   * and `real(pitfall)`, which returns an element that leads to a pitfall.
   */
  constructor(host) {
    this.host = host;
    this.head = make("div", { class: "schedule-head" });
    this.code = make("ol", { class: "schedule-lines", "aria-label": "The program" });
    this.actors = make("div", { class: "schedule-actors", role: "group", "aria-label": "Who steps?" });
    this.values = make("dl", {});
    this.steps = make("ol", { tabindex: "0", "aria-label": "Steps so far" });
    this.lanes = make("tbody", {});
    this.banner = make("div", { class: "schedule-banner", hidden: true });
    this.past = make("div", { class: "schedule-past" },
      make("section", { "aria-label": "Steps" }, make("h3", { text: "Steps so far" }), this.steps),
      make("section", { "aria-label": "Lanes" },
        make("h3", { text: "R runs, W waits, S sleeps, Q queued" }),
        scrolling("Lanes", make("table", { class: "schedule-lanes" },
          make("caption", { class: "hidden", text: "Each step, and who ran, waited, slept, was queued" }),
          this.lanes))));
    this.controls = make("div",
      { class: "schedule-controls", role: "group", "aria-label": "Controls" });
    this.undoButton = control("u", "Undo", () => this.undo());
    this.restartButton = control("r", "Restart", () => this.restart());
    this.nextButton = control("n", host.next, () => host.onNext());
    this.nextButton.classList.add("schedule-next");
    this.element = make("div", { class: "schedule" }, this.head, this.editorPart(),
      make("div", { class: "schedule-table" },
        make("section", { class: "schedule-code scroll", tabindex: "0", "aria-label": "Code" },
          this.code),
        make("section", { class: "schedule-turn", "aria-label": "Threads and blocks" },
          make("h3", { text: "Who steps?" }), this.actors),
        make("section", { class: "schedule-shared", "aria-label": "Shared state" },
          make("h3", { text: "Shared state" }), this.values)),
      this.banner, this.controls, this.past);
  }

  editorPart() {
    const id = "schedule-program";
    this.text = make("textarea", { id, spellcheck: "false", autocapitalize: "off",
      autocomplete: "off", onkeydown: event => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        this.take();
      } });
    this.fault = make("p", { class: "wrong schedule-fault", role: "alert" });
    this.takeButton = make("button", { type: "button", class: "primary", onclick: () => this.take() });
    this.originalButton = make("button", { type: "button", text: "Restore the original program",
      onclick: () => this.restore() });
    this.linkButton = make("button", { type: "button", text: "Copy a link to this program",
      onclick: () => this.share() });
    this.findings = make("div", { class: "schedule-findings" });
    const rows = vocabulary.map(([code, text]) =>
      make("tr", {}, make("th", { scope: "row" }, make("code", { text: code })), make("td", { text })));
    return this.editor = make("section", { class: "schedule-editor", "aria-label": "Editor" },
      make("label", { for: id, text: "The program" }), this.text, this.fault,
      make("div", { class: "schedule-controls" }, this.takeButton, this.originalButton,
        this.linkButton),
      this.findings,
      make("details", {}, make("summary", { text: "The words of the language" }),
        scrolling("Words", make("table", {},
          make("caption", { class: "hidden", text: "The words of the language" }),
          make("tbody", {}, ...rows)))));
  }

  // A level

  /** Opens a level: the ids that have stepped, the program, and the answer that was chosen. */
  open(level, path = [], text = level.text, choice = "") {
    Object.assign(this, { level, graph: null, proved: null });
    const isOwn = level === own;
    this.isEdited = isOwn || isMend(level);
    this.title = make("h2", { tabindex: "-1", text: level.title });
    this.head.replaceChildren(make("section", { class: "schedule-task" },
      make("p", { class: "schedule-number",
        text: isOwn ? "The editor" : `Level ${level.number} of ${levels.length}` }), this.title,
      make("p", { class: "remark",
        text: [level.intro, isMend(level) && mending].filter(Boolean).join(" ") }),
      make("p", { class: "schedule-aim", text: level.aim })), this.questionPart(choice));
    this.hint = folded(make("summary", { "aria-keyshortcuts": "h" }, make("kbd", { text: "h" }), " Hint"),
      { class: "schedule-hint" }, level.hint);
    this.nextButton.hidden = !this.host.hasNext(level);
    this.controls.replaceChildren(this.undoButton, this.restartButton,
      ...(this.isEdited ? [] : [make("button", { type: "button", text: "Change this program",
        onclick: () => this.host.onCopy(level.text) })]), this.hint,
      ...(this.isEdited ? [] : [folded(make("summary", { text: "A shortest schedule" }), {
        ontoggle: event => setText(event.target.lastChild,
          `Step ${solution(level, this.wholeGraph).join(", ")}.`) })]), this.nextButton);
    this.editor.hidden = !this.isEdited;
    this.text.value = text;
    this.text.rows = text.split("\n").length + 2;
    this.originalButton.hidden = !isMend(level);
    this.linkButton.hidden = !isOwn;
    setText(this.takeButton, isOwn ? "Search all schedules" : "Try to prove it");
    this.findings.replaceChildren();
    this.load(text, path);
  }

  get wholeGraph() { return this.graph ||= exploreLevel(this.level); }

  questionPart(choice) {
    const { ask, answers = [] } = this.level;
    this.answer = make("p", { class: "schedule-answer", role: "status" });
    return this.question = make("fieldset", { class: "schedule-question", hidden: !ask },
      make("legend", { text: ask }), ...answers.map((text, index) => make("label", {},
        make("input", { type: "radio", name: "schedule-answer", value: index,
          checked: String(index) === choice }), make("span", { text }))), this.answer);
  }

  /** The number of the chosen answer as a text; empty if there is none. */
  get choice() { return this.question.querySelector("input:checked")?.value ?? ""; }

  /** Parses a program and begins it. Returns false, and says why, if it is none. */
  load(text, path) {
    setText(this.fault, "");
    try {
      this.program = parse(text);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      setText(this.fault, error.message);
      return false;
    }
    this.lines = text.trimEnd().split("\n").map(line => {
      const at = make("span", { class: "at" });
      return { line, at, item: make("li", {}, at, make("code", { text: line || " " })) };
    });
    this.code.replaceChildren(...this.lines.map(({ item }) => item));
    this.follow(path);
    return true;
  }

  follow(path) {
    this.history = [];
    this.begin = start(this.program);
    for (const id of path) {
      if (!this.isReached && choices(this.program, this.state).includes(id)) this.advance(id);
    }
    this.show();
  }

  advance(id) { this.history.push({ id, ...step(this.program, this.state, id) }); }

  /** The state after a number of steps. */
  stateAfter(count) { return count ? this.history[count - 1].state : this.begin; }

  get state() { return this.stateAfter(this.history.length); }

  get path() { return this.history.map(one => one.id); }

  get isReached() {
    const { goal } = this.level;
    if (!goal.starve) return isReached(this.program, this.state, goal);
    const id = String(this.program.bodies.find(body => body.name === goal.starve).number);
    const now = JSON.stringify(this.state);
    const states = this.path.map((_, index) => this.stateAfter(index));
    return states.some((state, index) => JSON.stringify(state) === now
      && starves(this.program, states.slice(index), this.path.slice(index), id));
  }

  // Steps

  step(id) {
    if (this.isReached) return announce("The goal is reached.");
    if (!choices(this.program, this.state).includes(id)) {
      return announce(`${id} cannot step: ${this.conditionOf(id).text}.`);
    }
    this.advance(id);
    this.changed(this.history.at(-1).note, this.valueList().map(([name, value]) =>
      `${name} ${value}`).join(", ") + ".", this.isReached ? `Goal reached. ${this.level.lesson}`
      : ending(this.program, this.state) ? this.endText() : "");
    if (this.isReached) this.host.onSolved(this.level);
  }

  undo() {
    if (!this.history.pop()) return;
    this.changed(`One step back, ${this.history.length} left.`);
  }

  restart() {
    this.play([]);
    announce("From the start.");
  }

  toggleHint() {
    this.hint.open = !this.hint.open;
    if (this.hint.open) announce(this.level.hint);
  }

  /** Shows the steps after a change of them. */
  changed(...sentences) {
    this.show();
    this.host.onPath(this.path);
    announce(sentences.join(" "));
  }

  /** Handles a key of the page. */
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest("input:not([type=radio]), select, textarea, dialog")) return;
    const acts = { u: () => this.undo(), r: () => this.restart(),
      h: () => this.toggleHint(), n: () => this.nextButton.hidden || this.host.onNext() };
    if (/^[1-9]$/.test(event.key)) {
      const same = this.state.actors.map(actor => actor.id)
        .filter(id => id.split(".")[0] === event.key);
      const can = choices(this.program, this.state);
      this.step(same.find(id => can.includes(id)) || same[0] || event.key);
    } else if (acts[event.key]) acts[event.key]();
    else return;
    event.preventDefault();
  }

  // The editor

  /** Takes the program of the level back, as it was before any change. */
  restore() {
    this.text.value = this.level.text;
    this.proved = null;
    this.findings.replaceChildren();
    this.load(this.level.text, []);
    this.host.onPath([]);
    announce("The original program.");
  }

  /** Puts the program into the address, and the address on the clipboard. */
  async share() {
    this.host.onPath(this.path, this.text.value);
    const isCopied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    const text = isCopied ? "The link is copied." : "The link is the address of this page.";
    this.findings.replaceChildren(make("p", { text }));
    announce(text);
  }

  /** Takes the text: a level is proved or refuted, an own program is searched. */
  take() {
    const text = this.text.value;
    this.proved = null;
    this.findings.replaceChildren();
    if (!this.load(text, [])) return this.showBanner();
    this.host.onPath([], text);
    if (this.level !== own) return this.prove(text);
    const graph = explore(this.program);
    const found = findings(graph);
    const counted = orders(graph);
    const ends = outputs(graph).filter(one => one.end === "end" || one.end === "silent");
    const summary = !graph.isComplete
      ? `More than ${bound} states: what is not found below is not proved absent.`
      : `${graph.nodes.length} states, all searched, and ${counted
        ? count(counted.all, "order") : "orders without end"}. ${found.length ? ""
        : "No schedule deadlocks, traps, has a data race, starves a thread, loses an update or falls silent."}`;
    const play = (path, name) => make("button", { type: "button", text: "Play", "aria-label":
      `Play: ${name}`, onclick: () => {
      this.play(path);
      this.code.scrollIntoView({ block: "nearest" });
    } });
    const shown = ends.slice(0, 8);
    this.findings.replaceChildren(make("p", { text: summary }), make("ul", {},
      ...found.map(one => make("li", {}, play(one.path, one.kind), ` ${one.text}`)),
      ...shown.map(({ out, path }) => make("li", {}, play(path, `output ${out.join(", ")}`),
        out.length ? ` Output: ${out.join(", ")}` : " No output"))));
    if (ends.length > shown.length) {
      this.findings.append(make("p", { text: `And ${count(ends.length - shown.length, "more output")}.` }));
    }
    announce([summary, ...found.map(one => one.text)].join(" "));
  }

  prove(text) {
    const fault = failure(this.level, text);
    if (!fault) {
      this.proved = explore(this.program).nodes.length;
      this.show();
      this.host.onSolved(this.level);
      return announce(`Proved. ${this.level.lesson}`);
    }
    if (fault.path) this.play(fault.path);
    this.findings.replaceChildren(make("p", {},
      make("strong", { class: "wrong", text: "Not yet. " }), fault.text,
      fault.path ? ` The schedule has ${count(fault.path.length, "step")}, and is shown below.` : ""));
    announce(`Not yet. ${fault.text}`);
  }

  /** Shows a schedule that was found. */
  play(path) {
    this.follow(path);
    this.host.onPath(this.path);
  }

  // The picture of a state

  show() {
    this.showActors();
    this.showValues();
    this.showLanes();
    this.steps.replaceChildren(...this.history.map(({ note }) => make("li", { text: note })));
    this.steps.scrollTop = this.steps.scrollHeight;
    this.past.hidden = !this.history.length;
    for (const button of [this.undoButton, this.restartButton]) {
      setAttribute(button, "aria-disabled", String(!this.history.length));
    }
    this.showBanner();
  }

  /** The condition of an actor: its kind, its words, and its line if it has one. */
  conditionOf(id) {
    const { program, state } = this;
    const actor = state.actors.find(one => one.id === id);
    const body = bodyOf(program, id);
    if (!actor) {
      const isOver = state.ran[program.bodies.indexOf(body)] === "1";
      return isOver ? { kind: "finished", text: "finished" }
        : { kind: "unsubmitted", text: body ? "not submitted yet" : "there is none" };
    }
    const kind = condition(program, state, actor);
    const { name, queue, line } = operation(program, actor);
    const text = { ready: "ready", ended: "ended by the trap", queued: `queued on ${body.queue}`,
      timed: "waits; a step ends its time",
      waiting: { sync: `blocked in sync onto ${queue}`, main: "blocked in sync onto main",
        await: `suspended until ${queue} is free`, back: "suspended until its actor is free",
      }[actor.waits] ?? `waits for ${name}` }[kind];
    return { kind, text, line };
  }

  ids() {
    const copies = this.state.actors.map(actor => actor.id).filter(id => id.includes("."));
    return this.program.bodies.filter(body => body.number).flatMap(body =>
      [String(body.number), ...copies.filter(id => id.startsWith(`${body.number}.`))]);
  }

  showActors() {
    for (const { item, at } of this.lines) {
      at.replaceChildren();
      setClass(item, "is-next", false);
    }
    const focused = document.activeElement?.dataset.actor;
    this.actors.replaceChildren(...this.ids().map(id => this.actor(id)));
    this.actors.querySelector(`[data-actor="${focused}"]`)?.focus();
  }

  /** The button of an actor; marks the line of the actor. */
  actor(id) {
    const { name, queue } = bodyOf(this.program, id);
    const { kind, text, line } = this.conditionOf(id);
    const canStep = !this.isReached && choices(this.program, this.state).includes(id);
    const ready = canStep ? "is-ready" : "";
    if (line && kind !== "ended") {
      const { item, at } = this.lines[line - 1];
      at.append(make("b", { class: ready, "aria-hidden": "true", text: id }));
      setClass(item, "is-next", true);
    }
    return make("button", { type: "button", "data-actor": id, "aria-disabled": String(!canStep),
      class: `${ready} ${this.history.at(-1)?.id === id ? "has-stepped" : ""}`,
      "aria-keyshortcuts": id.length === 1 ? id : null, onclick: () => this.step(id) },
    make("kbd", { text: id }), make("span", { class: "schedule-name" },
      make("strong", { text: name }), " ", make("small", { text: queue ? `on ${queue}` : "thread" })),
    make("span", { class: "schedule-chip", "data-condition": kind, text }),
    make("code", { text: line && this.lines[line - 1].line.trim() }));
  }

  valueList(state = this.state) {
    const { program } = this;
    const operations = program.bodies.flatMap(body => body.code);
    const isUsed = name => [...program.bodies, ...operations].some(one => one.queue === name);
    const { semaphores, groups, variables, queues, actors, out } = state;
    return [
      ...Object.entries(semaphores).map(([name, free]) =>
        [name, free === null ? "released" : `${free} free`]),
      ...Object.entries(groups).map(([name, inside]) => [name, `${inside} inside`]),
      ...Object.entries(variables),
      ...Object.entries(queues).filter(([name]) => isUsed(name)).map(([name, one]) =>
        [name, `${one.running + one.callers} running, ${one.waiting.length} queued`]),
      ...actors.filter(actor => actor.frames.at(-1).locals.timedOut).map(({ id, frames }) =>
        [`timedOut of ${id}`, frames.at(-1).locals.timedOut[0] === 1]),
      ...(operations.some(one => one.op === "print") ? [["printed", out.join(", ") || "nothing"]] : []),
    ];
  }

  showValues() {
    const before = new Map(this.valueList(this.stateAfter(Math.max(0, this.history.length - 1))));
    this.values.replaceChildren(...this.valueList().map(([name, value]) =>
      make("div", { class: before.get(name) === value ? null : "is-changed" },
        make("dt", { text: name }), make("dd", { text: value }))));
  }

  showLanes() {
    this.lanes.replaceChildren(...this.ids().map(id => {
      const cells = this.history.map(one => {
        const waits = one.state.actors.find(actor => actor.id === id)?.waits;
        const stepped = one.next.op === "sleep" ? "sleeping" : "running";
        const found = lane[waits] || (one.id === id ? stepped : "");
        return make("td", { text: found.charAt(0).toUpperCase(), "data-condition": found || null });
      });
      return make("tr", {}, make("th", { scope: "row",
        text: `${id} ${bodyOf(this.program, id).name}` }), ...cells);
    }));
  }

  endText() {
    const end = ending(this.program, this.state);
    const text = { trap: `Trap: ${this.state.trap}.`,
      deadlock: "Deadlock: nothing can step, and not all has ended.",
      silent: "All has ended, and a group keeps its block.", end: "All has ended." }[end];
    return this.isEdited ? text : `${text} Another order reaches the goal: undo, or restart.`;
  }

  showBanner() {
    const isReached = this.isReached || this.proved !== null;
    this.banner.hidden = !isReached && !ending(this.program, this.state);
    setClass(this.nextButton, "primary", isReached);
    if (this.level !== own) this.mark(isReached);
    this.banner.dataset.end = isReached ? "reached" : "missed";
    this.banner.replaceChildren(...this.banner.hidden ? [] : isReached ? this.success()
      : [make("p", { text: this.endText() })]);
  }

  /** Marks the answer to the question, once the goal is reached. */
  mark(isReached) {
    const { choice, level: { answers, right } } = this;
    const isRight = choice === String(right);
    this.question.disabled = isReached;
    setClass(this.answer, "right", isReached && isRight);
    setClass(this.answer, "wrong", isReached && choice && !isRight);
    setText(this.answer, !isReached ? "" : isRight ? `✓ ${answers[right]}: right`
      : `${choice && "✗ "}It is: ${answers[right]}`);
  }

  success() {
    const { lesson, pitfall } = this.level;
    const said = (title, text) => make("p", {}, make("strong", { text: title }), `${text} ${lesson}`);
    const real = pitfall && make("p", {}, "See it for real: ", this.host.real(pitfall), ".");
    if (this.proved !== null) {
      return [said("Proved", `: no schedule fails, in any of ${count(this.proved, "state")}.`), real]
        .filter(Boolean);
    }
    const counted = orders(this.wholeGraph);
    return [
      said("Goal reached", ` in ${count(this.history.length, "step")}; a shortest schedule has `
        + `${solution(this.level, this.wholeGraph).length}.`),
      make("p", { text: counted ? `Of ${count(counted.all, "order")} of the steps, ${counted.reaching} `
        + `${counted.reaching === 1 ? "reaches" : "reach"} the goal. A test that passes may only have `
        + "seen the others."
        : "The orders of the steps are without end. A test sees a few of them." }), real,
    ].filter(Boolean);
  }
}
