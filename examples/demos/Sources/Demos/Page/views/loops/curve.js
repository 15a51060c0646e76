// The curve of a loop's overhead: the time of the loop for each stride.
//
// The strides are on a logarithmic axis. A plain loop and the automatic stride are level lines,
// because they have no stride to choose. A table says the same.

import { draw, keyed, make, setText } from "../../code/dom.js";

const height = 300;
const [left, right, top, bottom] = [64, 84, 16, 46];
const narrowest = 300;

/* A loop whose indices are so small that a block costs more than an index. */
const tiny = { count: "100000", work: "100" };

/** Returns seconds as a short time, such as "8.7 ms". */
export function shortTime(value) {
  if (value >= 1) return value.toFixed(2) + " s";
  const milliseconds = value * 1e3;
  if (milliseconds >= 100) return Math.round(milliseconds) + " ms";
  if (milliseconds >= .1) return milliseconds.toFixed(milliseconds < 1 ? 2 : 1) + " ms";
  return (value * 1e6).toFixed(0) + " µs";
}

/** Returns a number with commas and, if there is one, its noun. */
export function grouped(number, one, many) {
  const text = number.toLocaleString("en");
  return one ? `${text} ${number === 1 ? one : many || one + "s"}` : text;
}

/* Returns a step of 1, 2 or 5 for about four lines. */
function stepOf(most) {
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find(step => step * power >= rough) || 10);
}

export class Curve {
  /** `settings` returns the knobs of the loop that the curve is measured for. */
  constructor(board, settings) {
    this.board = board;
    this.settings = settings;
    this.points = [];
    this.shown = -1;
    this.run = null;
    this.buttons = [
      make("button", { type: "button", text: "Measure the curve",
        onclick: () => this.measure(tiny) }),
      make("button", { type: "button", text: "Measure the loop above",
        onclick: () => this.measure(this.settings()) }),
    ];
    this.text = make("p", { class: "remark", text:
      `The same loop with each stride: ${grouped(Number(tiny.count))} indices with ${tiny.work} ns `
      + "of work each, or the loop above." });
    this.drawing = draw("svg", { height, role: "img",
      "aria-label": "The time of the loop for each stride" });
    new ResizeObserver(() => this.renderDrawing()).observe(this.drawing);
    this.rows = make("tbody");
    this.table = make("table", { class: "curve-table" },
      make("caption", { class: "hidden", text: "The time of the loop for each stride" }),
      make("thead", {}, make("tr", {}, make("th", { scope: "col", text: "Stride" }),
        make("th", { scope: "col", class: "number", text: "Blocks" }),
        make("th", { scope: "col", class: "number", text: "Threads" }),
        make("th", { scope: "col", class: "number", text: "Time" }))), this.rows);
    this.figure = make("div", { class: "curve-figure", hidden: true },
      make("div", { class: "curve-drawing" }, this.drawing), this.table);
    this.element = make("div", { class: "curve" },
      make("div", { class: "curve-title" },
        make("h3", { text: "The overhead of small blocks" }),
        make("div", { class: "curve-buttons" }, ...this.buttons)),
      this.text, this.figure);
  }

  measure(knobs) {
    this.board.start({ demo: "sweep", knobs, prediction: [], speed: 1, virtual: false });
  }

  /** Shows the points of a run of the demo "sweep". They stay when another demo runs. */
  show(state, moment) {
    if (state.run === this.run && state.points.length === this.shown) return;
    if (state.run !== this.run) this.knobs = (moment.run && moment.run.knobs) || {};
    this.run = state.run;
    this.shown = state.points.length;
    this.points = state.points;
    this.figure.hidden = this.points.length === 0;
    this.renderRows();
    this.renderDrawing();
  }

  /** Enables the buttons while nothing runs. */
  update(moment) {
    for (const button of this.buttons) {
      button.disabled = moment.isRunning || this.board.isFollower;
    }
    const { count: indices, work } = this.knobs || {};
    if (indices) {
      setText(this.text, `${grouped(Number(indices), "index", "indices")} with `
        + `${grouped(Number(work))} ns of work each.`
        + " Small blocks cost time for each block; large blocks leave threads without work.");
    }
  }

