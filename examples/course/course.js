// The course on static pages: a question first, then the run, its steps and its reason.
//
// Classic scripts alone, since a browser loads no module from a file. The hash holds the page and
// the step: "#downloads:12", "#level-9:2,1,2,2".
import { make, setAttribute, setClass, setText } from "../code/dom.js";
import { keep, kept } from "../code/kept.js";
import { answer, seconds, typedNumber } from "../code/words.js";
import { Game, own } from "./game/game.js";
import { levels } from "./game/levels.js";
import { weeks } from "./pages.js";

const byId = id => document.getElementById(id);
const place = "weir-course";
const symptoms = { silence: "Nothing happens any more", trap: "A trap ends the process",
  wrong: "The result is wrong", slow: "It is right, and slow", fine: "It works" };
/** The rows of the table of events that are shown around the current one. */
const rowsAround = 6;

/** The recorded runs, by their words. A script of the folder runs calls `weirCourse`. */
const recorded = new Map();
globalThis.weirCourse = (words, lines) => recorded.set(words, lines);

/** Returns the file of a recording: the words with - for all but letters and digits. */
const fileOf = words => `runs/${words.replace(/[^a-z0-9]+/g, "-")}.js`;

function recording(words) {
  if (recorded.has(words)) return Promise.resolve(recorded.get(words));
  return new Promise((resolve, reject) => {
    document.head.append(make("script", { src: fileOf(words),
      onload: () => resolve(recorded.get(words)),
      onerror: () => reject(new Error(`${fileOf(words)} is missing. Make the course again.`)) }));
  });
}

class Course {
  constructor() {
    this.pages = weeks.flatMap((week, index) => week.pages.map(page => ({ ...page, week: index + 1,
      title: page.title || levels[page.level - 1].title })));
    this.kept = { done: {}, ...kept(place)[0] };
    this.game = new Game({
      announce: text => setText(byId("live"), text),
      onPath: (path, text) => this.onPath(path, text),
      onSolved: () => this.finish(true),
      onCopy: text => this.toEditor(text),
      onNext: () => this.goTo(this.index + 1),
      real: name => this.link(this.pages.find(page => page.pitfall === name), name),
    });
    this.buildMenu();
    addEventListener("hashchange", () => this.route());
    document.addEventListener("keydown", event => {
      if (this.page.level || this.page.own) this.game.press(event);
    });
    this.route();
  }

  write() { keep(place, [this.kept]); }

  /** Marks the page as done; `isRight` of the first time stays. */
  finish(isRight) {
    if (!(this.page.id in this.kept.done)) this.kept.done[this.page.id] = isRight;
    this.write();
    this.showMenu();
  }

  // The menu

  buildMenu() {
    this.links = this.pages.map(page => make("a", { href: `#${page.id}` }, make("b", {}),
      make("span", { text: page.level ? `Level ${page.level}: ${page.title}` : page.title })));
    byId("menu").append(...weeks.map((week, index) => make("section", {},
      make("h2", { text: `Week ${index + 1}: ${week.title}` }),
      make("ol", {}, ...this.pages.map((page, at) => page.week === index + 1
        ? make("li", {}, this.links[at]) : null)))));
    byId("forget").addEventListener("click", () => {
      this.kept = { done: {} };
      this.write();
      this.showMenu();
      this.route();
    });
  }

  showMenu() {
    this.links.forEach((link, index) => {
      const page = this.pages[index];
      const isDone = page.id in this.kept.done;
      setText(link.firstChild, isDone ? "✓" : index + 1);
      setClass(link, "is-done", isDone);
      setAttribute(link, "aria-label", `${link.lastChild.textContent}${isDone ? ", done" : ""}`);
      setAttribute(link, "aria-current", page === this.page ? "page" : null);
    });
    const count = this.pages.filter(page => page.id in this.kept.done).length;
    setText(byId("progress"), `${count} of ${this.pages.length} pages done`);
  }

