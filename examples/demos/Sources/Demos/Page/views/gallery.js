// The screen of the gallery: a page with a grid of pictures, and the requests that fill it.
//
// The page shows pictures only when the function returns its array. Until then an arrived picture
// is faint: the program has it, and the user does not see it. So a failure that loses the others
// looks like what it is.

import { keyed, make, setAttribute, setClass, setText } from "../code/dom.js";
import { picture } from "../code/picture.js";
import { count, seconds } from "../code/words.js";
import { glide } from "./shared/motion.js";
import { applyEvent, collected, forms, numberOf, picturesOf } from "./gallery/pictures.js";

const reasons = {
  "status 500": "The server answered with status 500.",
  "bad address": "The address is not one.",
  "not a picture": "The bytes are no picture.",
  CancellationError: "The work was cancelled.",
};

const states = {
  queued: ["Q", "queued"], running: ["R", "under way"], arrived: ["D", "arrived"],
  failed: ["✕", "failed"], cancelled: ["C", "cancelled"],
};

const view = {
  build(root, board) {
    this.board = board;
    this.isAway = false;
    this.last = {};
    root.append(make("div", { class: "gallery" }, this.buildPage(), this.buildSide()));
  },

  buildPage() {
    this.grid = make("ul", { class: "gallery-grid" });
    this.panel = make("div", { class: "gallery-panel", hidden: true });
    this.screen = make("div", { class: "gallery-screen", tabindex: 0, role: "group",
      "aria-label": "The page" }, this.grid, this.panel);
    this.leave = make("button", { type: "button", text: "Leave the page",
      onclick: () => this.toggle() });
    this.remark = make("p", { class: "gallery-remark" });
    return make("div", {},
      make("div", { class: "gallery-phone" },
        make("p", { class: "gallery-bar", text: "Task Group" }), this.screen),
      make("div", { class: "gallery-actions" }, this.leave), this.remark);
  },

  buildSide() {
    this.title = make("h3");
    this.tracks = make("ul", { class: "tracks" });
    this.array = make("ol", { class: "gallery-array" });
    this.arrayText = make("p", { class: "gallery-note" });
    return make("div", { class: "gallery-side" },
      make("div", {}, this.title, this.tracks),
      make("div", {}, make("h3", { text: "The array" }), this.array, this.arrayText));
  },

  /* Leaves the page, or comes back. A page that comes back fetches anew if it was cancelled. */
  toggle() {
    const { state, moment } = this.last;
    this.isAway = !this.isAway;
    if (this.isAway) this.leftRun = Boolean(moment && moment.isRunning);
    if (this.isAway && moment && moment.isRunning) this.board.send("leave", 1);
    if (!this.isAway && state && state.cancelledAt !== null && !moment.isRunning) {
      this.board.start();
    }
    this.board.announce(this.isAway ? "You left the page." : "You are back on the page.");
    if (state) this.render(state, moment);
  },

  initial(run) {
    return picturesOf(run);
  },

  apply(state, message) {
    if (message.kind === "event") applyEvent(state, message);
  },

  render(state, moment) {
    if (this.last.state && this.last.state.run !== state.run) this.isAway = false;
    const isSame = this.last.state === state && this.last.version === state.version
      && this.last.isAway === this.isAway && this.last.isRunning === moment.isRunning;
    const isStill = this.last.state !== state || this.board.isReduced();
    this.last = { state, moment, version: state.version, isAway: this.isAway,
      isRunning: moment.isRunning };
    if (!isSame) {
      glide(this.grid.closest(".gallery"), isStill, () => {
        this.renderGrid(state);
        this.renderArray(state);
      });
      this.renderPanel(state, moment);
      this.renderWords(state, moment);
    }
    this.renderTracks(state, moment);
  },

  renderGrid(state) {
    const isOver = state.shown || state.error;
    const array = collected(state);
    const length = state.shown ? array.length : state.error ? 0 : state.count;
    const cells = [];
    for (let place = 0; place < length; place += 1) {
      cells.push({ place, id: array[place] || 0, isShown: Boolean(state.shown) });
    }
    keyed(this.grid, cells, cell => cell.place, () => make("li"), (item, cell) => {
      setAttribute(item, "class", cell.id ? (cell.isShown ? "shown" : "faint")
        : isOver ? "gap" : "empty");
      if (item.dataset.id === String(cell.id)) return;
      item.dataset.id = cell.id;
      item.replaceChildren(cell.id ? picture(cell.id) : make("span", { text: "" }));
    });
    for (const item of this.grid.children) {
      if (item.classList.contains("gap")) setText(item, "no picture");
    }
  },

  renderArray(state) {
    const array = state.error ? [] : collected(state);
    const items = array.map((id, place) => ({ id, place }));
    keyed(this.array, items, item => item.id || "place " + item.place,
      item => make("li", { "data-key": item.id ? "array" + item.id : null },
        item.id ? picture(item.id) : make("span", { class: "nil" }),
        make("span", { text: item.id || "" })),
      (element, item) => {
        if (!item.id) setText(element.firstElementChild, state.shown ? "nil" : "");
      });
    const text = state.error ? "The function throws: there is no array. " + lost(state)
      : state.isOrdered ? "In the order of the input." : "In the order of completion.";
    setText(this.arrayText, text);
  },

  renderPanel(state, moment) {
    this.panel.hidden = !this.isAway && !state.error;
    this.grid.hidden = this.isAway;
    if (this.panel.hidden) return;
    const isLeft = this.isAway;
    const fate = leaveText(state, moment, this.leftRun);
    this.panel.replaceChildren(
      make("strong", { text: isLeft ? "Another page" : "Cannot show the pictures" }),
      make("p", { text: isLeft ? fate : reasons[state.error] || state.error }));
  },

  renderWords(state, moment) {
    setText(this.title, "Requests: " + forms[state.form].title.replace(/^T/, "t"));
    setText(this.leave, this.isAway ? "Come back" : "Leave the page");
    this.leave.disabled = this.board.isFollower;
    setClass(this.leave, "away", this.isAway);
    setText(this.remark, this.isAway ? "" : remarkOf(state, moment));
  },

  renderTracks(state, moment) {
    const span = Math.max(1.2e9, moment.time, state.last);
    const rows = [...state.pictures.values()];
    setClass(this.tracks, "many", rows.length > 12);
    keyed(this.tracks, rows, row => row.id, makeTrack, (item, row) => {
      const end = row.end === null ? moment.time : row.end;
      const [bar, word] = [item.children[1].firstElementChild, item.lastElementChild];
      bar.style.left = `${(100 * row.begin) / span}%`;
      bar.style.width = `${(100 * Math.max(0, end - row.begin)) / span}%`;
      setAttribute(item, "class", row.phase);
      const time = row.end === null ? "" : " " + seconds(row.end - row.begin);
      setText(word, states[row.phase].join(" ") + time);
    });
  },
};

