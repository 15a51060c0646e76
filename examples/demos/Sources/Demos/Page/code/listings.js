// The code of a run, with the tasks that are at its lines.

import { keyed, make, setAttribute, setClass, setText } from "./dom.js";

const mostNames = 8;
const word = /^[A-Za-z_][A-Za-z0-9_]*/;
const text = /^"(?:[^"\\]|\\.)*"?/;
const keywords = new Set(("await async break case catch class const continue default defer do else "
  + "enum extension false for func guard if import in init int let nil return self sizeof static "
  + "struct switch throw throws true try typedef uint64_t size_t bool NULL unsigned var void while "
  + "char repeat private final").split(" "));

/**
 * Returns the code of a line. A long line goes on below, further to the right; so its indentation is
 * a padding, and its spaces are there to be copied.
 */
export function codeOf(line) {
  const spaces = line.length - line.trimStart().length;
  const code = make("code", {}, make("span", { class: "indent", text: line.slice(0, spaces) }),
    ...highlight(line.slice(spaces)));
  code.style.paddingLeft = `${spaces + 4}ch`;
  return code;
}

/* Returns the parts of a line: texts, keywords, strings and its comment. */
function highlight(line) {
  const parts = [];
  for (let rest = line; rest;) {
    const isComment = rest.startsWith("//") || rest.startsWith("/*");
    const found = isComment ? rest : (text.exec(rest) || word.exec(rest) || [rest[0]])[0];
    const tag = isComment ? "i" : found[0] === "\"" ? "s" : keywords.has(found) ? "b" : null;
    parts.push(tag ? make(tag, { text: found }) : found);
    rest = rest.slice(found.length);
  }
  return parts;
}

/** Returns code under its title. `fault` is the number of the line at fault, if one is to be seen. */
export function codeFigure(title, lines, fault) {
  const mark = make("span", { class: "hidden", text: "at fault: " });
  const line = (text, index) => index + 1 !== fault ? make("li", {}, codeOf(text))
    : make("li", { class: "is-faulty" }, mark, codeOf(text));
  return make("figure", { class: "code-figure" }, make("figcaption", { text: title }),
    make("div", { class: "code", tabindex: 0, role: "group", "aria-label": title },
      make("ol", {}, ...lines.map(line))));
}

/** Returns the tasks at a line: those of its queues at its steps, from a map of step to tasks. */
export function tasksAt({ tag, queues }, places) {
  const own = queues?.split(",");
  return tag.split(",").flatMap(step => places.get(step) ?? []).filter(({ group, name }) =>
    !own || !group || own.some(queue => [group, `${group}=${name}`].includes(queue)
      || group.startsWith(`${queue} `)));
}

/** The listings of a run; one is seen, the others are chosen by tabs. */
export class Listings {
  constructor() {
    this.lines = [];
    this.tabs = make("div", { class: "tabs", role: "tablist", "aria-label": "Listings" });
    this.body = make("div", {});
    this.element = make("section", { class: "part listings", hidden: true,
      "aria-labelledby": "code-title" },
    make("div", { class: "part-title" }, make("h2", { id: "code-title", text: "The code" }),
      this.tabs), this.body);
  }

  /** Shows the listings of a run. */
  show(listings) {
    this.element.hidden = listings.length === 0;
    this.lines = [];
    const panels = listings.map((listing, index) => this.panel(listing, index));
    this.body.replaceChildren(...panels);
    this.tabs.hidden = listings.length < 2;
    this.tabs.replaceChildren(...listings.map((listing, index) => make("button", {
      type: "button", role: "tab", id: "tab" + index, "aria-controls": "code" + index,
      text: listing.title, onclick: () => this.choose(index), onkeydown: event => this.press(event, index),
    })));
    if (listings.length) this.choose(0);
  }

  panel(listing, index) {
    const { title } = listing;
    const figure = codeFigure(title, listing.lines.map(line => line.text));
    const attributes = { id: "code" + index, role: "tabpanel", "aria-label": title };
    for (const [name, value] of Object.entries(attributes)) setAttribute(figure, name, value);
    figure.querySelectorAll("li").forEach((item, number) => {
      const line = listing.lines[number];
      if (!line.tag) return;
      const names = make("span", { class: "at" });
      item.append(names);
      this.lines.push({ item, names, line });
    });
    return figure;
  }

  choose(chosen) {
    [...this.body.children].forEach((panel, index) => { panel.hidden = index !== chosen; });
    [...this.tabs.children].forEach((tab, index) => {
      setAttribute(tab, "aria-selected", index === chosen ? "true" : "false");
      tab.tabIndex = index === chosen ? 0 : -1;
    });
  }

  press(event, index) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const next = (index + by + this.tabs.children.length) % this.tabs.children.length;
    this.choose(next);
    this.tabs.children[next].focus();
    event.preventDefault();
  }

  /** Marks the lines with the tasks that are there, a map of step to tasks. */
  mark(places) {
    for (const { item, names, line } of this.lines) {
      const tasks = tasksAt(line, places);
      const here = new Map(tasks.map(task => [task.name, task.kind]));
      setClass(item, "here", here.size > 0);
      const shown = here.size > mostNames ? [[here.size + " tasks", tasks[0].kind]] : [...here];
      keyed(names, shown, ([name]) => name, () => make("span"), (chip, [name, kind]) => {
        setAttribute(chip, "class", "chip " + kind);
        setText(chip, kind === "suspended" ? `S ${name}` : name);
      });
    }
  }
}
