// The screen of the pitfalls: a mistake that runs for real, and the same code fixed.
//
// The line at fault, the fixed code and the explanation come only after both runs: the learner
// predicts and watches first.
import { make, setAttribute, setClass, setText } from "../code/dom.js";
import { keep, kept } from "../code/kept.js";
import { codeFigure } from "../code/listings.js";
import { applyStep, emptyRun, nameOf, Run, symptoms } from "./pitfalls/run.js";

const seenPlace = "weir-board-pitfalls";

class Screen {
  constructor(root, board) {
    this.board = board;
    this.pitfalls = board.data.pitfalls;
    this.seen = kept(seenPlace);
    this.runs = { broken: new Run("Broken run"), fixed: new Run("Fixed run") };
    this.build(root);
    this.open();
  }

  /** Goes to the pitfall of the address. */
  open() {
    const { name } = this.board.values();
    this.choose(this.pitfalls.find(one => one.name === name) ?? this.pitfall ?? this.pitfalls[0]);
  }

  // The page

  build(root) {
    this.items = this.pitfalls.map(pitfall => make("button", {
      type: "button", title: pitfall.title, onclick: () => this.choose(pitfall, true),
    }, make("b"), make("span", { text: pitfall.name })));
    this.title = make("h2", { tabindex: "-1" });
    this.expected = make("p");
    this.code = make("div");
    this.radios = make("div", { class: "pitfalls-symptoms" });
    this.answer = make("p", { class: "pitfalls-answer", tabindex: "-1" });
    this.start = make("button", { type: "button", class: "primary", "aria-keyshortcuts": "s",
      text: "Start both runs", onclick: () => this.begin() });
    this.stop = make("button", { type: "button", "aria-keyshortcuts": "x", text: "Stop",
      onclick: () => this.board.stop() });
    this.fieldset = make("fieldset", {},
      make("legend", { text: "Predict: what will the broken version show?" }), this.radios);
    this.why = make("div", { class: "pitfalls-pair pitfalls-why" });
    root.append(make("div", { class: "pitfalls" },
      make("nav", { class: "levels", "aria-label": "Pitfalls" }, ...this.items),
      make("header", { class: "pitfalls-head" }, this.title, this.expected), this.code,
      make("div", { class: "pitfalls-predict" }, this.fieldset,
        make("div", { class: "actions" }, ...(this.board.isFollower ? []
          : [this.start, this.stop]), this.answer)),
      make("div", { class: "pitfalls-pair" }, this.runs.broken.element, this.runs.fixed.element),
      this.why));
    document.addEventListener("keydown", event => this.press(event));
  }

  press(event) {
    const isText = event.target.closest("input:not([type=radio]), select, textarea, dialog");
    if (event.ctrlKey || event.metaKey || event.altKey || isText) return;
    if (event.key === "s") this.start.click();
    else if (event.key === "x") this.stop.click();
  }

  // The choice

  choose(pitfall, isAsked = false) {
    if (pitfall === this.pitfall) return;
    this.pitfall = pitfall;
    setText(this.title, pitfall.title);
    setText(this.expected, `One would expect: ${pitfall.expectation}`);
    this.radios.replaceChildren(...Object.keys(symptoms).map(symptom => make("label", {},
      make("input", { type: "radio", name: "pitfalls-symptom", value: symptom }),
      make("span", {}, make("strong", { text: symptoms[symptom][0] }),
        make("small", { text: symptoms[symptom][1] })))));
    this.explain(false);
    if (this.last) this.render(...this.last);
    if (!isAsked) return;
    this.title.focus();
    this.board.set("name", pitfall.name);
  }

  // The run

  async begin() {
    if (this.start.disabled) return;
    // A button that is disabled loses the focus.
    if (document.activeElement === this.start) this.answer.focus({ preventScroll: true });
    this.start.disabled = true;
    const chosen = this.radios.querySelector(":checked");
    await this.board.start({ demo: "pitfalls", knobs: { name: this.pitfall.name },
      prediction: [chosen ? chosen.value : null], speed: 1, virtual: false });
    this.start.disabled = this.last[1].isRunning;
  }

