// The screen of the pitfalls: a mistake that runs for real, and the same code fixed.
//
// The explanation comes only after both runs: the learner predicts and watches first.
import { make, setAttribute, setClass, setText } from "../code/dom.js";
import { keep, kept } from "../code/kept.js";
import { code } from "./pitfalls/code.js";
import { comparison, Run } from "./pitfalls/run.js";
import { apply, initial, translator } from "./pitfalls/state.js";
import { symptoms } from "./pitfalls/words.js";

const seenPlace = "weir-board-pitfalls";

class Screen {
  constructor(root, board) {
    this.board = board;
    this.pitfalls = board.data.pitfalls;
    this.seen = kept(seenPlace);
    this.lastRun = null;
    this.runs = { broken: new Run("Broken run", "broken"), fixed: new Run("Fixed run", "fixed") };
    this.build(root);
    this.showList(true);
    this.open();
  }

  /** Goes to the pitfall of the address. */
  open() {
    const { name } = this.board.values();
    const pitfall = this.pitfalls.find(one => one.name === name);
    if (pitfall && pitfall !== this.pitfall) this.choose(pitfall);
  }

  // The page

  build(root) {
    this.items = this.pitfalls.map((pitfall, index) => make("button", {
      type: "button", onclick: () => this.choose(pitfall, true),
    }, make("b", { text: index + 1 }), make("span", {}, make("code", { text: pitfall.name }),
      make("small", { text: pitfall.title }))));
    this.list = make("ul", { class: "pitfalls-list" }, ...this.items.map(item =>
      make("li", {}, item)));
    this.place = make("span", {});
    this.all = make("button", { type: "button", "aria-expanded": "false", text: "All pitfalls",
      onclick: () => this.showList(this.list.hidden) });
    const move = (text, by) => make("button", { type: "button", text,
      onclick: () => this.choose(this.pitfalls[this.index + by], true) });
    this.back = move("Previous", -1);
    this.next = move("Next", 1);
    this.title = make("h2", { tabindex: "-1" });
    this.expected = make("p", {});
    this.code = make("div", {});
    this.buildPrediction();
    this.why = make("div", { class: "pitfalls-why" });
    this.one = make("div", { class: "pitfalls-one" },
      make("header", { class: "pitfalls-head" }, this.place, this.title, this.expected),
      this.code, this.prediction,
      make("div", { class: "pitfalls-pair" }, this.runs.broken.element, this.runs.fixed.element),
      this.why);
    root.append(make("div", { class: "pitfalls" },
      make("nav", { class: "pitfalls-nav", "aria-label": "Pitfalls" },
        make("div", { class: "pitfalls-bar" }, this.all, this.back, this.next), this.list),
      this.one));
  }

  buildPrediction() {
    this.radios = make("div", { class: "pitfalls-symptoms" });
    this.answer = make("p", { class: "pitfalls-answer" });
    this.start = make("button", { type: "button", class: "primary", "aria-keyshortcuts": "s",
      text: "Start both runs", onclick: () => this.begin() });
    this.stop = make("button", { type: "button", "aria-keyshortcuts": "x", text: "Stop",
      onclick: () => this.board.stop() });
    this.fieldset = make("fieldset", {},
      make("legend", { text: "Predict: what will the broken version show?" }), this.radios);
    this.prediction = make("div", { class: "pitfalls-predict" }, this.fieldset,
      make("div", { class: "pitfalls-start" }, ...(this.board.isFollower ? []
        : [this.start, this.stop]), this.answer));
    document.addEventListener("keydown", event => this.press(event));
  }

  press(event) {
    const isText = event.target.closest("input:not([type=radio]), select, textarea, dialog");
    if (event.ctrlKey || event.metaKey || event.altKey || isText) return;
    if (event.key === "s" && !this.one.hidden) this.start.click();
    else if (event.key === "x") this.stop.click();
  }

  // The choice

  choose(pitfall, isAsked = false) {
    this.pitfall = pitfall;
    this.index = this.pitfalls.indexOf(pitfall);
    setText(this.place, `Pitfall ${this.index + 1} of ${this.pitfalls.length}: ${pitfall.name}`);
    setText(this.title, pitfall.title);
    setText(this.expected, `One would expect: ${pitfall.expectation}`);
    this.code.replaceChildren(code(pitfall.listings));
    this.radios.replaceChildren(...pitfall.symptoms.map(symptom => this.radio(symptom)));
    this.back.disabled = this.index === 0;
    this.next.disabled = this.index === this.pitfalls.length - 1;
    this.why.replaceChildren();
    this.showList(false);
    if (this.last) this.render(...this.last);
    if (!isAsked) return;
    this.title.focus();
    this.board.set("name", pitfall.name);
  }

