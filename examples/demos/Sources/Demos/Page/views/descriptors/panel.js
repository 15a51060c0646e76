// A run of the descriptors: the count of open files over time, the table of the process, and the
// files.
import { draw, make, setClass, setText } from "../../code/dom.js";
import { count, seconds } from "../../code/words.js";
import { slotState } from "./state.js";

const chart = { height: 132, left: 36, top: 14, bottom: 22 };
const words = { "": "not begun", wait: "wait", open: "open", read: "read", refused: "refused" };

export class Panel {
  constructor(title, hasBudget) {
    this.hasBudget = hasBudget;
    this.total = make("p", { class: "descriptors-total" });
    this.slots = make("div", { class: "descriptors-slots", role: "img" });
    this.files = make("div", { class: "descriptors-files", role: "img" });
    this.slotsTitle = make("h4", {});
    this.filesTitle = make("h4", {});
    this.when = make("span", { class: "descriptors-when" });
    this.run = make("button", { type: "button" });
    this.empty = make("div", { class: "descriptors-empty" },
      make("p", { text: `No run ${title.toLowerCase()} yet.` }), this.run);
    this.body = make("div", { class: "descriptors-body" }, this.total, this.makeChart(),
      make("div", {}, this.slotsTitle, this.slots), make("div", {}, this.filesTitle, this.files));
    this.element = make("section", { class: "descriptors-panel", "aria-label": title },
      make("header", {}, make("h3", { text: title }), this.when), this.body, this.empty);
  }

  makeChart() {
    const { height, left } = chart;
    this.area = draw("path", { class: "descriptors-area" });
    this.limitLine = this.rule("limit");
    this.budgetLine = this.rule("budget");
    this.failures = draw("path", { class: "descriptors-failures" });
    this.end = draw("text", { y: height - 6, "text-anchor": "end" });
    this.caption = draw("text", { x: left, y: height - 6, text: "0 s" });
    this.svg = draw("svg", { class: "descriptors-chart", height, role: "img" }, this.area,
      this.limitLine, this.budgetLine, this.failures, this.end, this.caption);
    new ResizeObserver(() => this.last && this.showChart(...this.last)).observe(this.svg);
    return this.svg;
  }

  rule(name) {
    const line = draw("line", { x1: chart.left, x2: "100%" });
    const label = draw("text", { x: chart.left - 5, "text-anchor": "end" });
    return draw("g", { class: `descriptors-${name}` }, line, label);
  }

  /** Shows a state on a time axis of `span` nanoseconds; null for no run. */
  show(state, span, when) {
    this.body.hidden = !state;
    this.empty.hidden = Boolean(state);
    setText(this.when, when);
    if (!state) return;
    this.showSlots(state);
    this.showFiles(state);
    this.showChart(state, span);
    const total = state.refused
      ? `${state.read} read, ${state.refused} refused`
      : `${state.read} of ${state.files.length} read`;
    setText(this.total, total);
    setClass(this.total, "has-failures", state.refused > 0);
    setClass(this.total, "is-complete", state.read === state.files.length);
  }

  showSlots(state) {
    const cells = fit(this.slots, state.limit, index => index);
    let own = 0;
    cells.forEach((cell, slot) => {
      const found = slotState(state, slot);
      if (found === "own") own += 1;
      setState(cell, found === "free" && state.wasUsed[slot] ? "used" : found);
    });
    const budget = this.hasBudget ? `, budget ${state.budget}` : "";
    setText(this.slotsTitle, `Table of descriptors: limit ${state.limit}${budget}`);
    setLabel(this.slots, `${count(state.open, "descriptor", "descriptors")} of `
      + `${state.limit} opened for files, ${own} used by the process itself, `
      + `${state.limit - own - state.open} free.`);
  }

  showFiles(state) {
    setClass(this.files, "is-many", state.files.length > 600);
    const counts = { "": 0, wait: 0, open: 0, read: 0, refused: 0 };
    fit(this.files, state.files.length).forEach((cell, index) => {
      counts[state.files[index]] += 1;
      setState(cell, state.files[index]);
    });
    const text = Object.entries(counts).filter(([, number]) => number > 0)
      .map(([name, number]) => `${number} ${words[name]}`).join(", ");
    setText(this.filesTitle, `Files: ${text}`);
    setLabel(this.files, `${count(state.files.length, "file", "files")}: ${text}.`);
  }

  showChart(state, span) {
    this.last = [state, span];
    const { height, left, top, bottom } = chart;
    const width = this.svg.clientWidth || 480;
    const scale = Math.max(state.limit, 1);
    const x = time => round(left + ((width - left) * time) / Math.max(span, 1));
    const y = value => round(height - bottom - ((height - bottom - top) * value) / scale);
    let path = `M${left} ${y(0)}`;
    for (const [time, value] of state.curve) path += `H${x(time)}V${y(value)}`;
    set(this.area, "d", `${path}H${x(state.time)}V${y(0)}Z`);
    place(this.limitLine, y(state.limit), state.limit);
    place(this.budgetLine, y(state.budget), this.hasBudget ? state.budget : "");
    const high = y(state.limit);
    set(this.failures, "d", thin(state.failures.map(x)).map(at =>
      `M${at - 3} ${high - 3}l6 6m0 -6l-6 6`).join(""));
    set(this.end, "x", width - 2);
    setText(this.end, seconds(span));
    setLabel(this.svg, `Open files over time: at most ${state.peak}; the limit is `
      + `${state.limit}.${state.refused ? ` ${state.refused} were refused.` : ""}`);
  }
}

function place(group, y, text) {
  const [line, label] = group.children;
  set(line, "y1", y);
  set(line, "y2", y);
  set(label, "y", y + 4);
  setText(label, text);
  setClass(group, "is-absent", text === "");
}

// The marks that can be told apart.
function thin(places) {
  return places.filter((place, index) => index === 0 || place - places[index - 1] >= 0.5)
    .filter((place, index, all) => all.indexOf(place) === index);
}

function fit(parent, length, textOf) {
  const cells = parent.children;
  while (cells.length > length) parent.lastElementChild.remove();
  while (cells.length < length) {
    parent.append(make("i", textOf ? { text: textOf(cells.length) } : {}));
  }
  return [...cells];
}

function setState(cell, state) {
  if (cell.className !== state) cell.className = state;
}

function setLabel(element, text) {
  set(element, "aria-label", text);
}

function set(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

function round(value) {
  return Math.round(value * 10) / 10;
}
