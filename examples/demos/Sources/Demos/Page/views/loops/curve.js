// The curve of a loop: a bar for each stride, and what the cores did in its time.

import { keyed, make, setClass, setText } from "../../code/dom.js";
import { answer } from "../../code/words.js";

const kinds = [["idle", "idle"], ["handing", "handing out"], ["work", "work"]];

/** Returns the time of a note, as an entry of a curve; null for another event. */
export function timeOfNote({ ev, q, task, v }) {
  const parts = ev === "note"
    && /^TIME (plain|apply|automatic) \| work (\d+) \| handing out (\d+) \| idle (\d+)$/.exec(q);
  if (!parts) return null;
  const [work, handing, idle] = parts.slice(2).map(Number);
  return { stride: { plain: 0, automatic: Infinity }[parts[1]] ?? task, time: v, work, handing, idle };
}

/** Returns the name of a stride: 0 is the plain loop, and Infinity the automatic stride. */
export function nameOf(stride) {
  return stride === 0 ? "plain" : stride === Infinity ? "auto" : String(stride);
}

const short = time => answer(time / 1e9, "seconds");

/** The bars of a loop. */
export class Curve {
  constructor() {
    this.bars = make("ol", { class: "curve-bars" });
    this.line = make("i", { class: "curve-ideal" });
    this.ideal = make("span", {});
    this.caption = make("figcaption", { class: "legend" },
      ...[...kinds].reverse().map(([name, text]) => make("span", {}, make("i", { class: name }), text)),
      make("span", {}, make("i", { class: "ideal" }), this.ideal),
      make("span", { text: "of the average core, by stride" }));
    this.element = make("figure", { class: "curve" }, this.caption,
      make("div", { class: "curve-chart" }, this.bars, this.line));
  }

  /** Shows times, of which one is that of a stride in question. `ideal` is in ns. */
  show(times, ideal, own) {
    const longest = Math.max(1, ...times.map(({ time }) => time));
    const share = time => `${(time / longest * 100).toFixed(2)}%`;
    this.element.hidden = times.length === 0;
    keyed(this.bars, times, ({ stride }) => stride, ({ stride }) => make("li", {},
      make("span", { class: "curve-area" }, make("span", {}), make("span", { class: "curve-bar" },
        ...kinds.map(([name]) => make("i", { class: name })))),
      make("b", { text: nameOf(stride) }), make("span", { class: "hidden" })),
    (item, entry) => {
      const [area, , words] = item.children;
      const [time, bar] = area.children;
      setClass(item, "is-own", entry.stride === own);
      setText(time, short(entry.time));
      bar.style.height = share(entry.time);
      kinds.forEach(([name], index) => { bar.children[index].style.flexGrow = entry[name]; });
      setText(words, [...kinds].reverse().map(([name, text]) => `${text} ${short(entry[name])}`).join(", "));
    });
    this.line.style.setProperty("--share", ideal / longest);
    setText(this.ideal, `ideal ${short(ideal)}`);
  }
}