  radio(symptom) {
    const [name, text] = symptoms[symptom];
    return make("label", {}, make("input", { type: "radio", name: "pitfalls-symptom",
      value: symptom }), make("span", {}, make("strong", { text: name }),
      make("small", { text })));
  }

  showList(isShown) {
    this.list.hidden = !isShown;
    this.one.hidden = !this.pitfall || isShown;
    this.back.hidden = this.one.hidden;
    this.next.hidden = this.one.hidden;
    this.all.hidden = !this.pitfall;
    setText(this.all, isShown ? "Back to the pitfall" : "All pitfalls");
    setAttribute(this.all, "aria-expanded", String(isShown));
    this.items.forEach((item, index) => {
      const pitfall = this.pitfalls[index];
      const isSeen = this.seen.includes(pitfall.name);
      setClass(item, "is-seen", isSeen);
      setText(item.firstChild, isSeen ? "\u2713" : index + 1);
      setAttribute(item, "aria-current", pitfall === this.pitfall ? "true" : null);
    });
  }

  // The run

  async begin() {
    if (this.start.disabled || !this.pitfall) return;
    this.start.disabled = true;
    const chosen = this.radios.querySelector(":checked");
    await this.board.start({ demo: "pitfalls", knobs: { name: this.pitfall.name },
      prediction: [chosen ? chosen.value : null], speed: 1, virtual: false });
    this.start.disabled = this.isRunning;
  }

  render(state, moment) {
    this.last = [state, moment];
    this.isRunning = moment.isRunning;
    if (moment.run && moment.run.run !== this.lastRun) this.follow(state, moment);
    this.start.disabled = moment.isRunning;
    this.stop.disabled = !moment.isRunning;
    this.fieldset.disabled = moment.isRunning || this.board.isFollower;
    const isShown = Boolean(this.pitfall) && state.name === this.pitfall.name;
    const shown = isShown ? state : initial(null);
    const isOver = isShown && shown.broken.outcome !== null && shown.fixed.outcome !== null;
    const span = Math.max(6e8, shown.broken.time, shown.fixed.time);
    const isNow = isShown && moment.isRunning;
    this.runs.broken.show(shown.broken, span, isNow ? "running" : "");
    this.runs.fixed.show(shown.fixed, span, isNow && shown.broken.outcome ? "running" : "");
    this.showAnswer(shown, isOver);
    this.explain(isOver);
  }

  /**
   * Goes to the pitfall of a run that has begun. A run that was over when the page was loaded
   * does not replace the pitfall of the address.
   */
  follow(state, moment) {
    this.lastRun = moment.run.run;
    const pitfall = this.pitfalls.find(one => one.name === state.name);
    const isNews = moment.isRunning || this.board.isFollower || !this.pitfall;
    if (pitfall && pitfall !== this.pitfall && isNews) this.choose(pitfall);
    if (pitfall !== this.pitfall) return;
    for (const input of this.radios.querySelectorAll("input")) {
      input.checked = input.value === state.predicted;
    }
  }

  showAnswer(state, isOver) {
    const { text, isRight } = comparison(state.predicted, isOver ? state.broken.outcome : null);
    setText(this.answer, text);
    setClass(this.answer, "right", isRight === true);
    setClass(this.answer, "wrong", isRight === false);
  }

  explain(isOver) {
    setClass(this.why, "is-empty", !isOver);
    if (isOver === this.why.childElementCount > 0) return;
    const { explanation, remedy, name } = this.pitfall || {};
    const part = (title, text) => make("section", {}, make("h3", { text: title }),
      make("p", { text }));
    this.why.replaceChildren(...(isOver ? [part("Why", explanation), part("Remedy", remedy)] : []));
    if (!isOver || this.seen.includes(name)) return;
    this.seen.push(name);
    keep(seenPlace, this.seen);
  }
}

let screen;

export default {
  ownsForm: true,
  names: ["name"],
  build(root, board) { screen = new Screen(root, board); },
  initial,
  apply,
  translator,
  follow() { screen.open(); },
  render(state, moment) { screen?.render(state, moment); },
};