  render(state, moment) {
    this.last = [state, moment];
    if (moment.run && moment.run.run !== this.lastRun) this.follow(state, moment);
    const { isRunning } = moment;
    this.start.disabled = isRunning;
    this.stop.disabled = !isRunning;
    this.fieldset.disabled = isRunning || this.board.isFollower;
    const isShown = state.name === this.pitfall.name;
    const { broken, fixed, predicted } = isShown ? state : initial(null);
    const isOver = broken.outcome !== null && fixed.outcome !== null;
    const span = Math.max(6e8, broken.time, fixed.time);
    const status = isShown && isRunning ? "running" : "";
    this.runs.broken.show(broken, span, status);
    this.runs.fixed.show(fixed, span, broken.outcome ? status : "");
    const { text, isRight } = comparison(predicted, isOver ? broken.outcome : null);
    setText(this.answer, text);
    setClass(this.answer, "right", isRight === true);
    setClass(this.answer, "wrong", isRight === false);
    if (isOver !== this.isExplained) this.explain(isOver);
  }

  /**
   * Goes to the pitfall of a run that has begun. A run that was over when the page was loaded
   * does not replace the pitfall of the address.
   */
  follow(state, moment) {
    this.lastRun = moment.run.run;
    const pitfall = this.pitfalls.find(one => one.name === state.name);
    if (pitfall && (moment.isRunning || this.board.isFollower)) this.choose(pitfall);
    if (pitfall !== this.pitfall) return;
    for (const input of this.radios.querySelectorAll("input")) {
      input.checked = input.value === state.predicted;
    }
  }

  /** Shows the code; after the runs with the line at fault, the fixed code and the reason. */
  explain(isOver) {
    this.isExplained = isOver;
    const { explanation, remedy, name, broken, fixed } = this.pitfall;
    this.code.replaceChildren(make("div", { class: "pitfalls-pair" },
      figure("Broken", broken, isOver), isOver ? figure("Fixed", fixed, false) : null));
    const part = (title, text) => make("section", {}, make("h3", { text: title }),
      make("p", { text }));
    this.why.replaceChildren(...(isOver ? [part("Why", explanation), part("Remedy", remedy)] : []));
    if (isOver && !this.seen.includes(name)) {
      this.seen.push(name);
      keep(seenPlace, this.seen);
    }
    this.items.forEach((item, index) => {
      const pitfall = this.pitfalls[index];
      const isSeen = this.seen.includes(pitfall.name);
      setClass(item, "is-solved", isSeen);
      setText(item.firstChild, isSeen ? "✓" : index + 1);
      setAttribute(item, "aria-current", pitfall === this.pitfall ? "true" : null);
    });
  }
}

function figure(title, lines, showsFault) {
  const fault = showsFault ? lines.findIndex(line => line.isFaulty) + 1 : 0;
  const made = codeFigure(title, lines.map(line => line.text), fault);
  setClass(made, `is-${title.toLowerCase()}`, true);
  return made;
}

/* Returns the sentence that compares a prediction with the broken version's outcome. */
function comparison(predicted, outcome) {
  if (!outcome) return { text: "", isRight: null };
  const name = nameOf(outcome.symptom);
  if (!symptoms[outcome.symptom]) {
    return { text: "The mistake did not show this time, as it depends on chance: run it again.",
      isRight: null };
  }
  if (!predicted) return { text: `What happened: ${name}`, isRight: null };
  const isRight = predicted === outcome.symptom;
  return { text: isRight ? `✓ ${name}: right` : `✗ ${name}, not ${predicted}`, isRight };
}

function initial(run) {
  return { name: run ? run.knobs.name : "", predicted: run?.prediction?.[0] ?? null,
    broken: emptyRun(), fixed: emptyRun() };
}

let screen;

export default {
  ownsForm: true,
  ownsTimeline: true,
  names: ["name"],
  build(root, board) { screen = new Screen(root, board); },
  initial,
  apply(state, message) { if (state[message.version]) applyStep(state[message.version], message); },
  follow() { screen.open(); },
  render(state, moment) { screen.render(state, moment); },
};
