// The third step: the result, the exports, the code and the events.

import { make, setText } from "./dom.js";
import { EventTable } from "./events.js";
import { Listings } from "./listings.js";
import { capital, withoutDashes } from "./words.js";

/** The part of a page below its timeline. */
export class Report {
  constructor(desk) {
    this.desk = desk;
    this.verdict = make("p", { class: "verdict", hidden: true });
    this.checks = make("ul", { class: "checks" });
    this.remarks = make("div", {});
    this.exports = make("div", { class: "exports" });
    this.code = new Listings();
    this.events = new EventTable(desk.scrubber);
    this.showExports(null);
  }

  parts() {
    const compare = make("section", { class: "part", "aria-labelledby": "compare-title" },
      make("div", { class: "step-title" }, make("b", { text: "3", "aria-hidden": "true" }),
        make("h2", { id: "compare-title", text: "Compare" })),
      make("div", { class: "compare" }, make("div", {}, this.verdict, this.checks, this.remarks),
        this.exports));
    return this.desk.view.ownsTimeline ? [compare] : [compare, this.events.element];
  }

  begin(run) {
    this.verdict.hidden = true;
    this.checks.replaceChildren();
    this.remarks.replaceChildren();
    this.showExports(null);
    this.code.show(run.code || []);
    this.events.close();
  }

  /** Shows a result; null for none. Returns the verdict. */
  end(run, result, ending) {
    this.showExports(result && run);
    const parts = [{ stopped: "The run was stopped.", failed: "The run failed." }[ending.reason],
      result && capital(result.verdict)];
    const verdict = parts.filter(Boolean).join(" ");
    setText(this.verdict, verdict);
    this.verdict.hidden = false;
    if (result) this.showResult(result);
    return verdict;
  }

  showResult(result) {
    this.checks.replaceChildren(...(result.checks || []).map(check => make("li", {
      class: check.holds ? "" : "wrong",
      text: (check.holds ? "✓ holds: " : "✗ does not hold: ") + check.text,
    })));
    const own = this.desk.view.ownsForm ? [] : result.remarks || [];
    const remarks = [...own, result.next ? "Next: " + result.next : ""];
    this.remarks.replaceChildren(...remarks.filter(Boolean)
      .map(text => make("p", {}, ...this.withSettings(text))));
  }

  /** The options of the command in a sentence, as buttons that choose them here. */
  withSettings(text) {
    const parts = [];
    let end = 0;
    for (const option of text.matchAll(/--([a-z-]*[a-z])(?: ([\w.]*\w))?/g)) {
      const [whole, name] = option;
      const knob = this.desk.demo.knobs.find(knob => knob.name === name);
      const isFlag = knob?.kind === "flag" || name === "virtual";
      const value = isFlag ? "1" : option[2];
      const isChoice = knob?.kind !== "choice" || (knob.choices || []).includes(value);
      if (!value || !isChoice || !(knob || name === "speed" || isFlag)) continue;
      const shown = name === "virtual" ? "simulated" : isFlag ? name : `${name} ${value}`;
      parts.push(withoutDashes(text.slice(end, option.index)),
        this.setting(name, value, shown, knob));
      end = option.index + (isFlag ? name.length + 2 : whole.length);
    }
    return [...parts, withoutDashes(text.slice(end))];
  }

  setting(name, value, text, knob) {
    if (this.desk.isFollower) return make("b", { text });
    return make("button", { type: "button", class: "setting", text,
      title: knob?.help || null,
      onclick: () => {
        if (this.desk.isRunning) return;
        this.desk.form.set(name, value);
        this.desk.tools.announce(`${text} is set.`);
      } });
  }

  /** Shows the links to the files of a run. Pitfalls write none, followers get none. */
  showExports(run) {
    const items = [make("button", { type: "button", text: "Copy the link of this run",
      onclick: event => this.copy(event.currentTarget) })];
    const { data, isFollower } = this.desk;
    if (run && !isFollower && data.demos.some(demo => demo.name === run.demo)) {
      const folder = `./${this.desk.channel}/runs/${run.run}/`;
      items.push(...[["report.html", "Page (HTML)"], ["run.json", "JSON lines"]].map(
        ([file, text]) => make("a", { class: "button", href: folder + file,
          download: `${run.demo}-${run.run}-${file}`, text })));
    }
    this.exports.replaceChildren(...items);
  }

  /** The address of this page; for a class its own, since the presenter's can start runs. */
  link() {
    const { classAddress } = this.desk.data;
    if (!classAddress || this.desk.isFollower) return location.href;
    return classAddress + this.desk.page.name + location.search + location.hash;
  }

  async copy(button) {
    try {
      await navigator.clipboard.writeText(this.link());
      setText(button, "Copied");
    } catch {
      setText(button, "The link is in the address bar");
    }
    this.desk.tools.announce(button.textContent);
    setTimeout(() => setText(button, "Copy the link of this run"), 2500);
  }

  /** Marks the lines of the code at which the tasks are. */
  mark() {
    const { scrubber, player } = this.desk;
    // While a run goes on, nobody knows yet which queues it will have.
    if (this.code.element.hidden || (this.code.isDivided && this.desk.isUnderWay)) return;
    const { timeline } = player;
    this.code.mark(timeline.placesAt(scrubber.place, scrubber.events[scrubber.place]),
      timeline.groups);
  }
}
