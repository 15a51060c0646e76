// The course on static pages: a question first, then the run, its steps and its reason.
//
// Classic scripts alone, since a browser loads no module from a file. The hash holds the page and
// what was done on it, its trace: "#downloads:15:12" an answer and an event of the run,
// "#level-9:2,1,2,2:1" the steps of a game and an answer, "#editor:1,2::PROGRAM" an own program. The trace of a page that is done is kept.
import { make, setAttribute, setClass, setText } from "../code/dom.js";
import { codeFigure } from "../code/listings.js";
import { keep, kept } from "../code/kept.js";
import { Player } from "../code/player.js";
import { answer, isRight, typedNumber } from "../code/words.js";
import { screen } from "../views/loops/screen.js";
import { DrawnLoop } from "./draw.js";
import { Game, own, packed, unpacked } from "./game/game.js";
import { levels } from "./game/levels.js";
import { glossary } from "./glossary.js";
import { weeks } from "./pages.js";

const byId = id => document.getElementById(id);
const place = "weir-course";
const symptoms = { silence: "Nothing happens any more", trap: "A trap ends the process",
  wrong: "The result is wrong", fine: "It works" };
/** Only the loops have their screen here. */
const screens = { loops: screen };
const noScreen = { build() {}, initial() {}, apply() {}, render() {} };

/** The data of the pages of recorded runs, and the programs, by their words. */
const recorded = globalThis.weirCourse;

class Course {
  constructor() {
    this.pages = weeks.flatMap((week, index) => week.pages.map(page => {
      const game = page.own ? own : levels[page.level - 1];
      return { ...page, week: index + 1, game, title: page.title || game.title };
    }));
    this.kept = { traces: {}, texts: {}, ...kept(place)[0] };
    this.game = new Game({
      onPath: (path, text) => this.onPath(path, text),
      onSolved: () => this.finish(),
      onCopy: text => {
        location.hash = `editor:::${packed(text)}`;
      },
      next: "Next page",
      hasNext: () => this.index + 1 < this.pages.length,
      onNext: () => this.goTo(this.index + 1),
      real: name => make("a", { href: `#${name}`, text: name }),
    });
    this.buildMenu();
    addEventListener("hashchange", () => this.route());
    document.addEventListener("keydown", event => this.press(event));
    this.route();
  }

  press(event) {
    if (this.page.game) this.game.press(event);
    else this.player?.onKey(event);
  }

  write() { keep(place, [this.kept]); }

