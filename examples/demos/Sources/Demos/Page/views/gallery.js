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
const ordered = ["async-let", "sequential", "map"];

const view = {
  build(root) {
    this.grid = make("ul", { class: "gallery-grid" });
    this.panelText = make("p");
    this.panel = make("div", { class: "gallery-panel" },
      make("strong", { text: "Cannot show the pictures" }), this.panelText);
    this.remark = make("p", { class: "gallery-remark" });
    root.append(make("div", { class: "gallery" }, make("h3", { text: "The page" }),
      make("div", { class: "gallery-screen", tabindex: 0, role: "group", "aria-label": "The page" },
        this.grid, this.panel), this.remark));
  },

  initial(run, values) {
    const { form = "group", tasks = 5 } = run?.knobs ?? values ?? {};
    return { isOrdered: ordered.includes(form), length: form === "async-let" ? 4 : Number(tasks),
      arrived: [], shown: null, error: null, endedAt: null };
  },

  apply(state, message) {
    if (message.kind === "event" && message.ev === "note") applyNote(state, message);
  },

  render(state, moment) {
    this.showGrid(state);
    this.grid.hidden = Boolean(state.error);
    this.panel.hidden = !state.error;
    setText(this.panelText, reasons[state.error] || state.error || "");
    setText(this.remark, remarkOf(state, moment));
  },

  showGrid(state) {
    const array = collected(state);
    const cells = Array.from({ length: state.shown ? array.length : state.length },
      (_, place) => ({ place, id: array[place] || 0 }));
    keyed(this.grid, cells, cell => cell.place, () => make("li"), (item, { id }) => {
      setAttribute(item, "class", !id ? "empty" : state.shown ? "shown" : "faint");
      if (item.dataset.id !== String(id)) item.replaceChildren(...(id ? [picture(id)] : []));
      item.dataset.id = id;
      if (!id) setText(item, "");
    });
  },
};

function applyNote(state, event) {
  if (event.q === "ARRIVED") state.arrived.push(event.task);
  else if (event.q.startsWith("SHOWN")) {
    state.shown = (event.q.match(/\d+/g) || []).map(Number);
    state.endedAt = event.t;
  } else if (event.q.startsWith("ERROR")) {
    state.error = event.q.slice(6);
    state.endedAt = event.t;
  }
}

/* The array of numbers so far; 0 is an empty place. */
function collected(state) {
  if (state.shown) return state.shown;
  if (!state.isOrdered) return state.arrived;
  return Array.from({ length: state.length },
    (_, place) => (state.arrived.includes(place + 1) ? place + 1 : 0));
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
  const seen = state.shown.length;
  const missing = state.length - seen;
  const times = `${count(seen, "picture")} after ${seconds(state.endedAt)}. ${order}`;
  if (!missing) return times;
  return `${times} ${count(missing, "picture")} ${missing === 1 ? "is" : "are"} missing, and`
    + " nothing on the page tells it.";
}

export default view;
