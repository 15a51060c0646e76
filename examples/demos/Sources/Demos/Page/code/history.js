// The last five runs of a page beside each other.

import { make, keyed, setText } from "./dom.js";
import { keep, kept } from "./kept.js";
import { answer } from "./words.js";

const most = 5;

/** The table of the last runs. It is kept by the browser, for one page each. */
export class History {
  constructor(demo, options) {
    this.demo = demo;
    this.options = options;
    this.key = "weir-board-runs-" + demo.name;
    // An earlier version may have kept something else.
    this.runs = kept(this.key).filter(run => run?.knobs && Array.isArray(run.answers))
      .slice(0, most);
    this.body = make("tbody", {});
    const questions = demo.questions.map(question =>
      make("th", { scope: "col", class: "number", text: question.name.replaceAll("_", " ") }));
    this.table = make("table", { class: "history" },
      make("caption", { class: "hidden", text: "The last runs" }),
      make("thead", {}, make("tr", {}, make("th", { scope: "col", text: "Run" }),
        make("th", { scope: "col", text: "Settings" }), ...questions,
        make("th", { scope: "col", text: "Predicted" }),
        make("th", { scope: "col", text: "Again" }))), this.body);
    this.empty = make("p", { class: "remark" });
    this.element = make("div", { class: "scroll" }, this.table, this.empty);
    this.show();
  }

  add(run, result, isStopped) {
    const number = (this.runs[0]?.number || 0) + 1;
    this.runs.unshift({ number, knobs: run.knobs, speed: run.speed, virtual: run.virtual,
      answers: result.answers, verdict: result.verdict, id: run.run, isStopped });
    this.runs.length = Math.min(this.runs.length, most);
    keep(this.key, this.runs);
    this.show();
  }

  settings(run) {
    const parts = this.demo.knobs.filter(knob => (run.knobs[knob.name] ?? "") !== knob.default)
      .map(knob => knob.kind === "flag" ? knob.name : `${knob.name} ${run.knobs[knob.name]}`);
    if (!this.demo.knobs.length) parts.push(...Object.values(run.knobs));
    if (run.virtual) parts.push("simulated");
    if (run.isStopped) parts.push("stopped");
    return parts.join(", ") || "default";
  }

  show() {
    this.table.hidden = this.runs.length === 0;
    setText(this.empty, this.runs.length ? "" : "No run yet. The last five will stand here.");
    keyed(this.body, this.runs, run => run.number, run => this.row(run));
  }

  /** Returns an answer as text. A run that was stopped says nothing about what never happened. */
  words(run, actual, unit) {
    return run.isStopped && (actual === null || actual === undefined) ? "–" : answer(actual, unit);
  }

  row(run) {
    const right = run.answers.filter(answer => answer.right === true).length;
    const asked = run.answers.filter(answer => typeof answer.right === "boolean").length;
    return make("tr", { title: run.verdict },
      make("th", { scope: "row", text: run.number }),
      make("td", { class: "settings", text: this.settings(run) }),
      ...this.demo.questions.map((question, index) => make("td", { class: "number",
        text: this.words(run, run.answers[index]?.actual, question.unit) })),
      make("td", { text: asked ? `${right} of ${asked} right` : "–" }),
      make("td", {}, make("button", { type: "button", text: "Use",
        "aria-label": `Use the settings of run ${run.number}`,
        onclick: () => this.options.onUse(run) })));
  }
}
