// The screen of the schedule game: the learner is the scheduler.
//
// No run of the server: a step follows the list of states that came with the page. After each
// step the timeline gets the events of the whole path, so its scrubber goes through the game, and
// a step taken from an earlier moment continues from there.
import { make, setAttribute, setClass, setText } from "../code/dom.js";
import { count } from "../code/words.js";
import { address, conditions, follow, located, orders } from "./schedule/level.js";
import { events, stepOf } from "./schedule/events.js";
import { keep, kept } from "../code/kept.js";
import { Games } from "./schedule/games.js";
import { Predictions } from "./schedule/predict.js";
import { Table } from "./schedule/table.js";

const solvedPlace = "weir-board-solved";

class Screen {
  constructor(root, board) {
    this.board = board;
    this.levels = board.data.levels;
    this.solved = new Set(kept(solvedPlace));
    this.table = new Table(thread => this.step(thread));
    this.predictions = new Predictions();
    this.games = new Games(hash => this.openAddress(hash));
    this.build(root);
    document.addEventListener("keydown", event => this.press(event));
    // The link that skips to the page has a hash too.
    window.addEventListener("hashchange", () => {
      if (/^#\d/.test(location.hash)) this.openAddress(location.hash);
    });
  }

  // The page

  build(root) {
    this.tabs = this.levels.map(level => make("button", {
      type: "button", onclick: () => this.open(level, []),
    }, make("b", {}), make("span", { text: level.title })));
    this.number = make("p", { class: "schedule-number" });
    this.title = make("h2", { tabindex: "-1" });
    this.goal = make("p", { class: "schedule-goal" });
    this.banner = make("div", { class: "schedule-banner", hidden: true });
    root.append(make("div", { class: "schedule" },
      make("p", { class: "schedule-lead", text: "Concurrent code breaks if its steps come in an "
        + "order that nobody thought of. Find that order: choose the thread that takes the next "
        + "step, by a click or by its number." }),
      make("nav", { class: "schedule-levels", "aria-label": "Levels" }, ...this.tabs),
      make("div", { class: "schedule-head" },
        make("section", { class: "schedule-task" }, this.number, this.title, this.goal),
        this.predictions.element),
      this.table.element, this.banner, this.buildControls(), this.games.element));
  }

  buildControls() {
    const control = (key, text, act) => make("button", {
      type: "button", "aria-keyshortcuts": key, onclick: act,
    }, make("kbd", { text: key }), ` ${text}`);
    this.undoButton = control("u", "Undo", () => this.undo());
    this.restartButton = control("r", "Restart", () => this.restart());
    this.hintButton = control("h", "Hint", () => this.toggleHint());
    this.nextButton = control("n", "Next level", () => this.next());
    this.hint = make("p", { class: "schedule-hint", id: "schedule-hint", hidden: true });
    this.hintButton.setAttribute("aria-controls", "schedule-hint");
    this.solution = make("p", {});
    this.spoiler = make("details", {}, make("summary", { text: "A shortest schedule" }),
      this.solution);
    return make("div", {}, make("div", {
      class: "schedule-controls", role: "group", "aria-label": "Controls",
    }, this.undoButton, this.restartButton, this.hintButton, this.nextButton, this.spoiler),
    this.hint);
  }

  // The game

  openAddress(hash) {
    const { level, path } = located(this.levels, hash);
    this.open(level, path);
  }

  open(level, path) {
    this.level = level;
    this.begin(path);
    this.table.open(level);
    setText(this.number, `Level ${level.number} of ${this.levels.length}`);
    setText(this.title, level.title);
    setText(this.goal, level.goal);
    setText(this.solution, `Threads ${level.solution.join(", ")}.`);
    this.spoiler.open = false;
    this.predictions.clear();
    this.showHint(false);
    this.show(this.path);
    this.replay();
  }

  begin(path) {
    this.path = path;
    this.undone = 0;
    this.isCounted = follow(this.level, path).isOver;
  }

  step(thread) {
    const state = follow(this.level, this.shown);
    if (!state.steps.some(step => step.thread === thread)) return this.refuse(state, thread);
    this.undone += this.path.length - this.shown.length;
    this.path = [...this.shown, thread];
    const after = follow(this.level, this.path);
    this.replay();
    if (after.isOver) this.finish(after);
    const values = this.level.names.map((name, index) => `${name} ${after.values[index]}`);
    const end = after.isReached ? ` Goal reached. ${this.level.lesson}`
      : after.isOver ? " Goal missed." : "";
    this.board.announce(`${after.notes[after.notes.length - 1]} ${values.join(", ")}.${end}`);
  }

  refuse(state, thread) {
    const condition = state.conditions[thread];
    if (state.isReached) this.board.announce("The goal is reached.");
    else if (condition) {
      this.board.announce(`${thread + 1} cannot step: ${conditions[condition]}.`);
    }
  }

  finish(state) {
    if (state.isReached) {
      this.solved.add(this.level.number);
      keep(solvedPlace, [...this.solved]);
      this.showTabs();
    }
    if (this.isCounted) return;
    this.isCounted = true;
    this.games.add({
      number: this.level.number, title: this.level.title, steps: this.path.length,
      undone: this.undone, shortest: this.level.solution.length, isReached: state.isReached,
      predicted: this.predictions.predicted, hash: address(this.level, this.path),
    });
  }

  undo() {
    if (!this.shown.length) return;
    this.undone += 1 + this.path.length - this.shown.length;
    this.path = this.shown.slice(0, -1);
    this.isCounted = false;
    this.replay();
    this.board.announce(`One step back, ${this.path.length} left.`);
  }

  restart() {
    this.begin([]);
    this.replay();
    this.board.announce("From the start.");
  }

  next() {
    const next = this.levels[this.levels.indexOf(this.level) + 1];
    if (!next) return;
    this.open(next, []);
    this.title.focus();
    this.board.announce(`Level ${next.number}: ${next.title}. ${next.goal}`);
  }

  toggleHint() {
    this.showHint(this.hint.hidden);
    if (!this.hint.hidden) this.board.announce(this.hint.textContent);
  }

  /** Gives the timeline the events of the path, and the address its steps. */
  replay() {
    this.board.replay(events(this.level, this.path));
    const place = location.pathname + location.search + address(this.level, this.path);
    history.replaceState(history.state, "", place);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest("input:not([type=range]), select, textarea, dialog")) return;
    const acts = { u: () => this.undo(), r: () => this.restart(), h: () => this.toggleHint(),
      n: () => this.next() };
    const number = Number(event.key);
    if (number >= 1 && number <= this.level.threads.length) this.step(number - 1);
    else if (acts[event.key]) acts[event.key]();
    else return;
    event.preventDefault();
  }

