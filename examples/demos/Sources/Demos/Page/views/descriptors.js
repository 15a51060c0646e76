// The screen of the descriptors: the table of the process, and the files.
//
// open() returns the lowest free number. So a number that no file ever had, below one that a file
// has, belongs to the process itself. The simulated machine counts instead of numbering: there a
// file takes the lowest free slot.
import { keyed, make, setAttribute, setClass, setText } from "../code/dom.js";
import { count } from "../code/words.js";

const standard = 3;
const words = { wait: "wait for a permit", open: "open", read: "read", refused: "refused" };

const view = {
  build(root) {
    this.total = make("p", { class: "descriptors-total" });
    this.slotsTitle = make("h3");
    this.slots = make("div", { class: "descriptors-slots", role: "img" });
    this.filesTitle = make("h3");
    this.files = make("div", { class: "descriptors-files", role: "img" });
    this.remark = make("p", { class: "descriptors-remark" });
    const key = Object.entries({ "": "free, or not begun", wait: "waits for a permit", open: "open",
      read: "read and closed", refused: "refused: EMFILE", own: "of the process itself" });
    root.append(make("div", { class: "descriptors" }, this.total, this.slotsTitle, this.slots,
      this.filesTitle, this.files, make("ul", { class: "descriptors-key", "aria-label": "Key" },
        ...key.map(([name, text]) => make("li", {}, make("i", { class: name }), text))),
      this.remark));
  },

  initial(run, values) {
    const knobs = run?.knobs ?? values ?? {};
    const limit = Number(knobs.limit || 64);
    return {
      hasBudget: knobs.budget === "on", isSimulated: Boolean(run?.virtual),
      budget: Math.max(1, Math.floor(limit / 2) - 8),
      // For each file: "" not begun, "wait", "open", "read" or "refused".
      files: Array(Number(knobs.files || 200)).fill(""),
      // For each descriptor: the number of its file; 0 for none, null if it never had one.
      slots: Array(limit).fill(null), firstRefused: 0, isCut: false,
    };
  },

  apply(state, message) {
    if (message.kind === "cut") state.isCut = true;
    const file = message.task - 1;
    if (message.kind !== "event" || !(file in state.files)) return;
    if (message.ev === "start" && message.q === "opener" && state.hasBudget) {
      state.files[file] ||= "wait";
    }
    if (message.ev !== "note") return;
    if (message.q === "open") open(state, file, message.v);
    else if (message.q === "close") {
      state.files[file] = "read";
      const slot = state.slots.indexOf(file + 1);
      if (slot >= 0) state.slots[slot] = 0;
    } else if (message.q === "EMFILE") {
      state.files[file] = "refused";
      state.firstRefused ||= file + 1;
    }
  },

  render(state) {
    const numberOf = word => state.files.filter(file => file === word).length;
    const [read, refused] = [numberOf("read"), numberOf("refused")];
    setText(this.total, refused ? `${read} read, ${refused} refused`
      : `${read} of ${state.files.length} read`);
    setClass(this.total, "wrong", refused > 0);
    const budget = state.hasBudget ? `, ${state.budget} of them for the budget` : "";
    const slots = state.slots.map((file, slot) => file ? "open" : isOwn(state, slot) ? "own" : "");
    show(this.slotsTitle, this.slots, `${count(state.slots.length, "descriptor")}${budget}: `
      + `${numberOf("open")} of files, ${slots.filter(slot => slot === "own").length} of the process`,
    slots);
    show(this.filesTitle, this.files, `${count(state.files.length, "file")}: `
      + Object.entries(words).map(([word, text]) => `${numberOf(word)} ${text}`).join(", "),
    state.files);
    setText(this.remark, state.isCut
      ? "So many events are not shown: the page has only the beginning of the run."
      : refused ? `open() failed for the first time at file ${state.firstRefused}: all numbers below `
        + "the limit were in use. A program that ignores the error loses these files."
        : state.hasBudget ? `The budget lets ${count(state.budget, "file")} be open at once: the `
          + "others wait, and none is refused."
          : "A file is opened, held for 0.02 s and closed. How many can be open?");
  },
};

function open(state, file, descriptor) {
  state.files[file] = "open";
  const isKnown = !state.isSimulated && descriptor < state.slots.length;
  const slot = isKnown ? descriptor
    : state.slots.findIndex((file, slot) => slot >= standard && !file);
  if (slot >= 0) state.slots[slot] = file + 1;
}

function isOwn({ slots }, slot) {
  const isBelow = slots.some((file, other) => other > slot && file !== null);
  return slot < standard || slots[slot] === null && isBelow;
}

function show(title, list, text, states) {
  setText(title, text);
  setAttribute(list, "aria-label", text);
  keyed(list, states.map((state, index) => ({ state, index })), cell => cell.index,
    () => make("i"), (cell, { state }) => setAttribute(cell, "class", state));
}

export default view;
