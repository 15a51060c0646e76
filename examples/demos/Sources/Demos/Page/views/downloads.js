// The screen of the downloads: two tables that empty and fill, and the closing alert.

import { make, keyed, setText, setAttribute } from "../code/dom.js";
import { picture } from "../code/picture.js";

function table(title, caption) {
  const heading = make("h2", { text: title });
  const body = make("tbody", {});
  const element = make("section", { class: "downloads-list" }, heading,
    make("table", {}, make("caption", { class: "hidden", text: caption }),
      make("thead", { class: "hidden" }, make("tr", {}, make("th", { scope: "col", text: "Task" }),
        make("th", { scope: "col", text: "State" }))), body));
  return { heading, body, element };
}

export default {
  build(root, board) {
    this.board = board;
    this.pending = table("Downloads (0)", "Downloads that are pending or in progress");
    this.completed = table("Completed (0)", "Completed downloads, the newest first");
    this.alert = make("div", { class: "downloads-alert", role: "group", "aria-label": "Alert",
      hidden: true }, make("strong", { text: "Info" }), this.words = make("p", {}),
    make("button", { type: "button", text: "OK", onclick: () => this.dismiss() }));
    this.hint = make("p", { class: "remark" });
    root.append(make("div", { class: "downloads-screen" }, this.pending.element,
      this.completed.element, this.alert), this.hint);
  },

  dismiss() {
    this.dismissed = this.shown;
    this.alert.hidden = true;
  },

  initial(run) {
    const count = Number(run?.knobs.tasks || 0);
    return { count, tasks: new Map(), order: [], completed: [], alert: "" };
  },

  apply(state, message) {
    if (message.kind !== "event" || message.ev !== "note") return;
    const id = message.task;
    if (message.q === "pending") {
      state.tasks.set(id, { id, progress: null });
      state.order.push(id);
    } else if (message.q === "progress" && state.tasks.has(id)) {
      state.tasks.get(id).progress = message.v;
    } else if (message.q === "completed" && state.tasks.has(id)) {
      state.order = state.order.filter(other => other !== id);
      state.completed.unshift(id);
    } else if (message.q.startsWith("alert: ")) {
      state.alert = message.q.slice(7);
    }
  },

  render(state, moment) {
    setText(this.pending.heading, `Downloads (${state.order.length})`);
    setText(this.completed.heading, `Completed (${state.completed.length})`);
    const rows = state.order.map(id => state.tasks.get(id));
    keyed(this.pending.body, rows, row => row.id, row => this.pendingRow(row), this.showProgress);
    keyed(this.completed.body, state.completed, id => id, id => this.completedRow(id));
    const run = moment.run?.run;
    if (state.alert && this.shown !== run && moment.isLive) {
      this.shown = run;
      this.board.announce("Alert: " + state.alert);
    }
    setText(this.words, state.alert);
    this.alert.hidden = !state.alert || (moment.isLive && this.dismissed === run);
    setText(this.hint, moment.run ? "" : "The tasks fill the first table, and move to the second "
      + "one when they are complete.");
  },

  pendingRow(row) {
    const bar = make("progress", { max: 100, "aria-label": `Progress of task ${row.id}` });
    return make("tr", {}, make("th", { scope: "row", text: `Task ${row.id}` }),
      make("td", { class: "downloads-state" }, make("span", {}), bar));
  },

  showProgress(element, row) {
    const [words, bar] = element.lastChild.children;
    const isPending = row.progress === null;
    setText(words, isPending ? "Pending" : `${row.progress} %`);
    setAttribute(bar, "hidden", isPending ? "" : null);
    if (!isPending) setAttribute(bar, "value", row.progress);
  },

  completedRow(id) {
    return make("tr", { class: "downloads-new" }, make("th", { scope: "row" },
      make("span", { class: "downloads-picture", "aria-hidden": "true" }, picture(id % 20)),
      `Task ${id}`), make("td", { class: "downloads-state", text: "Completed" }));
  },
};
