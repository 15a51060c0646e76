// The timeline: the rows of a run, drawn while it goes on.
//
// An event changes one or two rectangles. A part that has not ended is drawn to the right edge,
// and a cover lies over everything after the present: so a moment that passes without an event
// moves the cover, which is a layer of its own, and paints nothing. When the run outgrows the
// picture, all parts are placed anew, on half more time. A canvas was rejected: it has no colors
// of the style sheet, and no text.

import { draw, make, keyed, setAttribute, setText } from "../dom.js";
import { seconds } from "../words.js";
import { Rows } from "./rows.js";

const rowHeight = 22;
const barHeight = 16;
const curveHeight = 46;
/* The distances of the lines of the grid, in seconds. */
const ticks = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200,
  500];

export class Timeline {
  constructor(root, options) {
    this.onPick = options.onPick;
    this.unit = options.unit || "s";
    this.names = make("div", { class: "timeline-names", "aria-hidden": "true" });
    this.plot = make("div", { class: "timeline-plot" });
    this.chart = make("div", { class: "timeline-chart", tabindex: 0, role: "group",
      "aria-label": "Rows of the timeline" }, this.names, this.plot);
    this.remark = make("p", { class: "remark" });
    root.append(this.chart, this.remark);
    this.build();
    this.reset(null);
    new ResizeObserver(() => this.resize()).observe(this.plot);
  }

  build() {
    this.grid = draw("g", { class: "timeline-grid" });
    this.tracks = draw("g", {});
    this.bars = draw("g", {});
    this.texts = draw("g", { class: "timeline-texts" });
    this.curve = draw("path", { class: "timeline-curve" });
    this.cover = make("div", { class: "timeline-cover", "aria-hidden": "true" });
    this.marks = draw("g", {});
    this.cursor = draw("line", { class: "timeline-cursor", y1: 0, visibility: "hidden" });
    this.svg = draw("svg", { class: "timeline-svg", role: "img", "aria-label": "No event yet" },
      this.pattern(), this.tracks, this.grid, this.curve, this.bars, this.texts, this.marks,
      this.cursor);
    this.svg.addEventListener("click", event => this.pick(event));
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
    this.elements = new Map();
    this.places = new Map();
    this.drawnMarks = 0;
    this.shown = -1;
    for (const group of [this.bars, this.texts, this.marks, this.tracks]) group.replaceChildren();
    this.names.replaceChildren();
    this.names.keyedChildren = new Map();
    this.curve.removeAttribute("d");
    setText(this.remark, "");
    setAttribute(this.svg, "aria-label", "No event yet");
    this.layout();
  }

