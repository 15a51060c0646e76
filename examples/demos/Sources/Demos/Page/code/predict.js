// The questions before a run, and the answers beside what happened.

import { make, setAttribute, setText } from "./dom.js";
import { keepInTab, keptInTab } from "./kept.js";
import { answer, isRight, typedNumber, withoutDashes } from "./words.js";

/** The form of a demo's questions. */
export class Prediction {
  /** `isKept` if the answers are to outlive the page: a follower's are counted once. */
  constructor(demo, isKept) {
    this.demo = demo;
    this.key = "weir-board-answers-" + demo.name;
    this.rows = demo.questions.map((question, index) => {
      const id = "question-" + index;
      const input = make("input", {
        type: "text", id, inputmode: "decimal", autocomplete: "off",
        placeholder: question.unit === "seconds" ? "s" : "?", "aria-describedby": id + "-answer",
      });
      const result = make("p", { id: id + "-answer", tabindex: -1 });
      const element = make("div", { class: "question" },
        make("label", { for: id, text: withoutDashes(question.text) }), input, result);
      return { question, input, result, element };
    });
    this.element = make("div", {}, ...this.rows.map(row => row.element));
    const texts = JSON.parse((isKept && keptInTab(this.key)) || "[]");
    this.rows.forEach((row, index) => { row.input.value = texts[index] || ""; });
  }

  /** Keeps the typed answers in this tab. */
  keep() { keepInTab(this.key, JSON.stringify(this.rows.map(row => row.input.value))); }

  /** The typed answers; null for a question without one. */
  get answers() {
    return this.rows.map(row => typedNumber(row.input.value));
  }

  get isEmpty() { return this.answers.every(answer => answer === null); }

  /** Returns a sentence about an answer that is no number; "" if there is none. */
  complaint() {
    const wrong = this.rows.find(row => row.input.value.trim() !== ""
      && typedNumber(row.input.value) === null);
    for (const row of this.rows) setAttribute(row.input, "aria-invalid", row === wrong && "true");
    wrong?.input.focus();
    return wrong ? `"${wrong.input.value}" is no number. Type one, such as 3, 1.9 or 400ms.` : "";
  }

  /** Returns a sentence about the marks of a result; "" if there are none. */
  summary(result) {
    const marks = (result?.answers || []).map(found => found.right)
      .filter(right => typeof right === "boolean");
    const right = marks.filter(Boolean).length;
    return marks.length ? `${right} of ${marks.length} predictions right.` : "";
  }

  /** Shows the predictions of a run that is over, with its answers. */
  recall(result) {
    this.rows.forEach(({ input, question }, index) => {
      const predicted = result.answers[index]?.predicted ?? null;
      input.value = predicted === null ? "" : answer(predicted, question.unit);
      input.hidden = predicted === null;
    });
    this.setDisabled(true);
    this.show(result);
  }

  setDisabled(isDisabled) {
    for (const row of this.rows) row.input.disabled = isDisabled;
  }

  /** Moves the focus to the first answer; without an answer to another element. */
  focusAnswer(other) {
    (this.rows.find(row => row.result.textContent)?.result ?? other)
      .focus({ preventScroll: true });
  }

  /** Returns a result with the answers of this page marked, as a follower's page needs it. */
  marked(result) {
    const typed = this.answers;
    return { ...result, answers: result.answers.map((found, index) =>
      ({ ...found, predicted: typed[index] ?? null, right: isRight(this.demo.questions[index]?.unit,
        typed[index] ?? null, found.actual) })) };
  }

  /** Shows the answers of a result; null clears them. */
  show(result) {
    this.rows.forEach((row, index) => {
      row.result.className = "";
      const found = result?.answers[index];
      if (!found) return setText(row.result, "");
      const words = answer(found.actual, row.question.unit);
      if (found.right === true) {
        row.result.className = "right";
        setText(row.result, `✓ ${words}: right`);
      } else if (found.right === false) {
        row.result.className = "wrong";
        setText(row.result, `✗ ${words}, not ${answer(found.predicted, row.question.unit)}`);
      } else {
        setText(row.result, "What happened: " + words);
      }
    });
  }
}