  // The picture of a state

  show(path) {
    this.shown = path;
    const state = follow(this.level, path);
    this.table.show(state);
    const hasBegun = path.length > 0;
    for (const button of [this.undoButton, this.restartButton]) {
      setAttribute(button, "aria-disabled", String(!hasBegun));
    }
    this.nextButton.hidden = this.level === this.levels[this.levels.length - 1];
    setClass(this.nextButton, "primary", state.isReached);
    this.showBanner(state);
    this.predictions.show(this.level, state);
    this.showTabs();
  }

  showBanner(state) {
    this.banner.hidden = !state.isOver;
    const look = state.isOver ? `${this.level.number} ${state.isReached} ${state.path}` : "";
    if (this.bannerLook === look) return;
    this.bannerLook = look;
    this.banner.dataset.end = state.isReached ? "reached" : "missed";
    this.banner.replaceChildren(...(state.isReached ? this.success(state) : this.miss()));
  }

  success(state) {
    const { all, reaching } = orders(this.level);
    return [
      make("p", {}, make("strong", { text: "Goal reached" }),
        ` in ${count(state.path.length, "step", "steps")}. ${this.level.lesson}`),
      make("p", { text: `Of ${all} orders of the steps, ${reaching} reach the goal. A test that `
        + "passes may only have seen the others." }),
      make("p", {}, "See it for real: ",
        make("a", { href: `./pitfalls?name=${this.level.pitfall}`, text: this.level.pitfall }),
        "."),
    ];
  }

  miss() {
    return [make("p", {}, make("strong", { text: "Goal missed" }),
      ". No thread can step. Another order reaches it: undo, or restart.")];
  }

  showTabs() {
    this.tabs.forEach((tab, index) => {
      const level = this.levels[index];
      const isSolved = this.solved.has(level.number);
      setClass(tab, "is-solved", isSolved);
      setText(tab.firstChild, isSolved ? "\u2713" : level.number);
      setAttribute(tab, "aria-current", level === this.level ? "true" : null);
      setAttribute(tab, "aria-label", `Level ${level.number}: ${level.title}`
        + (isSolved ? ", reached" : ""));
    });
  }

  showHint(isShown) {
    setText(this.hint, isShown ? `Hint: ${this.level.hint}` : "");
    this.hint.hidden = !isShown;
    this.hintButton.setAttribute("aria-expanded", String(isShown));
  }
}

let screen = null;

export default {
  ownsRun: true,
  unit: "steps",
  keys: "1234urhn",
  build(root, board) {
    screen = new Screen(root, board);
    screen.openAddress(location.hash);
  },
  initial() { return { path: [] }; },
  apply(state, message) {
    const thread = stepOf(message);
    if (thread !== null) state.path.push(thread);
  },
  render(state, moment) {
    if (screen?.level) screen.show(moment.isLive ? screen.path : state.path);
  },
};
