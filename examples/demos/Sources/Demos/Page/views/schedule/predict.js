// The two predictions of a level, and the answers beside them once the goal is reached.
import { make, setClass, setText } from "../../code/dom.js";
import { typedNumber } from "../../code/words.js";
import { orders } from "./level.js";

// The distance that counts as right, in runs of 100.
const tolerance = 10;

export class Predictions {
  constructor() {
    this.steps = question("How many steps has a shortest way to the goal?", "steps");
    this.share = question("If each step is chosen at random, how many of 100 runs reach it?",
      "runs");
    this.element = make("fieldset", { class: "schedule-predict" },
      make("legend", { text: "Predict" }), this.steps.element, this.share.element);
  }

  /** The predicted number of steps; null for none. */
  get predicted() { return typedNumber(this.steps.input.value); }

  clear() {
    for (const field of [this.steps, this.share]) field.input.value = "";
  }

  /** Shows the answers if the goal is reached. The fields are closed after the first step. */
  show(level, state) {
    this.element.disabled = state.path.length > 0;
    mark(this.steps, state.isReached, level.solution.length, 0);
    mark(this.share, state.isReached, Math.round(orders(level).share * 100), tolerance);
  }
}

function question(text, unit) {
  const input = make("input", { type: "text", inputmode: "numeric", autocomplete: "off",
    placeholder: unit });
  const result = make("span", { class: "schedule-result" });
  return { input, result, element: make("label", {}, make("span", { text }), input, result) };
}

function mark(field, isShown, actual, distance) {
  const predicted = typedNumber(field.input.value);
  const isRight = predicted !== null && Math.abs(predicted - actual) <= distance;
  const words = predicted === null ? `It is ${actual}.`
    : isRight ? `\u2713 ${actual}: right` : `\u2717 ${actual}, not ${predicted}`;
  setText(field.result, isShown ? words : "");
  setClass(field.result, "right", isShown && isRight);
  setClass(field.result, "wrong", isShown && predicted !== null && !isRight);
}
