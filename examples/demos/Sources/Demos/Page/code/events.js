// The events of a run as a table, made when it is opened.

import { make } from "./dom.js";
import { moment } from "./words.js";

const mostEvents = 3000;
const heads = ["No.", "Time", "Thread", "Event", "Object", "Task", "Value", "Detail"];

/* Returns what an event tells besides its value. */
function detail(event) {
  const { free = event.sem?.free, waiting = event.sem?.waiting } = event;
  return [event.woken === undefined ? null : event.woken ? "thread woken" : "nobody woken",
    free === undefined ? null : `${free} free`,
    waiting === undefined ? null : `${waiting} waiting`]
    .filter(Boolean).join(", ");
}

export class EventTable {
  constructor(scrubber) {
    this.scrubber = scrubber;
    this.body = make("div", {});
    this.details = make("details", { class: "events-table", ontoggle: () => this.list() },
      make("summary", { text: "The events as a table" }), this.body);
    this.element = make("section", { class: "part", "aria-label": "Events" }, this.details);
  }

  close() { this.details.open = false; }

  list() {
    if (!this.details.open) return this.body.replaceChildren();
    const { events } = this.scrubber;
    const last = events.length ? events[events.length - 1].t : 0;
    const rows = events.slice(0, mostEvents).map((event, index) => make("tr", {},
      ...[index + 1, moment(event.t, last), event.main ? "main" : event.thr,
        event.ev === "timeout" ? "TIMED OUT" : event.ev.toUpperCase(), event.q, event.task ?? "",
        event.v ?? "", detail(event)].map(text => make("td", { text }))));
    this.body.replaceChildren(make("div", { class: "scroll", tabindex: 0, role: "group",
      "aria-label": "Table of events" }, make("table", {},
      make("caption", { text: rows.length < events.length
        ? `The first ${rows.length} of ${events.length} events`
        : `${events.length} events in the order of their arrival` }),
      make("thead", {}, make("tr", {}, ...heads.map(text => make("th", { scope: "col", text })))),
      make("tbody", {}, ...rows))));
  }
}