  renderRows() {
    const names = { plain: "plain loop", automatic: "automatic" };
    keyed(this.rows, this.points, point => point.form + point.stride,
      point => make("tr", {},
        make("th", { scope: "row", text: names[point.form] || grouped(point.stride) }),
        make("td", { class: "number", text: grouped(point.blocks) }),
        make("td", { class: "number", text: point.threads }),
        make("td", { class: "number", text: shortTime(point.seconds) })),
      (row, point) => setText(row.lastElementChild, shortTime(point.seconds)));
  }

  renderDrawing() {
    const width = Math.max(narrowest, this.drawing.clientWidth);
    if (!this.points.length) return;
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const strides = this.points.filter(point => point.form === "stride")
      .sort((a, b) => a.stride - b.stride);
    const most = Math.max(1e-6, ...this.points.map(point => point.seconds)) * 1.05;
    const widest = Math.max(2, ...strides.map(point => point.stride));
    const x = stride => left + (Math.log(stride) / Math.log(widest)) * (width - left - right);
    const y = seconds => height - bottom - (seconds / most) * (height - top - bottom);
    const parts = [...gridParts(most, y, width), ...strideParts(strides, x, width)];
    const lines = this.points.filter(point => point.form !== "stride")
      .sort((a, b) => a.seconds - b.seconds);
    parts.push(...levelParts(lines, y, width));
    if (strides.length > 1) {
      const d = strides.map((point, index) => `${index ? "L" : "M"}${x(point.stride).toFixed(1)} `
        + y(point.seconds).toFixed(1)).join("");
      parts.push(draw("path", { class: "curve-line", d }));
    }
    for (const point of strides) {
      parts.push(draw("circle", { class: "curve-point", r: 4.5, cx: x(point.stride),
        cy: y(point.seconds) },
      draw("title", { text: `stride ${point.stride}: ${shortTime(point.seconds)}` })));
    }
    this.drawing.replaceChildren(...parts);
    this.drawing.setAttribute("aria-label", "The time of the loop for each stride. "
      + this.points.map(sentenceOf).join(" "));
  }
}

function gridParts(most, y, width) {
  const parts = [];
  const step = stepOf(most);
  for (let value = 0; value <= most; value += step) {
    parts.push(draw("line", { class: "curve-grid", x1: left, x2: width - right, y1: y(value),
      y2: y(value) }));
    parts.push(draw("text", { class: "curve-tick", x: left - 10, y: y(value) + 4,
      "text-anchor": "end", text: value ? shortTime(value) : "0" }));
  }
  return parts;
}

function sentenceOf(point) {
  const name = { plain: "Plain loop", automatic: "Automatic" }[point.form]
    || "Stride " + point.stride;
  return `${name}: ${shortTime(point.seconds)}.`;
}

/* The numbers below the axis. A number too near to the last one is left out. */
function strideParts(strides, x, width) {
  const parts = [draw("text", { class: "curve-tick", x: (left + width - right) / 2, y: height - 6,
    "text-anchor": "middle", text: "stride, in indices" })];
  let free = 0;
  for (const { stride } of strides) {
    const place = x(stride);
    if (place < free) continue;
    const text = grouped(stride);
    free = place + 7 * text.length + 16;
    parts.push(draw("text", { class: "curve-tick", x: place, y: height - bottom + 18,
      "text-anchor": "middle", text }));
  }
  return parts;
}

/* Level lines with their names, which keep a distance from one another. */
function levelParts(lines, y, width) {
  const parts = [];
  let lowest = height;
  for (const line of lines) {
    const place = y(line.seconds);
    const name = Math.min(place + 4, lowest - 16);
    lowest = name;
    parts.push(draw("line", { class: "curve-level " + line.form, x1: left, x2: width - right,
      y1: place, y2: place }));
    parts.push(draw("text", { class: "curve-name " + line.form, x: width - right + 8, y: name,
      text: line.form === "plain" ? "plain loop" : "automatic" }));
  }
  return parts;
}
