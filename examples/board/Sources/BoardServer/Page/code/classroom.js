// The class: many browsers follow one run, and their predictions are counted.

import { make, setText } from "./dom.js";

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
  }

  /** The name of this follower, which is made up here and says nothing about anybody. */
  get follower() {
    let name = sessionStorage.getItem("weir-board-follower");
    if (!name) {
      name = [...crypto.getRandomValues(new Uint8Array(12))]
        .map(byte => (byte % 36).toString(36)).join("");
      sessionStorage.setItem("weir-board-follower", name);
    }
    return name;
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
    (message.counts || []).forEach((counts, index) => {
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

  /** Goes where the presenter is. */
  follow(message) {
    if (this.isPresenter || !this.data.isClass) return;
    const query = new URLSearchParams(message.knobs || {}).toString();
    const isHere = message.page === this.page.name;
    const wanted = "./" + message.page + (query ? "?" + query : "");
    if (!isHere) location.replace(wanted);
  }

  /** Tells the class where the presenter is. */
  onForm(form) {
    if (!this.isPresenter) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const knobs = Object.fromEntries(new URLSearchParams(form.query()));
      fetch("./class/show", { method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ page: this.page.name, knobs }) }).catch(() => {});
    }, 300);
  }
}
