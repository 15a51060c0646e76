// The files of a run and the link to it, and the settings that a sentence about it names.

import { announce, make, setText } from "./dom.js";
import { withoutDashes } from "./words.js";

export class Exports {
  constructor(desk) {
    this.desk = desk;
    this.element = make("div", { class: "exports" });
    this.show(null);
  }

  /** The options of the command in a sentence, as buttons that choose them here. */
  withSettings(text) {
    const parts = [];
    let end = 0;
    for (const option of text.matchAll(/--([a-z-]*[a-z])(?: ([\w.]*\w))?/g)) {
      const [whole, name] = option;
      const knob = this.desk.demo.knobs.find(knob => knob.name === name);
      const isFlag = knob?.kind === "flag" || name === "virtual";
      const value = isFlag ? "1" : option[2];
      const isChoice = knob?.kind !== "choice" || (knob.choices || []).includes(value);
      if (!value || !isChoice || !(knob || name === "speed" || isFlag)) continue;
      const shown = name === "virtual" ? "simulated" : isFlag ? name : `${name} ${value}`;
      parts.push(withoutDashes(text.slice(end, option.index)),
        this.setting(name, value, shown, knob));
      end = option.index + (isFlag ? name.length + 2 : whole.length);
    }
    return [...parts, withoutDashes(text.slice(end))];
  }

  setting(name, value, text, knob) {
    if (this.desk.isFollower) return make("b", { text });
    return make("button", { type: "button", class: "setting", text,
      title: knob?.help || null,
      onclick: () => {
        if (this.desk.isRunning) return;
        this.desk.form.set(name, value);
        announce(`${text} is set.`);
      } });
  }

  /** Shows the links to the files of a run. Pitfalls write none, followers get none. */
  show(run) {
    const items = [make("button", { type: "button", text: "Copy the link of this run",
      onclick: event => this.copy(event.currentTarget) })];
    const { data, isFollower } = this.desk;
    if (run && !isFollower && data.demos.some(demo => demo.name === run.demo)) {
      const folder = `./${this.desk.channel}/runs/${run.run}/`;
      items.push(...[["report.html", "Page (HTML)"], ["run.json", "JSON lines"]].map(
        ([file, text]) => make("a", { class: "button", href: folder + file,
          download: `${run.demo}-${run.run}-${file}`, text })));
    }
    this.element.replaceChildren(...items);
  }

  /** The address of this page; for a class its own, since the presenter's can start runs. */
  link() {
    const { classAddress } = this.desk.data;
    if (!classAddress || this.desk.isFollower) return location.href;
    return classAddress + this.desk.page.name + location.search + location.hash;
  }

  async copy(button) {
    try {
      await navigator.clipboard.writeText(this.link());
      setText(button, "Copied");
    } catch {
      setText(button, "The link is in the address bar");
    }
    announce(button.textContent);
    setTimeout(() => setText(button, "Copy the link of this run"), 2500);
  }
}