  link(page, text) { return make("a", { href: `#${page.id}`, text: text || page.title }); }

  // The address

  route() {
    // The link that skips to the page has a hash too.
    if (location.hash === "#page" && this.page) return this.keepAddress(this.step);
    const [id, step] = decodeURIComponent(location.hash.slice(1)).split(":");
    const index = Math.max(0, this.pages.findIndex(page => page.id === id));
    if (this.shown === location.hash) return;
    const isSame = this.page === this.pages[index];
    [this.index, this.page] = [index, this.pages[index]];
    if (isSame && this.player) return this.player.show(Number(step) || 0);
    this.open(step || "").catch(error => {
      byId("page").replaceChildren(make("p", { class: "notice", role: "alert", text: error.message }));
    });
  }

  /** Writes the page and its step into the address. */
  keepAddress(step) {
    this.step = step;
    this.shown = `#${this.page.id}${step ? `:${step}` : ""}`;
    history.replaceState(null, "", this.shown);
  }

  goTo(index) {
    if (this.pages[index]) location.hash = this.pages[index].id;
  }

  // A page

  async open(step) {
    const { page } = this;
    this.player = null;
    this.shown = null;
    this.step = step;
    document.title = `${page.title} · Concurrency in four weeks`;
    this.showMenu();
    const body = make("div", { class: "course-body" });
    const near = [["Back", this.index - 1], ["On", this.index + 1]].map(([word, at]) =>
      this.pages[at] ? make("a", { class: "button", href: `#${this.pages[at].id}`,
        text: `${word}: ${this.pages[at].title}` }) : null);
    const isGame = page.level || page.own;
    // The title of a game is a heading of the second level.
    byId("page").replaceChildren(make(isGame ? "h1" : "p", { class: "course-place",
      text: `Week ${page.week}, page ${this.index + 1} of ${this.pages.length}` }),
    ...(isGame ? [] : [make("h1", { text: page.title, tabindex: "-1" })]), body,
    make("nav", { class: "course-near", "aria-label": "Pages beside" }, ...near.filter(Boolean)));
    if (isGame) this.openGame(body, step);
    else if (page.program) this.openProgram(body);
    else await (page.run ? this.openRun(body, step) : this.openPitfall(body));
    byId("menu-box").open = innerWidth >= 900;
    const title = byId("page").querySelector(isGame ? "h2" : "h1");
    this.links[this.index].scrollIntoView({ block: "nearest" });
    if (this.isFollowing) title.focus();
    this.isFollowing = true;
    scrollTo(0, 0);
  }

  openGame(body, step) {
    body.append(this.game.element);
    const { page } = this;
    const path = step.split(",").filter(Boolean);
    if (page.own) this.game.open(own, path, this.kept.text || own.text);
    else this.game.open(levels[page.level - 1], path);
  }

  onPath(path, text) {
    if (text !== undefined && this.page.own) {
      this.kept.text = text;
      this.finish(true);
    }
    this.keepAddress(path.join(","));
  }

  toEditor(text) {
    this.kept.text = text;
    this.write();
    location.hash = "editor";
  }

  // A recorded run

