// The class: many browsers follow one run, and their predictions are counted.

import { make, setText } from "./dom.js";
import { wordOfTab } from "./kept.js";
import { post } from "./stream.js";

/** The panel of the class; empty if there is none. */
export class Classroom {
  constructor(data, page, tools) {
    this.data = data;
    this.page = page;
    this.tools = tools;
    this.isPresenter = data.isClass && data.role !== "follower";
    this.followers = make("dd", { text: "0" });
    this.answered = make("dd", { text: "0" });
    this.votes = make("div", { class: "votes", role: "group", "aria-label": "Predictions" });
    this.element = data.isClass ? this.panel() : null;
    /** The name of this follower, which is made up here and says nothing about anybody. */
    this.follower = wordOfTab("weir-board-follower");
  }

  panel() {
    const address = this.isPresenter && this.data.classAddress
      ? make("p", {}, "The class follows at ", make("code", { text: this.data.classAddress }), ".")
      : make("p", { text: "You follow the run of the presenter. Predict, and watch." });
    const numbers = make("dl", {},
      make("div", {}, make("dt", { text: "Followers" }), this.followers),
      make("div", {}, make("dt", { text: "Predictions" }), this.answered));
    return make("section", { class: "card class-bar", "aria-label": "Class" }, address, numbers,
      this.votes);
  }

  /** Shows the numbers of the class. */
  show(message, questions) {
    setText(this.followers, message.followers);
    setText(this.answered, message.answered);
    const parts = [];
    const isHidden = !this.isPresenter && message.isOpen;
    (isHidden ? [] : message.counts || []).forEach((counts, index) => {
      const entries = Object.entries(counts).sort((a, b) => Number(a[0]) - Number(b[0]));
      if (!entries.length) return;
      const most = Math.max(...entries.map(([, count]) => count));
      parts.push(make("h3", { text: questions?.[index]?.text || "Question " + (index + 1) }));
      for (const [value, count] of entries) {
        const bar = make("i", { "aria-hidden": "true" });
        bar.style.width = (100 * count) / most + "%";
        const unit = questions?.[index]?.unit === "seconds" ? " s" : "";
        parts.push(make("div", {}, make("span", { text: value + unit }), bar,
          make("span", { text: count })));
      }
    });
    this.votes.replaceChildren(...parts);
  }

  /** Goes where the presenter is. `form` is that of this page. */
  follow(message, form) {
    if (this.isPresenter || !this.data.isClass) return;
    const query = new URLSearchParams(message.knobs || {}).toString();
    if (message.page !== this.page.name) {
      location.replace("./" + message.page + (query ? "?" + query : ""));
    } else {
      form.takeQuery(query);
    }
  }

  /** Tells the class where the presenter is. During a run the class knows. */
  onForm(form, isRunning) {
    if (!this.isPresenter) return;
    clearTimeout(this.timer);
    const query = form.query();
    if (isRunning) this.shown = query;
    if (query === this.shown) return;
    this.timer = setTimeout(() => {
      this.shown = query;
      const knobs = Object.fromEntries(new URLSearchParams(query));
      post("class/show", { page: this.page.name, knobs }).catch(() => { this.shown = null; });
    }, 300);
  }
}