  /** Marks the page as done, and keeps its trace and its program. */
  finish() {
    const { id, game } = this.page;
    this.kept.traces[id] = this.trace;
    if (game && this.game.isEdited) this.kept.texts[id] = this.game.text.value;
    this.write();
    this.showMenu();
    this.showWords();
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
      this.kept = { traces: {}, texts: {} };
      this.write();
      this.keepAddress();
      this.open([]);
    });
  }

  showMenu() {
    this.links.forEach((link, index) => {
      const page = this.pages[index];
      const isDone = page.id in this.kept.traces;
      setText(link.firstChild, isDone ? "✓" : index + 1);
      setClass(link, "is-done", isDone);
      setAttribute(link, "aria-label", `${link.lastChild.textContent}${isDone ? ", done" : ""}`);
      setAttribute(link, "aria-current", page === this.page ? "page" : null);
    });
    const count = this.pages.filter(page => page.id in this.kept.traces).length;
    setText(byId("progress"), `${count} of ${this.pages.length} pages done`);
  }

  /** Shows the words of the glossary that the page uses, without those of the player. */
  showWords() {
    const parts = [...byId("page").querySelector(".course-body").children];
    const text = parts.filter(part => !part.matches(".course-run")).map(part => part.innerText).join("\n");
    const used = glossary.filter(([, pattern]) => pattern.test(text));
    this.words.hidden = !used.length;
    this.words.replaceChildren(make("summary", { text: `Words: ${used.map(([word]) => word).join(", ")}` }),
      make("dl", {}, ...used.flatMap(([word, , meaning]) =>
        [make("dt", { text: word }), make("dd", { text: meaning })])));
  }

  // The address

  route() {
    // The link that skips to the page has a hash too.
    if (location.hash === "#page" && this.page) return this.keepAddress(...this.trace);
    if (this.shown === location.hash) return;
    this.shown = location.hash;
    const [id, ...trace] = location.hash.slice(1).split(":").map(part => {
      try {
        return decodeURIComponent(part);
      } catch {
        return "";
      }
    });
    this.index = Math.max(0, this.pages.findIndex(page => page.id === id));
    this.page = this.pages[this.index];
    this.open(trace.length ? trace : this.kept.traces[this.page.id] || []);
  }

  /** Writes the page and its trace into the address. */
  keepAddress(...trace) {
    this.trace = trace.map(String);
    while (this.trace.at(-1) === "") this.trace.pop();
    this.shown = `#${[this.page.id, ...this.trace].map(encodeURI).join(":")}`;
    history.replaceState(null, "", this.shown);
  }

  goTo(index) {
    if (this.pages[index]) location.hash = this.pages[index].id;
  }

  // A page

  open(trace) {
    const { page } = this;
    this.player?.scrubber.stop();
    this.player = null;
    this.trace = trace;
    document.title = `${page.title} · Concurrency in four weeks`;
    this.showMenu();
    const body = make("div", { class: "course-body" });
    const near = [["Back", this.index - 1], ["On", this.index + 1]].map(([word, at]) =>
      this.pages[at] ? make("a", { class: "button", href: `#${this.pages[at].id}`,
        text: `${word}: ${this.pages[at].title}` }) : null);
    this.words = make("details", { class: "course-words" });
    // The title of a game is a heading of the second level.
    byId("page").replaceChildren(make(page.game ? "h1" : "p", { class: "course-place",
      text: `Week ${page.week}, page ${this.index + 1} of ${this.pages.length}` }),
    ...(page.game ? [] : [make("h1", { text: page.title, tabindex: "-1" })]), this.words, body,
    make("nav", { class: "course-near", "aria-label": "Pages beside" }, ...near.filter(Boolean)));
    if (page.game) this.openGame(body, trace);
    else if (page.program) this.openProgram(body, trace);
    else if (page.drawn) this.openDrawn(body, trace);
    else if (page.file) this.openFile(body, trace);
    else if (page.run) this.openRun(body, trace);
    else this.openPitfall(body, trace);
    this.showWords();
    byId("menu-box").open = innerWidth >= 900;
    const title = byId("page").querySelector(page.game ? "h2" : "h1");
    this.links[this.index].scrollIntoView({ block: "nearest" });
    if (this.isFollowing) title.focus();
    this.isFollowing = true;
    scrollTo(0, 0);
  }

  openGame(body, [steps = "", choice, program = ""]) {
    body.append(this.game.element);
    const { id, game } = this.page;
    const text = unpacked(program) || this.kept.texts[id] || game.text;
    this.game.open(game, steps.split(",").filter(Boolean), text, choice);
    // A mended program that was proved is proved again.
    if (this.game.isEdited && id in this.kept.traces && !steps) this.game.take();
  }

  onPath(path, text) {
    const program = this.page.own ? packed(this.game.text.value) : "";
    this.keepAddress(path.join(","), this.game.choice, program);
    if (text !== undefined && this.page.own) this.finish();
  }

  // A recorded run

  openRun(body, [answered = "", step = 0]) {
    const { page } = this;
    const { run: recording, result: { answers, verdict }, questions, events } = recorded[page.run];
    const isAsked = one => one.name === page.question;
    const view = screens[recording.demo] || noScreen;
    const player = new Player(view, () => {
      player.render(player.last.time, recording, false);
      follow(player);
      if (this.player) this.keepAddress(form.elements.answer.value, player.scrubber.place || "");
    });
    const { code } = player;
    player.forget(null);
    player.begin(recording);
    const result = make("div", {});
    const run = make("section", { class: "course-run", "aria-label": "The run" });
    const onAnswer = value => {
      result.replaceChildren(make("p", {}, make("strong", { text: "Why: " }), page.why),
        make("p", { text: `The run: ${verdict}` }));
      const stage = make("div", { class: "card" }, make("h2", { class: "hidden", text: "The screen" }));
      view.build(stage);
      run.replaceChildren(...[view === noScreen ? null : stage, player.title, player.scrubber.element,
        make("div", { class: "course-pair" },
          make("div", { class: "course-chart" }, player.chart), code.element)].filter(Boolean));
      for (const event of events) player.take({ kind: "event", ...event });
      player.finish();
      this.player = player;
      player.scrubber.go(Number(step));
      this.finish();
    };
    const form = page.ask ? choice(page.ask, page.answers, page.right, onAnswer)
      : amount(questions.find(isAsked), answers.find(isAsked).actual, onAnswer);
    body.append(make("p", { class: "lead",
      text: recording.introduction.replace(/ \p{Extended_Pictographic}/gu, "") }),
      ...(page.given ? [make("p", { text: page.given })] : []),
      make("p", { class: "remark" }, make("code", { text: `weir-demo ${page.run} --virtual` }),
        `: simulated, with ${recording.cores} cores`),
      make("div", { class: "course-sides" }, make("div", {}, form, result), code.element), run);
    restore(form, answered);
  }

  // A pitfall

  openPitfall(body, [answered = ""]) {
    const { page } = this;
    const found = recorded[`pitfalls ${page.pitfall}`];
    const result = make("div", { "aria-live": "polite" });
    const broken = fault => listing("as it was written", found.brokenCode, fault);
    const side = make("div", {}, broken());
    const form = choice("What happens on Linux?", Object.values(symptoms),
      Object.keys(symptoms).indexOf(found.described), value => {
      side.replaceChildren(broken(Number(found.brokenFault)));
      const part = (name, text, more) => make("section", {}, make("h2", { text: name }),
        make("p", { text }), more);
      result.replaceChildren(part("What happened", found.brokenHappened),
        part("Why", found.explanation), part("The fix", found.remedy,
          listing("fixed", found.fixedCode)),
        part("The fixed run", found.fixedHappened));
      this.keepAddress(value);
      this.finish();
    });
    body.append(make("p", { class: "lead", text: found.title }),
      make("p", { text: `Expected: ${found.expectation}` }),
      ...(page.given ? [make("p", { text: page.given })] : []),
      make("p", { class: "remark" }, make("code", { text: `weir-demo pitfalls ${found.name}` }),
        ": a real run, recorded when these pages were made"),
      make("div", { class: "course-sides" }, side, make("div", {}, form, result)));
    restore(form, answered);
  }

  // A loop to draw

  openDrawn(body, trace) {
    const loop = new DrawnLoop(trace, (heights, stride) => {
      this.keepAddress(heights, stride);
      this.finish();
    });
    body.append(make("p", { class: "lead", text: this.page.task }), loop.element);
  }

  // A program and what it printed

  openFile(body, [answered = ""]) {
    const { page } = this;
    const { code, output } = recorded[`program ${page.file}`];
    const result = make("div", { "aria-live": "polite" });
    const form = choice(page.ask, page.answers, page.right, value => {
      result.replaceChildren(make("h2", { text: "The output" }), make("pre", { class: "course-output",
        tabindex: "0", text: output }), make("p", { text: page.why }));
      this.keepAddress(value);
      this.finish();
    });
    body.append(make("p", { class: "remark" }, make("code", { text: page.command }),
      ": a real run, recorded with Swift 6.3"),
    make("div", { class: "course-sides" },
      make("div", {}, listing(`${page.file}.swift`, code)),
      make("div", {}, form, result)));
    restore(form, answered);
  }

  // A program to write

  openProgram(body, [isWritten]) {
    const { page } = this;
    const result = make("div", { tabindex: "-1" });
    const show = () => {
      button.hidden = true;
      result.replaceChildren(make("p", { text: page.why }), listing("one way",
        recorded.programs[page.program - 1]));
      this.keepAddress("written");
      this.finish();
    };
    const button = make("button", { type: "button", class: "primary", text: "I have written it",
      onclick: () => {
        show();
        result.focus();
      } });
    body.append(make("p", { class: "lead", text: page.task }), button, result);
    if (isWritten) show();
  }
}

