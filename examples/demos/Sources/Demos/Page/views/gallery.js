// The screen of the gallery: a page with a grid of pictures.
//
// The page shows pictures only when the function returns its array. Until then an arrived picture
// is faint: the program has it, and the user does not see it. So a failure that loses the others
// looks like what it is.

import { keyed, make, setAttribute, setText } from "../code/dom.js";
import { picture } from "../code/picture.js";
import { count, seconds } from "../code/words.js";

const reasons = {
  "status 500": "The server answered with status 500.",
  "bad address": "The address is not one.",
  "not a picture": "The bytes are no picture.",
  CancellationError: "The work was cancelled.",
};
/* The forms whose results are in the order of the input. */
const ordered = ["async-let", "sorted", "sequential", "map", "map-nil"];

const view = {
  build(root, board) {
    this.board = board;
    this.isAway = false;
    this.grid = make("ul", { class: "gallery-grid" });
    this.panelTitle = make("strong");
    this.panelText = make("p");
    this.panel = make("div", { class: "gallery-panel" }, this.panelTitle, this.panelText);
    this.leave = make("button", { type: "button", onclick: () => this.toggle() });
    this.remark = make("p", { class: "gallery-remark" });
    root.append(make("div", { class: "gallery" }, make("h3", { text: "The page" }),
      make("div", { class: "gallery-screen", tabindex: 0, role: "group", "aria-label": "The page" },
        this.grid, this.panel), this.remark,
      make("div", { class: "gallery-actions" }, this.leave)));
  },

  /* Leaves the page, or comes back. A page that comes back fetches anew if it was cancelled. */
  toggle() {
    const [state, moment] = this.last;
    this.isAway = !this.isAway;
    if (this.isAway && moment.isRunning) this.board.send("leave", 1);
    if (!this.isAway && state.cancelledAt !== null && !moment.isRunning) this.board.start();
    this.board.announce(this.isAway ? "You left the page." : "You are back on the page.");
    this.render(state, moment);
  },

  initial(run, values) {
    const { form = "group", tasks = 5 } = run?.knobs ?? values ?? {};
    return { isOrdered: ordered.includes(form), length: form === "async-let" ? 4 : Number(tasks),
      arrived: [], cancelled: new Set(), shown: null, error: null, cancelledAt: null,
      endedAt: null };
  },

  apply(state, message) {
    if (message.kind !== "event") return;
    if (message.ev === "note") applyNote(state, message);
    else if (message.ev === "cancel" && message.q === "picture") state.cancelled.add(message.task);
  },

  render(state, moment) {
    if (this.last && this.last[1].run !== moment.run) this.isAway = false;
    this.last = [state, moment];
    this.showGrid(state);
    this.grid.hidden = this.isAway || Boolean(state.error);
    this.panel.hidden = !this.grid.hidden;
    setText(this.panelTitle, this.isAway ? "Another page" : "Cannot show the pictures");
    setText(this.panelText, this.isAway ? leaveText(state, moment)
      : reasons[state.error] || state.error || "");
    setText(this.leave, this.isAway ? "Come back" : "Leave the page");
    this.leave.disabled = this.board.isFollower;
    setText(this.remark, this.isAway ? "" : remarkOf(state, moment));
  },

  showGrid(state) {
    const array = collected(state);
    const cells = Array.from({ length: state.shown ? array.length : state.length },
      (_, place) => ({ place, id: array[place] || 0 }));
    keyed(this.grid, cells, cell => cell.place, () => make("li"), (item, { id }) => {
      setAttribute(item, "class", id ? (state.shown ? "shown" : "faint")
        : state.shown ? "gap" : "empty");
      if (item.dataset.id !== String(id)) item.replaceChildren(...(id ? [picture(id)] : []));
      item.dataset.id = id;
      if (!id) setText(item, state.shown ? "no picture" : "");
    });
  },
};

function applyNote(state, event) {
  if (event.q === "ARRIVED") state.arrived.push(event.task);
  else if (event.q === "CANCELLED") state.cancelled.add(event.task);
  else if (event.q.startsWith("SHOWN")) {
    state.shown = (event.q.match(/\d+|nil/g) || []).map(word => Number(word) || 0);
    state.endedAt = event.t;
  } else if (event.q.startsWith("ERROR")) {
    state.error = event.q.slice(6);
    state.endedAt = event.t;
  } else if (event.q === "CANCEL" || event.q === "leave") state.cancelledAt = event.t;
}

/* The array of numbers so far; 0 is an empty place. */
function collected(state) {
  if (state.shown) return state.shown;
  if (!state.isOrdered) return state.arrived;
  return Array.from({ length: state.length },
    (_, place) => (state.arrived.includes(place + 1) ? place + 1 : 0));
}

function leaveText(state, moment) {
  if (state.cancelledAt !== null) {
    return `Leaving cancelled ${count(state.cancelled.size, "request")} at `
      + `${seconds(state.cancelledAt)}.`;
  }
  if (moment.run?.virtual) return "Nothing is cancelled: a simulated run takes no commands.";
  return moment.isRunning ? "The tasks are told to stop." : "No request was under way.";
}

function remarkOf(state, moment) {
  const order = state.isOrdered ? "In the order of the input." : "In the order of arrival.";
  if (state.error) {
    const { length } = state.arrived;
    return "The function throws: there is no array." + (length
      ? ` ${count(length, "picture")} had arrived and ${length === 1 ? "is" : "are"} lost.` : "");
  }
  if (!state.shown) {
    return moment.run && state.arrived.length
      ? "Faint: arrived, but the function has not returned. The user sees an empty page." : order;
  }
  const seen = state.shown.filter(id => id).length;
  const missing = state.length - seen;
  const times = `${count(seen, "picture")} after ${seconds(state.endedAt)}. ${order}`;
  if (!missing) return times;
  if (state.shown.includes(0)) return `${times} A gap tells that one is missing.`;
  return `${times} ${count(missing, "picture")} ${missing === 1 ? "is" : "are"} missing, and`
    + " nothing on the page tells it.";
}

export default view;