  apply(event) { this.model.apply(event); }

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
    this.drawCurve();
    this.cover.style.transform = `translateX(${Math.min(this.x(time), this.width).toFixed(1)}px)`;
    this.cover.hidden = isOver;
    if (isOver) this.describe();
  }

  /** Fits the picture to a run that has ended. */
  finish() {
    this.span = Math.max(this.model.now * 1.02, 1);
    this.layout();
    this.drawMarks();
    this.render(this.model.now, true);
  }

  /** Shows the cursor at a time in ns; null for none. */
  setCursor(time) {
    const isShown = time !== null && time !== undefined;
    setAttribute(this.cursor, "visibility", isShown ? "visible" : "hidden");
    if (!isShown) return;
    const x = this.x(time).toFixed(1);
    setAttribute(this.cursor, "x1", x);
    setAttribute(this.cursor, "x2", x);
  }

  // Places

  x(time) { return (time / this.span) * this.width; }

  resize() {
    const width = this.plot.clientWidth;
    if (width && width !== this.width) this.layout();
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
    this.drawCurve();
  }

  placeRows(rows) {
    let y = 0;
    const items = [];
    this.places.clear();
    const heading = text => {
      items.push({ id: text, name: text, kind: "heading", height: rowHeight });
      y += rowHeight;
    };
    rows.forEach((row, index) => {
      if (index === 0) heading("Threads");
      else if (row.kind === "job" && rows[index - 1].kind === "thread") heading("Jobs");
      this.places.set(row.id, y);
      items.push({ id: row.id, name: row.name, kind: row.kind, height: rowHeight });
      y += rowHeight;
    });
    if (rows.length) {
      this.curveTop = y + 6;
      items.push({ id: "curve", name: "running at once", kind: "count", height: curveHeight });
      y += curveHeight;
    }
    this.bottom = y;
    keyed(this.names, items, item => item.id,
      item => {
        const element = make("div", { class: "timeline-name " + item.kind }, make("span", {}));
        element.style.height = item.height + "px";
        return element;
      },
      (element, item) => {
        setText(element.firstChild, item.name);
        setAttribute(element, "title", item.name);
      });
    const hidden = this.model.hidden;
    setText(this.remark, hidden ? `${hidden} events of more jobs have no row here.` : "");
  }

  place(part) {
    const y = this.places.get(part.row.id);
    if (y === undefined) return;
    let element = this.elements.get(part);
    if (!element) {
      element = draw("rect", { rx: 3, height: barHeight });
      this.elements.set(part, element);
      this.bars.append(element);
    }
    const begin = this.x(part.begin);
    const end = part.end === null ? this.width + 8 : this.x(part.end);
    element.setAttribute("x", begin.toFixed(1));
    element.setAttribute("y", y + (rowHeight - barHeight) / 2);
    element.setAttribute("width", Math.max(1.5, end - begin).toFixed(1));
    element.setAttribute("class", "bar " + part.kind
      + (part.ending && part.ending !== "done" ? " " + part.ending.replace(" ", "-") : ""));
    this.letter(part, begin, end, y);
  }

  letter(part, begin, end, y) {
    const isWide = end - begin > 15;
    if (!isWide && !part.text) return;
    if (!part.text) {
      part.text = draw("text", { class: part.kind, text: part.letter });
      this.texts.append(part.text);
    } else if (!part.text.isConnected) {
      this.texts.append(part.text);
    }
    setAttribute(part.text, "visibility", isWide ? "visible" : "hidden");
    part.text.setAttribute("x", (Math.max(begin, 0) + 5).toFixed(1));
    part.text.setAttribute("y", y + rowHeight / 2 + 4);
  }

  // The grid, the curve and the marks

  drawGrid() {
    const room = Math.max(3, this.width / 90);
    const step = ticks.find(step => this.span / 1e9 / step <= room
      && (this.unit === "s" || step >= 1)) || 1000;
    const parts = [];
    for (let time = 0; time * 1e9 <= this.span; time += step) {
      const x = this.x(time * 1e9).toFixed(1);
      parts.push(draw("line", { x1: x, x2: x, y1: rowHeight, y2: this.height }));
      const anchor = time === 0 ? "start" : Number(x) > this.width - 16 ? "end" : "middle";
      parts.push(draw("text", { x, y: 14, "text-anchor": anchor,
        text: this.unit === "s" ? Number(time.toFixed(3)) + " s" : "step " + time }));
    }
    this.grid.replaceChildren(...parts);
  }

  drawCurve() {
    const counts = this.model.counts;
    if (!counts.length || this.shown === counts.length) return;
    this.shown = counts.length;
    const most = counts.reduce((most, [, count]) => Math.max(most, count), 1);
    const bottom = this.curveTop + curveHeight - 14;
    const y = count => (bottom - (count / most) * (curveHeight - 20)).toFixed(1);
    let path = `M0 ${y(0)}`;
    for (const [at, count] of counts) path += `H${this.x(at).toFixed(1)}V${y(count)}`;
    this.curve.setAttribute("d", path + `H${this.width + 8}V${bottom}H0Z`);
    const name = this.names.querySelector(".count span");
    if (name) setText(name, `running at once, at most ${most}`);
  }

  drawMarks() {
    const marks = this.model.marks;
    while (this.drawnMarks < marks.length) {
      const mark = marks[this.drawnMarks];
      const x = this.x(mark.time).toFixed(1);
      this.marks.append(draw("line", { class: "timeline-mark", x1: x, x2: x,
        y1: rowHeight, y2: this.height }), draw("text", { class: "timeline-mark", x,
        y: this.height - 4, dx: -4, "text-anchor": "end", text: mark.text }));
      this.drawnMarks += 1;
    }
  }

  describe() {
    const { threads, jobs, counts } = this.model;
    const most = counts.reduce((most, [, count]) => Math.max(most, count), 0);
    setAttribute(this.svg, "aria-label", `Timeline of ${seconds(this.model.now)}: `
      + `${threads.size} threads, ${jobs.size} jobs, at most ${most} running at once`);
  }

  pick(event) {
    if (!this.onPick) return;
    const box = this.svg.getBoundingClientRect();
    this.onPick(((event.clientX - box.left) / this.width) * this.span);
  }
}
