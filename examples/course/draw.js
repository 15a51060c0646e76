// A page of the course: the learner draws the work of a loop's rows, and chooses the stride.
//
// The times are those of the simulated machine, computed here: PageTests.swift compares them with
// its own.
import { draw, keyed, make, setAttribute, setText } from "../code/dom.js";
import { answer } from "../code/words.js";
import { Curve } from "../views/loops/curve.js";
import { costs, stridesOf, timeOf } from "../views/loops/model.js";

const cores = 2;
const rows = 1024;
const columns = 16;
/* The ns of a row for each unit of a column, and the units of a column at most. */
const unit = 100;
const most = 20;
/* A stride is good if no other is faster by more than a twentieth. */
const tolerance = 1.05;
const first = [1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 11, 14, 17, 20];

const text = time => answer(time / 1e9, "seconds");

/** The times of a loop whose rows have the work of these columns, for each stride. */
export function timesOf(heights) {
  const work = heights.flatMap(height => Array(rows / columns).fill(height * unit));
  return [0, ...stridesOf(rows)].map(stride => timeOf(work, stride, cores));
}

/** Returns the sentence on a choice: what the cores do in its time besides the work. */
export function verdictOf(times, stride) {
  const loops = times.filter(time => time.stride);
  const own = loops.find(time => time.stride === stride);
  const best = loops.reduce((best, time) => time.time < best.time ? time : best);
  if (own.time <= best.time * tolerance) return [true, `${text(own.time)}: no stride is faster by more than 5 %.`];
  const reason = own.handing > own.idle
    ? `the cores spend ${text(own.handing)} each with handing out ${own.blocks.length} blocks`
    : `a core is idle for ${text(own.idle)} on average, while another has the last block`;
  return [false, `${text(own.time)}: ${reason}. The fastest stride takes ${text(best.time)}.`];
}

/** The page. `onRun` is called with the columns and the stride. */
export class DrawnLoop {
  constructor([heights, stride], onRun) {
    this.onRun = onRun;
    const kept = (heights || "").split(".").map(Number);
    const start = kept.length === columns && kept.every(height => height >= 1 && height <= most) ? kept : first;
    this.inputs = start.map((height, index) => make("input", { type: "range", min: 1, max: most, value: height,
      "aria-label": `Work of the rows ${index * rows / columns + 1} to ${(index + 1) * rows / columns}`,
      oninput: () => this.forget() }));
    this.area = make("div", { class: "draw-area", onpointerdown: event => this.stroke(event),
      onpointermove: event => event.buttons && this.stroke(event) }, ...this.inputs);
    const options = stridesOf(rows).map(own => make("label", {},
      make("input", { type: "radio", name: "stride", value: own, required: true }), make("span", { text: own })));
    this.mark = make("p", { role: "status", tabindex: "-1" });
    this.curve = new Curve();
    this.cores = draw("svg", { class: "draw-cores", role: "img", viewBox: "0 0 1000 44",
      preserveAspectRatio: "none" });
    this.result = make("div", {});
    this.form = make("form", { class: "course-ask card", onsubmit: event => {
      event.preventDefault();
      this.run(Number(event.target.elements.stride.value));
      this.mark.focus();
    } }, make("fieldset", {}, make("legend", { text: "How many rows a block?" }),
      make("div", { class: "draw-strides" }, ...options),
      make("button", { class: "primary", text: "Run" })), this.mark);
    this.element = make("div", { class: "course-sides" },
      make("div", {}, make("section", {}, make("h2", { text: "The work of the rows" }), this.area,
        make("p", { class: "remark", text: `${rows.toLocaleString("en")} rows from left to right, 0.1 to 2 µs each, on `
          + `two cores. Handing out a block costs ${costs.block} ns, and the second thread begins after `
          + `${costs.wake / 1000} µs.` }))),
      make("div", {}, this.form, this.result));
    if (stridesOf(rows).includes(Number(stride))) {
      this.form.elements.stride.value = stride;
      this.run(Number(stride));
    }
  }

  get heights() { return this.inputs.map(input => Number(input.value)); }

  /** Sets the column below the pointer. */
  stroke(event) {
    const { left, top, width, height } = this.area.getBoundingClientRect();
    const column = Math.floor((event.clientX - left) / width * columns);
    const share = 1 - (event.clientY - top) / height;
    if (!this.inputs[column]) return;
    this.inputs[column].value = Math.round(1 + share * (most - 1));
    this.forget();
    event.preventDefault();
  }

  /** Takes back the result: it was that of other rows. */
  forget() {
    this.result.replaceChildren();
    setText(this.mark, "");
  }

  run(stride) {
    const times = timesOf(this.heights);
    const [isGood, words] = verdictOf(times, stride);
    this.mark.className = isGood ? "right" : "wrong";
    setText(this.mark, `${isGood ? "✓" : "✗"} ${words}`);
    this.result.replaceChildren(this.curve.element, this.cores, make("p", { class: "remark",
      text: "Below the bars: the blocks of each core, in the time of your stride." }));
    this.curve.show(times, times[0].time / cores, stride);
    const { blocks, time } = times.find(own => own.stride === stride);
    keyed(this.cores, blocks, (block, index) => `${stride} ${block.begin} ${block.core}`, () => draw("rect", {}),
      (element, { core, begin, end }) => {
        for (const [name, value] of Object.entries({ x: begin / time * 1000, y: core * 24, height: 20,
          width: Math.max(0.2, (end - begin) / time * 1000 - 0.6) })) setAttribute(element, name, value);
      });
    setAttribute(this.cores, "aria-label", Array.from({ length: cores }, (_, core) =>
      `core ${core + 1}: ${blocks.filter(block => block.core === core).length} blocks`).join(", "));
    this.onRun(this.heights.join("."), stride);
  }
}