/** Scrolls the code to the first of the lines at which the tasks are. */
function follow({ code }) {
  const line = code.element.querySelector("figure:not([hidden]) .here");
  const box = line?.closest(".code");
  if (!box) return;
  const gap = line.getBoundingClientRect().top - box.getBoundingClientRect().top;
  if (gap < 0 || gap > box.clientHeight - line.clientHeight) box.scrollTop += gap - box.clientHeight / 3;
}

/** A question with a few answers. */
function choice(ask, answers, right, onAnswer) {
  const labels = answers.map((text, index) => make("label", {},
    make("input", { type: "radio", name: "answer", value: index, required: true }),
    make("span", { text })));
  return question(ask, labels, answers[right], value => Number(value) === right, onAnswer);
}

/** A question for a number. */
function amount({ text, unit }, actual, onAnswer) {
  const isTime = unit === "seconds";
  const label = make("label", {}, make("span", {
    text: !isTime ? "A number" : actual < 0.01 ? "A time, such as 300us" : "Seconds" }),
    make("input", { type: "text", name: "answer", inputmode: "decimal", required: true, size: 8,
      autocomplete: "off", pattern: "\\s*\\d*[.,]?\\d+\\s*([mµu]?s)?\\s*", title: "A number" }));
  return question(text, [label], answer(actual, unit), value =>
    isRight(unit, typedNumber(value), actual), onAnswer);
}

/** The form of a question: its fields, a button, and the mark, which takes the focus. */
function question(ask, fields, right, isRight, onAnswer) {
  const mark = make("p", { role: "status", tabindex: "-1" });
  const button = make("button", { class: "primary", text: "Predict" });
  const fieldset = make("fieldset", {}, make("legend", { text: ask }), ...fields, button);
  return make("form", { class: "course-ask card", onsubmit: event => {
    event.preventDefault();
    const { value } = event.target.elements.answer;
    fieldset.disabled = true;
    button.hidden = true;
    mark.className = isRight(value) ? "right" : "wrong";
    setText(mark, isRight(value) ? `✓ ${right}: right` : `✗ It is: ${right}`);
    onAnswer(value);
    mark.focus();
  } }, fieldset, mark);
}

/** Answers a question again as its trace says. */
function restore(form, value) {
  form.elements.answer.value = value;
  if (form.elements.answer.value) form.requestSubmit();
}

function listing(title, text, fault) {
  return codeFigure(`Swift: ${title}`, text.trimEnd().split("\n"), fault);
}

new Course();
