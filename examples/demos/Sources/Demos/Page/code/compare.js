// The comparison after a run: the verdict, the promises, the remarks, and what to try next.

import { make, setText } from "./dom.js";
import { capital } from "./words.js";

/** The title of a part of the page, with the number of the step on a page that has steps. */
export function stepTitle(number, text, id) {
  return make("div", { class: "step-title" },
    number ? make("b", { text: number, "aria-hidden": "true" }) : null, make("h2", { id, text }));
}

export class Compare {
  /** `number` is that of the step; `parts` returns those of a sentence. */
  constructor(number, parts = text => [text]) {
    this.parts = parts;
    this.verdict = make("p", { class: "verdict", hidden: true });
    this.checks = make("ul", { class: "checks" });
    this.remarks = make("div", {});
    this.element = make("section", { class: "part", "aria-labelledby": "compare-title" },
      stepTitle(number, "Compare", "compare-title"),
      this.verdict, this.checks, this.remarks);
  }

  clear() {
    this.verdict.hidden = true;
    this.checks.replaceChildren();
    this.remarks.replaceChildren();
  }

  /** Shows a result; null for none. `ending` is a sentence on a run that did not end by itself. */
  show(result, ending = "") {
    const verdict = [ending, result && capital(result.verdict)].filter(Boolean).join(" ");
    setText(this.verdict, verdict);
    this.verdict.hidden = !verdict;
    if (!result) return verdict;
    this.checks.replaceChildren(...result.checks.map(check => make("li", {
      class: check.holds ? "" : "wrong",
      text: (check.holds ? "✓ holds: " : "✗ does not hold: ") + check.text,
    })));
    this.remarks.replaceChildren(...[...result.remarks, result.next && `Next: ${result.next}`]
      .filter(Boolean).map(text => make("p", {}, ...this.parts(text))));
    return verdict;
  }
}
