// The run on a page: its screen, its timeline, its code, its events, and the scrubber that moves them.
//
// The screen is computed from the messages of a run: the view's state at a moment is made by
// applying the messages up to it. So a run that goes on, a run that is replayed, a page that is
// loaded in the middle of a run, and a report that holds a run are one case.

import { make } from "./dom.js";
import { Listings } from "./listings.js";
import { Timeline } from "./timeline/timeline.js";
import { Scrubber } from "./timeline/scrubber.js";

const kinds = [["running", "R"], ["waiting", "W"], ["suspended", "S"], ["queued", "Q"],
  ["holding", ""], ["timed out", ""], ["cancelled", ""]];
const steps = { " ": "play", ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };

/* True if the focused element needs a key itself: a control, or a part of the page that scrolls. */
function needs(key, target) {
  if (target.closest("input, select, [role=slider], [role=tab]")) return true;
  if (key === " " && target.closest("button, a, summary")) return true;
  const part = target.closest("[tabindex='0']:not(.timeline-chart)");
  if (!part || !steps[key]) return false;
  return key.startsWith("Arrow") ? part.scrollWidth > part.clientWidth
    : part.scrollHeight > part.clientHeight;
}

export class Player {
  /** `onMove` is called after each change of the scrubber. */
  constructor(view, onMove) {
    this.view = view;
    this.scrubber = new Scrubber(onMove);
    this.legend = make("ul", { class: "legend" }, ...kinds.map(([kind, letter]) =>
      make("li", { "data-kind": kind },
        make("i", { class: kind.replace(" ", "-"), text: letter, "aria-hidden": "true" }),
        kind === "holding" ? "holds permits" : kind)));
    this.title = make("div", { class: "part-title" },
      make("h2", { id: "timeline-title", text: "The timeline" }), this.legend);
    this.chart = make("div", {});
    this.timeline = new Timeline(this.chart, time => this.scrubber.goTo(time),
      view.fewJobs);
    this.code = new Listings();
  }

  /** The timeline with its scrubber, beside the code. `remark` is an element on the events. */
  pair(remark = null) {
    return make("div", { class: "pair" }, make("section", { class: "part",
      "aria-labelledby": "timeline-title" }, this.title, this.scrubber.element, remark, this.chart),
    this.code.element);
  }

  /** Forgets the run. `span` is the time in ns that the timeline holds at first. */
  forget(span) {
    this.messages = [];
    this.last = { time: 0, at: performance.now() };
    this.scrubber.reset();
    this.timeline.reset(span);
  }

  /** Begins a run; null for the screen before any run. */
  begin(run, values) {
    if (run) this.code.show(run.code);
    this.initial = () => this.view.initial(run, values);
    this.state = this.initial();
    this.applied = 0;
  }

  take(message) {
    this.messages.push(message);
    if (message.kind !== "event") return;
    this.timeline.apply(message);
    this.scrubber.add({ ...message, place: this.messages.length });
    if (message.t >= this.last.time) this.last = { time: message.t, at: performance.now() };
  }

  /** Fits the timeline to a run that has ended, or to the part of it that the view is about. */
  finish() {
    this.timeline.finish();
    const seen = this.view.seen?.(this.timeline.model);
    if (seen) this.timeline.zoom(...seen);
  }

  /** Shows the moment of the scrubber, or the present one. Returns that of the scrubber. */
  render(now, run, isRunning) {
    const moment = this.scrubber.moment;
    const target = moment ? moment.place : this.messages.length;
    if (target < this.applied) {
      this.state = this.initial();
      this.applied = 0;
    }
    while (this.applied < target) this.view.apply(this.state, this.messages[this.applied++]);
    this.view.render(this.state, { time: moment ? moment.t : now, isRunning, isLive: !moment, run,
      model: this.timeline.model, index: this.scrubber.place });
    this.timeline.render(now, !isRunning);
    this.timeline.setCursor(moment ? moment.t : null, this.scrubber.place);
    for (const item of this.legend.children) {
      item.hidden = !this.timeline.model.kinds.has(item.dataset.kind);
    }
    if (!this.code.element.hidden) {
      const { place, events } = this.scrubber;
      this.code.mark(this.timeline.placesAt(place, events[place]));
    }
    return moment;
  }

  /** Handles a key of the page, if it is one of the scrubber or the timeline. */
  onKey(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (needs(key, target) || !(steps[key] || this.timeline.press(key))) return;
    if (steps[key]) this.scrubber.step(steps[key]);
    event.preventDefault();
  }
}
