// The scrubber: the run event by event, by mouse and by key.

import { announce, draw, make, setText } from "../dom.js";
import { moment, noteWords } from "../words.js";

const words = {
  submit: "is submitted", start: "starts", end: "ends", wait: "waits", acquired: "goes on",
  timeout: "is timed out", signal: "signals", wake: "is woken", cancel: "is cancelled",
  enter: "enters", leave: "leaves", suspend: "is suspended", resume: "is resumed",
  permits: "has permits",
};

const icons = {
  first: "M4 3v10M13 3 6.5 8l6.5 5z", back: "M11 3 4.5 8l6.5 5z", play: "M5 3v10l8-5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z", next: "M5 3l6.5 5L5 13z", last: "M12 3v10M3 3l6.5 5L3 13z",
};

function icon(name) {
  return draw("svg", { width: 16, height: 16, "aria-hidden": "true", "class": "icon" },
    draw("path", { d: icons[name] }));
}

/** The control of the moment that is shown. `move` is called after each change. */
export class Scrubber {
  constructor(move) {
    this.move = move;
    this.events = [];
    this.index = null;
    this.timer = null;
    this.range = make("input", { type: "range", id: "scrubber", min: 0, max: 0, value: 0, step: 1,
      "aria-label": "Event of the run", oninput: () => this.go(Number(this.range.value)) });
    this.time = make("output", { for: "scrubber", text: "–" });
    this.now = make("p", { class: "now", id: "now" });
    this.buttons = [
      ["first", "First event (Home)"], ["back", "Previous event (left arrow)"],
      ["play", "Play (space)"], ["next", "Next event (right arrow)"],
      ["last", "Newest event (End)"],
    ].map(([name, title]) => make("button", { type: "button", title, "aria-label": title,
      "data-step": name, onclick: () => this.step(name) }, icon(name)));
    this.element = make("div", { class: "scrub", role: "group", "aria-label": "Steps" },
      make("div", { class: "steps" }, ...this.buttons), this.range, this.time, this.now);
    this.reset();
  }

  reset() {
    this.stop();
    this.events = [];
    this.index = null;
    this.show();
  }

  add(event) { this.events.push(event); }

  /** Shows the present state; called when events have come. */
  show() {
    const last = this.events.length - 1;
    const index = this.index ?? last;
    const isEmpty = last < 0;
    this.range.max = Math.max(0, last);
    this.range.value = Math.max(0, index);
    this.range.disabled = isEmpty;
    for (const button of this.buttons) button.disabled = isEmpty;
    setText(this.time, isEmpty ? "–" : this.when(this.events[index]));
    this.range.setAttribute("aria-valuetext", isEmpty ? "no event" : this.text(index));
    setText(this.now, this.index === null ? "" : this.text(index));
  }

  when(event) { return moment(event.t, this.events[this.events.length - 1].t); }

  text(index) {
    const event = this.events[index];
    const subject = event.ev === "note" ? noteWords(event)
      : `${event.q}${event.task ? " " + event.task : ""} ${words[event.ev] ?? event.ev}`;
    const thread = !event.main ? `thread ${event.thr}, ` : event.q === "main" ? "" : "main, ";
    return `${index + 1} of ${this.events.length}, ${this.when(event)}: ${thread}${subject}`;
  }

  /** The number of the event that is shown; none for the present. */
  get place() { return this.index ?? this.events.length - 1; }

  get moment() { return this.index === null ? null : this.events[this.index]; }

  go(index) {
    const last = this.events.length - 1;
    this.index = index >= last ? null : Math.max(0, index);
    this.show();
    this.move();
  }

  step(name) {
    if (!this.events.length) return;
    const index = this.index ?? this.events.length - 1;
    if (name === "play") return this.timer ? this.stop() : this.play();
    this.stop();
    this.go({ first: 0, back: index - 1, next: index + 1, last: this.events.length }[name]);
    announce(this.text(this.index ?? this.events.length - 1));
  }

  play() {
    if (this.index === null) this.go(0);
    this.buttons[2].replaceChildren(icon("pause"));
    const span = this.events[this.events.length - 1].t || 1;
    const begin = performance.now() - (this.moment?.t ?? 0) / span * 8000;
    this.timer = setInterval(() => {
      const time = (performance.now() - begin) / 8000 * span;
      let index = this.index ?? 0;
      while (index < this.events.length - 1 && this.events[index + 1].t <= time) index += 1;
      this.go(index);
      if (this.index === null) this.stop();
    }, 80);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    if (this.buttons) this.buttons[2].replaceChildren(icon("play"));
  }

  /** Goes to the event at a time in ns. */
  goTo(time) {
    const index = this.events.findIndex(event => event.t > time);
    if (this.events.length) this.go(index < 0 ? this.events.length : index - 1);
  }
}
