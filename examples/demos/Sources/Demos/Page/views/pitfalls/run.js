// A run of one version of a pitfall: two heartbeats, the steps, the outcome.
//
// The process and its main queue each draw a line that beats as a heart does. A main queue that
// is blocked draws a flat line on; a process that was ended draws none.
import { draw, keyed, make, setAttribute, setText } from "../../code/dom.js";
import { count, seconds } from "../../code/words.js";

const width = 400;

/** The symptoms of a pitfall: a name and an explanation. */
export const symptoms = {
  silence: ["Silence", "nothing happens any more"],
  trap: ["Trap", "a signal ends the process"],
  wrong: ["Wrong", "the result is wrong"],
  fine: ["Fine", "the code works as it stands"],
};

/** The name of an outcome's symptom; a mistake that depends on chance may not show. */
export const nameOf = symptom => symptoms[symptom]?.[0] ?? "Not shown";

/** Returns a run before its first message. */
export function emptyRun() {
  return { steps: [], beats: [], mainBeats: [], outcome: null, time: 0 };
}

/** Applies a message to the run of its version. */
export function applyStep(run, message) {
  if (message.kind === "outcome") run.outcome = message;
  else if (message.kind === "step") {
    run.time = Math.max(run.time, message.t);
    if (message.type === "step") run.steps.push({ time: message.t, text: message.text });
    else (message.type === "beat" ? run.beats : run.mainBeats).push(message.t);
  }
}

export class Run {
  constructor(title) {
    this.status = make("span", { class: "pitfalls-status" });
    this.steps = make("ol", { class: "pitfalls-steps", tabindex: 0, "aria-label": "Steps" });
    this.name = make("strong");
    this.text = make("p");
    this.outcome = make("div", { class: "pitfalls-outcome" }, this.name, this.text);
    this.hearts = ["process", "main queue"].map(makeHeart);
    this.element = make("section", { class: "pitfalls-run", "aria-label": title },
      make("header", {}, make("h3", { text: title }), this.status),
      ...this.hearts.map(heart => heart.element), this.steps, this.outcome);
  }

  /** Shows a run on an axis of `span` nanoseconds. */
  show(run, span, status) {
    const { outcome, time, steps } = run;
    setText(this.status, outcome ? `ended at ${seconds(time)}`
      : status || (time ? seconds(time) : "not begun"));
    const [process, main] = this.hearts;
    const lastBeat = run.mainBeats.at(-1) ?? 0;
    const isStopped = run.beats.filter(beat => beat > lastBeat).length > 4;
    showHeart(process, run.beats, time / span, span, false);
    showHeart(main, run.mainBeats, time / span, span, isStopped);
    setText(process.words, outcome?.symptom === "trap" ? "× ended"
      : time ? count(run.beats.length, "beat") : "");
    setText(main.words, isStopped ? `stopped at ${seconds(lastBeat)}`
      : time ? count(run.mainBeats.length, "beat") : "");
    keyed(this.steps, steps.map((step, index) => ({ ...step, index })), step => step.index,
      step => make("li", {}, make("time", { text: seconds(step.time) }),
        make("span", { text: step.text })));
    this.outcome.hidden = !outcome;
    if (!outcome) return;
    setText(this.name, nameOf(outcome.symptom));
    setText(this.text, outcome.text.replace(/^Silence: n/, "N"));
    setAttribute(this.outcome, "data-symptom", outcome.symptom || "hidden");
  }
}

function makeHeart(name) {
  const [alive, flat] = ["alive", "flat"].map(kind =>
    draw("path", { class: "pitfalls-" + kind, "vector-effect": "non-scaling-stroke" }));
  const words = make("span");
  return { alive, flat, words, element: make("p", { class: "pitfalls-heart" },
    make("span", { text: name }), draw("svg", { viewBox: `0 0 ${width} 30`, "aria-hidden": "true",
      preserveAspectRatio: "none" }, alive, flat), words) };
}

/* Draws a heart's line: a spike for each beat, and a flat line after it has stopped. */
function showHeart({ alive, flat }, beats, end, span, isStopped) {
  const place = share => (share * (width - 10)).toFixed(1);
  const path = beats.reduce((path, beat) =>
    `${path}H${place(beat / span)}l1.5 -11l2.5 18l2 -10l.8 3`, "M0 18");
  const last = place((beats.at(-1) ?? 0) / span);
  setAttribute(alive, "d", isStopped || !end ? path : `${path}H${place(end)}`);
  setAttribute(flat, "d", isStopped ? `M${Number(last) + 7} 18H${place(end)}` : "");
}