  async openRun(body, step) {
    const { page } = this;
    const lines = await recording(page.run);
    if (this.page !== page) return;
    const of = type => lines.filter(line => line.type === type);
    const [about] = of("demo");
    const [summary] = of("summary");
    const question = of("question").find(one => one.name === page.question);
    const codes = of("code");
    const first = codes.find(code => code.language === "Swift") || codes[0];
    const result = make("div", {});
    const form = page.ask ? new Choice(page.ask, page.answers, page.right)
      : new Amount(question, summary[`actual_${page.question}`]);
    const reveal = isRight => {
      this.finish(isRight);
      this.player = new Player(of("event"), at => this.keepAddress(at || ""));
      result.replaceChildren(make("p", {}, make("strong", { text: "Why: " }), page.why),
        make("p", { text: `The run: ${summary.verdict}` }), this.player.element);
      this.player.show(Number(step) || 0);
    };
    form.onAnswer = reveal;
    body.append(make("p", { class: "lead", text: about.introduction }),
      make("p", { class: "remark" }, make("code", { text: `weir-demo ${page.run} --virtual` }),
        `: simulated, with ${about.cores} cores`),
      make("div", { class: "course-sides" },
        make("div", {}, listing(first), ...codes.filter(code => code !== first).map(code =>
          make("details", {}, make("summary", { text: `${code.language}: ${code.title}` }),
            listing(code)))),
        make("div", {}, form.element, result)));
    // An address with a step shows the run; its page was answered before.
    if (step && page.id in this.kept.done) form.answerNow();
  }

  // A pitfall

  async openPitfall(body) {
    const { page } = this;
    const lines = await recording(`pitfalls ${page.pitfall}`);
    if (this.page !== page) return;
    const found = lines.find(line => line.type === "pitfall");
    const names = Object.keys(symptoms);
    const form = new Choice("What happens on Linux?", Object.values(symptoms),
      names.indexOf(found.described));
    const result = make("div", { "aria-live": "polite" });
    const code = { language: found.language, title: "as it was written", text: found.broken_code };
    const side = make("div", {}, listing(code));
    const reveal = isRight => {
      this.finish(isRight);
      side.replaceChildren(listing({ ...code, fault: found.broken_fault }));
      const part = (name, text, more) => make("section", {}, make("h2", { text: name }),
        make("p", { text }), more);
      result.replaceChildren(part("What happened", found.broken_happened),
        part("Why", found.explanation), part("The fix", found.remedy,
          listing({ language: found.language, title: "fixed", text: found.fixed_code })),
        part("The fixed run", found.fixed_happened));
    };
    form.onAnswer = reveal;
    body.append(make("p", { class: "lead", text: found.title }),
      make("p", { text: `Expected: ${found.expectation}` }),
      make("p", { class: "remark" }, make("code", { text: `weir-demo pitfalls ${found.name}` }),
        ": a real run, recorded when these pages were made"),
      make("div", { class: "course-sides" }, side, make("div", {}, form.element, result)));
  }

  // A program to write

  openProgram(body) {
    const { page } = this;
    const result = make("div", { "aria-live": "polite" });
    const button = make("button", { type: "button", class: "primary", text: "I have written it",
      onclick: () => {
        this.finish(true);
        button.hidden = true;
        const text = recorded.get("programs")[page.program - 1];
        result.replaceChildren(make("p", { text: page.why }),
          listing({ language: "Swift", title: "one way", text }));
      } });
    body.append(make("p", { class: "lead", text: page.task }), button, result);
  }
}

/** A question with a few answers. */
class Choice {
  constructor(ask, answers, right) {
    Object.assign(this, { answers, right });
    this.boxes = answers.map((text, index) =>
      make("input", { type: "radio", name: "answer", value: index, required: true }));
    build(this, ask, ...answers.map((text, index) =>
      make("label", {}, this.boxes[index], make("span", { text }))));
  }

  get isRight() { return this.boxes[this.right].checked; }

  get text() { return this.answers[this.right]; }
}

/** A question for a number: a count has to be exact, a time within a fifth. */
class Amount {
  constructor({ text, unit }, actual) {
    Object.assign(this, { actual, unit, text: answer(actual, unit) });
    this.input = make("input", { type: "text", inputmode: "decimal", required: true, size: 8,
      autocomplete: "off", pattern: "\\s*\\d*[.,]?\\d+\\s*(ms|s)?\\s*", title: "A number" });
    build(this, text, make("label", {},
      make("span", { text: unit === "seconds" ? "Seconds" : "A number" }), this.input));
  }

  get isRight() {
    const distance = Math.abs(typedNumber(this.input.value) - this.actual);
    return distance <= (this.unit === "seconds" ? this.actual / 5 : 0);
  }
}

