// The timeline: the rows of a run, drawn while it goes on.
//
// An event changes one or two rectangles. A part that has not ended is drawn to the right edge,
// and a cover lies over everything after the present: so a moment that passes without an event
// moves the cover, which is a layer of its own, and paints nothing. When the run outgrows the
// picture, or the view is zoomed, all parts are placed anew. A canvas was rejected: it has no
// colors of the style sheet, and no text.
//
// A click chooses a moment. The statistics below are those of the time that is seen.

import { draw, make, keyed, setAttribute, setText } from "../dom.js";
import { moment } from "../words.js";
import { partAt, peakOf, Rows, subjectOf, valueAt } from "./rows.js";
import { statistics } from "./statistics.js";

const rowHeight = 22;
const barHeight = 16;
const holdHeight = 4;
const curveHeight = 40;
/* The distances of the lines of the grid, in seconds. */
const ticks = [-6, -5, -4, -3, -2, -1, 0, 1, 2].flatMap(power =>
  [1, 2, 5].map(digit => digit * 10 ** power));

/** Returns the distance of the lines of the grid, in seconds, for a span and a number of lines. */
export function gridStep(seconds, room) {
  return ticks.find(step => seconds / step <= room) ?? seconds;
}

export class Timeline {
  /**
   * `onPick` is called with the time of a click, in ns. `fewJobs` is the number of jobs that have rows
   * until all are asked for.
   */
  constructor(root, onPick, fewJobs = 64) {
    this.onPick = onPick;
    this.fewJobs = fewJobs;
    this.names = make("div", { class: "timeline-names", "aria-hidden": "true" });
    this.plot = make("div", { class: "timeline-plot" });
    this.chart = make("div", { class: "timeline-chart", tabindex: 0, role: "group",
      "aria-label": "Rows of the timeline" }, this.names, this.plot);
    this.more = make("button", { type: "button", class: "timeline-more", hidden: true,
      onclick: () => this.showAll(!this.showsAll) });
    this.rows = make("tbody");
    this.caption = make("caption");
    this.table = make("table", { class: "timeline-statistics" }, this.caption,
      make("thead", {}, make("tr", {}, ...["Rows", "Ran", "Busy", "Waiting", "Suspended", "Queued",
        "Longest"]
        .map((text, place) => make("th", { scope: "col", text, class: place ? "number" : null })))),
      this.rows);
    root.append(this.tools(), this.chart, this.more,
      make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Statistics" },
        this.table));
    this.build();
    this.reset(null);
    new ResizeObserver(() => this.resize()).observe(this.plot);
  }

  tools() {
    const button = (name, title, key, text) => make("button", { type: "button", text, title,
      "data-zoom": name, "aria-label": title, "aria-keyshortcuts": key,
      onclick: () => this.press(key) });
    return make("div",
      { class: "timeline-tools", role: "group", "aria-label": "Zoom" },
      button("in", "Zoom in (+)", "+", "+"), button("out", "Zoom out (-)", "-", "−"),
      button("fit", "Show the whole run (z)", "z", "fit"));
  }

  build() {
    this.grid = draw("g", { class: "timeline-grid" });
    this.bars = draw("g", {});
    this.texts = draw("g", { class: "timeline-texts" });
    this.curves = draw("g", {});
    this.cover = make("div", { class: "timeline-cover", "aria-hidden": "true" });
    this.marks = draw("g", {});
    this.cursor = draw("line", { class: "timeline-cursor", y1: 0, visibility: "hidden" });
    this.svg = draw("svg", { class: "timeline-svg", role: "img", "aria-label": "No event yet" },
      this.pattern(), this.grid, this.curves, this.bars, this.texts, this.marks, this.cursor);
    this.svg.addEventListener("click", event => this.onPick(this.timeAt(event)));
    this.svg.addEventListener("pointerover", event =>
      setAttribute(this.plot, "title", event.target.bar && this.words(event.target.bar)));
    this.plot.append(this.svg, this.cover);
  }

  pattern() {
    return draw("defs", {}, draw("pattern", {
      id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse",
      patternTransform: "rotate(45)",
    }, draw("rect", { class: "hatch-ground", width: 6, height: 6 }),
    draw("rect", { class: "hatch-line", width: 2, height: 6 })));
  }

  /** Forgets the run. `span` is the time in ns that the picture holds at first. */
  reset(span) {
    this.model = new Rows();
    this.span = span || 2e9;
    /** The time that is seen, `[begin, end]`; null for the whole run. */
    this.window = null;
    this.at = null;
    this.elements = new Map();
    this.places = new Map();
    this.showsAll = false;
    for (const group of [this.bars, this.texts, this.marks, this.curves]) group.replaceChildren();
    this.names.replaceChildren();
    this.names.keyedChildren = new Map();
    setAttribute(this.svg, "aria-label", "No event yet");
    this.layout();
    this.showStatistics();
  }

  apply(event) { this.model.apply(event); }

  /** Gives each job a row, or only the first ones. */
  showAll(showsAll) {
    this.showsAll = showsAll;
    this.elements.clear();
    for (const group of [this.bars, this.texts]) group.replaceChildren();
    this.layout();
    this.drawCurves();
  }

  /** Shows the events so far, up to a present time in ns; `isOver` after the end. */
  render(now, isOver) {
    const model = this.model;
    const time = Math.max(now, model.now);
    if (model.hasNewRows || time > this.span) {
      while (time > this.span) this.span *= 1.5;
      this.layout();
    } else {
      for (const part of model.changed) this.place(part);
      model.changed.clear();
    }
    this.drawMarks();
    this.drawCurves();
    const edge = Math.max(0, Math.min(this.x(time), this.width));
    this.cover.style.transform = `translateX(${edge.toFixed(1)}px)`;
    this.cover.hidden = isOver;
    if (isOver) this.describe();
  }

  /** Fits the picture to a run that has ended. */
  finish() {
    this.span = Math.max(this.model.now * 1.02, 1);
    this.layout();
    this.render(this.model.now, true);
    this.showStatistics();
  }

  /** Shows the cursor at a time in ns; null for none. `index` is the number of the event. */
  setCursor(time, index) {
    const isShown = time !== null && time !== undefined;
    const hasMoved = isShown && time !== this.at;
    this.at = isShown ? time : null;
    setAttribute(this.cursor, "visibility", isShown ? "visible" : "hidden");
    this.showValues(isShown ? index : this.model.index);
    if (!isShown) return;
    const [begin, end] = this.seen;
    if (this.window && hasMoved && (time < begin || time > end)) {
      this.zoom(time - (end - begin) / 2, time + (end - begin) / 2);
    }
    const x = this.x(time).toFixed(1);
    setAttribute(this.cursor, "x1", x);
    setAttribute(this.cursor, "x2", x);
  }

  // The time that is seen

  get seen() { return this.window || [0, this.span]; }

  x(time) {
    const [begin, end] = this.seen;
    return ((time - begin) / (end - begin)) * this.width;
  }

  timeAt(event) {
    const [begin, end] = this.seen;
    const share = (event.clientX - this.svg.getBoundingClientRect().left) / this.width;
    return Math.min(end, Math.max(begin, begin + share * (end - begin)));
  }

  /** Shows the time from `begin` to `end`, as far as it is in the run. */
  zoom(begin, end) {
    const length = Math.min(this.span, Math.max(end - begin, this.span / 2e4));
    const first = Math.min(Math.max(0, (begin + end - length) / 2), this.span - length);
    // Halves and doubles of a time are rounded.
    this.window = length >= this.span * (1 - 1e-9) ? null : [first, first + length];
    this.layout();
    this.drawCurves();
    this.setCursor(this.at, this.cursorIndex);
    this.showStatistics();
  }

  zoomBy(factor) {
    const [begin, end] = this.seen;
    const at = Math.min(end, Math.max(begin, this.at ?? (begin + end) / 2));
    this.zoom(at - (at - begin) * factor, at + (end - at) * factor);
  }

  /** Acts on a key. Returns false if it is none of the timeline's. */
  press(key) {
    if (key === "+" || key === "=") this.zoomBy(0.5);
    else if (key === "-") this.zoomBy(2);
    else if (key === "z") this.zoom(0, this.span);
    else return false;
    return true;
  }

  // Places

  resize() {
    const width = this.plot.clientWidth;
    if (width && width !== this.width) {
      this.layout();
      this.drawCurves();
      this.setCursor(this.at, this.cursorIndex);
    }
  }

  layout() {
    this.width = this.plot.clientWidth || 600;
    const rows = this.model.rows;
    this.placeRows(rows);
    this.height = rows.length ? this.bottom : rowHeight * 3;
    for (const [name, value] of [["width", this.width], ["height", this.height],
      ["viewBox", `0 0 ${this.width} ${this.height}`]]) this.svg.setAttribute(name, value);
    this.cursor.setAttribute("y2", this.height);
    this.cover.style.height = this.height - rowHeight + "px";
    this.drawGrid();
    for (const row of rows) for (const part of row.parts) this.place(part);
    this.drawnMarks = 0;
    this.marks.replaceChildren();
    this.model.changed.clear();
    this.model.hasNewRows = false;
    this.drawMarks();
    this.shown = -1;
  }

  placeRows(rows) {
    let y = 0;
    const items = [];
    this.places.clear();
    const add = (id, name, kind, height) => {
      this.places.set(id, y);
      items.push({ id, name, kind, height });
      y += height;
    };
    const list = (title, kind, most) => {
      const own = rows.filter(row => row.kind === kind && (kind === "job" || row.parts.length));
      if (own.length && most) add(title, title, "heading", rowHeight);
      for (const row of own.slice(0, most)) add(row.id, row.name, kind, rowHeight);
    };
    list("Threads", "thread", Infinity);
    for (const name of this.model.curves.keys()) add("curve " + name, name, "count", curveHeight);
    list("Jobs", "job", this.showsAll ? Infinity : this.fewJobs);
    this.bottom = y;
    const { size } = this.model.jobs;
    this.more.hidden = size <= this.fewJobs;
    setText(this.more, !this.showsAll ? `Show all ${size} jobs`
      : this.fewJobs ? `Show the first ${this.fewJobs} jobs` : "Show no jobs");
    keyed(this.names, items, item => item.id,
      item => {
        const element = make("div", { class: "timeline-name " + item.kind }, make("span", {}));
        element.style.height = item.height + "px";
        return element;
      },
      (element, item) => {
        if (item.kind !== "count") setText(element.firstChild, item.name);
        setAttribute(element, "title", item.name);
      });
  }

  place(part) {
    const y = this.places.get(part.row.id);
    if (y === undefined) return;
    let element = this.elements.get(part);
    if (!element) {
      const isHold = part.kind === "holding";
      element = draw("rect", { rx: isHold ? 1 : 3, height: isHold ? holdHeight : barHeight });
      element.bar = part;
      this.elements.set(part, element);
      this.bars.append(element);
    }
    const begin = this.x(part.begin);
    const end = part.end === null ? this.width + 8 : this.x(part.end);
    const isSeen = end >= -8 && begin <= this.width + 8;
    setAttribute(element, "visibility", isSeen ? null : "hidden");
    // A rectangle that is a million pixels long is not drawn everywhere.
    const left = Math.max(-8, begin);
    element.setAttribute("x", left.toFixed(1));
    const bottom = y + (rowHeight + barHeight) / 2;
    element.setAttribute("y", bottom - (part.kind === "holding" ? holdHeight : barHeight));
    element.setAttribute("width", Math.max(1.5, Math.min(this.width + 8, end) - left).toFixed(1));
    element.setAttribute("class", "bar " + part.kind
      + (part.ending && part.ending !== "done" ? " " + part.ending.replace(" ", "-") : ""));
    this.letter(part, Math.max(0, begin), isSeen ? Math.min(this.width, end) : -1, y);
  }

  /** A sentence about a part, for the pointer over it. */
  words(part) {
    const { now } = this.model;
    const time = value => moment(value, now);
    const end = part.end === null ? "no end" : time(part.end);
    const ending = part.ending && part.ending !== "done" ? ", " + part.ending : "";
    return `${part.row.name}: ${part.kind}, ${subjectOf(part)}; `
      + `${time(part.begin)} to ${end}${ending}`;
  }

  letter(part, begin, end, y) {
    const isWide = end - begin > 15 && part.letter !== "";
    if (!isWide && !part.text) return;
    if (!part.text) {
      part.text = draw("text", { class: part.kind, text: part.letter });
      this.texts.append(part.text);
    } else if (!part.text.isConnected) {
      this.texts.append(part.text);
    }
    setAttribute(part.text, "visibility", isWide ? "visible" : "hidden");
    part.text.setAttribute("x", (begin + 5).toFixed(1));
    part.text.setAttribute("y", y + rowHeight / 2 + 4);
  }

  // The grid, the curves and the marks

  drawGrid() {
    const [begin, end] = this.seen;
    const room = Math.max(3, this.width / 90);
    const step = gridStep((end - begin) / 1e9, room);
    const parts = [];
    const [scale, unit] = this.span < 2e6 ? [1e6, " µs"] : this.span < 2e8 ? [1e3, " ms"] : [1, " s"];
    const label = time => Number((time * scale).toFixed(6)) + unit;
    for (let number = Math.ceil(begin / 1e9 / step); number * step * 1e9 <= end; number += 1) {
      const x = this.x(number * step * 1e9).toFixed(1);
      parts.push(draw("line", { x1: x, x2: x, y1: rowHeight, y2: this.height }));
      const anchor = Number(x) < 16 ? "start" : Number(x) > this.width - 16 ? "end" : "middle";
      parts.push(draw("text", { x, y: 14, "text-anchor": anchor, text: label(number * step) }));
    }
    this.grid.replaceChildren(...parts);
  }

  drawCurves() {
    const { curves, index } = this.model;
    if (this.shown === index) return;
    this.shown = index;
    keyed(this.curves, [...curves], ([name]) => name,
      () => draw("path", { class: "timeline-curve" }),
      (element, [name, steps]) => {
        const top = this.places.get("curve " + name) ?? 0;
        const most = steps.reduce((most, step) => Math.max(most, step[1]), 1);
        const bottom = top + curveHeight - 4;
        const y = count => (bottom - (count / most) * (curveHeight - 10)).toFixed(1);
        const x = time => Math.min(this.width + 8, Math.max(-8, this.x(time))).toFixed(1);
        let path = `M${x(steps[0][0])} ${bottom}`;
        for (const [at, count] of steps) path += `H${x(at)}V${y(count)}`;
        setAttribute(element, "d", path + `H${this.width + 8}V${bottom}Z`);
      });
    this.showValues(this.cursorIndex ?? index);
  }

  /** Shows the values of the curves after the event of an index. */
  showValues(index) {
    this.cursorIndex = index;
    for (const [name, steps] of this.model.curves) {
      const element = this.names.keyedChildren.get("curve " + name)?.firstChild;
      if (!element) continue;
      if (!element.firstChild) element.append(make("b", { text: name }), make("small"));
      const limit = this.model.permits.get(name.replace(/ free$/, ""));
      const value = valueAt(steps, index) ?? limit ?? "–";
      setText(element.lastChild, limit !== undefined && name.endsWith(" free")
        ? `${value} of ${limit}` : `${value}, at most ${peakOf(steps, this.model.now)}`);
    }
  }

  drawMarks() {
    const marks = this.model.marks;
    while (this.drawnMarks < marks.length) {
      const mark = marks[this.drawnMarks];
      this.drawnMarks += 1;
      const x = this.x(mark.time);
      if (x < 0 || x > this.width) continue;
      this.marks.append(draw("line", { class: "timeline-mark", x1: x.toFixed(1), x2: x.toFixed(1),
        y1: rowHeight, y2: this.height }), draw("text", { class: "timeline-mark", x: x.toFixed(1),
        y: this.height - 4, dx: x < 60 ? 4 : -4, "text-anchor": x < 60 ? "start" : "end",
        text: mark.text }));
    }
  }

  showStatistics() {
    const { rows, now } = this.model;
    const [begin, end] = this.window || [0, Math.max(now, 1)];
    const words = time => moment(Math.min(time, now), now);
    setText(this.caption,
      this.window ? `From ${words(begin)} to ${words(end)}, as shown` : "The whole run");
    const kinds = statistics(rows, begin, end, now);
    this.table.hidden = kinds.length === 0;
    const time = value => moment(value, end - begin);
    keyed(this.rows, kinds, kind => kind.name,
      kind => make("tr", {}, make("th", { scope: "row", text: kind.name }),
        ...Array.from({ length: 6 }, () => make("td", { class: "number" }))),
      (row, kind) => {
        const longest = kind.longestName ? `${time(kind.longest)}, ${kind.longestName}` : "–";
        [kind.count, time(kind.running), time(kind.waiting), time(kind.suspended),
          time(kind.queued), longest]
          .forEach((text, place) => setText(row.children[place + 1], text));
      });
  }

  describe() {
    const { threads, jobs, curves } = this.model;
    const steps = curves.get("in progress");
    setAttribute(this.svg, "aria-label", `Timeline of ${moment(this.model.now, this.model.now)}: `
      + `${[...threads.values()].filter(row => row.parts.length).length} threads, ${jobs.size} jobs, at most `
      + `${steps ? peakOf(steps, this.model.now) : 0} in progress`);
  }

  /**
   * The tasks at each step of the code after the event of an index: a map of step to tasks. The kind
   * of a task is that of its part: a suspended one is at the line that it has begun, on no thread.
   */
  placesAt(index, event) {
    const { threads, jobs } = this.model;
    const places = new Map();
    const put = (step, name, kind, group) =>
      places.set(step, [...places.get(step) ?? [], { name: String(name), kind, group }]);
    const usual = { queued: "submit", waiting: "wait", running: "run", suspended: "run" };
    const special = event?.ev === "note" ? (event.q.startsWith("notify") ? "notify" : null)
      : ["signal", "enter", "leave"].includes(event?.ev) ? event.ev : null;
    const thread = special && threads.get(event.thr);
    const actor = thread && jobs.get(partAt(thread, index)?.subject);
    if (special) put(special, actor?.number ?? thread?.name ?? "main", "running", actor?.group);
    const main = threads.get("main");
    if (main && partAt(main, index)?.kind === "waiting") put("wait", "main", "waiting");
    for (const row of jobs.values()) {
      if (row === actor) continue;
      const part = partAt(row, index);
      if (part) put(usual[part.kind], row.number, part.kind, row.group);
      else if (row.parts.some(part => part.last === index)) {
        put("end", row.number, "ended", row.group);
      }
    }
    return places;
  }
}
