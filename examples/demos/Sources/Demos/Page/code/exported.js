// The report of a run: a page that holds its run, and needs no server.
//
// The page has the run, the report and the events as JSON, in the form of the board's messages. It
// shows them with the parts of the board, and with the board's view of the demo.

import { make, setText } from "./dom.js";
import { EventTable } from "./events.js";
import { Listings } from "./listings.js";
import { Player } from "./player.js";
import { capital, clean, moment } from "./words.js";

/* Returns a text whose parts between backticks are code. */
function rich(text) {
  const parts = text.split("`");
  return parts.map((part, index) => index % 2 === 1 && index < parts.length - 1
    ? make("code", { text: part }) : (index % 2 === 1 ? "`" : "") + part);
}

class Sheet {
  constructor(data, view) {
    Object.assign(this, data);
    this.live = document.getElementById("live");
    this.player = new Player(view, () => this.show(), text => setText(this.live, text));
    this.scrubber = this.player.scrubber;
    this.code = new Listings();
    this.table = new EventTable(this.scrubber);
    this.table.element.classList.add("report-events");
    this.scrubber.element.classList.add("sticky");
    this.screen = make("section", { class: "screen card", "aria-label": "The screen" });
    document.getElementById("main").replaceChildren(...[this.head(), this.scrubber.element,
      ...view.comesFirst ? [this.screen, this.pair()] : [this.pair(), this.screen], this.table.element]);
    view.build(this.screen, this.board());
    this.play();
    document.addEventListener("keydown", event => this.press(event));
  }

  // The parts of the page

  head() {
    const { report } = this;
    return make("div", { class: "report-head" },
      make("div", {}, make("p", { class: "report-command" }, make("code", { text: report.command }),
        report.isSimulated
          ? make("span", { class: "badge", text: "simulated, not measured" }) : null),
      make("h1", { text: report.title }),
      make("p", { class: "verdict", hidden: !report.verdict }, ...rich(capital(report.verdict)))),
      this.questions());
  }

  questions() {
    const { questions } = this.report;
    if (!questions.length) return null;
    const isPredicted = questions.some(question => question.predicted !== null);
    const title = isPredicted ? "Predicted, and what happened" : "What happened";
    const heads = ["Question", ...(isPredicted ? ["Predicted"] : []), "Happened",
      ...(isPredicted ? ["Prediction"] : [])];
    const mark = question => question.right === null ? make("td", { text: "–" })
      : make("td", {}, question.right ? make("span", { class: "right", text: "✓ right" })
        : make("span", { class: "wrong", text: "✗ differs" }));
    return make("section", { class: "scroll", tabindex: 0, "aria-label": title }, make("table", {},
      make("caption", { class: "hidden", text: title }),
      make("thead", {}, make("tr", {}, ...heads.map(text => make("th", { scope: "col", text })))),
      make("tbody", {}, ...questions.map(question => make("tr", {},
        make("th", { scope: "row", text: question.text }),
        isPredicted ? make("td", { class: "number", text: question.predicted ?? "–" }) : null,
        make("td", { class: "number" }, make("strong", { text: question.actual })),
        isPredicted ? mark(question) : null)))));
  }

  pair() {
    const { total, events, isCutOff } = this;
    const remark = events.length === 0 ? "The log has no events."
      : total > events.length
        ? `The page has the first ${events.length.toLocaleString("en")} events, `
        + `up to ${moment(events.at(-1).t, events.at(-1).t)}. `
        + `${(total - events.length).toLocaleString("en")} later events are left out.`
        : isCutOff ? "The last line of the log was cut off." : "";
    this.code.show(this.report.code);
    return make("div", { class: "pair" }, make("section", { "aria-labelledby": "timeline-title" },
      this.player.title, make("p", { class: "remark", text: remark }), this.player.chart),
    make("div", { class: "aside" }, this.code.element, this.words()));
  }

  words() {
    const { notes, checks, next } = this.report;
    if (!notes.length && !checks.length && !next) return null;
    return make("section", { class: "report-words", "aria-labelledby": "words-title" },
      make("h2", { id: "words-title", text: "Remarks" }),
      ...notes.map(text => make("p", {}, ...rich(text))),
      make("ul", { class: "checks" }, ...checks.map(check => make("li", {
        class: check.holds ? "" : "wrong",
        text: (check.holds ? "✓ holds: " : "✗ does not hold: ") + check.text }))),
      next ? make("p", {}, make("strong", { text: "Try next: " }), ...rich(next)) : null);
  }

  /** What a view may use: a follower of a run that is over. */
  board() {
    const nothing = () => {};
    return { demo: { name: this.run.demo, knobs: [], questions: [] }, data: {},
      isFollower: true, values: () => this.run.knobs, set: nothing, send: nothing, start: nothing,
      stop: nothing, announce: nothing };
  }

  // The run

  play() {
    this.player.forget(null);
    this.player.begin(this.run, this.run.knobs);
    for (const event of this.events) this.player.take({ kind: "event", ...event });
    this.player.finish();
    this.scrubber.show();
    this.show();
    // The middle of a run shows more than its end, unless the view is about its end.
    this.scrubber.goTo(this.player.last.time / (this.player.timeline.window ? 1 : 2));
  }

  show() {
    const { events, place } = this.scrubber;
    this.player.render(this.player.last.time, this.run, false);
    const { timeline } = this.player;
    this.code.mark(timeline.placesAt(place, events[place]), timeline.groups);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (this.player.press(event.key, event.target)) event.preventDefault();
  }
}

/** Shows the data of a page with a view. */
export function show(view) {
  const text = document.getElementById("data").textContent;
  document.title = new Sheet(JSON.parse(text, (_, value) => clean(value)), view).report.title;
}
