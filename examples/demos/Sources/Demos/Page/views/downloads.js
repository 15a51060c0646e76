// The screen of the downloads: two tables that empty and fill, and the closing alert. Its labels
// are those of the tutorial or of its translation.

import { announce, make, keyed, setText, setAttribute } from "../code/dom.js";
import { keep, kept } from "../code/kept.js";
import { picture } from "../code/picture.js";

const place = "weir-board-language";
const labels = {
  en: { downloads: "Download Queue", completed: "Completed", task: "Task", pending: "Pending",
    info: "Info", ok: "OK", other: "中文" },
  zh: { downloads: "下载队列", completed: "已完成", task: "任务", pending: "等待中", info: "提示",
    ok: "好", other: "English", alert: "所有下载任务已完成 😋😋😋" },
};

function table(caption) {
  const heading = make("h2", {});
  const body = make("tbody", {});
  const element = make("section", { class: "downloads-list" }, heading,
    make("table", {}, make("caption", { class: "hidden", text: caption }),
      make("thead", { class: "hidden" }, make("tr", {}, make("th", { scope: "col", text: "Task" }),
        make("th", { scope: "col", text: "State" }))), body));
  return { heading, body, element };
}

export default {
  build(root) {
    this.language = kept(place)[0] === "zh" ? "zh" : "en";
    this.pending = table("Downloads that are pending or in progress");
    this.completed = table("Completed downloads, the newest first");
    this.alert = make("div", { class: "downloads-alert", role: "group", "aria-label": "Alert",
      hidden: true }, this.info = make("strong", {}), this.words = make("p", {}),
    this.ok = make("button", { type: "button", onclick: () => this.dismiss() }));
    this.hint = make("p", { class: "remark" });
    this.other = make("button", { type: "button", class: "downloads-language",
      onclick: () => this.translate() });
    this.screen = make("div", { class: "downloads-screen" }, this.pending.element,
      this.completed.element, this.alert);
    root.append(this.screen, this.other, this.hint);
  },

  /** Changes the language of the labels. */
  translate() {
    this.language = this.language === "zh" ? "en" : "zh";
    keep(place, [this.language]);
    for (const { body } of [this.pending, this.completed]) body.replaceChildren();
    this.render(...this.last);
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
    this.last = [state, moment];
    const label = labels[this.language];
    this.screen.lang = this.language;
    this.other.lang = this.language === "zh" ? "en" : "zh";
    for (const [element, text] of [[this.other, label.other], [this.info, label.info],
      [this.ok, label.ok]]) setText(element, text);
    setText(this.pending.heading, `${label.downloads} (${state.order.length})`);
    setText(this.completed.heading, `${label.completed} (${state.completed.length})`);
    const rows = state.order.map(id => state.tasks.get(id));
    keyed(this.pending.body, rows, row => row.id, row => this.pendingRow(row),
      (element, row) => this.showProgress(element, row));
    keyed(this.completed.body, state.completed, id => id, id => this.completedRow(id));
    const run = moment.run?.run;
    if (state.alert && this.shown !== run && moment.isLive) {
      this.shown = run;
      announce("Alert: " + state.alert);
    }
    setText(this.words, state.alert && (label.alert ?? state.alert));
    this.alert.hidden = !state.alert || (moment.isLive && this.dismissed === run);
    setText(this.hint, moment.run ? "" : "The tasks fill the first table, and move to the second "
      + "one when they are complete.");
  },

  pendingRow(row) {
    const bar = make("progress", { max: 100, "aria-label": `Progress of task ${row.id}` });
    return make("tr", {}, make("th", { scope: "row", text: `${labels[this.language].task} ${row.id}` }),
      make("td", { class: "downloads-state" }, make("span", {}), bar));
  },

  showProgress(element, row) {
    const [words, bar] = element.lastChild.children;
    const isPending = row.progress === null;
    setText(words, isPending ? labels[this.language].pending : `${row.progress} %`);
    setAttribute(bar, "hidden", isPending ? "" : null);
    if (!isPending) setAttribute(bar, "value", row.progress);
  },

  completedRow(id) {
    return make("tr", { class: "downloads-new" }, make("th", { scope: "row" },
      make("span", { class: "downloads-picture", "aria-hidden": "true" }, picture(id % 20)),
      `${labels[this.language].task} ${id}`),
    make("td", { class: "downloads-state", text: labels[this.language].completed }));
  },
};
