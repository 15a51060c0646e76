// The class: many browsers follow one run, and their predictions are counted.

import { make, setText } from "./dom.js";
import { wordOfTab } from "./kept.js";
import { post } from "./stream.js";

/** The time in ms after the last change of a form, before the class is told. */
const pause = 300;

/** The panel of the class; its element is null if there is none. */
export class Classroom {
  constructor(data, page) {
    this.data = data;
    this.page = page;
    this.isPresenter = data.isClass && data.role !== "follower";
    this.followers = make("dd", { text: "0" });
    this.answered = make("dd", { text: "0" });
    this.votes = make("div", { class: "votes", role: "group", "aria-label": "Predictions" });
    // On a projector nobody should copy the others: the presenter opens it, or the run does.
    this.box = make("details", {}, make("summary", { text: "Show the predictions" }), this.votes);
    this.element = data.isClass ? this.panel() : null;
    /** The name of this follower, which is made up here and says nothing about anybody. */
    this.follower = wordOfTab("weir-board-follower");
  }

  panel() {
    const address = this.isPresenter && this.data.classAddress
      ? make("div", {}, make("p", {}, "The class follows at ", make("code", { class: "class-address",
        text: this.data.classAddress })), this.picture())
      : make("p", { text: "You follow the run of the presenter. Predict, and watch." });
    const numbers = make("dl", {},
      make("div", {}, make("dt", { text: "Followers" }), this.followers),
      make("div", {}, make("dt", { text: "Predictions" }), this.answered));
    return make("section", { class: "card class-bar", "aria-label": "Class" }, address, numbers,
      this.box);
  }

  /** The QR picture of the address, or the way to get one. */
  picture() {
    const { classPicture } = this.data;
    return make("details", {}, make("summary", { text: "QR picture" }), classPicture
      ? make("img", { class: "class-picture", alt: `QR picture of ${this.data.classAddress}`,
        src: `data:image/svg+xml,${encodeURIComponent(classPicture)}` })
      : make("p", { class: "remark" }, "The picture is made by qrencode, which is not installed: ",
        make("code", { text: "apt install qrencode" }), ", and start the board again."));
  }

  /** Shows the numbers of the class. */
  show(message, questions) {
    setText(this.followers, message.followers);
    setText(this.answered, message.answered);
    const parts = [];
    const isHidden = !this.isPresenter && message.isOpen;
    (isHidden ? [] : message.counts || []).forEach((counts, index) => {
      // A follower can send any text, and this page may be on a wall: only numbers are shown.
      const entries = Object.entries(counts).filter(([value]) => Number.isFinite(Number(value)))
        .sort((a, b) => Number(a[0]) - Number(b[0]));
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
    this.box.hidden = parts.length === 0;
    if (message.isOpen !== this.wasOpen) this.box.open = !message.isOpen;
    this.wasOpen = message.isOpen;
  }

  /**
   * Goes where the presenter is. `form` is that of this page, none on the list. The presenter's
   * own page, loaded again, learns that the class knows it: to be told again, a class would forget
   * its predictions.
   */
  follow(message, form) {
    const query = new URLSearchParams(message.knobs || {}).toString();
    if (this.isPresenter) {
      if (message.page !== this.page.name || !isSameQuery(query, form.query())) return;
      clearTimeout(this.timer);
      this.shown = form.query();
    } else if (message.page !== this.page?.name) {
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
    this.timer = setTimeout(() => this.showPage(form).catch(() => {}), pause);
  }

  /** Tells the class at once where the presenter is, if it does not know. */
  async showPage(form) {
    clearTimeout(this.timer);
    const query = form.query();
    if (!this.isPresenter || query === this.shown) return;
    this.shown = query;
    const knobs = Object.fromEntries(new URLSearchParams(query));
    try {
      await post("show", { page: this.page.name, knobs });
    } catch (error) {
      this.shown = null;
      throw error;
    }
  }
}

function isSameQuery(one, other) {
  const [left, right] = [new URLSearchParams(one), new URLSearchParams(other)];
  left.sort();
  right.sort();
  return left.toString() === right.toString();
}
