// A run of one version of a pitfall: two heartbeats, the steps, the outcome.
//
// The process and its main queue each draw a line that beats as a heart does. A main queue that
// is blocked draws a flat line on; a process that was ended draws none.
import { draw, keyed, make, setAttribute, setText } from "../../code/dom.js";
import { count, seconds } from "../../code/words.js";
import { stoppedAt } from "./state.js";
import { nameOf, symptoms } from "./words.js";

const box = { row: 30, left: 104 };
const [first, last] = [6, 4];

export class Run {
  constructor(title, version) {
    this.version = version;
    this.status = make("span", { class: "pitfalls-status" });
    this.steps = make("ol", { class: "pitfalls-steps" });
    this.none = make("p", { class: "pitfalls-none" });
    this.name = make("strong", {});
    this.text = make("p", {});
    this.outcome = make("div", { class: "pitfalls-outcome" }, this.name, this.text);
    this.process = line("process", 0);
    this.main = line("main queue", 1);
    this.end = draw("text", { y: box.row * 2 + 14 });
    this.svg = draw("svg", { class: "pitfalls-hearts", role: "img", height: box.row * 2 + 18 },
      this.process.group, this.main.group, this.end);
    new ResizeObserver(() => this.last && this.show(...this.last)).observe(this.svg);
    this.element = make("section", { class: "pitfalls-run", "aria-label": title },
      make("header", {}, make("h3", { text: title }), this.status),
      this.svg, this.none, this.steps, this.outcome);
  }

  /** Shows a version's run on an axis of `span` nanoseconds. */
  show(run, span, status) {
    this.last = [run, span, status];
    setText(this.status, run.outcome ? "ended" : status);
    this.showHearts(run, span);
    const isOver = Boolean(run.outcome);
    const steps = withoutEnd(run);
    this.showSteps(steps);
    setText(this.none, steps.length ? "" : run.time || isOver ? "No step yet." : "Not begun.");
    this.none.hidden = steps.length > 0;
    this.outcome.hidden = !isOver;
    if (!isOver) return;
    const { symptom, text } = run.outcome;
    setText(this.name, nameOf(symptom));
    setText(this.text, text.replace(/^Silence: n/, "N"));
    setAttribute(this.outcome, "data-symptom", symptom || "hidden");
  }

  showHearts(run, span) {
    const width = this.svg.clientWidth || 520;
    const at = time => round(box.left + ((width - box.left - 10) * time) / span);
    const stop = stoppedAt(run);
    beat(this.process, run.beats, at, run.time, false);
    beat(this.main, run.mainBeats, at, run.time, stop !== null);
    const isTrap = run.outcome?.symptom === "trap";
    setText(this.process.word, isTrap ? "\u00d7 ended" : "");
    setAttribute(this.process.word, "x", Math.min(at(run.time) + 10, width - 60));
    setText(this.end, run.time ? seconds(run.time) : "");
    setAttribute(this.end, "x", at(run.time));
    setAttribute(this.end, "text-anchor", at(run.time) > 150 ? "end" : "start");
    setAttribute(this.svg, "aria-label", describe(run, stop));
  }

  showSteps(steps) {
    const hidden = steps.length - first - last;
    const shown = steps.map((step, index) => ({ ...step, index }));
    if (hidden > 1) {
      shown.splice(first, hidden, { index: "more", text: `${hidden} more`, time: null });
    }
    keyed(this.steps, shown, step => step.index, () => make("li", {},
      make("time", {}), make("span", {})), (element, step) => {
      setText(element.firstChild, step.time === null ? "" : seconds(step.time));
      setText(element.lastChild, step.text);
    });
  }
}

// Returns the steps without the last one if it is the outcome's sentence.
function withoutEnd(run) {
  const last = run.steps[run.steps.length - 1];
  return last && run.outcome?.text === last.text ? run.steps.slice(0, -1) : run.steps;
}

// Draws a heart's line: a spike for each beat, and a flat line after it has stopped.
function beat(heart, beats, at, time, isStopped) {
  const middle = heart.middle;
  let path = `M${box.left} ${middle}`;
  for (const one of beats) path += `H${at(one)}l1.5 -11l2.5 18l2 -10l.8 3`;
  const from = beats.length ? round(at(beats[beats.length - 1]) + 6.8) : box.left;
  const to = Math.max(from, at(time));
  setAttribute(heart.alive, "d", isStopped || !time ? path : `${path}H${to}`);
  setAttribute(heart.flat, "d", isStopped ? `M${from} ${middle}H${to}` : "");
  setText(heart.word, isStopped ? "stopped" : "");
  setAttribute(heart.word, "x", from + 8);
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function line(name, index) {
  const middle = index * box.row + box.row / 2 + 3;
  const parts = {
    alive: draw("path", { class: "pitfalls-alive" }),
    flat: draw("path", { class: "pitfalls-flat" }),
    word: draw("text", { y: middle - 6, class: "pitfalls-word" }),
  };
  const group = draw("g", {}, draw("text", { x: box.left - 12, y: middle + 4,
    "text-anchor": "end", text: name }), parts.flat, parts.alive, parts.word);
  return { ...parts, group, middle };
}

function describe(run, stop) {
  if (!run.time) return "No heartbeat yet.";
  const main = stop === null ? "goes on" : `stopped at ${seconds(stop)}`;
  return `${count(run.beats.length, "heartbeat", "heartbeats")} of the process in `
    + `${seconds(run.time)}; the main queue's heartbeat ${main}.`;
}

/** Returns the sentence that compares a prediction with the broken version's outcome. */
export function comparison(predicted, outcome) {
  if (!outcome) return { text: "", isRight: null };
  if (!symptoms[outcome.symptom]) {
    return { text: "The mistake did not show this time, as it depends on chance: run it again.",
      isRight: null };
  }
  if (!predicted) return { text: `What happened: ${nameOf(outcome.symptom)}`, isRight: null };
  const isRight = predicted === outcome.symptom;
  return {
    text: isRight ? `\u2713 ${nameOf(predicted)}: right`
      : `\u2717 ${nameOf(outcome.symptom)}, not ${predicted}`, isRight,
  };
}
