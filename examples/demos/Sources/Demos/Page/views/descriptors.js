// The screen of the descriptors: a run without a budget beside a run with one.
//
// Only one of them is the run that goes on. The other is the last run of its kind, kept when it
// ended, on the same axis of time: the difference is to be seen at a glance.
import { make, setText } from "../code/dom.js";
import { count } from "../code/words.js";
import { apply, initial } from "./descriptors/state.js";
import { Panel } from "./descriptors/panel.js";

let board;
let panels;
let remark;
// The last state of a finished run, without a budget and with one.
let kept;

function build(root, ofBoard) {
  board = ofBoard;
  kept = { off: null, on: null };
  panels = { off: new Panel("Without a budget", false), on: new Panel("With a budget", true) };
  remark = make("p", { class: "descriptors-remark" });
  for (const [budget, panel] of Object.entries(panels)) {
    setText(panel.run, budget === "on" ? "Run with a budget" : "Run without a budget");
    panel.run.addEventListener("click", () => {
      board.set("budget", budget);
      board.start();
    });
  }
  root.append(make("div", { class: "descriptors" },
    make("div", { class: "descriptors-pair" }, panels.off.element, panels.on.element), key(),
    remark));
}

function key() {
  const entry = (state, text) => make("li", {}, make("i", { class: state }), text);
  return make("ul", { class: "descriptors-key", "aria-label": "Key" },
    entry("", "not begun, or free"), entry("wait", "waits for a permit"),
    entry("open", "open"), entry("read", "read and closed"),
    entry("refused", "refused: EMFILE"), entry("own", "of the process itself"),
    entry("used", "was used"));
}

function render(state, moment) {
  const now = state.hasBudget ? "on" : "off";
  const hasRun = Boolean(moment.run);
  if (hasRun && moment.isLive && !moment.isRunning) kept[now] = state;
  const shown = { ...kept };
  if (hasRun) shown[now] = state;
  const times = [shown.off, shown.on, kept[now]].map(one => one ? one.time : 0);
  const span = moment.isRunning ? roomy(Math.max(...times)) : Math.max(1, ...times);
  for (const [budget, panel] of Object.entries(panels)) {
    const isNow = hasRun && budget === now;
    panel.show(shown[budget], span, when(shown[budget], isNow, moment));
    panel.run.hidden = board.isFollower;
    panel.run.disabled = moment.isRunning;
    panel.element.dataset.now = String(isNow);
  }
  setText(remark, moment.isRunning ? "" : sentence(shown, state.isCut));
}

// A time axis that grows in few steps while a run goes on.
function roomy(time) {
  let span = 25e6;
  while (span < time) span *= 1.6;
  return span;
}

function when(state, isNow, moment) {
  if (!state) return "";
  if (!isNow) return "the run before";
  return moment.isRunning ? "running" : "";
}

function sentence({ off, on }, isCut) {
  if (isCut) return "So many events are not shown: the page has only the beginning of the run.";
  if (!off && !on) return "A file is opened, held for 0.02 s and closed. How many can be open?";
  if (off && on && off.refused && !on.refused) {
    return `The budget lets ${count(on.budget, "file", "files")} be open at once: the others `
      + "wait, and none is refused. Without it "
      + `${count(off.refused, "file was", "files were")} lost.`;
  }
  if (off && off.refused) {
    return `open() failed for the first time at file ${off.firstRefused}: all numbers below the `
      + "limit were in use. A program that ignores the error loses these files.";
  }
  return "";
}

export default { build, initial, apply, render };