/** Builds the form of a question: its fields, a button, and the mark. */
function build(form, ask, ...fields) {
  const mark = make("p", { role: "status" });
  const fieldset = make("fieldset", {}, make("legend", { text: ask }), ...fields,
    make("button", { class: "primary", text: "Predict" }));
  form.element = make("form", { class: "course-ask card", onsubmit: event => {
    event.preventDefault();
    form.answerNow(true);
  } }, fieldset, mark);
  form.answerNow = isTyped => {
    const { isRight, text } = form;
    fieldset.disabled = true;
    fieldset.querySelector("button").hidden = true;
    if (isTyped) mark.className = isRight ? "right" : "wrong";
    setText(mark, !isTyped ? `It is: ${text}` : isRight ? `✓ ${text}: right` : `✗ It is: ${text}`);
    form.onAnswer(isRight);
  };
}

function listing({ language, title, text, fault }) {
  const label = `${language}: ${title}`;
  return make("figure", { class: "course-code" }, make("figcaption", { text: label }),
    make("div", { class: "schedule-code scroll", tabindex: "0", role: "group", "aria-label": label },
      make("ol", { class: "schedule-lines" }, ...text.split("\n").map((line, index) => make("li",
        { class: index + 1 === fault ? "is-fault" : null },
        make("code", { text: line || " " }))))));
}

/** A recorded run, event by event. The shared timeline of the board takes its place. */
class Player {
  constructor(events, onStep) {
    Object.assign(this, { events, onStep });
    this.slider = make("input", { type: "range", min: 0, max: events.length - 1, value: 0,
      "aria-label": "Event", oninput: () => this.go(Number(this.slider.value)) });
    this.now = make("p", { class: "course-now" });
    this.rows = make("tbody", {});
    const move = (text, by) => make("button", { type: "button", text,
      onclick: () => this.go(Number(this.slider.value) + by) });
    this.element = make("section", { class: "course-player", "aria-label": "The run" },
      make("h2", { text: "Step through the run" }),
      make("div", { class: "course-steps" }, move("Back", -1), this.slider, move("Next", 1)),
      this.now, make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Events" },
        make("table", {}, make("thead", {}, make("tr", {}, ...["Time", "Thread", "Event", "Of"]
          .map(text => make("th", { scope: "col", text })))), this.rows)));
  }

  go(index) {
    const at = Math.max(0, Math.min(this.events.length - 1, index));
    this.show(at);
    this.onStep(at);
  }

  show(index) {
    const at = Math.max(0, Math.min(this.events.length - 1, index));
    this.slider.value = at;
    const begin = Math.max(0, Math.min(at - rowsAround, this.events.length - 2 * rowsAround - 1));
    this.rows.replaceChildren(...this.events.slice(begin, begin + 2 * rowsAround + 1).map((event, row) =>
      make("tr", { "aria-current": begin + row === at ? "step" : null },
        ...[seconds(event.t), event.thr, event.ev, subject(event)].map(text => make("td", { text })))));
    // The threads that are in a block after this event.
    const busy = new Map();
    for (const event of this.events.slice(0, at + 1)) {
      if (event.ev === "start") busy.set(event.thr, subject(event));
      else if (event.ev === "end") busy.delete(event.thr);
    }
    const event = this.events[at];
    const words = `Event ${at + 1} of ${this.events.length}, ${seconds(event.t)}: ${event.ev} `
      + `${subject(event)}. ${busy.size ? `In a block: ${[...busy].sort(([a], [b]) => a - b)
        .map(([thread, text]) => `thread ${thread} ${text}`).join("; ")}.` : "No thread is in a block."}`;
    setText(this.now, words);
    this.slider.setAttribute("aria-valuetext", words);
  }
}

const subject = event => [event.q, event.task].filter(part => part !== undefined).join(" ");

new Course();
