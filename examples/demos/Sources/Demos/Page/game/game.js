// The schedule game on a page: the learner is the scheduler, and may write the program.
//
// A host (the board, the course) opens a level or a text, and is told of each new path. The files
// of the page's elements are the board's.
import { make, setAttribute, setClass, setText } from "../code/dom.js";
import { count } from "../code/words.js";
import { ParseError, parse } from "./language.js";
import { exploreLevel, failure, isMend, isReached, levels, solution } from "./levels.js";
import { choices, condition, ending, operation, start, step } from "./machine.js";
import { bound, explore, findings, orders, outputs, starves } from "./search.js";

/** The level of a program that the learner writes. */
export const own = {
  number: 0, title: "Your own program", goal: {},
  aim: "Write a program, choose its steps, and search all its schedules.",
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

const vocabulary = [
  ["queue q serial", "a queue; or concurrent, or concurrent 2: at most two blocks at once. main is there"],
  ["semaphore s 1", "a semaphore with one permit"],
  ["group g", "a group"],
  ["var x = 0", "a shared variable"],
  ["thread A { … }", "a thread, which runs from the start"],
  ["async q { … }", "submits a block; async q name in g { … } names it, and enters the group"],
  ["sync q { … }", "runs a block on q itself, after what q had before"],
  ["wait s", "takes a permit, or waits; also for a group. wait s timeout sets timedOut"],
  ["signal s, release s", "returns a permit; gives up the semaphore"],
  ["enter g, leave g", "counts the group up and down"],
  ["notify g on q { … }", "submits a block when the group is empty"],
  ["x += 1", "a load and a store: two steps. y = x loads into a variable of the block"],
  ["if x == 1 { … } else { … }", "also while, loop (for ever), repeat 3, return, not"],
  ["print \"text\" x", "a line of the output"],
  ["work download, sleep", "a step that takes some time: any other step can come before or after"],
];

let games = 0;

export class Game {
  /**
   * `announce(text)`, `onPath(path)`, `onSolved(level)`, `onCopy(text)`, `onNext()`, and
   * `real(pitfall)`, which returns an element that leads to a pitfall.
   */
  constructor(host) {
    this.host = host;
    this.id = `game${games += 1}`;
    this.number = make("p", { class: "schedule-number" });
    this.title = make("h2", { tabindex: "-1" });
    this.intro = make("p", { class: "remark" });
    this.aim = make("p", { class: "schedule-aim" });
    this.question = make("fieldset", { class: "schedule-question" });
    this.code = make("ol", { class: "schedule-lines", "aria-label": "The program" });
    this.actors = make("div", { class: "schedule-actors", role: "group", "aria-label": "Who steps?" });
    this.values = make("dl", {});
    this.steps = make("ol", { tabindex: "0", "aria-label": "Steps so far" });
    this.none = make("p", { class: "remark", text: "No step yet." });
    this.lanes = make("tbody", {});
    this.banner = make("div", { class: "schedule-banner", hidden: true });
    this.element = make("div", { class: "schedule" },
      make("div", { class: "schedule-head" },
        make("section", { class: "schedule-task" }, this.number, this.title, this.intro,
          this.aim),
        this.question),
      this.editorPart(),
      make("div", { class: "schedule-table" },
        make("section", { class: "schedule-code scroll", tabindex: "0", "aria-label": "Code" },
          this.code),
        make("section", { class: "schedule-turn", "aria-label": "Threads and blocks" },
          make("h3", { text: "Who steps?" }), this.actors),
        make("section", { class: "schedule-shared", "aria-label": "Shared state" },
          make("h3", { text: "Shared state" }), this.values)),
      this.banner, this.controlsPart(),
      make("div", { class: "schedule-past" },
        make("section", { "aria-label": "Steps" }, make("h3", { text: "Steps so far" }), this.none,
          this.steps),
        this.lanesPart = make("section", { "aria-label": "Lanes" },
          make("h3", { text: "R runs, W waits, Q queued" }),
          make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Lanes" },
            make("table", { class: "schedule-lanes" },
              make("caption", { class: "hidden", text: "Each step, and who ran, waited, was queued" }),
              this.lanes)))));
  }

  editorPart() {
    const id = `${this.id}-program`;
    this.text = make("textarea", { id, spellcheck: "false", autocapitalize: "off", rows: 16,
      autocomplete: "off", onkeydown: event => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        this.take();
      } });
    this.fault = make("p", { class: "wrong schedule-fault", role: "alert" });
    this.takeButton = make("button", { type: "button", class: "primary", onclick: () => this.take() });
    this.findings = make("div", { class: "schedule-findings" });
    const rows = vocabulary.map(([code, text]) =>
      make("tr", {}, make("th", { scope: "row" }, make("code", { text: code })), make("td", { text })));
    return this.editor = make("section", { class: "schedule-editor", "aria-label": "Editor" },
      make("label", { for: id, text: "The program" }), this.text, this.fault,
      make("div", { class: "schedule-controls" }, this.takeButton),
      this.findings,
      make("details", {}, make("summary", { text: "The words of the language" }),
        make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Words" },
          make("table", {}, make("caption", { class: "hidden", text: "The words of the language" }),
            make("tbody", {}, ...rows)))));
  }

  controlsPart() {
    const control = (key, text, act) => make("button", {
      type: "button", "aria-keyshortcuts": key, onclick: act,
    }, make("kbd", { text: key }), ` ${text}`);
    this.undoButton = control("u", "Undo", () => this.undo());
    this.restartButton = control("r", "Restart", () => this.restart());
    this.hintButton = control("h", "Hint", () => this.showHint(this.hint.hidden));
    this.nextButton = control("n", "Next", () => this.host.onNext());
    this.hint = make("p", { class: "schedule-hint", id: `${this.id}-hint`, hidden: true });
    this.hintButton.setAttribute("aria-controls", this.hint.id);
    this.solution = make("p", {});
    this.spoiler = make("details", { ontoggle: () => this.showSolution() },
      make("summary", { text: "A shortest schedule" }), this.solution);
    this.copyButton = make("button", { type: "button", text: "Change this program",
      onclick: () => this.host.onCopy(this.level.text) });
    return make("div", {}, make("div", {
      class: "schedule-controls", role: "group", "aria-label": "Controls",
    }, this.undoButton, this.restartButton, this.hintButton, this.nextButton, this.copyButton,
    this.spoiler), this.hint);
  }

  // A level

  /** Opens a level, or a text of the learner, with the ids that have stepped. */
  open(level, path = [], text = level.text) {
    this.level = level;
    this.graph = null;
    const isOwn = level === own;
    this.isEdited = isOwn || isMend(level);
    setText(this.number, isOwn ? "The editor" : `Level ${level.number} of ${levels.length}`);
    setText(this.title, level.title);
    setText(this.intro, level.intro || "");
    setText(this.aim, level.aim);
    this.question.hidden = isOwn;
    if (!isOwn) this.ask();
    this.editor.hidden = !this.isEdited;
    this.text.value = text;
    setText(this.takeButton, isOwn ? "Search all schedules" : "Try to prove it");
    this.findings.replaceChildren();
    this.spoiler.hidden = this.isEdited;
    this.spoiler.open = false;
    this.hintButton.hidden = isOwn;
    this.copyButton.hidden = this.isEdited;
    this.proved = null;
    this.showHint(false);
    this.load(text, path);
  }

  ask() {
    const { ask, answers } = this.level;
    this.answer = make("p", { class: "schedule-answer", role: "status" });
    this.question.replaceChildren(make("legend", { text: ask }), ...answers.map((text, index) =>
      make("label", {}, make("input", { type: "radio", name: `${this.id}-answer`, value: index }),
        make("span", { text }))), this.answer);
  }

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
    const { program } = this;
    this.lines = program.source.map(line => ({ at: make("span", { class: "at" }), line }));
    this.code.replaceChildren(...this.lines.map(({ at, line }) =>
      make("li", {}, at, make("code", { text: line || " " }))));
    while (this.code.lastChild?.textContent.trim() === "") this.code.lastChild.remove();
    this.follow(path);
    return true;
  }

  follow(path) {
    this.states = [start(this.program)];
    this.path = [];
    this.notes = [];
    for (const id of path) {
      if (!this.isReached && choices(this.program, this.state).includes(id)) this.advance(id);
    }
    this.show();
  }

  advance(id) {
    const { state, note } = step(this.program, this.state, id);
    this.states.push(state);
    this.path.push(id);
    this.notes.push(note);
  }

  get state() { return this.states[this.states.length - 1]; }

  get isReached() {
    const { goal } = this.level;
    if (goal.mend) return false;
    if (!goal.starve) return isReached(this.program, this.state, goal);
    const id = String(this.program.bodies.find(body => body.name === goal.starve).number);
    const now = JSON.stringify(this.state);
    return this.states.slice(0, -1).some((state, index) => JSON.stringify(state) === now
      && starves(this.program, this.states.slice(index, -1), this.path.slice(index), id));
  }

  // Steps

  step(id) {
    const actor = this.state.actors.find(one => one.id === id);
    if (this.isReached) return this.host.announce("The goal is reached.");
    if (!actor || !choices(this.program, this.state).includes(id)) {
      return this.host.announce(`${id} cannot step: ${this.conditionOf(id).text}.`);
    }
    this.advance(id);
    this.show();
    this.host.onPath(this.path);
    const isOver = ending(this.program, this.state);
    if (this.isReached) this.host.onSolved(this.level);
    this.host.announce([this.notes[this.notes.length - 1], this.valueList().map(([name, value]) =>
      `${name} ${value}`).join(", ") + ".", this.isReached ? `Goal reached. ${this.level.lesson}`
      : isOver ? this.endText() : ""].join(" "));
  }

  undo() {
    if (!this.path.length) return;
    for (const list of [this.states, this.path, this.notes]) list.pop();
    this.show();
    this.host.onPath(this.path);
    this.host.announce(`One step back, ${this.path.length} left.`);
  }

  restart() {
    this.follow([]);
    this.host.onPath(this.path);
    this.host.announce("From the start.");
  }

  /** Handles a key of the page. */
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest("input:not([type=radio]), select, textarea, dialog")) return;
    const acts = { u: () => this.undo(), r: () => this.restart(),
      h: () => this.hintButton.hidden || this.showHint(this.hint.hidden),
      n: () => this.nextButton.hidden || this.host.onNext() };
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

  /** Takes the text: a level is proved or refuted, an own program is searched. */
  take() {
    const text = this.text.value;
    this.findings.replaceChildren();
    if (!this.load(text, [])) return;
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
        : "No schedule deadlocks, traps, starves a thread, loses an update or falls silent."}`;
    const play = (path, name) => make("button", { type: "button", text: "Play", "aria-label":
      `Play: ${name}`, onclick: () => {
      this.follow(path);
      this.host.onPath(this.path);
      this.code.scrollIntoView({ block: "nearest" });
    } });
    const shown = ends.slice(0, 8);
    this.findings.replaceChildren(make("p", { text: summary }), make("ul", {},
      ...found.map(one => make("li", {}, play(one.path, one.kind), ` ${one.text}`)),
      ...shown.map(({ out, path }) => make("li", {}, play(path, `output ${out.join(", ")}`),
        out.length ? ` Output: ${out.join(", ")}` : " No output"))));
    if (ends.length > shown.length) {
      this.findings.append(make("p", { text: `And ${ends.length - shown.length} more outputs.` }));
    }
    this.host.announce([summary, ...found.map(one => one.text)].join(" "));
  }

  prove(text) {
    const fault = failure(this.level, text);
    this.proved = fault ? null : explore(this.program).nodes.length;
    if (fault?.path) {
      this.follow(fault.path);
      this.host.onPath(this.path, text);
    } else this.show();
    if (!fault) this.host.onSolved(this.level);
    this.findings.replaceChildren(...(fault ? [make("p", {},
      make("strong", { class: "wrong", text: "Not yet. " }), fault.text,
      fault.path ? ` The schedule has ${count(fault.path.length, "step")}, and is shown below.`
        : "")] : [make("p", { class: "right", text: "Proved: no schedule fails." })]));
    this.host.announce(fault ? `Not yet. ${fault.text}` : `Proved. ${this.level.lesson}`);
  }

  // The picture of a state

  show() {
    this.showActors();
    this.showValues();
    this.showLanes();
    this.steps.replaceChildren(...this.notes.map(text => make("li", { text })));
    this.steps.scrollTop = this.steps.scrollHeight;
    this.steps.hidden = this.notes.length === 0;
    this.lanesPart.hidden = this.notes.length === 0;
    this.none.hidden = this.notes.length > 0;
    for (const button of [this.undoButton, this.restartButton]) {
      setAttribute(button, "aria-disabled", String(!this.path.length));
    }
    this.showBanner();
  }

  conditionOf(id) {
    const { state } = this;
    const actor = state.actors.find(one => one.id === id);
    const body = this.program.bodies.find(one => String(one.number) === id.split(".")[0]);
    if (!actor) {
      const isOver = state.ran[this.program.bodies.indexOf(body)] === "1";
      return isOver ? { kind: "finished", text: "finished" }
        : { kind: "unsubmitted", text: "not submitted yet" };
    }
    const kind = condition(this.program, state, actor);
    const next = operation(this.program, actor);
    const text = { ready: "ready", ended: "ended by the trap", waiting: `waits for ${next.name}`,
      timed: "waits; a step ends its time",
      queued: actor.waits === "sync" ? `waits for ${next.queue}` : `queued on ${body.queue}` }[kind];
    return { kind, text, line: next.line, isTurn: true };
  }

  ids() {
    const copies = this.state.actors.map(actor => actor.id).filter(id => id.includes("."));
    return this.program.bodies.filter(body => body.number).flatMap(body =>
      [String(body.number), ...copies.filter(id => id.startsWith(`${body.number}.`))]);
  }

  showActors() {
    const can = this.isReached ? [] : choices(this.program, this.state);
    for (const { at } of this.lines) at.replaceChildren();
    const ids = this.ids();
    // The buttons stay while their ids do, so that the focus stays.
    if (this.actors.dataset.ids !== ids.join()) {
      this.actors.dataset.ids = ids.join();
      this.actors.replaceChildren(...ids.map(id => this.button(id)));
    }
    ids.forEach((id, index) => {
      const button = this.actors.children[index];
      const found = this.conditionOf(id);
      setAttribute(button, "aria-disabled", String(!can.includes(id)));
      setClass(button, "is-ready", can.includes(id));
      setClass(button, "has-stepped", this.path[this.path.length - 1] === id);
      const body = this.program.bodies.find(one => String(one.number) === id.split(".")[0]);
      setText(button.querySelector("strong"), body.name);
      setText(button.querySelector("small"), body.queue ? `on ${body.queue}` : "thread");
      const chip = button.querySelector(".schedule-chip");
      setText(chip, found.text);
      setAttribute(chip, "data-condition", found.kind);
      const line = found.isTurn ? this.program.source[found.line - 1].trim() : "";
      setText(button.querySelector("code"), line);
      if (!found.isTurn || found.kind === "ended") return;
      this.lines[found.line - 1].at.append(
        make("b", { class: can.includes(id) ? "is-ready" : "", "aria-hidden": "true", text: id }));
    });
    for (const { at } of this.lines) setClass(at.parentNode ?? at, "is-next", at.children.length > 0);
  }

  button(id) {
    const key = id.split(".")[0];
    return make("button", { type: "button", onclick: () => this.step(id),
      "aria-keyshortcuts": key.length === 1 ? key : null },
    make("kbd", { text: id }), make("span", { class: "schedule-name" }, make("strong", {}), " ",
      make("small", {})), make("span", { class: "schedule-chip" }), make("code", {}));
  }

  valueList(state = this.state) {
    const { program } = this;
    const list = [];
    for (const [name, count] of Object.entries(state.semaphores)) {
      list.push([name, count === null ? "released" : count]);
    }
    for (const [name, count] of Object.entries(state.groups)) list.push([name, `${count} inside`]);
    list.push(...Object.entries(state.variables));
    for (const [name, { running, waiting }] of Object.entries(state.queues)) {
      const isUsed = program.bodies.some(body => body.queue === name
        || body.code.some(next => next.queue === name));
      if (!isUsed) continue;
      const ready = running ? "busy" : "free";
      list.push([name, program.queues[name].isConcurrent ? `${running} run, ${waiting.length} queued`
        : `${ready}, ${waiting.length} queued`]);
    }
    for (const actor of state.actors) {
      const { locals } = actor.frames[actor.frames.length - 1];
      for (const [name, [value]] of Object.entries(locals)) {
        if (name) list.push([`${name} of ${actor.id}`, name === "timedOut" ? value === 1 : value]);
      }
    }
    if (program.bodies.some(body => body.code.some(next => next.op === "print"))) {
      list.push(["printed", state.out.join(", ") || "nothing"]);
    }
    return list;
  }

  showValues() {
    const before = new Map(this.states.length > 1
      ? this.valueList(this.states[this.states.length - 2]) : []);
    this.values.replaceChildren(...this.valueList().map(([name, value]) => {
      const isChanged = this.states.length > 1 && before.get(name) !== value;
      return make("div", { class: isChanged ? "is-changed" : null },
        make("dt", { text: name }), make("dd", { text: value }));
    }));
  }

  showLanes() {
    const letters = { wait: "W", sync: "Q", queue: "Q" };
    this.lanes.replaceChildren(...this.ids().map(id => {
      const cells = this.path.map((stepped, index) => {
        const waits = this.states[index + 1].actors.find(one => one.id === id)?.waits;
        const letter = letters[waits] || (stepped === id ? "R" : "");
        return make("td", { text: letter, "data-lane": letter || null });
      });
      const body = this.program.bodies.find(one => String(one.number) === id.split(".")[0]);
      return make("tr", {}, make("th", { scope: "row", text: `${id} ${body.name}` }), ...cells);
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
    const isOver = isReached || ending(this.program, this.state) !== "";
    this.banner.hidden = !isOver;
    setClass(this.nextButton, "primary", isReached);
    if (this.level !== own) this.mark(isReached);
    if (!isOver) return;
    this.banner.dataset.end = isReached ? "reached" : "missed";
    this.banner.replaceChildren(...(this.proved !== null ? this.proofText()
      : isReached ? this.success() : [make("p", { text: this.endText() })]));
  }

  /** Marks the answer to the question, once the goal is reached. */
  mark(isReached) {
    const { answers, right } = this.level;
    const chosen = this.question.querySelector("input:checked");
    this.question.disabled = isReached;
    const isRight = chosen !== null && Number(chosen.value) === right;
    setClass(this.answer, "right", isReached && isRight);
    setClass(this.answer, "wrong", isReached && chosen !== null && !isRight);
    setText(this.answer, !isReached ? "" : isRight ? `✓ ${answers[right]}: right`
      : chosen ? `✗ It is: ${answers[right]}` : `It is: ${answers[right]}`);
  }

  success() {
    this.graph ||= exploreLevel(this.level);
    const counted = orders(this.graph);
    return [
      make("p", {}, make("strong", { text: "Goal reached" }),
        ` in ${count(this.path.length, "step")}; a shortest schedule has `
          + `${solution(this.level, this.graph).length}. ${this.level.lesson}`),
      make("p", { text: counted ? `Of ${counted.all} orders of the steps, ${counted.reaching} reach `
        + "the goal. A test that passes may only have seen the others."
        : "The orders of the steps are without end. A test sees a few of them." }),
      this.realPart(),
    ].filter(Boolean);
  }

  proofText() {
    return [make("p", {}, make("strong", { text: "Proved" }),
      `: no schedule fails, in any of ${count(this.proved, "state")}. ${this.level.lesson}`),
    this.realPart()].filter(Boolean);
  }

  realPart() {
    const { pitfall } = this.level;
    return pitfall ? make("p", {}, "See it for real: ", this.host.real(pitfall), ".") : null;
  }

  showSolution() {
    if (!this.spoiler.open || this.isEdited) return;
    this.graph ||= exploreLevel(this.level);
    setText(this.solution, `Step ${solution(this.level, this.graph).join(", ")}.`);
  }

  showHint(isShown) {
    setText(this.hint, isShown ? `Hint: ${this.level.hint}` : "");
    this.hint.hidden = !isShown;
    this.hintButton.setAttribute("aria-expanded", String(isShown));
    if (isShown) this.host.announce(this.hint.textContent);
  }
}