function makeTrack(row) {
  return make("li", {}, make("span", { class: "track-name", text: row.id }),
    make("span", { class: "track" }, make("i")), make("span", { class: "track-word" }));
}

function lost(state) {
  const { length } = state.arrived;
  return length ? `${count(length, "picture")} had arrived and ${length === 1 ? "is" : "are"} lost.`
    : "";
}

function leaveText(state, moment, leftRun) {
  const cancelled = numberOf(state, "cancelled");
  if (state.cancelledAt === null) {
    if (!leftRun) return "No request was under way.";
    if (moment.run.virtual) return "Nothing is cancelled: a simulated run takes no commands.";
    return moment.isRunning ? "The tasks are told to stop."
      : "Nothing was cancelled: all requests had ended.";
  }
  const running = numberOf(state, "running");
  if (running) return `${count(running, "request")} still under way.`;
  return `Leaving cancelled ${count(cancelled, "request")} at ${seconds(state.cancelledAt)}.`;
}

function remarkOf(state, moment) {
  if (state.error) return lost(state);
  if (!state.shown) {
    return moment.isRunning && state.arrived.length
      ? "Faint: arrived, but the function has not returned. The user sees an empty page." : "";
  }
  const seen = state.shown.filter(id => id).length;
  const missing = state.count - seen;
  const times = `${count(seen, "picture")} after ${seconds(state.endedAt)}.`;
  if (!missing) return times;
  if (state.shown.includes(0)) return `${times} A gap tells that one is missing.`;
  return `${times} ${count(missing, "picture")} ${missing === 1 ? "is" : "are"} missing, and`
    + " nothing on the page tells it.";
}

export default view;
